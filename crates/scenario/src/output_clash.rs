//! Refuses outputs that would overwrite inputs or each other, before any is opened.

use crate::output_file::{Destination, part_of};
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A flag and its file, if given.
pub type Output<'a> = (&'a str, Option<&'a Path>);

/// Two files that would be one, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputClash(String);

impl fmt::Display for OutputClash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for OutputClash {}

/// Whether two paths denote one file: by symbolic or hard links, or by different spellings.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    Identity::of(one).is(&Identity::of(other))
}

/// Refuses outputs that are also inputs, or the same file twice. Symbolic and hard links and different spellings of a
/// path are recognised. The `FILE.part` of an output counts as well.
/// # Errors
/// The first clash.
pub fn refuse_clashes<'a>(
    outputs: impl IntoIterator<Item = Output<'a>>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OutputClash> {
    let named = outputs.into_iter().filter_map(|(flag, path)| path.map(|path| (flag, path)));
    let outputs: Vec<OutputPaths<'_>> = named.map(|(flag, path)| OutputPaths::of(flag, path)).collect();
    if outputs.is_empty() {
        return Ok(());
    }
    for input in inputs {
        let read = Identity::of(input);
        for OutputPaths { flag, path, file, part, .. } in &outputs {
            let (shown, input) = (path.display(), input.display());
            let why = if file.is(&read) {
                "is read"
            } else if part.as_ref().is_some_and(|part| part.is(&read)) {
                "is read, and would be overwritten while the output is incomplete"
            } else {
                continue;
            };
            return Err(OutputClash(format!("{flag}: expected another file than {shown}: {input} {why}")));
        }
    }
    let printed = printed_to();
    for (number, one) in outputs.iter().enumerate() {
        if let Some(printed) = &printed
            && !one.is_stream
            && (one.file.is(printed) || one.part.as_ref().is_some_and(|part| part.is(printed)))
        {
            let (flag, shown) = (one.flag, one.path.display());
            return Err(OutputClash(format!(
                "{flag}: expected another file than {shown}: standard output goes there"
            )));
        }
        for other in &outputs[..number] {
            if one.clashes_with(other) {
                let (a, b) = (other.path.display(), one.path.display());
                return Err(OutputClash(format!(
                    "{} and {}: expected a file for each: {a} and {b} clash",
                    other.flag, one.flag
                )));
            }
        }
    }
    Ok(())
}

/// The files that an output occupies.
struct OutputPaths<'a> {
    flag: &'a str,
    path: &'a Path,
    file: Identity,
    /// Its `FILE.part`, unless it is written directly.
    part: Option<Identity>,
    is_stream: bool,
}

impl<'a> OutputPaths<'a> {
    fn of(flag: &'a str, path: &'a Path) -> Self {
        let destination = Destination::of(path);
        let part = match &destination {
            Ok(Destination::File { target, .. }) => Some(Identity::of(&part_of(target))),
            _ => None,
        };
        let is_stream = matches!(destination, Ok(Destination::Stream(_)));
        Self { flag, path, file: Identity::of(path), part, is_stream }
    }

    fn clashes_with(&self, other: &Self) -> bool {
        let files = |output: &Self| [Some(output.file.clone()), output.part.clone()];
        let others = files(other);
        files(self).iter().flatten().any(|file| others.iter().flatten().any(|other| file.is(other)))
    }
}

/// The file that a path denotes.
#[derive(Clone, Debug)]
struct Identity {
    /// Canonical as far as it exists.
    path: PathBuf,
    /// Device and inode of the existing file.
    id: Option<(u64, u64)>,
    /// A character device like `/dev/null`, which has no contents to lose.
    is_device: bool,
}

impl Identity {
    fn of(path: &Path) -> Self {
        let found = fs::metadata(path).ok();
        let target = match Destination::of(path) {
            Ok(Destination::File { target, .. }) => target,
            _ => path.to_owned(),
        };
        let resolved = fs::canonicalize(&target).or_else(|_| {
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
            Ok::<_, std::io::Error>(folder.join(target.file_name().unwrap_or_default()))
        });
        Self {
            path: resolved.unwrap_or(target),
            id: found.as_ref().and_then(id_of),
            is_device: found.as_ref().is_some_and(is_device),
        }
    }

    fn is(&self, other: &Self) -> bool {
        !self.is_device && (self.path == other.path || self.id.is_some() && self.id == other.id)
    }
}

/// The regular file that standard output is redirected to, if any.
fn printed_to() -> Option<Identity> {
    let printed = Path::new("/dev/stdout");
    fs::metadata(printed).is_ok_and(|found| found.is_file()).then(|| Identity::of(printed))
}

#[cfg(unix)]
fn id_of(found: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn id_of(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(unix)]
fn is_device(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}
