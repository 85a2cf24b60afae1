//! Crowds: on a map that is too full for all, some have no wish of their own for a while.
//!
//! Where more than about half of the free cells are taken, each robot that goes to its goal keeps others from
//! theirs, and the fewer tasks are done the more robots there are. So only as many pursue their goals as the
//! map carries; the others rest where they are, and whoever comes may push them (the winner of the
//! competition of 2023 leaves robots without wishes too: Jiang et al., SoCS 2024). A robot that has been
//! pushed near its goal is soon done, and leaves its right to another: those near their goals come first. But
//! each tick that a robot has waited longer makes up for some way, so that in the end everybody's turn comes:
//! none goes before one that has waited longer by `robot_ticks_of_step_packed` times the way across the map.

use crate::motion::Activity;
use crate::unit_robots::pursuers::is_packed;
use crate::unit_robots::state::UnitRobots;
use crate::view::TrafficView;

impl UnitRobots {
    /// Takes the goals, for this tick, from those that must not pursue them.
    pub(super) fn thin_out(&mut self, view: &TrafficView<'_>) {
        let Self { params, map, team, crowd, .. } = self;
        let empty = map.n_free().saturating_sub(team.at.len());
        let carried =
            empty.max(map.n_free() * params.robot_pursuers as usize / params.robot_pursuers_of as usize);
        if team.at.len() <= carried {
            return;
        }
        let packed = is_packed(params, map, team.at.len());
        let ticks_of_step =
            if packed { params.robot_ticks_of_step_packed } else { params.robot_ticks_of_step };
        crowd.by_claim.clear();
        crowd.by_claim.reserve(team.at.len());
        for row in 0..team.at.len() {
            // Who has no way to its goal takes no part.
            let may = team.goal[row] != u32::MAX && view.agents.motion[row].activity != Activity::Unreachable;
            if may {
                let steps = map.apart(team.at[row], team.goal_at[row]);
                // Who has gone first of all in vain waits anew here too.
                let since = team.waits_since[row].max(view.agents.stamps[row].since);
                let claim = u64::from(since) + u64::from(ticks_of_step * steps);
                crowd.by_claim.push((claim, row as u32));
            }
        }
        if crowd.by_claim.len() <= carried {
            return;
        }
        crowd.by_claim.select_nth_unstable(carried);
        for &(_, row) in &crowd.by_claim[carried..] {
            team.goal[row as usize] = u32::MAX;
            team.goal_at[row as usize] = u32::MAX;
        }
    }
}
