//! Planned flow: how many planned moves lead over each cell in each direction, so that paths avoid each other before
//! anybody waits.
//!
//! The next moves of every path are counted, by direction, on the cells onto which they bring the body. Each period
//! counts all agents once, a few of them each tick; readers see the last complete count. (Guide paths by the flow of
//! all planned ones: Chen et al., AAAI 2024.)

use super::directions::direction_to;
use crate::agents::Agents;
use crate::plain;
use crate::replan_params::ReplanParams;
use serde::{Deserialize, Serialize};
use wheelbase_grid::{CellXY, GridShape, GridSize};
use wheelbase_planner::MovementTables;
use wheelbase_traffic::hash::fold;
use wheelbase_traffic::motion::end_state;

/// Ticks at the start of a period that clear the memory of the next count; less than any period.
const CLEAR_TICKS: u32 = 8;

/// The planned flow. Memory: 8 bytes per cell of a square map, 12 of a hexagonal one.
#[derive(Clone, Debug)]
pub(super) struct PlannedFlow {
    params: ReplanParams,
    size: GridSize,
    shape: GridShape,
    n_directions: usize,
    pub counts: FlowCounts,
}

/// The counts of a planned flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FlowCounts {
    /// By cell and direction, that is, the side that a move crosses: the last complete count, and the one in progress.
    #[serde(with = "plain::bytes")]
    complete: Vec<u8>,
    #[serde(with = "plain::bytes")]
    next: Vec<u8>,
    /// Hash of all moves ever counted, in order.
    counted_so_far: u64,
}

impl FlowCounts {
    /// Whether they are of the map of others.
    pub fn fits(&self, other: &Self) -> bool {
        (self.complete.len(), self.next.len()) == (other.complete.len(), other.next.len())
    }
}

impl PlannedFlow {
    pub fn new(size: GridSize, shape: GridShape, params: ReplanParams) -> Self {
        let n_directions = shape.sides().len();
        let none = || vec![0; size.n_cells() * n_directions];
        let counts = FlowCounts { complete: none(), next: none(), counted_so_far: 0 };
        Self { params, size, shape, n_directions, counts }
    }

    /// At the end of a tick: counts the next few agents.
    pub fn renew(&mut self, tick: u32, agents: &Agents, tables: &[MovementTables]) {
        let ReplanParams { planned_period_ticks, planned_moves, planned_ticks, .. } = self.params;
        let part = |of: usize, number: u32, parts: u32| of * number as usize / parts as usize;
        let now = tick % planned_period_ticks;
        let Some(number) = now.checked_sub(CLEAR_TICKS) else {
            let length = self.counts.next.len();
            self.counts.next[part(length, now, CLEAR_TICKS)..part(length, now + 1, CLEAR_TICKS)].fill(0);
            return;
        };
        let parts = planned_period_ticks - CLEAR_TICKS;
        // A single agent is in nobody's way.
        let rows = if agents.len() > 1 { agents.len() } else { 0 };
        for row in part(rows, number, parts)..part(rows, number + 1, parts) {
            let motion = &agents.motion[row];
            let tables = &tables[usize::from(motion.class.0)];
            let mut state = end_state(tables, motion);
            let mut left = planned_ticks;
            for &primitive in agents.moves(row).iter().take(planned_moves as usize) {
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
        if now + 1 == planned_period_ticks {
            self.publish();
        }
    }

    /// Counts a planned move that brings an anchor from one cell to another, and the body onto `cells`.
    pub(super) fn count(&mut self, from: CellXY, to: CellXY, cells: impl Iterator<Item = CellXY>) {
        let Some(direction) = direction_to(self.shape, from, to) else { return };
        let width = self.size.width() as usize;
        let at = |cell: CellXY| cell.y as usize * width + cell.x as usize;
        let Self { counts: FlowCounts { next, counted_so_far, .. }, n_directions, .. } = self;
        *counted_so_far = fold(*counted_so_far, (at(to) * *n_directions + direction) as u64);
        for cell in cells {
            let count = &mut next[at(cell) * *n_directions + direction];
            *count = count.saturating_add(1);
        }
    }

    /// Completes the count in progress: readers see it from now on.
    pub(super) fn publish(&mut self) {
        std::mem::swap(&mut self.counts.complete, &mut self.counts.next);
    }

    /// Planned moves, by direction, that bring a body onto a cell, given by its index. A body counts once for each of
    /// its moves that cover the cell; 255 at most.
    /// # Panics
    /// If there is no such cell.
    #[inline]
    pub fn at(&self, cell: usize) -> &[u8] {
        &self.counts.complete[cell * self.n_directions..][..self.n_directions]
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.counts.counted_so_far);
    }
}

#[cfg(test)]
mod tests;
