//! Ways around: whether a narrow region of a map can be left out at a short detour.
//!
//! A region is a bottleneck if agents must pass it. The way around it, from one of its mouths to another, is longer
//! than `detour_cells`, or it is a dead end. Only bottlenecks are worth turns, queues and no-stopping ground. In a
//! street with another one beside it, these cost more than the meetings that they prevent.

use wheelbase_grid::{BitGrid, CellXY, GridShape, GridSize, Rect};

/// Scratch memory of the search: 2 bits per cell.
#[derive(Clone, Debug)]
pub(crate) struct WayAround {
    /// Cells of the region, and cells that the search has reached.
    reached: BitGrid,
    /// Free cells next to the region, as a set and as a list.
    is_mouth: BitGrid,
    mouths: Vec<CellXY>,
    queue: Vec<CellXY>,
}

impl WayAround {
    /// For a map of a size.
    pub(crate) fn new(size: GridSize) -> Self {
        let bits = || BitGrid::new(size);
        Self { reached: bits(), is_mouth: bits(), mouths: Vec::new(), queue: Vec::new() }
    }

    /// Whether a region has several mouths and a short way from one to another. A mouth is a set of free cells next to
    /// the region that touch, if only at corners. The way is short if all cells of mouths are within `steps_max` steps
    /// of the first one, over free cells outside the region. Linear in the cells of the region and the cells within
    /// these steps.
    pub(crate) fn is_short(
        &mut self,
        (free, shape): (&BitGrid, GridShape),
        region: &[CellXY],
        steps_max: u32,
    ) -> bool {
        let Self { reached, is_mouth, mouths, queue } = self;
        let around = |cell: CellXY| shape.sides().iter().map(move |&side| shape.neighbour(cell, side));
        region.iter().for_each(|&cell| reached.set(cell, true));
        mouths.clear();
        for cell in region.iter().flat_map(|&cell| around(cell)) {
            if free.get(cell) && !reached.get(cell) && !is_mouth.get(cell) {
                is_mouth.set(cell, true);
                mouths.push(cell);
            }
        }
        queue.clear();
        queue.extend(mouths.iter().min_by_key(|cell| (cell.y, cell.x)));
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
                        n_left -= usize::from(is_mouth.get(cell));
                    }
                }
            }
            (next, steps) = (end, steps + 1);
        }
        region.iter().chain(&*queue).for_each(|&cell| reached.set(cell, false));
        let are_several = self.take_mouth() < self.mouths.len();
        self.mouths.iter().for_each(|&cell| self.is_mouth.set(cell, false));
        n_left == 0 && are_several
    }

    /// Removes the mouth of the first of `mouths` from the set. Returns the number of its cells.
    fn take_mouth(&mut self) -> usize {
        let Self { is_mouth, mouths, queue, .. } = self;
        queue.clear();
        queue.extend(mouths.first());
        queue.iter().for_each(|&cell| is_mouth.set(cell, false));
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            for cell in Rect::of_cell(cell).grown(1, is_mouth.size()).cells() {
                if is_mouth.get(cell) {
                    is_mouth.set(cell, false);
                    queue.push(cell);
                }
            }
        }
        queue.len()
    }
}
