//! The rule takes over the state of a saved one.
//!
//! First every value is checked alone, so that none leads out of an array. Then the whole is checked so that later
//! ticks are sound. No two agents have reserved a cell for the same ticks, and every agent has reserved the cells of
//! its plan.

use crate::collision::CollisionRule;
use crate::cooperative::reservations::FOREVER;
use crate::cooperative::reservations::{NO_RESERVATION, Reservation, Reservations};
use crate::cooperative::restore_agents::{read_agents, restore_agents, restore_plans};
use crate::cooperative::restore_corridors::{check_inside, restore_admission, restore_corridor_map};
use crate::cooperative::restore_windows::restore_windows;
use crate::cooperative::restored_plans::{check_plans, current_row};
use crate::cooperative::soft_reservations::SoftReservations;
use crate::cooperative::state::Cooperative;
use crate::motion::AgentSlot;
use crate::priority::PriorityKey;
use crate::rule_state::{RuleContext, RuleState, RuleStateError};
use crate::state_reader::StateReader;
use crate::teams::Team;

/// Gives a fresh rule the state of a saved one.
pub(crate) fn restore_cooperative(
    rule: &mut Cooperative,
    state: &RuleState,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let mut reader = StateReader::new(state);
    let mut part = reader.part_of("cooperative", 2)?;
    let n_slots = part.next(0..=context.agents.row_of_slot.len() as u64, "a number of agent slots")?;
    rule.next_tick = part.u32("the next tick")?;
    if ![0, context.tick].contains(&rule.next_tick) {
        return Err(part.wrong(format!("the tick {} of the world", context.tick)));
    }
    restore_revisions(rule, &mut reader, context)?;
    rule.table.grow(n_slots as usize);
    rule.search.windows.grow(n_slots as usize);
    read_agents(rule, &mut reader, context)?;
    restore_agents(rule, &mut reader, context)?;
    restore_plans(rule, &mut reader, context)?;
    restore_reservations(rule, &mut reader)?;
    restore_soft_reservations(&mut rule.table.soft_reservations, &mut reader, rule.next_tick)?;
    restore_corridor_map(rule, &mut reader, context)?;
    restore_admission(rule, &mut reader, context)?;
    restore_windows(rule, &mut reader, context)?;
    reader.finish()?;
    check_inside(rule, context)?;
    check_plans(rule, context)?;
    let Cooperative { table, present, .. } = rule;
    for &(id, slot) in &*present {
        let Some(row) = current_row(context, id) else { continue };
        // Of plans that are not valid, ends are not checked; the next tick drops them before it reads them.
        let n_states = context.tables[context.agents.motion[row].class.0 as usize].space().n_states();
        if (table.plans[slot.index()].end.0.0 as usize) < n_states {
            table.keep_turnaround_free(&context.agents, context.tables, row);
        }
    }
    Ok(())
}

/// Revisions of the tables at the last tick: the present ones, unless an edit waits to be seen by the rule.
fn restore_revisions(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let mut part = reader.part_of("revisions", rule.revisions.len())?;
    for revision in &mut rule.revisions {
        let saved = part.word()?;
        if saved != *revision && context.edited.is_empty() {
            return Err(part.wrong(format!("{revision}, the revision of the map")));
        }
        *revision = saved;
    }
    Ok(())
}

