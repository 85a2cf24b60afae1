//! Parses scenario files into plain structs that keep the line of each value.
//!
//! No interpretation happens here: no map file is opened, no grid built, no movement class compiled, and names of
//! classes, kinds and headings are not looked up. [`load`](crate::load) does that; the structs carry lines and key
//! paths so that its messages name them as those of this module do. Unknown keys, and keys
//! of the format that this release does not read yet, are refused, never ignored.

mod agents;
mod class;
mod diagnostics;
mod document;
mod error;
mod event;
mod parse;
mod problem;
mod reader;
mod typed;
mod values;

pub(crate) use self::diagnostics::{Diagnostics, found_field, listed};
pub use self::error::{ScenarioError, ScenarioErrors};
pub use self::parse::{parse, parse_class_file};
pub use self::problem::{CellList, ListedCell, PROBLEM_BYTES_MAX, Problem, parse_cell_list, parse_problem};
pub use self::typed::*;
