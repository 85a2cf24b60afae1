//! What a scenario means: reads its map, compiles its classes, places its agents.

mod agents;
mod classes;
mod complaints;
mod error;
mod events;
mod files;
mod kinds;
mod loaded;
mod map;
mod map_object;
mod need;
mod orders;
mod overrides;
mod places;
mod problem;
mod simulation;
mod tasks;
mod warnings;

pub use error::LoadError;
pub use files::{AttachedFile, Files, read_file};
pub use loaded::{Loaded, Source};
pub(crate) use map::LoadedMap;
pub use map_object::{MapObject, agent_names};
pub(crate) use need::most_agents;
pub use overrides::Overrides;
pub use problem::{LoadedProblem, build_problem, is_problem, problem_class};
pub use simulation::{
    LoadedGrid, PlanningProblem, build_classes, build_simulation, build_simulation_of,
    build_simulation_within, check_class_file, check_map, load_grid, load_problem, load_simulation,
    load_simulation_and_text, read_class_file, read_scenario,
};
pub(crate) use simulation::{build_simulation_on, kind_tables, load_scenario_map, read_class_spec};
pub use warnings::warnings;
