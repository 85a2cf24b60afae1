//! How much memory tables, searches and what guides them take, told from class and map before any is taken.

use crate::model::movement::MovementClass;
use crate::model::pose::StateSpace;
use crate::tables::movement_tables::{later_sides_limit, most_times, word_bytes};
use wheelbase_grid::{Grid, MemoryNeed};

/// Memory of [`crate::MovementTables`] in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TablesNeed {
    /// What they keep.
    pub kept: u64,
    /// That, and what compiling them takes beside it.
    pub peak: u64,
}

/// Bytes a state of [`crate::tables::Components`] where every move can be taken back: 0.2 to 0.7 on all maps but those of
/// small sets side by side, and while they are made a label of four and, on ragged maps, up to a set for each.
const LABEL_BYTES: u64 = 1;
const LABEL_BYTES_AT_WORK: u64 = 17;
/// Bytes a state that strong components take beside it, and while they are numbered.
const STRONG_BYTES: u64 = 1;
const STRONG_BYTES_AT_WORK: u64 = 21;
/// Bytes of a class for each cell that its moves sweep: the cell and two edges, in the class and in the plan
/// that tables are compiled by.
const SWEPT_CELL_BYTES: u64 = 64;

/// What tables with their components take for a class on a map. On slopes, where the number of different
/// times is known only afterwards, as much as the widest words that the heights may need.
pub fn tables_need(grid: &Grid, class: &MovementClass) -> TablesNeed {
    let space = StateSpace::new(grid.size(), grid.shape(), class.headings());
    let (n_states, n_cells) = (space.n_states() as u64, grid.size().n_cells() as u64);
    let n_times = most_times(grid, class);
    let n_edges = if later_sides_limit(grid, class) { grid.shape().later_sides().len() as u64 } else { 0 };
    let words = word_bytes(class.primitives().len(), n_times) * n_states;
    let speed_classes = n_cells * (1 + n_edges);
    let shapes = SWEPT_CELL_BYTES * class.n_swept_cells();
    // One bit a state for poses without moves.
    let own = words + speed_classes + shapes + n_states / 8;
    let climb = &class.spec().climb;
    let one_way_slopes = grid.elevation().is_some() && (climb.max_up.is_some() || climb.max_down.is_some());
    let both_ways = class.is_reversible() && !one_way_slopes;
    let (strong, at_work) =
        if both_ways { (0, LABEL_BYTES_AT_WORK) } else { (STRONG_BYTES, STRONG_BYTES_AT_WORK) };
    TablesNeed {
        kept: own + (LABEL_BYTES + strong) * n_states,
        peak: own + (LABEL_BYTES + at_work) * n_states,
    }
}

/// What a [`crate::Scratch`] may come to take on a map: a node a state, and what is on the open list.
pub fn search_need(space: StateSpace) -> MemoryNeed {
    MemoryNeed::may_take(10 * space.n_states() as u64)
}

/// What a [`crate::fields::CostField`] takes once it is settled: a cost and a move a state, and its rim at work.
pub fn field_need(space: StateSpace) -> MemoryNeed {
    MemoryNeed::built(FIELD_BYTES * space.n_states() as u64)
}

const FIELD_BYTES: u64 = 8;
/// Bytes of a landmark a state: two distances of four bytes, and while they are widened of two.
const LANDMARK_BYTES: u64 = 12;

/// What [`crate::search::Landmarks::of`] takes for so many landmarks: their distances, and two fields at work.
pub fn landmarks_need(space: StateSpace, n: usize) -> MemoryNeed {
    if n == 0 {
        return MemoryNeed::default();
    }
    MemoryNeed::built((LANDMARK_BYTES * n as u64 + 2 * FIELD_BYTES) * space.n_states() as u64)
}
