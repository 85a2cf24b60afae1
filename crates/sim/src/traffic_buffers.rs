//! What the traffic phase passes to the traffic rule and takes from it.

use wheelbase_grid::{CellXY, Rect};
use wheelbase_traffic::motion::AgentId;
use wheelbase_traffic::occupancy::Refusal;
use wheelbase_traffic::{CommandedMove, Decisions};

/// Inputs and output of the traffic rule, kept from tick to tick for their memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrafficBuffers {
    /// Output: the decisions of the last tick.
    pub decisions: Decisions,
    /// Input: the cell of each agent's current task by row, for a rule that finds paths itself; empty for others.
    pub goals: Vec<Option<CellXY>>,
    /// Input: moves of the host for this tick, for a rule driven from outside.
    pub decisions_given: Vec<(AgentId, u8)>,
    pub commanded: Vec<CommandedMove>,
    /// Input: agents that have taken another class since the last tick, and their rows.
    pub new_classes: Vec<AgentId>,
    pub reclassed: Vec<u32>,
    /// Input: areas of the map edited at this tick.
    pub edited: Vec<Rect>,
    /// Starts refused at the last tick because of an overlap, and the rows of their agents. The rows are an input.
    pub refused: Vec<Refusal>,
    pub refused_rows: Vec<u32>,
    /// Tick at which the rule last asked for a start of the agent, by row; `u32::MAX` if that start was refused
    /// because of an overlap.
    pub started_at: Vec<u32>,
}
