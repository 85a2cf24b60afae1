//! The cells an agent covers, at every heading.

use crate::geometry::diagonal_footprint;

/// Most cells a footprint may have.
pub const FOOTPRINT_CELLS_MAX: usize = 1024;
/// Farthest that a footprint or swept cell may be given from the anchor, in cells along one axis.
pub const OFFSET_MAX: i32 = 65_535;

/// A step between cells in map axes: `dx` to the east, `dy` to the south.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Offset {
    /// Cells to the east.
    pub dx: i32,
    /// Cells to the south.
    pub dy: i32,
}

impl Offset {
    /// The step of `dx` cells to the east and `dy` to the south.
    pub const fn new(dx: i32, dy: i32) -> Self {
        Self { dx, dy }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(self.dx + other.dx, self.dy + other.dy)
    }

    /// An offset `(forward, right)` of an agent that has turned by `quarters` quarter turns
    /// counter-clockwise from east. y grows to the south, so facing east, right is `+y`.
    pub(crate) fn in_frame((forward, right): (i32, i32), quarters: u8) -> Self {
        match quarters % 4 {
            0 => Self::new(forward, right),
            1 => Self::new(right, -forward),
            2 => Self::new(-forward, -right),
            _ => Self::new(-right, forward),
        }
    }
}

/// Row-major order: the order in which reasons are looked for and cells are listed.
impl Ord for Offset {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.dy, self.dx).cmp(&(other.dy, other.dx))
    }
}

impl PartialOrd for Offset {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The point about which an agent turns, from the centre of its anchor cell, in **half cells**
/// `(forward, right)` while it faces east. Both are even or both odd, so that quarter turns land on
/// cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pivot {
    /// Half cells forward.
    pub forward: i32,
    /// Half cells to the right.
    pub right: i32,
}

impl Pivot {
    /// The pivot at `(forward, right)` cells, or `None` unless both are multiples of a half, both
    /// whole or both not, and no farther than [`OFFSET_MAX`].
    pub fn from_cells(forward: f64, right: f64) -> Option<Self> {
        let (f, r) = (2.0 * forward, 2.0 * right);
        let max = f64::from(2 * OFFSET_MAX);
        let whole = f.fract() == 0.0 && r.fract() == 0.0 && f.abs() <= max && r.abs() <= max;
        (whole && (f as i32 - r as i32) % 2 == 0).then_some(Self { forward: f as i32, right: r as i32 })
    }

    /// A cell after `quarters` quarter turns counter-clockwise about this pivot, which stays where it
    /// is relative to the anchor.
    pub(crate) fn turn(self, cell: Offset, quarters: u8) -> Offset {
        let from_pivot = (2 * cell.dx - self.forward, 2 * cell.dy - self.right);
        let turned = Offset::in_frame(from_pivot, quarters);
        Offset::new((turned.dx + self.forward) / 2, (turned.dy + self.right) / 2)
    }
}

/// Quarter turns from the first heading of its kind: of 8 headings E and NE are both 0.
pub(crate) fn quarters(heading: u8, headings: u8) -> u8 {
    if headings < 4 { 0 } else { heading / (headings / 4) }
}

/// The cells an agent covers at each heading, as offsets from its anchor in map axes, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    by_heading: Vec<Vec<Offset>>,
}

impl Footprint {
    /// Turns the east-facing cells `(forward, right)` to every heading. A class with one heading gives
    /// them in map axes and never turns. With 8 headings `diagonal` is the footprint facing NE, in map
    /// axes; without it a cell belongs to it when the turned body covers at least half of it.
    pub(crate) fn new(
        cells: &[(i32, i32)],
        diagonal: Option<&[(i32, i32)]>,
        pivot: Pivot,
        headings: u8,
    ) -> Self {
        let offsets = |cells: &[(i32, i32)]| -> Vec<Offset> {
            cells.iter().map(|&(dx, dy)| Offset::new(dx, dy)).collect()
        };
        let straight = offsets(cells);
        let diagonal = match diagonal {
            _ if headings != 8 => Vec::new(),
            Some(given) => offsets(given),
            None => diagonal_footprint(cells, pivot),
        };
        let turned_to = |heading: u8| {
            let from = if headings == 8 && heading % 2 == 1 { &diagonal } else { &straight };
            let quarters = quarters(heading, headings);
            let mut turned: Vec<Offset> = from.iter().map(|&cell| pivot.turn(cell, quarters)).collect();
            turned.sort_unstable();
            turned
        };
        Self { by_heading: (0..headings).map(turned_to).collect() }
    }

    /// Cells at a heading, row-major.
    pub fn at(&self, heading: crate::Heading) -> &[Offset] {
        &self.by_heading[heading.0 as usize]
    }

    /// Columns and rows of the smallest rectangle that holds it at a heading.
    pub fn extent(&self, heading: crate::Heading) -> (u32, u32) {
        let span = |values: &mut dyn Iterator<Item = i32>| {
            let (mut low, mut high) = (i32::MAX, i32::MIN);
            for value in values {
                (low, high) = (low.min(value), high.max(value));
            }
            (high - low + 1) as u32
        };
        let cells = self.at(heading);
        (span(&mut cells.iter().map(|o| o.dx)), span(&mut cells.iter().map(|o| o.dy)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Heading;

    fn cells(footprint: &Footprint, heading: u8) -> Vec<(i32, i32)> {
        footprint.at(Heading(heading)).iter().map(|o| (o.dx, o.dy)).collect()
    }

    #[test]
    fn a_truck_turns_about_its_anchor() {
        let truck = Footprint::new(&[(0, 0), (-1, 0)], None, Pivot::default(), 4);
        assert_eq!(cells(&truck, 0), [(-1, 0), (0, 0)]);
        assert_eq!(cells(&truck, 1), [(0, 0), (0, 1)]);
        assert_eq!(cells(&truck, 2), [(0, 0), (1, 0)]);
        assert_eq!(cells(&truck, 3), [(0, -1), (0, 0)]);
        assert_eq!(truck.extent(Heading(1)), (1, 2));
    }

    #[test]
    fn a_square_turns_on_the_spot_about_a_half_pivot() {
        let pivot = Pivot::from_cells(-0.5, 0.5).unwrap();
        let square = Footprint::new(&[(0, 0), (-1, 0), (0, 1), (-1, 1)], None, pivot, 4);
        for heading in 1..4 {
            assert_eq!(cells(&square, heading), cells(&square, 0));
        }
    }

    #[test]
    fn a_pivot_is_whole_or_half_in_both() {
        assert!(Pivot::from_cells(0.5, 0.0).is_none());
        assert!(Pivot::from_cells(0.25, 0.25).is_none());
        assert!(Pivot::from_cells(f64::NAN, 0.0).is_none());
        assert_eq!(Pivot::from_cells(-1.5, 2.5), Some(Pivot { forward: -3, right: 5 }));
    }
}
