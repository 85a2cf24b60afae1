//! What the rule keeps of each agent is read from a saved state.

use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::CORRIDORS_MAX;
use crate::cooperative::credit::Credit;
use crate::cooperative::displacement_kind::DisplacementKind;
use crate::cooperative::moves::{pose_after, transition_at};
use crate::cooperative::plan::{MOVES_MAX, Plan, PlannedMove};
use crate::cooperative::plan_head::NO_STATE;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::{FOREVER, YieldState};
use crate::cooperative::state::Cooperative;
use crate::motion::{AgentId, AgentSlot};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::rule_state::{RuleContext, RuleStateError};
use crate::state_reader::{PartReader, StateReader};
use crate::teams::Team;
use wheelbase_planner::model::State;

/// Reads a part with some values for each agent.
fn for_each_agent(
    reader: &mut StateReader<'_>,
    (name, n_each): (&'static str, usize),
    present: &[(AgentId, AgentSlot)],
    mut set: impl FnMut(&mut PartReader<'_>, usize) -> Result<(), RuleStateError>,
) -> Result<(), RuleStateError> {
    let mut part = reader.part_of(name, n_each * present.len())?;
    present.iter().try_for_each(|(_, slot)| set(&mut part, slot.index()))
}

/// The agents of the last tick, which of them have just come out of a corridor, and which cannot make way.
///
/// Ids rise. So the agents that the rule knows are the first of the world, and all others were placed after them.
pub(crate) fn read_agents(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table, present, just_out, .. } = rule;
    let agents = context.agents;
    let mut ids = reader.part("agent.id")?;
    let n_slots = table.heads.len();
    if ids.left() > n_slots {
        let found = format!("{} agents", ids.left());
        return Err(RuleStateError::of_part(
            "agent.id",
            found,
            format!("at most {n_slots}, one in each slot"),
        ));
    }
    let mut slots = reader.part_of("agent.slot", ids.left())?;
    let mut is_taken = vec![false; n_slots];
    let (mut next_id, mut n_known) = (0, 0);
    while ids.left() > 0 {
        let id = ids.next(next_id..=u64::from(AgentId::NOBODY.0) - 1, "a greater agent id")?;
        next_id = id + 1;
        let (id, slot) = (AgentId(id as u32), AgentSlot(slots.below(n_slots, "an agent slot")?));
        if std::mem::replace(&mut is_taken[slot.index()], true) {
            return Err(slots.wrong("a slot that no other agent has"));
        }
        if let Some(row) = agents.row(id) {
            if row != n_known {
                return Err(ids.wrong("all agents that were placed before it and are still there"));
            }
            if agents.slots[row] != slot {
                return Err(slots.wrong(format!("{}, the slot of agent {}", agents.slots[row].0, id.0)));
            }
            n_known += 1;
        }
        present.push((id, slot));
    }
    if agents.ids.get(n_known).is_some_and(|&id| u64::from(id.0) < next_id) {
        let found = format!("no agent {}", agents.ids[n_known].0);
        return Err(RuleStateError::of_part("agent.id", found, "that agent, for later ones are there"));
    }
    read_ids(reader, "just_out", present, just_out)?;
    read_ids(reader, "roadblocks", present, &mut table.roadblocks)
}

/// Reads a part of rising ids of agents that are there.
fn read_ids(
    reader: &mut StateReader<'_>,
    name: &'static str,
    present: &[(AgentId, AgentSlot)],
    ids: &mut Vec<AgentId>,
) -> Result<(), RuleStateError> {
    let mut part = reader.part(name)?;
    let mut next_id = 0;
    while part.left() > 0 {
        let id = part.next(next_id..=u64::from(AgentId::NOBODY.0) - 1, "a greater agent id")?;
        next_id = id + 1;
        let id = AgentId(id as u32);
        if present.binary_search_by_key(&id, |&(id, _)| id).is_err() {
            return Err(part.wrong("the id of an agent that is there"));
        }
        ids.push(id);
    }
    Ok(())
}

/// Paths, tries and yield states. Ticks are compared and nothing more, so any will do.
pub(crate) fn restore_heads(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table: PlanTable { heads, yield_states, speed_factors, params, .. }, present, .. } =
        rule;
    let mut of_head =
        |name, set: &mut dyn FnMut(&mut PartReader<'_>, usize) -> Result<(), RuleStateError>| {
            for_each_agent(reader, (name, 1), present, set)
        };
    of_head("head.path_left", &mut |part, at| {
        heads[at].path_left = part.u32("a number of moves")?;
        Ok(())
    })?;
    of_head("head.path_since", &mut |part, at| {
        heads[at].path_of.0 = part.u32("a tick")?;
        Ok(())
    })?;
    of_head("head.path_station", &mut |part, at| {
        heads[at].path_of.1 = part.u32("a station")?;
        Ok(())
    })?;
    of_head("head.next_try", &mut |part, at| {
        heads[at].next_try = part.u32("a tick")?;
        Ok(())
    })?;
    of_head("head.retreat_left", &mut |part, at| {
        heads[at].retreat_left = part.u32_to(heads[at].path_left, "a number of moves of the path")?;
        Ok(())
    })?;
    of_head("head.failures", &mut |part, at| {
        heads[at].failures = part.u32_to(params.retry_doublings_max, "a number of failures")? as u8;
        Ok(())
    })?;
    of_head("head.is_inside", &mut |part, at| {
        heads[at].is_inside = part.flag("whether it is in a corridor")?;
        Ok(())
    })?;
    let mut ranks = reader.part_of("yield.rank", present.len())?;
    let mut ids = reader.part_of("yield.id", present.len())?;
    let mut busy_until = reader.part_of("yield.busy_until", present.len())?;
    let mut step_ticks = reader.part_of("yield.step_ticks", present.len())?;
    let mut teams = reader.part_of("yield.team", present.len())?;
    for (_, slot) in &*present {
        yield_states[slot.index()] = YieldState {
            key: PriorityKey::of_words(ranks.word()?, ids.u32("an agent id")?),
            busy_until: busy_until.u32("a tick")?,
            step_ticks: step_ticks.u32_to(u16::MAX.into(), "ticks of a step")? as u16,
            team: Team(teams.below(Team::COUNT, "a team")? as u8),
            // Only at the tick at which it is touched does this matter.
            ..YieldState::NEW
        };
    }
    for_each_agent(reader, ("speed_factor", 1), present, |part, at| {
        speed_factors[at] = part.next(1..=u16::MAX.into(), "a speed factor in permille")? as u16;
        Ok(())
    })
}

