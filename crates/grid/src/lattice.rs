//! Positions of cells in the plane, for drawing. Floats serve drawing alone, and reach no state.

use crate::cell::{CellXY, Rect};
use crate::shape::{GridShape, Side};

/// A point of the plane, or a vector: x to the east, y to the south, in cell widths.
pub type Point = [f64; 2];

/// The plane of a map. Its origin is the north-west corner of the map.
///
/// ```
/// use wheelbase_grid::{CellXY, GridShape, Lattice};
/// let square = Lattice(GridShape::Square);
/// assert_eq!(square.centre(CellXY::new(2, 1)), [2.5, 1.5]);
/// assert_eq!(square.between(CellXY::new(2, 1), CellXY::new(3, 1), 0.25), [2.75, 1.5]);
/// // Odd rows of hexagonal maps lie half a cell further east.
/// assert_eq!(Lattice(GridShape::Hex).centre(CellXY::new(2, 1))[0], 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice(pub GridShape);

/// A point in integer steps, so that corners shared by neighbouring cells compare equal. A step is half a cell; on
/// hexagonal maps vertically a quarter.
pub type Corner = [i32; 2];

impl Lattice {
    /// Length of a [`Corner`] step along each axis.
    fn unit(self) -> Point {
        match self.0 {
            GridShape::Square => [0.5, 0.5],
            // A hexagon of width 1 is 2 / sqrt(3) high.
            GridShape::Hex => [0.5, 0.5 / 3_f64.sqrt()],
        }
    }

    /// Distance from one row to the next.
    pub fn pitch(self) -> f64 {
        match self.0 {
            GridShape::Square => 1.0,
            GridShape::Hex => 3.0 * self.unit()[1],
        }
    }

    /// Width and height of an area in the plane.
    pub fn extent(self, area: Rect) -> Point {
        let (width, height) = (f64::from(area.width), f64::from(area.height));
        match self.0 {
            GridShape::Square => [width, height],
            // Odd rows are shifted half a cell to the east.
            GridShape::Hex => [width + 0.5, (height * 3.0 + 1.0) * self.unit()[1]],
        }
    }

    /// North-west corner of an area.
    pub fn corner_of(self, area: Rect) -> Point {
        [f64::from(area.x), f64::from(area.y) * self.pitch()]
    }

    /// The centre of a cell, on or off the map, in corner steps.
    fn centre_by_corners(self, cell: CellXY) -> Corner {
        match self.0 {
            GridShape::Square => [2 * cell.x + 1, 2 * cell.y + 1],
            GridShape::Hex => [2 * cell.x + 1 + (cell.y & 1), 3 * cell.y + 2],
        }
    }

    /// The point of a corner.
    pub fn point(self, corner: Corner) -> Point {
        let [x, y] = self.unit();
        [f64::from(corner[0]) * x, f64::from(corner[1]) * y]
    }

    /// The centre of a cell.
    pub fn centre(self, cell: CellXY) -> Point {
        self.point(self.centre_by_corners(cell))
    }

    /// The point that is `part`, 0 to 1, of the way from the centre of a cell to that of another. Both ends are exact
    /// centres.
    pub fn between(self, from: CellXY, to: CellXY, part: f64) -> Point {
        let ([ax, ay], [bx, by]) = (self.centre(from), self.centre(to));
        let at = |a: f64, b: f64| a * (1.0 - part) + b * part;
        [at(ax, bx), at(ay, by)]
    }

    /// Corners of a cell, counter-clockwise: side `k` runs from corner `k` to the next.
    pub fn corners(self, cell: CellXY) -> impl Iterator<Item = Corner> + Clone {
        const SQUARE: [Corner; 4] = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
        const HEX: [Corner; 6] = [[1, 1], [1, -1], [0, -2], [-1, -1], [-1, 1], [0, 2]];
        let around: &[Corner] = match self.0 {
            GridShape::Square => &SQUARE,
            GridShape::Hex => &HEX,
        };
        let [x, y] = self.centre_by_corners(cell);
        around.iter().map(move |[dx, dy]| [x + dx, y + dy])
    }

