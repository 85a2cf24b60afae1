//! Parses scenario files into plain structs that keep the line of each value.
//!
//! No interpretation happens here. No map file is opened, no grid built, no movement class compiled. Names of classes,
//! kinds and headings are not looked up. [`load`](crate::load) does that; the structs carry lines and key paths so that
//! its messages name them like messages of this module. Unknown keys, and keys of the format that this release does not
//! read yet, are refused, never ignored.

mod advice;
mod agents;
mod class;
mod diagnostics;
mod document;
mod error;
mod event;
mod key_path;
mod message;
mod nearest;
mod parse;
mod place;
mod problem;
mod reader;
mod schema;
mod set_key;
mod typed;
mod values;

pub(crate) use self::diagnostics::Diagnostics;
pub use self::error::{Related, ScenarioError, ScenarioErrors, Span};
pub use self::message::Message;
pub(crate) use self::message::{found_field, listed};
pub use self::nearest::{nearest_heading, nearest_name};
pub(crate) use self::parse::parse_partly;
pub use self::parse::{parse, parse_class_file};
pub(crate) use self::place::locate;
pub use self::problem::{CellList, ListedCell, PROBLEM_BYTES_MAX, Problem, parse_cell_list, parse_problem};
pub use self::schema::SCHEMA;
pub use self::set_key::set_key;
#[allow(unused_imports, reason = "sweeps are a feature")]
pub(crate) use self::set_key::{check_key, is_one_value, syntax_error};
pub use self::typed::*;
