//! Events of a tick, as games read them.

use crate::commands::{RefusalReason, Ticket};
use crate::log::{AppliedEdit, TraceEvent};
use crate::names::variants;
use crate::unreachable::UnreachableReason;
use wheelbase_traffic::motion::AgentId;

/// Kinds of events. Their numbers never change; new kinds are added at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum EventKind {
    /// An agent was placed. `a`: its class.
    Spawned = 0,
    /// An agent was removed.
    Removed = 1,
    /// A command, or its part about the agent, was not carried out. `a`: the reason, an index into
    /// [`RefusalReason::ALL`].
    Refused = 2,
    /// An order was given. `a`: its number in the pool, `b`: its kind.
    Ordered = 3,
    /// An order is done. `a`: its number, `b`: its kind.
    OrderDone = 4,
    /// The goal of an order cannot be reached; noted once for each order. `a`: its number, `b`: its kind, `c`: the
    /// reason, an index into [`UnreachableReason::ALL`].
    OrderFailed = 5,
    /// A task was given. `a`, `b`: column and row of its goal, `c`: the heading asked for, [`EventRow::NONE`] for any.
    TaskGiven = 6,
    /// A task is done. `a`, `b`: column and row of the agent's anchor.
    TaskDone = 7,
    /// An agent has another path: the answer to a request, or made by the traffic rule. `a`: its number of moves.
    PathFound = 8,
    /// An agent has waited for 8 ticks. `a`: the agent in the way of its next move.
    Blocked = 9,
    /// An edit took effect. `a`: the tick at which it was asked for.
    EditDone = 10,
    /// An edit waits until it disturbs no agent; noted once. `a`: the number of agents that it would disturb.
    EditWaits = 11,
    /// An agent has another priority. `a`: the priority, the bits of an `i32`.
    PrioritySet = 12,
    /// An agent has another team. `a`: the team.
    TeamSet = 13,
    /// An agent has another speed factor. `a`: the factor in thousandths.
    SpeedFactorSet = 14,
    /// An agent has another class. `a`: the class.
    ClassSet = 15,
    /// The tasks of an agent were replaced by others.
    TasksReplaced = 16,
    /// An edit that waited was withdrawn. `a`, `b`: low and high half of the ticket of its command; the event has the
    /// ticket of the command that withdrew it.
    EditCancelled = 17,
    /// A later edit has replaced parts of a waiting edit. `a`, `b`: low and high half of the ticket of the earlier
    /// edit, `c`: the changes left of it, 0 if it waits no longer. The event has the ticket of the later edit.
    EditReplaced = 18,
    /// An agent has left the map and is in none of its rows. `a`: the agent that it entered, [`EventRow::NONE`] if none
    /// was named.
    Entered = 19,
    /// An agent has come back to the map. `a`: its class.
    Left = 20,
}

