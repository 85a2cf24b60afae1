//! Memory of the search for room for those that are to step aside, and which cells are kept free of them.

use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::Reservations;
use crate::cooperative::steps::transition_at;
use crate::motion::end_state;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{Offset, State};

/// Scratch memory: 4 bytes a cell, 4 a state.
#[derive(Debug, Default)]
pub struct Pushing {
    /// Cells to be kept clear, by stamp.
    pub avoid: Vec<u32>,
    pub avoid_stamp: u32,
    /// States seen in looking for room, by stamp.
    pub seen: Vec<u32>,
    pub seen_stamp: u32,
    /// Poses reached: state, index of the one before, primitive.
    pub reached: Vec<(State, u32, u8)>,
    /// The one that is to pass, then those displaced for it: row, and moves that lead aside in `moves`.
    pub chain: Vec<(u32, u32, u32)>,
    /// The one of the chain for which room is looked for.
    pub at: usize,
    /// Times that the poses to be looked at are doubled.
    pub doublings: u32,
    /// Room is where nobody rests; else also where one rests that can be displaced.
    pub to_free: bool,
    pub moves: Vec<u8>,
    /// Poses that may still be tried for the stretch that is to be cleared.
    pub stretch_left: u64,
}

impl Pushing {
    pub fn begin(&mut self, n_cells: usize) {
        self.avoid.resize(n_cells, 0);
        self.avoid_stamp = next_stamp(self.avoid_stamp, &mut self.avoid);
    }

    /// Marks the cells that an agent needs for the next moves of its path.
    pub fn mark_ahead(
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
                self.avoid[reservations.index(anchor, offset)] = self.avoid_stamp;
            }
            state = tables.state_after(state, primitive);
        }
    }

    pub fn is_avoided(&self, reservations: &Reservations, (anchor, cells): (CellXY, &[Offset])) -> bool {
        cells.iter().any(|&offset| self.avoid[reservations.index(anchor, offset)] == self.avoid_stamp)
    }

    /// Whether an agent stands in the way of the moves of another that it can see ahead.
    pub fn stands_in_way(
        &mut self,
        view: &TrafficView<'_>,
        table: &PlanTable,
        row: usize,
        other: usize,
    ) -> bool {
        self.begin(view.grid_size.n_cells());
        let path = view.paths.moves(view.agents.paths[row]);
        self.mark_ahead(
            view,
            &table.reservations,
            row,
            &path[..path.len().min(table.params.look_ahead_moves as usize)],
        );
        let motion = &view.agents.motion[other];
        let tables = &view.tables[motion.class.0 as usize];
        let pose = tables.space().pose(motion.state);
        self.is_avoided(&table.reservations, (pose.cell, tables.class().cells_at(pose)))
    }

    /// Whether an agent, where it stands or with its next moves, is in the way of the next moves of another.
    pub fn is_in_way(&mut self, view: &TrafficView<'_>, table: &PlanTable, other: usize, row: usize) -> bool {
        self.begin(view.grid_size.n_cells());
        let path = view.paths.moves(view.agents.paths[other]);
        self.mark_ahead(
            view,
            &table.reservations,
            other,
            &path[..path.len().min(table.params.passing_moves as usize)],
        );
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut state = motion.state;
        for &primitive in
            view.paths.moves(view.agents.paths[row]).iter().take(table.params.return_moves as usize)
        {
            let primitive = usize::from(primitive);
            if tables.move_ticks(state, primitive).is_none() {
                break;
            }
            let step = transition_at(tables, tables.space().pose(state), primitive);
            if self.is_avoided(&table.reservations, view.occupancy.needed(&step)) {
                return true;
            }
            state = tables.state_after(state, primitive);
        }
        false
    }
}

/// The next stamp; after 2^32 - 1 of them the marks are wiped and the count begins anew.
pub fn next_stamp(stamp: u32, marks: &mut [u32]) -> u32 {
    if stamp == u32::MAX {
        marks.fill(0);
        return 1;
    }
    stamp + 1
}
