//! Roadblocks: agents that cannot make way. The map, or others that stay, leave them no pose off the path of an agent
//! that waits behind them.
//!
//! Friends that can move are ignored, so a crowd in which everyone is blocked for now contains no roadblock. An agent
//! that waits long behind another one tests it. A roadblock stays one while it is shut in, wherever in its pocket it
//! is, until a push finds a retreat for it.

use crate::cooperative::fixed::{CLEAR_MOVES, ROADBLOCK_TEST_STEPS};
use crate::cooperative::moves::{end_of_move, guide_moves, transition_at};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::Planning;
use crate::cooperative::reservations::FOREVER;
use crate::cooperative::retreat::{PushScratch, ReachedPose};
use crate::motion::{Activity, AgentId, AgentSlot};
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;

/// Agents on the poses that a shut-in agent reaches off the path, at most: with more it may have room.
const OTHERS_MAX: usize = 16;

/// Forgets the roadblocks that are gone or no longer shut in. Each is tested from time to time, and after edits.
pub(crate) fn renew_roadblocks(planning: &mut Planning<'_>, scratch: &mut PushScratch) {
    let view = planning.view;
    if !view.edited.is_empty() {
        let slots = view.agents.slots.iter();
        slots.for_each(|slot| planning.table.details[slot.index()].test_way_at = view.tick);
    }
    let mut at = 0;
    while let Some(&agent) = planning.table.roadblocks.get(at) {
        let is_due = |row: usize| {
            let slot = view.agents.slots[row];
            planning.table.details[slot.index()].test_way_at <= view.tick
        };
        let stays = match view.agents.row(agent) {
            Some(row) if is_due(row) => is_shut_in(planning, scratch, row),
            row => row.is_some(),
        };
        if stays {
            at += 1;
        } else {
            planning.table.roadblocks.remove(at);
        }
    }
}

/// An agent has found a way to make.
pub(crate) fn forget_roadblock(table: &mut PlanTable, agent: AgentId) {
    if let Ok(at) = table.roadblocks.binary_search(&agent) {
        table.roadblocks.remove(at);
    }
}

/// Whether the friend `other` cannot make way for the agent in `row`, which it blocks. It is shut in, and covers cells
/// of the agent's path wherever it goes. It is a roadblock then.
pub(crate) fn is_roadblock(
    planning: &mut Planning<'_>,
    scratch: &mut PushScratch,
    row: usize,
    other: usize,
) -> bool {
    let (view, params) = (planning.view, planning.table.params);
    let motion = &view.agents.motion[other];
    let (agent, slot) = (view.agents.ids[other], view.agents.slots[other]);
    let known = planning.table.roadblocks.binary_search(&agent);
    let is_due = known.is_ok() || planning.table.details[slot.index()].test_way_at <= view.tick;
    if !is_due
        || motion.activity == Activity::Holding
        || !view.friends.are(view.agents.teams[row], view.agents.teams[other])
        || !is_shut_in(planning, scratch, other)
    {
        return false;
    }
    let path = guide_moves(view, row, &planning.table.heads[view.agents.slots[row].index()]);
    let stretch = &path[..path.len().min(CLEAR_MOVES[0])];
    scratch.avoided.reset(view.grid_size.n_cells());
    scratch.avoided.add_moves(view, &planning.table.reservations, row, stretch);
    // It does not get past the agent that waits. Of those on the poses that it reaches off the path, who is shut in as
    // well cannot leave them.
    let waits = Some(view.agents.slots[row]);
    gather_poses(planning, scratch, other, waits);
    let mut others = std::mem::take(&mut scratch.others);
    others.clear();
    others.reserve(OTHERS_MAX + 1);
    let mut is_clear = has_room(planning.table, view, scratch, other, |there| {
        if !others.contains(&there) {
            others.push(there);
        }
        others.len() > OTHERS_MAX
    });
    if !is_clear && !others.is_empty() {
        others.retain(|&there| is_shut_in(planning, scratch, there as usize));
        gather_poses(planning, scratch, other, waits);
        is_clear = has_room(planning.table, view, scratch, other, |there| !others.contains(&there));
    }
    scratch.others = others;
    if is_clear {
        // It has room for this agent; for another it may have none.
        let pause = planning.table.step_ticks_of(&view.agents, other) * params.push_after_steps;
        planning.table.details[slot.index()].test_way_at = view.tick.saturating_add(pause);
        return false;
    }
    if let Err(at) = known {
        planning.table.roadblocks.insert(at, agent);
    }
    true
}

