//! Counts the agents that wait, before the moves of the tick end, and drops idle agents from the rows that ticks visit.

use crate::rows::event_row::EventRow;
use crate::world::World;
use wheelbase_traffic::motion::{Activity, WaitState};

/// Ticks of waiting after which an event names the agent in the way.
const BLOCKED_AFTER_TICKS: u32 = 8;

/// Counts moving agents and waiting ones: at rest with a path to follow, or waiting for a path. Idle agents, which
/// all phases of the tick have seen by now, are not visited any more.
pub(crate) fn count_waiting(world: &mut World) {
    let tick = world.tick;
    let World { agents, tables, congestion, traffic, counts, tick_buffers, .. } = world;
    let blocked = &mut tick_buffers.blocked;
    blocked.clear();
    let needs_paths = traffic.needs_paths();
    (counts.moving, counts.waiting) = (0, 0);
    let mut next = 0;
    while let Some(row) = agents.busy.next_from(next) {
        next = row + 1;
        let (motion, since) = (agents.motion[row], agents.wait_states[row].waits_since);
        let is_under_way = match motion.activity {
            Activity::AwaitingPath | Activity::Following => true,
            Activity::Yielding => !agents.paths[row].is_empty(),
            _ => false,
        };
        counts.moving += u32::from(!motion.at_rest());
        if !(motion.at_rest() && is_under_way) {
            agents.set_waits_since(row, WaitState::NOT_WAITING);
            if agents.is_idle(row) {
                agents.busy.remove(row);
            }
            continue;
        }
        let since = if since == WaitState::NOT_WAITING { tick } else { since };
        agents.set_waits_since(row, since);
        if needs_paths && motion.activity == Activity::Following {
            let space = tables[motion.class.0 as usize].space();
            congestion.count_wait(motion.class, space.pose(motion.state).cell);
        }
        counts.waiting += 1;
        counts.wait_ticks += 1;
        counts.longest_wait_ticks = counts.longest_wait_ticks.max(tick + 1 - since);
        if tick + 1 - since == BLOCKED_AFTER_TICKS {
            blocked.push(row as u32);
        }
    }
    note_blocked(world);
}

/// Notes the agents in the way of others that have waited for some time.
fn note_blocked(world: &mut World) {
    let blocked = std::mem::take(&mut world.tick_buffers.blocked);
    for &row in &blocked {
        if let Some(wait) = world.wait_of(row as usize) {
            let (agent, by) = (world.agents.ids[row as usize], world.agents.ids[wait.row as usize]);
            world.event_rows.push(EventRow::blocked(world.tick, agent, by));
        }
    }
    world.tick_buffers.blocked = blocked;
}
