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
    /// Separates the areas of one edit, which stand together, from the areas of the next.
    pub edit: u64,
}

/// Whether an edit forbids an agent that holds `held` to sweep `swept`, both given from its anchor. The move would
/// enter the cells of the edit.
pub fn forbids(areas: &[ForbiddenArea], anchor: CellXY, held: &[Offset], swept: &[Offset]) -> bool {
    if areas.is_empty() {
        return false;
    }
    let bounds = bounds_of(anchor, swept);
    let is_swept = |of: &ForbiddenArea| of.area.overlaps(bounds) && touches(of.area, anchor, swept);
    let is_held = |of: &ForbiddenArea| touches(of.area, anchor, held);
    let mut edits = areas.chunk_by(|one, next| one.edit == next.edit);
    edits.any(|edit| edit.iter().any(is_swept) && !edit.iter().any(is_held))
}

/// The rectangle around cells given from an anchor.
pub fn bounds_of(anchor: CellXY, cells: &[Offset]) -> Rect {
    let Some(&first) = cells.first() else { return Rect::new(anchor.x, anchor.y, 0, 0) };
    let (mut low, mut high) = ((first.dx, first.dy), (first.dx, first.dy));
    for &Offset { dx, dy } in cells {
        (low, high) = ((low.0.min(dx), low.1.min(dy)), (high.0.max(dx), high.1.max(dy)));
    }
    let width = |low: i32, high: i32| high.abs_diff(low) + 1;
    Rect::new(anchor.x + low.0, anchor.y + low.1, width(low.0, high.0), width(low.1, high.1))
}
