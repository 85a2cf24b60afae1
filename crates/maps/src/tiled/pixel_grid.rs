//! The cells of a map in the pixels of the editor.

use super::error::TiledError;
use super::source::Source;
use roxmltree::Node;
use wheelbase_grid::{GridShape, Rect};

/// The cells of a map in the pixels of the editor.
pub(super) struct PixelGrid {
    shape: GridShape,
    cell_width: f64,
    cell_height: f64,
    /// Distance from one row to the next; less than a cell on hexagonal maps.
    row_height: f64,
}

/// A rectangle of pixels.
#[derive(Clone, Copy)]
pub(super) struct PixelRect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl PixelGrid {
    /// Largest coordinate and size of an object, and largest offset of a layer, in pixels.
    pub const PIXELS_MAX: f64 = 1e8;

    pub fn of(source: &Source<'_>, map: Node<'_, '_>, shape: GridShape) -> Result<Self, TiledError> {
        let whole = |name| source.whole(map, name, 1..=65_535_u32).map(f64::from);
        let (cell_width, cell_height) = (whole("tilewidth")?, whole("tileheight")?);
        let row_height = match shape {
            GridShape::Square => cell_height,
            GridShape::Hex => {
                // By default that of a regular hexagon: half its height.
                let side = match map.attribute("hexsidelength") {
                    Some(_) => source.whole(map, "hexsidelength", 0..=cell_height as u32)?.into(),
                    None => cell_height / 2.0,
                };
                (cell_height + side) / 2.0
            }
        };
        Ok(Self { shape, cell_width, cell_height, row_height })
    }

    /// The columns and rows by which an offset in pixels moves a layer.
    pub fn cells_of_offset(
        &self,
        source: &Source<'_>,
        layer: Node<'_, '_>,
        (x, y): (f64, f64),
    ) -> Result<(i64, i64), TiledError> {
        let Self { shape, cell_width, cell_height, row_height } = *self;
        let (columns, rows) = (x / cell_width, y / row_height);
        // Odd rows of hexagons stay odd.
        let is_even = shape == GridShape::Square || rows % 2.0 == 0.0;
        if columns.fract() == 0.0 && rows.fract() == 0.0 && is_even {
            return Ok((columns as i64, rows as i64));
        }
        let what = format!("a layer moved by {x} x {y} pixels over cells of {cell_width} x {cell_height}");
        let instead = match shape {
            GridShape::Square => "offsets of whole cells, or for decoration the property \"decoration\"",
            GridShape::Hex => {
                "offsets of whole cells and of an even number of rows, or for decoration the property \"decoration\""
            }
        };
        Err(source.not_supported(layer, what, instead))
    }

    /// The cells whose middles lie in a rectangle, or else the cell that contains its middle.
    pub fn cells(&self, PixelRect { x, y, width, height }: PixelRect) -> Rect {
        let Self { cell_width, cell_height, row_height, .. } = *self;
        // First cell whose middle is covered along an axis, and number of such cells.
        let along = |from: f64, length: f64, step: f64, middle: f64| {
            let first = ((from - middle) / step).ceil();
            (first as i32, (((from + length - middle) / step).ceil() - first) as u32)
        };
        let (column, columns) = along(x, width, cell_width, cell_width / 2.0);
        let (first_row, rows) = along(y, height, row_height, cell_height / 2.0);
        if columns > 0 && rows > 0 {
            return Rect::new(column, first_row, columns, rows);
        }
        let (x, y) = self.cell_at(x + width / 2.0, y + height / 2.0);
        Rect::new(x, y, 1, 1)
    }

    /// The cell that contains a point.
    fn cell_at(&self, x: f64, y: f64) -> (i32, i32) {
        let Self { cell_width, cell_height, row_height, .. } = *self;
        match self.shape {
            GridShape::Square => ((x / cell_width).floor() as i32, (y / cell_height).floor() as i32),
            GridShape::Hex => {
                // The nearest middle, measured on regular hexagons of width 1.
                let regular = 3.0_f64.sqrt() / 2.0;
                let (x, y) = (x / cell_width, (y - cell_height / 2.0) / row_height);
                let near_row = y.floor() as i32;
                let middles = [near_row, near_row + 1].map(|cell_y| {
                    let shift = f64::from(cell_y & 1) / 2.0 + 0.5;
                    let cell_x = (x - shift).round();
                    let far = (x - shift - cell_x).powi(2) + ((y - f64::from(cell_y)) * regular).powi(2);
                    (far, (cell_x as i32, cell_y))
                });
                if middles[1].0 < middles[0].0 { middles[1].1 } else { middles[0].1 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_in_the_nearest_cell() {
        let squares =
            PixelGrid { shape: GridShape::Square, cell_width: 16.0, cell_height: 8.0, row_height: 8.0 };
        let cells = |x, y, width, height| squares.cells(PixelRect { x, y, width, height });
        assert_eq!(cells(16.0, 7.9, 0.0, 0.0), Rect::new(1, 0, 1, 1));
        assert_eq!(cells(-0.5, 8.0, 0.0, 0.0), Rect::new(-1, 1, 1, 1));
        assert_eq!(cells(15.0, 8.0, 34.0, 17.0), Rect::new(1, 1, 2, 2));
        assert_eq!(cells(20.0, 9.0, 3.0, 3.0), Rect::new(1, 1, 1, 1));
        // The middle of a cell and points around it.
        let hexagons =
            PixelGrid { shape: GridShape::Hex, cell_width: 28.0, cell_height: 32.0, row_height: 24.0 };
        for y in 0..5 {
            for x in 0..5 {
                let middle =
                    (28.0 * (f64::from(x) + 0.5 + f64::from(y & 1) / 2.0), 24.0 * f64::from(y) + 16.0);
                for (dx, dy) in
                    [(0.0, 0.0), (13.0, 0.0), (-13.0, 4.0), (0.0, 14.0), (-5.0, -12.0), (8.0, 9.0)]
                {
                    let found = hexagons.cell_at(middle.0 + dx, middle.1 + dy);
                    assert_eq!(found, (x, y), "{dx} {dy}");
                }
            }
        }
        assert_eq!(hexagons.cell_at(-20.0, 16.0), (-1, 0));
    }
}
