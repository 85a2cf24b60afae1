//! What a run comes to: its counts and result, who waits for whom at its end, and what agents would do if each were alone.

pub mod door_load;
pub mod knots;
pub mod lone;
pub mod result;

pub use door_load::{DoorLoad, Doors};
pub use knots::{KNOT_AGENTS_MAX, KNOTS_MAX, Knot};
pub use lone::{LoneAgent, NotAlone, lone_agents};
pub use result::{
    Counters, NOT_OUTCOME, RunResult, STUCK_AFTER_TICKS, TickMs, TickTimes, permille, quantile_ms,
};
