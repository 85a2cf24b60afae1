//! Edits of the map that wait until they disturb nobody.

use crate::events::MapEdit;
use wheelbase_grid::Rect;
use wheelbase_traffic::motion::AgentId;

/// An edit that has been asked for and has not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingEdit {
    /// Tick of its event.
    pub asked: u32,
    /// Number of its event, in order of time.
    pub number: u32,
    /// The edit.
    pub edit: MapEdit,
}

/// Edits that wait until they disturb nobody. Until then only agents that already hold one of an edit's
/// cells may sweep its cells; those of a side or of a turned tile are the one cell whose sides they set.
#[derive(Debug, Default)]
pub struct PendingEdits {
    edits: Vec<WaitingEdit>,
    /// Their areas.
    areas: Vec<Rect>,
    /// Agents that an edit disturbs, while it is looked at.
    pub(crate) disturbed: Vec<AgentId>,
}

impl PendingEdits {
    /// Number of edits that wait.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edits that wait, oldest first.
    pub fn edits(&self) -> &[WaitingEdit] {
        &self.edits
    }

    /// Adds one.
    pub(crate) fn push(&mut self, edit: WaitingEdit) {
        self.areas.push(edit.edit.change.area());
        self.edits.push(edit);
    }

    /// Takes one out.
    pub(crate) fn remove(&mut self, at: usize) {
        self.areas.remove(at);
        self.edits.remove(at);
    }

    /// The areas that they wait for, oldest first.
    pub fn areas(&self) -> &[Rect] {
        &self.areas
    }
}
