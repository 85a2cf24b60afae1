//! The moves phase: ends the moves that end at the tick.

use crate::order_life::is_at_goal;
use crate::route_legs::forget_next_leg;
use crate::world::World;
use wheelbase_traffic::motion::{Activity, Motion, YIELD_HOLD_TICKS, transition_of};

/// Ends the moves that end at the current tick: their agents rest on their footprints from now on. All agents release
/// their cells before any takes its new ones, because a move can end where another began.
pub(crate) fn finish_moves(world: &mut World) {
    let mut ended = std::mem::take(&mut world.ended);
    ended.clear();
    for row in world.agents.busy.iter() {
        let motion = &world.agents.motion[row];
        if motion.until == world.tick {
            ended.push((row as u32, motion.state));
            world.occupancy.end_move(world.agents.slots[row], &transition_of(&world.tables, motion));
        }
    }
    for &(row, before) in &ended {
        let row = row as usize;
        let motion = &mut world.agents.motion[row];
        let tables = &world.tables[motion.class.0 as usize];
        motion.state = tables.state_after(before, motion.primitive as usize);
        motion.until = Motion::AT_REST;
        let pose = tables.space().pose(motion.state);
        world.occupancy.hold(world.agents.slots[row], pose.cell, tables.class().cells_at(pose));
        world.agents.wait_states[row].moved_at = world.tick;
        world.agents.row_mut(row).end_move();
    }
    for &(row, _) in &ended {
        settle(world, row as usize);
    }
    world.ended = ended;
}

/// Updates what an agent does, after a move of its path has ended.
fn settle(world: &mut World, row: usize) {
    let path_done = world.agents.paths[row].is_empty();
    match world.agents.motion[row].activity {
        // The goal can come before the end of the path: after a push, or where it has many members. The nearest pose
        // to it counts only until an edit opens a better way, which sets `replan`.
        Activity::Following
            if is_at_goal(world, row)
                || (path_done && world.agents.orders(row).to_nearest && !world.agents.motion[row].replan) =>
        {
            forget_next_leg(&mut world.agents, &mut world.requests, row);
            world.agents.drop_path(row);
            world.agents.set_activity(row, Activity::Arrived);
            world.agents.motion[row].replan = false;
        }
        // A detour can end where the goal no longer is.
        Activity::Following if path_done && world.traffic.needs_paths() => {
            world.agents.motion[row].replan = true
        }
        Activity::Yielding if path_done => {
            let again_at = world.tick.saturating_add(YIELD_HOLD_TICKS);
            world.agents.wait_states[row].ask_again_at = again_at;
        }
        _ => {}
    }
}
