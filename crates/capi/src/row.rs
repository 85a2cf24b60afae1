//! Rows of agents and events as C reads them, and their numbers.

#![allow(non_camel_case_types)]

use crate::arguments::Sized32;
use crate::names::Names;
use crate::value::{WB_NONE, reached_number, wb_pose, wb_rect};
use std::ffi::c_char;
use std::mem::offset_of;
use wheelbase_sim::{
    Activity, AgentRow, EventDetails, EventKind, EventRow, OrderKind, RefusalReason, UnreachableReason,
};

/// `primitive` of an agent at rest.
pub const WB_AT_REST: u8 = 255;
/// `order_kind` of an agent without an order.
pub const WB_NO_ORDER: u8 = 255;
/// `ticket` of an event that no command asked for.
pub const WB_NO_TICKET: u64 = u64::MAX;

/// Bit of `flags`: an edit has made its pose or its move illegal, and no later edit has undone that.
pub const WB_FLAG_STRANDED: u32 = 1;
/// Bit of `flags`: it holds its position and is never pushed.
pub const WB_FLAG_ON_HOLD: u32 = 2;
/// Bit of `flags`: its path leads to the pose nearest to a goal that it cannot reach.
pub const WB_FLAG_TO_NEAREST: u32 = 4;
/// Bit of `flags`: its path is a leg of a route over the abstract graph, and does not lead to its goal.
pub const WB_FLAG_ON_LEG: u32 = 8;

/// It has no order left.
pub const WB_ACTIVITY_IDLE: u8 = 0;
/// It rests for an order to wait, or near the agent that it follows.
pub const WB_ACTIVITY_DWELLING: u8 = 1;
/// Its path request has no answer yet.
pub const WB_ACTIVITY_AWAITING_PATH: u8 = 2;
/// It has a path.
pub const WB_ACTIVITY_FOLLOWING: u8 = 3;
/// It lets another agent pass; then it asks for a path again.
pub const WB_ACTIVITY_YIELDING: u8 = 4;
/// It has reached its goal; the order is done at the next tick.
pub const WB_ACTIVITY_ARRIVED: u8 = 5;
/// Its goal cannot be reached. An edit may change that.
pub const WB_ACTIVITY_UNREACHABLE: u8 = 6;
/// It rests, and nobody may push it.
pub const WB_ACTIVITY_HOLDING: u8 = 7;

/// An agent was placed. `a`: its class.
pub const WB_EVENT_SPAWNED: u32 = 0;
/// An agent was removed.
pub const WB_EVENT_REMOVED: u32 = 1;
/// A command, or its part about the agent, was not carried out. `a`: the reason, `WB_REFUSED_...`.
pub const WB_EVENT_REFUSED: u32 = 2;
/// An order was given. `a`: its number, `b`: its kind, `WB_ORDER_...`.
pub const WB_EVENT_ORDERED: u32 = 3;
/// An order is done. `a`: its number, `b`: its kind.
pub const WB_EVENT_ORDER_DONE: u32 = 4;
/// The goal of an order cannot be reached; noted once for each order. `a`: its number, `b`: its kind, `c`: the reason,
/// `WB_FAILURE_...`.
pub const WB_EVENT_ORDER_FAILED: u32 = 5;
/// A task was given. `a`, `b`: column and row of its goal, the bits of an `int32_t` each; `c`: the heading asked for,
/// `WB_ANY_HEADING` for any.
pub const WB_EVENT_TASK_GIVEN: u32 = 6;
/// A task is done. `a`, `b`: column and row of the agent's anchor.
pub const WB_EVENT_TASK_DONE: u32 = 7;
/// An agent has another path: the answer to a request, or made by the traffic rule. `a`: its number of moves.
pub const WB_EVENT_PATH_FOUND: u32 = 8;
/// An agent has waited for 8 ticks. `a`: the agent in the way of its next move.
pub const WB_EVENT_BLOCKED: u32 = 9;
/// An edit took effect. `a`: the tick at which it was asked for.
pub const WB_EVENT_EDIT_DONE: u32 = 10;
/// An edit waits until it disturbs no agent; noted once. `a`: the number of agents that it would disturb.
pub const WB_EVENT_EDIT_WAITS: u32 = 11;
/// An agent has another priority. `a`: the priority, the bits of an `int32_t`.
pub const WB_EVENT_PRIORITY_SET: u32 = 12;
/// An agent has another team. `a`: the team.
pub const WB_EVENT_TEAM_SET: u32 = 13;
/// An agent has another speed factor. `a`: the factor in thousandths.
pub const WB_EVENT_SPEED_FACTOR_SET: u32 = 14;
/// An agent has another class. `a`: the class.
pub const WB_EVENT_CLASS_SET: u32 = 15;
/// The tasks of an agent were replaced by others.
pub const WB_EVENT_TASKS_REPLACED: u32 = 16;
/// A waiting edit was withdrawn. `a`, `b`: low and high half of the ticket of its command. The event has the ticket of
/// the command that withdrew it.
pub const WB_EVENT_EDIT_CANCELLED: u32 = 17;
/// A later edit has replaced parts of a waiting edit. `a`, `b`: low and high half of the ticket of the earlier edit,
/// `c`: the changes left of it, 0 if it waits no longer. The event has the ticket of the later edit.
pub const WB_EVENT_EDIT_REPLACED: u32 = 18;
/// An agent has left the map and has no row. `a`: the agent that it entered, `WB_NONE` if none was named.
pub const WB_EVENT_ENTERED: u32 = 19;
/// An agent has come back to the map. `a`: its class.
pub const WB_EVENT_LEFT: u32 = 20;

