//! A state's node in a search.

/// A state's node in 62 bits: the stamp of the search that last touched it in the high 24, then the
/// complement of the cost so far (32 bits), two flags, and the primitive by which it was reached
/// (4 bits).
///
/// So a node that an earlier search left, and one that was reached at greater cost, are both less than what
/// reaches it now, and an illegal move is made to reach less than any node: the kernel decides all three by
/// one comparison of signed numbers.
pub(crate) struct Node;

impl Node {
    pub const CLOSED: u64 = 1 << 4;
    /// Of this search's goals alone: [`Scratch::reset`] takes it away, whatever the stamp.
    pub const GOAL: u64 = 1 << 5;
    pub const LANE: u64 = 15;
    /// All that is not stamp and cost.
    pub const FLAGS: u64 = (1 << Self::COST_SHIFT) - 1;
    pub const COST_SHIFT: u32 = 6;
    pub const STAMP_SHIFT: u32 = 38;
    /// Cost of a state that was marked but not reached.
    pub const UNREACHED: u32 = u32::MAX;

    /// Taken off a node, it leaves less than any node.
    pub const ILLEGAL: i64 = 1 << 62;

    /// Taken off a node, it adds so many ticks to its cost.
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
