//! Counts the agents that wait, before the moves of the tick end, and drops idle agents from the rows that ticks visit.

use crate::agents::Agents;
use crate::progress::{TripProgress, is_under_way, keep_longest};
use crate::rows::event_details::EventDetails;
use crate::rows::event_row::EventRow;
use crate::world::World;
use wheelbase_traffic::motion::{Activity, WaitState};

/// Ticks of waiting after which an event names the agent in the way.
const BLOCKED_AFTER_TICKS: u32 = 8;

/// Counts moving agents and waiting ones: at rest with a path to follow, or waiting for a path. Idle agents, which
/// all phases of the tick have seen by now, are not visited any more.
pub(crate) fn count_waiting(world: &mut World) {
    let tick = world.tick;
    let World { agents, tables, congestion, traffic, counts, longest, tick_buffers, .. } = world;
    let blocked = &mut tick_buffers.blocked;
    blocked.clear();
    let needs_paths = traffic.needs_paths();
    (counts.moving, counts.waiting) = (0, 0);
    counts.agent_ticks += agents.len() as u64;
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
        let place = (agents.ids[row], tick);
        let of_class = &mut longest[motion.class.0 as usize];
        let cell = || tables[motion.class.0 as usize].space().pose(motion.state).cell;
        let without_progress = count_progress(agents, row, tick);
        keep_longest(&mut of_class.without_progress, without_progress, place, cell);
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
        counts.leg_wait_ticks += u64::from(agents.legs[row].is_some() && agents.paths[row].is_empty());
        counts.waiting += 1;
        counts.wait_ticks += 1;
        keep_longest(&mut of_class.wait, tick + 1 - since, place, cell);
        counts.longest_wait_ticks = counts.longest_wait_ticks.max(tick + 1 - since);
        if tick + 1 - since == BLOCKED_AFTER_TICKS {
            blocked.push(row as u32);
        }
    }
    // An agent that has waited for some time names the agent in its way.
    let blocked = std::mem::take(&mut world.tick_buffers.blocked);
    for &row in &blocked {
        if let Some(wait) = world.wait_of(row as usize) {
            let (agent, by) = (world.agents.ids[row as usize], world.agents.ids[wait.row as usize]);
            let details = EventDetails { blocker: Some(by), ..EventDetails::default() };
            world.events.note_row(EventRow::blocked(tick, agent, by), details);
        }
    }
    world.tick_buffers.blocked = blocked;
}

/// Counts a tick of an agent with somewhere to go; gives the ticks since its last progress, 0 of any other agent.
fn count_progress(agents: &mut Agents, row: usize, tick: u32) -> u32 {
    let (activity, stamp) = (agents.motion[row].activity, agents.stamps[row]);
    let progress = &mut agents.progress[row];
    if !is_under_way(activity) || !stamp.has_order {
        *progress = TripProgress::NONE;
        return 0;
    }
    // The path of an agent that yields leads to a retreat.
    let path = Some(&agents.paths[row]).filter(|path| activity == Activity::Following && !path.is_empty());
    progress.count(tick, stamp, path.map(|path| path.len() as u32))
}
