//! The turn of an agent: it follows its path where nobody is in its way, else searches, has others plan around it, or
//! waits and has others make way.

use crate::cooperative::corridor_entry::look_ahead;
use crate::cooperative::displaced::Displacement;
use crate::cooperative::local_field::UNKNOWN;
use crate::cooperative::plan_head::NONE;
use crate::cooperative::planning::Planning;
use crate::cooperative::retreat::Pushing;
use crate::cooperative::sipp::SippQuery;
use crate::cooperative::steps::{end_of_move, guide_moves, is_idle, transition_at, waited};
use crate::decisions::Decisions;
use crate::motion::{Activity, AgentId};
use crate::priority::PriorityKey;

/// What an agent may have others do for it: plan around it, and step aside.
#[derive(Debug, Default)]
pub struct Others {
    pub displacement: Displacement,
    pub pushing: Pushing,
}

/// An agent looks for a plan.
pub fn plan_one(
    now: &mut Planning<'_>,
    others: &mut Others,
    row: usize,
    key: PriorityKey,
    decisions: &mut Decisions,
) {
    let (view, params) = (now.view, now.table.params);
    let motion = view.agents.motion[row];
    let id = view.agents.ids[row].0;
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_of_move(tables, &motion, view.tick);
    if lets_pass(now, &mut others.pushing, row) {
        let pause = (now.table.step_ticks[motion.class.0 as usize] / 2).max(1);
        now.table.heads[id as usize].next_try = view.tick.saturating_add(pause);
        return;
    }
    let step_ticks = now.table.step_ticks[motion.class.0 as usize];
    let horizon = from.1.saturating_add(step_ticks * params.horizon_steps);
    let path = view.paths.moves(view.agents.paths[row]);
    if now.table.heads[id as usize].plan_is_empty()
        && tables.move_ticks(from.0, usize::from(path[0])).is_none()
    {
        if motion.at_rest() {
            decisions.replan.push(row as u32);
            now.table.heads[id as usize].next_try = view.tick + 1;
        }
        return;
    }
    look_ahead(now, &mut others.pushing, row, from.0, key);
    if let Some(plan) = now.follow_guide_path(row, from, horizon, key) {
        now.take(row, plan, decisions);
        return;
    }
    if now.search.tries_left == 0 {
        // Others have used up the tick's tries; it looks again at the next.
        return;
    }
    let waited = waited(view, row);
    // Who has waited for long will wait for long: ways around become worth more.
    let extension = waited
        .saturating_mul(params.wait_horizon_factor)
        .min(params.wait_horizons_max * params.horizon_steps * step_ticks);
    let query = SippQuery {
        from,
        horizon: horizon.saturating_add(extension),
        nodes_max: if waited > 2 * step_ticks {
            params.search_nodes_after_waiting as usize
        } else {
            params.search_nodes as usize
        },
        key,
        displacement_ticks: step_ticks / 2,
    };
    now.make_guide_path(row, from.0);
    let own = now.cost_to_go(row, from.0);
    // It comes no nearer to a passage that it is kept from, but it may go away from it.
    let last = now.guide_path.last().map_or(0, |&(_, left)| left);
    let floor = now.guide_path.get(now.stop as usize).map_or(0, |&(_, left)| left - last);
    let found = now.search_moves(row, query, (floor.min(own), None));
    let cost = found.map_or(u32::MAX, |(_, cost)| cost);
    let without_others = from.1.saturating_add(own).max(query.horizon);
    if now.stop > params.horizon_steps
        && own != UNKNOWN
        && cost > without_others.saturating_add(params.displace_after_steps * step_ticks)
        && others.displacement.displace(now, row, query, cost, decisions)
    {
        return;
    }
    match found {
        Some((plan, _)) if !plan.is_empty() => now.take(row, plan, decisions),
        found => {
            if let Some((rest, _)) = found
                && now.table.heads[id as usize].plan_is_empty()
            {
                now.table.set_plan(id, rest);
            }
            wait(now, others, row, key, waited, decisions);
        }
    }
}

