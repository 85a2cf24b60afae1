//! Moves as stored in the tables, and the effect of an update on them.

use crate::model::pose::State;

/// A legal move out of a state or into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Number of the primitive.
    pub primitive: u8,
    /// The state at the other end of the move.
    pub state: State,
    /// Time of the move in ticks.
    pub ticks: u32,
}

/// The effect of a primitive on the state in one frame, as read by the kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MoveDelta {
    /// Difference of the state indices.
    pub delta: i32,
    pub dx: i32,
    pub dy: i32,
    pub heading_after: u32,
}

/// The primitives available in one frame, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FrameSlots {
    /// Number of the primitive, and the difference of the state indices.
    pub slots: [(u32, i32); 16],
    pub n: usize,
}

/// Effect of an edit of the map on the moves of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// A pose or move became legal or illegal, or a move takes another time.
    pub changed: bool,
    /// A pose or move became legal, or a move takes less time. If false, unreachable goals stay unreachable,
    /// and a cheapest path that is still legal is still a cheapest path.
    pub eased: bool,
}

impl Update {
    pub(crate) fn or(self, other: Self) -> Self {
        Self { changed: self.changed || other.changed, eased: self.eased || other.eased }
    }
}

/// Entries for the costs of the widest indexed words: sixteen moves of 256 codes each.
pub(crate) const COST_ENTRIES: usize = 1 << 12;

/// Primitive slots per frame in tables indexed by frame and primitive.
pub(crate) const FRAME_STRIDE: usize = 16;
