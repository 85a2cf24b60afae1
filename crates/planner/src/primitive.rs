//! Motion primitives: the moves an agent can make.

use crate::footprint::{Footprint, Offset};
use crate::pose::Heading;

/// Most primitives a class may have.
pub const PRIMITIVES_MAX: usize = 16;
/// Farthest that one primitive may move the anchor along one axis, in cells.
pub const DISPLACEMENT_MAX: i32 = 255;
/// Longest base time of a primitive, in ticks.
pub const TIME_MAX: u32 = 65_535;

/// One move an agent can make, in its own frame.
///
/// ```
/// use wheelbase_planner::Primitive;
/// let forward = Primitive::step("forward", (1, 0), 10);
/// let left = Primitive::turn("left", 1, 10);
/// assert_eq!((forward.by, left.turn), ((1, 0), 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Name, unique in its class.
    pub name: String,
    /// Displacement `(forward, right)` in cells, each at most 255 either way. A class with one
    /// heading gives it in map axes `(east, south)`.
    pub by: (i32, i32),
    /// Heading steps, positive counter-clockwise (left); less than the number of headings.
    pub turn: i32,
    /// Base time in ticks at speed 1000, 1 to 65,535.
    pub time: u32,
    /// Further swept cells, offsets from the start anchor in the start frame.
    pub swept: Vec<(i32, i32)>,
}

impl Primitive {
    /// A displacement by `(forward, right)` cells that keeps the heading.
    pub fn step(name: &str, by: (i32, i32), time: u32) -> Self {
        Self { name: name.to_owned(), by, turn: 0, time, swept: Vec::new() }
    }

    /// A turn by so many heading steps, positive to the left, about the pivot.
    pub fn turn(name: &str, turn: i32, time: u32) -> Self {
        Self { name: name.to_owned(), by: (0, 0), turn, time, swept: Vec::new() }
    }

    /// The usual four moves of a vehicle: `forward`, `reverse`, `left`, `right`.
    pub fn vehicle(forward: u32, reverse: u32, turn: u32) -> Vec<Self> {
        vec![
            Self::step("forward", (1, 0), forward),
            Self::step("reverse", (-1, 0), reverse),
            Self::turn("left", 1, turn),
            Self::turn("right", -1, turn),
        ]
    }

    /// Steps to the four neighbours, named `E` `N` `W` `S`, for a class without facing.
    pub fn four_ways(time: u32) -> Vec<Self> {
        let ways = [("E", (1, 0)), ("N", (0, -1)), ("W", (-1, 0)), ("S", (0, 1))];
        ways.into_iter().map(|(name, by)| Self::step(name, by, time)).collect()
    }

    /// Every cell the move touches from a heading, as offsets from the start anchor, row-major: the
    /// footprints at both ends, at each of the equal steps between, and the listed cells
    /// (DESIGN 2.3, `sweep = "ends"`).
    pub(crate) fn swept_cells(&self, footprint: &Footprint, heading: Heading, after: Heading) -> Vec<Offset> {
        let frame = |by| Offset::in_frame(by, heading.0);
        let steps = gcd(self.by.0.unsigned_abs(), self.by.1.unsigned_abs()) as i32;
        let mut cells: Vec<Offset> = footprint.at(heading).to_vec();
        for step in 1..steps {
            let part = frame((self.by.0 / steps * step, self.by.1 / steps * step));
            cells.extend(footprint.at(heading).iter().map(|cell| cell.plus(part)));
        }
        let end = frame(self.by);
        cells.extend(footprint.at(after).iter().map(|cell| cell.plus(end)));
        cells.extend(self.swept.iter().map(|&cell| frame(cell)));
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::Pivot;

    #[test]
    fn a_long_step_sweeps_what_lies_between() {
        let point = Footprint::new(&[(0, 0)], Pivot::default(), 4);
        let sweep = |by| {
            let cells = Primitive::step("s", by, 1).swept_cells(&point, Heading(0), Heading(0));
            cells.iter().map(|o| (o.dx, o.dy)).collect::<Vec<_>>()
        };
        assert_eq!(sweep((3, 0)), [(0, 0), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(sweep((2, 1)), [(0, 0), (2, 1)]);
        assert_eq!(sweep((-2, 2)), [(0, 0), (-1, 1), (-2, 2)]);
    }

    #[test]
    fn a_turn_sweeps_both_footprints() {
        let truck = Footprint::new(&[(0, 0), (-1, 0)], Pivot::default(), 4);
        let left = Primitive::turn("left", 1, 1).swept_cells(&truck, Heading(0), Heading(1));
        assert_eq!(left, [Offset::new(-1, 0), Offset::new(0, 0), Offset::new(0, 1)]);
    }
}