/// Pushes, displacements, corridors and credit.
pub(crate) fn restore_details(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table: PlanTable { details, params, .. }, present, .. } = rule;
    let n_states = context.tables.iter().map(|tables| tables.space().n_states()).max().unwrap_or(0);
    let mut of_details =
        |name, set: &mut dyn FnMut(&mut PartReader<'_>, usize) -> Result<(), RuleStateError>| {
            for_each_agent(reader, (name, 1), present, set)
        };
    let state = |part: &mut PartReader<'_>| match part.u32("a state")? {
        state if state == NO_STATE.0 || (state as usize) < n_states => Ok(State(state)),
        _ => Err(part.wrong(format!("a state below {n_states}, or {} for none", NO_STATE.0))),
    };
    of_details("details.path", &mut |part, at| {
        details[at].path = part.u32("the number of a path")?;
        Ok(())
    })?;
    of_details("details.pusher", &mut |part, at| {
        details[at].pusher = AgentId(part.u32("an agent id")?);
        Ok(())
    })?;
    of_details("details.pusher_since", &mut |part, at| {
        details[at].pusher_since = part.u32("a tick")?;
        Ok(())
    })?;
    of_details("details.retreat_since", &mut |part, at| {
        details[at].retreat_since = part.u32("a tick")?;
        Ok(())
    })?;
    of_details("details.push_again_at", &mut |part, at| {
        details[at].push_again_at = part.u32("a tick")?;
        Ok(())
    })?;
    of_details("details.push_failures", &mut |part, at| {
        details[at].push_failures =
            part.u32_to(params.push_retry_doublings_max, "a number of failures")? as u8;
        Ok(())
    })?;
    of_details("details.backed_out_until", &mut |part, at| {
        details[at].backed_out_until = part.u32("a tick")?;
        Ok(())
    })?;
    // Which corridors there are is known later.
    of_details("details.admitted", &mut |part, at| {
        details[at].admitted = part.u32("a corridor")?;
        Ok(())
    })?;
    of_details("details.admitted_at", &mut |part, at| {
        details[at].admitted_at = part.u32("a tick")?;
        Ok(())
    })?;
    of_details("details.left_at", &mut |part, at| {
        details[at].left_at = state(part)?;
        Ok(())
    })?;
    of_details("details.noted_at", &mut |part, at| {
        details[at].noted_at = state(part)?;
        Ok(())
    })?;
    of_details("details.test_way_at", &mut |part, at| {
        details[at].test_way_at = part.u32("a tick")?;
        Ok(())
    })?;
    for_each_agent(reader, ("details.corridors", CORRIDORS_MAX), present, |part, at| {
        for number in 0..CORRIDORS_MAX {
            let corridor = part.u32("a corridor")?;
            if corridor != NO_CORRIDOR && details[at].corridors.contains(&corridor) {
                return Err(part.wrong("each corridor once"));
            }
            details[at].corridors[number] = corridor;
        }
        Ok(())
    })?;
    let n_kinds = DisplacementKind::ALL.len();
    for_each_agent(reader, ("details.displace_again_at", n_kinds), present, |part, at| {
        for retry in &mut details[at].displace_retries {
            retry.again_at = part.u32("a tick")?;
        }
        Ok(())
    })?;
    let failures_max = |kind: DisplacementKind, params: &TrafficParams| kind.failures_max(params).into();
    for_each_agent(reader, ("details.displace_failures", n_kinds), present, |part, at| {
        for kind in DisplacementKind::ALL {
            let failures = part.u32_to(failures_max(kind, params), "a number of failures")? as u8;
            details[at].displace_retries[kind as usize].failures = failures;
        }
        Ok(())
    })?;
    let most = Credit::most_used(context.tick, context.poses_per_agent);
    for_each_agent(reader, ("details.credit", 1), present, |part, at| {
        details[at].credit = Credit(part.next(0..=most, "poses that the agent can have used")?);
        Ok(())
    })
}

