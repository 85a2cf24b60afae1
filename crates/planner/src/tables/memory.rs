//! Memory estimates of tables, searches and guides, computed from class and map before allocation.

use crate::model::movement::MovementClass;
use crate::model::pose::StateSpace;
use crate::tables::movement_tables::{edges_limit, max_times, word_bytes};
use wheelbase_grid::{Grid, MemoryNeed};

/// Memory of [`crate::MovementTables`], in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TablesNeed {
    /// Retained after compilation.
    pub kept: u64,
    /// Peak during compilation.
    pub peak: u64,
}

/// Bytes per state of [`crate::tables::Components`] for reversible moves: 0.2 to 0.7 on all maps without small
/// interleaved sets. While they are made: a label of four bytes and, on ragged maps, up to one set per state.
const LABEL_BYTES: u64 = 1;
const LABEL_BYTES_AT_WORK: u64 = 17;
/// Additional bytes per state for strong components, and while they are computed.
const STRONG_BYTES: u64 = 1;
const STRONG_BYTES_AT_WORK: u64 = 21;
/// Bytes of a class per swept cell: the cell and two edges, both in the class and in its compilation plan.
const SWEPT_CELL_BYTES: u64 = 64;

/// Memory of tables and components for a class on a map. On slopes, where the number of distinct times is not
/// known in advance, the widest words that the heights may need are assumed.
pub fn tables_need(grid: &Grid, class: &MovementClass) -> TablesNeed {
    let space = StateSpace::new(grid.size(), grid.shape(), class.headings());
    let (n_states, n_cells) = (space.n_states() as u64, grid.size().n_cells() as u64);
    let n_times = max_times(grid, class);
    let n_edges = if edges_limit(grid, class) { grid.shape().later_sides().len() as u64 } else { 0 };
    let words = word_bytes(class.primitives().len(), n_times) * n_states;
    let speed_classes = n_cells * (1 + n_edges);
    let shapes = SWEPT_CELL_BYTES * class.n_swept_cells();
    // A bit per state for isolated poses.
    let own = words + speed_classes + shapes + n_states / 8;
    let climb = &class.spec().climb;
    let one_way_slopes = grid.elevation().is_some() && (climb.max_up.is_some() || climb.max_down.is_some());
    let reversible = class.is_reversible() && !one_way_slopes;
    let (strong, at_work) =
        if reversible { (0, LABEL_BYTES_AT_WORK) } else { (STRONG_BYTES, STRONG_BYTES_AT_WORK) };
    TablesNeed {
        kept: own + (LABEL_BYTES + strong) * n_states,
        peak: own + (LABEL_BYTES + at_work) * n_states,
    }
}

/// Maximum memory of a [`crate::Scratch`] on a map: a node per state, and the open list.
pub fn search_need(space: StateSpace) -> MemoryNeed {
    MemoryNeed::on_demand(10 * space.n_states() as u64)
}

/// Memory of a fully settled [`crate::fields::CostField`]: a cost and a move per state, and its frontier.
pub fn field_need(space: StateSpace) -> MemoryNeed {
    MemoryNeed::built((field_bytes(space.n_states(), 0) + FRONTIER_BYTES * space.n_states()) as u64)
}

/// Bytes of a settled [`crate::fields::CostField`]: a cost and a move per state, and the states of its goal. The
/// frontier while it is settled is not included.
pub const fn field_bytes(n_states: usize, n_goal_poses: usize) -> usize {
    5 * n_states + 4 * n_goal_poses
}

/// Bytes per state of a field's frontier while it is settled.
const FRONTIER_BYTES: usize = 3;
/// Bytes of a landmark per state: two distances of four bytes, plus two bytes while they are widened.
const LANDMARK_BYTES: u64 = 12;

/// Memory of [`crate::search::Landmarks::of`] for `n` landmarks: their distances, and two fields while they are
/// made.
pub fn landmarks_need(space: StateSpace, n: usize) -> MemoryNeed {
    if n == 0 {
        return MemoryNeed::default();
    }
    let fields = field_need(space).built * 2;
    MemoryNeed::built(LANDMARK_BYTES * n as u64 * space.n_states() as u64 + fields)
}
