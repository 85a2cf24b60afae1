//! What a rule of traffic sees.

use crate::flow::DirectionalFlow;
use crate::motion::{AgentId, Motion, WaitState};
use crate::occupancy::Occupancy;
use crate::path_pool::{PathHandle, PathPool};
use crate::priority::PriorityKey;
use crate::row_set::RowSet;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// What the rules of traffic are told of an agent's orders; equal as long as it is on the same trip. 12 bytes,
/// hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalStamp {
    /// Tick at which the current order or task became the current one.
    pub since: u32,
    /// Station of the patrol it is going to.
    pub station: u32,
    /// Whether it has an order that is not closed.
    pub has_order: bool,
}

/// The agents that are there: slices of one length, joined by row. Rows stand in order of id.
#[derive(Clone, Copy, Debug)]
pub struct AgentsView<'a> {
    /// Ids, rising.
    pub ids: &'a [AgentId],
    /// Poses and moves.
    pub motion: &'a [Motion],
    /// Waiting and giving way.
    pub wait_states: &'a [WaitState],
    /// Rows that a rule has to visit. Each other agent is as the rule left it at the last tick: it rests without an order
    /// that it could carry out and without a path.
    pub busy: &'a RowSet,
    /// Places in the order of priority, by their own trips.
    pub keys: &'a [PriorityKey],
    /// What is left of their paths.
    pub paths: &'a [PathHandle],
    /// On which trip of its orders each is.
    pub stamps: &'a [GoalStamp],
    /// The cell each is to go to, for a rule that finds ways by itself; empty for others.
    pub goals: &'a [Option<CellXY>],
    /// Row of each id ever given, `u32::MAX` once it is taken out.
    pub row_of_id: &'a [u32],
}

impl AgentsView<'_> {
    /// Number of agents that are there.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent, or `None` if it is not there.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        let row = *self.row_of_id.get(id.0 as usize)?;
        (row != u32::MAX).then_some(row as usize)
    }
}

/// What a rule sees at a tick: slices, and who holds which cell.
pub struct TrafficView<'a> {
    /// The present tick.
    pub tick: u32,
    /// Poses it may try in looking for room, this tick.
    pub tries: u64,
    /// Size of the map.
    pub grid_size: GridSize,
    /// The movement tables by class.
    pub tables: &'a [MovementTables],
    /// The agents.
    pub agents: AgentsView<'a>,
    /// The moves of their paths.
    pub paths: &'a PathPool,
    /// Areas of edits that wait for their cells to be left: see [`crate::forbidden`].
    pub forbidden: &'a [Rect],
    /// Which way agents have moved over each cell of late.
    pub flow: &'a DirectionalFlow,
    /// Areas in which the map was edited at this tick; the tables of the classes have followed.
    pub edited: &'a [Rect],
    /// Rows of the agents whose moves were refused at the last tick: the rule would have had them overlap others.
    pub refused: &'a [u32],
    /// Who holds which cell.
    pub occupancy: &'a Occupancy,
}
