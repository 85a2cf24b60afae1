//! The events phase: pending edits, then the events of the tick.

use super::{agents, edits};
use crate::events::Action;
use crate::pending_edits::PendingEdit;
use crate::world::World;

/// The events phase of a tick: pending edits, then the events of the tick in order.
pub(crate) fn apply_events(world: &mut World) {
    edits::retry_pending(world);
    let mut events = std::mem::take(&mut world.events);
    let first = events.next;
    while let Some(event) = events.due(world.tick) {
        let number = events.next as u32;
        match &event.action {
            Action::Edit(edit) => {
                edits::request_edit(world, PendingEdit { asked: event.tick, number, edit: *edit });
            }
            Action::AddAgents(new) => agents::add_agents(world, new, number),
            Action::RemoveAgents(selection) => agents::remove_agents(world, selection),
            Action::GiveOrders(new) => agents::give_orders(world, new),
        }
        events.next += 1;
    }
    let any = events.next > first;
    world.events = events;
    if any {
        // The events can have removed or stranded the agents that an edit waits for.
        edits::retry_pending(world);
    }
}
