//! The events phase: edits that waited, then the events of the tick, in their order.

use super::{agents, edits};
use crate::events::Action;
use crate::pending_edits::WaitingEdit;
use crate::world::Simulation;

/// The events phase of a tick: edits that waited, then the tick's own events, in order of the file.
pub(crate) fn apply_events(sim: &mut Simulation) {
    edits::retry_pending(sim);
    let events = std::mem::take(&mut sim.events);
    let first = sim.next_event;
    while let Some(event) = events.get(sim.next_event).filter(|event| event.tick <= sim.tick) {
        let number = sim.next_event as u32;
        match &event.action {
            Action::Edit(edit) => edits::ask(sim, WaitingEdit { asked: event.tick, number, edit: *edit }),
            Action::AddAgents(new) => agents::add_agents(sim, new, number),
            Action::RemoveAgents(chosen) => agents::remove_agents(sim, chosen),
            Action::GiveOrders(new) => agents::give_orders(sim, new),
        }
        sim.next_event += 1;
    }
    sim.events = events;
    if sim.next_event > first {
        // One of the tick's own may have removed or stranded those that an edit waited for.
        edits::retry_pending(sim);
    }
}
