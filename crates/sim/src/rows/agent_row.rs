//! An agent as games and renderers read it.

use crate::plain::Plain;
use serde::{Deserialize, Serialize};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};
use wheelbase_traffic::motion::{Activity, AgentId, ClassId};

/// An agent after a tick, in 48 bytes without padding. It has plain integers in the order of the fields, so that other
/// languages read an array of them as it is. [`World::agents`](crate::World::agents) gives one for each agent present,
/// in order of id.
///
/// The move fields (`from_x` to `turn`, `begin_tick`, `end_tick`) hold the present move, and at rest the last one. So
/// after the step to tick t they tell where the agent was at any time from t - 1 to t. That includes moves of one tick.
/// [`AgentRow::part`] needs no other case. They do not change while the move is under way, whatever is edited. Of an
/// agent that has not moved yet, both poses are its pose. Both ticks are the tick at which it was placed. What comes
/// after t is not known yet: an agent at rest can begin a move at t.
///
/// ```
/// use wheelbase_planner::{Heading, Pose};
/// use wheelbase_sim::AgentRow;
///
/// let row = AgentRow { to_x: 3, end_tick: 18, begin_tick: 10, primitive: 0, ..AgentRow::default() };
/// assert_eq!((row.is_moving(), row.part(12.0), row.to()), (true, 0.25, Pose::new(3, 0, Heading(0))));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// Its id, an [`AgentId`]. Never used again.
    pub id: u32,
    /// Number of its class, a [`ClassId`].
    pub class: u8,
    /// Its team.
    pub team: u8,
    /// Number of its activity ([`Activity`]). 0 idle, 1 dwelling, 2 awaiting a path, 3 following a path, 4 yielding. 5
    /// arrived, 6 goal unreachable, 7 on hold.
    pub activity: u8,
    /// Number of the primitive of the move in progress; [`AgentRow::AT_REST`] at rest.
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
    /// Heading steps of the move, counter-clockwise positive; fewer than the headings in magnitude. With 8 headings a
    /// turn by 1 and one by -7 have the same ends.
    pub turn: i8,
    /// Kind of the current order, an index into [`OrderKind::NAMES`](crate::OrderKind::NAMES); [`AgentRow::NO_ORDER`]
    /// without one.
    pub order_kind: u8,
    /// Tick at which the move began.
    pub begin_tick: u32,
    /// Tick at which the move ends; at rest, since which the agent rests.
    pub end_tick: u32,
    /// Tick since which it could have moved on but has not; [`AgentRow::NEVER`] while it does not wait.
    pub waits_since: u32,
    /// Number of the current order in [`World::orders`](crate::World::orders); [`AgentRow::NEVER`] without one.
    pub order: u32,
    /// Bits: [`AgentRow::STRANDED`], [`AgentRow::ON_HOLD`], [`AgentRow::TO_NEAREST`], [`AgentRow::ON_LEG`]. The others
    /// are 0 for now.
    pub flags: u32,
}

/// The move fields of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastMove {
    pub from: Pose,
    pub to: Pose,
    /// Fits in an `i8`.
    pub turn: i16,
    pub begin: u32,
    pub end: u32,
}

// Without padding, so that every byte has a value.
const _: () = assert!(size_of::<AgentRow>() == 12 * size_of::<u32>());

/// Its last move; the other fields repeat what the arrays of the agents hold.
impl Plain for AgentRow {
    type Value = LastMove;

    fn value(&self) -> LastMove {
        self.last_move()
    }

    fn of(last: LastMove) -> Option<Self> {
        i8::try_from(last.turn).ok()?;
        let mut row = Self::default();
        row.set_last_move(&last);
        Some(row)
    }
}

impl Default for AgentRow {
    /// Agent 0, placed at tick 0 in the north-west corner.
    fn default() -> Self {
        Self::placed(AgentId(0), ClassId(0), Pose::new(0, 0, Heading(0)), 0)
    }
}

