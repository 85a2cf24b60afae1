//! `-` in place of a file: standard input. The files that it names lie relative to the working folder.

use std::path::Path;
use std::sync::OnceLock;
use wheelbase_scenario::load::{
    Files, LoadError, Loaded, Overrides, load_world_and_text, load_world_of_bytes, read_file,
    read_standard_input,
};

/// The text: it can be read once, and a crash report loads a scenario again.
static READ: OnceLock<Vec<u8>> = OnceLock::new();

/// Whether a path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file, or of standard input.
/// # Errors
/// As [`read_file`].
pub fn read_named(path: &Path) -> Result<Vec<u8>, LoadError> {
    if !is_standard_input(path) {
        return read_file(path);
    }
    match READ.get() {
        Some(bytes) => Ok(bytes.clone()),
        None => read_standard_input().map(|bytes| READ.get_or_init(|| bytes).clone()),
    }
}

/// As [`load_world_and_text`], of a scenario in a file or on standard input.
/// # Errors
/// As [`load_world_and_text`].
pub fn load_named(path: &Path, overrides: Overrides) -> Result<(Loaded, String), LoadError> {
    if !is_standard_input(path) {
        return load_world_and_text(path, overrides);
    }
    let bytes = read_named(path)?;
    let loaded = load_world_of_bytes(path, &bytes, Files::Disk, overrides)?;
    // Lossless: anything but UTF-8 was refused above.
    Ok((loaded, String::from_utf8_lossy(&bytes).into_owned()))
}