/// No agent has this id any more, or yet; or there is no such leader to follow or container to enter.
pub const WB_REFUSED_UNKNOWN_AGENT: u32 = 0;
/// There is no class of this number.
pub const WB_REFUSED_UNKNOWN_CLASS: u32 = 1;
/// The pose is not a legal one of the class.
pub const WB_REFUSED_ILLEGAL_POSE: u32 = 2;
/// Another agent holds a cell of the pose, or is about to, or an edit waits for it.
pub const WB_REFUSED_POSE_HELD: u32 = 3;
/// The goal of an order is off the map.
pub const WB_REFUSED_GOAL_OFF_MAP: u32 = 4;
/// A heading is not below the order's number of headings, or that number is not 1, 4, 6 or 8.
pub const WB_REFUSED_WRONG_HEADING: u32 = 5;
/// An order names no goal, or several for a group; orders come after tasks; or an agent is to follow itself.
pub const WB_REFUSED_WRONG_ORDER: u32 = 6;
/// Tasks without a goal for some agent, or with a goal off the map.
pub const WB_REFUSED_WRONG_TASKS: u32 = 7;
/// A list is too long: at most 4,096 orders and 65,536 goals a command, 65,536 changes an edit, 1,048,576 agents.
pub const WB_REFUSED_TOO_LONG: u32 = 8;
/// An edit names an unknown kind of terrain or side, or a cell off the map.
pub const WB_REFUSED_WRONG_EDIT: u32 = 9;
/// The team is not below 32.
pub const WB_REFUSED_UNKNOWN_TEAM: u32 = 10;
/// A speed factor of 0.
pub const WB_REFUSED_WRONG_SPEED_FACTOR: u32 = 11;
/// The most agents are present, or no ids are left.
pub const WB_REFUSED_TOO_MANY_AGENTS: u32 = 12;
/// There is no room for an agent that comes back, or for all agents of a group. The placed agents have events with the
/// same ticket.
pub const WB_REFUSED_NO_ROOM: u32 = 13;
/// The agent waits for no path from the host.
pub const WB_REFUSED_NO_REQUEST: u32 = 14;
/// A path has an illegal move, or does not lead to the goal.
pub const WB_REFUSED_WRONG_PATH: u32 = 15;
/// A primitive that the agent's class does not have.
pub const WB_REFUSED_WRONG_PRIMITIVE: u32 = 16;
/// No edit with this ticket waits.
pub const WB_REFUSED_NO_SUCH_EDIT: u32 = 17;
/// The agent is off the map.
pub const WB_REFUSED_OFF_MAP: u32 = 18;
/// The agent is on the map, where only an agent off the map can come back.
pub const WB_REFUSED_ON_MAP: u32 = 19;

/// Go to a member of the goal, the cheapest.
pub const WB_ORDER_GOTO: u32 = 0;
/// Go to the cheapest pose with its anchor in an area that no other agent stands on or is assigned.
pub const WB_ORDER_GOTO_AREA: u32 = 1;
/// Visit the goals in turn, without end.
pub const WB_ORDER_PATROL: u32 = 2;
/// Stand for a number of ticks.
pub const WB_ORDER_WAIT: u32 = 3;
/// Do one task after another, without end. The last of a list.
pub const WB_ORDER_TASKS: u32 = 4;
/// Go to a pose around the goal; poses are assigned to all agents of the command together.
pub const WB_ORDER_GOTO_GROUP: u32 = 5;
/// Drop all orders behind this one and rest; others may push the agent.
pub const WB_ORDER_STOP: u32 = 6;
/// Rest without end. Nobody pushes the agent, and searches take it for an obstacle.
pub const WB_ORDER_HOLD: u32 = 7;
/// Keep within a number of cells of an agent, until that is gone.
pub const WB_ORDER_FOLLOW: u32 = 8;
/// Stand in place for a number of ticks. Nobody pushes the agent, and searches take it for an obstacle.
pub const WB_ORDER_WAIT_IN_PLACE: u32 = 9;
/// Do a number of orders before it in its list once more, without end.
pub const WB_ORDER_REPEAT: u32 = 10;
/// Go to a pose around the goal in formation: the agents of the command keep their layout and the pace of the slowest.
/// They face the heading of the goal, if their class has it.
pub const WB_ORDER_GOTO_FORMATION: u32 = 11;

