//! Prioritized planning: the turn of one agent. It follows its path while that is free, else searches for a plan,
//! has others yield, or waits and pushes the agent that blocks it.

use crate::cooperative::corridor_entry::{find_corridors_ahead, request_admission};
use crate::cooperative::corridors_ahead::Refusal;
use crate::cooperative::crossing::{find_crossing, moves_max};
use crate::cooperative::fixed::{
    BLOCKER_MOVES, CROSSING_NODES, CROSSING_STEPS, GIVE_UP_AFTER_STEPS, RETREAT_HOLD_STEPS,
    RETRY_DOUBLINGS_MAX, RETRY_QUARTER_STEPS, WAIT_HORIZON_FACTOR, WAITED_LONG_STEPS, YIELD_COST_HALF_STEPS,
};
use crate::cooperative::moves::{end_of_move, guide_moves, half_steps, is_idle, transition_at, waited};
use crate::cooperative::path_cells::{PathCells, moves_onto_path, rests_on_path};
use crate::cooperative::planning::Planning;
use crate::cooperative::priority_inheritance::{InheritanceScratch, Root, plan_with_yielding};
use crate::cooperative::pushing::push_aside;
use crate::cooperative::retreat::PushScratch;
use crate::cooperative::roadblocks::is_roadblock;
use crate::cooperative::sipp::{Crossing, NO_PLAN_COST, SippQuery};
use crate::cooperative::windowed_cost_to_go::UNKNOWN;
use crate::decisions::Decisions;
use crate::motion::{Activity, AgentId, AgentSlot};
use crate::priority::PriorityKey;
use wheelbase_planner::model::State;

/// Scratch memory of the two ways in which an agent moves others: priority inheritance and pushing.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoordinationScratch {
    pub(crate) inheritance: InheritanceScratch,
    pub(crate) push: PushScratch,
}

/// The turn of an agent that is due. Nothing is done for an agent without credit before it has some again.
pub(crate) fn plan_agent(
    planning: &mut Planning<'_>,
    coordination: &mut CoordinationScratch,
    row: usize,
    key: PriorityKey,
    decisions: &mut Decisions,
) {
    let slot = planning.view.agents.slots[row];
    if planning.begin_turn(slot) {
        take_turn(planning, coordination, row, key, decisions);
        planning.end_turn(slot);
    } else {
        let credit = planning.table.details[slot.index()].credit;
        planning.table.heads[slot.index()].next_try = credit.positive_at(planning.view.poses_per_agent);
    }
}

fn take_turn(
    planning: &mut Planning<'_>,
    coordination: &mut CoordinationScratch,
    row: usize,
    key: PriorityKey,
    decisions: &mut Decisions,
) {
    let (view, params) = (planning.view, planning.table.params);
    let motion = view.agents.motion[row];
    let slot = view.agents.slots[row];
    let tables = &view.tables[motion.class.0 as usize];
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let from = end_of_move(tables, &motion, view.tick);
    if stays_at_retreat(planning, &mut coordination.push.avoided, row) {
        let pause = half_steps(step_ticks, 1).max(1);
        planning.table.heads[slot.index()].next_try = view.tick.saturating_add(pause);
        return;
    }
    let path = view.paths.moves(view.agents.paths[row]);
    if planning.table.heads[slot.index()].plan_is_empty()
        && tables.move_ticks(from.0, usize::from(path[0])).is_none()
    {
        if motion.at_rest() {
            decisions.replan.push(row as u32);
            planning.table.heads[slot.index()].next_try = view.tick + 1;
        }
        return;
    }
    find_corridors_ahead(planning, row, from.0);
    request_admission(planning, &mut coordination.push.avoided, row, key);
    let crossing = find_crossing(planning.table, view, row, from.0);
    let horizon = from.1.saturating_add(step_ticks * params.horizon_steps);
    if let Some(plan) = planning.plan_along_path(row, from, (horizon, crossing), key) {
        planning.adopt_plan(row, plan, decisions);
        return;
    }
    search_plan(planning, coordination, row, query_of(planning, row, from, (key, crossing)), decisions);
}

