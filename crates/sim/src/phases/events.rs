//! The events phase: edits that waited, then the events of the tick, in their order.

use super::{agents, edits};
use crate::events::Action;
use crate::pending_edits::WaitingEdit;
use crate::world::World;

/// The events phase of a tick: edits that waited, then the tick's own events, in order of the file.
pub(crate) fn apply_events(world: &mut World) {
    edits::retry_pending(world);
    let events = std::mem::take(&mut world.events);
    let first = world.next_event;
    while let Some(event) = events.get(world.next_event).filter(|event| event.tick <= world.tick) {
        let number = world.next_event as u32;
        match &event.action {
            Action::Edit(edit) => edits::ask(world, WaitingEdit { asked: event.tick, number, edit: *edit }),
            Action::AddAgents(new) => agents::add_agents(world, new, number),
            Action::RemoveAgents(chosen) => agents::remove_agents(world, chosen),
            Action::GiveOrders(new) => agents::give_orders(world, new),
        }
        world.next_event += 1;
    }
    world.events = events;
    if world.next_event > first {
        // One of the tick's own may have removed or stranded those that an edit waited for.
        edits::retry_pending(world);
    }
}
