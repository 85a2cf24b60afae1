//! Poses and moves of agents, as the tick and the traffic rules stream over them.

use crate::collision::Transition;
use crate::saved::saved;
use crate::ticks::NEVER;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// An agent's id: its name for life. Counted from 0 in order of placement, never used again; not an index of tables,
/// which would grow with every agent ever placed ([`AgentSlot`] is).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(pub u32);

saved!(AgentId { 0 });

impl AgentId {
    /// The id of no agent.
    pub const NOBODY: Self = Self(u32::MAX);
}

/// An agent slot: the place of an agent in tables by agent while it is present. Slots of removed agents are reused,
/// the lowest first, so that tables are as long as the most agents present together. Data that outlive an agent, or
/// put agents in order, have its [`AgentId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentSlot(pub u32);

saved!(AgentSlot { 0 });

impl AgentSlot {
    /// The agent slot of no agent.
    pub const NOBODY: Self = Self(u32::MAX);

    /// Index in tables by agent slot.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a movement class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u8);

/// Ticks that an agent rests at its retreat before it takes up its order again.
pub const YIELD_HOLD_TICKS: u32 = 12;

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Activity {
    /// No order is left.
    Idle,
    /// It rests for a `wait` order, or near the agent that it follows.
    Dwelling,
    /// Its path request has no answer yet.
    AwaitingPath,
    /// It has a path.
    Following,
    /// It lets another agent pass; then it asks for a path again.
    Yielding,
    /// It has reached its goal; the order is done at the next tick.
    Arrived,
    /// Its goal cannot be reached. An edit may change that.
    Unreachable,
    /// It rests, and nobody may push it.
    Holding,
}

impl Activity {
    /// All activities, each at the index that is its number.
    pub const ALL: [Self; 8] = [
        Self::Idle,
        Self::Dwelling,
        Self::AwaitingPath,
        Self::Following,
        Self::Yielding,
        Self::Arrived,
        Self::Unreachable,
        Self::Holding,
    ];

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        ["idle", "dwelling", "awaiting_path", "following", "yielding", "arrived", "unreachable", "holding"]
            [self as usize]
    }
}

/// Pose and move of an agent. 12 bytes, hot.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// State at rest, or in which the move in progress began.
    pub state: State,
    /// Tick at which the move in progress ends; [`Motion::AT_REST`] without one.
    pub until: u32,
    /// Primitive of the move in progress.
    pub primitive: u8,
    /// Its present activity.
    pub activity: Activity,
    /// Its class.
    pub class: ClassId,
    /// Its path must be planned again as soon as it rests.
    pub replan: bool,
}

impl Motion {
    /// `until` of an agent at rest.
    pub const AT_REST: u32 = NEVER;

    /// Whether no move is in progress.
    pub fn at_rest(&self) -> bool {
        self.until == Self::AT_REST
    }
}

/// The move of an agent. At rest only its start has a meaning.
pub fn transition_of<'a>(tables: &'a [MovementTables], motion: &Motion) -> Transition<'a> {
    let tables = &tables[motion.class.0 as usize];
    let (class, pose) = (tables.class(), tables.space().pose(motion.state));
    Transition { class, pose, primitive: motion.primitive as usize }
}

/// State of an agent at rest, or after its move in progress.
pub fn end_state(tables: &MovementTables, motion: &Motion) -> State {
    if motion.at_rest() {
        return motion.state;
    }
    tables.state_after(motion.state, usize::from(motion.primitive))
}

/// Shortest and longest side of a class's body in cells.
pub fn sides(tables: &MovementTables) -> (u32, u32) {
    let class = tables.class();
    let extents = || class.frames().map(|frame| class.footprint().extent(frame));
    let shortest = extents().map(|(width, height)| width.min(height)).min();
    let longest = extents().map(|(width, height)| width.max(height)).max();
    (shortest.unwrap_or(1), longest.unwrap_or(1))
}

/// Waiting and yielding.
#[derive(Clone, Copy, Debug)]
pub struct WaitState {
    /// Given priority; higher goes first.
    pub priority: i32,
    /// Tick since which it could have moved on but has not; [`WaitState::NOT_WAITING`] while it does not wait.
    pub waits_since: u32,
    /// Tick at which its last move ended, or at which it was placed.
    pub moved_at: u32,
    /// Earliest tick at which it may ask again for a path around others.
    pub ask_again_at: u32,
    /// Requests in a row that found no such path.
    pub failures: u8,
    /// Earliest tick at which it may ask again for a path around congestion.
    pub look_again_at: u32,
    /// Requests in a row that found no quicker path.
    pub look_failures: u8,
    /// An edit has made its pose or move illegal, and no later edit has undone that.
    pub stranded: bool,
}

impl WaitState {
    /// `waits_since` of an agent that does not wait.
    pub const NOT_WAITING: u32 = NEVER;
}

// Every tick streams over it.
const _: () = assert!(size_of::<Motion>() == 12);
