//! Where `show` puts its page, and the recording that the page is made of.

use crate::failure::Failure;
use crate::output::clash::refuse_clashes;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use wheelbase_scenario::output_file::{OutputFile, Unfinished};
use wheelbase_view::page::{Reloading, is_page, is_version};
use wheelbase_view::safe_text;

/// Bytes by which a page is known.
const START_BYTES: u64 = 1024;
/// Most names tried for the temporary folder.
const FOLDERS_MAX: u32 = 1000;

/// The place of a page. The temporary folder goes with it, unless the page is there.
#[derive(Debug)]
pub struct PagePlace {
    folder: PathBuf,
    page: PathBuf,
    version: PathBuf,
}

impl PagePlace {
    /// The place that is asked for, or one in a new temporary folder, for the page of `file`.
    /// # Errors
    /// If another file than a page would be overwritten, or no folder can be made.
    pub fn new(output: Option<&Path>, file: &Path) -> Result<Self, Failure> {
        if let Some(page) = output {
            refuse_clashes([("--output", Some(page))], [file])?;
            if !page.extension().is_some_and(|ending| ending == "html" || ending == "htm") {
                let found = safe_text::path(page);
                return Err(Failure::bad_input(format!("--output: expected a file .html, found {found}")));
            }
            refuse_foreign(page, is_page)?;
            refuse_foreign(&version_of(page), is_version)?;
        }
        let folder = new_folder().map_err(|error| Failure::writing(&std::env::temp_dir(), &error))?;
        let page = output.map_or_else(
            || folder.join(file.file_stem().unwrap_or("page".as_ref())).with_added_extension("html"),
            Path::to_owned,
        );
        Ok(Self { folder, version: version_of(&page), page })
    }

    /// The file for the recording.
    pub fn recording(&self) -> PathBuf {
        self.folder.join("run.wbr")
    }

    /// The page by its absolute path: programs that open it may run elsewhere.
    pub fn page(&self) -> PathBuf {
        std::path::absolute(&self.page).unwrap_or_else(|_| self.page.clone())
    }

    /// Writes the page.
    /// # Errors
    /// If it cannot be written; an older one is then still there.
    pub fn write(&self, page: &str) -> Result<(), Failure> {
        // Nothing is lost where there is none.
        let _ = fs::remove_file(&self.version);
        write(&self.page, page)
    }

    /// Writes a page that reloads itself whenever this is called.
    /// # Errors
    /// As [`Self::write`].
    pub fn write_reloading(&self, page: &str) -> Result<(), Failure> {
        let Reloading { page, version } = Reloading::of(page);
        write(&self.page, &page)?;
        write(&self.version, &version)
    }

    /// The page as an address for a browser.
    pub fn url(&self) -> String {
        file_url(&self.page())
    }
}

impl Drop for PagePlace {
    fn drop(&mut self) {
        // A leftover in a temporary folder is not worth a message.
        let _ = fs::remove_file(self.recording());
        let _ = fs::remove_dir(&self.folder);
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    OutputFile::create(path, Unfinished::Removed)
        .and_then(|file| file.commit_with(text.as_bytes()))
        .map_err(|error| Failure::writing(path, &error))
}

/// The script with the version of a page.
fn version_of(page: &Path) -> PathBuf {
    let mut version = OsString::from(page);
    version.push(".js");
    version.into()
}

/// Refuses to overwrite what we did not write.
fn refuse_foreign(path: &Path, is_own: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
    let start = || {
        let mut start = Vec::new();
        File::open(path)?.take(START_BYTES).read_to_end(&mut start)?;
        io::Result::Ok(start)
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(found) if found.is_file() && start().is_ok_and(|start| start.is_empty() || is_own(&start)) => {
            Ok(())
        }
        _ => Err(Failure::bad_input(format!(
            "--output: expected a new file or a page of Wheelbase, found {}, which is something else",
            safe_text::path(path)
        ))),
    }
}

/// A new folder that only its owner may enter: others may write to the temporary folder too.
fn new_folder() -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    for number in 0..FOLDERS_MAX {
        let folder = std::env::temp_dir().join(format!("wheelbase-show-{}-{number}", std::process::id()));
        match builder.create(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return created.map(|()| folder),
        }
    }
    Err(io::Error::other("no name is free for a folder in it"))
}

/// The address of a file by its absolute path: with `/` alone, and in ASCII.
fn file_url(path: &Path) -> String {
    let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut url = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b':' => {
                url.push(byte.into());
            }
            _ => url += &format!("%{byte:02X}"),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_any_name() {
        assert_eq!(file_url(Path::new("/tmp/a b/#1?ü%.html")), "file:///tmp/a%20b/%231%3F%C3%BC%25.html");
    }
}
