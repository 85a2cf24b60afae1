//! Why a sweep cannot be carried out.

use crate::load::LoadError;
use crate::scenario::Message;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// Why a sweep cannot begin, go on or end.
#[derive(Debug)]
#[non_exhaustive]
pub enum SweepError {
    /// The request makes no sense.
    Argument(String),
    /// A scenario cannot be read.
    Load(LoadError),
    /// A table or manifest cannot be read or written, or is none of this sweep.
    File {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// A row that was computed twice has two values.
    Differs(String),
}

impl SweepError {
    pub(super) fn argument(text: impl fmt::Display) -> Self {
        Self::Argument(text.to_string())
    }

    pub(super) fn message(message: &Message) -> Self {
        Self::Argument(message.line())
    }

    pub(super) fn in_file(path: &Path, why: impl fmt::Display) -> Self {
        Self::File { file: path.display().to_string(), why: why.to_string() }
    }

    pub(super) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::in_file(path, format_args!("cannot be written: {error}"))
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(text) | Self::Differs(text) => f.write_str(text),
            Self::Load(error) => error.fmt(f),
            Self::File { file, why } => write!(f, "{file}: {why}"),
        }
    }
}

impl Error for SweepError {}

impl From<LoadError> for SweepError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}
