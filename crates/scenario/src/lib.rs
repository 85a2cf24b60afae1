//! Files that become a [`World`](wheelbase_sim::World), or come from one.
//!
//! [`scenario`] parses a scenario file, [`load`] builds a world from it. [`recording`] and [`trace`] write a run, with
//! orders and classes as the canonical texts of [`order_text`] and [`class_text`]; [`PlanFile`] writes it as a plan.
//! [`replay`] runs a recording again.
//!
//! ```
//! use std::path::Path;
//! use wheelbase_scenario::{load, scenario};
//! use wheelbase_sim::RunState;
//! let text = r#"
//! name = "there"
//! ticks = 100
//! [map]
//! rows = ["........", "........"]
//! [class.cart]
//! headings = 4
//! moves = [
//!     { name = "forward", by = [1, 0], time = 4 },
//!     { name = "left", turn = 1, time = 4 },
//! ]
//! [[agents]]
//! class = "cart"
//! at = [0, 0, "E"]
//! orders = [{ goto = [7, 0] }]
//! "#;
//! let typed = scenario::parse("there.toml", text.as_bytes())?;
//! let mut world = load::build_world(Path::new("there.toml"), &typed)?;
//! while world.step() == RunState::Running {}
//! assert_eq!((world.tick(), world.counts().orders_done), (28, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod class_text;
mod json_error;
pub mod load;
pub mod order_text;
mod outcome;
pub mod output_file;
mod plan_file;
mod plan_judge;
pub mod recording;
pub mod scenario;
#[cfg(feature = "rayon")]
pub mod sweep;
pub mod trace;
pub mod varint;

pub use json_error::JsonError;
pub use outcome::{MEASURES, NESTED_MEASURES, outcome_json};
pub use plan_file::PlanFile;
pub use plan_judge::{PlanVerdict, PlanViolation, judge_plan};
pub use recording::replay;
