//! Errors of loading.

use crate::scenario::{Message, ScenarioErrors, locate};
use std::fmt;
use std::path::Path;
use wheelbase_grid::MemoryTooLarge;
use wheelbase_sim::SetupErrors;

/// Why a file could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// A file cannot be read.
    File {
        /// The file.
        file: String,
        /// Why.
        message: Box<Message>,
    },
    /// Mistakes in text files.
    Scenario(ScenarioErrors),
    /// It needs more memory than allowed.
    Memory {
        /// The file.
        file: String,
        /// The need and the limit.
        error: MemoryTooLarge,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, message } => write!(f, "{file}: {}", message.line()),
            Self::Scenario(errors) => errors.fmt(f),
            Self::Memory { file, error } => write!(f, "{file}: {error}; --memory-max SIZE sets how much"),
        }
    }
}

impl std::error::Error for LoadError {}

impl LoadError {
    /// A file that cannot be read.
    pub fn in_file(path: &Path, message: impl Into<Message>) -> Self {
        Self::File { file: path.display().to_string(), message: Box::new(message.into()) }
    }

    /// The same said of a place that names the file.
    pub(crate) fn into_message(self) -> Message {
        match self {
            Self::File { file, mut message } => {
                message.text.insert_str(0, &format!("{file}: "));
                *message
            }
            other => other.into(),
        }
    }

    /// Whether it is about the file at `path` alone.
    pub fn is_in(&self, path: &Path) -> bool {
        let path = path.display().to_string();
        match self {
            Self::File { file, .. } | Self::Memory { file, .. } => *file == path,
            Self::Scenario(errors) => errors.as_slice().iter().all(|error| error.file == path),
        }
    }

    /// The same, with the places of the mistakes in the TOML file at `path`, whose text is `bytes`.
    pub(crate) fn located(self, path: &Path, bytes: &[u8]) -> Self {
        let Self::Scenario(errors) = self else { return self };
        let mut errors = errors.into_vec();
        locate(&mut errors, &path.display().to_string(), bytes);
        ScenarioErrors::new(errors).into()
    }
}

impl From<ScenarioErrors> for LoadError {
    fn from(errors: ScenarioErrors) -> Self {
        Self::Scenario(errors)
    }
}

/// The parts of a world do not fit together: a mistake that earlier checks should have reported.
pub(crate) fn refused(path: &Path, error: SetupErrors) -> LoadError {
    LoadError::in_file(path, error)
}
