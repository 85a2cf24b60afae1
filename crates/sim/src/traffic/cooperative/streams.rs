//! Streams: which way agents have moved over each cell of late, so that opposite streams keep apart.
//!
//! Each move is counted on the cells that its agent comes to cover, by the way it goes, and old moves are
//! forgotten by and by. A move against the stream counts as dearer when a field is made, so that lanes form where
//! there is room for them (as in Guided PIBT: Chen et al., AAAI 2024, whose costs grow with contraflow too).

use super::step_at;
use crate::state_hash::fold;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::{Frame, MovementTables, Offset, State};

/// Ticks after which what was counted counts half.
const HALF_LIFE_TICKS: u32 = 128;
/// What one move counts.
const MOVE: u16 = 64;
/// Moves that no stream is made of.
const STILL: u32 = 48;
/// A move against a stream that is all one way counts as so many times as long, less one, in quarters.
const WEIGHT_QUARTERS: u32 = 10;

/// What was counted on a cell: ways east, north, west and south, and when that was brought up to date.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    ways: [u16; 4],
    at: u32,
}

/// The streams. Memory: 12 bytes a cell.
#[derive(Debug)]
pub(super) struct Streams {
    size: GridSize,
    counted: Vec<Counted>,
    /// By class: the cells that a move is held against, by primitive and frame; the way that the move goes.
    probes: Vec<Vec<(u8, [Offset; 3])>>,
    n_primitives: Vec<usize>,
    /// Hash of all that was ever counted, in order: the streams follow from it.
    counted_so_far: u64,
}

/// The way of a displacement; `STAYS` for none.
fn way_of(step: Offset) -> u8 {
    match (step.dx, step.dy) {
        (0, 0) => STAYS,
        (dx, dy) if dx.abs() >= dy.abs() => {
            if dx > 0 {
                0
            } else {
                2
            }
        }
        (_, dy) => {
            if dy < 0 {
                1
            } else {
                3
            }
        }
    }
}

const STAYS: u8 = u8::MAX;

impl Streams {
    pub fn new<'a>(size: GridSize, classes: impl Iterator<Item = &'a MovementTables> + Clone) -> Self {
        Self {
            size,
            counted: vec![Counted::default(); size.n_cells()],
            probes: classes.clone().map(probes_of).collect(),
            n_primitives: classes.map(|tables| tables.class().primitives().len()).collect(),
            counted_so_far: 0,
        }
    }

    /// Counts a move.
    pub fn count(&mut self, tables: &MovementTables, state: State, primitive: usize, tick: u32) {
        let step = step_at(tables, tables.space().pose(state), primitive);
        let way = way_of(step.class.shape_at(step.pose, primitive).step);
        if way == STAYS {
            return;
        }
        let (anchor, cells) = step.end();
        let counted = u64::from(state.0) << 32 ^ u64::from(tick) << 4 ^ primitive as u64;
        self.counted_so_far = fold(self.counted_so_far, counted);
        for &offset in cells {
            let at = (anchor.y + offset.dy) as usize * self.size.width() as usize
                + (anchor.x + offset.dx) as usize;
            let counted = &mut self.counted[at];
            counted.ways = now(counted, tick);
            counted.at = tick;
            let count = &mut counted.ways[usize::from(way)];
            *count = count.saturating_add(MOVE);
        }
    }

    /// By how much a move that takes so many ticks counts as longer, for it goes against the stream. The move is
    /// given by the frame and the cell in which it begins.
    #[inline]
    pub fn extra(
        &self,
        class: usize,
        (frame, cell): (Frame, CellXY),
        primitive: usize,
        ticks: u32,
        tick: u32,
    ) -> u64 {
        let (way, probes) = &self.probes[class][usize::from(frame.0) * self.n_primitives[class] + primitive];
        if *way == STAYS {
            return 0;
        }
        let (mut with, mut against) = (0_u32, 0_u32);
        for probe in probes {
            let xy = CellXY::new(cell.x + probe.dx, cell.y + probe.dy);
            let Some(cell) = self.size.cell(xy) else { continue };
            let ways = now(&self.counted[cell.0 as usize], tick);
            with += u32::from(ways[usize::from(*way)]);
            against += u32::from(ways[usize::from(*way ^ 2)]);
        }
        let lead = against.saturating_sub(with);
        if lead == 0 {
            return 0;
        }
        u64::from(ticks) * u64::from(WEIGHT_QUARTERS * lead / (with + against + STILL)) / 4
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.counted_so_far);
    }
}

/// What was counted, as much as it counts at a tick.
fn now(counted: &Counted, tick: u32) -> [u16; 4] {
    let halvings = (tick / HALF_LIFE_TICKS - counted.at / HALF_LIFE_TICKS).min(15);
    counted.ways.map(|count| count >> halvings)
}

/// The ways of a class's moves, and the cells under the body's end, from the anchor at the start, that are looked
/// at for each: the anchor and the two farthest to the sides.
fn probes_of(tables: &MovementTables) -> Vec<(u8, [Offset; 3])> {
    let class = tables.class();
    let mut probes = Vec::new();
    for frame in class.frames() {
        for primitive in 0..class.primitives().len() {
            let shape = class.shape(frame, primitive);
            let way = way_of(shape.step);
            let body = class.footprint().at(shape.frame_after);
            let across = |cell: &&Offset| if way.is_multiple_of(2) { cell.dy } else { cell.dx };
            let least = body.iter().min_by_key(across).copied().unwrap_or(Offset::new(0, 0));
            let most = body.iter().max_by_key(across).copied().unwrap_or(Offset::new(0, 0));
            let at = |cell: Offset| Offset::new(shape.step.dx + cell.dx, shape.step.dy + cell.dy);
            probes.push((way, [at(Offset::new(0, 0)), at(least), at(most)]));
        }
    }
    probes
}
