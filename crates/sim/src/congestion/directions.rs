//! Directions: the sides of a cell, by number, to which moves are rounded, so that equal and opposite ones can be told.

use wheelbase_grid::{CellXY, GridShape, hex_coordinates};
use wheelbase_planner::model::Offset;

/// Direction from one cell to another at any distance: the number of the nearest side. `None` for the same cell.
#[inline]
pub(super) fn direction_to(shape: GridShape, from: CellXY, to: CellXY) -> Option<usize> {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    if shape == GridShape::Square && (dx == 0 || dy == 0) {
        // Counter-clockwise from east.
        return match (dx.signum(), dy.signum()) {
            (0, 0) => None,
            (1, _) => Some(0),
            (_, -1) => Some(1),
            (-1, _) => Some(2),
            _ => Some(3),
        };
    }
    let step = vector(shape, shape.parity(from.y), Offset::new(dx, dy));
    axis_and_direction(shape, step).map(|(_, direction)| usize::from(direction))
}

/// The opposite direction.
#[inline]
pub(super) fn opposite(shape: GridShape, direction: usize) -> usize {
    let n_directions = shape.sides().len();
    (direction + n_directions / 2) % n_directions
}

/// The vector of an offset from a cell in a row of that parity. Products of two vectors are
/// proportional to products in the plane.
fn vector(shape: GridShape, parity: u8, offset: Offset) -> [i64; 3] {
    let from = CellXY::new(0, i32::from(parity));
    let to = CellXY::new(offset.dx, from.y + offset.dy);
    match shape {
        GridShape::Square => [i64::from(offset.dx), i64::from(offset.dy), 0],
        GridShape::Hex => {
            let (from, to) = (hex_coordinates(from), hex_coordinates(to));
            std::array::from_fn(|axis| to[axis] - from[axis])
        }
    }
}

/// Scalar product of two vectors.
fn product(one: [i64; 3], other: [i64; 3]) -> i64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The vector to the neighbour on the side of a number.
fn to_side(shape: GridShape, number: usize) -> [i64; 3] {
    let sides = shape.sides();
    let (dx, dy) = shape.step(sides[number % sides.len()], 0);
    vector(shape, 0, Offset::new(dx, dy))
}

/// The axis nearest to a displacement, as the number of a side of the first half of all sides, and the direction
/// along it. Of two equally near axes the first. `None` without a displacement.
fn axis_and_direction(shape: GridShape, step: [i64; 3]) -> Option<(usize, u8)> {
    let n_axes = shape.sides().len() / 2;
    let along = |axis: usize| product(step, to_side(shape, axis));
    let axis = (0..n_axes).rev().max_by_key(|&axis| along(axis).abs())?;
    match along(axis) {
        0 => None,
        ahead => Some((axis, if ahead > 0 { axis } else { axis + n_axes } as u8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::Side;

    /// Cells in line with a side lie in its direction at every distance, and back from there in the opposite one. The
    /// shortcut for rows and columns agrees with the general case.
    #[test]
    fn directions_lead_there_and_back() {
        for shape in [GridShape::Square, GridShape::Hex] {
            for (number, &side) in shape.sides().iter().enumerate() {
                let from = CellXY::new(20, 21);
                let mut cell = from;
                for _ in 0..5 {
                    cell = shape.neighbour(cell, side);
                    assert_eq!(direction_to(shape, from, cell), Some(number));
                    assert_eq!(direction_to(shape, cell, from), Some(opposite(shape, number)));
                    let step = Offset::new(cell.x - from.x, cell.y - from.y);
                    let direction = axis_and_direction(shape, vector(shape, shape.parity(from.y), step));
                    assert_eq!(direction.map(|(_, direction)| usize::from(direction)), Some(number));
                }
                assert_eq!(direction_to(shape, cell, cell), None);
            }
        }
    }

    /// A step to each side has the direction of that side, from even and odd rows.
    #[test]
    fn each_side_is_a_direction() {
        for shape in [GridShape::Square, GridShape::Hex] {
            for (number, &side) in shape.sides().iter().enumerate() {
                for parity in 0..shape.n_parities() {
                    let (dx, dy) = shape.step(side, parity);
                    let found = axis_and_direction(shape, vector(shape, parity, Offset::new(dx, dy)));
                    assert_eq!(
                        found.map(|(_, direction)| usize::from(direction)),
                        Some(number),
                        "{shape:?} {side:?}"
                    );
                }
            }
        }
        // Two rows straight down a hexagonal map both lower sides are equally near, and two rows up both upper ones.
        let south = axis_and_direction(GridShape::Hex, vector(GridShape::Hex, 0, Offset::new(0, 2)));
        let north = axis_and_direction(GridShape::Hex, vector(GridShape::Hex, 0, Offset::new(0, -2)));
        assert_eq!((south, north), (Some((1, 4)), Some((1, 1))));
        let sides = GridShape::Hex.sides();
        assert_eq!((sides[4], sides[1]), (Side::SouthWest, Side::NorthEast));
    }
}
