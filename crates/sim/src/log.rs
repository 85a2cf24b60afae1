//! The log of a run: what traces and recordings are written from.

use crate::events::OnAgents;
use wheelbase_grid::{CellXY, Rect, SIDES_MAX, SideKind, TerrainKind};
use wheelbase_planner::{GoalMember, Pose};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// One thing that took effect. Small and `Copy`; writers look names up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TraceEvent {
    /// An agent was placed.
    Spawn {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Its pose.
        pose: Pose,
        /// The tick.
        tick: u32,
    },
    /// An agent was removed at the current tick.
    Remove {
        /// The agent.
        agent: AgentId,
    },
    /// An order was given.
    Order {
        /// The agent.
        agent: AgentId,
        /// Number of the order in the pool.
        order: u32,
    },
    /// A move began.
    Move {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// The primitive.
        primitive: u8,
        /// The pose in which it begins.
        from: Pose,
        /// The pose in which it ends.
        to: Pose,
        /// Tick at which it ends.
        until: u32,
    },
    /// An agent got a path. Not part of a trace.
    Path {
        /// The agent.
        agent: AgentId,
        /// The pose in which it begins.
        from: Pose,
        /// Its first move in [`World::log_moves`](crate::World::log_moves).
        first: u32,
        /// Number of its moves.
        count: u32,
    },
    /// An order is done.
    Done {
        /// The agent.
        agent: AgentId,
        /// Kind of the order.
        order: &'static str,
    },
    /// The goal of an order cannot be reached.
    Unreachable {
        /// The agent.
        agent: AgentId,
        /// Kind of the order.
        order: &'static str,
    },
    /// A task was given.
    Task {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// The goal.
        goal: GoalMember,
    },
    /// A task is done.
    TaskDone {
        /// The agent.
        agent: AgentId,
        /// Cell of its anchor.
        cell: CellXY,
    },
    /// An edit took effect.
    Edit(AppliedEdit),
}

/// An edit that took effect. Recordings and the page that plays a run hold the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedEdit {
    /// Its effect.
    pub effect: EditEffect,
    /// What happens to disturbed agents.
    pub on_agents: OnAgents,
    /// Tick of the event.
    pub asked: u32,
}

/// The effect of an edit on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditEffect {
    /// Sets the kind of cells.
    Terrain {
        /// The cells.
        area: Rect,
        /// Their new kind.
        kind: TerrainKind,
    },
    /// Sets the height of cells.
    Elevation {
        /// The cells.
        area: Rect,
        /// Their new height.
        height: i16,
    },
    /// Sets sides of a cell.
    Sides {
        /// The cell.
        cell: CellXY,
        /// New kind of each side, by [number](wheelbase_grid::GridShape::side_number); `None` if the edit leaves it.
        kinds: [Option<SideKind>; SIDES_MAX],
    },
}

/// Log entries since the log was last cleared, and the moves of the paths in them.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub events: Vec<TraceEvent>,
    pub moves: Vec<u8>,
}
