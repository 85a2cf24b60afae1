//! The agents that a command selects, and what is said where one cannot have its part.

use crate::commands::{AgentSelection, NAMED_MAX, RefusalReason, Ticket};
use crate::log::TraceEvent;
use crate::rows::event_details::EventDetails;
use crate::world::World;
use wheelbase_traffic::motion::AgentId;

/// Reports that a command, or its part about an agent, is not carried out.
pub(super) fn refuse_command(
    world: &mut World,
    ticket: Ticket,
    agent: Option<AgentId>,
    reason: RefusalReason,
) {
    refuse_with_details(world, ticket, agent, reason, EventDetails::default());
}

/// As [`refuse_command`], with what else is known.
pub(super) fn refuse_with_details(
    world: &mut World,
    ticket: Ticket,
    agent: Option<AgentId>,
    reason: RefusalReason,
    details: EventDetails<'_>,
) {
    world.counts.commands_refused += 1;
    world.note_with(TraceEvent::Refused { ticket, agent, reason }, details);
}

/// Calls `each` with the index and the row of every selected agent, in order of id. Unknown agents, and those for which
/// `each` gives a reason, are refused one by one.
///
/// # Errors
/// [`RefusalReason::TooLong`].
pub(super) fn for_each_row(
    world: &mut World,
    ticket: Ticket,
    selection: &AgentSelection,
    mut each: impl FnMut(&mut World, u32, usize) -> Result<(), RefusalReason>,
) -> Result<(), RefusalReason> {
    let mut rows = std::mem::take(&mut world.tick_buffers.selected);
    let selected = select_rows(world, ticket, selection, &mut rows);
    if selected.is_ok() {
        for (number, &row) in rows.iter().enumerate() {
            let row = row as usize;
            if let Err(reason) = each(world, number as u32, row) {
                let agent = world.agents.ids[row];
                refuse_command(world, ticket, Some(agent), reason);
            }
        }
    }
    world.tick_buffers.selected = rows;
    selected
}

/// Rows of the selected agents, rising.
fn select_rows(
    world: &mut World,
    ticket: Ticket,
    selection: &AgentSelection,
    rows: &mut Vec<u32>,
) -> Result<(), RefusalReason> {
    rows.clear();
    match selection {
        AgentSelection::One(id) => match world.agents.present_row(*id) {
            Some(row) => rows.push(row as u32),
            None => refuse_command(world, ticket, Some(*id), why_absent(world, *id)),
        },
        AgentSelection::Named(ids) if ids.len() > NAMED_MAX => {
            return Err(RefusalReason::TooLong);
        }
        AgentSelection::Named(ids) => {
            for &id in ids {
                match world.agents.present_row(id) {
                    Some(row) => rows.push(row as u32),
                    None => refuse_command(world, ticket, Some(id), why_absent(world, id)),
                }
            }
            rows.sort_unstable();
            rows.dedup();
        }
        AgentSelection::Area(area) => world.rows_in(*area, rows),
    }
    Ok(())
}

/// Why no row has an agent.
pub(super) fn why_absent(world: &World, agent: AgentId) -> RefusalReason {
    if world.agents.is_off_map(agent) { RefusalReason::OffMap } else { RefusalReason::UnknownAgent }
}
