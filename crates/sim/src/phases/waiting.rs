//! Counts the agents that wait, before the moves of the tick end, and drops idle agents from the rows that ticks visit.

use crate::world::World;
use wheelbase_traffic::motion::Activity;

/// Counts moving agents and waiting ones: at rest with a path to follow, or waiting for a path. Idle agents, which
/// all phases of the tick have seen by now, are not visited any more.
pub(crate) fn count_waiting(world: &mut World) {
    let tick = world.tick;
    let World { agents, tables, congestion, traffic, counts, .. } = world;
    let needs_paths = traffic.needs_paths();
    (counts.moving, counts.waiting) = (0, 0);
    let mut next = 0;
    while let Some(row) = agents.busy.next_from(next) {
        next = row + 1;
        let (motion, wait_state) = (&agents.motion[row], &mut agents.wait_states[row]);
        let is_under_way = match motion.activity {
            Activity::AwaitingPath | Activity::Following => true,
            Activity::Yielding => !agents.paths[row].is_empty(),
            _ => false,
        };
        counts.moving += u32::from(!motion.at_rest());
        if !(motion.at_rest() && is_under_way) {
            wait_state.waits_since = u32::MAX;
            if agents.is_idle(row) {
                agents.busy.remove(row);
            }
            continue;
        }
        if wait_state.waits_since == u32::MAX {
            wait_state.waits_since = tick;
        }
        if needs_paths && motion.activity == Activity::Following {
            let space = tables[motion.class.0 as usize].space();
            congestion.count_wait(motion.class, space.pose(motion.state).cell);
        }
        counts.waiting += 1;
        counts.wait_ticks += 1;
        counts.longest_wait_ticks = counts.longest_wait_ticks.max(tick + 1 - wait_state.waits_since);
    }
}
