//! Edits of the map that wait until they disturb no agent, or for their deadline.

use crate::commands::{MapEdit, OnAgents, Ticket};
use serde::{Deserialize, Serialize};
use wheelbase_grid::Change;
use wheelbase_traffic::forbidden::ForbiddenArea;
use wheelbase_traffic::motion::AgentId;

/// An edit that was asked for and has not taken effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingEdit {
    /// Tick of its command.
    pub asked: u32,
    /// Ticket of its command.
    pub ticket: Ticket,
    /// The edit.
    pub edit: MapEdit,
}

/// Edits that wait until they disturb no agent, or for their deadline. Until then only agents that already hold one of
/// an edit's cells may sweep them. An edit of a side, or a rotation of a tile, has one cell: the one whose sides it sets.
#[derive(Clone, Debug, Default)]
pub struct PendingEdits {
    edits: Vec<PendingEdit>,
    /// Their areas, those of an edit together.
    areas: Vec<ForbiddenArea>,
    /// Scratch: the agents that an edit disturbs.
    pub(crate) disturbed: Vec<AgentId>,
}

impl PendingEdits {
    /// Number of pending edits.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Whether no edit is pending.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The pending edits, oldest first.
    pub fn edits(&self) -> &[PendingEdit] {
        &self.edits
    }

    /// Whether one of them has a deadline.
    pub(crate) fn any_deadline(&self) -> bool {
        self.edits.iter().any(|pending| matches!(pending.edit.on_agents, OnAgents::WaitUntil { .. }))
    }

    /// Adds an edit.
    pub(crate) fn push(&mut self, edit: PendingEdit) {
        let edit_areas = edit.edit.changes.iter().map(Change::area);
        self.areas.extend(edit_areas.map(|area| ForbiddenArea { area, edit: edit.ticket.0 }));
        self.edits.push(edit);
    }

    /// Removes an edit.
    pub(crate) fn remove(&mut self, at: usize) {
        let removed = self.edits.remove(at);
        self.areas.retain(|area| area.edit != removed.ticket.0);
    }

    /// Areas of the pending edits, oldest first.
    pub fn areas(&self) -> &[ForbiddenArea] {
        &self.areas
    }
}
