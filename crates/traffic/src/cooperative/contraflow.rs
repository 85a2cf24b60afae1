//! Contraflow costs: a move against the directional flow counts as longer in the cost-to-go, so that lanes form where
//! there is room for them. After Guided PIBT (Chen et al., AAAI 2024), whose edge costs grow with contraflow.

use crate::directions::{axis_and_direction, opposite, product, to_side, vector};
use crate::flow::DirectionalFlow;
use crate::params::TrafficParams;
use wheelbase_grid::GridShape;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::{Frame, Offset, State, StateSpace};

/// Where the flow is read for a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Direction of the move, and the opposite one; [`STAYS`] if it only turns.
    pub(crate) direction: u8,
    pub(crate) opposite: u8,
    /// Indices of the cells, relative to that of the start anchor.
    pub(crate) cells: [i32; 3],
}

/// The probes of a class.
#[derive(Clone, Debug)]
pub(crate) struct Probes {
    pub(crate) space: StateSpace,
    pub(crate) n_primitives: usize,
    /// By frame, then by primitive.
    pub(crate) of_move: Vec<Probe>,
}

impl Probes {
    /// The probe of a primitive from a frame.
    #[inline]
    pub(crate) fn at(&self, frame: Frame, primitive: usize) -> &Probe {
        &self.of_move[usize::from(frame.0) * self.n_primitives + primitive]
    }
}

/// The contraflow costs of all classes.
#[derive(Clone, Debug)]
pub(crate) struct Contraflow {
    /// By class.
    pub(crate) probes: Vec<Probes>,
    pub(crate) params: TrafficParams,
}

/// Direction of a move that only turns.
pub(crate) const STAYS: u8 = u8::MAX;

impl Contraflow {
    /// For some classes.
    pub(crate) fn new<'a>(classes: impl Iterator<Item = &'a MovementTables>, params: TrafficParams) -> Self {
        Self { probes: classes.map(probes_of).collect(), params }
    }

    /// Ticks by which a legal move of `ticks` from a state counts as longer because it goes against the flow.
    #[inline]
    pub(crate) fn extra(
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
        // The cells of a legal move lie on the map.
        let anchor = from.0 / u32::from(probes.space.headings());
        let count = |direction: u8| -> u32 {
            let cells = probe.cells.iter().map(|&offset| anchor.wrapping_add_signed(offset) as usize);
            cells.map(|cell| flow.at(cell, usize::from(direction))).sum()
        };
        let against = count(probe.opposite);
        // In most cells there was no flow the other way.
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

/// The probes of a class: for each move its direction, and three cells under the body at its end, the anchor and the
/// outermost ones to either side.
pub(crate) fn probes_of(tables: &MovementTables) -> Probes {
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
            // To the right of the axis. On hexagonal maps that lies between two sides.
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
