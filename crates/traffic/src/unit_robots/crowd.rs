//! Crowds: on a map too full for all robots, some pursue no goal for a while.
//!
//! Where robots cover more than about half of the free cells, each robot that goes to its goal keeps others from
//! theirs. The more robots there are, the fewer tasks are done. So only as many pursue their goals as the map carries.
//! The others rest, and any robot may push them. (The winner of the League of Robot Runners 2023 leaves robots without
//! goals, too: Jiang et al., SoCS 2024.) Robots near their goals come first, for they soon make room for others. But
//! each tick of waiting makes up for part of the distance, so that every robot has its turn. A robot that has waited
//! longer by `robot_ticks_of_step_packed` times the diameter of the map always comes first.

use crate::motion::Activity;
use crate::params::TrafficParams;
use crate::unit_robots::team::{NO_GOAL, Team};
use crate::unit_robots::unit_map::UnitMap;
use crate::view::TrafficView;

/// Scratch memory of the selection.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    /// Robots with goals: what they are selected by, the least first, and their rows.
    by_order: Vec<(u64, u32)>,
}

/// Whether this many robots leave hardly a cell of the map empty.
pub(super) fn is_packed(params: &TrafficParams, map: &UnitMap, robots: usize) -> bool {
    robots * 8 >= map.n_free() * params.robot_packed_eighths as usize
}

/// Robots whose goals a map with this many robots carries.
pub(super) fn n_carried(params: &TrafficParams, map: &UnitMap, robots: usize) -> usize {
    let empty = map.n_free().saturating_sub(robots);
    empty.max(map.n_free() * params.robot_pursuers as usize / params.robot_pursuers_of as usize)
}

/// Drops, for this tick, the goals of the robots that do not pursue them.
pub(super) fn select_pursuers(
    crowd: &mut Crowd,
    team: &mut Team,
    (params, map): (&TrafficParams, &UnitMap),
    view: &TrafficView<'_>,
) {
    let carried = n_carried(params, map, team.len());
    if team.len() <= carried {
        return;
    }
    let packed = is_packed(params, map, team.len());
    let ticks_of_step = if packed { params.robot_ticks_of_step_packed } else { params.robot_ticks_of_step };
    crowd.by_order.clear();
    crowd.by_order.reserve(team.len());
    for row in 0..team.len() {
        // A robot that cannot reach its goal does not count.
        let may_pursue =
            team.goal[row] != NO_GOAL && view.agents.motion[row].activity != Activity::Unreachable;
        if may_pursue {
            let distance = map.distance(team.at[row], team.goal_at[row]);
            // A robot that has gone first without success waits again from then on.
            let since = team.waits_since[row].max(view.agents.stamps[row].since);
            crowd.by_order.push((u64::from(since) + u64::from(ticks_of_step * distance), row as u32));
        }
    }
    if crowd.by_order.len() <= carried {
        return;
    }
    crowd.by_order.select_nth_unstable(carried);
    for &(_, row) in &crowd.by_order[carried..] {
        team.drop_goal(row as usize);
    }
}
