//! Moves as the tables hold them: the steps of primitives, and what an update does to them.

use crate::model::pose::State;

/// One legal move out of or into a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Number of the primitive.
    pub primitive: u8,
    /// The state at the other end of the move.
    pub state: State,
    /// Time of the move in ticks.
    pub ticks: u32,
}

/// A primitive in one frame, as the kernel reads it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// Difference of the states' indices.
    pub delta: i32,
    pub dx: i32,
    pub dy: i32,
    pub heading_after: u32,
}

/// The primitives that a class has in one frame, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlotsAt {
    /// Number of the primitive, and the difference of the states' indices.
    pub slots: [(u32, i32); 16],
    pub n: usize,
}

/// What an edit of the map did to the moves of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Some pose or move became legal or illegal, or takes another time.
    pub changed: bool,
    /// Some pose or move became legal, or takes less time. Without it what had no way has none still, and
    /// a cheapest path that is legal is still a cheapest one.
    pub eased: bool,
}

impl Update {
    pub(crate) fn or(self, other: Self) -> Self {
        Self { changed: self.changed || other.changed, eased: self.eased || other.eased }
    }
}

/// Room for the costs of the widest numbered words: sixteen moves of 256 codes each.
pub(crate) const COSTS: usize = 1 << 12;

/// Steps a frame has in `MovementTables::steps`.
pub(crate) const STEPS_STRIDE: usize = 16;
