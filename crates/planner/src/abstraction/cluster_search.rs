//! Dijkstra's search over the poses of one region of the map.

use crate::model::{Heading, Pose, State};
use crate::open_list::{BUCKETS_MAX, BucketQueue, HeapQueue, OpenList};
use crate::tables::MovementTables;
use wheelbase_grid::{CellXY, GridShape, Rect};

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
    places: Places,
    /// Cost by place.
    costs: Vec<u32>,
    sources: Vec<Pose>,
    /// Bits of the cells that the search is for, until it has reached them.
    targets: Vec<u64>,
    steps: Vec<Step>,
    buckets: BucketQueue,
    heap: HeapQueue,
}

impl Default for ClusterSearch {
    fn default() -> Self {
        Self {
            places: Places { region: Rect::new(0, 0, 0, 0), width_bits: 0, heading_bits: 0 },
            costs: Vec::new(),
            sources: Vec::new(),
            targets: Vec::new(),
            steps: Vec::new(),
            buckets: BucketQueue::default(),
            heap: HeapQueue::default(),
        }
    }
}

/// Places of the poses of a region in an array: bits of row, column and heading, so that none needs a division.
#[derive(Clone, Copy, Debug)]
struct Places {
    region: Rect,
    width_bits: u32,
    heading_bits: u32,
}

impl Places {
    fn of(region: Rect, headings: u8) -> Self {
        let bits = |n: u32| n.next_power_of_two().trailing_zeros();
        Self { region, width_bits: bits(region.width), heading_bits: bits(headings.into()) }
    }

    fn len(self) -> usize {
        self.n_cells() << self.heading_bits
    }

    fn n_cells(self) -> usize {
        (self.region.height as usize) << self.width_bits
    }

    /// Place of a pose of the region.
    fn at(self, pose: Pose) -> usize {
        let (x, y) = ((pose.cell.x - self.region.x) as usize, (pose.cell.y - self.region.y) as usize);
        (y << self.width_bits | x) << self.heading_bits | usize::from(pose.heading.0)
    }

    fn pose(self, place: usize) -> Pose {
        let (cell, heading) = (place >> self.heading_bits, place & ((1 << self.heading_bits) - 1));
        let (x, y) = (cell & ((1 << self.width_bits) - 1), cell >> self.width_bits);
        Pose::new(self.region.x + x as i32, self.region.y + y as i32, Heading(heading as u8))
    }
}

/// A move of the class from, or against the moves to, one heading and parity of row.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Heading and parity of the row at the end that the search reaches first.
    frame: u8,
    primitive: u8,
    /// Heading at the other end.
    heading: u8,
    dx: i32,
    dy: i32,
}

impl ClusterSearch {
    /// Computes the cost of each pose of a region from, or to, the nearest of some poses, over poses of the region alone. Ends
    /// as soon as it knows the costs of some cells. Returns the number of poses that it has taken off the open list, at most
    /// all of the region.
    pub(crate) fn run(
        &mut self,
        tables: &MovementTables,
        (region, along): (Rect, Along),
        sources: impl Iterator<Item = Pose>,
        targets: impl Iterator<Item = CellXY>,
    ) -> u64 {
        let places = Places::of(region, tables.space().headings());
        self.places = places;
        self.costs.clear();
        self.costs.resize(places.len(), UNREACHED);
        self.targets.clear();
        self.targets.resize(places.n_cells().div_ceil(64), 0);
        let mut n_targets = 0;
        for cell in targets.filter(|&cell| region.contains(cell)) {
            let at = places.at(Pose { cell, heading: Heading(0) }) >> places.heading_bits;
            n_targets += u32::from(self.targets[at / 64] >> (at % 64) & 1 == 0);
            self.targets[at / 64] |= 1 << (at % 64);
        }
        self.sources.clear();
        self.sources.extend(sources);
        self.find_steps(tables, along);
        self.spread(tables, along, n_targets)
    }

    /// Runs the search with the open list that the costs of the class call for.
    fn spread(&mut self, tables: &MovementTables, along: Along, n_targets: u32) -> u64 {
        let Self { places, costs, sources, targets, steps, buckets, heap } = self;
        let places = *places;
        let area = Area { tables, places, along, steps };
        let range = tables.max_ticks();
        if range < BUCKETS_MAX {
            buckets.reset(range, 0);
            area.spread(costs, buckets, sources, (targets, n_targets))
        } else {
            heap.reset();
            area.spread(costs, heap, sources, (targets, n_targets))
        }
    }

