//! Reads the files of a scenario, from the disk, from memory or from a recording.

use super::error::LoadError;
use crate::scenario::{Message, nearest_name};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wheelbase_grid::Fnv1a;

/// Largest file that is read, in bytes: a map of 2^26 cells, with room to spare.
const FILE_BYTES_MAX: u64 = 1 << 28;

/// Most files of a folder that are compared with a missing one.
const FILES_COMPARED_MAX: usize = 4096;

/// Reads a file that a user names, which may be a pipe. Its size is limited, and thus the memory it takes.
/// # Errors
/// [`LoadError::File`] if it cannot be read, is a folder, or exceeds 2^28 bytes.
pub fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let file = File::open(path).map_err(|error| unread(path, &error, true))?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(LoadError::in_file(path, "is a folder, expected a file".to_owned()));
    }
    read_limited(path, file)
}

/// As [`read_file`], of standard input. Messages call it `-`. It can be read once.
/// # Errors
/// [`LoadError::File`] if it cannot be read, or exceeds 2^28 bytes.
pub fn read_standard_input() -> Result<Vec<u8>, LoadError> {
    read_limited(Path::new("-"), io::stdin().lock())
}

fn read_limited(path: &Path, input: impl Read) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let read = input.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| unread(path, &error, false))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let why = format!("is larger than {FILE_BYTES_MAX} bytes, the most that is read");
        return Err(LoadError::in_file(path, why));
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
    /// From the disk, relative to the scenario, each once for all worlds.
    Kept(&'a KeptFiles<'a>),
}

/// Files of the disk as they were when they were first read, for many worlds of the same files.
#[derive(Debug, Default)]
pub struct FileStore {
    files: Mutex<BTreeMap<PathBuf, KeptFile>>,
    /// Nothing is read from the disk.
    is_closed: bool,
}

/// What reading a file gave: its content with its hash, or why it cannot be read.
type KeptFile = Result<(Arc<[u8]>, u64), Box<Message>>;

impl FileStore {
    /// A store of the files that another one has read, perhaps on another machine: [`FileStore::contents`]. The disk is
    /// not read.
    pub fn of_contents(contents: impl IntoIterator<Item = (PathBuf, Result<Vec<u8>, Message>)>) -> Self {
        let kept = |content: Result<Vec<u8>, Message>| match content {
            Ok(bytes) => {
                let hash = hash_of(&bytes);
                Ok((bytes.into(), hash))
            }
            Err(message) => Err(Box::new(message)),
        };
        let files = contents.into_iter().map(|(path, content)| (path, kept(content))).collect();
        Self { files: Mutex::new(files), is_closed: true }
    }

