//! Reads the files of a scenario, from the disk, from memory or from a recording.

use super::error::LoadError;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file that is read, in bytes: a map of 2^26 cells, with room to spare.
const FILE_BYTES_MAX: u64 = 1 << 28;

/// Reads a file that a user names, which may be a pipe. Its size is limited, and thus the memory it takes.
/// # Errors
/// [`LoadError::File`] if it cannot be read, is a folder, or exceeds 2^28 bytes.
pub fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let report = |why: String| LoadError::File { file: path.display().to_string(), why };
    let file = File::open(path).map_err(|error| report(format!("cannot be read: {error}")))?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(report("is a folder, expected a file".to_owned()));
    }
    let mut bytes = Vec::new();
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| report(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(report(format!("is larger than {FILE_BYTES_MAX} bytes, the most that is read")));
    }
    Ok(bytes)
}

/// A file that a scenario or problem names, with its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedFile {
    /// Its path as written there.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Where to read the files that a scenario names.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// From the disk, relative to the scenario.
    Disk,
    /// From a recording, as they were when it was made.
    Attached(&'a [AttachedFile]),
    /// From memory: all that the scenario names, its map, tile sets and pictures included, by the names written there.
    Memory(&'a [AttachedFile]),
}

impl Files<'_> {
    /// Reads a file: from `path` on the disk, else by `name`.
    pub(super) fn read(self, path: &Path, name: &str) -> Result<Vec<u8>, LoadError> {
        let (files, of) = match self {
            Self::Disk => return read_named_file(path),
            Self::Attached(files) => (files, "of the recording"),
            Self::Memory(files) => (files, "given"),
        };
        let found = files.iter().find(|file| file.name == name);
        let missing =
            || LoadError::File { file: name.to_owned(), why: format!("is not among the files {of}") };
        found.map(|file| file.bytes.clone()).ok_or_else(missing)
    }
}

/// Reads a file that another file names: unlike [`read_file`] only a regular file, through links. A pipe or a device
/// may never end, and opening it may have effects.
/// # Errors
/// As [`read_file`], and if it is not a regular file.
pub(super) fn read_named_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let report = |why: String| LoadError::File { file: path.display().to_string(), why };
    let unread = |error: io::Error| report(format!("cannot be read: {error}"));
    let check = |found: std::fs::Metadata| match found.len() {
        _ if found.is_dir() => Err(report("is a folder, expected a file".to_owned())),
        _ if !found.is_file() => {
            Err(report("is not a regular file; pipes and devices are not read".to_owned()))
        }
        n_bytes if n_bytes > FILE_BYTES_MAX => {
            Err(report(format!("is larger than {FILE_BYTES_MAX} bytes, the most that is read")))
        }
        n_bytes => Ok(n_bytes),
    };
    // Asked before opening: to open a pipe blocks until its other end is open.
    check(std::fs::metadata(path).map_err(unread)?)?;
    let file = File::open(path).map_err(unread)?;
    let n_bytes = check(file.metadata().map_err(unread)?)?;
    let mut bytes = Vec::new();
    // Some system files claim to be regular and empty, and never end.
    file.take(n_bytes).read_to_end(&mut bytes).map_err(unread)?;
    Ok(bytes)
}
