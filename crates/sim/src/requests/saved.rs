//! Path requests as a snapshot holds them.

use super::slot::SavedSlot;
use super::{PathRequest, PathSource, Requests, SearchContext};
use crate::agents::Agents;
use crate::shared_fields::{SavedFields, SharedFields};
use serde::{Deserialize, Serialize};

/// All path requests, searches and fields.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedRequests {
    source: PathSource,
    queue: Vec<PathRequest>,
    /// By slot.
    slots: Vec<Option<SavedSlot>>,
    fields: SavedFields,
}

impl SavedRequests {
    /// The source of paths.
    pub fn source(&self) -> PathSource {
        self.source
    }
}

impl Requests {
    /// All requests, between two ticks.
    pub(crate) fn save(&self) -> SavedRequests {
        SavedRequests {
            source: self.source,
            queue: self.queue.clone(),
            slots: self.slots.iter().map(super::Slot::save).collect(),
            fields: self.fields.save(),
        }
    }

    /// Takes over requests as they were saved. `self` is fresh.
    /// # Errors
    /// The first mistake, in words.
    pub(crate) fn restore(
        &mut self,
        saved: SavedRequests,
        tick: u32,
        context: &SearchContext<'_>,
    ) -> Result<(), String> {
        let SavedRequests { source, queue, slots, fields } = saved;
        let agents = context.search_inputs.agents;
        let in_slots = slots.iter().flatten().map(|slot| &slot.request);
        if let Some(wrong) = queue.iter().chain(in_slots).find(|request| !is_right(request, tick, agents)) {
            return Err(format!("{wrong:?} at tick {tick}"));
        }
        if slots.len() != self.slots.len() {
            return Err(format!("{} search slots, expected {}", slots.len(), self.slots.len()));
        }
        self.fields = SharedFields::restore(fields, context.search_inputs.tables)?;
        for (slot, saved) in self.slots.iter_mut().zip(slots) {
            if let Some(saved) = saved {
                slot.restore(saved, context)?;
            }
        }
        (self.source, self.queue) = (source, queue);
        Ok(())
    }
}

/// Whether a request is of an agent that is there, and was made before a tick.
fn is_right(request: &PathRequest, tick: u32, agents: &Agents) -> bool {
    request.issued <= tick && agents.row(request.agent).is_some()
}
