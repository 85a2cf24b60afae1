//! Objects: what lies on the map beside its tiles.

use super::error::{TiledError, TiledErrorKind};
use super::source::Source;
use roxmltree::Node;
use wheelbase_grid::{GridShape, Rect};

/// Farthest position of an object and largest size, in points.
const POINTS_MAX: f64 = 1e8;

/// An object of a map that has a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiledObject {
    /// Line in the file, from 1.
    pub line: u32,
    /// Its number, unique on the map.
    pub id: u32,
    /// Name; may be empty.
    pub name: String,
    /// Class (older files call it type); not empty.
    pub class: String,
    /// The cells whose middles it covers, at least the one that its middle is in; may lie off the map.
    pub area: Rect,
    /// Its properties, in the order of the file.
    pub properties: Vec<TiledProperty>,
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiledProperty {
    /// Name.
    pub name: String,
    /// Value, as text.
    pub value: String,
    /// Whether the value is the number of an object.
    pub is_object: bool,
}

/// How points of the editor become cells.
pub(super) struct Pixels {
    shape: GridShape,
    /// Width of a cell, height of a cell, from one row to the next.
    cell: [f64; 3],
}

impl Pixels {
    pub fn of(source: &Source<'_>, map: Node<'_, '_>, shape: GridShape) -> Result<Self, TiledError> {
        let whole = |name| source.whole(map, name, 1..=65_535).map(|number| number as f64);
        let (width, height) = (whole("tilewidth")?, whole("tileheight")?);
        let row = match shape {
            GridShape::Square => height,
            GridShape::Hex => {
                // Of a regular hexagon half the height if the file does not say.
                let side = match map.attribute("hexsidelength") {
                    Some(_) => source.whole(map, "hexsidelength", 0..=height as u64)? as f64,
                    None => height / 2.0,
                };
                (height + side) / 2.0
            }
        };
        Ok(Self { shape, cell: [width, height, row] })
    }

    /// The cells whose middles lie in a rectangle, or the one that its middle is in.
    fn cells(&self, [x, y, width, height]: [f64; 4]) -> Rect {
        let [cell_width, cell_height, row] = self.cell;
        // First and last but one cell whose middle is covered along an axis.
        let along = |from: f64, length: f64, step: f64, middle: f64| {
            let first = ((from - middle) / step).ceil();
            (first as i32, (((from + length - middle) / step).ceil() - first) as u32)
        };
        let (column, columns) = along(x, width, cell_width, cell_width / 2.0);
        let (first_row, rows) = along(y, height, row, cell_height / 2.0);
        if columns > 0 && rows > 0 {
            return Rect::new(column, first_row, columns, rows);
        }
        let (x, y) = self.cell_at(x + width / 2.0, y + height / 2.0);
        Rect::new(x, y, 1, 1)
    }

    /// The cell that a point is in.
    fn cell_at(&self, x: f64, y: f64) -> (i32, i32) {
        let [width, height, row] = self.cell;
        match self.shape {
            GridShape::Square => ((x / width).floor() as i32, (y / height).floor() as i32),
            GridShape::Hex => {
                // The nearest middle, measured where hexagons are regular and one cell is wide.
                let regular = 3.0_f64.sqrt() / 2.0;
                let (x, y) = (x / width, (y - height / 2.0) / row);
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
    pixels: &Pixels,
) -> Result<Option<TiledObject>, TiledError> {
    let refuse = |what: &str, instead| {
        Err(source.error(node, TiledErrorKind::NotSupported { what: what.to_owned(), instead }))
    };
    if node.attribute("template").is_some() {
        return refuse("objects from a template", "objects of their own (Detach in the editor)");
    }
    let class = node.attribute("class").or_else(|| node.attribute("type")).unwrap_or("");
    if class.is_empty() {
        return Ok(None);
    }
    let number = |name| source.number(node, name, POINTS_MAX);
    let [x, mut y, width, height] = [number("x")?, number("y")?, number("width")?, number("height")?];
    if node.attribute("gid").is_some() {
        // A picture stands on its corner to the south-west.
        y -= height;
    }
    if (width > 0.0 || height > 0.0) && number("rotation")? != 0.0 {
        return refuse("objects that are turned", "rotation 0, and the property \"heading\" of an agent");
    }
    let properties = source.properties_of(node).map(|(name, value, of_type, _)| TiledProperty {
        name: name.to_owned(),
        value: value.to_owned(),
        is_object: of_type == "object",
    });
    Ok(Some(TiledObject {
        line: source.line(node),
        id: source.whole(node, "id", 0..=u64::from(u32::MAX))? as u32,
        name: node.attribute("name").unwrap_or("").to_owned(),
        class: class.to_owned(),
        area: pixels.cells([x, y, width.max(0.0), height.max(0.0)]),
        properties: properties.collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_in_the_nearest_cell() {
        let squares = Pixels { shape: GridShape::Square, cell: [16.0, 8.0, 8.0] };
        assert_eq!(squares.cells([16.0, 7.9, 0.0, 0.0]), Rect::new(1, 0, 1, 1));
        assert_eq!(squares.cells([-0.5, 8.0, 0.0, 0.0]), Rect::new(-1, 1, 1, 1));
        assert_eq!(squares.cells([15.0, 8.0, 34.0, 17.0]), Rect::new(1, 1, 2, 2));
        assert_eq!(squares.cells([20.0, 9.0, 3.0, 3.0]), Rect::new(1, 1, 1, 1));
        // The middle of a cell and points about it.
        let hexagons = Pixels { shape: GridShape::Hex, cell: [28.0, 32.0, 24.0] };
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
