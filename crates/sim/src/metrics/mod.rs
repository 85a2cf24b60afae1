//! Results of a run: counters of a tick, the result, wait-for cycles, and the single-agent bound.

pub mod confined;
pub mod counters;
pub(crate) mod covered;
pub mod edits_pending_for;
pub mod longest;
pub mod orders_left;
pub mod result;
pub mod single_agent_bound;
pub mod stuck;
pub mod tick_times;
pub mod wait_for_cycles;

pub use counters::Counters;
pub use edits_pending_for::EditPendingFor;
pub use longest::{ClassResult, LongestResult};
pub use orders_left::{HeldAgent, OrdersLeftBy};
pub use result::{NOT_OUTCOME, RunResult, SCHEMA as RESULT_SCHEMA, permille};
pub use single_agent_bound::{
    NoSingleAgentBound, SingleAgentBound, single_agent_bounds, single_agent_bounds_observed,
};
pub use stuck::STUCK_AFTER_TICKS;
pub use tick_times::{TickMs, TickTimes, quantile_ms};
pub use wait_for_cycles::{WAIT_FOR_CYCLE_AGENTS_MAX, WAIT_FOR_CYCLES_MAX, WaitForCycle};
