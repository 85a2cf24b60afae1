//! Directional flow: how many agents have recently moved over each cell in each direction.
//!
//! Each move is counted, by its direction, on the cells that the body comes to cover. Counts fade gradually. Rules
//! use the flow to keep opposite directions apart (contraflow costs).

use crate::clone_fields::clone_fields;
use crate::directions::direction_to;
use crate::hash::fold;
use crate::params::TrafficParams;
use wheelbase_grid::{CellXY, GridShape, GridSize};

/// Counts of moves by cell and direction. Memory: 4 bytes a cell of a square map, 6 of a hexagonal one.
#[derive(Debug)]
pub struct DirectionalFlow {
    size: GridSize,
    shape: GridShape,
    params: TrafficParams,
    /// What is left of each count when it fades: a division for each count and tick costs 1 % of a run.
    faded: [u8; 256],
    n_directions: usize,
    /// By cell, then by direction.
    counts: Vec<u8>,
    /// Rows of the map with a count above 0.
    in_use: Vec<bool>,
    /// Hash of all moves counted so far, in order. The counts follow from them.
    counted_so_far: u64,
}

clone_fields!(DirectionalFlow { size, shape, params, faded, n_directions, counts, in_use, counted_so_far });

impl DirectionalFlow {
    /// A map on which no agent has moved.
    pub fn new(size: GridSize, shape: GridShape, params: TrafficParams) -> Self {
        let n_directions = shape.sides().len();
        let parts = params.flow_fade_parts as u8;
        Self {
            size,
            shape,
            params,
            faded: std::array::from_fn(|count| count as u8 - (count as u8).div_ceil(parts)),
            n_directions,
            counts: vec![0; size.n_cells() * n_directions],
            in_use: vec![false; size.height() as usize],
            counted_so_far: 0,
        }
    }

    /// Counts a move of an anchor from one cell to another, on the `cells` that the body then covers.
    pub fn count(&mut self, from: CellXY, to: CellXY, cells: impl Iterator<Item = CellXY>) {
        let Some(direction) = direction_to(self.shape, from, to) else { return };
        let at = |cell: CellXY| cell.y as usize * self.size.width() as usize + cell.x as usize;
        self.counted_so_far = fold(self.counted_so_far, (at(to) * self.n_directions + direction) as u64);
        for cell in cells {
            let count = &mut self.counts[at(cell) * self.n_directions + direction];
            *count = count.saturating_add(self.params.flow_body as u8);
            self.in_use[cell.y as usize] = true;
        }
    }

    /// Ends a tick: counts fade, in some rows of the map at each tick.
    pub fn fade(&mut self, tick: u32) {
        let length = self.size.width() as usize * self.n_directions;
        let rows = self.counts.chunks_exact_mut(length).zip(&mut self.in_use);
        let ticks = self.params.flow_fade_ticks;
        let due = rows.skip((tick % ticks) as usize).step_by(ticks as usize);
        for (row, in_use) in due.filter(|(_, in_use)| **in_use) {
            row.iter_mut().for_each(|count| *count = self.faded[usize::from(*count)]);
            *in_use = row.iter().any(|&count| count > 0);
        }
    }

    /// The count of a cell, by index, in a direction, the number of a side in [`GridShape::sides`]: `flow_body` for a
    /// body that has just come, 255 at most, fading with time. # Panics If there is no such cell. For a direction
    /// that does not exist the answer has no meaning.
    #[inline]
    pub fn at(&self, cell: usize, direction: usize) -> u32 {
        u32::from(self.counts[cell * self.n_directions + direction])
    }

    /// All counts, by cell, then by direction, and the hash of all moves counted so far: what
    /// [`DirectionalFlow::restore`] takes.
    pub fn counts(&self) -> (&[u8], u64) {
        (&self.counts, self.counted_so_far)
    }

    /// Takes over the counts of another flow of the same map. Returns `false`, and changes nothing, if their number is
    /// not that of this map. Linear in the cells.
    pub fn restore(&mut self, counts: &[u8], counted_so_far: u64) -> bool {
        if counts.len() != self.counts.len() {
            return false;
        }
        self.counts.copy_from_slice(counts);
        self.counted_so_far = counted_so_far;
        let length = self.size.width() as usize * self.n_directions;
        for (row, in_use) in self.counts.chunks_exact(length).zip(&mut self.in_use) {
            *in_use = row.iter().any(|&count| count > 0);
        }
        true
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.counted_so_far);
    }
}

#[cfg(test)]
mod tests;