impl AgentRow {
    /// `primitive` of an agent at rest.
    pub const AT_REST: u8 = u8::MAX;
    /// `order_kind` of an agent without an order.
    pub const NO_ORDER: u8 = u8::MAX;
    /// `waits_since` and `order` without a value.
    pub const NEVER: u32 = u32::MAX;
    /// Bit of `flags`: an edit has made its pose or its move illegal, and no later edit has undone that.
    pub const STRANDED: u32 = 1;
    /// Bit of `flags`: it holds its position and is never pushed.
    pub const ON_HOLD: u32 = 1 << 1;
    /// Bit of `flags`: its path leads to the pose nearest to a goal that it cannot reach.
    pub const TO_NEAREST: u32 = 1 << 2;
    /// Bit of `flags`: its path is a leg of a route over the abstract graph, and does not lead to its goal.
    pub const ON_LEG: u32 = 1 << 3;

    /// The id.
    pub fn agent(&self) -> AgentId {
        AgentId(self.id)
    }

    /// Its activity; `None` for an unknown number, which no world produces.
    pub fn activity(&self) -> Option<Activity> {
        Activity::ALL.get(usize::from(self.activity)).copied()
    }

    /// Whether a move is in progress.
    pub fn is_moving(&self) -> bool {
        self.primitive != Self::AT_REST
    }

    /// The pose in which the present or last move began.
    pub fn from(&self) -> Pose {
        Pose::new(self.from_x, self.from_y, Heading(self.from_heading))
    }

    /// The pose in which the present or last move ends; at rest, the pose.
    pub fn to(&self) -> Pose {
        Pose::new(self.to_x, self.to_y, Heading(self.to_heading))
    }

    /// A pose whose cells the agent surely holds: its pose at rest, else the pose in which its move began.
    pub fn pose(&self) -> Pose {
        if self.is_moving() { self.from() } else { self.to() }
    }

    /// Whether a bit of `flags` is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// An agent placed at a tick, idle and without an order.
    pub(crate) fn placed(agent: AgentId, class: ClassId, pose: Pose, tick: u32) -> Self {
        let Pose { cell: CellXY { x, y }, heading: Heading(heading) } = pose;
        Self {
            id: agent.0,
            class: class.0,
            team: 0,
            activity: Activity::Idle as u8,
            primitive: Self::AT_REST,
            from_x: x,
            from_y: y,
            to_x: x,
            to_y: y,
            from_heading: heading,
            to_heading: heading,
            turn: 0,
            order_kind: Self::NO_ORDER,
            begin_tick: tick,
            end_tick: tick,
            waits_since: Self::NEVER,
            order: Self::NEVER,
            flags: 0,
        }
    }

    /// Begins a move: primitive and heading steps of the turn, poses and ticks of start and end.
    pub(crate) fn begin_move(
        &mut self,
        (primitive, turn): (u8, i8),
        [from, to]: [Pose; 2],
        [begin, end]: [u32; 2],
    ) {
        (self.primitive, self.turn) = (primitive, turn);
        (self.from_x, self.from_y, self.from_heading) = (from.cell.x, from.cell.y, from.heading.0);
        (self.to_x, self.to_y, self.to_heading) = (to.cell.x, to.cell.y, to.heading.0);
        (self.begin_tick, self.end_tick) = (begin, end);
    }

    /// The move fields.
    pub(crate) fn last_move(&self) -> LastMove {
        let (from, to, turn) = (self.from(), self.to(), i16::from(self.turn));
        LastMove { from, to, turn, begin: self.begin_tick, end: self.end_tick }
    }

    /// Sets the move fields except the primitive.
    pub(crate) fn set_last_move(&mut self, &LastMove { from, to, turn, begin, end }: &LastMove) {
        self.begin_move((self.primitive, turn as i8), [from, to], [begin, end]);
    }

    /// Takes another class in a pose, at rest there since a tick.
    pub(crate) fn reclass(&mut self, class: ClassId, pose: Pose, tick: u32) {
        *self = Self {
            team: self.team,
            order_kind: self.order_kind,
            order: self.order,
            flags: self.flags,
            waits_since: self.waits_since,
            ..Self::placed(self.agent(), class, pose, tick)
        };
    }

    /// Ends the move in progress.
    pub(crate) fn end_move(&mut self) {
        self.primitive = Self::AT_REST;
    }

    /// Sets or clears a bit of `flags`.
    pub(crate) fn set(&mut self, flag: u32, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }
}
