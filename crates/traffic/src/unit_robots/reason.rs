//! Why a robot does not go on, found on demand from what the robots hold between two ticks.

use crate::reason::Reason;
use crate::speed::USUAL_SPEED_PERMILLE;
use crate::unit_robots::crowd::n_carried;
use crate::unit_robots::operations::DEPTH;
use crate::unit_robots::robot_reservations::NOBODY;
use crate::unit_robots::state::UnitRobots;
use crate::unit_robots::team::NO_GOAL;
use crate::unit_robots::unit_fields::NO_WINDOW;
use crate::unit_robots::unit_map::BLOCKED;
use crate::view::TrafficView;

/// Why a robot at rest with a goal does not move on; `None` for robots that the rule has not seen yet.
pub(super) fn reason_of(rule: &UnitRobots, view: &TrafficView<'_>, row: usize) -> Option<Reason> {
    let UnitRobots { params, map, team, fields, .. } = rule;
    if team.len() != view.agents.len() || rule.newest != view.agents.ids.last().copied() {
        return None;
    }
    let motion = &view.agents.motion[row];
    let pose = view.tables[motion.class.0 as usize].space().pose(motion.state);
    let at = map.index(pose.cell);
    if map.number(at) == BLOCKED || view.agents.speed_factors[row] < USUAL_SPEED_PERMILLE {
        return Some(Reason::Stopped);
    }
    if team.bound_until[row] > view.tick {
        return Some(Reason::Pushed { until: team.bound_until[row] });
    }
    let goal = team.goal[row];
    if goal == NO_GOAL {
        let is_crowd = team.len() > n_carried(params, map, team.len());
        return Some(if is_crowd { Reason::Crowd } else { Reason::Stopped });
    }
    if fields.of_cell.get(goal as usize).is_none_or(|&field| field == NO_WINDOW) {
        return Some(Reason::NoOperation);
    }
    let cost = |cell: u32, heading: u8| fields.of(goal).cost(map.number(cell), heading % 4);
    let heading = pose.heading.0;
    let turned = cost(at, heading + 1).min(cost(at, heading + 3));
    let steps_on = map.is_open(at, heading) && cost(map.ahead(at, heading), heading) <= turned;
    let found = steps_on.then(|| in_way(rule, view, row, map.ahead(at, heading))).flatten();
    Some(found.unwrap_or(Reason::NoOperation))
}

/// The robot that has reserved a cell at the end of the next tick, or is on it now.
fn in_way(rule: &UnitRobots, view: &TrafficView<'_>, row: usize, cell: u32) -> Option<Reason> {
    // The reservations count from the last tick.
    let holders = [2, 1].map(|depth| rule.reservations.holder(cell, depth));
    let other = holders.into_iter().find(|&other| other != NOBODY && usize::from(other) != row)?;
    let holder = *view.agents.ids.get(usize::from(other))?;
    let motion = &view.agents.motion[row];
    let (tables, primitive) = (&view.tables[motion.class.0 as usize], usize::from(rule.primitives[0]));
    let at = tables.space().pose(tables.state_after(motion.state, primitive)).cell;
    let rests = rule.team.cells[usize::from(other)] == [cell; DEPTH + 1];
    Some(if rests { Reason::Resting { holder, at } } else { Reason::Reserved { holder, at } })
}
