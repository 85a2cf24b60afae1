//! The cells that an agent covers, at every heading.

use crate::model::geometry::diagonal_footprint;
use crate::model::offset::{Offset, Pivot};
use crate::model::pose::Frame;
use wheelbase_grid::GridShape;

/// Maximum number of cells of a footprint.
pub const FOOTPRINT_CELLS_MAX: usize = 1024;

/// Quarter turns from the first heading of the same kind: with 8 headings, 0 for both E and NE.
pub(crate) fn quarters(heading: u8, headings: u8) -> u8 {
    if headings < 4 { 0 } else { heading / (headings / 4) }
}

/// The axes in which a class gives its offsets, and their orientation on the map. Offsets are first converted to
/// lattice coordinates, which are the same at every cell. These are columns and rows on square maps, steps to the east
/// and to the south-east on hexagonal maps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub shape: GridShape,
    pub headings: u8,
}

/// Lattice steps of hexagonal maps at each of the 6 headings.
const HEX_STEPS: [Offset; 6] = [
    Offset::new(1, 0),
    Offset::new(1, -1),
    Offset::new(0, -1),
    Offset::new(-1, 0),
    Offset::new(-1, 1),
    Offset::new(0, 1),
];

impl Axes {
    /// The lattice offset of `(forward, right)` at a heading. Right is a quarter turn clockwise on square maps,
    /// the next heading clockwise on hexagonal maps.
    pub fn lattice(self, (forward, right): (i32, i32), heading: u8) -> Offset {
        match self.shape {
            GridShape::Square => Offset::in_frame((forward, right), quarters(heading, self.headings)),
            GridShape::Hex => {
                let (ahead, side) = (HEX_STEPS[heading as usize], HEX_STEPS[(heading as usize + 5) % 6]);
                Offset::new(forward * ahead.dx + right * side.dx, forward * ahead.dy + right * side.dy)
            }
        }
    }

    /// A cell of the east-facing body, turned to a heading about the pivot, as a lattice offset.
    fn turned(self, cell: (i32, i32), pivot: Pivot, heading: u8) -> Offset {
        match self.shape {
            GridShape::Square => pivot.turn(Offset::new(cell.0, cell.1), quarters(heading, self.headings)),
            GridShape::Hex => {
                let (forward, right) = (pivot.forward / 2, pivot.right / 2);
                self.lattice((cell.0 - forward, cell.1 - right), heading).plus(Offset::new(forward, right))
            }
        }
    }

    /// A lattice offset in columns and rows, from a cell in a row of the given parity. On hexagonal maps two
    /// rows down shift by one column.
    pub fn columns_and_rows(self, lattice: Offset, parity: u8) -> Offset {
        match self.shape {
            GridShape::Square => lattice,
            GridShape::Hex => {
                Offset::new(lattice.dx + (lattice.dy + i32::from(parity)).div_euclid(2), lattice.dy)
            }
        }
    }

    /// [`Axes::columns_and_rows`] for many cells; sorted row-major.
    pub fn all_columns_and_rows(self, lattice: &[Offset], parity: u8) -> Vec<Offset> {
        let mut cells: Vec<Offset> =
            lattice.iter().map(|&cell| self.columns_and_rows(cell, parity)).collect();
        cells.sort_unstable();
        cells
    }
}

/// The cells that an agent covers in each frame, as offsets from its anchor in columns and rows, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    by_frame: Vec<Vec<Offset>>,
}

impl Footprint {
    /// From lattice offsets by heading, as returned by [`body_at_headings`].
    pub(crate) fn new(by_heading: &[Vec<Offset>], axes: Axes) -> Self {
        let of_parity = |parity| by_heading.iter().map(move |cells| axes.all_columns_and_rows(cells, parity));
        Self { by_frame: (0..axes.shape.n_parities()).flat_map(of_parity).collect() }
    }

    /// Covered cells in a frame, row-major.
    pub fn at(&self, frame: Frame) -> &[Offset] {
        &self.by_frame[frame.0 as usize]
    }

    /// Columns and rows of the bounding rectangle, for each frame.
    pub(crate) fn extents(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.by_frame.len()).map(|frame| self.extent(Frame(frame as u8)))
    }

    /// Columns and rows of the bounding rectangle in a frame.
    pub fn extent(&self, frame: Frame) -> (u32, u32) {
        let span = |values: &mut dyn Iterator<Item = i32>| {
            let (mut low, mut high) = (i32::MAX, i32::MIN);
            for value in values {
                (low, high) = (low.min(value), high.max(value));
            }
            (high - low + 1) as u32
        };
        let cells = self.at(frame);
        (span(&mut cells.iter().map(|o| o.dx)), span(&mut cells.iter().map(|o| o.dy)))
    }
}