impl EventKind {
    const NAMES: [(Self, &'static str); 21] = [
        (Self::Spawned, "spawned"),
        (Self::Removed, "removed"),
        (Self::Refused, "refused"),
        (Self::Ordered, "ordered"),
        (Self::OrderDone, "order_done"),
        (Self::OrderFailed, "order_failed"),
        (Self::TaskGiven, "task_given"),
        (Self::TaskDone, "task_done"),
        (Self::PathFound, "path_found"),
        (Self::Blocked, "blocked"),
        (Self::EditDone, "edit_done"),
        (Self::EditWaits, "edit_waits"),
        (Self::PrioritySet, "priority_set"),
        (Self::TeamSet, "team_set"),
        (Self::SpeedFactorSet, "speed_factor_set"),
        (Self::ClassSet, "class_set"),
        (Self::TasksReplaced, "tasks_replaced"),
        (Self::EditCancelled, "edit_cancelled"),
        (Self::EditReplaced, "edit_replaced"),
        (Self::Entered, "entered"),
        (Self::Left, "left"),
    ];

    /// All kinds, each at the index that is its number.
    pub const ALL: [Self; 21] = variants(&Self::NAMES);

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// One thing that happened at the last tick, in 32 bytes without padding: plain integers in the order of the fields.
/// [`World::events`](crate::World::events) gives the events of a tick in their order. What an agent does from tick to
/// tick, moves and waiting, is in its [`AgentRow`](crate::AgentRow) instead.
///
/// ```
/// use wheelbase_sim::{AgentId, EventKind, EventRow, RefusalReason, Ticket};
///
/// let event = EventRow::blocked(12, AgentId(3), AgentId(7));
/// assert_eq!((event.kind(), event.agent, event.a), (Some(EventKind::Blocked), 3, 7));
/// assert_eq!(event.ticket, EventRow::NO_TICKET);
/// let event = EventRow::refused(12, Ticket(40), AgentId(3), RefusalReason::PoseHeld);
/// assert_eq!((event.refusal(), event.ticket()), (Some(RefusalReason::PoseHeld), Some(Ticket(40))));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// The tick.
    pub tick: u32,
    /// Number of its [`EventKind`].
    pub kind: u32,
    /// Id of the agent; [`EventRow::NONE`] if it is about none.
    pub agent: u32,
    /// Its meaning depends on the kind; 0 without one.
    pub a: u32,
    /// As `a`.
    pub b: u32,
    /// As `a`.
    pub c: u32,
    /// Ticket of the command that asked for it; [`EventRow::NO_TICKET`] without one.
    pub ticket: u64,
}

// Without padding, so that every byte has a value.
const _: () = assert!(size_of::<EventRow>() == 32);

impl EventRow {
    /// No agent, any heading.
    pub const NONE: u32 = u32::MAX;
    /// No ticket.
    pub const NO_TICKET: u64 = u64::MAX;

    /// Its kind; `None` for an unknown number, which no world produces.
    pub fn kind(&self) -> Option<EventKind> {
        EventKind::ALL.get(self.kind as usize).copied()
    }

    /// Its agent, if it is about one.
    pub fn agent(&self) -> Option<AgentId> {
        (self.agent != Self::NONE).then_some(AgentId(self.agent))
    }

    /// The command that asked for it, for refusals, placements, and edits that wait, are done, withdrawn or replaced.
    pub fn ticket(&self) -> Option<Ticket> {
        (self.ticket != Self::NO_TICKET).then_some(Ticket(self.ticket))
    }

    /// The edit that was withdrawn or replaced; `None` for other events.
    pub fn edit(&self) -> Option<Ticket> {
        let is_about = matches!(self.kind(), Some(EventKind::EditCancelled | EventKind::EditReplaced));
        is_about.then_some(Ticket(u64::from(self.b) << 32 | u64::from(self.a)))
    }

    /// Why a command was not carried out; `None` for other events.
    pub fn refusal(&self) -> Option<RefusalReason> {
        let reason = RefusalReason::ALL.get(self.a as usize).copied();
        reason.filter(|_| self.kind() == Some(EventKind::Refused))
    }

    /// Why the goal of an order cannot be reached; `None` for other events.
    pub fn failure(&self) -> Option<UnreachableReason> {
        let reason = UnreachableReason::ALL.get(self.c as usize).copied();
        reason.filter(|_| self.kind() == Some(EventKind::OrderFailed))
    }

    /// An event without a ticket.
    const fn new(tick: u32, kind: EventKind, agent: AgentId, [a, b, c]: [u32; 3]) -> Self {
        Self { tick, kind: kind as u32, agent: agent.0, a, b, c, ticket: Self::NO_TICKET }
    }

    /// The event, asked for by the command of a ticket.
    pub const fn with_ticket(self, ticket: Ticket) -> Self {
        Self { ticket: ticket.0, ..self }
    }

    /// The command of a ticket could not be carried out. `agent` is [`AgentId::NOBODY`] if it is about none.
    pub const fn refused(tick: u32, ticket: Ticket, agent: AgentId, reason: RefusalReason) -> Self {
        Self::new(tick, EventKind::Refused, agent, [reason as u32, 0, 0]).with_ticket(ticket)
    }