/// The query of an agent in its turn, from a state and tick.
fn query_of(
    planning: &Planning<'_>,
    row: usize,
    from: (State, u32),
    (key, crossing): (PriorityKey, Option<Crossing>),
) -> SippQuery {
    let (view, params) = (planning.view, &planning.table.params);
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let waited = waited(view, row);
    // An agent that has waited long will wait long: detours become worth more.
    let extension = waited
        .saturating_mul(WAIT_HORIZON_FACTOR)
        .min(params.wait_horizons_max * params.horizon_steps * step_ticks);
    let horizon_after = |steps: u32| from.1.saturating_add(step_ticks * steps).saturating_add(extension);
    let has_waited_long = waited > WAITED_LONG_STEPS * step_ticks;
    let nodes_max = match crossing {
        Some(_) => CROSSING_NODES,
        None if has_waited_long => params.search_nodes_after_waiting,
        None => params.search_nodes,
    };
    SippQuery {
        from,
        crossing: crossing.unwrap_or(Crossing::NONE),
        horizon: horizon_after(params.horizon_steps),
        crossing_horizon: horizon_after(CROSSING_STEPS),
        moves_max: moves_max(crossing),
        nodes_max: nodes_max as usize,
        intervals_max: params.search_intervals,
        key,
        teams: view.friends.of_team(view.agents.teams[row]),
        yield_ticks: half_steps(step_ticks, YIELD_COST_HALF_STEPS),
    }
}

/// An agent whose path is not free searches for a plan, first among all others, then with others that yield.
fn search_plan(
    planning: &mut Planning<'_>,
    coordination: &mut CoordinationScratch,
    row: usize,
    query: SippQuery,
    decisions: &mut Decisions,
) {
    let (view, params) = (planning.view, planning.table.params);
    let slot = view.agents.slots[row];
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    planning.set_guide_path(row, query.from.0);
    let own = planning.cost_to_go(row, query.from.0);
    // It comes no nearer to a corridor that it may not enter, but may move away from it.
    let last = planning.guide_path.last().map_or(0, |&(_, left)| left);
    let cost_floor = planning.guide_path.get(planning.stop as usize).map_or(0, |&(_, left)| left - last);
    let found = planning.search_moves(row, query, cost_floor.min(own), None);
    let cost = found.map_or(NO_PLAN_COST, |(_, cost)| cost);
    let cost_alone = query.from.1.saturating_add(own).max(query.horizon);
    if planning.stop > params.horizon_steps
        && own != UNKNOWN
        && cost > cost_alone.saturating_add(params.displace_after_steps * step_ticks)
        && plan_with_yielding(planning, &mut coordination.inheritance, Root { row, query, cost }, decisions)
    {
        return;
    }
    match found {
        Some((plan, _)) if !plan.is_empty() => planning.adopt_plan(row, plan, decisions),
        found => {
            if let Some((rest, _)) = found
                && planning.table.heads[slot.index()].plan_is_empty()
            {
                planning.table.set_plan(slot, rest);
            }
            wait(planning, coordination, row, query.key, decisions);
        }
    }
}

