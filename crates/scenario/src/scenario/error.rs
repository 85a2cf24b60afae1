//! Errors of scenario files.

use std::error::Error;
use std::fmt;

/// Most mistakes that the text of [`ScenarioErrors`] lists.
const SHOWN_MAX: usize = 20;

/// Begins the message on a key that this release does not read yet.
pub(super) const NOT_SUPPORTED_YET: &str = "not supported yet: ";

/// One mistake in a scenario file: its place, what was found, what is expected.
///
/// Its text is `file:line: key: message`, without the key if there is none (the file is not TOML) or if the message
/// names it ("not supported yet: ...").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, as the caller named it.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Path of the key, such as `class.truck.moves[2].time`; empty if there is none.
    pub key: String,
    /// What was found and what is expected.
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

    /// The mistakes; those of one file are in line order.
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
