//! Pushing: an agent that is blocked sends the agent at rest before it to a retreat off its path. Agents in the way
//! of that retreat go first.
//!
//! Retreats keep clear of a stretch of path that is long at first. So one of two agents that meet in a corridor backs
//! out of it. Where that leaves no retreat, a shorter stretch may do, as in a full ring where all must move on a
//! little. After some failures in a row the pusher backs out itself.

use crate::cooperative::fixed::{
    BACK_OUT_AFTER_FAILURES, CLEAR_AGAIN_STEPS, CLEAR_EDITS_TICKS, CLEAR_MOVES, GUIDE_PATH_MOVES,
    PUSH_FAILURES_MAX, RETREAT_POSES_OF_STRETCH,
};
use crate::cooperative::moves::{guide_moves, is_idle, set_guide_path};
use crate::cooperative::no_stopping::Place;
use crate::cooperative::planning::Planning;
use crate::cooperative::retreat::{Attempt, ChainLink, PushScratch, find_retreats};
use crate::cooperative::roadblocks::forget_roadblock;
use crate::decisions::{Decisions, Leads, Reroute};
use crate::motion::{Activity, AgentId, AgentSlot};
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;

/// Doublings of the poses of a search for a retreat off the cells of an edit, at most.
const EDIT_DOUBLINGS_MAX: u32 = 9;

/// Sends `other`, and the agents in its way, to retreats from the agent in `row`; says whether all have one. The
/// retreats are clear of at least `moves_min` moves of its path.
pub(crate) fn push_aside(
    planning: &mut Planning<'_>,
    scratch: &mut PushScratch,
    (row, key, moves_min): (usize, PriorityKey, usize),
    other: usize,
    decisions: &mut Decisions,
) -> bool {
    let view = planning.view;
    let slot = view.agents.slots[row];
    let (head, details) = (&planning.table.heads[slot.index()], planning.table.details[slot.index()]);
    if view.tick < details.push_again_at {
        return false;
    }
    let path = guide_moves(view, row, head);
    let lengths = CLEAR_MOVES.map(|ahead| path.len().min(ahead.max(moves_min)));
    let is_shorter = |at: &usize| *at == 0 || lengths[*at] < lengths[*at - 1];
    let mut stretches = (0..lengths.len()).filter(is_shorter).map(|at| &path[..lengths[at]]);
    let may_back_out = details.push_failures >= BACK_OUT_AFTER_FAILURES;
    let mut clear = |key, stretch, backs_out| {
        let push = Push { row, other, key, backs_out };
        clear_stretch(planning, scratch, push, stretch, decisions)
    };
    let made = stretches.clone().any(|stretch| clear(key, stretch, false))
        || (may_back_out && stretches.any(|stretch| clear(PriorityKey::FIRST, stretch, true)));
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let details = &mut planning.table.details[slot.index()];
    details.push_failures = if made { 0 } else { (details.push_failures + 1).min(PUSH_FAILURES_MAX) };
    details.push_again_at =
        view.tick.saturating_add(if made { 0 } else { step_ticks << details.push_failures });
    made
}

/// One push of an agent by another.
#[derive(Clone, Copy)]
struct Push {
    /// Row of the pusher.
    row: usize,
    /// Row of the first pushed agent.
    other: usize,
    key: PriorityKey,
    /// The pusher may be pushed itself.
    backs_out: bool,
}

/// Sends an agent, and the agents in its way, to retreats clear of a stretch of the pusher's path.
fn clear_stretch(
    planning: &mut Planning<'_>,
    scratch: &mut PushScratch,
    push: Push,
    stretch: &[u8],
    decisions: &mut Decisions,
) -> bool {
    let view = planning.view;
    scratch.avoided.reset(view.grid_size.n_cells());
    scratch.avoided.add_moves(view, &planning.table.reservations, push.row, stretch);
    scratch.chain.clear();
    scratch.moves.clear();
    if !push.backs_out {
        scratch.chain.push(ChainLink::of(push.row));
    }
    scratch.chain.push(ChainLink::of(push.other));
    let first = scratch.chain.len() - 1;
    // Where the pusher backs out of a dead end, the other must not be sent to the agents at its end.
    let friends = |row: usize| view.friends.of_team(view.agents.teams[row]);
    // If the pusher backs out, agents retreat for the other agent.
    let teams = if push.backs_out { friends(push.row) & friends(push.other) } else { friends(push.row) };
    let mut attempt = attempt((push.key, teams), push.backs_out, 0);
    if !find_retreats(planning, scratch, first, &mut attempt) {
        return false;
    }
    for at in first..scratch.chain.len() {
        let pusher = if at > 0 { scratch.chain[0].row as usize } else { push.row };
        send_to_retreat(planning, scratch, at, Some(pusher), decisions);
    }
    true
}

