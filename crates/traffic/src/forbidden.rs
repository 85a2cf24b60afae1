//! Areas of waiting edits: only agents that already hold one of their cells may sweep them.

use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::Offset;

/// Whether one of the cells, given from an anchor, lies in the area.
pub fn touches(area: Rect, anchor: CellXY, cells: &[Offset]) -> bool {
    cells.iter().any(|offset| area.contains(offset.cell_from(anchor)))
}

/// Whether one of the areas forbids an agent that holds `held` to sweep `swept`, both given from its anchor: the move
/// would enter the area.
pub fn forbids(areas: &[Rect], anchor: CellXY, held: &[Offset], swept: &[Offset]) -> bool {
    areas.iter().any(|&area| touches(area, anchor, swept) && !touches(area, anchor, held))
}
