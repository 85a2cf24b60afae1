//! Checks of a restored state, so that later ticks are sound: agents, corridors and reservations. Plans are checked in
//! `restored_plans`.
//!
//! Ticks are compared and nothing more, so any will do.

use crate::collision::CollisionRule;
use crate::cooperative::admission::{ENTERED_MAX, Entrant};
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::credit::Credit;
use crate::cooperative::fixed::{LOOK_AHEAD_MOVES, PUSH_FAILURES_MAX, RETRY_DOUBLINGS_MAX};
use crate::cooperative::inheritance_kind::InheritanceKind;
use crate::cooperative::plan_head::{DetailFlags, NO_STATE};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::{FOREVER, Reservation};
use crate::cooperative::restored_plans::current_row;
use crate::cooperative::state::Cooperative;
use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::{RuleContext, RuleStateError, check};
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_planner::model::State;

/// Columns or rows that a path leads through a corridor at most: its longest side, and a move before and after it.
const DIRECTION_MAX: u32 = 4096 + 2 * 255;

/// The agents of the last tick, each in a slot, and lists of some of them.
///
/// Ids rise. So the agents that the rule knows are the first of the world, and all others were placed after them.
pub(crate) fn check_present(rule: &Cooperative, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
    let Cooperative { table, present, just_out, .. } = rule;
    let agents = context.agents;
    let mut is_taken = vec![false; table.heads.len()];
    let is_new = |row: usize| context.reclassed.binary_search(&(row as u32)).is_ok();
    let mut n_known = 0;
    for (at, &(id, slot)) in present.iter().enumerate() {
        let part = ("agents", at);
        let rises = id != AgentId::NOBODY && present[..at].last().is_none_or(|&(before, _)| before < id);
        check(rises, part, id, "a greater agent id")?;
        let is_free = is_taken.get_mut(slot.index()).is_some_and(|taken| !std::mem::replace(taken, true));
        check(is_free, part, slot, "a slot that no other agent has")?;
        if let Some(row) = agents.row(id) {
            // Agents that have come back since are new to the rule.
            let all = (n_known..row).all(is_new);
            check(all, part, id, "all agents that were placed before it and are still there")?;
            check(agents.slots[row] == slot || is_new(row), part, slot, "the slot of the agent")?;
            n_known = row + 1;
        }
    }
    let last = present.last().map(|&(id, _)| id);
    let unknown = (n_known..agents.len()).find(|&row| !is_new(row)).map(|row| agents.ids[row]);
    let is_late = unknown.is_none_or(|unknown| last.is_none_or(|last| unknown > last));
    check(is_late, ("agents", present.len()), last, "earlier agents that are there")?;
    for (part, ids) in [("just_out", just_out), ("roadblocks", &table.roadblocks)] {
        for (at, id) in ids.iter().enumerate() {
            let is_there = present.binary_search_by_key(id, |&(id, _)| id).is_ok();
            let rises = ids[..at].last().is_none_or(|before| before < id);
            check(is_there && rises, (part, at), id, "the greater id of an agent that is there")?;
        }
    }
    Ok(())
}

/// The values of each agent. Notes which details are set.
pub(crate) fn check_agents(rule: &mut Cooperative, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
    let Cooperative { table, present, .. } = rule;
    let n_states = context.tables.iter().map(|tables| tables.space().n_states()).max().unwrap_or(0);
    let credit_max = Credit::most_used(context.tick, context.poses_per_agent);
    for (at, &(_, slot)) in present.iter().enumerate() {
        let (head, details) = (&mut table.heads[slot.index()], &table.details[slot.index()]);
        let is_sound = head.retreat_left <= head.path_left && head.failures <= RETRY_DOUBLINGS_MAX as u8;
        check(is_sound, ("heads", at), *head, "a retreat within the path, and fewer failures")?;
        let is_state = |state: State| state == NO_STATE || (state.0 as usize) < n_states;
        let mut retries = details.inheritance_retries.iter().zip(InheritanceKind::ALL);
        let is_sound = details.push_failures <= PUSH_FAILURES_MAX
            && retries.all(|(retry, kind)| retry.failures <= kind.failures_max())
            && details.credit.0 <= credit_max
            && is_state(details.left_at)
            && is_state(details.noted_at);
        check(is_sound, ("details", at), details, "fewer failures or poses, and states of the map")?;
        let (factor, team) = (table.speed_factors[slot.index()], table.yield_states[slot.index()].team);
        check(factor > 0, ("speed_factors", at), factor, "a speed factor in thousandths")?;
        check(team.is_known(), ("yield_states", at), team, "a team")?;
        head.has = DetailFlags::of(details);
    }
    Ok(())
}