/// No member of the goal is on the map.
pub const WB_FAILURE_GOAL_OFF_MAP: u32 = 0;
/// The class has none of the headings that the order names.
pub const WB_FAILURE_NO_SUCH_HEADING: u32 = 1;
/// No pose of the goal is legal.
pub const WB_FAILURE_GOAL_BLOCKED: u32 = 2;
/// No sequence of moves leads from the agent to the goal.
pub const WB_FAILURE_UNREACHABLE: u32 = 3;
/// Agents on hold, or resting agents of other teams, are in the way.
pub const WB_FAILURE_OBSTRUCTED: u32 = 4;
/// All poses in the area, or near the group's goal, are taken.
pub const WB_FAILURE_NO_ROOM: u32 = 5;
/// The path would take more than 2^32 - 2 ticks.
pub const WB_FAILURE_COST_OVERFLOW: u32 = 6;

/// An agent after a tick.
///
/// The move fields (`from_x` to `turn`, `begin_tick`, `end_tick`) hold the present move, and at rest the last one. So
/// after the step that leads to tick t they say where the agent was at any time from t - 1 to t. At time u its part of
/// the move is (u - `begin_tick`) / (`end_tick` - `begin_tick`), at most 1. For an agent that has not moved since it
/// was placed, both poses are its pose. Both ticks are the tick at which it was placed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct wb_agent_row {
    /// Its id, for life; never used again.
    pub id: u32,
    /// Number of its class.
    pub class_: u8,
    /// Its team.
    pub team: u8,
    /// `WB_ACTIVITY_...`
    pub activity: u8,
    /// Number of the primitive of the move in progress; `WB_AT_REST` at rest.
    pub primitive: u8,
    /// Column of the anchor where the move began.
    pub from_x: i32,
    /// Row of cells of the anchor where the move began.
    pub from_y: i32,
    /// Column of the anchor where the move ends; at rest, of the anchor.
    pub to_x: i32,
    /// Row of cells of the anchor where the move ends; at rest, of the anchor.
    pub to_y: i32,
    /// Heading at which the move began.
    pub from_heading: u8,
    /// Heading at which the move ends; at rest, the heading.
    pub to_heading: u8,
    /// Heading steps of the move, counterclockwise positive. With 8 headings a turn by 1 and one by -7 have the same
    /// ends.
    pub turn: i8,
    /// Kind of the current order, `WB_ORDER_...`; `WB_NO_ORDER` without one.
    pub order_kind: u8,
    /// Tick at which the move began.
    pub begin_tick: u32,
    /// Tick at which the move ends; at rest, since which the agent rests.
    pub end_tick: u32,
    /// Tick since which it could have moved on but has not; `WB_NEVER` while it does not wait.
    pub waits_since: u32,
    /// Number of the current order, as in events; `WB_NONE` without one.
    pub order: u32,
    /// Bits: `WB_FLAG_...`. The others are 0 for now.
    pub flags: u32,
}

/// One thing that happened at the last tick.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct wb_event_row {
    /// The tick.
    pub tick: u32,
    /// `WB_EVENT_...`, which says what `a`, `b` and `c` are.
    pub kind: u32,
    /// Id of the agent; `WB_NONE` if it is about none.
    pub agent: u32,
    /// See `kind`; 0 without a meaning.
    pub a: u32,
    /// As `a`.
    pub b: u32,
    /// As `a`.
    pub c: u32,
    /// Ticket of the command that asked for it, of refusals, placements, and edits; `WB_NO_TICKET` without one.
    pub ticket: u64,
}

