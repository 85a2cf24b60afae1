//! The cells that an agent needs for its next moves, and whether another agent is in their way.

use crate::cooperative::fixed::{LOOK_AHEAD_MOVES, PASSING_MOVES, RETURN_MOVES};
use crate::cooperative::moves::transition_at;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::Reservations;
use crate::motion::end_state;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_grid::EpochMarks;
use wheelbase_planner::model::Offset;

/// A set of cells, by index. Scratch memory: 4 bytes per cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathCells {
    cells: EpochMarks,
}

impl PathCells {
    /// No cells, of a map of `n_cells`.
    pub(crate) fn reset(&mut self, n_cells: usize) {
        self.cells.begin(n_cells);
    }

    /// Adds a cell. Returns whether it is new.
    pub(crate) fn insert(&mut self, cell: usize) -> bool {
        self.cells.insert(cell)
    }

    /// Removes a cell.
    pub(crate) fn remove(&mut self, cell: usize) {
        self.cells.remove(cell);
    }

    /// Adds the cells that an agent needs for moves from the end of its move in progress on, up to the first illegal
    /// one.
    pub(crate) fn add_moves(
        &mut self,
        view: &TrafficView<'_>,
        reservations: &Reservations,
        row: usize,
        moves: &[u8],
    ) {
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut state = end_state(tables, motion);
        for &primitive in moves {
            let primitive = usize::from(primitive);
            if tables.move_ticks(state, primitive).is_none() {
                return;
            }
            let step = transition_at(tables, tables.space().pose(state), primitive);
            let (anchor, cells) = view.occupancy.needed(&step);
            for &offset in cells {
                self.cells.insert(reservations.index(anchor, offset));
            }
            state = tables.state_after(state, primitive);
        }
    }

    /// Whether one of the cells, given from an anchor, is in the set.
    pub(crate) fn meets(&self, reservations: &Reservations, (anchor, cells): (CellXY, &[Offset])) -> bool {
        cells.iter().any(|&offset| self.cells.contains(reservations.index(anchor, offset)))
    }
}

/// Whether an agent rests on a cell that the agent in `row` needs for its next moves.
pub(crate) fn rests_on_path(
    path_cells: &mut PathCells,
    (view, table): (&TrafficView<'_>, &PlanTable),
    other: usize,
    row: usize,
) -> bool {
    add_path(path_cells, (view, table), row, LOOK_AHEAD_MOVES);
    let motion = &view.agents.motion[other];
    let tables = &view.tables[motion.class.0 as usize];
    let pose = tables.space().pose(motion.state);
    path_cells.meets(&table.reservations, (pose.cell, tables.class().cells_at(pose)))
}

/// Whether the next moves of an agent need a cell that the agent in `row` needs for its own.
pub(crate) fn moves_onto_path(
    path_cells: &mut PathCells,
    (view, table): (&TrafficView<'_>, &PlanTable),
    other: usize,
    row: usize,
) -> bool {
    add_path(path_cells, (view, table), row, PASSING_MOVES);
    let motion = &view.agents.motion[other];
    let tables = &view.tables[motion.class.0 as usize];
    let path = view.paths.moves(view.agents.paths[other]);
    let mut state = motion.state;
    for &primitive in path.iter().take(RETURN_MOVES as usize) {
        let primitive = usize::from(primitive);
        if tables.move_ticks(state, primitive).is_none() {
            return false;
        }
        let step = transition_at(tables, tables.space().pose(state), primitive);
        if path_cells.meets(&table.reservations, view.occupancy.needed(&step)) {
            return true;
        }
        state = tables.state_after(state, primitive);
    }
    false
}

/// Makes it the set of the cells of an agent's next moves.
fn add_path(
    path_cells: &mut PathCells,
    (view, table): (&TrafficView<'_>, &PlanTable),
    row: usize,
    moves_max: u32,
) {
    path_cells.reset(view.grid_size.n_cells());
    let path = view.paths.moves(view.agents.paths[row]);
    path_cells.add_moves(view, &table.reservations, row, &path[..path.len().min(moves_max as usize)]);
}
