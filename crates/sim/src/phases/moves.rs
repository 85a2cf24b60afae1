//! The moves phase: moves that end at the tick end.

use crate::order_life::is_at_goal;
use crate::world::Simulation;
use wheelbase_traffic::motion::{Activity, Motion, step_of};

/// Ends the moves that end at the present tick: from now on their agents rest on their footprints. All give
/// up their cells before any takes its own, for one may end where another began.
pub(crate) fn finish_moves(sim: &mut Simulation) {
    let mut ended = std::mem::take(&mut sim.ended);
    ended.clear();
    for row in sim.agents.busy.iter() {
        let motion = &sim.agents.motion[row];
        if motion.until == sim.tick {
            ended.push((row as u32, motion.state));
            sim.occupancy.end_move(sim.agents.ids[row], &step_of(&sim.tables, motion));
        }
    }
    for &(row, before) in &ended {
        let row = row as usize;
        let motion = &mut sim.agents.motion[row];
        let tables = &sim.tables[motion.class.0 as usize];
        motion.state = tables.state_after(before, motion.primitive as usize);
        motion.until = Motion::AT_REST;
        let pose = tables.space().pose(motion.state);
        sim.occupancy.hold(sim.agents.ids[row], pose.cell, tables.class().cells_at(pose));
        sim.agents.patience[row].moved_at = sim.tick;
    }
    for &(row, _) in &ended {
        settle(sim, row as usize);
    }
    sim.ended = ended;
}

/// What an agent does next, once a move of its path has ended.
fn settle(sim: &mut Simulation, row: usize) {
    let path_done = sim.agents.paths[row].is_empty();
    match sim.agents.motion[row].activity {
        // It may come to its goal before its path ends, after it was pushed or the goal is wide.
        // The nearest pose is where it goes only as long as no edit has opened a better way.
        Activity::Following
            if is_at_goal(sim, row)
                || (path_done && sim.agents.orders(row).to_nearest && !sim.agents.motion[row].replan) =>
        {
            sim.paths.drop_path(&mut sim.agents.paths[row]);
            sim.agents.motion[row].activity = Activity::Arrived;
            sim.agents.motion[row].replan = false;
        }
        // A path around others may end where the goal is no more.
        Activity::Following if path_done && sim.traffic.needs_paths() => sim.agents.motion[row].replan = true,
        Activity::Yielding if path_done => {
            let again_at = sim.tick.saturating_add(sim.settings.traffic.yield_hold_ticks);
            sim.agents.patience[row].ask_again_at = again_at;
        }
        _ => {}
    }
}
