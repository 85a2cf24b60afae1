//! What was typed: a scenario file as plain structs, with the line of each value.
//!
//! Nothing is given a meaning here: no map file is opened, no grid is built, no movement class is
//! compiled, and names of classes, kinds and headings are not looked up. That is for the builder, which
//! is why the structs carry lines and key paths: its complaints name them as those of this module do.
//!
//! Keys of the format that this release does not read yet are refused by name, never ignored. A key with
//! only one value so far (`map.shape`) is checked and not kept.

mod agents;
mod class;
mod document;
mod error;
mod event;
mod parse;
mod problem;
mod reader;
mod typed;
mod values;

pub(crate) use self::error::quoted_cell;
pub use self::error::{ScenarioError, ScenarioErrors};
pub use self::parse::{parse, parse_class_file};
pub use self::problem::{CellList, PROBLEM_BYTES_MAX, Problem, parse_cell_list, parse_problem};
pub use self::typed::*;
