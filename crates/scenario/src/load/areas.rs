//! Areas of cells, and the valid cells and headings as messages list them.

use crate::scenario;
use crate::scenario::{listed, nearest_heading};
use wheelbase_grid::{GridSize, Rect};
use wheelbase_planner::Heading;
use wheelbase_planner::model::heading_name;

/// Most poses checked in the areas of groups, all groups together: 64 areas of the largest map.
pub(super) const POSES_CHECKED_MAX: u64 = 1 << 32;

/// The cells of a map, for messages.
pub(super) fn cells_text(size: GridSize) -> String {
    format!("columns 0 to {} and rows 0 to {}", size.width() - 1, size.height() - 1)
}

pub(super) fn heading_list(headings: u8) -> String {
    listed((0..headings).map(|h| heading_name(headings, Heading(h))))
}

/// The heading that was most likely meant, as it is written.
pub(super) fn nearest_heading_of(headings: u8, name: &str) -> Option<String> {
    let known = (0..headings).map(|h| heading_name(headings, Heading(h)));
    nearest_heading(name, known).map(|near| format!("{near:?}"))
}

pub(super) fn area_rect(area: &scenario::Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

/// Why an area without a cell on the map is wrong; `None` if it has some.
pub(super) fn off_map(area: Rect, size: GridSize) -> Option<String> {
    let is_off = area.intersection(size.rect()).is_empty();
    is_off.then(|| format!("no cell of the area is on the map of {size}; expected {}", cells_text(size)))
}
