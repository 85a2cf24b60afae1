//! Dijkstra's search over the poses of one region of the map.

use crate::model::{Heading, Pose, State};
use crate::open_list::{BUCKETS_MAX, BucketQueue, HeapQueue, OpenList};
use crate::tables::MovementTables;
use wheelbase_grid::{CellXY, Rect};

/// A cost that no path has.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Whether a search follows moves or goes against them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    /// Costs from the sources.
    Moves,
    /// Costs to the sources.
    Against,
}

/// Memory of a search in one region, reused by the next.
#[derive(Debug)]
pub(crate) struct ClusterSearch {
    region: Rect,
    headings: u32,
    /// Cost of each pose of the region, cell by cell and heading by heading.
    costs: Vec<u32>,
    buckets: BucketQueue,
    heap: HeapQueue,
}

impl Default for ClusterSearch {
    fn default() -> Self {
        Self {
            region: Rect::new(0, 0, 0, 0),
            headings: 0,
            costs: Vec::new(),
            buckets: BucketQueue::default(),
            heap: HeapQueue::default(),
        }
    }
}

impl ClusterSearch {
    /// Computes the cost of each pose of a region from, or to, the nearest of some poses, over poses of the region alone.
    /// Linear in its poses and moves.
    pub(crate) fn run(
        &mut self,
        tables: &MovementTables,
        region: Rect,
        along: Along,
        sources: impl Iterator<Item = Pose>,
    ) {
        let headings = u32::from(tables.space().headings());
        (self.region, self.headings) = (region, headings);
        self.costs.clear();
        self.costs.resize((region.n_cells() * u64::from(headings)) as usize, UNREACHED);
        let Self { costs, buckets, heap, .. } = self;
        let area = Area { tables, region, headings, along };
        let range = tables.max_ticks();
        if range < BUCKETS_MAX {
            buckets.reset(range, 0);
            area.spread(costs, buckets, sources);
        } else {
            heap.reset();
            area.spread(costs, heap, sources);
        }
    }

    /// The least cost of the poses of a cell; [`UNREACHED`] outside the region and for a cell that no path reaches.
    pub(crate) fn cost_of_cell(&self, cell: CellXY) -> u32 {
        if !self.region.contains(cell) {
            return UNREACHED;
        }
        let first = index_in(self.region, self.headings, Pose { cell, heading: Heading(0) });
        let costs = &self.costs[first..first + self.headings as usize];
        costs.iter().copied().min().unwrap_or(UNREACHED)
    }

    /// The cost of a pose; [`UNREACHED`] as for a cell.
    pub(crate) fn cost_of_pose(&self, pose: Pose) -> u32 {
        if self.region.contains(pose.cell) {
            self.costs[index_in(self.region, self.headings, pose)]
        } else {
            UNREACHED
        }
    }
}

/// Index of a pose in a region that contains it.
fn index_in(region: Rect, headings: u32, pose: Pose) -> usize {
    let (x, y) = ((pose.cell.x - region.x) as u32, (pose.cell.y - region.y) as u32);
    ((y * region.width + x) * headings + u32::from(pose.heading.0)) as usize
}

/// The poses of a region and their moves.
struct Area<'a> {
    tables: &'a MovementTables,
    region: Rect,
    headings: u32,
    along: Along,
}

impl Area<'_> {
    fn spread(&self, costs: &mut [u32], open: &mut impl OpenList, sources: impl Iterator<Item = Pose>) {
        let space = self.tables.space();
        for pose in sources.filter(|pose| self.region.contains(pose.cell)) {
            let Some(state) = space.state(pose).filter(|&state| self.tables.is_legal(state)) else {
                continue;
            };
            costs[index_in(self.region, self.headings, pose)] = 0;
            open.push(0, state.0);
        }
        while let Some((cost, state)) = open.pop() {
            let (state, cost) = (State(state), cost as u32);
            if cost > costs[index_in(self.region, self.headings, space.pose(state))] {
                continue;
            }
            let found = |other: crate::tables::Successor| {
                let pose = space.pose(other.state);
                let sum = cost.saturating_add(other.ticks);
                if self.region.contains(pose.cell) {
                    let known = &mut costs[index_in(self.region, self.headings, pose)];
                    if sum < *known {
                        *known = sum;
                        open.push(u64::from(sum), other.state.0);
                    }
                }
            };
            match self.along {
                Along::Moves => self.tables.for_each_successor(state, found),
                Along::Against => self.tables.for_each_predecessor(state, found),
            }
        }
    }
}
