//! Streams: which way agents have moved over each cell of late, so that opposite streams can be kept apart.
//!
//! Each move is counted on the cells that its agent comes to cover, by the way it goes, and old moves are
//! forgotten by and by.

use crate::directions::direction_to;
use crate::hash::fold;
use wheelbase_grid::{CellXY, GridShape, GridSize};

/// What a body counts that comes upon a cell; no cell counts more than sixteen of them.
pub const BODY: u8 = 16;
/// At every so many ticks what was counted on a cell fades by a twelfth, so that it is halved after
/// about 512.
pub const FADE_TICKS: u32 = 64;
const FADE: u8 = 12;

/// The streams. Memory: 4 bytes a cell of a square map, 6 of a hexagonal one.
#[derive(Debug)]
pub struct DirectionalFlow {
    size: GridSize,
    shape: GridShape,
    n_directions: usize,
    /// By cell and way, that is by the side beyond which a move leads.
    counts: Vec<u8>,
    /// Rows of the map on which something is counted.
    in_use: Vec<bool>,
    /// Hash of all that was ever counted, in order: the streams follow from it.
    counted_so_far: u64,
}

impl DirectionalFlow {
    /// Nobody has moved yet.
    pub fn new(size: GridSize, shape: GridShape) -> Self {
        let n_directions = shape.sides().len();
        Self {
            size,
            shape,
            n_directions,
            counts: vec![0; size.n_cells() * n_directions],
            in_use: vec![false; size.height() as usize],
            counted_so_far: 0,
        }
    }

    /// Counts a move that brings an anchor from one cell to another, and the body upon `cells`.
    pub fn count(&mut self, from: CellXY, to: CellXY, cells: impl Iterator<Item = CellXY>) {
        let Some(direction) = direction_to(self.shape, from, to) else { return };
        let at = |cell: CellXY| cell.y as usize * self.size.width() as usize + cell.x as usize;
        self.counted_so_far = fold(self.counted_so_far, (at(to) * self.n_directions + direction) as u64);
        for cell in cells {
            let count = &mut self.counts[at(cell) * self.n_directions + direction];
            *count = count.saturating_add(BODY);
            self.in_use[cell.y as usize] = true;
        }
    }

    /// A tick is over: what was counted fades, in some rows of the map at each tick.
    pub fn fade(&mut self, tick: u32) {
        let length = self.size.width() as usize * self.n_directions;
        let rows = self.counts.chunks_exact_mut(length).zip(&mut self.in_use);
        let due = rows.skip((tick % FADE_TICKS) as usize).step_by(FADE_TICKS as usize);
        for (row, in_use) in due.filter(|(_, in_use)| **in_use) {
            row.iter_mut().for_each(|count| *count -= count.div_ceil(FADE));
            *in_use = row.iter().any(|&count| count > 0);
        }
    }

    /// What is counted on a cell, by its index, of moves one way, that is beyond the side of that number in
    /// [`GridShape::sides`]: 16 for a body that has just come, 255 at most, less as time goes by.
    /// # Panics
    /// If there is no such cell; of a number that is no side the answer means nothing.
    #[inline]
    pub fn at(&self, cell: usize, direction: usize) -> u32 {
        u32::from(self.counts[cell * self.n_directions + direction])
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.counted_so_far);
    }
}

#[cfg(test)]
mod tests;
