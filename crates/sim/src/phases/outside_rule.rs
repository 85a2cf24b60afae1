//! Decisions of a traffic rule from outside: logged unchanged, then checked, and impossible ones dropped. Moves are
//! left to the traffic phase, which checks the moves of all rules.

use crate::agents::Agents;
use crate::log::Log;
use wheelbase_planner::MovementTables;
use wheelbase_traffic::motion::{Activity, Motion, end_state};
use wheelbase_traffic::{Decisions, Leads, Reroute};

/// Logs the decisions of a rule from outside and drops the impossible ones. Our own rules make none.
pub(super) fn check_decisions(
    log: Option<&mut Log>,
    (agents, tables): (&Agents, &[MovementTables]),
    decisions: &mut Decisions,
) {
    if let Some(log) = log {
        log.note_decisions(decisions);
    }
    let motion_of = |row: u32| agents.motion.get(row as usize);
    let is_doing = |row: u32, activity| motion_of(row).is_some_and(|motion| motion.activity == activity);
    let rests = |row: u32| motion_of(row).is_some_and(Motion::at_rest);
    let Decisions { starts, replan, unreachable, around, give_up, reroutes, reroute_moves } = decisions;
    // An agent that waits for a path stays where the path will begin; an agent on hold stays too.
    let stays = |row| is_doing(row, Activity::AwaitingPath) || is_doing(row, Activity::Holding);
    starts.retain(|start| !stays(start.row));
    replan.retain(|&row| is_doing(row, Activity::Following));
    unreachable.retain(|&row| rests(row) && is_doing(row, Activity::Following));
    around.retain(|&row| rests(row) && is_doing(row, Activity::Following));
    give_up.retain(|&row| is_doing(row, Activity::Yielding));
    reroutes.retain(|&Reroute { row, first, count, leads }| {
        let Some(motion) = motion_of(row) else { return false };
        let goes = match leads {
            Leads::On | Leads::Off => matches!(motion.activity, Activity::Following | Activity::Yielding),
            Leads::Aside => motion.activity != Activity::Holding,
        };
        let moves = reroute_moves.get(first as usize..).and_then(|moves| moves.get(..count as usize));
        goes && moves.is_some_and(|moves| is_legal(&tables[usize::from(motion.class.0)], motion, moves))
    });
}

/// Whether an agent can make moves one after the other from where it rests, or where its current move ends.
fn is_legal(tables: &MovementTables, motion: &Motion, moves: &[u8]) -> bool {
    tables.follow_moves(end_state(tables, motion), moves).is_ok()
}
