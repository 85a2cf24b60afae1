//! Edits of the map that wait until they disturb no agent.

use crate::events::MapEdit;
use wheelbase_grid::Rect;
use wheelbase_traffic::motion::AgentId;

/// An edit that was asked for and has not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingEdit {
    /// Tick of its event.
    pub asked: u32,
    /// Number of its event.
    pub number: u32,
    /// The edit.
    pub edit: MapEdit,
}

/// Edits that wait until they disturb no agent. Until then only agents that already hold one of an edit's cells may
/// sweep them. An edit of a side, or a rotation of a tile, has one cell: the one whose sides it sets.
#[derive(Debug, Default)]
pub struct PendingEdits {
    edits: Vec<PendingEdit>,
    /// Their areas.
    areas: Vec<Rect>,
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

    /// Adds an edit.
    pub(crate) fn push(&mut self, edit: PendingEdit) {
        self.areas.push(edit.edit.change.area());
        self.edits.push(edit);
    }

    /// Removes an edit.
    pub(crate) fn remove(&mut self, at: usize) {
        self.areas.remove(at);
        self.edits.remove(at);
    }

    /// Areas of the pending edits, oldest first.
    pub fn areas(&self) -> &[Rect] {
        &self.areas
    }
}
