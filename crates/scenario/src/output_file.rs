//! Atomic output files. A regular file is written as `FILE.part` and renamed once it is complete, so that a failure
//! leaves the old file unchanged. Pipes and devices are written directly.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use wheelbase_grid::Fnv1a;

/// What the name of an incomplete file ends in.
const PART: &str = ".part";
/// Most bytes of a file name on the usual file systems.
const NAME_BYTES_MAX: usize = 255;
/// Bytes of a hash in a shortened name, with the dash before it.
const HASH_BYTES: usize = 17;

/// Most symbolic links followed from a path.
const LINKS_MAX: usize = 40;

/// What happens to the `FILE.part` of an incomplete file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Removed: it is useless.
    Removed,
    /// Kept: it is readable up to its end.
    Kept,
}

/// A file being written. Only [`commit`](Self::commit) replaces the old file.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// The pending rename; `None` if the output is written directly.
    pending: Option<PartFile>,
    unfinished: Unfinished,
}

/// A file under its temporary and its final name.
#[derive(Debug)]
struct PartFile {
    part: PathBuf,
    target: PathBuf,
}

impl OutputFile {
    /// Opens an output. Replaces the `FILE.part` of an earlier run.
    /// # Errors
    /// Errors of the system. The old file must be writable, although it is not written.
    pub fn create(path: &Path, unfinished: Unfinished) -> io::Result<Self> {
        Self::create_at(path, part_of, unfinished)
    }

    /// As [`OutputFile::create`], with another name than `FILE.part` until it is complete.
    /// # Errors
    /// As there.
    pub fn create_by_way_of(part: PathBuf, path: &Path, unfinished: Unfinished) -> io::Result<Self> {
        Self::create_at(path, |_| part, unfinished)
    }

    fn create_at(
        path: &Path,
        part_of: impl FnOnce(&Path) -> PathBuf,
        unfinished: Unfinished,
    ) -> io::Result<Self> {
        let direct = |file| Self { file, pending: None, unfinished };
        match Destination::of(path)? {
            Destination::Stream(stream) => stream.open(path).map(direct),
            Destination::Direct => OpenOptions::new().append(true).open(path).map(direct),
            Destination::File { target, old } => {
                if old.is_some() {
                    OpenOptions::new().write(true).open(&target)?;
                }
                let part = part_of(&target);
                let file = create_part(&part).map_err(|error| match error.kind() {
                    // The folder is missing: the name of the part file would only confuse.
                    ErrorKind::NotFound => error,
                    kind => io::Error::new(kind, format!("{}: {error}", part.display())),
                })?;
                let out = Self { file, pending: Some(PartFile { part, target }), unfinished };
                if let Some(old) = old {
                    keep_permissions(&out.file, &old);
                }
                Ok(out)
            }
        }
    }

    /// Writes all of the file and completes it.
    /// # Errors
    /// As [`OutputFile::commit`].
    pub fn commit_with(mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)?;
        self.commit()
    }

    /// Completes the file: syncs it to disk and replaces the old file.
    /// # Errors
    /// Errors of the system; the old file is then unchanged.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(PartFile { part, target }) = &self.pending else { return Ok(()) };
        match self.file.sync_all() {
            // Some file systems cannot sync.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {}
            synced => synced?,
        }
        fs::rename(part, target)?;
        sync_folder_of(target);
        self.pending = None;
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
        if let (Some(PartFile { part, .. }), Unfinished::Removed) = (&self.pending, self.unfinished) {
            // The cause is reported; a part file left over is not worth a message.
            let _ = fs::remove_file(part);
        }
    }
}

/// Where an output goes.
#[derive(Debug)]
pub enum Destination {
    /// A standard stream of the program.
    Stream(Stream),
    /// A pipe or a device.
    Direct,
    /// A regular file. Symbolic links are followed: their target is replaced.
    File {
        /// The file.
        target: PathBuf,
        /// Metadata of the existing file.
        old: Option<Metadata>,
    },
}

/// A standard stream given by a name such as `/dev/stdout`. It is duplicated, not reopened: a second open would have
/// its own position in a redirected file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

impl Destination {
    /// Resolves a path.
    /// # Errors
    /// Errors of the system, except for a missing file.
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
                _ if at.starts_with("/dev/fd") || at.starts_with("/proc") => return Ok(Self::Direct),
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
                    false => Self::Direct,
                });
            }
            let link = fs::read_link(&at)?;
            at = at.parent().unwrap_or(Path::new("")).join(link);
        }
        // Too many links: let the system report it.
        fs::metadata(path)?;
        Ok(Self::Direct)
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

/// The temporary name of a file until it is complete: `FILE.part`. A name too long for that is shortened.
pub fn part_of(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default();
    if name.len() + PART.len() > NAME_BYTES_MAX {
        let mut hash = Fnv1a::new();
        hash.write(name.as_encoded_bytes());
        let (mut end, text) = (NAME_BYTES_MAX - HASH_BYTES - PART.len(), name.to_string_lossy());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        return target.with_file_name(format!("{}-{:016x}{PART}", &text[..end], hash.finish()));
    }
    let mut part = OsString::from(target);
    part.push(PART);
    part.into()
}

/// Opens and locks a `FILE.part` to which a program appends, for itself to go on with later. With `keep` what an
/// earlier run left in it stays, else it is replaced.
/// # Errors
/// Errors of the system, and if another program writes it.
pub fn open_part(part: &Path, keep: bool) -> io::Result<File> {
    if keep && fs::symlink_metadata(part).is_ok_and(|found| found.is_file()) {
        let file = OpenOptions::new().read(true).write(true).open(part)?;
        return match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(io::Error::other("is being written by another program")),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        };
    }
    create_part(part)
}

/// Closes and removes a `FILE.part` from [`open_part`] after the file itself is complete.
/// # Errors
/// Errors of the system.
pub fn remove_part(part: &Path, file: File) -> io::Result<()> {
    drop(file);
    fs::remove_file(part)?;
    sync_folder_of(part);
    Ok(())
}

/// Creates and locks a `FILE.part`. Replaces a stale one.
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

/// Removes the part file of an earlier run. A symbolic link is removed, not followed.
fn remove_stale(part: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(part)?;
    if !found.is_file() && !found.is_symlink() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "exists and is not a regular file"));
    }
    if found.is_file()
        && let Ok(file) = File::open(part)
        && matches!(file.try_lock(), Err(TryLockError::WouldBlock))
    {
        return Err(io::Error::other("is being written by another program"));
    }
    fs::remove_file(part)
}

/// Gives a file the owner and permissions of the file it replaces, as far as permitted.
fn keep_permissions(file: &File, old: &Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    let _ = file.set_permissions(old.permissions());
}

/// Syncs a rename to disk, where the system supports it.
fn sync_folder_of(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let opened = File::open(folder.unwrap_or(Path::new(".")));
    let _ = opened.and_then(|folder| folder.sync_all());
}