/// An agent has found nothing better than to stay.
pub fn wait(
    now: &mut Planning<'_>,
    others: &mut Others,
    row: usize,
    key: PriorityKey,
    waited: u32,
    decisions: &mut Decisions,
) {
    let (view, params) = (now.view, now.table.params);
    let id = view.agents.ids[row].0;
    let motion = view.agents.motion[row];
    let tables = &view.tables[motion.class.0 as usize];
    let step_ticks = now.table.step_ticks[motion.class.0 as usize];
    let head = &mut now.table.heads[id as usize];
    let pause = (step_ticks << head.failures >> 2).max(1);
    head.next_try = view.tick.saturating_add(pause);
    head.failures = (head.failures + 1).min(3);
    if !motion.at_rest() || !head.plan_is_empty() {
        return;
    }
    if head.retreat_left > 0
        && waited.min(now.table.cold[id as usize].held_for(view.tick))
            >= params.give_up_after_steps * step_ticks
    {
        // The room it was sent to is taken; it goes its own way again.
        let list = if motion.activity == Activity::Yielding {
            &mut decisions.give_up
        } else {
            &mut decisions.replan
        };
        list.push(row as u32);
        head.next_try = view.tick + 1;
        return;
    }
    let path = view.paths.moves(view.agents.paths[row]);
    let step = transition_at(tables, tables.space().pose(motion.state), usize::from(path[0]));
    if waited >= params.push_after_steps * step_ticks {
        let (anchor, cells) = view.occupancy.needed(&step);
        let until = view.tick.saturating_add(pause + 1);
        for &offset in cells {
            now.table.priority_claims.claim_cell(now.table.reservations.index(anchor, offset), until, key);
        }
    }
    let kept =
        now.ahead.iter().find(|ahead| ahead.holder.is_some() && now.stop <= params.horizon_steps).copied();
    // Who rests on the next few poses of the path.
    let mut state = motion.state;
    let mut blocker = None;
    for &primitive in guide_moves(view, row, &now.table.heads[id as usize]).iter().take(3) {
        let primitive = usize::from(primitive);
        if tables.move_ticks(state, primitive).is_none() {
            break;
        }
        let step = transition_at(tables, tables.space().pose(state), primitive);
        blocker = now.table.reservations.resting_on(id, view.occupancy.needed(&step));
        if blocker.is_some() {
            break;
        }
        state = tables.state_after(state, primitive);
    }
    // One that stands in a passage with nothing to do has to leave it.
    let holder = kept.and_then(|kept| kept.holder).filter(|&holder| holder != id);
    let Some(other) = blocker.or(holder).and_then(|other| view.agents.row(AgentId(other))) else {
        return;
    };
    deal_with(now, others, row, other, (key, waited), decisions);
}

/// An agent is blocked by another at rest: has it step aside, or asks for a path around, in due time.
pub fn deal_with(
    now: &mut Planning<'_>,
    others: &mut Others,
    row: usize,
    other: usize,
    (key, waited): (PriorityKey, u32),
    decisions: &mut Decisions,
) {
    let (view, params) = (now.view, now.table.params);
    let theirs = view.agents.motion[other];
    let their_id = view.agents.ids[other].0 as usize;
    let (their, their_cold) = (now.table.heads[their_id], now.table.cold[their_id]);
    let ticks = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
    // One that is sent aside has time to begin to, however long it has waited before.
    let since_sent = self::waited(view, other).min(their_cold.held_for(view.tick));
    let stands_aside = their.retreat_left > 0 && since_sent < params.push_after_steps * ticks;
    if !theirs.at_rest() || !their.plan_is_empty() || stands_aside {
        return;
    }
    let idle = is_idle(theirs.activity);
    let after = if idle { params.push_idle_after_steps } else { params.push_after_steps };
    let pushes_any = waited >= ticks * params.push_any_after_steps;
    let may_push = idle || pushes_any || key < now.table.key(view, other);
    let key = if pushes_any { PriorityKey::FIRST } else { key };
    // One that has arrived goes on by itself at the next tick, but for one on the station of a patrol.
    let goes_on = theirs.activity == Activity::Arrived && view.agents.stamps[other].station == 0;
    if waited >= ticks * after
        && may_push
        && !goes_on
        && others.pushing.push_aside(now, row, other, key, decisions)
    {
        return;
    }
    let head = &mut now.table.heads[view.agents.ids[row].0 as usize];
    let asks = view.agents.motion[row].activity == Activity::Following
        && head.retreat_left == 0
        && waited >= ticks * params.around_after_steps
        && view.tick >= view.agents.wait_states[row].ask_again_at;
    if asks {
        decisions.around.push(row as u32);
        head.next_try = view.tick + 1;
    }
}

/// Whether an agent that stepped aside stays there, for the other has still to pass. Not where that one
/// waits and it stands in its way itself: each would wait for the other.
pub fn lets_pass(now: &mut Planning<'_>, room: &mut Pushing, row: usize) -> bool {
    let (view, params) = (now.view, now.table.params);
    let id = view.agents.ids[row].0;
    let cold = now.table.cold[id as usize];
    if cold.for_agent == NONE || now.table.heads[id as usize].retreat_left > 0 {
        return false;
    }
    let step_ticks = now.table.step_ticks[view.agents.motion[row].class.0 as usize];
    let other = view.agents.row(AgentId(cold.for_agent)).filter(|&other| {
        view.agents.stamps[other].since == cold.for_order
            && cold.held_for(view.tick) <= params.hold_steps * step_ticks
            && matches!(
                view.agents.motion[other].activity,
                Activity::Following | Activity::AwaitingPath | Activity::Yielding
            )
    });
    let passes = other.is_some_and(|other| {
        let waits = waited(view, other).min(cold.held_for(view.tick)) >= params.push_after_steps * step_ticks;
        room.is_in_way(view, now.table, other, row)
            && !(waits && room.stands_in_way(view, now.table, other, row))
    });
    if !passes {
        now.table.cold[id as usize].for_agent = NONE;
    }
    passes
}
