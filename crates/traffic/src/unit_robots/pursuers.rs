//! Who pursues its goal where the map is too full for all.

use crate::params::TrafficParams;
use crate::unit_robots::unit_map::UnitMap;

/// Memory for the choice of those that pursue their goals.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    /// What robots with goals are chosen by, the least first, and their rows.
    pub(super) by_claim: Vec<(u64, u32)>,
}

/// Whether so many robots leave hardly a cell of the map empty.
pub(super) fn is_packed(params: &TrafficParams, map: &UnitMap, robots: usize) -> bool {
    robots * 8 >= map.n_free() * params.robot_packed_eighths as usize
}
