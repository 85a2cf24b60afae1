//! Square and hexagonal maps: neighbours, sides, and distances between cells.

use crate::cell::{CellXY, Rect};

/// A side of a cell, named by the direction of the neighbour beyond it. Square cells have the sides
/// [`Side::SQUARE`], hexagonal cells [`Side::HEX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Side {
    /// Towards x + 1.
    #[cfg_attr(feature = "serde", serde(rename = "E"))]
    East,
    /// Hexagonal maps only.
    #[cfg_attr(feature = "serde", serde(rename = "NE"))]
    NorthEast,
    /// Towards y - 1; square maps only.
    #[cfg_attr(feature = "serde", serde(rename = "N"))]
    North,
    /// Hexagonal maps only.
    #[cfg_attr(feature = "serde", serde(rename = "NW"))]
    NorthWest,
    /// Towards x - 1.
    #[cfg_attr(feature = "serde", serde(rename = "W"))]
    West,
    /// Hexagonal maps only.
    #[cfg_attr(feature = "serde", serde(rename = "SW"))]
    SouthWest,
    /// Towards y + 1; square maps only.
    #[cfg_attr(feature = "serde", serde(rename = "S"))]
    South,
    /// Hexagonal maps only.
    #[cfg_attr(feature = "serde", serde(rename = "SE"))]
    SouthEast,
}

impl Side {
    /// The sides of a square cell, counter-clockwise from east.
    pub const SQUARE: [Self; 4] = [Self::East, Self::North, Self::West, Self::South];
    /// The sides of a hexagonal cell, counter-clockwise from east.
    pub const HEX: [Self; 6] =
        [Self::East, Self::NorthEast, Self::NorthWest, Self::West, Self::SouthWest, Self::SouthEast];
    /// All sides of either shape, counter-clockwise from east.
    pub const ALL: [Self; 8] = [
        Self::East,
        Self::NorthEast,
        Self::North,
        Self::NorthWest,
        Self::West,
        Self::SouthWest,
        Self::South,
        Self::SouthEast,
    ];

    /// The side of the neighbouring cell that faces this one.
    pub fn opposite(self) -> Self {
        Self::ALL[(self as usize + 4) % 8]
    }

    /// Name in files: `E`, `NE`, `N` and so on.
    pub fn name(self) -> &'static str {
        ["E", "NE", "N", "NW", "W", "SW", "S", "SE"][self as usize]
    }

    /// The side with the given name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.name() == name)
    }
}

/// Maximum number of sides of a cell, over all shapes.
pub const SIDES_MAX: usize = 6;

/// The shape of a map's cells.
///
/// ```
/// use wheelbase_grid::{CellXY, GridShape, Side};
/// let shape = GridShape::Hex;
/// assert_eq!(shape.neighbour(CellXY::new(3, 2), Side::SouthEast), CellXY::new(3, 3));
/// assert_eq!(shape.neighbour(CellXY::new(3, 3), Side::SouthEast), CellXY::new(4, 4));
/// assert_eq!(shape.measure(CellXY::new(3, 2), CellXY::new(4, 4)), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum GridShape {
    /// Squares.
    #[default]
    Square,
    /// Hexagons with a corner to the north; odd rows are shifted half a cell to the east.
    Hex,
}

