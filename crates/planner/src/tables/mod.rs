//! Movement tables: a class compiled against a map, updated after edits, with connected components.

pub(crate) mod change_log;
pub(crate) mod check_moves;
pub(crate) mod components;
pub(crate) mod graph_change;
pub(crate) mod isolated_poses;
pub(crate) mod layouts;
pub(crate) mod memory;
pub(crate) mod move_words;
pub(crate) mod movement_tables;
pub(crate) mod moves;
pub(crate) mod node;
pub(crate) mod plan;
pub(crate) mod pose_graph;
pub(crate) mod row_words;
pub(crate) mod rows;
mod saved_tables;
pub(crate) mod slopes;
pub(crate) mod speed_classes;
pub(crate) mod window;

pub(crate) use change_log::slots_of;
pub use check_moves::{MovesEnd, MovesError};
pub use components::{ComponentSizes, Components, Reachability};
pub use memory::{TablesNeed, field_bytes, field_need, landmarks_need, search_need, tables_need};
pub(crate) use move_words::MoveWord;
pub use movement_tables::MovementTables;
pub use moves::{Successor, Update};
pub use saved_tables::SavedTables;
