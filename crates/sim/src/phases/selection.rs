//! The agents that a command selects.

use crate::commands::{AgentSelection, NAMED_MAX, RefusalReason, Ticket};
use crate::rows::event_details::EventDetails;
use crate::world::World;
use wheelbase_traffic::motion::AgentId;

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
    let selected = select_rows(world, selection, &mut rows);
    let refuse = |world: &mut World, agent, reason| {
        let (about, details) = ((world.tick, ticket), EventDetails::default());
        world.events.refuse(&mut world.counts, about, Some(agent), reason, details);
    };
    let selected = selected.map(|absent| {
        for id in absent {
            refuse(world, id, why_absent(world, id));
        }
        for (number, &row) in rows.iter().enumerate() {
            if let Err(reason) = each(world, number as u32, row as usize) {
                refuse(world, world.agents.ids[row as usize], reason);
            }
        }
    });
    world.tick_buffers.selected = rows;
    selected
}

/// Rows of the selected agents, rising. Returns the agents that have no row.
fn select_rows(
    world: &World,
    selection: &AgentSelection,
    rows: &mut Vec<u32>,
) -> Result<Vec<AgentId>, RefusalReason> {
    rows.clear();
    let ids = match selection {
        AgentSelection::One(id) => std::slice::from_ref(id),
        AgentSelection::Named(ids) if ids.len() > NAMED_MAX => return Err(RefusalReason::TooLong),
        AgentSelection::Named(ids) => ids,
        AgentSelection::Area(area) => {
            world.rows_in(*area, rows);
            return Ok(Vec::new());
        }
    };
    let mut absent = Vec::new();
    for &id in ids {
        match world.agents.present_row(id) {
            Some(row) => rows.push(row as u32),
            None => absent.push(id),
        }
    }
    rows.sort_unstable();
    rows.dedup();
    Ok(absent)
}

/// Why no row has an agent.
pub(super) fn why_absent(world: &World, agent: AgentId) -> RefusalReason {
    if world.agents.is_off_map(agent) { RefusalReason::OffMap } else { RefusalReason::UnknownAgent }
}
