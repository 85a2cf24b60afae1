//! Buffers that the phases of a tick fill.

use crate::commands::{Command, Ticket};
use crate::tasks::ReachedPoses;
use wheelbase_traffic::RowSet;
use wheelbase_traffic::motion::AgentId;

/// Scratch of the phases, kept from tick to tick for its memory. Nothing in it lasts beyond its phase.
#[derive(Debug, Default)]
pub(crate) struct TickBuffers {
    /// The commands of the tick.
    pub due: Vec<(Ticket, Command)>,
    /// Rows that a command selects.
    pub selected: Vec<u32>,
    /// Rows of agents whose path requests the commands of the tick answer or make void.
    pub requests_over: RowSet,
    /// Rows of agents to which commands of the tick have given orders.
    pub given_orders: RowSet,
    /// Rows of agents whose priority the commands of the tick set.
    pub reprioritised: RowSet,
    /// The agents of one of these sets of rows, by id.
    pub agents: Vec<AgentId>,
    /// Rows of agents that have waited for some time.
    pub blocked: Vec<u32>,
    /// By class: expansions expected of exact searches that did not fit the budget of the tick.
    pub unfit: Vec<u64>,
    /// Moves of a leg and the next one.
    pub joined_moves: Vec<u8>,
    /// Poses around an agent that is given a random task.
    pub reached: ReachedPoses,
}