/// An attempt with its full budget of poses, by an agent of this key with these friends.
fn attempt((key, teams): (PriorityKey, u32), to_free: bool, doublings: u32) -> Attempt {
    let poses_left = u64::from(RETREAT_POSES_OF_STRETCH) << doublings;
    Attempt { key, teams, to_free, doublings, poses_left }
}

/// Sends idle agents off the cells of edits that wait, and off the ground around them. Each edit sends one at a time:
/// agents on its cells first, then by id.
pub(crate) fn clear_edits(planning: &mut Planning<'_>, scratch: &mut PushScratch, decisions: &mut Decisions) {
    let view = planning.view;
    if view.forbidden.is_empty() || !view.tick.is_multiple_of(CLEAR_EDITS_TICKS) {
        return;
    }
    let is_near = |&row: &usize| {
        // An agent that waits there for a time leaves without a push.
        view.agents.motion[row].activity != Activity::Dwelling
            && idle_row(planning, view.agents.slots[row]).is_some()
            && planning.table.corridor_control.no_stopping.is_near_edits(body_at_rest(view, row))
    };
    let mut idle = std::mem::take(&mut scratch.idle);
    idle.clear();
    idle.extend((0..view.agents.len()).filter(is_near).map(|row| row as u32));
    let n_edits = if idle.is_empty() { 0 } else { planning.table.corridor_control.no_stopping.n_edits() };
    for edit in 0..n_edits {
        let no_stopping = &planning.table.corridor_control.no_stopping;
        let first = idle.iter().filter_map(|&row| {
            let row = row as usize;
            let place = no_stopping.place(edit, body_at_rest(view, row))?;
            Some((place, idle_row(planning, view.agents.slots[row])?))
        });
        let Some((place, row)) = first.min() else { continue };
        send_off(planning, scratch, row, (edit, place), decisions);
    }
    scratch.idle = idle;
}

/// The anchor and the cells of an agent at rest.
fn body_at_rest<'a>(view: &'a TrafficView<'_>, row: usize) -> (CellXY, &'a [Offset]) {
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let pose = tables.space().pose(motion.state);
    (pose.cell, tables.class().cells_at(pose))
}

/// The row of an agent that stands idle, is not on its way to a retreat, and may be pushed again.
fn idle_row(planning: &Planning<'_>, slot: AgentSlot) -> Option<usize> {
    let view = planning.view;
    let row = view.agents.row_of_slot(slot)?;
    let motion = &view.agents.motion[row];
    let head = &planning.table.heads[slot.index()];
    let push_again_at = planning.table.details[slot.index()].push_again_at;
    let stands = motion.at_rest() && head.plan_is_empty() && head.retreat_left == 0;
    (stands && is_idle(motion.activity) && push_again_at <= view.tick).then_some(row)
}

/// Sends an idle agent, and agents in its way, to retreats off the ground of an edit, on its own credit. Without such a
/// retreat, an agent on the cells of the edit goes to one off these. It is tried again after a pause if there are none.
fn send_off(
    planning: &mut Planning<'_>,
    scratch: &mut PushScratch,
    row: usize,
    (edit, place): (usize, Place),
    decisions: &mut Decisions,
) {
    let view = planning.view;
    let slot = view.agents.slots[row];
    if !planning.begin_turn(slot) {
        return;
    }
    let found = [Place::Near, Place::OnEdit].into_iter().filter(|&off| off >= place).any(|off| {
        let doublings = avoid_edit(planning, scratch, row, (edit, off));
        scratch.chain.clear();
        scratch.moves.clear();
        scratch.chain.push(ChainLink::of(row));
        let by = (PriorityKey::LAST, view.friends.of_team(view.agents.teams[row]));
        find_retreats(planning, scratch, 0, &mut attempt(by, false, doublings))
    });
    planning.end_turn(slot);
    if found {
        for at in 0..scratch.chain.len() {
            send_to_retreat(planning, scratch, at, None, decisions);
        }
    } else {
        let step_ticks = planning.table.step_ticks_of(&view.agents, row);
        let details = &mut planning.table.details[slot.index()];
        details.push_again_at = view.tick.saturating_add(CLEAR_AGAIN_STEPS * step_ticks);
    }
}