    /// The outline of a cell.
    pub fn polygon(self, cell: CellXY) -> Vec<Point> {
        self.corners(cell).map(|corner| self.point(corner)).collect()
    }

    /// Both ends of a side of a cell, in the order of [`Lattice::corners`].
    pub fn side(self, cell: CellXY, number: usize) -> [Corner; 2] {
        let mut around = self.corners(cell).cycle().skip(number);
        [around.next().unwrap_or_default(), around.next().unwrap_or_default()]
    }

    /// The sides of a cell with their numbers and the neighbours across them.
    pub fn neighbours(self, cell: CellXY) -> impl Iterator<Item = (usize, Side, CellXY)> {
        let sides = self.0.sides().iter().enumerate();
        sides.map(move |(number, &side)| (number, side, self.0.neighbour(cell, side)))
    }

    /// The vector of `forward` and `right` half cells in the frame of an east-facing agent.
    pub fn half_steps(self, forward: i32, right: i32) -> Point {
        let (forward, right) = (f64::from(forward) / 2.0, f64::from(right) / 2.0);
        match self.0 {
            GridShape::Square => [forward, right],
            GridShape::Hex => [forward + right / 2.0, right * self.pitch()],
        }
    }

    /// The cell at a point.
    pub fn cell_at(self, [x, y]: Point) -> CellXY {
        match self.0 {
            GridShape::Square => CellXY::new(x.floor() as i32, y.floor() as i32),
            GridShape::Hex => {
                // The nearest centre in the rows above and below.
                let row = ((y - 2.0 * self.unit()[1]) / self.pitch()).floor() as i32;
                let nearest = |row: i32| {
                    let cell = CellXY::new((x - 0.5 * f64::from(row & 1)).floor() as i32, row);
                    let [cx, cy] = self.centre(cell);
                    ((x - cx).powi(2) + (y - cy).powi(2), cell)
                };
                let (upper, lower) = (nearest(row), nearest(row + 1));
                if upper.0 <= lower.0 { upper.1 } else { lower.1 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Lattice; 2] = [Lattice(GridShape::Square), Lattice(GridShape::Hex)];

    #[test]
    fn neighbours_share_their_side() {
        for lattice in BOTH {
            for cell in Rect::new(-2, -3, 5, 6).cells() {
                for (number, side, next) in lattice.neighbours(cell) {
                    let opposite = lattice.0.side_number(side.opposite()).unwrap();
                    let [from, to] = lattice.side(cell, number);
                    assert_eq!(lattice.side(next, opposite), [to, from], "{lattice:?} {cell} {side:?}");
                }
            }
        }
    }

    #[test]
    fn a_point_near_a_centre_is_in_its_cell() {
        for lattice in BOTH {
            for cell in Rect::new(-2, -3, 5, 6).cells() {
                let [x, y] = lattice.centre(cell);
                for (dx, dy) in [(0.0, 0.0), (0.45, 0.0), (-0.45, 0.1), (0.2, 0.4), (-0.2, -0.4)] {
                    assert_eq!(lattice.cell_at([x + dx, y + dy]), cell, "{lattice:?} {dx} {dy}");
                }
            }
        }
    }

    #[test]
    fn an_area_holds_its_cells() {
        for lattice in BOTH {
            let area = Rect::new(3, 2, 4, 3);
            let ([left, top], [width, height]) = (lattice.corner_of(area), lattice.extent(area));
            for corner in area.cells().flat_map(|cell| lattice.corners(cell)) {
                let [x, y] = lattice.point(corner);
                assert!(x > left - 1e-9 && x < left + width + 1e-9, "{lattice:?} {x}");
                assert!(y > top - 1e-9 && y < top + height + 1e-9, "{lattice:?} {y}");
            }
        }
    }
}
