//! Motion primitives: the moves an agent can make.

use crate::footprint::{Axes, Offset, Pivot, quarters};
use crate::geometry::{SweepBudget, SweepTooLarge, cells_of_translation, cells_of_turn};
use crate::movement::ClassSpec;
use crate::pose::Heading;

/// Most primitives a class may have.
pub const PRIMITIVES_MAX: usize = 16;
/// Farthest that one primitive may move the anchor along one axis, in cells.
pub const DISPLACEMENT_MAX: i32 = 255;
/// Most cells that the moves of a class may sweep, summed over all its moves and headings. Each takes 32 to 64
/// bytes, and compiling the class reads each at every anchor at which the move has room on the map.
pub const SWEPT_CELLS_MAX: u64 = 1 << 22;
/// Most looks at a cell beside a square of the body that working out the turns of a class may take.
pub(crate) const SWEEP_LOOKS_MAX: u64 = 1 << 27;
/// Longest base time of a primitive, in ticks.
pub const TIME_MAX: u32 = 65_535;

/// From which headings a primitive can start, with 8 headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum When {
    /// From all.
    #[default]
    Any,
    /// From E, N, W and S.
    Straight,
    /// From NE, NW, SW and SE. Its displacement and swept cells are given in map axes `(east, south)`
    /// while facing NE, and turn with the heading by quarter turns.
    Diagonal,
}

impl When {
    /// Whether it holds at a heading.
    pub fn holds(self, heading: Heading) -> bool {
        match self {
            Self::Any => true,
            Self::Straight => heading.0.is_multiple_of(2),
            Self::Diagonal => !heading.0.is_multiple_of(2),
        }
    }

    /// Whether both can hold at one heading.
    pub(crate) fn meets(self, other: Self) -> bool {
        self == Self::Any || other == Self::Any || self == other
    }
}

/// Which cells a move touches (DESIGN 2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SweepRule {
    /// The footprints at both ends, and at each of the equal steps between.
    #[default]
    Ends,
    /// Every cell whose open square the moving body touches.
    Full,
}

/// The rule for displacements and the rule for turns. A primitive that does both is swept as `ends`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sweep {
    /// Of primitives that move.
    pub moves: SweepRule,
    /// Of primitives that turn.
    pub turns: SweepRule,
}

impl Sweep {
    /// One rule for both.
    pub const fn both(rule: SweepRule) -> Self {
        Self { moves: rule, turns: rule }
    }
}

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
    /// heading gives it in map axes `(east, south)`, on hexagonal maps `(east, south-east)`.
    pub by: (i32, i32),
    /// Heading steps, positive counter-clockwise (left); less than the number of headings.
    pub turn: i32,
    /// Base time in ticks at speed 1000, 1 to 65,535.
    pub time: u32,
    /// Further swept cells, offsets from the start anchor in the start frame. A primitive that both moves
    /// and turns must list them, if only an empty list, where a rule of the class is `full`.
    pub swept: Option<Vec<(i32, i32)>>,
    /// From which headings it can start; with 8 headings one that moves or lists swept cells must say
    /// `Straight` or `Diagonal`, with fewer it is `Any`.
    pub when: When,
}

impl Primitive {
    /// A displacement by `(forward, right)` cells that keeps the heading.
    pub fn step(name: &str, by: (i32, i32), time: u32) -> Self {
        Self { name: name.to_owned(), by, turn: 0, time, swept: None, when: When::Any }
    }

