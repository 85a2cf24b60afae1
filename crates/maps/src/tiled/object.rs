//! Objects of a map: agents and goals, for example.

use super::error::{TiledError, TiledErrorKind};
use super::source::Source;
use roxmltree::Node;
use wheelbase_grid::{GridShape, Rect};

/// Largest coordinate and size of an object, in pixels.
const PIXELS_MAX: f64 = 1e8;

/// An object with a class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TiledObject {
    /// Line in the file, from 1.
    pub line: u32,
    /// Its number, unique on the map.
    pub id: u32,
    /// Name; may be empty.
    pub name: String,
    /// Class, called type in older files; not empty.
    pub class: String,
    /// The cells whose middles it covers, or else the cell that contains its middle; may lie off the map.
    pub area: Rect,
    /// Its properties, in the order of the file.
    pub properties: Vec<TiledProperty>,
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TiledProperty {
    /// Name.
    pub name: String,
    /// Value, as text.
    pub value: String,
    /// Whether the value is the number of an object.
    pub is_object: bool,
}

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
struct PixelRect {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl PixelGrid {
    pub fn of(source: &Source<'_>, map: Node<'_, '_>, shape: GridShape) -> Result<Self, TiledError> {
        let whole = |name| source.whole(map, name, 1..=65_535).map(|number| number as f64);
        let (cell_width, cell_height) = (whole("tilewidth")?, whole("tileheight")?);
        let row_height = match shape {
            GridShape::Square => cell_height,
            GridShape::Hex => {
                // By default that of a regular hexagon: half its height.
                let side = match map.attribute("hexsidelength") {
                    Some(_) => source.whole(map, "hexsidelength", 0..=cell_height as u64)? as f64,
                    None => cell_height / 2.0,
                };
                (cell_height + side) / 2.0
            }
        };
        Ok(Self { shape, cell_width, cell_height, row_height })
    }

    /// The cells whose middles lie in a rectangle, or else the cell that contains its middle.
    fn cells(&self, PixelRect { x, y, width, height }: PixelRect) -> Rect {
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

/// Reads an object, or `None` if it has no class.
pub(super) fn read(
    source: &Source<'_>,
    node: Node<'_, '_>,
    pixels: &PixelGrid,
) -> Result<Option<TiledObject>, TiledError> {
    let refuse = |what: &str, instead| {
        Err(source.error(node, TiledErrorKind::NotSupported { what: what.to_owned(), instead }))
    };
    if node.attribute("template").is_some() {
        return refuse("objects from a template", "objects without a template (Detach in the editor)");
    }
    let class = node.attribute("class").or_else(|| node.attribute("type")).unwrap_or("");
    if class.is_empty() {
        return Ok(None);
    }
    let number = |name| source.number(node, name, PIXELS_MAX);
    let [x, mut y, width, height] = [number("x")?, number("y")?, number("width")?, number("height")?];
    if node.attribute("gid").is_some() {
        // The position of a tile object is its south-western corner.
        y -= height;
    }
    if (width > 0.0 || height > 0.0) && number("rotation")? != 0.0 {
        return refuse("rotated objects", "rotation 0, and the property \"heading\" of an agent");
    }
    let properties = source.properties_of(node).map(|property| TiledProperty {
        name: property.name.to_owned(),
        value: property.value.to_owned(),
        is_object: property.type_name == "object",
    });
    Ok(Some(TiledObject {
        line: source.line(node),
        id: source.whole(node, "id", 0..=u64::from(u32::MAX))? as u32,
        name: node.attribute("name").unwrap_or("").to_owned(),
        class: class.to_owned(),
        area: pixels.cells(PixelRect { x, y, width: width.max(0.0), height: height.max(0.0) }),
        properties: properties.collect(),
    }))
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
