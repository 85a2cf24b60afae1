//! The log of a run: what traces and recordings are written from.

use crate::command_queue::GivenCommand;
use crate::commands::{OnAgents, RefusalReason, Ticket};
use crate::rows::event_details::{DetailsList, EventDetails};
use crate::unreachable::UnreachableReason;
use wheelbase_grid::{CellXY, Rect, SIDES_MAX, SideKind, TerrainKind};
use wheelbase_planner::{GoalMember, Pose};
use wheelbase_traffic::Decisions;
use wheelbase_traffic::motion::{AgentId, ClassId};
use wheelbase_traffic::teams::Team;

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
        /// Its team.
        team: Team,
        /// Its speed factor in thousandths.
        speed_factor: u16,
        /// Ticket of the command; `None` if it was there from the beginning.
        ticket: Option<Ticket>,
    },
    /// An agent was removed at the current tick.
    Remove {
        /// The agent.
        agent: AgentId,
        /// Whether it was off the map.
        was_off_map: bool,
    },
    /// An order was given.
    Order {
        /// The agent.
        agent: AgentId,
        /// Number of the order in the pool.
        order: u32,
        /// Whether it was added after the remaining orders.
        append: bool,
        /// Its kind, an index into [`OrderKind::NAMES`](crate::OrderKind::NAMES).
        kind: u8,
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
        /// Number of the order in the pool.
        order: u32,
        /// Its kind, an index into [`OrderKind::NAMES`](crate::OrderKind::NAMES).
        kind: u8,
    },
    /// The goal of an order cannot be reached.
    Unreachable {
        /// The agent.
        agent: AgentId,
        /// Number of the order in the pool.
        order: u32,
        /// Its kind, an index into [`OrderKind::NAMES`](crate::OrderKind::NAMES).
        kind: u8,
        /// Why.
        reason: UnreachableReason,
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
    /// A command, or its part about an agent, was not carried out.
    Refused {
        /// The command.
        ticket: Ticket,
        /// The agent, if it is about one.
        agent: Option<AgentId>,
        /// Why.
        reason: RefusalReason,
    },
    /// An agent got another priority.
    Priority {
        /// The agent.
        agent: AgentId,
        /// Its priority.
        priority: i32,
    },
    /// An agent joined another team.
    Team {
        /// The agent.
        agent: AgentId,
        /// Its team.
        team: Team,
    },
    /// An agent got another speed factor.
    SpeedFactor {
        /// The agent.
        agent: AgentId,
        /// The factor in thousandths.
        permille: u16,
    },
    /// An agent took another class, in a pose.
    Class {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Its pose.
        pose: Pose,
    },
    /// The tasks of an agent were replaced.
    TasksReplaced {
        /// The agent.
        agent: AgentId,
    },
    /// An edit that waited was withdrawn.
    EditCancelled {
        /// The command that withdrew it.
        ticket: Ticket,
        /// The command that asked for it.
        edit: Ticket,
    },
    /// A later edit has replaced parts of a waiting edit.
    EditReplaced {
        /// The command of the later edit.
        ticket: Ticket,
        /// The command of the earlier one.
        edit: Ticket,
        /// Changes that are left of the earlier one.
        left: u32,
    },
    /// An agent left the map at the current tick.
    Enter {
        /// The agent.
        agent: AgentId,
        /// The agent that it entered; [`AgentId::NOBODY`] if none was named.
        container: AgentId,
    },
    /// An agent came back to the map.
    Leave {
        /// The agent.
        agent: AgentId,
        /// Its class.
        class: ClassId,
        /// Its pose.
        pose: Pose,
        /// Its team.
        team: Team,
        /// Its speed factor in thousandths.
        speed_factor: u16,
    },
}

impl TraceEvent {
    /// Adds what the event says itself to its details. `cause` is the command being carried out.
    pub(crate) fn add_to<'a>(
        &self,
        mut details: EventDetails<'a>,
        cause: Option<Ticket>,
    ) -> EventDetails<'a> {
        details.ticket = details.ticket.or(cause);
        match *self {
            Self::Spawn { class, team, pose, .. } | Self::Leave { class, team, pose, .. } => {
                (details.class, details.team, details.pose) = (Some(class), Some(team), Some(pose));
            }
            Self::Class { class, pose, .. } => (details.class, details.pose) = (Some(class), Some(pose)),
            Self::Team { team, .. } => details.team = Some(team),
            _ => {}
        }
        details
    }
}

/// A change of an edit that took effect. Recordings and the page that plays a run hold the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedEdit {
    /// Its effect.
    pub effect: EditEffect,
    /// What happens to disturbed agents: [`OnAgents::WaitUntil`] if it was carried out at its deadline,
    /// [`OnAgents::Wait`] if before.
    pub on_agents: OnAgents,
    /// Tick of the event.
    pub asked: u32,
    /// Its index among the changes that took effect together as one edit.
    pub part: u32,
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

/// Log entries since the log was last cleared.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub events: Vec<TraceEvent>,
    /// Details of the events, by index.
    pub details: DetailsList,
    /// The moves of the paths in the events.
    pub moves: Vec<u8>,
    /// Commands given before the last tick.
    pub commands: Vec<GivenCommand>,
    /// Commands given since then. They are not cleared: they belong to the next tick.
    pub given: Vec<GivenCommand>,
    /// Decisions of a rule from outside at the last tick.
    pub decisions: Decisions,
}

impl Log {
    /// A tick begins: the commands given so far belong to it.
    pub fn begin_tick(&mut self) {
        self.commands.append(&mut self.given);
        self.decisions.clear();
    }

    /// Keeps a copy of decisions, as the rule wrote them.
    pub fn note_decisions(&mut self, of_rule: &Decisions) {
        let Decisions { starts, replan, unreachable, around, give_up, reroutes, reroute_moves } = of_rule;
        let to = &mut self.decisions;
        to.clear();
        to.starts.extend_from_slice(starts);
        to.replan.extend_from_slice(replan);
        to.unreachable.extend_from_slice(unreachable);
        to.around.extend_from_slice(around);
        to.give_up.extend_from_slice(give_up);
        to.reroutes.extend_from_slice(reroutes);
        to.reroute_moves.extend_from_slice(reroute_moves);
    }
}