/// Agents are known in the corridors that they are in, and in no others.
pub(crate) fn check_corridors(rule: &Cooperative, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
    let Cooperative { table, present, .. } = rule;
    let PlanTable { corridor_control, details, sides, .. } = table;
    let agents: BTreeMap<AgentSlot, AgentId> = present.iter().map(|&(id, slot)| (slot, id)).collect();
    let check_entrant = |part, entrant: &Entrant| {
        let Entrant { agent, slot, direction: (dx, dy), width, stays, team, .. } = *entrant;
        let is_sound = agent != AgentId::NOBODY
            && slot.index() < details.len()
            && dx.unsigned_abs().max(dy.unsigned_abs()) <= DIRECTION_MAX
            && sides.iter().any(|&(shortest, _)| shortest == width)
            && stays.is_none_or(|cell| context.grid_size.contains(cell))
            && team.is_known();
        check(is_sound, part, entrant, "an agent with the body of a class, a team, and cells of the map")
    };
    let mut inside = BTreeSet::new();
    for (at, corridor) in corridor_control.admission.corridors.iter().enumerate() {
        let (dx, dy) = corridor.direction;
        let is_used = corridor_control.map.shapes[at].n_cells > 0;
        let is_sound = dx.unsigned_abs().max(dy.unsigned_abs()) <= DIRECTION_MAX
            && corridor.entered <= ENTERED_MAX
            && (is_used || corridor.inside.is_empty() && corridor.waiting.is_empty());
        check(is_sound, ("corridors", at), corridor.direction, "a turn, and agents of a corridor")?;
        for entrant in &corridor.inside {
            let part = ("corridor.inside", at);
            check_entrant(part, entrant)?;
            let is_known = agents.get(&entrant.slot) == Some(&entrant.agent)
                && details[entrant.slot.index()].corridors.contains(&(at as u32))
                && inside.insert((at as u32, entrant.slot));
            check(is_known, part, entrant.agent, "an agent that is there, once")?;
        }
        let mut asked = BTreeSet::new();
        for request in &corridor.waiting {
            let part = ("corridor.waiting", at);
            check_entrant(part, &request.entrant)?;
            let is_sound = asked.insert(request.entrant.agent)
                && request.moves <= LOOK_AHEAD_MOVES
                && request.since <= request.asked_at
                && request.asked_at <= context.tick;
            check(is_sound, part, request, "one request of each agent, up to the present tick")?;
        }
    }
    for (at, &(id, slot)) in present.iter().enumerate() {
        let (part, details) = (("details", at), &details[slot.index()]);
        let is_in = |corridor: &u32| inside.contains(&(*corridor, slot));
        let known = || details.corridors.iter().filter(|corridor| **corridor != NO_CORRIDOR);
        let is_sound = known().all(is_in) && known().collect::<BTreeSet<_>>().len() == known().count();
        check(is_sound, part, details.corridors, "corridors that it is in, each once")?;
        let is_admitted =
            details.admitted == NO_CORRIDOR || known().any(|corridor| *corridor == details.admitted);
        check(is_admitted, part, details.admitted, "a corridor of the agent")?;
        // The corridors under its body. After an edit or with another class these are others.
        let row = current_row(context, id).filter(|_| context.edited.is_empty());
        let Some(row) = row.filter(|_| details.corridors.contains(&NO_CORRIDOR)) else { continue };
        let motion = &context.agents.motion[row];
        let tables = &context.tables[motion.class.0 as usize];
        let pose = tables.space().pose(motion.state);
        for offset in tables.class().cells_at(pose) {
            let corridor = corridor_control.map.at_anchor(offset.cell_from(pose.cell));
            let is_known = corridor == NO_CORRIDOR || is_in(&corridor);
            check(is_known, part, details.corridors, "all corridors in which it stands")?;
        }
    }
    Ok(())
}

/// Reservations on a cell are of agents that are there. They do not overlap, unless one of two agents leaves the cell
/// as the other comes, which the discrete rule allows.
pub(crate) fn check_overlaps(rule: &Cooperative) -> Result<(), RuleStateError> {
    let reservations = &rule.table.reservations;
    let mut is_there = vec![false; rule.table.heads.len()];
    rule.present.iter().for_each(|(_, slot)| is_there[slot.index()] = true);
    let of_cells = reservations.reservations.chunk_by(|one, next| one.cell == next.cell);
    for (at, here) in of_cells.enumerate() {
        let part = ("reservations", at);
        let mut here: Vec<&Reservation> = here.iter().collect();
        here.sort_unstable_by_key(|one| (one.from, one.until));
        // The reservation so far that ends last.
        let mut last: Option<&Reservation> = None;
        for one in here {
            let is_sound = is_there[one.agent.index()] && one.from < one.until && one.from <= one.leaves;
            check(is_sound, part, one, "ticks of an agent that is there")?;
            let overlap = last.filter(|last| last.agent != one.agent && last.until > one.from);
            let changes_hands = |last: &Reservation| {
                reservations.rule() == CollisionRule::Discrete && last.leaves.min(one.leaves) != FOREVER
            };
            let is_sound = overlap.is_none_or(changes_hands);
            check(is_sound, part, (last, one), "one agent at a time on a cell")?;
            if last.is_none_or(|last| last.until <= one.until) {
                last = Some(one);
            }
        }
    }
    Ok(())
}
