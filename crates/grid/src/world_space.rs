//! Conversion between cells and points of the plane, for drawing and for positions from outside.

use crate::cell::CellXY;
use glam::{DVec2, Vec2};
use std::f32::consts::{PI, TAU};
use std::fmt;

/// Tolerance of a half turn, in radians. Headings stored as floats are off by a few millionths; without a
/// tolerance one half turn would go left and the next right.
const HALF_TURN_SLACK: f32 = 1e-4;

/// Coordinate system of a map's cells in world units.
///
/// The north-west corner of cell (0, 0) is at `origin`; each cell is a square of `cell_size` units. By default
/// the origin is zero and a cell is one unit. x grows to the east and y to the south, like columns and rows.
/// Angles are in radians, 0 is east, counter-clockwise as seen on the screen; since y grows downwards, a facing
/// of angle `a` points to `(cos a, -sin a)`.
///
/// Floats stay in this module and never reach simulation state, because results would then differ between machines. A
/// position from outside becomes a cell once, through [`WorldSpace::quantise`]. Cells become positions only for
/// display.
///
/// ```
/// use glam::Vec2;
/// use std::f32::consts::PI;
/// use wheelbase_grid::{CellXY, WorldSpace};
/// let space = WorldSpace::new(Vec2::new(100.0, 50.0), 4.0)?;
/// assert_eq!(space.localise(CellXY::new(2, 0)), Vec2::new(110.0, 52.0));
/// assert_eq!(space.quantise(Vec2::new(111.9, 50.0)), Some(CellXY::new(2, 0)));
///
/// // A quarter of the way through a move that drives one cell east and turns to the north.
/// let start = space.pose(CellXY::new(2, 0), 0.0);
/// let end = space.pose(CellXY::new(3, 0), PI / 2.0);
/// let drawn = start.interpolate(end, 0.25);
/// assert_eq!(drawn.position, Vec2::new(111.0, 52.0));
/// assert!((drawn.angle - PI / 8.0).abs() < 1e-6);
/// # Ok::<(), wheelbase_grid::WorldSpaceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSpace {
    origin: Vec2,
    cell_size: f32,
}

/// Invalid parameters of a [`WorldSpace`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldSpaceError {
    /// The origin is not finite.
    Origin(Vec2),
    /// The cell size is not finite or not positive.
    CellSize(f32),
}

impl fmt::Display for WorldSpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Origin(found) => write!(f, "the origin is {found}; both numbers must be finite"),
            Self::CellSize(found) => write!(f, "a cell is {found} units wide; it must be finite and above 0"),
        }
    }
}

impl std::error::Error for WorldSpaceError {}

impl Default for WorldSpace {
    fn default() -> Self {
        Self { origin: Vec2::ZERO, cell_size: 1.0 }
    }
}

impl WorldSpace {
    /// Cells of `cell_size` units, with the north-west corner of cell (0, 0) at `origin`.
    /// # Errors
    /// [`WorldSpaceError`] if `origin` is not finite, or `cell_size` not finite or not positive.
    pub fn new(origin: Vec2, cell_size: f32) -> Result<Self, WorldSpaceError> {
        if !origin.is_finite() {
            return Err(WorldSpaceError::Origin(origin));
        }
        if !cell_size.is_finite() || cell_size <= 0.0 {
            return Err(WorldSpaceError::CellSize(cell_size));
        }
        Ok(Self { origin, cell_size })
    }

    /// The north-west corner of cell (0, 0), in world units.
    pub fn origin(self) -> Vec2 {
        self.origin
    }

    /// Width and height of a cell, in world units; finite and positive.
    pub fn cell_size(self) -> f32 {
        self.cell_size
    }

    /// The cell that contains a point; may be off the map. A point on a border belongs to the cell to its east
    /// or south. `None` if a coordinate is NaN or out of range of `i32`.
    pub fn quantise(self, position: Vec2) -> Option<CellXY> {
        // In f64 the difference loses no precision that the position still had.
        let cells = (position.as_dvec2() - self.origin.as_dvec2()) / f64::from(self.cell_size);
        Some(CellXY::new(whole_i32(cells.x)?, whole_i32(cells.y)?))
    }

    /// The centre of a cell, in world units. [`WorldSpace::quantise`] inverts it as long as the centre is less
    /// than 2^22 cells from the world origin; beyond that `f32` cannot distinguish cells.
    pub fn localise(self, cell: CellXY) -> Vec2 {
        let centre = DVec2::new(f64::from(cell.x) + 0.5, f64::from(cell.y) + 0.5);
        (self.origin.as_dvec2() + centre * f64::from(self.cell_size)).as_vec2()
    }

    /// The pose of an agent with anchor `cell`, turned by `angle` (radians, counter-clockwise).
    pub fn pose(self, cell: CellXY, angle: f32) -> WorldPose {
        WorldPose { position: self.localise(cell), angle }
    }
}

/// A pose in world units, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldPose {
    /// Centre of the anchor cell, in world units; x to the east, y to the south.
    pub position: Vec2,
    /// Radians from east, counter-clockwise as seen on the screen; may include whole turns.
    pub angle: f32,
}

impl WorldPose {
    /// Unit vector of the facing, `(cos angle, -sin angle)`.
    pub fn facing(self) -> Vec2 {
        Vec2::new(self.angle.cos(), -self.angle.sin())
    }

