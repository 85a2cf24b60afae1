//! Edits of the map that wait until they disturb nobody.

use crate::events::MapEdit;
use crate::motion::AgentId;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::Offset;

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
    pub(crate) edits: Vec<WaitingEdit>,
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

    /// Whether an agent that holds `held` must not sweep `swept`, both from its anchor.
    pub fn forbid(&self, anchor: CellXY, held: &[Offset], swept: &[Offset]) -> bool {
        self.edits.iter().any(|waiting| {
            let area = waiting.edit.change.area();
            touches(area, anchor, swept) && !touches(area, anchor, held)
        })
    }
}

/// Whether one of the cells, given from an anchor, lies in the area.
pub(crate) fn touches(area: Rect, anchor: CellXY, cells: &[Offset]) -> bool {
    cells.iter().any(|o| area.contains(o.cell_from(anchor)))
}
