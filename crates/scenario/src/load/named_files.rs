//! The files that a scenario names: all that loading it reads.

use super::files::{Files, KeptFiles};
use super::map::{is_tiled, relative_to};
use super::problem::is_problem;
use super::world::load_scenario_map;
use crate::scenario::{self, Elevation, EventAction, MapSource, Scenario, TaskSource, parse_problem};
use std::path::Path;
use wheelbase_grid::MemoryMax;

/// Reads every file that loading a scenario or problem reads, besides its own, through `files`, which notes them. Files
/// that cannot be read are noted too. `path` is where the text lies, to which the names in it are relative.
pub fn read_named_files(path: &Path, text: &[u8], files: &KeptFiles<'_>, memory_max: MemoryMax) {
    let file = path.display().to_string();
    let read = |name: &str| {
        let _noted = files.read(&relative_to(path, name), name);
    };
    if is_problem(path) {
        if let Ok(problem) = parse_problem(&file, text) {
            [problem.map_file, problem.agent_file, problem.task_file]
                .iter()
                .for_each(|file| read(&file.value));
        }
        return;
    }
    // Without a scenario nothing is built, so that no file is read.
    let (Some(typed), _) = scenario::parse_partly(&file, text) else { return };
    names_of(&typed, read);
    // The tile sets are named in the map.
    if let MapSource::File(map) = &typed.map.source
        && is_tiled(Path::new(&map.value))
    {
        let _mistakes = load_scenario_map(path, &typed, Files::Kept(files), memory_max);
    }
}

fn names_of(typed: &Scenario, read: impl Fn(&str)) {
    if let MapSource::File(file) = &typed.map.source {
        read(&file.value);
    }
    if let Some(Elevation::File(file)) = &typed.map.elevation {
        read(&file.value);
    }
    let placed = typed.events.iter().filter_map(|event| match &event.action {
        EventAction::AddAgents(group) => Some(group),
        _ => None,
    });
    for tasks in typed.groups.iter().chain(placed).filter_map(|group| group.tasks.as_ref()) {
        if let TaskSource::File(file) = &tasks.source {
            read(&file.value);
        }
    }
}
