//! Ways around: whether a narrow region of a map can be left out at a short detour.
//!
//! A region is a bottleneck if agents must pass it: the way around it, from one of its mouths to another, is longer than
//! `detour_cells`, or it is a dead end. Only bottlenecks are worth turns, queues and keep-clear ground. In a street with
//! another one beside it, these cost more than the meetings that they prevent.

use crate::free_cells::grown;
use wheelbase_grid::{BitGrid, CellXY, GridShape, GridSize, Rect};

/// Scratch memory of the search: a bit a cell.
#[derive(Clone, Debug)]
pub(crate) struct WayAround {
    /// Cells of the region, and those that the search has reached.
    reached: BitGrid,
    queue: Vec<CellXY>,
    /// Free cells next to the region, by row and column.
    mouths: Vec<CellXY>,
}

impl WayAround {
    /// For a map of a size.
    pub(crate) fn new(size: GridSize) -> Self {
        Self { reached: BitGrid::new(size), queue: Vec::new(), mouths: Vec::new() }
    }

    /// Whether a region has more than one mouth, and each free cell next to it can be reached from the first of them,
    /// within so many steps over free cells outside the region. A mouth is a set of such cells that touch, if only at
    /// corners. Linear in the cells of the region and within the steps.
    pub(crate) fn is_short(
        &mut self,
        (free, shape): (&BitGrid, GridShape),
        region: &[CellXY],
        steps_max: u32,
    ) -> bool {
        let Self { reached, queue, mouths } = self;
        let around = |cell: CellXY| shape.sides().iter().map(move |&side| shape.neighbour(cell, side));
        region.iter().for_each(|&cell| reached.set(cell, true));
        mouths.clear();
        mouths.extend(region.iter().flat_map(|&cell| around(cell)));
        mouths.retain(|&cell| free.get(cell) && !reached.get(cell));
        let by_row = |cell: &CellXY| (cell.y, cell.x);
        mouths.sort_unstable_by_key(by_row);
        mouths.dedup();
        queue.clear();
        queue.extend(mouths.first());
        queue.iter().for_each(|&cell| reached.set(cell, true));
        let mut n_left = mouths.len() - queue.len();
        let (mut next, mut steps) = (0, 0);
        while n_left > 0 && next < queue.len() && steps < steps_max {
            // The cells at a distance of `steps`.
            let end = queue.len();
            for at in next..end {
                for cell in around(queue[at]) {
                    if free.get(cell) && !reached.get(cell) {
                        reached.set(cell, true);
                        queue.push(cell);
                        n_left -= usize::from(mouths.binary_search_by_key(&by_row(&cell), by_row).is_ok());
                    }
                }
            }
            (next, steps) = (end, steps + 1);
        }
        region.iter().chain(&*queue).for_each(|&cell| reached.set(cell, false));
        n_left == 0 && self.are_several_mouths()
    }

    /// Whether the cells of `mouths` are more than one mouth.
    fn are_several_mouths(&mut self) -> bool {
        let Self { reached, queue, mouths } = self;
        mouths.iter().for_each(|&cell| reached.set(cell, true));
        queue.clear();
        queue.extend(mouths.first());
        queue.iter().for_each(|&cell| reached.set(cell, false));
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            for cell in grown(Rect::new(cell.x, cell.y, 1, 1), 1, reached.size()).cells() {
                if reached.get(cell) {
                    reached.set(cell, false);
                    queue.push(cell);
                }
            }
        }
        mouths.iter().for_each(|&cell| reached.set(cell, false));
        queue.len() < mouths.len()
    }
}
