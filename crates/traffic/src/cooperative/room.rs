//! Memory of the search for room for those that are to step aside, and which cells are kept free of them.

use crate::cooperative::claims::Claims;
use crate::cooperative::steps::step_at;
use crate::motion::end_state;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::{Offset, State};

/// Moves ahead of an agent that one stepping aside keeps clear of: tried one after the other.
pub const AHEAD_MOVES: [usize; 3] = [32, 8, 2];

/// Poses looked at for one agent that is to step aside, and for one stretch. Who has found no room looks at
/// twice as many the next time, up to so many doublings.
pub const POSES_MAX: usize = 800;

pub const POSES_OF_STRETCH_MAX: u64 = 4000;

pub const DOUBLINGS_MAX: u8 = 3;

/// Agents displaced for one at most.
pub const CHAIN_MAX: usize = 48;

/// An agent backs out for the one that it blocks after it has found so many times in a row that the other has
/// no room; and then it pushes nobody a short way for the time of so many moves.
pub const BACK_OUT_AFTER_FAILURES: u8 = 2;

pub const BACKED_OUT_MOVES: u32 = 96;

/// The ground before the mouths of busy passages is looked over once in so many ticks; one for which there
/// is no room beside it is asked again after the time of so many moves.
pub const CLEAR_MOUTHS_TICKS: u32 = 5;

pub const CLEAR_AGAIN_MOVES: u32 = 10;

/// Scratch memory: 4 bytes a cell, 4 a state.
#[derive(Debug, Default)]
pub struct MakeWay {
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
    pub doublings: u8,
    /// Room is where nobody rests; else also where one rests that can be displaced.
    pub to_free: bool,
    pub moves: Vec<u8>,
    /// Poses that may still be tried for the stretch that is to be cleared.
    pub stretch_left: u64,
}

impl MakeWay {
    pub fn begin(&mut self, n_cells: usize) {
        self.avoid.resize(n_cells, 0);
        self.avoid_stamp = next_stamp(self.avoid_stamp, &mut self.avoid);
    }

    /// Marks the cells that an agent needs for the next moves of its path.
    pub fn mark_ahead(&mut self, view: &TrafficView<'_>, claims: &Claims, row: usize, moves: &[u8]) {
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut state = end_state(tables, motion);
        for &primitive in moves {
            let primitive = usize::from(primitive);
            if tables.move_ticks(state, primitive).is_none() {
                return;
            }
            let step = step_at(tables, tables.space().pose(state), primitive);
            let (anchor, cells) = view.occupancy.needed(&step);
            for &offset in cells {
                self.avoid[claims.index(anchor, offset)] = self.avoid_stamp;
            }
            state = tables.state_after(state, primitive);
        }
    }

    pub fn is_avoided(&self, claims: &Claims, (anchor, cells): (CellXY, &[Offset])) -> bool {
        cells.iter().any(|&offset| self.avoid[claims.index(anchor, offset)] == self.avoid_stamp)
    }

    /// Whether an agent stands in the way of the moves of another that it can see ahead.
    pub fn stands_in_way(
        &mut self,
        view: &TrafficView<'_>,
        claims: &Claims,
        row: usize,
        other: usize,
    ) -> bool {
        self.begin(view.grid_size.n_cells());
        let path = view.paths.moves(view.agents.paths[row]);
        self.mark_ahead(view, claims, row, &path[..path.len().min(super::ahead::AHEAD_MOVES)]);
        let motion = &view.agents.motion[other];
        let tables = &view.tables[motion.class.0 as usize];
        let pose = tables.space().pose(motion.state);
        self.is_avoided(claims, (pose.cell, tables.class().cells_at(pose)))
    }

    /// Whether an agent, where it stands or with its next moves, is in the way of the next moves of another.
    pub fn is_in_way(&mut self, view: &TrafficView<'_>, claims: &Claims, other: usize, row: usize) -> bool {
        self.begin(view.grid_size.n_cells());
        let path = view.paths.moves(view.agents.paths[other]);
        self.mark_ahead(view, claims, other, &path[..path.len().min(super::params::PASSING_MOVES)]);
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let mut state = motion.state;
        for &primitive in view.paths.moves(view.agents.paths[row]).iter().take(super::RETURN_MOVES) {
            let primitive = usize::from(primitive);
            if tables.move_ticks(state, primitive).is_none() {
                break;
            }
            let step = step_at(tables, tables.space().pose(state), primitive);
            if self.is_avoided(claims, view.occupancy.needed(&step)) {
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
