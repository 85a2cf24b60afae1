//! Where an agent is and which move it has begun: what both the tick and the rules of traffic look at.

use crate::collision::Transition;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// An agent's number for life, counted from 0 in order of placing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(pub u32);

/// Number of a movement class of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u8);

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Activity {
    /// No order is left.
    Idle,
    /// It stands for a `wait` order.
    Dwelling,
    /// Its path request is not answered yet.
    AwaitingPath,
    /// It has a path.
    Following,
    /// It makes way for another; then it asks for a path again.
    Yielding,
    /// Its goal is reached; the order is done at the next tick.
    Arrived,
    /// Its goal cannot be reached; it waits for an edit that may change that.
    Unreachable,
}

/// Where an agent is and which move it has begun. 12 bytes, hot.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Pose at rest, or from which the move in progress began.
    pub state: State,
    /// Tick at which the move in progress ends; [`Motion::AT_REST`] without one.
    pub until: u32,
    /// Primitive of the move in progress.
    pub primitive: u8,
    /// What it is doing.
    pub activity: Activity,
    /// Its class.
    pub class: ClassId,
    /// Its path is to be planned anew as soon as it rests.
    pub replan: bool,
}

impl Motion {
    /// `until` of an agent at rest.
    pub const AT_REST: u32 = u32::MAX;

    /// Whether no move is in progress.
    pub fn at_rest(&self) -> bool {
        self.until == Self::AT_REST
    }
}

/// The move of an agent; of one at rest only where it starts means anything.
pub fn transition_of<'a>(tables: &'a [MovementTables], motion: &Motion) -> Transition<'a> {
    let tables = &tables[motion.class.0 as usize];
    let (class, pose) = (tables.class(), tables.space().pose(motion.state));
    Transition { class, pose, primitive: motion.primitive as usize }
}

/// Where an agent rests, or will once the move that it has begun has ended.
pub fn end_state(tables: &MovementTables, motion: &Motion) -> State {
    if motion.at_rest() {
        return motion.state;
    }
    tables.state_after(motion.state, usize::from(motion.primitive))
}

/// Ticks that moves take from a state on, one after the other; `None` if one of them is not legal.
pub fn ticks_of(tables: &MovementTables, mut state: State, moves: &[u8]) -> Option<u64> {
    let mut ticks = 0;
    for &primitive in moves {
        ticks += u64::from(tables.move_ticks(state, usize::from(primitive))?);
        state = tables.state_after(state, usize::from(primitive));
    }
    Some(ticks)
}

/// Shortest and longest side of a class's body in cells.
pub fn sides(tables: &MovementTables) -> (u32, u32) {
    let class = tables.class();
    let sides = class.frames().map(|frame| class.footprint().extent(frame));
    sides.fold((u32::MAX, 1), |(short, long), (width, height)| {
        (short.min(width.min(height)), long.max(width.max(height)))
    })
}

/// Waiting and giving way.
#[derive(Clone, Copy, Debug)]
pub struct WaitState {
    /// Given priority; higher goes first.
    pub priority: i32,
    /// Tick since which it could have moved on but did not; `u32::MAX` while it moves.
    pub waits_since: u32,
    /// Tick at which its last move ended or it was placed.
    pub moved_at: u32,
    /// Earliest tick at which it may ask again for a way around others.
    pub ask_again_at: u32,
    /// Times in a row that it found no way around.
    pub failures: u8,
    /// Earliest tick at which it may look again for a quicker way.
    pub look_again_at: u32,
    /// Times in a row that it found none that is quicker.
    pub look_failures: u8,
    /// An edit has made its pose or move illegal, and nothing has freed it since.
    pub stranded: bool,
}
