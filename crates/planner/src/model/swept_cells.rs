//! The cells that a primitive sweeps from each heading.

use crate::model::class_spec::ClassSpec;
use crate::model::footprint::{Axes, quarters};
use crate::model::geometry::{
    SweepBudget, SweepTooLarge, Turn, cells_of_large_translation, cells_of_translation, cells_of_turn,
};
use crate::model::offset::{Offset, Pivot};
use crate::model::pose::Heading;
use crate::model::primitive::{Primitive, Sweep, SweepRule};

/// Maximum number of swept cells of a class, summed over all its moves and headings. Each takes 32 to 64 bytes,
/// and compiling the class reads each at every anchor from which the move stays on the map.
pub const SWEPT_CELLS_MAX: u64 = 1 << 22;

/// Maximum number of overlap tests, of a cell against a square of the body, for working out the turns of a
/// class.
pub(crate) const OVERLAP_TESTS_MAX: u64 = 1 << 27;

/// The part of a class that determines the cells its moves sweep.
pub(crate) struct SweepContext<'a> {
    /// The east-facing cells as given.
    pub cells: &'a [(i32, i32)],
    /// Lattice offsets of the body at each heading.
    pub by_heading: &'a [Vec<Offset>],
    pub pivot: Pivot,
    pub sweep: Sweep,
    pub axes: Axes,
    /// Remaining budget of its moves.
    pub budget: SweepBudget,
    /// Memo of cells swept by turns, by heading within the first quarter and turn.
    turns: Vec<((u8, i32), Vec<Offset>)>,
}

impl<'a> SweepContext<'a> {
    /// For a class of which no move has been worked out yet.
    pub fn new(spec: &'a ClassSpec, by_heading: &'a [Vec<Offset>]) -> Self {
        Self {
            cells: &spec.footprint,
            by_heading,
            pivot: spec.pivot,
            sweep: spec.sweep,
            axes: Axes { shape: spec.shape, headings: spec.headings },
            budget: SweepBudget { cells: SWEPT_CELLS_MAX, overlap_tests: OVERLAP_TESTS_MAX },
            turns: Vec::new(),
        }
    }

    /// Adds the cells touched while turning in place by `turn` steps from a heading.
    fn add_turn(
        &mut self,
        cells: &mut Vec<Offset>,
        heading: Heading,
        turn: i32,
    ) -> Result<(), SweepTooLarge> {
        let footprint_at = |heading: Heading| &self.by_heading[heading.0 as usize][..];
        if is_round(footprint_at, self.axes.headings, heading, turn) {
            cells.extend(footprint_at(heading));
            return Ok(());
        }
        let headings = self.axes.headings;
        let key = (heading.0 % (headings / 4), turn);
        let known = self.turns.iter().position(|(known, _)| *known == key);
        let at = match known {
            Some(at) => at,
            None => {
                let turned = cells_of_turn(
                    self.cells,
                    self.pivot,
                    Turn { start: key.0, steps: turn, headings },
                    &mut self.budget,
                )?;
                self.turns.push((key, turned));
                self.turns.len() - 1
            }
        };
        let quarters = quarters(heading.0, headings);
        cells.extend(self.turns[at].1.iter().map(|&cell| self.pivot.turn(cell, quarters)));
        Ok(())
    }
}

/// Whether a body covers the same cells at every heading from the first to the last of a turn: it counts as round.
pub(crate) fn is_round<'a>(
    footprint_at: impl Fn(Heading) -> &'a [Offset],
    headings: u8,
    start: Heading,
    turn: i32,
) -> bool {
    let passed = (1..=turn.abs()).map(|step| i32::from(start.0) + step * turn.signum());
    let mut passed = passed.map(|heading| Heading(heading.rem_euclid(i32::from(headings)) as u8));
    passed.all(|heading| footprint_at(heading) == footprint_at(start))
}

pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Primitive {
    /// Every cell the move touches from a heading, as lattice offsets from the start anchor, sorted. Deducts
    /// their number from the budget.
    /// # Errors
    /// [`SweepTooLarge`] if they exceed the budget.
    pub(crate) fn swept_cells(
        &self,
        body: &mut SweepContext<'_>,
        heading: Heading,
        after: Heading,
    ) -> Result<Vec<Offset>, SweepTooLarge> {
        let axes = body.axes;
        let frame = |by| axes.lattice(by, heading.0);
        let footprint = &body.by_heading[heading.0 as usize];
        let end = frame(self.by);
        let mut cells: Vec<Offset> = footprint.clone();
        cells.extend(body.by_heading[after.0 as usize].iter().map(|cell| cell.plus(end)));
        cells.extend(self.swept.iter().flatten().map(|&cell| frame(cell)));
        let (moves, turns) = (self.by != (0, 0), self.turn != 0);
        match (moves, turns) {
            (true, false) if body.sweep.moves == SweepRule::Full => {
                cells.extend(cells_of_translation(footprint, end));
            }
            (false, true) if body.sweep.turns == SweepRule::Full => {
                body.add_turn(&mut cells, heading, self.turn)?;
            }
            _ => {
                if moves && turns && self.swept.is_none() && body.sweep.any_full() {
                    let mut turning = Vec::new();
                    body.add_turn(&mut turning, heading, self.turn)?;
                    cells.extend(cells_of_large_translation(turning, end, &mut body.budget)?);
                }
                let steps = gcd(self.by.0.unsigned_abs(), self.by.1.unsigned_abs()) as i32;
                for step in 1..steps {
                    let part = frame((self.by.0 / steps * step, self.by.1 / steps * step));
                    cells.extend(footprint.iter().map(|cell| cell.plus(part)));
                }
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells.shrink_to_fit();
        let n_cells = cells.len() as u64;
        body.budget.cells = body.budget.cells.checked_sub(n_cells).ok_or(SweepTooLarge::Cells(n_cells))?;
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::footprint::body_at_headings;
    use wheelbase_grid::GridShape;

    fn swept(primitive: &Primitive, cells: &[(i32, i32)], after: u8) -> Vec<(i32, i32)> {
        let mut spec = ClassSpec::new("body", 4);
        spec.footprint = cells.to_vec();
        spec.sweep = Sweep::both(SweepRule::Ends);
        let axes = Axes { shape: GridShape::Square, headings: 4 };
        let by_heading = body_at_headings(cells, None, spec.pivot, axes);
        let mut body = SweepContext::new(&spec, &by_heading);
        let cells = primitive.swept_cells(&mut body, Heading(0), Heading(after)).unwrap();
        cells.iter().map(|o| (o.dx, o.dy)).collect()
    }

    #[test]
    fn a_long_step_sweeps_its_equal_steps() {
        let sweep = |by| swept(&Primitive::step("s", by, 1), &[(0, 0)], 0);
        assert_eq!(sweep((3, 0)), [(0, 0), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(sweep((2, 1)), [(0, 0), (2, 1)]);
        assert_eq!(sweep((-2, 2)), [(0, 0), (-1, 1), (-2, 2)]);
    }

    #[test]
    fn a_turn_by_its_ends_sweeps_both_footprints() {
        let left = swept(&Primitive::turn("left", 1, 1), &[(0, 0), (-1, 0)], 1);
        assert_eq!(left, [(-1, 0), (0, 0), (0, 1)]);
    }
}
