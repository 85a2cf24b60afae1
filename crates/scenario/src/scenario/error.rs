//! Mistakes in text files: scenarios, classes, maps, problems, tables of tasks.

use super::message::{MISSING, Message, NOT_SUPPORTED_YET, UNKNOWN_KEY};
use std::error::Error;
use std::fmt;

/// Most mistakes that the text of [`ScenarioErrors`] lists.
const SHOWN_MAX: usize = 20;

/// A range of a text. Lines and columns are from 1, columns in characters; the end is the first character after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the end.
    pub end_line: usize,
    /// Column of the end.
    pub end_column: usize,
}

impl Span {
    /// `length` characters of a line.
    pub fn in_line(line: usize, column: usize, length: usize) -> Self {
        Self { line, column, end_line: line, end_column: column + length }
    }
}

/// One mistake in a file: its place, the value found, and the value expected.
///
/// Its text is `file:line:column: key: message`. The column is missing where only the line is known. The key is missing
/// if the file is not TOML, or if the message names it ("not supported yet: ...").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, as the caller named it.
    pub file: String,
    /// Line in the file, from 1; 0 for the whole file.
    pub line: usize,
    /// The wrong text. `None` where only the line is known: the text was not at hand.
    pub span: Option<Span>,
    /// Path of the key, such as `class.truck.moves[2].time`; empty if there is none.
    pub key: String,
    /// The value found and the value expected.
    pub message: Message,
    /// Another place that the mistake is about, such as the first of two equal names.
    pub related: Option<Related>,
}

/// Another place in the file of a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Path of its key.
    pub key: String,
    /// The value there.
    pub label: String,
    /// Where it is, if that is known.
    pub span: Option<Span>,
}

impl ScenarioError {
    /// A mistake in a line.
    pub fn new(file: String, line: usize, key: String, message: impl Into<Message>) -> Self {
        Self { file, line, span: None, key, message: message.into(), related: None }
    }

    /// The key that a table lacks, if that is the mistake.
    pub fn missing_key(&self) -> Option<&str> {
        let is_missing = self.message.text.starts_with(MISSING);
        is_missing.then(|| self.key.rsplit('.').next()).flatten()
    }

    /// Key and message as a title for people: without the nearest name, and with an unknown key by its name.
    pub fn headline(&self) -> String {
        let (key, text) = (&self.key, &self.message.text);
        if let (true, Some(name)) = (text.starts_with(UNKNOWN_KEY), &self.message.found) {
            let text = text.replacen(UNKNOWN_KEY, &format!("{UNKNOWN_KEY} {name}"), 1);
            // The table that has the key.
            let table = key.strip_suffix(name.trim_matches('`')).map(|table| table.trim_end_matches('.'));
            return match table.filter(|table| !table.is_empty()) {
                Some(table) => format!("{table}: {text}"),
                None => text,
            };
        }
        if key.is_empty() || text.starts_with(NOT_SUPPORTED_YET) {
            text.clone()
        } else {
            format!("{key}: {text}")
        }
    }

    /// A mistake that has no line.
    pub fn of_file(file: String, message: impl Into<Message>) -> Self {
        Self::new(file, 0, String::new(), message)
    }

    /// A mistake at a place that has no key.
    pub fn at(file: String, span: Span, message: impl Into<Message>) -> Self {
        Self { span: Some(span), ..Self::new(file, span.line, String::new(), message) }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, span, key, message, .. } = self;
        write!(f, "{file}:")?;
        if *line > 0 {
            write!(f, "{line}:")?;
        }
        if let Some(span) = span {
            write!(f, "{}:", span.column)?;
        }
        if !key.is_empty() && !message.text.starts_with(NOT_SUPPORTED_YET) {
            write!(f, " {key}:")?;
        }
        write!(f, " {}", message.line())
    }
}

impl Error for ScenarioError {}

/// All mistakes found in a scenario; never empty.
///
/// Its text has a line for each of the first 20, then the number of further ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioErrors(Vec<ScenarioError>);

impl ScenarioErrors {
    /// The mistakes in the given order.
    /// # Panics
    /// If there are none: a caller without mistakes has a result to return.
    pub fn new(errors: Vec<ScenarioError>) -> Self {
        assert!(!errors.is_empty(), "a failure must name at least one mistake");
        Self(errors)
    }

    /// The mistakes, within each file in line order.
    pub fn as_slice(&self) -> &[ScenarioError] {
        &self.0
    }

    /// The mistakes, by value.
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