impl GridShape {
    /// Name in files: `square` or `hex`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Square => "square",
            Self::Hex => "hex",
        }
    }

    /// The sides of a cell, counter-clockwise from east. A side's index in this list is its number.
    pub fn sides(self) -> &'static [Side] {
        match self {
            Self::Square => &Side::SQUARE,
            Self::Hex => &Side::HEX,
        }
    }

    /// The sides towards cells later in row-major order. Visiting only these meets each edge once.
    pub fn later_sides(self) -> &'static [Side] {
        match self {
            Self::Square => &[Side::East, Side::South],
            Self::Hex => &[Side::East, Side::SouthWest, Side::SouthEast],
        }
    }

    /// The number of a side, its index in [`GridShape::sides`], or `None` if cells of this shape lack it.
    pub fn side_number(self, side: Side) -> Option<usize> {
        const NONE: u8 = u8::MAX;
        let numbers = match self {
            Self::Square => [0, NONE, 1, NONE, 2, NONE, 3, NONE],
            Self::Hex => [0, 1, NONE, 2, 3, 4, NONE, 5],
        };
        let number = numbers[side as usize];
        (number != NONE).then_some(usize::from(number))
    }

    /// Number of row parities: rows of different parity have their neighbours in different columns. 1 on square
    /// maps, 2 (even and odd) on hexagonal maps.
    pub fn n_parities(self) -> u8 {
        match self {
            Self::Square => 1,
            Self::Hex => 2,
        }
    }

    /// Parity of row `y`, below [`GridShape::n_parities`].
    #[inline]
    pub fn parity(self, y: i32) -> u8 {
        match self {
            Self::Square => 0,
            Self::Hex => (y & 1) as u8,
        }
    }

    /// Offset `(dx, dy)` from a cell in a row of the given parity to its neighbour on a side. Sides that cells of the
    /// shape lack also have an offset. On square maps it leads to the diagonal neighbour, on hexagonal maps (N and S)
    /// to the cell two rows away.
    #[inline]
    pub fn step(self, side: Side, parity: u8) -> (i32, i32) {
        let east = i32::from(parity);
        match (self, side) {
            (_, Side::East) => (1, 0),
            (_, Side::West) => (-1, 0),
            (Self::Square, Side::NorthEast) => (1, -1),
            (Self::Square, Side::North) => (0, -1),
            (Self::Square, Side::NorthWest) => (-1, -1),
            (Self::Square, Side::SouthWest) => (-1, 1),
            (Self::Square, Side::South) => (0, 1),
            (Self::Square, Side::SouthEast) => (1, 1),
            (Self::Hex, Side::NorthEast) => (east, -1),
            (Self::Hex, Side::NorthWest) => (east - 1, -1),
            (Self::Hex, Side::SouthWest) => (east - 1, 1),
            (Self::Hex, Side::SouthEast) => (east, 1),
            (Self::Hex, Side::North) => (0, -2),
            (Self::Hex, Side::South) => (0, 2),
        }
    }

    /// The cell beyond a side; may lie off the map.
    #[inline]
    pub fn neighbour(self, cell: CellXY, side: Side) -> CellXY {
        let (dx, dy) = self.step(side, self.parity(cell.y));
        CellXY::new(cell.x + dx, cell.y + dy)
    }

    /// Distance between two cells in the metric of goals: squared Euclidean on square maps, number of steps on
    /// hexagonal maps.
    #[inline]
    pub fn measure(self, a: CellXY, b: CellXY) -> u64 {
        match self {
            Self::Square => a.distance_squared(b),
            Self::Hex => {
                let [a, b] = [a, b].map(hex_coordinates);
                (0..3).map(|axis| a[axis].abs_diff(b[axis])).max().unwrap_or(0)
            }
        }
    }

    /// The [`GridShape::measure`] of two cells at distance `reach`.
    pub fn measure_of(self, reach: u32) -> u64 {
        match self {
            Self::Square => u64::from(reach).pow(2),
            Self::Hex => u64::from(reach),
        }
    }

    /// The [`GridShape::measure`] from a cell to the nearest cell of a non-empty area.
    pub fn measure_to(self, cell: CellXY, area: Rect) -> u64 {
        let beyond = |at: i64, first: i64, last: i64| (first - at).max(at - last).max(0);
        let last = |start: i32, length: u32| i64::from(start) + i64::from(length) - 1;
        let (x, y) = (i64::from(cell.x), i64::from(cell.y));
        let (first_x, last_x) = (i64::from(area.x), last(area.x, area.width));
        let rows = beyond(y, i64::from(area.y), last(area.y, area.height));
        match self {
            Self::Square => {
                let columns = beyond(x, first_x, last_x).unsigned_abs();
                let rows = rows.unsigned_abs();
                // Saturates only where the cell lies far off any map.
                columns.saturating_mul(columns).saturating_add(rows.saturating_mul(rows))
            }
            // First to the nearest row, drifting towards the area, then along that row.
            Self::Hex => {
                let (west, east) = drift(rows, self.parity(cell.y));
                let columns = (first_x - x - east).max(x - last_x - west).max(0);
                (rows + columns).unsigned_abs()
            }
        }
    }

    /// Whether a non-empty area has a cell at most `reach` cells from a cell.
    pub fn reaches(self, cell: CellXY, reach: u32, area: Rect) -> bool {
        self.measure_to(cell, area) <= self.measure_of(reach)
    }

    /// First and last column, in a given row, of the cells at most `reach` away from a cell by [`GridShape::measure`].
    /// They may lie off the map. `None` if the row has none.
    pub fn columns_within(self, cell: CellXY, reach: u32, row: i32) -> Option<(i64, i64)> {
        let (x, reach) = (i64::from(cell.x), i64::from(reach));
        let rows = (i64::from(row) - i64::from(cell.y)).abs();
        if rows > reach {
            return None;
        }
        match self {
            Self::Square => {
                // A `reach` of 32 bits, squared, needs more than 64.
                let half = (i128::from(reach).pow(2) - i128::from(rows).pow(2)).isqrt() as i64;
                Some((x - half, x + half))
            }
            Self::Hex => {
                let (west, east) = drift(rows, self.parity(cell.y));
                Some((x - west - (reach - rows), x + east + (reach - rows)))
            }
        }
    }
}

