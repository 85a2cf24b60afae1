//! The packed search node of a state.

use crate::model::outcome::UNREACHED;

/// A state's node in 62 bits. The high 24 are the stamp of the search that last touched it. Then come the complement of
/// the cost so far (32 bits), two flags, and the primitive by which it was reached (4 bits).
///
/// By this encoding a node left by an earlier search is less than a node that reaches the state now. So is a node
/// reached at greater cost. An illegal move yields less than any node. So the kernel decides all three cases by one
/// comparison of signed numbers.
pub(crate) struct Node;

impl Node {
    pub const CLOSED: u64 = 1 << 4;
    /// Valid for the current search's goals only: `Scratch::reset` clears it, whatever the stamp.
    pub const GOAL: u64 = 1 << 5;
    pub const SLOT_MASK: u64 = 15;
    /// All bits except stamp and cost.
    pub const FLAGS: u64 = (1 << Self::COST_SHIFT) - 1;
    pub const COST_SHIFT: u32 = 6;
    pub const STAMP_SHIFT: u32 = 38;
    /// Cost of a state that was marked but not reached.
    pub const UNREACHED: u32 = UNREACHED;

    /// Subtracted from a node, gives less than any node.
    pub const ILLEGAL: i64 = 1 << 62;

    /// Subtracted from a node, increases its cost by `ticks`.
    #[inline(always)]
    pub const fn cost_of(ticks: u32) -> i64 {
        (ticks as i64) << Self::COST_SHIFT
    }

    #[inline(always)]
    pub fn cost(node: u64) -> u32 {
        !((node >> Self::COST_SHIFT) as u32)
    }

    #[inline(always)]
    pub fn stamp(node: u64) -> u32 {
        (node >> Self::STAMP_SHIFT) as u32
    }

    #[inline(always)]
    pub fn pack(cost: u32, stamp: u32, flags: u64) -> u64 {
        (u64::from(stamp) << Self::STAMP_SHIFT) | (u64::from(!cost) << Self::COST_SHIFT) | flags
    }
}