/// Reservations by cell, each of an agent that is there.
fn restore_reservations(rule: &mut Cooperative, reader: &mut StateReader<'_>) -> Result<(), RuleStateError> {
    let Cooperative { table, present, .. } = rule;
    let reservations = &mut table.reservations;
    let mut is_there = vec![false; table.heads.len()];
    present.iter().for_each(|(_, slot)| is_there[slot.index()] = true);
    let n_cells = reservations.of_cell.len();
    let (mut cells, mut part) = (reader.part("reserved_cells")?, reader.part("reservations")?);
    let mut next_cell = 0;
    while cells.left() > 0 {
        let cell = cells.next(next_cell..=(n_cells as u64).saturating_sub(1), "the index of a later cell")?;
        next_cell = cell + 1;
        let n = cells.next(1..=part.left() as u64 / 4, "a number of reservations")?;
        let first = reservations.reservations.len();
        for number in 0..n {
            let agent = AgentSlot(part.below(is_there.len(), "an agent slot")?);
            if !is_there[agent.index()] {
                return Err(part.wrong("the agent slot of an agent that is there"));
            }
            let from = part.u32_to(FOREVER - 1, "the tick at which a reservation begins")?;
            let until = part.next(u64::from(from) + 1..=FOREVER.into(), "the tick at which it ends")? as u32;
            let leaves =
                part.next(from.into()..=FOREVER.into(), "the tick at which the agent leaves")? as u32;
            let at = reservations.reservations.len() as u32;
            let next_in_cell = if number + 1 < n { at + 1 } else { NO_RESERVATION };
            let next_of_agent = std::mem::replace(&mut reservations.of_agent[agent.index()], at);
            let cell = cell as u32;
            let reservation = Reservation { agent, from, until, leaves, cell, next_in_cell, next_of_agent };
            reservations.reservations.push(reservation);
        }
        reservations.of_cell[cell as usize] = first as u32;
        check_overlaps(reservations, first, cell)?;
    }
    part.finish()
}

/// The reservations from `first` on, all of one cell, do not overlap, unless one of two agents leaves the cell as the
/// other comes, which the discrete rule allows.
fn check_overlaps(reservations: &Reservations, first: usize, cell: u64) -> Result<(), RuleStateError> {
    let mut here: Vec<&Reservation> = reservations.reservations[first..].iter().collect();
    here.sort_unstable_by_key(|one| (one.from, one.until));
    // The reservation so far that ends last.
    let mut last: Option<&Reservation> = None;
    for one in here {
        let overlap = last.filter(|last| last.agent != one.agent && last.until > one.from);
        let changes_hands = |last: &Reservation| {
            reservations.rule() == CollisionRule::Discrete && last.leaves.min(one.leaves) != FOREVER
        };
        if let Some(last) = overlap.filter(|last| !changes_hands(last)) {
            let of =
                |one: &Reservation| format!("slot {} for ticks {} to {}", one.agent.0, one.from, one.until);
            let found = format!("cell {cell} reserved by {} and by {}", of(last), of(one));
            return Err(RuleStateError::of_part("reservations", found, "one agent at a time"));
        }
        if last.is_none_or(|last| last.until <= one.until) {
            last = Some(one);
        }
    }
    Ok(())
}

fn restore_soft_reservations(
    soft: &mut SoftReservations,
    reader: &mut StateReader<'_>,
    next_tick: u32,
) -> Result<(), RuleStateError> {
    let mut part = reader.part_of("claims", 2)?;
    soft.until = part.u32("the tick at which the last soft reservation ends")?;
    soft.reserved_so_far = part.word()?;
    let mut part = reader.part("claimed_cells")?;
    let n_cells = soft.of_cell.len() as u64;
    let mut next_cell = 0;
    while part.left() > 0 {
        let cell = part.next(next_cell..=n_cells.saturating_sub(1), "the index of a later cell")?;
        next_cell = cell + 1;
        let ticks = u64::from(next_tick) + 1..=soft.until.into();
        let until = part.next(ticks, "the tick at which the soft reservation ends")? as u32;
        let key = PriorityKey::of_words(part.word()?, part.u32("an agent id")?);
        let team = Team(part.below(Team::COUNT, "a team")? as u8);
        soft.of_cell[cell as usize] = (until, key);
        if team != Team(0) {
            soft.teams.resize(n_cells as usize, Team(0));
            soft.teams[cell as usize] = team;
        }
    }
    Ok(())
}
