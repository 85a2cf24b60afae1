//! Mistakes in a scenario file.

use std::error::Error;
use std::fmt;

/// Most mistakes that the text of [`ScenarioErrors`] names one by one.
const SHOWN_MAX: usize = 20;

/// Begins the message of a key or value that the format has and this release does not read yet.
pub(super) const NOT_SUPPORTED_YET: &str = "not supported yet: ";

/// One mistake in a scenario file: where it is, what was found, what would be right.
///
/// Its text is `file:line: key: message`. The key is left out where there is none (the file is not
/// TOML) and where the message is "not supported yet: ...", which names the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, as the caller named it.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Path of the key, such as `class.truck.moves[2].time`; empty where no key can be named.
    pub key: String,
    /// What was found and what would be right.
    pub message: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, key, message } = self;
        write!(f, "{file}:{line}: ")?;
        if !key.is_empty() && !message.starts_with(NOT_SUPPORTED_YET) {
            write!(f, "{key}: ")?;
        }
        f.write_str(message)
    }
}

impl Error for ScenarioError {}

/// All mistakes found in a scenario; never empty.
///
/// Its text has one line for each of the first 20 and says how many more there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioErrors(Vec<ScenarioError>);

impl ScenarioErrors {
    /// The mistakes in the order given.
    /// # Panics
    /// If there are none: then nothing is wrong, and the caller has a result to give.
    pub fn new(errors: Vec<ScenarioError>) -> Self {
        assert!(!errors.is_empty(), "a failure must name at least one mistake");
        Self(errors)
    }

    /// The mistakes; those of one file are in line order.
    pub fn as_slice(&self) -> &[ScenarioError] {
        &self.0
    }

    /// The mistakes, given away.
    pub fn into_vec(self) -> Vec<ScenarioError> {
        self.0
    }
}

impl From<ScenarioError> for ScenarioErrors {
    fn from(error: ScenarioError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ScenarioErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (error_idx, error) in self.0.iter().take(SHOWN_MAX).enumerate() {
            if error_idx > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        match self.0.len().saturating_sub(SHOWN_MAX) {
            0 => Ok(()),
            n_left => write!(f, "\nand {n_left} more"),
        }
    }
}

impl Error for ScenarioErrors {}

/// Most characters of a cell of a file that a message repeats: whatever file a scenario names, no more of it is
/// shown.
const CELL_CHARS_MAX: usize = 16;

/// A cell of a table or list as a message shows it: as it is if it is short enough to be one.
pub(crate) fn quoted_cell(text: &str) -> String {
    match text.chars().nth(CELL_CHARS_MAX) {
        None => format!("found {text:?}"),
        Some(_) => format!("found a text of {} characters", text.chars().count()),
    }
}
