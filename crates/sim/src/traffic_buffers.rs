//! What the traffic phase passes to the traffic rule and takes from it.

use crate::plain;
use serde::{Deserialize, Serialize};
use wheelbase_grid::{CellXY, Rect};
use wheelbase_traffic::motion::AgentId;
use wheelbase_traffic::occupancy::Refusal;
use wheelbase_traffic::{CommandedMove, Decisions};

/// Inputs and output of the traffic rule, kept from tick to tick for their memory. A snapshot holds what the rule has
/// yet to see: all but the refusals is empty unless the run has ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TrafficBuffers {
    /// Output: the decisions of the last tick.
    #[serde(skip)]
    pub decisions: Decisions,
    /// Input: the cell of each agent's current task by row, for a rule that finds paths itself; empty for others.
    #[serde(skip)]
    pub goals: Vec<Option<CellXY>>,
    /// Input: moves of the host for this tick, for a rule driven from outside.
    #[serde(with = "plain::list")]
    pub decisions_given: Vec<(AgentId, u8)>,
    #[serde(skip)]
    pub commanded: Vec<CommandedMove>,
    /// Input: agents that have taken another class since the last tick, and their rows.
    #[serde(with = "plain::list")]
    pub new_classes: Vec<AgentId>,
    #[serde(skip)]
    pub reclassed: Vec<u32>,
    /// Input: areas of the map edited at this tick.
    pub edited: Vec<Rect>,
    /// Starts refused at the last tick because of an overlap, and the rows of their agents. The rows are an input.
    #[serde(skip)]
    pub refused: Vec<Refusal>,
    pub refused_rows: Vec<u32>,
    /// Tick at which the rule last asked for a start of the agent, by row; `u32::MAX` if that start was refused
    /// because of an overlap.
    #[serde(skip)]
    pub started_at: Vec<u32>,
}
