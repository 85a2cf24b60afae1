//! Files that become a [`World`](wheelbase_sim::World), or come from one.
//!
//! [`scenario`] parses a scenario file, [`load`] builds a world from it. [`recording`] and [`trace`] write a run, with
//! orders and classes as the canonical texts of [`order_text`] and [`class_text`]. [`MovePlanRecorder`] writes its
//! moves as a plan, which [`judge_move_plan`] judges. [`PlanFile`] and [`judge_plan`] belong to the League of Robot
//! Runners. [`replay`] runs a recording again.
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
pub mod machine_memory;
mod move_plan;
mod move_plan_judge;
pub mod order_text;
mod outcome;
pub mod output_clash;
pub mod output_file;
mod plan_file;
mod plan_judge;
mod plan_recording;
pub mod recording;
pub mod scenario;
#[cfg(feature = "rayon")]
pub mod sweep;
pub mod trace;
pub mod varint;

pub use json_error::JsonError;
pub use move_plan::{MovePlan, MovePlanRecorder, MoveRun, PLAN_MOVES_MAX, PlannedAgent, check_plannable};
pub use move_plan_judge::{MovePlanVerdict, MovePlanViolation, judge_move_plan, judge_one_shot_plan};
pub use outcome::{MEASURES, NESTED_MEASURES, outcome_json};
pub use plan_file::PlanFile;
pub use plan_judge::{PlanVerdict, PlanViolation, judge_plan};
pub use plan_recording::{PlanRecording, record_move_plan, record_problem_plan};
pub use recording::replay;