/// Turns the east-facing cells `(forward, right)` to every heading: lattice offsets, sorted. A class with one
/// heading gives its cells in map axes and never turns. With 8 headings `diagonal` is the footprint facing NE,
/// in map axes. If absent, it consists of the cells that the turned body covers at least half.
pub(crate) fn body_at_headings(
    cells: &[(i32, i32)],
    diagonal: Option<&[(i32, i32)]>,
    pivot: Pivot,
    axes: Axes,
) -> Vec<Vec<Offset>> {
    let diagonal: Vec<(i32, i32)> = match diagonal {
        _ if axes.headings != 8 => Vec::new(),
        Some(given) => given.to_vec(),
        None => diagonal_footprint(cells, pivot).into_iter().map(|cell| (cell.dx, cell.dy)).collect(),
    };
    let turned_to = |heading: u8| {
        let from = if axes.headings == 8 && heading % 2 == 1 { &diagonal[..] } else { cells };
        let mut turned: Vec<Offset> = from.iter().map(|&cell| axes.turned(cell, pivot, heading)).collect();
        turned.sort_unstable();
        turned
    };
    (0..axes.headings).map(turned_to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(cells: &[(i32, i32)], pivot: Pivot, headings: u8, shape: GridShape) -> Footprint {
        let axes = Axes { shape, headings };
        Footprint::new(&body_at_headings(cells, None, pivot, axes), axes)
    }

    fn cells(footprint: &Footprint, frame: u8) -> Vec<(i32, i32)> {
        footprint.at(Frame(frame)).iter().map(|o| (o.dx, o.dy)).collect()
    }

    #[test]
    fn a_truck_turns_about_its_anchor() {
        let truck = footprint(&[(0, 0), (-1, 0)], Pivot::default(), 4, GridShape::Square);
        assert_eq!(cells(&truck, 0), [(-1, 0), (0, 0)]);
        assert_eq!(cells(&truck, 1), [(0, 0), (0, 1)]);
        assert_eq!(cells(&truck, 2), [(0, 0), (1, 0)]);
        assert_eq!(cells(&truck, 3), [(0, -1), (0, 0)]);
        assert_eq!(truck.extent(Frame(1)), (1, 2));
    }

    #[test]
    fn a_square_turns_on_the_spot_about_a_half_pivot() {
        let pivot = Pivot::from_cells(-0.5, 0.5).unwrap();
        let square = footprint(&[(0, 0), (-1, 0), (0, 1), (-1, 1)], pivot, 4, GridShape::Square);
        for heading in 1..4 {
            assert_eq!(cells(&square, heading), cells(&square, 0));
        }
    }

    #[test]
    fn on_hexagons_columns_depend_on_the_row_of_the_anchor() {
        let truck = footprint(&[(0, 0), (-1, 0)], Pivot::default(), 6, GridShape::Hex);
        // Facing NE, the tail lies to the SW: one column further west, but only from even rows.
        assert_eq!(cells(&truck, 1), [(0, 0), (-1, 1)]);
        assert_eq!(cells(&truck, 6 + 1), [(0, 0), (0, 1)]);
        assert_eq!(cells(&truck, 3), cells(&truck, 6 + 3));
        // A ring about the pivot keeps its cells, whatever the row.
        let ring = [(0, 0), (-1, 0), (-2, 0), (-1, 1), (-1, -1), (0, -1), (-2, 1)];
        let ring = footprint(&ring, Pivot::from_cells(-1.0, 0.0).unwrap(), 6, GridShape::Hex);
        for heading in 1..6 {
            assert_eq!(cells(&ring, heading), cells(&ring, 0));
            assert_eq!(cells(&ring, 6 + heading), cells(&ring, 6));
        }
        // Three steps to the SE, without headings.
        let long = footprint(&[(0, 0), (0, 1), (0, 2), (0, 3)], Pivot::default(), 1, GridShape::Hex);
        assert_eq!(cells(&long, 0), [(0, 0), (0, 1), (1, 2), (1, 3)]);
        assert_eq!(cells(&long, 1), [(0, 0), (1, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn a_pivot_is_whole_or_half_in_both() {
        assert!(Pivot::from_cells(0.5, 0.0).is_none());
        assert!(Pivot::from_cells(0.25, 0.25).is_none());
        assert!(Pivot::from_cells(f64::NAN, 0.0).is_none());
        assert_eq!(Pivot::from_cells(-1.5, 2.5), Some(Pivot { forward: -3, right: 5 }));
    }
}