/// Avoids the cells of an edit, with the ground around them for [`Place::Near`]. Gives the doublings of a search: the
/// way off a large area is long.
fn avoid_edit(
    planning: &Planning<'_>,
    scratch: &mut PushScratch,
    row: usize,
    (edit, off): (usize, Place),
) -> u32 {
    let (view, table) = (planning.view, &*planning.table);
    scratch.avoided.reset(view.grid_size.n_cells());
    let mut n_cells = 0_u64;
    for cell in table.corridor_control.no_stopping.cells_of_edit(edit, off) {
        n_cells += u64::from(scratch.avoided.insert(table.reservations.index(cell, Offset::new(0, 0))));
    }
    let class = view.agents.motion[row].class.0 as usize;
    let poses = n_cells * u64::from(view.tables[class].space().headings());
    let doublings = (poses / u64::from(table.params.retreat_poses)).checked_ilog2().map_or(0, |log| log + 1);
    doublings.clamp(1, EDIT_DOUBLINGS_MAX)
}

/// Reroutes an agent of the chain to its retreat and from there back to its path. `pusher` is the agent that passes it
/// there, if any.
fn send_to_retreat(
    planning: &mut Planning<'_>,
    scratch: &PushScratch,
    at: usize,
    pusher: Option<usize>,
    decisions: &mut Decisions,
) {
    let view = planning.view;
    let ChainLink { row, first, count, .. } = scratch.chain[at];
    let row = row as usize;
    let slot = view.agents.slots[row];
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let begin = decisions.reroute_moves.len() as u32;
    let retreat = &scratch.moves[first as usize..][..count as usize];
    decisions.reroute_moves.extend_from_slice(retreat);
    let mut joins_path = false;
    let goes_back =
        motion.activity == Activity::Following && planning.table.heads[slot.index()].retreat_left == 0;
    if goes_back {
        let mut state = motion.state;
        for &primitive in retreat {
            state = tables.state_after(state, usize::from(primitive));
        }
        let path = view.paths.moves(view.agents.paths[row]);
        let moves_max = GUIDE_PATH_MOVES;
        let factor = view.agents.speed_factors[row];
        set_guide_path(tables, (motion.state, factor), path, moves_max, &mut planning.guide_path);
        planning.moves.clear();
        if let Some(joins) = planning.path_back(row, state) {
            decisions.reroute_moves.extend_from_slice(&planning.moves);
            decisions.reroute_moves.extend_from_slice(&path[joins..]);
            joins_path = true;
        }
    }
    let total = decisions.reroute_moves.len() as u32 - begin;
    let leads = match motion.activity {
        Activity::Following if joins_path => Leads::On,
        Activity::Following => Leads::Off,
        _ => Leads::Aside,
    };
    decisions.reroutes.push(Reroute { row: row as u32, first: begin, count: total, leads });
    // It retreats, whatever else it has asked for at this tick.
    for list in [&mut decisions.give_up, &mut decisions.replan, &mut decisions.around] {
        list.retain(|&of| of != row as u32);
    }
    let details = &mut planning.table.details[slot.index()];
    details.path = details.path.wrapping_add(1);
    (details.pusher, details.pusher_since) = pusher
        .map_or((AgentId::NOBODY, 0), |pusher| (view.agents.ids[pusher], view.agents.stamps[pusher].since));
    details.retreat_since = view.tick;
    let head = &mut planning.table.heads[slot.index()];
    (head.path_left, head.retreat_left) = (total, count);
    (head.next_try, head.failures) = (view.tick + 1, 0);
    planning.table.touch(slot, view.tick);
    // It does make way.
    forget_roadblock(planning.table, view.agents.ids[row]);
    // It does not enter the corridor to which it was admitted.
    planning.table.give_up_admission(slot);
}
