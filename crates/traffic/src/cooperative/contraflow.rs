//! Contraflow: a move against the stream counts as dearer when a field is made, so that lanes form where
//! there is room for them (as in Guided PIBT: Chen et al., AAAI 2024, whose costs grow with contraflow too).

use crate::directions::{axis_and_direction, opposite, product, to_side, vector};
use crate::flow::DirectionalFlow;
use crate::params::TrafficParams;
use wheelbase_grid::GridShape;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::{Frame, Offset, State, StateSpace};

/// What a move is held against.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The way that it goes, and the opposite one; [`STAYS`] if it goes none.
    pub direction: u8,
    pub opposite: u8,
    /// Cells by their indices, less that of the anchor's at the start.
    pub cells: [i32; 3],
}

/// What the moves of a class are held against.
#[derive(Debug)]
pub struct Probes {
    pub space: StateSpace,
    pub n_primitives: usize,
    /// By frame and primitive.
    pub of_move: Vec<Probe>,
}

impl Probes {
    #[inline]
    pub fn at(&self, frame: Frame, primitive: usize) -> &Probe {
        &self.of_move[usize::from(frame.0) * self.n_primitives + primitive]
    }
}

/// What the moves of all classes are held against.
#[derive(Debug)]
pub struct Contraflow {
    /// By class.
    pub probes: Vec<Probes>,
    pub params: TrafficParams,
}

/// The way of a move that only turns.
pub const STAYS: u8 = u8::MAX;

impl Contraflow {
    pub fn new<'a>(classes: impl Iterator<Item = &'a MovementTables>, params: TrafficParams) -> Self {
        Self { probes: classes.map(probes_of).collect(), params }
    }

    /// By how much a legal move from a state that takes so many ticks counts as longer, for it goes against
    /// the stream.
    #[inline]
    pub fn extra(
        &self,
        flow: &DirectionalFlow,
        class: usize,
        from: State,
        primitive: usize,
        ticks: u32,
    ) -> u64 {
        let probes = &self.probes[class];
        let probe = probes.at(probes.space.frame_of(from), primitive);
        if probe.direction == STAYS {
            return 0;
        }
        // What is looked at lies on the map where the move is legal.
        let anchor = from.0 / u32::from(probes.space.headings());
        let count = |direction: u8| -> u32 {
            let cells = probe.cells.iter().map(|&offset| anchor.wrapping_add_signed(offset) as usize);
            cells.map(|cell| flow.at(cell, usize::from(direction))).sum()
        };
        let against = count(probe.opposite);
        // Where nobody came the other way, as in most places, there is no stream to go against.
        if against == 0 {
            return 0;
        }
        let with = count(probe.direction);
        let lead = against.saturating_sub(with);
        if lead == 0 {
            return 0;
        }
        u64::from(ticks)
            * u64::from(
                self.params.contraflow_weight * lead / (with + against + self.params.contraflow_still),
            )
            / 4
    }
}

/// What the moves of a class are held against: the way of each, and the cells under the body's end that are
/// looked at for it, the anchor and the two farthest to the sides.
pub fn probes_of(tables: &MovementTables) -> Probes {
    let (class, space) = (tables.class(), tables.space());
    let shape = space.shape();
    let mut of_move = Vec::new();
    for frame in class.frames() {
        for primitive in 0..class.primitives().len() {
            let move_shape = class.shape(frame, primitive);
            let step = vector(shape, frame.0 / class.headings(), move_shape.step);
            let Some((axis, direction)) = axis_and_direction(shape, step) else {
                of_move.push(Probe { direction: STAYS, opposite: STAYS, cells: [0; 3] });
                continue;
            };
            // To the right of the axis: of hexagons no side lies there, but one on either hand.
            let right = match shape {
                GridShape::Square => to_side(shape, axis + 3),
                GridShape::Hex => {
                    let (one, other) = (to_side(shape, axis + 4), to_side(shape, axis + 5));
                    std::array::from_fn(|at| one[at] + other[at])
                }
            };
            let body = class.footprint().at(move_shape.frame_after);
            let parity = move_shape.frame_after.0 / class.headings();
            let across = |cell: &&Offset| product(right, vector(shape, parity, **cell));
            let least = body.iter().min_by_key(across).copied().unwrap_or(Offset::new(0, 0));
            let most = body.iter().max_by_key(across).copied().unwrap_or(Offset::new(0, 0));
            let width = space.size().width() as i32;
            let at = |cell: Offset| (move_shape.step.dy + cell.dy) * width + move_shape.step.dx + cell.dx;
            let opposite = opposite(shape, usize::from(direction)) as u8;
            of_move.push(Probe { direction, opposite, cells: [at(Offset::new(0, 0)), at(least), at(most)] });
        }
    }
    Probes { space, n_primitives: class.primitives().len(), of_move }
}
