//! Estimates the memory that a scenario takes, before any of it is taken.

use super::error::LoadError;
use crate::scenario::{AGENTS_MAX, EventAction, Scenario};
use std::path::Path;
use wheelbase_grid::{GridSize, MemoryMax, MemoryNeed, MemoryTooLarge};

/// Bytes of the parsed document and the typed scenario per byte of text.
const TEXT_BYTES: u64 = 4;
/// Further bytes per character that can begin a value of a list.
const VALUE_BYTES: u64 = 150;
/// Further bytes per character that can begin a key or a table.
const KEY_BYTES: u64 = 300;

/// The need of parsing a scenario or class file.
fn text_need(text: &[u8]) -> MemoryNeed {
    let of_byte = |byte: &u8| match byte {
        b',' => TEXT_BYTES + VALUE_BYTES,
        b'=' | b'[' | b'{' | b'\n' => TEXT_BYTES + KEY_BYTES,
        _ => TEXT_BYTES,
    };
    MemoryNeed::built(text.iter().map(of_byte).sum())
}

/// Checks the need of parsing a scenario or class file.
/// # Errors
/// [`LoadError::Memory`] if it exceeds the limit.
pub(super) fn check_text(path: &Path, text: &[u8], memory_max: MemoryMax) -> Result<(), LoadError> {
    let what = || format!("a text of {} bytes", text.len());
    memory_max.check(text_need(text), what).map_err(|error| too_large(path, error))
}

/// Checks the need of reading a file.
/// # Errors
/// [`LoadError::Memory`] if it exceeds the limit.
pub(super) fn check_file(path: &Path, need: MemoryNeed, memory_max: MemoryMax) -> Result<(), LoadError> {
    memory_max.check(need, || "its content".to_owned()).map_err(|error| too_large(path, error))
}

/// Checks the need of a generated map: its cells twice, and the memory of the generator.
/// # Errors
/// [`LoadError::Memory`] if it exceeds the limit.
pub(super) fn check_generated(path: &Path, size: GridSize, memory_max: MemoryMax) -> Result<(), LoadError> {
    let need = MemoryNeed::built(4 * size.n_cells() as u64);
    memory_max.check(need, || format!("a map of {size} cells")).map_err(|error| too_large(path, error))
}

pub(super) fn too_large(path: &Path, error: MemoryTooLarge) -> LoadError {
    LoadError::Memory { file: path.display().to_string(), error }
}

/// Changes of the map by the events of a scenario.
pub(crate) fn changes(typed: &Scenario) -> u64 {
    let is_edit = |action: &EventAction| {
        use EventAction::{Rotate, SetElevation, SetSide, SetTerrain};
        matches!(action, SetTerrain { .. } | SetElevation { .. } | SetSide { .. } | Rotate { .. })
    };
    typed.events.iter().filter(|event| is_edit(&event.action)).count() as u64
}

/// Most agents that a scenario can have at the same time.
pub(crate) fn agents_max(typed: &Scenario, on_map: usize) -> u64 {
    let added = typed.events.iter().filter_map(|event| match &event.action {
        EventAction::AddAgents(group) => Some(group),
        _ => None,
    });
    let groups = typed.groups.iter().chain(added).map(|group| u64::from(group.count));
    groups.fold((typed.agents.len() + on_map) as u64, u64::saturating_add).min(AGENTS_MAX.into())
}

/// Agents with tasks before the first tick.
pub(super) fn agents_with_tasks(typed: &Scenario) -> u64 {
    typed.groups.iter().filter(|group| group.tasks.is_some()).map(|group| u64::from(group.count)).sum()
}
