//! Flips and rotations of tiles.

use wheelbase_grid::{GridShape, SIDES_MAX, SideKind};

/// The flip bits of a tile number.
pub(super) const FLIPS: u32 = 0xf000_0000;
/// The sides of a tile without a property `sides`.
pub(super) const OPEN: [SideKind; SIDES_MAX] = [SideKind::OPEN; SIDES_MAX];
/// Swaps east and west.
const HORIZONTAL: u32 = 0x8000_0000;
/// Swaps north and south.
const VERTICAL: u32 = 0x4000_0000;
/// Flips a square about the diagonal from north-west to south-east; turns a hexagon clockwise by 60 degrees.
const DIAGONAL: u32 = 0x2000_0000;
/// Turns a hexagon clockwise by 120 degrees.
pub(super) const HEX_120: u32 = 0x1000_0000;

/// The sides of a flipped tile.
///
/// As the editor draws them: squares are flipped about the diagonal first, hexagons are flipped before they are turned.
pub(super) fn flipped(shape: GridShape, sides: [SideKind; SIDES_MAX], flips: u32) -> [SideKind; SIDES_MAX] {
    if flips == 0 {
        return sides;
    }
    let has = |flip: u32| flips & flip != 0;
    let mut turned = [SideKind::OPEN; SIDES_MAX];
    let n_sides = shape.sides().len();
    for (side, &kind) in sides[..n_sides].iter().enumerate() {
        let to = match shape {
            GridShape::Square => {
                let side = if has(DIAGONAL) { 3 - side } else { side };
                let side = if has(HORIZONTAL) { [2, 1, 0, 3][side] } else { side };
                if has(VERTICAL) { [0, 3, 2, 1][side] } else { side }
            }
            GridShape::Hex => {
                let side = if has(HORIZONTAL) { [3, 2, 1, 0, 5, 4][side] } else { side };
                let side = if has(VERTICAL) { [0, 5, 4, 3, 2, 1][side] } else { side };
                // Sides are numbered counter-clockwise.
                let clockwise = usize::from(has(DIAGONAL)) + 2 * usize::from(has(HEX_120));
                (side + n_sides - clockwise) % n_sides
            }
        };
        turned[to] = kind;
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::Side;

    /// The middle of a side on the screen: east and south.
    fn middle(side: Side) -> (f64, f64) {
        let angle = f64::to_radians([0.0, 60.0, 90.0, 120.0, 180.0, 240.0, 270.0, 300.0][side as usize]);
        (angle.cos(), -angle.sin())
    }

    /// Every flip moves the middles of the sides like the points of a picture.
    #[test]
    fn sides_move_with_their_middles() {
        for shape in [GridShape::Square, GridShape::Hex] {
            for flips in (0..16_u32).map(|bits| bits << 28) {
                if shape == GridShape::Square && flips & HEX_120 != 0 {
                    continue;
                }
                for (number, &side) in shape.sides().iter().enumerate() {
                    let (mut x, mut y) = middle(side);
                    if shape == GridShape::Square && flips & DIAGONAL != 0 {
                        (x, y) = (y, x);
                    }
                    if flips & HORIZONTAL != 0 {
                        x = -x;
                    }
                    if flips & VERTICAL != 0 {
                        y = -y;
                    }
                    let mut degrees = 0.0;
                    if shape == GridShape::Hex {
                        degrees += if flips & DIAGONAL != 0 { 60.0 } else { 0.0 };
                        degrees += if flips & HEX_120 != 0 { 120.0 } else { 0.0 };
                    }
                    // South is down, so this turns clockwise.
                    let (sin, cos) = f64::to_radians(degrees).sin_cos();
                    let (x, y) = (x * cos - y * sin, x * sin + y * cos);
                    let far = |side: &Side| {
                        let (mx, my) = middle(*side);
                        ((mx - x).hypot(my - y) * 1e6) as u64
                    };
                    let to = (0..shape.sides().len()).min_by_key(|&to| far(&shape.sides()[to])).unwrap();
                    assert_eq!(far(&shape.sides()[to]), 0);
                    let mut sides = [SideKind::OPEN; SIDES_MAX];
                    sides[number] = SideKind::WALL;
                    let mut expected = [SideKind::OPEN; SIDES_MAX];
                    expected[to] = SideKind::WALL;
                    assert_eq!(flipped(shape, sides, flips), expected, "{shape:?} {flips:x} {side:?}");
                }
            }
        }
    }
}
