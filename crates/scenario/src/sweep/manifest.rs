//! Manifests of tables: what they were made of, where and how.

use super::error::SweepError;
use super::items::Sweep;
use super::prepared::PreparedSweep;
use super::values::Shard;
use crate::load::read_file;
use crate::output_file::{OutputFile, Unfinished};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Version of the format.
const MANIFEST: u32 = 1;

/// What a table was made of: the file `TABLE.manifest.json` beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format: 1.
    pub manifest: u32,
    /// Release of the program, which is part of every key.
    pub version: String,
    /// The machine.
    pub host: Host,
    /// The command line.
    pub command: Vec<String>,
    /// The runs and the measures.
    pub sweep: Sweep,
    /// The part of the items that the table has.
    pub shard: Shard,
    /// Number of items of all shards.
    pub items: usize,
    /// Every file that was read, by path.
    pub inputs: Vec<Input>,
}

/// The machine on which a table was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name; empty where the system does not say.
    pub name: String,
    /// Its operating system.
    pub system: String,
    /// Its processor architecture.
    pub processor: String,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its path.
    pub file: String,
    /// Its size; `None`, as the hash, if it cannot be read.
    pub bytes: Option<usize>,
    /// The 64-bit FNV-1a of its content, in hexadecimal digits.
    pub fnv1a: Option<String>,
}

impl Manifest {
    /// The manifest of a table made here.
    pub fn of(prepared: &PreparedSweep, shard: Shard, command: Vec<String>) -> Self {
        let input = |(path, found): (PathBuf, Option<(usize, u64)>)| Input {
            file: path.display().to_string(),
            bytes: found.map(|(bytes, _)| bytes),
            fnv1a: found.map(|(_, hash)| format!("{hash:016x}")),
        };
        Self {
            manifest: MANIFEST,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: Host::here(),
            command,
            sweep: prepared.items().sweep().clone(),
            shard,
            items: prepared.items().n_items(),
            inputs: prepared.inputs().into_iter().map(input).collect(),
        }
    }

    /// The file beside a table.
    pub fn path_of(table: &Path) -> PathBuf {
        let mut path = OsString::from(table);
        path.push(".manifest.json");
        path.into()
    }

    /// Reads the manifest beside a table.
    /// # Errors
    /// [`SweepError::File`].
    pub fn read_beside(table: &Path) -> Result<Self, SweepError> {
        let path = Self::path_of(table);
        let lacking = |why: &dyn std::fmt::Display| {
            SweepError::in_file(
                &path,
                format_args!("{why}; a table to merge needs the manifest that was written beside it"),
            )
        };
        if !path.exists() {
            return Err(lacking(&"is missing"));
        }
        let bytes = read_file(&path)?;
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|error| lacking(&error))?;
        match manifest.manifest {
            MANIFEST => Ok(manifest),
            other => Err(lacking(&format_args!("expected \"manifest\": {MANIFEST}, found {other}"))),
        }
    }

    /// Writes the manifest beside a table.
    /// # Errors
    /// [`SweepError::File`].
    pub fn write_beside(&self, table: &Path) -> Result<(), SweepError> {
        let path = Self::path_of(table);
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| SweepError::in_file(&path, format_args!("cannot be written: {error}")))?;
        text.push('\n');
        let written =
            OutputFile::create(&path, Unfinished::Removed).and_then(|file| file.commit_with(text.as_bytes()));
        written.map_err(SweepError::writing(&path))
    }
}

impl Host {
    fn here() -> Self {
        let from_system = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let name = from_system().or_else(|| std::env::var("HOSTNAME").ok());
        let name = name.or_else(|| std::env::var("COMPUTERNAME").ok()).unwrap_or_default();
        Self {
            name: name.trim().to_owned(),
            system: std::env::consts::OS.to_owned(),
            processor: std::env::consts::ARCH.to_owned(),
        }
    }
}