    /// An agent cannot go on because of another.
    pub const fn blocked(tick: u32, agent: AgentId, by: AgentId) -> Self {
        Self::new(tick, EventKind::Blocked, agent, [by.0, 0, 0])
    }

    /// An edit waits for a number of agents.
    pub const fn edit_waits(tick: u32, disturbed: u32) -> Self {
        Self::new(tick, EventKind::EditWaits, AgentId::NOBODY, [disturbed, 0, 0])
    }

    /// An event of the log; `None` for a move, which rows of agents show.
    pub(crate) fn of(tick: u32, event: &TraceEvent) -> Option<Self> {
        let (kind, agent, numbers) = match *event {
            TraceEvent::Move { .. } => return None,
            TraceEvent::Spawn { agent, class, .. } => (EventKind::Spawned, agent, [u32::from(class.0), 0, 0]),
            TraceEvent::Remove { agent, .. } => (EventKind::Removed, agent, [0; 3]),
            TraceEvent::Order { agent, order, kind, .. } => {
                (EventKind::Ordered, agent, [order, kind.into(), 0])
            }
            TraceEvent::Done { agent, order, kind } => (EventKind::OrderDone, agent, [order, kind.into(), 0]),
            TraceEvent::Unreachable { agent, order, kind, reason } => {
                (EventKind::OrderFailed, agent, [order, kind.into(), reason as u32])
            }
            TraceEvent::Task { agent, goal, .. } => {
                let heading = goal.heading.map_or(Self::NONE, |heading| heading.0.into());
                // A goal may lie off the map: read back as `i32`, the bits are its coordinates.
                (EventKind::TaskGiven, agent, [goal.cell.x as u32, goal.cell.y as u32, heading])
            }
            TraceEvent::TaskDone { agent, cell } => {
                (EventKind::TaskDone, agent, [cell.x as u32, cell.y as u32, 0])
            }
            TraceEvent::Path { agent, count, .. } => (EventKind::PathFound, agent, [count, 0, 0]),
            // An edit of many changes is one event.
            TraceEvent::Edit(AppliedEdit { part: 1.., .. }) => return None,
            TraceEvent::Refused { ticket, agent, reason } => {
                return Some(Self::refused(tick, ticket, agent.unwrap_or(AgentId::NOBODY), reason));
            }
            TraceEvent::Priority { agent, priority } => {
                (EventKind::PrioritySet, agent, [priority as u32, 0, 0])
            }
            TraceEvent::Team { agent, team } => (EventKind::TeamSet, agent, [team.0.into(), 0, 0]),
            TraceEvent::SpeedFactor { agent, permille } => {
                (EventKind::SpeedFactorSet, agent, [permille.into(), 0, 0])
            }
            TraceEvent::Class { agent, class, .. } => (EventKind::ClassSet, agent, [class.0.into(), 0, 0]),
            TraceEvent::TasksReplaced { agent } => (EventKind::TasksReplaced, agent, [0; 3]),
            TraceEvent::EditCancelled { edit, .. } => {
                (EventKind::EditCancelled, AgentId::NOBODY, [edit.0 as u32, (edit.0 >> 32) as u32, 0])
            }
            TraceEvent::EditReplaced { edit, left, .. } => {
                (EventKind::EditReplaced, AgentId::NOBODY, [edit.0 as u32, (edit.0 >> 32) as u32, left])
            }
            TraceEvent::Enter { agent, container } => (EventKind::Entered, agent, [container.0, 0, 0]),
            TraceEvent::Leave { agent, class, .. } => (EventKind::Left, agent, [class.0.into(), 0, 0]),
            TraceEvent::Edit(AppliedEdit { asked, .. }) => {
                (EventKind::EditDone, AgentId::NOBODY, [asked, 0, 0])
            }
        };
        let row = Self::new(tick, kind, agent, numbers);
        match *event {
            TraceEvent::Spawn { ticket: Some(ticket), .. }
            | TraceEvent::EditCancelled { ticket, .. }
            | TraceEvent::EditReplaced { ticket, .. } => Some(row.with_ticket(ticket)),
            _ => Some(row),
        }
    }
}