    /// Every file read so far: its path and its content, or why it cannot be read.
    #[allow(
        clippy::type_complexity,
        clippy::result_large_err,
        reason = "what `of_contents` takes; made once a sweep"
    )]
    pub fn contents(&self) -> Vec<(PathBuf, Result<Arc<[u8]>, Message>)> {
        let of = |kept: &KeptFile| match kept {
            Ok((bytes, _)) => Ok(Arc::clone(bytes)),
            Err(message) => Err((**message).clone()),
        };
        self.locked().iter().map(|(path, kept)| (path.clone(), of(kept))).collect()
    }

    /// Every file read so far: its path, its size in bytes and the FNV-1a of its content; `None` if it cannot be read.
    pub fn inputs(&self) -> Vec<(PathBuf, Option<(usize, u64)>)> {
        let of = |kept: &KeptFile| kept.as_ref().ok().map(|(bytes, hash)| (bytes.len(), *hash));
        self.locked().iter().map(|(path, kept)| (path.clone(), of(kept))).collect()
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<PathBuf, KeptFile>> {
        // A panic while the lock is held leaves a map that is whole.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader of a [`FileStore`] that notes each file it reads.
#[derive(Debug)]
pub struct KeptFiles<'s> {
    store: &'s FileStore,
    read: Mutex<BTreeSet<PathBuf>>,
}

impl<'s> KeptFiles<'s> {
    /// A reader that has read nothing.
    pub fn new(store: &'s FileStore) -> Self {
        Self { store, read: Mutex::default() }
    }

    /// The content of a file, the first read of which is kept.
    /// # Errors
    /// As for files that scenarios name.
    pub fn read(&self, path: &Path, name: &str) -> Result<Vec<u8>, LoadError> {
        self.read_by(path, || read_named_file(path, is_inside(name)))
    }

    /// As [`KeptFiles::read`], for a file that a user names.
    /// # Errors
    /// As [`read_file`].
    pub fn read_given(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        self.read_by(path, || read_file(path))
    }

    fn read_by(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<Vec<u8>, LoadError>,
    ) -> Result<Vec<u8>, LoadError> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        let mut files = self.store.locked();
        let read = || match self.store.is_closed {
            true => Err(LoadError::in_file(path, "is not among the files given")),
            false => read(),
        };
        let kept = files.entry(path.to_owned()).or_insert_with(|| match read() {
            Ok(bytes) => {
                let hash = hash_of(&bytes);
                Ok((bytes.into(), hash))
            }
            Err(LoadError::File { message, .. }) => Err(message),
            Err(other) => Err(Box::new(other.into())),
        });
        match kept {
            Ok((bytes, _)) => {
                let bytes = Arc::clone(bytes);
                // Copied while others read.
                drop(files);
                Ok(bytes.to_vec())
            }
            Err(message) => {
                Err(LoadError::File { file: path.display().to_string(), message: message.clone() })
            }
        }
    }

    /// The files read through this reader, each with the hash of its content; `None` if it cannot be read.
    pub fn hashes(&self) -> Vec<(PathBuf, Option<u64>)> {
        let files = self.store.locked();
        let hash = |path: &PathBuf| files.get(path)?.as_ref().ok().map(|(_, hash)| *hash);
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().map(|path| (path.clone(), hash(path))).collect()
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = Fnv1a::new();
    hash.write(bytes);
    hash.finish()
}

impl Files<'_> {
    /// Reads a file: from `path` on the disk, else by `name`.
    pub(super) fn read(self, path: &Path, name: &str) -> Result<Vec<u8>, LoadError> {
        let (files, of) = match self {
            Self::Disk => return read_named_file(path, is_inside(name)),
            Self::Attached(files) => (files, "of the recording"),
            Self::Memory(files) => (files, "given"),
            Self::Kept(files) => return files.read(path, name),
        };
        let found = files.iter().find(|file| file.name == name);
        let missing = || {
            let known = files.iter().map(|file| file.name.as_str());
            let nearest = nearest_name(name, known).map(|near| format!("`{near}`"));
            let message = Message::from(format!("is not among the files {of}")).with_nearest(nearest);
            LoadError::File { file: name.to_owned(), message: Box::new(message) }
        };
        found.map(|file| file.bytes.clone()).ok_or_else(missing)
    }
}

/// Reads a file that another file names: unlike [`read_file`] only a regular file, through links. A pipe or a device
/// may never end, and opening it may have effects. The message on a missing one suggests another only if `may_suggest`.
/// # Errors
/// As [`read_file`], and if it is not a regular file.
fn read_named_file(path: &Path, may_suggest: bool) -> Result<Vec<u8>, LoadError> {
    let report = |why: String| LoadError::in_file(path, why);
    let unread = |error: io::Error| unread(path, &error, may_suggest);
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

/// Why a file cannot be read, and the file of its folder that was most likely meant.
fn unread(path: &Path, error: &io::Error, may_suggest: bool) -> LoadError {
    let is_missing = error.kind() == io::ErrorKind::NotFound && may_suggest;
    let nearest = if is_missing { nearest_file(path) } else { None };
    let nearest = nearest.map(|near| format!("`{}`", near.display()));
    LoadError::in_file(path, Message::from(format!("cannot be read: {error}")).with_nearest(nearest))
}

/// The file with the nearest name in the same folder, of the same extension.
pub(super) fn nearest_file(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let ending = path.extension();
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(FILES_COMPARED_MAX);
    let files =
        entries.map(|entry| PathBuf::from(entry.file_name())).filter(|file| file.extension() == ending);
    let mut stems: Vec<String> =
        files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    stems.sort_unstable();
    let near = nearest_name(path.file_stem()?.to_str()?, stems.iter().map(String::as_str))?;
    let mut name = std::ffi::OsString::from(near);
    if let Some(ending) = ending {
        name.push(".");
        name.push(ending);
    }
    Some(path.with_file_name(name))
}

/// Whether a path that a file names stays below the folder of that file: of no other folder are names shown.
fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