    /// A turn by so many heading steps, positive to the left, about the pivot.
    pub fn turn(name: &str, turn: i32, time: u32) -> Self {
        Self { name: name.to_owned(), by: (0, 0), turn, time, swept: None, when: When::Any }
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

    /// Steps to the six neighbours, named `E` `NE` `NW` `W` `SW` `SE`, for a class without facing on
    /// hexagonal maps.
    pub fn six_ways(time: u32) -> Vec<Self> {
        let ways = [
            ("E", (1, 0)),
            ("NE", (1, -1)),
            ("NW", (0, -1)),
            ("W", (-1, 0)),
            ("SW", (-1, 1)),
            ("SE", (0, 1)),
        ];
        ways.into_iter().map(|(name, by)| Self::step(name, by, time)).collect()
    }

    /// Every cell the move touches from a heading, as lattice offsets from the start anchor, sorted.
    /// # Errors
    /// [`SweepTooLarge`] if they are more than the body's budget has left; else they are taken off it.
    pub(crate) fn swept_cells(
        &self,
        body: &mut Body<'_>,
        heading: Heading,
        after: Heading,
    ) -> Result<Vec<Offset>, SweepTooLarge> {
        let frame = |by| body.axes.lattice(by, heading.0);
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

/// What of a class decides which cells its moves sweep.
pub(crate) struct Body<'a> {
    /// The east-facing cells as given.
    pub cells: &'a [(i32, i32)],
    /// Lattice offsets of the body at each heading.
    pub by_heading: &'a [Vec<Offset>],
    pub pivot: Pivot,
    pub sweep: Sweep,
    pub axes: Axes,
    /// What its moves may still sweep.
    pub budget: SweepBudget,
    /// Cells of the turns worked out so far, by heading within the first quarter and by turn.
    turns: Vec<((u8, i32), Vec<Offset>)>,
}

impl<'a> Body<'a> {
    /// The body of a class of which no move has been looked at.
    pub fn new(spec: &'a ClassSpec, by_heading: &'a [Vec<Offset>]) -> Self {
        Self {
            cells: &spec.footprint,
            by_heading,
            pivot: spec.pivot,
            sweep: spec.sweep,
            axes: Axes { shape: spec.shape, headings: spec.headings },
            budget: SweepBudget { cells: SWEPT_CELLS_MAX, looks: SWEEP_LOOKS_MAX },
            turns: Vec::new(),
        }
    }

    /// Adds the cells that it touches as it turns by `turn` steps from a heading.
    fn add_turn(
        &mut self,
        cells: &mut Vec<Offset>,
        heading: Heading,
        turn: i32,
    ) -> Result<(), SweepTooLarge> {
        let headings = self.axes.headings;
        let key = (heading.0 % (headings / 4), turn);
        let known = self.turns.iter().position(|(known, _)| *known == key);
        let at = match known {
            Some(at) => at,
            None => {
                let turned =
                    cells_of_turn(self.cells, self.pivot, (key.0, turn, headings), &mut self.budget)?;
                self.turns.push((key, turned));
                self.turns.len() - 1
            }
        };
        let quarters = quarters(heading.0, headings);
        cells.extend(self.turns[at].1.iter().map(|&cell| self.pivot.turn(cell, quarters)));
        Ok(())
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::body_at_headings;
    use wheelbase_grid::GridShape;

    fn swept(primitive: &Primitive, cells: &[(i32, i32)], after: u8) -> Vec<(i32, i32)> {
        let mut spec = ClassSpec::new("body", 4);
        spec.footprint = cells.to_vec();
        let axes = Axes { shape: GridShape::Square, headings: 4 };
        let by_heading = body_at_headings(cells, None, spec.pivot, axes);
        let mut body = Body::new(&spec, &by_heading);
        let cells = primitive.swept_cells(&mut body, Heading(0), Heading(after)).unwrap();
        cells.iter().map(|o| (o.dx, o.dy)).collect()
    }

    #[test]
    fn a_long_step_sweeps_what_lies_between() {
        let sweep = |by| swept(&Primitive::step("s", by, 1), &[(0, 0)], 0);
        assert_eq!(sweep((3, 0)), [(0, 0), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(sweep((2, 1)), [(0, 0), (2, 1)]);
        assert_eq!(sweep((-2, 2)), [(0, 0), (-1, 1), (-2, 2)]);
    }

    #[test]
    fn a_turn_sweeps_both_footprints() {
        let left = swept(&Primitive::turn("left", 1, 1), &[(0, 0), (-1, 0)], 1);
        assert_eq!(left, [(-1, 0), (0, 0), (0, 1)]);
    }
}
