//! Files beside that of a scenario: on the disk, or held by a recording.

use super::{LoadError, read_file};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A file that a scenario or problem names, with what was in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedFile {
    /// Its path as the scenario or problem has it.
    pub name: String,
    /// What was in it.
    pub bytes: Vec<u8>,
}

/// Where the files are that a scenario names.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// On the disk, relative to the scenario.
    Disk,
    /// In a recording, as they were when it was made.
    Attached(&'a [AttachedFile]),
}

impl Files<'_> {
    /// Reads a file: from `path` on the disk, by `name` in a recording.
    pub(super) fn read(self, path: &Path, name: &str) -> Result<Vec<u8>, LoadError> {
        let Self::Attached(files) = self else { return read_file(path) };
        let found = files.iter().find(|file| file.name == name);
        let missing = || LoadError::File {
            file: name.to_owned(),
            why: "is not among the files of the recording".to_owned(),
        };
        found.map(|file| file.bytes.clone()).ok_or_else(missing)
    }
}
