//! Memory of the search for room for a robot that has waited longest.

/// Memory of the search for room.
#[derive(Debug, Default)]
pub(super) struct Push {
    /// The cell from which the search came to each cell, `[n_cells]`; valid where `seen` is the present
    /// stamp.
    pub(super) came_from: Vec<u32>,
    pub(super) seen: Vec<u32>,
    /// Whether a cell is on the way of the robot: the stamp.
    pub(super) on_way: Vec<u32>,
    pub(super) queue: Vec<u32>,
    /// Who moves, and the heading of the step.
    pub(super) moves: Vec<(u32, u8)>,
    pub(super) stamp: u32,
}

impl Push {
    pub(super) fn begin(&mut self, n_cells: usize) {
        if self.seen.len() != n_cells || self.stamp == u32::MAX {
            self.stamp = 0;
            for marks in [&mut self.came_from, &mut self.seen, &mut self.on_way] {
                marks.clear();
                marks.resize(n_cells, 0);
            }
            self.queue.reserve(n_cells);
            self.moves.reserve(n_cells);
        }
        self.stamp += 1;
        self.queue.clear();
        self.moves.clear();
    }
}
