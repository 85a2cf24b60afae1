//! What has happened, in order: what traces and recordings are written from.

use crate::events::OnAgents;
use wheelbase_grid::{CellXY, GridShape, Rect, SIDES_MAX, SideKind, TerrainKind};
use wheelbase_planner::{GoalMember, Pose};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// One thing that took effect. Small and `Copy`; names are looked up when it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TraceEvent {
    /// An agent was placed.
    Spawn {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Where.
        pose: Pose,
        /// When.
        tick: u32,
    },
    /// An agent was taken out at the present tick.
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
    /// A move was begun.
    Move {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// The primitive.
        primitive: u8,
        /// Where it begins.
        from: Pose,
        /// Where it leads.
        to: Pose,
        /// Tick at which it ends.
        until: u32,
    },
    /// An agent was given a path; a trace does not tell.
    Path {
        /// The agent.
        agent: AgentId,
        /// Where it begins.
        from: Pose,
        /// First of its moves in [`World::log_moves`](crate::Simulation::log_moves).
        first: u32,
        /// Number of its moves.
        count: u32,
    },
    /// An order was done.
    Done {
        /// The agent.
        agent: AgentId,
        /// Kind of the order.
        order: &'static str,
    },
    /// An order cannot be done.
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
        /// Where it is to go.
        goal: GoalMember,
    },
    /// A task was done.
    TaskDone {
        /// The agent.
        agent: AgentId,
        /// Cell of its anchor.
        cell: CellXY,
    },
    /// An edit took effect.
    Edit {
        /// What it set.
        set: Set,
        /// What the event said about agents.
        on_agents: OnAgents,
        /// Tick of the event.
        asked: u32,
    },
}

/// What an edit set, on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The kind of cells.
    Terrain {
        /// The cells.
        area: Rect,
        /// Their new kind.
        kind: TerrainKind,
    },
    /// The height of cells.
    Elevation {
        /// The cells.
        area: Rect,
        /// Their new height.
        height: i16,
    },
    /// Sides of a cell.
    Sides {
        /// The cell.
        cell: CellXY,
        /// Shape of the map.
        shape: GridShape,
        /// New kind of each side that was set, by [number](GridShape::side_number).
        kinds: [Option<SideKind>; SIDES_MAX],
    },
}

/// What happened, and the moves of the paths in it.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub events: Vec<TraceEvent>,
    pub moves: Vec<u8>,
}
