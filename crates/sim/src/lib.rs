//! Thousands of oriented multi-tile agents, ticked exactly and deterministically.
//!
//! A scenario file is read by [`scenario`] (what was typed), given a meaning by [`build`], and becomes a
//! [`Simulation`] that [`Simulation::step`] drives tick by tick. The result is the same for any number of
//! threads.
//!
//! ```
//! use std::path::Path;
//! use wheelbase_sim::{Step, build, scenario};
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
//! let mut sim = build::build_simulation(Path::new("there.toml"), &typed)?;
//! while sim.step() == Step::Running {}
//! assert_eq!((sim.tick(), sim.counts().orders_done), (28, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod agents;
pub mod build;
mod class;
mod class_landmarks;
mod class_text;
mod codec;
mod congestion;
mod counts;
mod door_bound;
mod events;
mod free_cells;
mod given_poses;
mod goal_poses;
mod group_goals;
mod hash;
pub mod invariant;
mod json_mistake;
mod knots;
mod log;
mod lone;
mod make_landmarks;
mod memory;
mod metrics;
mod motion;
mod order_life;
pub mod order_text;
mod orders;
mod path_pool;
mod pending_edits;
mod phases;
mod placement;
mod plan_file;
mod plan_judge;
mod random;
pub mod recording;
mod requests;
mod reservation;
pub mod scenario;
mod shared_fields;
mod state_hash;
mod statistics;
mod streams;
mod tasks;
mod tick;
pub mod trace;
pub mod traffic;
mod trip;
mod unreachable;
mod violation;
mod ways;
mod world;

pub use agents::{Agents, GoalStamp, Patience, Row};
pub use class::SimClass;
pub use counts::Counts;
pub use door_bound::{DoorBound, Doors};
pub use events::{Action, Chosen, Event, MapEdit, NewAgents, NewOrders, OnAgents};
pub use json_mistake::JsonMistake;
pub use knots::{KNOT_AGENTS_MAX, KNOTS_MAX, Knot};
pub use log::{Set, TraceEvent};
pub use lone::{LoneAgent, NotAlone, lone_agents};
pub use memory::Memory;
pub use metrics::{
    Counters, RunResult, STUCK_AFTER_TICKS, TickMs, TickTimes, peak_memory_mib, permille, quantile_ms,
};
pub use motion::{Activity, AgentId, ClassId, Motion};
pub use orders::{GroupOrders, LackedGoal, Order, OrderKind, OrderList, OrderPool, OrderState};
pub use path_pool::{PathHandle, PathPool};
pub use pending_edits::{PendingEdits, WaitingEdit};
pub use plan_file::PlanFile;
pub use plan_judge::{PlanVerdict, PlanViolation, judge_plan};
pub use requests::{PathRequest, Requests, Route};
pub use reservation::{CollisionRule, Reservation};
pub use statistics::TripStatistics;
pub use streams::Streams;
pub use tasks::{CONFINED_BELOW_POSES, TaskSlot, TaskSource, Tasks};
pub use tick::{Phase, Step};
pub use trip::{IfUnreachable, Trip};
pub use unreachable::{UnreachableReason, UnreachableReasons};
pub use world::{Settings, Simulation};
