//! A scenario as text: mistakes of reading it and of building from it in one list, each with its place.

use super::error::LoadError;
use super::files::read_file;
use super::memory_need;
use crate::scenario::{self, Scenario, ScenarioErrors, locate};
use std::path::Path;
use wheelbase_grid::MemoryMax;

/// The text of a file, which may be as long as `memory_max` allows.
pub(super) fn read_text(path: &Path, memory_max: MemoryMax) -> Result<Vec<u8>, LoadError> {
    let bytes = read_file(path)?;
    memory_need::check_text(path, &bytes, memory_max)?;
    Ok(bytes)
}

/// Parses the scenario in `bytes` and builds something from it.
/// # Errors
/// [`LoadError`] with the mistakes of both, without mistakes of building that follow from reading.
pub(super) fn build_from_text<T>(
    path: &Path,
    bytes: &[u8],
    build: impl FnOnce(Scenario) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    let (typed, mut errors) = scenario::parse_partly(&path.display().to_string(), bytes);
    let Some(typed) = typed else { return Err(ScenarioErrors::new(errors).into()) };
    // Agents and groups that were left out are missing where others name them, or their teams.
    let lacks_names = errors.iter().any(|error| !error.key.starts_with("events["));
    match build(typed) {
        Ok(built) if errors.is_empty() => return Ok(built),
        Ok(_) => {}
        Err(LoadError::Scenario(more)) => {
            let more = more.into_vec().into_iter();
            errors.extend(more.filter(|error| !(lacks_names && looks_for_name(&error.key))));
            locate(&mut errors, &path.display().to_string(), bytes);
            errors.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        }
        // Of another kind: it may go when the mistakes have gone.
        Err(other) if errors.is_empty() => return Err(other),
        Err(_) => {}
    }
    Err(ScenarioErrors::new(errors).into())
}

/// Whether a mistake at a key can be that a named agent or team is missing.
fn looks_for_name(key: &str) -> bool {
    key.ends_with(".follow") || key.contains(".names[") || key.starts_with("teams.")
}
