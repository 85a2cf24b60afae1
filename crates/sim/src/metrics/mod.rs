//! What a run comes to: its counts and result, who waits for whom at its end, and what agents would do if each were alone.

pub mod door_load;
pub mod result;
pub mod single_agent_bound;
pub mod wait_for_cycles;

pub use door_load::{DoorLoad, Doors};
pub use result::{
    Counters, NOT_OUTCOME, RunResult, STUCK_AFTER_TICKS, TickMs, TickTimes, permille, quantile_ms,
};
pub use single_agent_bound::{NoSingleAgentBound, SingleAgentBound, single_agent_bounds};
pub use wait_for_cycles::{WAIT_FOR_CYCLE_AGENTS_MAX, WAIT_FOR_CYCLES_MAX, WaitForCycle};