/// Plans whose moves follow each other in time and stay on the map; they are compared with the agents later.
pub(crate) fn restore_plans(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table, present, .. } = rule;
    let mut counts = reader.part_of("plan.n_moves", present.len())?;
    let mut end_states = reader.part_of("plan.end_state", present.len())?;
    let mut end_ticks = reader.part_of("plan.end_tick", present.len())?;
    let mut starts = reader.part("plan.starts")?;
    let mut ticks = reader.part_of("plan.ticks", starts.left())?;
    let mut primitives = reader.part_of("plan.primitives", starts.left())?;
    for &(_, slot) in &*present {
        let n = counts.u32_to(MOVES_MAX as u32, "a number of moves")?;
        let end = (State(end_states.u32("a state")?), end_ticks.u32("a tick")?);
        let (mut plan, mut ready) = (Plan::rest(end.0, end.1), context.tick);
        for _ in 0..n {
            let most = u64::from(FOREVER) - 2;
            let start = starts.next(ready.into()..=most, "the tick of the next move")? as u32;
            let lasts = ticks.next(1..=most + 1 - u64::from(start), "ticks of a move")? as u32;
            let primitive = primitives.u32_to(u8::MAX.into(), "a primitive")? as u8;
            plan.push(PlannedMove { start, ticks: lasts, primitive }, end.0);
            ready = start + lasts;
        }
        if n > 0 && ready != end.1 {
            return Err(end_ticks.wrong(format!("{ready}, the end of the last move")));
        }
        table.set_plan(slot, plan);
    }
    [starts, ticks, primitives].into_iter().try_for_each(PartReader::finish)
}

/// Whether all cells of a move are on the map.
pub(crate) fn is_on_map(context: &RuleContext<'_>, class: usize, state: State, primitive: usize) -> bool {
    let tables = &context.tables[class];
    let pose = tables.space().pose(state);
    let step = transition_at(tables, pose, primitive);
    let on_map = |(anchor, cells): (wheelbase_grid::CellXY, &[wheelbase_planner::model::Offset])| {
        cells.iter().all(|offset| context.grid_size.contains(offset.cell_from(anchor)))
    };
    let end = pose_after(&step);
    on_map(step.start()) && on_map(step.swept()) && on_map(step.end()) && context.grid_size.contains(end.cell)
}