    /// Interpolates to `other`, for drawing between two ticks. `t` is clamped to 0..1; NaN counts as 0. The
    /// position moves in a straight line; the angle takes the shorter direction, and half turns go
    /// counter-clockwise. If the direction of the turn is known, use [`WorldPose::interpolate_turn`]. At 1 the
    /// angle equals that of `other` up to whole turns.
    pub fn interpolate(self, other: Self, t: f32) -> Self {
        self.interpolate_turn(other, shorter_turn(self.angle, other.angle), t)
    }

    /// Like [`WorldPose::interpolate`], but turns by `turn_radians` in total (counter-clockwise positive), whatever the
    /// angle of `other`. Turns of 180 or 270 degrees thus follow the direction of their motion primitive.
    pub fn interpolate_turn(self, other: Self, turn_radians: f32, t: f32) -> Self {
        let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
        Self { position: self.position.lerp(other.position, t), angle: self.angle + turn_radians * t }
    }
}

/// The turn from one angle to another, in (-pi, pi] up to [`HALF_TURN_SLACK`].
fn shorter_turn(from: f32, to: f32) -> f32 {
    let left = (to - from).rem_euclid(TAU);
    if left > PI + HALF_TURN_SLACK { left - TAU } else { left }
}

/// `value` rounded down, if it fits an `i32`; `None` for NaN.
fn whole_i32(value: f64) -> Option<i32> {
    let whole = value.floor();
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&whole).then_some(whole as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUARTER: f32 = PI / 2.0;

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn a_space_needs_finite_numbers() {
        for cell_size in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(WorldSpace::new(Vec2::ZERO, cell_size), Err(WorldSpaceError::CellSize(_))));
        }
        let origin = Vec2::new(0.0, f32::NEG_INFINITY);
        let error = WorldSpace::new(origin, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "the origin is [0, -inf]; both numbers must be finite");
        assert_eq!(WorldSpace::new(Vec2::ZERO, 1.0), Ok(WorldSpace::default()));
    }

    #[test]
    fn points_become_cells_by_rounding_down() {
        let space = WorldSpace::default();
        let cell = |x: f32, y: f32| space.quantise(Vec2::new(x, y));
        assert_eq!(cell(0.0, 0.99), Some(CellXY::new(0, 0)));
        assert_eq!(cell(-0.01, 1.0), Some(CellXY::new(-1, 1)));
        assert_eq!(cell(-1e-45, -1.0), Some(CellXY::new(-1, -1)));
        assert_eq!(cell(f32::NAN, 0.0), None);
        assert_eq!(cell(0.0, f32::INFINITY), None);
        assert_eq!(cell(2_147_483_648.0, 0.0), None);
        assert_eq!(cell(0.0, -2_147_483_648.0), Some(CellXY::new(0, i32::MIN)));
        assert_eq!(cell(0.0, -2_147_483_904.0), None);
    }

    #[test]
    fn facings_point_as_seen_on_the_screen() {
        let space = WorldSpace::default();
        for (quarters, x, y) in [(0.0, 1.0, 0.0), (1.0, 0.0, -1.0), (2.0, -1.0, 0.0), (3.0, 0.0, 1.0)] {
            let facing = space.pose(CellXY::new(0, 0), quarters * QUARTER).facing();
            assert!(facing.distance(Vec2::new(x, y)) < 1e-6);
        }
    }

    #[test]
    fn angles_take_the_shorter_direction_and_half_turns_go_left() {
        let at = |angle| WorldPose { position: Vec2::ZERO, angle };
        let turned = |from: f32, to: f32| at(from).interpolate(at(to), 1.0).angle - from;
        for from in 0..8 {
            for (quarters, expected) in [(0, 0.0), (1, QUARTER), (2, PI), (3, -QUARTER)] {
                for whole_turns in [-2, 0, 3] {
                    let from = from as f32 * QUARTER;
                    let to = from + (quarters + 4 * whole_turns) as f32 * QUARTER;
                    assert!(near(turned(from, to), expected), "from {from} to {to}");
                }
            }
        }
        assert!(near(turned(0.1, TAU - 0.1), -0.2));
    }

    #[test]
    fn a_given_turn_keeps_its_direction() {
        let start = WorldPose { position: Vec2::new(1.0, 2.0), angle: QUARTER };
        let end = WorldPose { position: Vec2::new(3.0, 2.0), angle: 0.0 };
        let drawn = start.interpolate_turn(end, 3.0 * QUARTER, 0.5);
        assert_eq!(drawn.position, Vec2::new(2.0, 2.0));
        assert!(near(drawn.angle, 2.5 * QUARTER));
        assert!(near(start.interpolate_turn(end, -PI, 1.0).angle, -QUARTER));
    }

    #[test]
    fn interpolation_is_clamped() {
        let start = WorldPose { position: Vec2::new(1.0, 2.0), angle: 0.5 };
        let end = WorldPose { position: Vec2::new(4.0, 6.0), angle: 1.0 };
        assert_eq!(start.interpolate(end, -3.0), start);
        assert_eq!(start.interpolate(end, f32::NAN), start);
        assert_eq!(start.interpolate(end, 7.0), end);
    }

    proptest! {
        #[test]
        fn a_cell_is_found_again_from_its_centre(
            x in -1_000_000..1_000_000,
            y in -1_000_000..1_000_000,
            shift in (-1e6f64..1e6, -1e6f64..1e6),
            cell_size in 1e-3f32..1e3,
        ) {
            let origin = (DVec2::new(shift.0, shift.1) * f64::from(cell_size)).as_vec2();
            let space = WorldSpace::new(origin, cell_size).unwrap();
            let cell = CellXY::new(x, y);
            prop_assert_eq!(space.quantise(space.localise(cell)), Some(cell));
        }
    }
}
