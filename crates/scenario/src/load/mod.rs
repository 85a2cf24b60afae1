//! Builds the world of a scenario: reads its map, compiles its classes, places its agents.

mod agents;
mod areas;
mod classes;
mod error;
mod events;
mod files;
mod kinds;
mod loaded;
mod map;
mod map_object;
mod map_rows;
mod memory_need;
mod named_files;
mod one_shot;
mod orders;
mod overrides;
mod problem;
mod scen;
mod scenario_text;
mod tasks;
mod teams;
mod warnings;
mod world;

pub use error::LoadError;
pub use files::{AttachedFile, FileStore, Files, KeptFiles, read_file, read_standard_input};
pub use loaded::{Loaded, Source};
pub(crate) use map::LoadedMap;
pub use map_object::{MapObject, agent_names};
pub(crate) use memory_need::{agents_max, changes};
pub use named_files::read_named_files;
pub use one_shot::{LoadedOneShot, OneShot, OneShotResult, check_scen, load_one_shot};
pub use overrides::Overrides;
pub use problem::{LoadedProblem, build_problem, is_problem};
pub use scen::{ScenProblem, load_scen};
pub use warnings::warnings;
pub use world::{
    LoadedGrid, PlanningProblem, build_world, build_world_of, build_world_within, check_class_file,
    check_map, check_scenario, check_scenario_of_bytes, load_class_of_bytes, load_grid, load_grid_of_bytes,
    load_planning_problem, load_world, load_world_and_text, load_world_of_bytes, read_class_file,
    read_scenario,
};
pub(crate) use world::{build_world_on, kind_tables, load_scenario_map, read_class_spec};
