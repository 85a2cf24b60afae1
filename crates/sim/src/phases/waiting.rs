//! Who could go on but rests, counted before the moves of the tick end; and who is passed over from now on.

use crate::counts::AtWork;
use crate::world::World;
use wheelbase_traffic::motion::Activity;

/// Counts the agents that could go on but rest. Those that have nothing to do, which all phases of the tick have seen,
/// are visited no more.
pub(crate) fn count_waiting(world: &mut World) {
    let tick = world.tick;
    let World { agents, tables, congestion, paths, traffic, counts, at_work, .. } = world;
    let needs_paths = traffic.needs_paths();
    *at_work = AtWork::default();
    if needs_paths {
        congestion.fade(tick);
        congestion.renew(tick, agents, tables, paths);
    }
    let mut next = 0;
    while let Some(row) = agents.busy.next_from(next) {
        next = row + 1;
        let (motion, wait_state) = (&agents.motion[row], &mut agents.wait_states[row]);
        let goes = match motion.activity {
            Activity::AwaitingPath | Activity::Following => true,
            Activity::Yielding => !agents.paths[row].is_empty(),
            _ => false,
        };
        let waits = motion.at_rest() && goes;
        at_work.moving += u32::from(!motion.at_rest());
        if !waits {
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
        at_work.waiting += 1;
        counts.wait_ticks += 1;
        counts.longest_wait_ticks = counts.longest_wait_ticks.max(tick + 1 - wait_state.waits_since);
    }
}