/// The most columns that a move of `rows` rows up or down gains to the west and to the east. The move starts in a row
/// of the given parity on a hexagonal map.
fn drift(rows: i64, parity: u8) -> (i64, i64) {
    let parity = i64::from(parity);
    ((rows + 1 - parity) / 2, (rows + parity) / 2)
}

/// Cube coordinates of a cell of a hexagonal map. A step changes two of them by one and leaves the third. So the
/// largest difference is the number of steps between two cells (Patel, "Hexagonal Grids").
pub fn hex_coordinates(cell: CellXY) -> [i64; 3] {
    let (x, y) = (i64::from(cell.x), i64::from(cell.y));
    let along_east = x - y.div_euclid(2);
    [along_east, y, along_east + y]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn sides_face_each_other() {
        for shape in [GridShape::Square, GridShape::Hex] {
            for (number, &side) in shape.sides().iter().enumerate() {
                assert_eq!(shape.side_number(side), Some(number));
                assert_eq!(Side::from_name(side.name()), Some(side));
                for cell in [CellXY::new(4, 4), CellXY::new(4, 5), CellXY::new(-3, -5)] {
                    let next = shape.neighbour(cell, side);
                    assert_eq!(shape.neighbour(next, side.opposite()), cell);
                    let later = (next.y, next.x) > (cell.y, cell.x);
                    assert_eq!(shape.later_sides().contains(&side), later);
                    assert_eq!(shape.measure(cell, next), 1);
                }
            }
        }
        assert_eq!(GridShape::Hex.side_number(Side::North), None);
        assert_eq!(GridShape::Square.side_number(Side::NorthEast), None);
    }

    #[test]
    fn areas_and_radii_agree_with_cell_by_cell_distances() {
        for shape in [GridShape::Square, GridShape::Hex] {
            let cells = || Rect::new(-4, -5, 12, 13).cells();
            for cell in cells() {
                for area in [Rect::new(0, 0, 1, 1), Rect::new(-1, -2, 3, 2), Rect::new(1, -1, 2, 4)] {
                    let nearest = area.cells().map(|of| shape.measure(cell, of)).min();
                    assert_eq!(Some(shape.measure_to(cell, area)), nearest, "{shape:?} {cell} {area:?}");
                    for reach in 0..6 {
                        let has_near =
                            area.cells().any(|of| shape.measure(cell, of) <= shape.measure_of(reach));
                        assert_eq!(shape.reaches(cell, reach, area), has_near, "{shape:?} {cell} {area:?}");
                    }
                }
                for reach in 0..6 {
                    for other in cells() {
                        let columns = shape.columns_within(cell, reach, other.y);
                        let inside =
                            columns.is_some_and(|(first, last)| (first..=last).contains(&i64::from(other.x)));
                        let near = shape.measure(cell, other) <= shape.measure_of(reach);
                        assert_eq!(inside, near, "{shape:?} {cell} {other} {reach}");
                    }
                }
            }
            let far = CellXY::new(i32::MIN, i32::MAX);
            assert!(shape.measure_to(far, Rect::new(i32::MAX, i32::MIN, 1, 1)) > 1 << 32);
            assert!(shape.columns_within(far, u32::MAX, i32::MIN).is_some());
        }
    }

    /// Compares the distance with a breadth-first count of steps.
    #[test]
    fn the_hexagonal_distance_counts_steps() {
        let shape = GridShape::Hex;
        for start in [CellXY::new(10, 10), CellXY::new(10, 11)] {
            let mut steps = vec![None; 21 * 22];
            let at = |cell: CellXY| {
                let inside = (0..21).contains(&cell.x) && (0..22).contains(&cell.y);
                inside.then(|| (cell.y * 21 + cell.x) as usize)
            };
            let mut queue = VecDeque::from([start]);
            steps[at(start).unwrap()] = Some(0);
            while let Some(cell) = queue.pop_front() {
                let here = steps[at(cell).unwrap()].unwrap();
                assert_eq!(shape.measure(start, cell), here);
                for &side in shape.sides() {
                    let next = shape.neighbour(cell, side);
                    if let Some(next_at) = at(next).filter(|&next_at| steps[next_at].is_none()) {
                        steps[next_at] = Some(here + 1);
                        queue.push_back(next);
                    }
                }
            }
        }
        let far = [CellXY::new(i32::MIN, i32::MAX), CellXY::new(i32::MAX, i32::MIN)];
        assert_eq!(shape.measure(far[0], far[1]), shape.measure(far[1], far[0]));
    }
}
