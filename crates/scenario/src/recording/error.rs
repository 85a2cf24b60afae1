//! Errors of recordings.

use crate::load::LoadError;
use crate::recording::format::KIND;
use std::fmt;
use std::io;
use wheelbase_sim::SetupErrors;
use wheelbase_sim::codec::Damage;

/// Why a recording cannot be read, or no further.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// Its file cannot be read.
    Reading(io::Error),
    /// It is not a regular file.
    NotAFile {
        /// Its kind.
        found: &'static str,
    },
    /// It is not a recording.
    NotARecording,
    /// A release with another format wrote it.
    Version {
        /// Version of the file.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// A release with another layout of the same version wrote it.
    Layout {
        /// Checksum of the file's layout.
        found: u32,
    },
    /// Its start is cut off.
    NoStart,
    /// Its bytes are not as written.
    Damaged {
        /// The part: the start, a chunk with its ticks and offset, or the end.
        part: String,
        /// What does not match.
        why: String,
    },
    /// It exceeds a limit.
    TooLarge {
        /// What does, and the limit.
        what: String,
    },
    /// The scenario in it cannot be built.
    Scenario(LoadError),
    /// The setup in it cannot be built.
    Setup(SetupErrors),
}

impl RecordingError {
    /// Damage of a part of the file; `part` names it.
    pub(super) fn of(damage: Damage, part: impl FnOnce() -> String) -> Self {
        let damaged = |why: String, part: String| Self::Damaged { part, why };
        match damage {
            Damage::Reading(error) => Self::Reading(error),
            Damage::Magic => Self::NotARecording,
            Damage::Version(found) => Self::Version { found, expected: KIND.version },
            Damage::Layout(found) => Self::Layout { found },
            Damage::Prefix => damaged("its checksum does not match".to_owned(), "the first bytes".to_owned()),
            Damage::Checksum => damaged("its checksum does not match".to_owned(), part()),
            Damage::Meaning(why) => damaged(why, part()),
            Damage::Cut => damaged("it is cut off".to_owned(), part()),
        }
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KIND.name;
        match self {
            Self::Reading(error) => write!(f, "cannot be read: {error}"),
            Self::NotAFile { found: "a folder" } => write!(f, "is a folder, expected a {name}"),
            Self::NotAFile { found } => write!(
                f,
                "is {found}, but a {name} is not read in one pass: write it to a file first and pass that file"
            ),
            Self::NotARecording => write!(f, "is not a {name}"),
            Self::Version { found, .. } => f.write_str(&KIND.of_version(*found)),
            Self::Layout { found } => f.write_str(&KIND.of_layout(*found)),
            Self::NoStart => write!(f, "is a {name} that is cut off before its first chunk"),
            Self::Damaged { part, why } => write!(f, "is damaged: {part}: {why}"),
            Self::TooLarge { what } => write!(f, "is too large: {what}"),
            Self::Scenario(error) => write!(f, "holds a scenario that cannot be built: {error}"),
            Self::Setup(errors) => write!(f, "holds a setup that cannot be built: {errors}"),
        }
    }
}

impl std::error::Error for RecordingError {}
