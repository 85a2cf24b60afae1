//! Why a world cannot be saved or loaded.

use super::format::SNAPSHOT;
use crate::broken::Broken;
use crate::codec::{Damage, FileKind};
use std::fmt;
use wheelbase_grid::MemoryTooLarge;

/// Why a world cannot be saved.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// The traffic rule from outside gives no name under which it can be saved.
    UnnamedRule,
    /// A step of the world has panicked.
    Broken(Broken),
    /// A part of the world exceeds the size of a block.
    TooLarge(std::io::Error),
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnnamedRule => f.write_str(
                "the traffic rule has no name to be saved under; expected one from `Traffic::saved_name`",
            ),
            Self::Broken(broken) => broken.fmt(f),
            Self::TooLarge(error) => write!(f, "the world is too large: {error}"),
        }
    }
}

impl std::error::Error for SaveError {}

/// Why a snapshot cannot be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are no snapshot, or a damaged one.
    Damage {
        /// The block, counted from 0; `None` for the prefix.
        block: Option<u32>,
        /// The mistake.
        damage: Damage,
    },
    /// A part of the snapshot has no meaning.
    Meaning {
        /// The part.
        part: &'static str,
        /// The mistake.
        why: String,
    },
    /// The host knows no rule of this name, or the rule does not support the world.
    UnknownRule(String),
    /// The world needs more memory than it may take.
    Memory(MemoryTooLarge),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damage { block, damage } => {
                if let Some(block) = block {
                    write!(f, "block {block} ")?;
                }
                f.write_str(&damage_text(&SNAPSHOT, damage))
            }
            Self::Meaning { part, why } => write!(f, "{part}: {why}"),
            Self::UnknownRule(name) => {
                write!(f, "traffic rule \"{name}\": none that the host can make for this world")
            }
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl LoadError {
    /// Damage of the part of a file in front of its snapshot.
    pub(crate) fn before_snapshot(kind: &'static FileKind, damage: &Damage) -> Self {
        Self::Meaning { part: kind.name, why: damage_text(kind, damage) }
    }
}

fn damage_text(kind: &FileKind, damage: &Damage) -> String {
    match damage {
        Damage::Cut => "is cut off".to_owned(),
        Damage::Magic => format!("is not a {}", kind.name),
        Damage::Prefix | Damage::Checksum => "is damaged: its checksum does not match".to_owned(),
        Damage::Version(found) => kind.of_version(*found),
        Damage::Layout(found) => kind.of_layout(*found),
        Damage::Meaning(why) => format!("is damaged: {why}"),
        Damage::Reading(error) => format!("cannot be read: {error}"),
    }
}

impl std::error::Error for LoadError {}

impl From<MemoryTooLarge> for LoadError {
    fn from(error: MemoryTooLarge) -> Self {
        Self::Memory(error)
    }
}