    /// The moves of the class, by frame.
    fn find_steps(&mut self, tables: &MovementTables, along: Along) {
        let space = tables.space();
        let headings = space.headings();
        self.steps.clear();
        for frame in 0..space.n_frames() {
            for primitive in 0..tables.class().primitives().len() {
                let (dx, dy, after) = tables.move_delta(frame, primitive);
                let (primitive, heading) = (primitive as u8, frame % headings);
                let step = match along {
                    Along::Moves => Step { frame, primitive, heading: after, dx, dy },
                    Along::Against => {
                        let parity = match space.shape() {
                            GridShape::Square => 0,
                            GridShape::Hex => (frame / headings) ^ (dy & 1) as u8,
                        };
                        Step { frame: parity * headings + after, primitive, heading, dx: -dx, dy: -dy }
                    }
                };
                let at = self.steps.partition_point(|other| other.frame <= step.frame);
                self.steps.insert(at, step);
            }
        }
    }

    /// The least cost of the poses of a cell; [`UNREACHED`] outside the region and for a cell that no path reaches.
    pub(crate) fn cost_of_cell(&self, cell: CellXY) -> u32 {
        if !self.places.region.contains(cell) {
            return UNREACHED;
        }
        let first = self.places.at(Pose { cell, heading: Heading(0) });
        let costs = &self.costs[first..first + (1 << self.places.heading_bits)];
        costs.iter().copied().min().unwrap_or(UNREACHED)
    }

    /// The cost of a pose; [`UNREACHED`] as for a cell.
    pub(crate) fn cost_of_pose(&self, pose: Pose) -> u32 {
        if self.places.region.contains(pose.cell) { self.costs[self.places.at(pose)] } else { UNREACHED }
    }
}

/// The poses of a region and their moves.
struct Area<'a> {
    tables: &'a MovementTables,
    places: Places,
    along: Along,
    steps: &'a [Step],
}

impl Area<'_> {
    fn spread(
        &self,
        costs: &mut [u32],
        open: &mut impl OpenList,
        sources: &[Pose],
        (targets, mut n_targets): (&mut [u64], u32),
    ) -> u64 {
        let (tables, places, space) = (self.tables, self.places, self.tables.space());
        let region = places.region;
        let is_source = |pose: &&Pose| region.contains(pose.cell) && tables.is_legal_pose(**pose);
        for &pose in sources.iter().filter(is_source) {
            costs[places.at(pose)] = 0;
            open.push(0, places.at(pose) as u32);
        }
        // The steps of a frame, from where they begin.
        let mut first_of = [self.steps.len(); 17];
        for (at, step) in self.steps.iter().enumerate().rev() {
            first_of[usize::from(step.frame)] = at;
        }
        for frame in (0..16).rev() {
            first_of[frame] = first_of[frame].min(first_of[frame + 1]);
        }
        let (width, headings) = (space.size().width(), u32::from(space.headings()));
        let state_of = |pose: Pose| {
            State((pose.cell.y as u32 * width + pose.cell.x as u32) * headings + u32::from(pose.heading.0))
        };
        let mut n_settled = 0;
        while let Some((cost, place)) = open.pop() {
            let (place, cost) = (place as usize, cost as u32);
            if cost > costs[place] {
                continue;
            }
            n_settled += 1;
            let cell = place >> places.heading_bits;
            if targets[cell / 64] >> (cell % 64) & 1 == 1 {
                targets[cell / 64] &= !(1 << (cell % 64));
                n_targets -= 1;
                if n_targets == 0 {
                    break;
                }
            }
            let pose = places.pose(place);
            let (state, frame) = (state_of(pose), usize::from(space.frame(pose).0));
            for step in &self.steps[first_of[frame]..first_of[frame + 1]] {
                let to = CellXY::new(pose.cell.x + step.dx, pose.cell.y + step.dy);
                if !region.contains(to) {
                    continue;
                }
                let other = Pose { cell: to, heading: Heading(step.heading) };
                let from = match self.along {
                    Along::Moves => state,
                    Along::Against => state_of(other),
                };
                let Some(ticks) = tables.move_ticks(from, usize::from(step.primitive)) else { continue };
                let sum = cost.saturating_add(ticks);
                let known = &mut costs[places.at(other)];
                if sum < *known {
                    *known = sum;
                    open.push(u64::from(sum), places.at(other) as u32);
                }
            }
        }
        n_settled
    }
}