/// An agent has found nothing better than to rest: it acts on the agent that blocks it.
fn wait(
    planning: &mut Planning<'_>,
    coordination: &mut CoordinationScratch,
    row: usize,
    key: PriorityKey,
    decisions: &mut Decisions,
) {
    let (view, params) = (planning.view, planning.table.params);
    let slot = view.agents.slots[row];
    let motion = view.agents.motion[row];
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let waited = waited(view, row);
    let head = &mut planning.table.heads[slot.index()];
    let pause = ((step_ticks * RETRY_QUARTER_STEPS) << head.failures >> 2).max(1);
    head.next_try = view.tick.saturating_add(pause);
    head.failures = (head.failures + 1).min(RETRY_DOUBLINGS_MAX as u8);
    if !motion.at_rest() || !head.plan_is_empty() {
        return;
    }
    let since_push = planning.table.details[slot.index()].ticks_since_push(view.tick);
    if head.retreat_left > 0 && waited.min(since_push) >= GIVE_UP_AFTER_STEPS * step_ticks {
        // Its retreat is taken; it takes up its order again.
        let yields = motion.activity == Activity::Yielding;
        if yields { &mut decisions.give_up } else { &mut decisions.replan }.push(row as u32);
        head.next_try = view.tick + 1;
        return;
    }
    if waited >= params.push_after_steps * step_ticks {
        reserve_next_cells_softly(planning, row, view.tick.saturating_add(pause + 1), key);
    }
    // An idle agent in a corridor has to leave it.
    let stops = planning.stop <= params.horizon_steps;
    let refused = planning.ahead.iter().find(|ahead| ahead.refusal.is_some()).filter(|_| stops);
    let holder = || match refused?.refusal? {
        Refusal::Held(holder) => Some((holder, moves_through(planning, row, refused?.corridor))),
        _ => None,
    };
    let blocker = find_blocker(planning, row).map(|blocker| (blocker, 0)).or_else(holder);
    if let Some((other, moves)) = blocker
        && let Some(other) = view.agents.row_of_slot(other)
    {
        handle_blocker(planning, coordination, row, (other, moves), key, decisions);
    }
}

/// Moves of an agent's path up to the exit of a corridor on it. An agent that holds the corridor has to retreat beyond
/// that.
fn moves_through(planning: &Planning<'_>, row: usize, corridor: u32) -> usize {
    let view = planning.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let path = guide_moves(view, row, &planning.table.heads[view.agents.slots[row].index()]);
    let (mut state, mut moves) = (motion.state, 0);
    for (number, &primitive) in path.iter().enumerate() {
        if tables.move_ticks(state, usize::from(primitive)).is_none() {
            break;
        }
        state = tables.state_after(state, usize::from(primitive));
        let is_inside =
            planning.table.corridor_control.map.at_anchor(tables.space().pose(state).cell) == corridor;
        if is_inside {
            moves = number + 1;
        } else if moves > 0 {
            break;
        }
    }
    moves + usize::from(moves > 0)
}

/// Reserves the cells of the next move of an agent's path softly, against friends of lower priority.
fn reserve_next_cells_softly(planning: &mut Planning<'_>, row: usize, until: u32, key: PriorityKey) {
    let view = planning.view;
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let path = view.paths.moves(view.agents.paths[row]);
    let step = transition_at(tables, tables.space().pose(motion.state), usize::from(path[0]));
    let (anchor, cells) = view.occupancy.needed(&step);
    for &offset in cells {
        let cell = planning.table.reservations.index(anchor, offset);
        planning.table.soft_reservations.reserve(cell, until, (key, view.agents.teams[row]));
    }
}

/// The first agent that rests on the cells of an agent's next moves.
fn find_blocker(planning: &Planning<'_>, row: usize) -> Option<AgentSlot> {
    let view = planning.view;
    let slot = view.agents.slots[row];
    let motion = &view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let mut state = motion.state;
    let moves = guide_moves(view, row, &planning.table.heads[slot.index()]);
    for &primitive in moves.iter().take(BLOCKER_MOVES as usize) {
        let primitive = usize::from(primitive);
        tables.move_ticks(state, primitive)?;
        let step = transition_at(tables, tables.space().pose(state), primitive);
        let blocker = planning.table.reservations.resting_on(slot, view.occupancy.needed(&step));
        if blocker.is_some() {
            return blocker;
        }
        state = tables.state_after(state, primitive);
    }
    None
}

