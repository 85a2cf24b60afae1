//! Cells as points of a plane, for drawing and for reading positions from outside.

use crate::cell::CellXY;
use glam::{DVec2, Vec2};
use std::f32::consts::{PI, TAU};
use std::fmt;

/// How much more than half a turn still counts as half a turn, in radians. Headings written as floats
/// lie a few millionths apart from where they should; without it one half turn would go to the left
/// and the next to the right.
const HALF_TURN_SLACK: f32 = 1e-4;

/// Where the cells of a map lie in world units.
///
/// The north-west corner of cell (0, 0) is at `origin`, each cell is a square of `cell_size` units.
/// By default the origin is zero and a cell is one unit. x grows to the east and y to the south, like
/// columns and rows. An angle is in radians, 0 to the east, counter-clockwise as seen on the screen;
/// since y grows downwards, a facing with angle `a` points to `(cos a, -sin a)`.
///
/// Floats live here and never reach the state of a simulation, or its results would differ from
/// machine to machine: a position from outside becomes a cell once, by [`WorldSpace::quantise`], and
/// cells become positions only to be looked at.
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

/// Why cells cannot be laid out in world units as asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldSpaceError {
    /// The origin is not finite.
    Origin(Vec2),
    /// The size of a cell is not finite or not above zero.
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
    /// Cells of `cell_size` units, the north-west corner of cell (0, 0) at `origin`.
    /// # Errors
    /// [`WorldSpaceError`] if `origin` is not finite, or `cell_size` not finite or not above 0.
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

    /// Width and height of a cell, in world units; finite and above 0.
    pub fn cell_size(self) -> f32 {
        self.cell_size
    }

    /// The cell in which a point lies; it may be off the map. A point on a border belongs to the cell
    /// to its east or south. `None` for a point that is not a number, or too far off for `i32`.
    pub fn quantise(self, position: Vec2) -> Option<CellXY> {
        // In f64 the difference loses nothing that the position still had.
        let cells = (position.as_dvec2() - self.origin.as_dvec2()) / f64::from(self.cell_size);
        Some(CellXY::new(whole_i32(cells.x)?, whole_i32(cells.y)?))
    }

    /// The centre of a cell, in world units. [`WorldSpace::quantise`] gives the cell back as long as
    /// the centre is less than 2^22 cells from world zero; farther off `f32` cannot tell cells apart.
    pub fn localise(self, cell: CellXY) -> Vec2 {
        let centre = DVec2::new(f64::from(cell.x) + 0.5, f64::from(cell.y) + 0.5);
        (self.origin.as_dvec2() + centre * f64::from(self.cell_size)).as_vec2()
    }

    /// The pose of an agent whose anchor is `cell`, turned by `angle` (radians, counter-clockwise).
    pub fn pose(self, cell: CellXY, angle: f32) -> WorldPose {
        WorldPose { position: self.localise(cell), angle }
    }
}

/// Where something is drawn: a point and an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldPose {
    /// Centre of the anchor cell, in world units; x to the east, y to the south.
    pub position: Vec2,
    /// Radians from east, counter-clockwise as seen on the screen; any number of whole turns.
    pub angle: f32,
}

impl WorldPose {
    /// The direction it faces, `(cos angle, -sin angle)`; length 1.
    pub fn facing(self) -> Vec2 {
        Vec2::new(self.angle.cos(), -self.angle.sin())
    }

    /// The pose at part `t` of the way to `other`, for drawing between two ticks. `t` is clamped to
    /// 0..1; one that is not a number counts as 0. The position moves in a straight line, the angle
    /// the shorter way round, half a turn counter-clockwise. Where the move says which way it turns,
    /// use [`WorldPose::interpolate_turn`]. At 1 the angle is that of `other` but for whole turns.
    pub fn interpolate(self, other: Self, t: f32) -> Self {
        self.interpolate_turn(other, shorter_turn(self.angle, other.angle), t)
    }

    /// As [`WorldPose::interpolate`], but turning by `turn_radians` in all (positive is
    /// counter-clockwise), whatever the angle of `other`: a turn of 180 or 270 degrees goes the way
    /// that its motion primitive says.
    pub fn interpolate_turn(self, other: Self, turn_radians: f32, t: f32) -> Self {
        let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
        Self { position: self.position.lerp(other.position, t), angle: self.angle + turn_radians * t }
    }
}

/// The turn from one angle to another, more than -pi and at most pi, but for [`HALF_TURN_SLACK`].
fn shorter_turn(from: f32, to: f32) -> f32 {
    let left = (to - from).rem_euclid(TAU);
    if left > PI + HALF_TURN_SLACK { left - TAU } else { left }
}

/// The whole number below or at `value`, if an `i32` holds it; `None` for one that is not a number.
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
    fn angles_go_the_shorter_way_and_half_turns_to_the_left() {
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
    fn a_given_turn_goes_its_own_way() {
        let start = WorldPose { position: Vec2::new(1.0, 2.0), angle: QUARTER };
        let end = WorldPose { position: Vec2::new(3.0, 2.0), angle: 0.0 };
        let drawn = start.interpolate_turn(end, 3.0 * QUARTER, 0.5);
        assert_eq!(drawn.position, Vec2::new(2.0, 2.0));
        assert!(near(drawn.angle, 2.5 * QUARTER));
        assert!(near(start.interpolate_turn(end, -PI, 1.0).angle, -QUARTER));
    }

    #[test]
    fn the_part_of_the_way_is_clamped() {
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
