//! How a map is laid on the characters of a terminal.

use wheelbase_grid::{Cell, CellXY, Grid, GridShape, GridSize};

/// Cells of a small map are drawn at most so many points wide.
const ZOOM_MAX: u32 = 4;

/// How a map is laid on the points of a terminal, two of them a character: either `scale` cells along each
/// axis are a point, or a cell is `zoom` points along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub columns: u32,
    /// Characters, without the line of status.
    pub rows: u32,
    pub scale: u32,
    pub zoom: u32,
    /// Points by which odd rows lie to the east of even ones.
    pub shift: u32,
    /// Points that the map takes.
    pub width: u32,
    pub height: u32,
}

impl Layout {
    pub fn of(grid: &Grid, columns: u32, rows: u32) -> Self {
        let (columns, rows) = (columns.max(1), rows.saturating_sub(1).max(1));
        let (width, height) = (grid.size().width(), grid.size().height());
        let scale = width.div_ceil(columns).max(height.div_ceil(2 * rows));
        let is_hex = grid.shape() == GridShape::Hex;
        // Half cells, of which odd rows of hexagons need one more.
        let halves = 2 * width + u32::from(is_hex);
        let zoom = (2 * columns / halves).min(2 * rows / height).clamp(1, ZOOM_MAX);
        // Where a point is a cell or more, half a cell cannot be seen.
        let (zoom, shift) = if is_hex && zoom > 1 { (zoom & !1, zoom / 2) } else { (zoom, 0) };
        let points = |cells: u32| if scale > 1 { cells.div_ceil(scale) } else { cells * zoom };
        Self { columns, rows, scale, zoom, shift, width: points(width) + shift, height: points(height) }
    }

    /// Index of the first point of a cell, and the points it takes along each axis.
    pub fn point(&self, cell: CellXY) -> (u32, u32, u32) {
        let (x, y) = (cell.x.max(0) as u32, cell.y.max(0) as u32);
        if self.scale > 1 {
            (x / self.scale, y / self.scale, 1)
        } else {
            (x * self.zoom + self.shift * (y & 1), y * self.zoom, self.zoom)
        }
    }

    /// The cell that a point shows, of a map that is not scaled down; `None` beside the rows of hexagons.
    pub fn cell(&self, x: u32, y: u32, size: GridSize) -> Option<Cell> {
        let row = y / self.zoom;
        let x = x.checked_sub(self.shift * (row & 1))?;
        size.cell(CellXY::new((x / self.zoom) as i32, row as i32))
    }
}