/// Details of an event. A field that does not apply is `WB_NONE`, `WB_NO_TICKET`, or 0 where its comment says so.
///
/// `ticket`: all events that a command is the cause of, orders done and failed among them. `reached`: an order done.
/// `blocker`: refused because the pose is held, an order that is obstructed, an agent that is blocked. `class`, `team`
/// and `pose`: placed, removed (the last values), refused (the values of the command), another class or team. `area`
/// and `agents`: edits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_event_details {
    /// `sizeof(wb_event_details)`, set by the caller.
    pub size: u32,
    /// Where an order has ended: `WB_REACHED_GOAL` ...; `WB_REACHED_NOTHING` of other events.
    pub reached: u32,
    /// Ticket of the command that is the cause; of an order, the command that gave it.
    pub ticket: u64,
    /// The agent in the way.
    pub blocker: u32,
    /// Number of the class.
    pub class_: u32,
    /// The team.
    pub team: u32,
    /// How many of `agents` there are.
    pub n_agents: u32,
    /// The pose; all zeros but for the heading `WB_NONE` without one.
    pub pose: wb_pose,
    /// Rectangle around the cells of an edit, on the map; all zeros without one.
    pub area: wb_rect,
    /// Agents for which an edit waits or waited at first, in order of id, at most 8; the others are 0.
    pub agents: [u32; 8],
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers alone, without padding, the first a `u32`.
unsafe impl Sized32 for wb_event_details {
    const SIZE_MIN: usize = 96;
    const NAME: &'static str = "wb_event_details";
}

/// The details of an event as C reads them.
pub(crate) fn event_details(details: &EventDetails<'_>) -> wb_event_details {
    let mut agents = [0; 8];
    let n_agents = agents.iter_mut().zip(details.agents).map(|(to, agent)| *to = agent.0).count();
    wb_event_details {
        size: size_of::<wb_event_details>() as u32,
        reached: reached_number(details.reached),
        ticket: details.ticket.map_or(WB_NO_TICKET, |ticket| ticket.0),
        blocker: details.blocker.map_or(WB_NONE, |agent| agent.0),
        class_: details.class.map_or(WB_NONE, |class| class.0.into()),
        team: details.team.map_or(WB_NONE, |team| team.0.into()),
        n_agents: n_agents as u32,
        pose: details.pose.map_or(wb_pose { x: 0, y: 0, heading: WB_NONE }, wb_pose::from),
        area: details.area.map_or(wb_rect::default(), wb_rect::from),
        agents,
        reserved: 0,
    }
}

// The rows of Rust are given out as they lie in memory, so each field has to lie where C looks for it.
macro_rules! same_layout {
    ($c:ident, $rust:ident: $($field:ident $of_rust:ident),+) => {
        const _: () = assert!(size_of::<$c>() == size_of::<$rust>() && align_of::<$c>() == align_of::<$rust>());
        $(const _: () = assert!(offset_of!($c, $field) == offset_of!($rust, $of_rust));)+
        // Every field is named, and of the same type.
        const _: fn($c) -> $rust = |row| { let $c { $($field),+ } = row; $rust { $($of_rust: $field),+ } };
    };
}

same_layout!(
    wb_agent_row, AgentRow:
    id id, class_ class, team team, activity activity, primitive primitive, from_x from_x, from_y from_y,
    to_x to_x, to_y to_y, from_heading from_heading, to_heading to_heading, turn turn, order_kind order_kind,
    begin_tick begin_tick, end_tick end_tick, waits_since waits_since, order order, flags flags
);
same_layout!(
    wb_event_row, EventRow:
    tick tick, kind kind, agent agent, a a, b b, c c, ticket ticket
);

/// The rows of agents as C reads them.
pub(crate) fn agent_rows(rows: &[AgentRow]) -> *const wb_agent_row {
    rows.as_ptr().cast()
}

/// The rows of events as C reads them.
pub(crate) fn event_rows(rows: &[EventRow]) -> *const wb_event_row {
    rows.as_ptr().cast()
}

/// The name of an activity, such as "following", ending with a zero byte; null for a number that is none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_activity_name(activity: u32) -> *const c_char {
    static NAMES: Names = Names::new();
    NAMES.of(activity, || Activity::ALL.map(Activity::name))
}

/// The name of a kind of event, such as "order_done", ending with a zero byte; null for a number that is none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_event_kind_name(kind: u32) -> *const c_char {
    static NAMES: Names = Names::new();
    NAMES.of(kind, || EventKind::ALL.map(EventKind::name))
}

/// The name of a kind of order, such as "goto_group", ending with a zero byte; null for a number that is none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_order_kind_name(kind: u32) -> *const c_char {
    static NAMES: Names = Names::new();
    NAMES.of(kind, || OrderKind::NAMES)
}

/// The name of a reason for a refusal, such as "pose_held", ending with a zero byte; null for a number that is none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_refusal_name(refusal: u32) -> *const c_char {
    static NAMES: Names = Names::new();
    NAMES.of(refusal, || RefusalReason::ALL.map(RefusalReason::name))
}

/// The name of a reason why an order failed, such as "goal_blocked", ending with a zero byte; null for a number that is
/// none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_failure_name(failure: u32) -> *const c_char {
    static NAMES: Names = Names::new();
    NAMES.of(failure, || UnreachableReason::ALL.map(UnreachableReason::name))
}
