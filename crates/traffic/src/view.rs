//! The input of a traffic rule.

use crate::forbidden::ForbiddenArea;
use crate::motion::{AgentId, AgentSlot, Motion, WaitState};
use crate::occupancy::Occupancy;
use crate::path_pool::{PathHandle, PathPool};
use crate::priority::PriorityKey;
use crate::row_set::RowSet;
use crate::teams::{Friends, Team};
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// Row of a free agent slot.
pub const NO_ROW: u32 = u32::MAX;

/// What traffic rules know of an agent's orders; equal as long as the agent is on the same trip. 12 bytes, hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalStamp {
    /// Tick at which the current order or task became the current one.
    pub since: u32,
    /// Waypoint of the patrol to which it goes.
    pub waypoint: u32,
    /// Whether it has an open order.
    pub has_order: bool,
}

const _: () = assert!(size_of::<GoalStamp>() == 12);

/// All agents: slices of one length, joined by row. Rows are in order of id.
#[derive(Clone, Copy, Debug)]
pub struct AgentsView<'a> {
    /// Ids, rising.
    pub ids: &'a [AgentId],
    /// Agent slots, no two equal.
    pub slots: &'a [AgentSlot],
    /// Poses and moves.
    pub motion: &'a [Motion],
    /// Waiting and yielding.
    pub wait_states: &'a [WaitState],
    /// Rows that a rule has to visit. Every other agent is as the rule left it at the last tick. It rests, and has
    /// neither a path nor an order that it could carry out.
    pub busy: &'a RowSet,
    /// Priority keys by the agents' own trips.
    pub keys: &'a [PriorityKey],
    /// The rest of their paths.
    pub paths: &'a [PathHandle],
    /// Stamps of their trips.
    pub stamps: &'a [GoalStamp],
    /// Teams.
    pub teams: &'a [Team],
    /// Speed factors in thousandths: a move that begins takes `max(1, ceil(time * 1000 / factor))` ticks.
    pub speed_factors: &'a [u16],
    /// Goal cells, for a rule that follows no planned paths; empty for others.
    pub goals: &'a [Option<CellXY>],
    /// Row by agent slot; [`NO_ROW`] for a free slot.
    pub row_of_slot: &'a [u32],
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

    /// Row of an agent; `None` if it was removed or never placed. Logarithmic in the agents.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Row of the agent in an agent slot; `None` if the slot is free.
    #[inline]
    pub fn row_of_slot(&self, slot: AgentSlot) -> Option<usize> {
        let row = *self.row_of_slot.get(slot.index())?;
        (row != NO_ROW).then_some(row as usize)
    }
}

/// A move that a host commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandedMove {
    /// Row of the agent.
    pub row: u32,
    /// The primitive.
    pub primitive: u8,
}

/// What a rule sees at a tick.
pub struct TrafficView<'a> {
    /// The present tick.
    pub tick: u32,
    /// Poses that each agent may expand per tick.
    pub poses_per_agent: u32,
    /// Traffic search budget: tries of the neighbourhood search of unit robots per tick.
    pub search_budget: u64,
    /// Size of the map.
    pub grid_size: GridSize,
    /// Movement tables by class.
    pub tables: &'a [MovementTables],
    /// The agents.
    pub agents: AgentsView<'a>,
    /// The moves of their paths.
    pub paths: &'a PathPool,
    /// Areas of waiting edits: see [`crate::forbidden`].
    pub forbidden: &'a [ForbiddenArea],
    /// Which teams are friends.
    pub friends: &'a Friends,
    /// Moves that the host commands, for a rule driven from outside.
    pub commanded: &'a [CommandedMove],
    /// Rows of agents that have taken another class since the last tick, rising.
    pub reclassed: &'a [u32],
    /// Areas of the map that were edited at this tick; the tables have been updated.
    pub edited: &'a [Rect],
    /// Rows of agents whose moves the occupancy refused at the last tick: they would have overlapped others.
    pub refused: &'a [u32],
    /// Holder of each cell.
    pub occupancy: &'a Occupancy,
}
