//! Errors of loading.

use crate::scenario::ScenarioErrors;
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
        why: String,
    },
    /// Mistakes in a scenario or class file.
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
            Self::File { file, why } => write!(f, "{file}: {why}"),
            Self::Scenario(errors) => errors.fmt(f),
            Self::Memory { file, error } => write!(f, "{file}: {error}; --memory-max SIZE sets how much"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<ScenarioErrors> for LoadError {
    fn from(errors: ScenarioErrors) -> Self {
        Self::Scenario(errors)
    }
}

/// The parts of a world do not fit together: a mistake that earlier checks should have reported.
pub(crate) fn refused(path: &Path, error: SetupErrors) -> LoadError {
    LoadError::File { file: path.display().to_string(), why: error.to_string() }
}
