//! What the rule keeps of each agent is read from a saved state.

use crate::cooperative::agent_columns::{AgentLimits, DETAILS, HEADS, KEYS, YIELD_STATES};
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::CORRIDORS_MAX;
use crate::cooperative::moves::{pose_after, transition_at};
use crate::cooperative::plan::{MOVES_MAX, Plan, PlannedMove};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::FOREVER;
use crate::cooperative::state::Cooperative;
use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::{RuleContext, RuleStateError};
use crate::saved_columns::restore_columns;
use crate::state_reader::{PartReader, StateReader};
use wheelbase_planner::model::State;

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
    let is_new = |row: usize| context.reclassed.binary_search(&(row as u32)).is_ok();
    let (mut next_id, mut n_known) = (0, 0);
    while ids.left() > 0 {
        let id = ids.next(next_id..=u64::from(AgentId::NOBODY.0) - 1, "a greater agent id")?;
        next_id = id + 1;
        let (id, slot) = (AgentId(id as u32), AgentSlot(slots.below(n_slots, "an agent slot")?));
        if std::mem::replace(&mut is_taken[slot.index()], true) {
            return Err(slots.wrong("a slot that no other agent has"));
        }
        if let Some(row) = agents.row(id) {
            // Agents that have come back since are new to the rule.
            if !(n_known..row).all(is_new) {
                return Err(ids.wrong("all agents that were placed before it and are still there"));
            }
            if agents.slots[row] != slot && !is_new(row) {
                return Err(slots.wrong(format!("{}, the slot of agent {}", agents.slots[row].0, id.0)));
            }
            n_known = row + 1;
        }
        present.push((id, slot));
    }
    let unknown = (n_known..agents.len()).find(|&row| !is_new(row));
    if let Some(row) = unknown.filter(|&row| u64::from(agents.ids[row].0) < next_id) {
        let found = format!("no agent {}", agents.ids[row].0);
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

/// What [`DETAILS`] and the other columns say of each agent.
pub(crate) fn restore_agents(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table, present, .. } = rule;
    let PlanTable { heads, details, yield_states, speed_factors, .. } = table;
    let (slots, limits) = (|| present.iter().map(|(_, slot)| slot.index()), AgentLimits::of(context));
    restore_columns(HEADS, &limits, (heads, slots()), reader)?;
    restore_columns(KEYS, &limits, (yield_states, slots()), reader)?;
    restore_columns(YIELD_STATES, &limits, (yield_states, slots()), reader)?;
    let mut factors = reader.part_of("speed_factor", present.len())?;
    for at in slots() {
        speed_factors[at] = factors.next(1..=u16::MAX.into(), "a speed factor in thousandths")? as u16;
    }
    restore_columns(DETAILS, &limits, (details, slots()), reader)?;
    for (number, at) in slots().enumerate() {
        let (head, corridors) = (&heads[at], details[at].corridors);
        if head.retreat_left > head.path_left {
            let found = head.retreat_left.to_string();
            return Err(RuleStateError::of_value(
                "head.retreat_left",
                number,
                found,
                "at most the moves of the path",
            ));
        }
        let is_repeated =
            |&at: &usize| corridors[at] != NO_CORRIDOR && corridors[..at].contains(&corridors[at]);
        if let Some(at) = (1..CORRIDORS_MAX).find(is_repeated) {
            let found = corridors[at].to_string();
            let name = format!("details.corridor_{}", at + 1);
            return Err(RuleStateError::of_value(&name, number, found, "each corridor once"));
        }
    }
    Ok(())
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
