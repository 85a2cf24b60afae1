//! Files that become a [`World`](wheelbase_sim::Simulation), or come from one.
//!
//! A scenario file is read by [`scenario`] (what was typed) and given a meaning by [`load`]. A run is written by
//! [`recording`] and [`trace`], as the canonical texts of [`order_text`] and [`class_text`] have its orders and classes,
//! and by [`PlanFile`].
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
mod json_mistake;
pub mod load;
pub mod order_text;
mod outcome;
mod plan_file;
mod plan_judge;
pub mod recording;
pub mod scenario;
pub mod trace;

pub use json_mistake::JsonMistake;
pub use outcome::outcome_json;
pub use plan_file::PlanFile;
pub use plan_judge::{PlanVerdict, PlanViolation, judge_plan};
