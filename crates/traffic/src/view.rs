//! The input of a rule of traffic.

use crate::flow::DirectionalFlow;
use crate::motion::{AgentId, Motion, WaitState};
use crate::occupancy::Occupancy;
use crate::path_pool::{PathHandle, PathPool};
use crate::priority::PriorityKey;
use crate::row_set::RowSet;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// Row of an agent that was removed.
pub const NO_ROW: u32 = u32::MAX;

/// What rules of traffic know of an agent's orders; equal as long as the agent is on the same trip. 12 bytes, hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalStamp {
    /// Tick at which the current order or task became the current one.
    pub since: u32,
    /// Station of the patrol to which it goes.
    pub station: u32,
    /// Whether it has an open order.
    pub has_order: bool,
}

const _: () = assert!(size_of::<GoalStamp>() == 12);

/// All agents: slices of one length, joined by row. Rows are in order of id.
#[derive(Clone, Copy, Debug)]
pub struct AgentsView<'a> {
    /// Ids, ascending.
    pub ids: &'a [AgentId],
    /// Poses and moves.
    pub motion: &'a [Motion],
    /// Waiting and yielding.
    pub wait_states: &'a [WaitState],
    /// Rows that a rule has to visit. Every other agent is as the rule left it at the last tick: at rest, without a
    /// path and without an order that it could carry out.
    pub busy: &'a RowSet,
    /// Priority keys by the agents' own trips.
    pub keys: &'a [PriorityKey],
    /// What is left of their paths.
    pub paths: &'a [PathHandle],
    /// Stamps of their trips.
    pub stamps: &'a [GoalStamp],
    /// Goal cells, for a rule that follows no planned paths; empty for others.
    pub goals: &'a [Option<CellXY>],
    /// Row of each id ever given, [`NO_ROW`] once the agent is removed.
    pub row_of_id: &'a [u32],
}

impl AgentsView<'_> {
    /// Number of agents.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent; `None` if it was removed or never placed.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        let row = *self.row_of_id.get(id.0 as usize)?;
        (row != NO_ROW).then_some(row as usize)
    }
}

/// What a rule sees at a tick.
pub struct TrafficView<'a> {
    /// The present tick.
    pub tick: u32,
    /// Poses that the rule may expand at this tick. Of unit robots: tries of the neighbourhood search.
    pub tries: u64,
    /// Size of the map.
    pub grid_size: GridSize,
    /// Movement tables by class.
    pub tables: &'a [MovementTables],
    /// The agents.
    pub agents: AgentsView<'a>,
    /// The moves of their paths.
    pub paths: &'a PathPool,
    /// Areas of waiting edits: see [`crate::forbidden`].
    pub forbidden: &'a [Rect],
    /// Directions in which agents have recently moved over each cell.
    pub flow: &'a DirectionalFlow,
    /// Areas of the map that were edited at this tick; the tables have been updated.
    pub edited: &'a [Rect],
    /// Rows of agents whose moves the occupancy refused at the last tick: they would have overlapped others.
    pub refused: &'a [u32],
    /// Holder of each cell.
    pub occupancy: &'a Occupancy,
}
