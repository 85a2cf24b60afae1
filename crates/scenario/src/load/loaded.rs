//! What was loaded.

use super::files::AttachedFile;
use super::map::beside;
use super::map_object::MapObject;
use std::path::{Path, PathBuf};
use wheelbase_sim::World;

/// A simulation that was loaded, and what it was made of.
pub struct Loaded {
    /// The simulation, before its first tick.
    pub world: World,
    /// What it was made of beside the text of its scenario.
    pub source: Source,
}

/// What a simulation was made of beside the text of its scenario; recordings hold it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The files that the scenario names, but for a scenario's map.
    pub attached: Vec<AttachedFile>,
    /// What lies on the map file beside its cells: agents and their goals.
    pub map_objects: Vec<MapObject>,
    /// The files that the map was read from.
    pub map_files: Vec<PathBuf>,
}

impl Source {
    /// Every file that a simulation was made of beside that of the scenario, which is `scenario`.
    pub fn files_read(&self, scenario: &Path) -> Vec<PathBuf> {
        let attached = self.attached.iter().map(|file| beside(scenario, &file.name));
        self.map_files.iter().cloned().chain(attached).collect()
    }
}
