//! Areas that are being left: only agents that already hold one of their cells may sweep their cells.

use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::Offset;

/// Whether one of the cells, given from an anchor, lies in the area.
pub fn touches(area: Rect, anchor: CellXY, cells: &[Offset]) -> bool {
    cells.iter().any(|offset| area.contains(offset.cell_from(anchor)))
}

/// Whether an agent that holds `held` must not sweep `swept`, both from its anchor: one of the areas is being
/// left, and it would enter it.
pub fn forbids(areas: &[Rect], anchor: CellXY, held: &[Offset], swept: &[Offset]) -> bool {
    areas.iter().any(|&area| touches(area, anchor, swept) && !touches(area, anchor, held))
}
