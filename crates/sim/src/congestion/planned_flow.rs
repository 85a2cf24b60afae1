//! Planned streams: which way agents mean to go over each cell, so that others can keep clear of them before
//! anybody waits.
//!
//! The next moves of every path are counted on the cells that they bring the body upon, by the way they go.
//! All is counted anew again and again, some agents at each tick; what is read is the last count that is
//! whole (guide paths by the flow of all planned ones: Chen et al., AAAI 2024).

use crate::agents::Agents;
use wheelbase_grid::{CellXY, GridShape, GridSize};
use wheelbase_planner::MovementTables;
use wheelbase_traffic::directions::direction_to;
use wheelbase_traffic::hash::fold;
use wheelbase_traffic::motion::end_state;
use wheelbase_traffic::path_pool::PathPool;

/// All is counted once in so many ticks. Every 16 ticks gained nothing more on bases, every 128 cost 2 % of
/// the tasks.
pub(super) const PERIOD_TICKS: u32 = 64;
/// Of these, the memory of the count before the last is wiped in so many.
const WIPE_TICKS: u32 = 8;
/// Moves of a path that count, and ticks that they take, at most: behind that much will have changed.
const MOVES_MAX: usize = 128;
const TICKS_MAX: u32 = 1024;

/// The planned streams. Memory: 8 bytes a cell of a square map, 12 of a hexagonal one.
#[derive(Debug)]
pub(super) struct PlannedFlow {
    size: GridSize,
    shape: GridShape,
    n_ways: usize,
    /// By cell and way, that is by the side beyond which a move leads: what is read, and what is counted now.
    counts: Vec<u8>,
    next: Vec<u8>,
    /// Hash of all that was ever counted, in order.
    counted_so_far: u64,
}

impl PlannedFlow {
    pub fn new(size: GridSize, shape: GridShape) -> Self {
        let n_ways = shape.sides().len();
        let none = || vec![0; size.n_cells() * n_ways];
        Self { size, shape, n_ways, counts: none(), next: none(), counted_so_far: 0 }
    }

    /// A tick is over: counts the next few agents.
    pub fn renew(&mut self, tick: u32, agents: &Agents, tables: &[MovementTables], paths: &PathPool) {
        let part = |of: usize, number: u32, parts: u32| of * number as usize / parts as usize;
        let now = tick % PERIOD_TICKS;
        let Some(number) = now.checked_sub(WIPE_TICKS) else {
            let length = self.next.len();
            self.next[part(length, now, WIPE_TICKS)..part(length, now + 1, WIPE_TICKS)].fill(0);
            return;
        };
        let parts = PERIOD_TICKS - WIPE_TICKS;
        // One that is alone keeps out of nobody's way.
        let rows = if agents.len() > 1 { agents.len() } else { 0 };
        for row in part(rows, number, parts)..part(rows, number + 1, parts) {
            let motion = &agents.motion[row];
            let tables = &tables[usize::from(motion.class.0)];
            let mut state = end_state(tables, motion);
            let mut left = TICKS_MAX;
            for &primitive in paths.moves(agents.paths[row]).iter().take(MOVES_MAX) {
                let ticks = tables.move_ticks(state, usize::from(primitive));
                let Some(rest) = ticks.and_then(|ticks| left.checked_sub(ticks)) else { break };
                let from = tables.space().pose(state).cell;
                state = tables.state_after(state, usize::from(primitive));
                left = rest;
                let to = tables.space().pose(state);
                let body = tables.class().cells_at(to).iter().map(|offset| offset.cell_from(to.cell));
                self.count(from, to.cell, body);
            }
        }
        if now + 1 == PERIOD_TICKS {
            self.publish();
        }
    }

    /// Counts a move that is to bring an anchor from one cell to another, and the body upon `cells`.
    pub(super) fn count(&mut self, from: CellXY, to: CellXY, cells: impl Iterator<Item = CellXY>) {
        let Some(way) = direction_to(self.shape, from, to) else { return };
        let at = |cell: CellXY| cell.y as usize * self.size.width() as usize + cell.x as usize;
        self.counted_so_far = fold(self.counted_so_far, (at(to) * self.n_ways + way) as u64);
        for cell in cells {
            let count = &mut self.next[at(cell) * self.n_ways + way];
            *count = count.saturating_add(1);
        }
    }

    /// What was counted is read from now on.
    pub(super) fn publish(&mut self) {
        std::mem::swap(&mut self.counts, &mut self.next);
    }

    /// Moves by way that are to bring a body upon a cell, by its index: a body counts once for each of its
    /// moves with which it covers the cell; 255 at most.
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn at(&self, cell: usize) -> &[u8] {
        &self.counts[cell * self.n_ways..][..self.n_ways]
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.counted_so_far);
    }
}

#[cfg(test)]
mod tests;
