//! The entry points: parse scenario files and class files.

use super::document;
use super::error::{ScenarioError, ScenarioErrors};
use super::reader::{faultless, read_document};
use super::typed::{ClassFile, Scenario};

/// Parses a scenario, a file of at most 2^28 bytes. `file` is its name in messages.
/// # Errors
/// Every mistake in the file, in line order; only the first if the file is not TOML.
///
/// ```
/// use wheelbase_scenario::scenario::parse;
///
/// let text = r#"
/// name = "one step"
/// ticks = 10
/// [map]
/// rows = ["..."]
/// [[agents]]
/// class = "octile"
/// at = [0, 0]
/// orders = [{ goto = [2, 0] }]
/// "#;
/// let scenario = parse("step.toml", text.as_bytes())?;
/// assert_eq!(scenario.agents[0].at.x, 0);
/// assert_eq!(scenario.agents[0].line, 6);
///
/// let errors = parse("step.toml", b"name = 'no end'\nticks = -1\nmap = { rows = ['.'] }").unwrap_err();
/// assert_eq!(
///     errors.to_string(),
///     "step.toml:2:9: ticks: expected a whole number from 1 to 4294967294, found -1"
/// );
/// # Ok::<(), wheelbase_scenario::scenario::ScenarioErrors>(())
/// ```
pub fn parse(file: &str, bytes: &[u8]) -> Result<Scenario, ScenarioErrors> {
    faultless(parse_partly(file, bytes))
}

/// As [`parse`], and gives the scenario without those agents, groups and events in which there are mistakes, if there
/// are no others.
pub(crate) fn parse_partly(file: &str, bytes: &[u8]) -> (Option<Scenario>, Vec<ScenarioError>) {
    read_document(file, bytes, document::scenario)
}

/// Parses a class file: one `[class.NAME]` table, and optional `[terrain.*]` and `[side.*]` tables.
/// # Errors
/// As [`parse`].
pub fn parse_class_file(file: &str, bytes: &[u8]) -> Result<ClassFile, ScenarioErrors> {
    faultless(read_document(file, bytes, document::class_file))
}
