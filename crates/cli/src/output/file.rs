//! An output file. A regular file is written beside its place, as `FILE.part`, and takes its place once it is
//! whole, so that whatever happens before leaves the old file as it was. Pipes and devices are written straight.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Most links that a path is followed through.
const LINKS_MAX: usize = 40;

/// What becomes of `FILE.part` if the file does not become whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It is of no use and is removed.
    Removed,
    /// It can be read as far as it goes, and stays.
    Kept,
}

/// A file being written. It must be [whole](Self::commit) to take its place.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// Where it is written and where it goes; none if it is written straight.
    beside: Option<Beside>,
    unfinished: Unfinished,
}

#[derive(Debug)]
struct Beside {
    part: PathBuf,
    target: PathBuf,
}

impl OutputFile {
    /// Opens an output. A `FILE.part` that an earlier run has left is replaced.
    /// # Errors
    /// Those of the system. The old file must be one that may be written, as if it were written straight.
    pub fn create(path: &Path, unfinished: Unfinished) -> io::Result<Self> {
        let straight = |file| Self { file, beside: None, unfinished };
        match Place::of(path)? {
            Place::Stream(stream) => stream.open(path).map(straight),
            Place::Straight => OpenOptions::new().append(true).open(path).map(straight),
            Place::File { target, old } => {
                if old.is_some() {
                    OpenOptions::new().write(true).open(&target)?;
                }
                let part = part_of(&target);
                let file = create_part(&part).map_err(|error| match error.kind() {
                    // The folder is missing, whatever the file in it is called.
                    ErrorKind::NotFound => error,
                    kind => io::Error::new(kind, format!("{}: {error}", part.display())),
                })?;
                let out = Self { file, beside: Some(Beside { part, target }), unfinished };
                if let Some(old) = old {
                    keep_permissions(&out.file, &old);
                }
                Ok(out)
            }
        }
    }

    /// The file is whole: waits until it is on the disk and puts it in its place.
    /// # Errors
    /// Those of the system; the old file is as it was then.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(Beside { part, target }) = &self.beside else { return Ok(()) };
        match self.file.sync_all() {
            // Some file systems cannot.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {}
            synced => synced?,
        }
        fs::rename(part, target)?;
        sync_folder_of(target);
        self.beside = None;
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let (Some(Beside { part, .. }), Unfinished::Removed) = (&self.beside, self.unfinished) {
            // Why the file is not whole is told; that a rest of it stays is not worth a word.
            let _ = fs::remove_file(part);
        }
    }
}

/// Where an output goes.
#[derive(Debug)]
pub enum Place {
    /// A standard stream of the program.
    Stream(Stream),
    /// Into a pipe or a device.
    Straight,
    /// Into a regular file: links are followed, and what they lead to is replaced.
    File {
        /// The file.
        target: PathBuf,
        /// What is known of the one that is there.
        old: Option<Metadata>,
    },
}

/// A standard stream by name. Opened again it would have a place of its own in the file behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Error,
}

impl Place {
    /// Follows the links of a path.
    /// # Errors
    /// Those of the system, but for a file that is not there.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut at = path.to_owned();
        for _ in 0..LINKS_MAX {
            match at.to_str() {
                Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => {
                    return Ok(Self::Stream(Stream::Out));
                }
                Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => {
                    return Ok(Self::Stream(Stream::Error));
                }
                _ if at.starts_with("/dev/fd") || at.starts_with("/proc") => return Ok(Self::Straight),
                _ => {}
            }
            let found = match fs::symlink_metadata(&at) {
                Ok(found) => found,
                Err(error) if error.kind() == ErrorKind::NotFound && at.file_name().is_some() => {
                    return Ok(Self::File { target: at, old: None });
                }
                Err(error) => return Err(error),
            };
            if !found.is_symlink() {
                return Ok(match found.is_file() {
                    true => Self::File { target: at, old: Some(found) },
                    false => Self::Straight,
                });
            }
            let link = fs::read_link(&at)?;
            at = at.parent().unwrap_or(Path::new("")).join(link);
        }
        // As the system says it.
        fs::metadata(path)?;
        Ok(Self::Straight)
    }
}

impl Stream {
    #[cfg(unix)]
    fn open(self, _: &Path) -> io::Result<File> {
        use std::os::fd::AsFd;
        let owned = match self {
            Self::Out => io::stdout().as_fd().try_clone_to_owned(),
            Self::Error => io::stderr().as_fd().try_clone_to_owned(),
        };
        owned.map(File::from)
    }

    #[cfg(not(unix))]
    fn open(self, path: &Path) -> io::Result<File> {
        OpenOptions::new().append(true).open(path)
    }
}

/// Where a file is written until it is whole.
pub fn part_of(target: &Path) -> PathBuf {
    let mut part = OsString::from(target);
    part.push(".part");
    part.into()
}

/// Makes a `FILE.part` and locks it; one that nobody writes to any more is replaced.
fn create_part(part: &Path) -> io::Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).open(part);
    let file = match create() {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            remove_stale(part)?;
            create()?
        }
        created => created?,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other("is being written by another program")),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Removes what an earlier run has left. A link is removed and not followed.
fn remove_stale(part: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(part)?;
    if !found.is_file() && !found.is_symlink() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "is there and is no regular file"));
    }
    if found.is_file()
        && let Ok(file) = File::open(part)
        && matches!(file.try_lock(), Err(TryLockError::WouldBlock))
    {
        return Err(io::Error::other("is being written by another program"));
    }
    fs::remove_file(part)
}

/// Gives a file the owner and the permissions of the one in whose place it goes, as far as we may.
fn keep_permissions(file: &File, old: &Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    let _ = file.set_permissions(old.permissions());
}

/// Waits until a change of names is on the disk, where the system has that.
fn sync_folder_of(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let opened = File::open(folder.unwrap_or(Path::new(".")));
    let _ = opened.and_then(|folder| folder.sync_all());
}
