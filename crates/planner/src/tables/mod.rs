//! Movement tables: a class compiled against a map, updated after edits, and which poses are connected.

pub(crate) mod components;
pub(crate) mod graph_change;
pub(crate) mod layouts;
pub(crate) mod levels;
pub(crate) mod memory;
pub(crate) mod movement_tables;
pub(crate) mod node;
pub(crate) mod plan;
pub(crate) mod pose_graph;
pub(crate) mod row_words;
pub(crate) mod rows;
pub(crate) mod slopes;
pub(crate) mod steps;
pub(crate) mod still_poses;
pub(crate) mod tell;
pub(crate) mod window;
pub(crate) mod words;

pub use components::{Components, Way};
pub use memory::{TablesNeed, field_need, landmarks_need, search_need, tables_need};
pub use movement_tables::MovementTables;
pub use steps::{Successor, Update};
pub(crate) use tell::lanes_of;
pub(crate) use words::MoveWord;