/// An agent is blocked by another at rest: in due time it pushes it, or asks for a path around. The pushed agent keeps
/// clear of at least `moves_min` moves of the path.
fn handle_blocker(
    planning: &mut Planning<'_>,
    coordination: &mut CoordinationScratch,
    row: usize,
    (other, moves_min): (usize, usize),
    key: PriorityKey,
    decisions: &mut Decisions,
) {
    let (view, params) = (planning.view, planning.table.params);
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let waited = waited(view, row);
    let may_ask = view.agents.motion[row].activity == Activity::Following
        && planning.table.heads[view.agents.slots[row].index()].retreat_left == 0
        && view.tick >= view.agents.wait_states[row].ask_again_at;
    let ask = |planning: &mut Planning<'_>, decisions: &mut Decisions| {
        decisions.around.push(row as u32);
        planning.table.heads[view.agents.slots[row].index()].next_try = view.tick + 1;
    };
    let is_known = planning.table.roadblocks.binary_search(&view.agents.ids[other]).is_ok();
    let test_after = if is_known { params.push_after_steps } else { params.roadblock_after_steps };
    if may_ask
        && waited >= test_after * step_ticks
        && is_roadblock(planning, &mut coordination.push, row, other)
    {
        return ask(planning, decisions);
    }
    let other_motion = view.agents.motion[other];
    let other_slot = view.agents.slots[other];
    let other_head = planning.table.heads[other_slot.index()];
    // A pushed agent has time to begin its retreat, however long it has waited before.
    let since_push = planning.table.details[other_slot.index()].ticks_since_push(view.tick);
    let other_waited = self::waited(view, other).min(since_push);
    let retreats = other_head.retreat_left > 0 && other_waited < params.push_after_steps * step_ticks;
    if !other_motion.at_rest() || !other_head.plan_is_empty() || retreats {
        return;
    }
    let idle = is_idle(other_motion.activity);
    let is_friend = view.friends.are(view.agents.teams[row], view.agents.teams[other]);
    let can_be_pushed = is_friend && other_motion.activity != Activity::Holding;
    let after = if idle { params.push_idle_after_steps } else { params.push_after_steps };
    let pushes_any = waited >= step_ticks * params.push_any_after_steps;
    let may_push = can_be_pushed && (idle || pushes_any || key < planning.table.key(view, other));
    let push_key = if pushes_any { PriorityKey::FIRST } else { key };
    // An agent that has arrived goes on by itself at the next tick, unless it is on a waypoint of a patrol.
    let goes_on = other_motion.activity == Activity::Arrived && view.agents.stamps[other].waypoint == 0;
    if waited >= step_ticks * after
        && may_push
        && !goes_on
        && push_aside(planning, &mut coordination.push, (row, push_key, moves_min), other, decisions)
    {
        return;
    }
    if may_ask && waited >= step_ticks * params.around_after_steps {
        ask(planning, decisions);
    }
}

/// Whether an agent stays at its retreat because its pusher has yet to pass. Not if the pusher waits and the agent
/// itself rests on the pusher's path, for then each would wait for the other.
pub(crate) fn stays_at_retreat(planning: &mut Planning<'_>, path_cells: &mut PathCells, row: usize) -> bool {
    let (view, params) = (planning.view, planning.table.params);
    let slot = view.agents.slots[row];
    let details = planning.table.details[slot.index()];
    if details.pusher == AgentId::NOBODY || planning.table.heads[slot.index()].retreat_left > 0 {
        return false;
    }
    let step_ticks = planning.table.step_ticks_of(&view.agents, row);
    let since_push = details.ticks_since_push(view.tick);
    let pusher = view.agents.row(details.pusher).filter(|&pusher| {
        view.agents.stamps[pusher].since == details.pusher_since
            && view.friends.are(view.agents.teams[row], view.agents.teams[pusher])
            && since_push <= RETREAT_HOLD_STEPS * step_ticks
            && matches!(
                view.agents.motion[pusher].activity,
                Activity::Following | Activity::AwaitingPath | Activity::Yielding
            )
    });
    let stays = pusher.is_some_and(|pusher| {
        let pusher_waits = waited(view, pusher).min(since_push) >= params.push_after_steps * step_ticks;
        let world = (view, &*planning.table);
        moves_onto_path(path_cells, world, row, pusher)
            && !(pusher_waits && rests_on_path(path_cells, world, row, pusher))
    });
    if !stays {
        planning.table.details[slot.index()].pusher = AgentId::NOBODY;
    }
    stays
}
