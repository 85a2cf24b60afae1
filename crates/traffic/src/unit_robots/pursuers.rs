//! Who pursues its goal where the map is too full for all.

use crate::unit_robots::unit_map::UnitMap;

/// A map is packed where the robots stand in so many of so many free cells at least.
pub(super) const PACKED: usize = 7;

pub(super) const PACKED_OF: usize = 8;

/// Memory for the choice of those that pursue their goals.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    /// What robots with goals are chosen by, the least first, and their rows.
    pub(super) by_claim: Vec<(u64, u32)>,
}

/// Whether so many robots leave hardly a cell of the map empty.
pub(super) fn is_packed(map: &UnitMap, robots: usize) -> bool {
    robots * PACKED_OF >= map.n_free() * PACKED
}
