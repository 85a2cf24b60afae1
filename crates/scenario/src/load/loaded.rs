//! A loaded world and its sources.

use super::files::AttachedFile;
use super::map::relative_to;
use super::map_object::MapObject;
use std::path::{Path, PathBuf};
use wheelbase_sim::World;

/// A world that was loaded, and its sources.
#[non_exhaustive]
pub struct Loaded {
    /// The world, before its first tick.
    pub world: World,
    /// Its sources other than the text of the scenario.
    pub source: Source,
}

/// The sources of a world other than the text of its scenario. Recordings hold them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Source {
    /// The files that the scenario names, except its map.
    pub attached: Vec<AttachedFile>,
    /// The objects of the map file: agents and their goals.
    pub map_objects: Vec<MapObject>,
    /// The files that the map was read from.
    pub map_files: Vec<PathBuf>,
}

impl Source {
    /// Every file that was read in addition to that of the scenario, which is at `scenario`.
    pub fn files_read(&self, scenario: &Path) -> Vec<PathBuf> {
        let attached = self.attached.iter().map(|file| relative_to(scenario, &file.name));
        self.map_files.iter().cloned().chain(attached).collect()
    }
}
