//! Splits a state index into column, row, heading and frame, for loops that do so at every expansion.
//! Specialised by map shape and free of divisions: quotients are multiplications and shifts, exact for every
//! state of a map (Granlund and Montgomery 1994).

use crate::model::pose::StateSpace;

/// Index arithmetic for the states of a map of one shape.
pub(crate) trait StateIndexing: Copy {
    /// Whether frames depend on the parity of the row.
    const ROWS_DIFFER: bool;
    /// Whether a norm can be a sum of columns and rows.
    const SUMS: bool;

    /// Column and row, and heading of a state.
    fn split(self, state: u32) -> ((i32, i32), usize);

    /// Frame number of a heading in row `y`.
    fn frame_at(self, y: i32, heading: usize) -> usize;

    /// Frame number of a state.
    fn frame(self, state: u32) -> usize;
}

/// Runs the same code for either map shape.
macro_rules! with_indexing {
    ($space:expr, $indexing:ident => $body:expr) => {
        match $space.shape() {
            wheelbase_grid::GridShape::Square => {
                let $indexing = $crate::model::state_indexing::SquareIndexing::new($space);
                $body
            }
            wheelbase_grid::GridShape::Hex => {
                let $indexing = $crate::model::state_indexing::HexIndexing::new($space);
                $body
            }
        }
    };
}
pub(crate) use with_indexing;

/// States of square maps: 1, 4 or 8 headings, the same in every row. The count is a power of two, so the
/// heading, which the successors wait for, is a mask.
#[derive(Clone, Copy)]
pub(crate) struct SquareIndexing {
    rows: Rows,
    heading_mask: u32,
    /// `2^32 / headings`.
    heading_factor: u64,
}

impl SquareIndexing {
    pub fn new(space: StateSpace) -> Self {
        let headings = u32::from(space.headings());
        Self {
            rows: Rows::new(space),
            heading_mask: headings - 1,
            heading_factor: (1 << 32) / u64::from(headings),
        }
    }
}

impl StateIndexing for SquareIndexing {
    const ROWS_DIFFER: bool = false;
    const SUMS: bool = true;

    #[inline(always)]
    fn split(self, state: u32) -> ((i32, i32), usize) {
        let (y, rest) = self.rows.divide(state);
        let x = (u64::from(rest) * self.heading_factor) >> 32;
        ((x as i32, y as i32), self.frame(state))
    }

    #[inline(always)]
    fn frame_at(self, _: i32, heading: usize) -> usize {
        heading
    }

    #[inline(always)]
    fn frame(self, state: u32) -> usize {
        (state & self.heading_mask) as usize
    }
}

/// States of hexagonal maps: 1 or 6 headings, whose frames differ between even and odd rows.
#[derive(Clone, Copy)]
pub(crate) struct HexIndexing {
    rows: Rows,
    headings: u32,
    /// `2^32 / headings`, rounded up.
    heading_factor: u64,
}

impl HexIndexing {
    pub fn new(space: StateSpace) -> Self {
        let headings = u32::from(space.headings());
        Self { rows: Rows::new(space), headings, heading_factor: (1 << 32) / u64::from(headings) + 1 }
    }
}

impl StateIndexing for HexIndexing {
    const ROWS_DIFFER: bool = true;
    const SUMS: bool = false;

    #[inline(always)]
    fn split(self, state: u32) -> ((i32, i32), usize) {
        let (y, rest) = self.rows.divide(state);
        // Exact below 2^29, and no row is longer.
        let x = ((u64::from(rest) * self.heading_factor) >> 32) as u32;
        ((x as i32, y as i32), (rest - x * self.headings) as usize)
    }

    #[inline(always)]
    fn frame_at(self, y: i32, heading: usize) -> usize {
        (y & 1) as usize * self.headings as usize + heading
    }

    #[inline(always)]
    fn frame(self, state: u32) -> usize {
        let ((_, y), heading) = self.split(state);
        self.frame_at(y, heading)
    }
}

/// Splits a state into its row and the remainder.
#[derive(Clone, Copy)]
struct Rows {
    /// States per row of cells.
    row: u32,
    /// `2^63 / row`, rounded up.
    factor: u64,
}

impl Rows {
    fn new(space: StateSpace) -> Self {
        let row = space.size().width() * u32::from(space.headings());
        Self { row, factor: (1 << 63) / u64::from(row) + 1 }
    }

    /// The row and the index within it.
    #[inline(always)]
    fn divide(self, state: u32) -> (u32, u32) {
        let y = ((u128::from(u64::from(state) * 2) * u128::from(self.factor)) >> 64) as u32;
        (y, state - y * self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::pose::State;
    use proptest::prelude::*;
    use wheelbase_grid::{CellXY, GridShape, GridSize};

    fn check(indexing: impl StateIndexing, space: StateSpace, state: u32) {
        let pose = space.pose(State(state));
        let ((x, y), heading) = indexing.split(state);
        assert_eq!((CellXY::new(x, y), heading), (pose.cell, usize::from(pose.heading.0)));
        let frame = space.frame(pose).0 as usize;
        assert_eq!((indexing.frame(state), indexing.frame_at(y, heading)), (frame, frame));
        assert_eq!(space.frame_of(State(state)).0 as usize, frame);
    }

    proptest! {
        #[test]
        fn states_divide_exactly(
            width_bits in 0_u32..=26,
            of_width in any::<u32>(),
            of_height in any::<u32>(),
            draw in any::<u32>(),
            (shape, headings) in prop::sample::select(vec![
                (GridShape::Square, 1_u8),
                (GridShape::Square, 4),
                (GridShape::Square, 8),
                (GridShape::Hex, 1),
                (GridShape::Hex, 6),
            ]),
        ) {
            let width = 1 + (of_width % (1 << width_bits));
            let height = 1 + of_height % ((1 << 26) / width);
            let size = GridSize::new(width.into(), height.into()).unwrap();
            let space = StateSpace::new(size, shape, headings);
            let n_states = space.n_states() as u32;
            let row = width * u32::from(headings);
            let state = draw % n_states;
            let row_begins = state / row * row;
            for state in [state, row_begins, row_begins + row - 1, row_begins.saturating_sub(1), n_states - 1, 0] {
                match shape {
                    GridShape::Square => check(SquareIndexing::new(space), space, state),
                    GridShape::Hex => check(HexIndexing::new(space), space, state),
                }
            }
        }
    }
}