/// Whether a pose in `reached` is off the avoided cells, and `leaves` says of each other agent that rests there that it
/// would leave.
fn has_room(
    table: &PlanTable,
    view: &TrafficView<'_>,
    PushScratch { avoided, reached, .. }: &PushScratch,
    row: usize,
    mut leaves: impl FnMut(u32) -> bool,
) -> bool {
    let (slot, reservations) = (view.agents.slots[row], &table.reservations);
    let tables = &view.tables[view.agents.motion[row].class.0 as usize];
    reached.iter().any(|reached| {
        let pose = tables.space().pose(reached.state);
        let cells = tables.class().cells_at(pose);
        !avoided.meets(reservations, (pose.cell, cells))
            && cells.iter().all(|&offset| {
                let here = reservations.on(reservations.index(pose.cell, offset));
                let rest = here.filter(|one| one.agent != slot && one.until == FOREVER);
                // Each is asked for.
                let there = rest.filter_map(|one| view.agents.row_of_slot(one.agent));
                there.filter(|&there| !leaves(there as u32)).count() == 0
            })
    })
}

/// Whether an agent reaches only few poses while all that can move are ignored. Notes when to test it again.
fn is_shut_in(planning: &mut Planning<'_>, scratch: &mut PushScratch, row: usize) -> bool {
    let (view, params) = (planning.view, planning.table.params);
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    planning.table.details[view.agents.slots[row].index()].test_way_at =
        view.tick.saturating_add(step_ticks * ROADBLOCK_TEST_STEPS);
    gather_poses(planning, scratch, row, None);
    scratch.reached.len() < params.roadblock_poses as usize
}

/// Puts into `reached` the nearest poses that an agent reaches while all that can move are ignored, but for one.
fn gather_poses(
    planning: &mut Planning<'_>,
    PushScratch { seen, reached, .. }: &mut PushScratch,
    row: usize,
    but: Option<AgentSlot>,
) {
    let (view, table) = (planning.view, &*planning.table);
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let n_states = view.tables.iter().map(|tables| tables.space().n_states()).max().unwrap_or(0);
    let poses_max = table.params.roadblock_poses as usize;
    seen.begin(n_states);
    reached.clear();
    // A pose leads to 16 others at most.
    reached.reserve(16 + poses_max);
    let start = end_of_move(tables, motion, view.tick).0;
    seen.insert(start.0 as usize);
    reached.push(ReachedPose::first(start));
    let mut next = 0;
    while next < reached.len() && reached.len() < poses_max {
        let before = next as u32;
        let state = reached[next].state;
        let pose = tables.space().pose(state);
        tables.for_each_successor(state, |successor| {
            let (state, primitive) = (successor.state, successor.primitive);
            let step = transition_at(tables, pose, usize::from(primitive));
            if !seen.contains(state.0 as usize)
                && is_open((view, table), (row, but), view.occupancy.needed(&step))
            {
                seen.insert(state.0 as usize);
                reached.push(ReachedPose { state, before, primitive });
            }
        });
        next += 1;
    }
}

/// Whether no agent that stays rests on the cells: none on hold, no roadblock, no foe, and not that one.
fn is_open(
    (view, table): (&TrafficView<'_>, &PlanTable),
    (row, but): (usize, Option<AgentSlot>),
    (anchor, cells): (CellXY, &[Offset]),
) -> bool {
    let slot = view.agents.slots[row];
    let stays = |other: AgentSlot| {
        but == Some(other)
            || view.agents.row_of_slot(other).is_some_and(|other| {
                let motion = &view.agents.motion[other];
                let is_friend = view.friends.are(view.agents.teams[row], view.agents.teams[other]);
                (motion.at_rest() && (motion.activity == Activity::Holding || !is_friend))
                    || table.roadblocks.binary_search(&view.agents.ids[other]).is_ok()
            })
    };
    cells.iter().all(|&offset| {
        let here = table.reservations.on(table.reservations.index(anchor, offset));
        here.filter(|one| one.agent != slot && one.until == FOREVER).all(|one| !stays(one.agent))
    })
}
