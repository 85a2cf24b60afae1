//! Mapping of cells to the pixels of a terminal.

use wheelbase_grid::{Cell, CellXY, Grid, GridShape, GridSize};

/// Most pixels along a cell of a small map.
const ZOOM_MAX: u32 = 4;

/// Size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Characters per line.
    pub columns: u32,
    /// Lines, including the status line.
    pub rows: u32,
}

/// Mapping of cells to pixels, two per character. Either a pixel covers `scale` cells along each axis, or a cell covers
/// `zoom` pixels along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub columns: u32,
    /// Lines of characters, without the status line.
    pub rows: u32,
    pub scale: u32,
    pub zoom: u32,
    /// Pixels by which odd rows are shifted to the east.
    pub shift: u32,
    /// Size of the map in pixels.
    pub width: u32,
    pub height: u32,
}

impl Layout {
    pub fn of(grid: &Grid, terminal: TerminalSize) -> Self {
        let (columns, rows) = (terminal.columns.max(1), terminal.rows.saturating_sub(1).max(1));
        let (width, height) = (grid.size().width(), grid.size().height());
        let scale = width.div_ceil(columns).max(height.div_ceil(2 * rows));
        let is_hex = grid.shape() == GridShape::Hex;
        // Width in half cells: odd rows of hexagons need one more.
        let half_cells = 2 * width + u32::from(is_hex);
        let zoom = (2 * columns / half_cells).min(2 * rows / height).clamp(1, ZOOM_MAX);
        // The shift by half a cell takes at least two pixels per cell.
        let (zoom, shift) = if is_hex && zoom > 1 { (zoom & !1, zoom / 2) } else { (zoom, 0) };
        let pixels = |cells: u32| if scale > 1 { cells.div_ceil(scale) } else { cells * zoom };
        Self { columns, rows, scale, zoom, shift, width: pixels(width) + shift, height: pixels(height) }
    }

    /// Column and row of the first pixel of a cell, and its pixels along each axis.
    pub fn pixels_of(&self, cell: CellXY) -> (u32, u32, u32) {
        let (x, y) = (cell.x.max(0) as u32, cell.y.max(0) as u32);
        if self.scale > 1 {
            (x / self.scale, y / self.scale, 1)
        } else {
            (x * self.zoom + self.shift * (y & 1), y * self.zoom, self.zoom)
        }
    }

    /// The cell at a pixel of a map that is not scaled down; `None` at the row ends of hexagonal maps.
    pub fn cell(&self, x: u32, y: u32, size: GridSize) -> Option<Cell> {
        let row = y / self.zoom;
        let x = x.checked_sub(self.shift * (row & 1))?;
        size.cell(CellXY::new((x / self.zoom) as i32, row as i32))
    }
}
