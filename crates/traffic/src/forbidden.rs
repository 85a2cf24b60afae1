//! Areas of waiting edits: only agents that already hold a cell of an edit may sweep its cells.

use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::Offset;

/// Whether one of the cells, given from an anchor, lies in the area.
pub fn touches(area: Rect, anchor: CellXY, cells: &[Offset]) -> bool {
    cells.iter().any(|offset| area.contains(offset.cell_from(anchor)))
}

/// An area of an edit that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForbiddenArea {
    /// The area.
    pub area: Rect,
    /// Tells the areas of one edit, which stand together, from those of the next.
    pub edit: u64,
}

/// Whether an edit forbids an agent that holds `held` to sweep `swept`, both given from its anchor: the move would enter
/// the cells of the edit.
pub fn forbids(areas: &[ForbiddenArea], anchor: CellXY, held: &[Offset], swept: &[Offset]) -> bool {
    let any = |edit: &[ForbiddenArea], cells| edit.iter().any(|of| touches(of.area, anchor, cells));
    areas.chunk_by(|one, next| one.edit == next.edit).any(|edit| any(edit, swept) && !any(edit, held))
}
