//! Dijkstra's search over the poses of one region of the map.

use crate::model::{Heading, Pose, State};
use crate::open_list::{BUCKETS_MAX, BucketQueue, HeapQueue, OpenList};
use crate::tables::MovementTables;
use wheelbase_grid::{CellXY, GridShape, Rect};

/// A cost that no path has.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Bit of a mark: the search is for the cell. The other bits are the frame.
const IS_TARGET: u8 = 1 << 7;

/// Whether a search follows moves or goes against them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    /// Costs from the sources.
    Moves,
    /// Costs to the sources.
    Against,
}

/// The moves of one region in small arrays, and the memory of searches over them.
///
/// [`ClusterSearch::enter`] reads the moves of a region, for any number of searches by [`ClusterSearch::run`].
#[derive(Debug)]
pub(crate) struct ClusterSearch {
    places: Places,
    /// Frame of each place, and whether the search is for its cell and has not reached it.
    marks: Vec<u8>,
    /// Moves of a frame, at most.
    stride: usize,
    /// `[frame][primitive]`.
    steps: Vec<Step>,
    /// `[frame][move]`: places from one end of a move to the other.
    deltas: Vec<i32>,
    /// `[place][move]`: ticks of a move; [`UNREACHED`] if it is not legal or leaves the region.
    ticks: Vec<u32>,
    /// Cost by place.
    costs: Vec<u32>,
    /// Places of the sources.
    sources: Vec<u32>,
    /// Greatest time of a move.
    range: u64,
    buckets: BucketQueue,
    heap: HeapQueue,
}

impl Default for ClusterSearch {
    fn default() -> Self {
        Self {
            places: Places { region: Rect::new(0, 0, 0, 0), headings: 1 },
            marks: Vec::new(),
            stride: 0,
            steps: Vec::new(),
            deltas: Vec::new(),
            ticks: Vec::new(),
            costs: Vec::new(),
            sources: Vec::new(),
            range: 0,
            buckets: BucketQueue::default(),
            heap: HeapQueue::default(),
        }
    }
}

/// Places of the poses of a region in an array, `[row][column][heading]`.
#[derive(Clone, Copy, Debug)]
struct Places {
    region: Rect,
    headings: u32,
}

impl Places {
    fn len(self) -> usize {
        self.region.height as usize * self.region.width as usize * self.headings as usize
    }

    /// Place of the first heading of a cell of the region.
    fn of_cell(self, cell: CellXY) -> usize {
        let (x, y) = ((cell.x - self.region.x) as u32, (cell.y - self.region.y) as u32);
        ((y * self.region.width + x) * self.headings) as usize
    }

    /// Place of a pose of the region.
    fn at(self, pose: Pose) -> usize {
        self.of_cell(pose.cell) + usize::from(pose.heading.0)
    }
}

/// A primitive in a frame, as a search follows it.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    dx: i32,
    dy: i32,
    heading_after: u8,
    /// Its number among the moves of the frame at the end that the search reaches first.
    number: usize,
}

impl ClusterSearch {
    /// Reads the moves of a region. `along` is the direction of the searches that follow.
    pub(crate) fn enter(&mut self, tables: &MovementTables, region: Rect, along: Along) {
        let (space, class) = (tables.space(), tables.class());
        let (headings, n_frames) = (space.headings(), space.n_frames());
        self.places = Places { region, headings: headings.into() };
        self.range = tables.max_ticks();
        let places = self.places;
        let n_primitives = class.primitives().len();
        let frame_after = |frame: u8, step: &Step| {
            let parity = match space.shape() {
                GridShape::Square => 0,
                GridShape::Hex => (frame / headings) ^ (step.dy & 1) as u8,
            };
            usize::from(parity * headings + step.heading_after)
        };
        // The moves of each frame, by the end that comes first.
        let mut counts = [0; 32];
        let steps = &mut self.steps;
        steps.clear();
        steps.resize(usize::from(n_frames) * n_primitives, Step::default());
        for frame in 0..n_frames {
            for primitive in 0..n_primitives {
                let (dx, dy, heading_after) = tables.move_delta(frame, primitive);
                let mut step = Step { dx, dy, heading_after, number: 0 };
                let first = match along {
                    Along::Moves => usize::from(frame),
                    Along::Against => frame_after(frame, &step),
                };
                step.number = counts[first];
                counts[first] += 1;
                steps[usize::from(frame) * n_primitives + primitive] = step;
            }
        }
        self.stride = counts.into_iter().max().unwrap_or(0);
        self.deltas.clear();
        self.deltas.resize(usize::from(n_frames) * self.stride, 0);
        for frame in 0..n_frames {
            for step in &steps[usize::from(frame) * n_primitives..][..n_primitives] {
                let turn = i32::from(step.heading_after) - i32::from(frame % headings);
                let delta = (step.dy * region.width as i32 + step.dx) * i32::from(headings) + turn;
                let (first, delta) = match along {
                    Along::Moves => (usize::from(frame), delta),
                    Along::Against => (frame_after(frame, step), -delta),
                };
                self.deltas[first * self.stride + step.number] = delta;
            }
        }
        self.marks.clear();
        self.ticks.clear();
        self.ticks.resize(places.len() * self.stride, UNREACHED);
        let (right, bottom) = (region.x + region.width as i32, region.y + region.height as i32);
        for y in region.y..bottom {
            for x in region.x..right {
                let cell = CellXY::new(x, y);
                let first = places.of_cell(cell);
                let pose = Pose { cell, heading: Heading(0) };
                let first_frame = space.frame(pose).0;
                self.marks.extend(first_frame..first_frame + headings);
                let Some(State(state)) = space.state(pose) else { continue };
                for heading in 0..headings {
                    let frame = usize::from(first_frame + heading);
                    let of_frame = &steps[frame * n_primitives..][..n_primitives];
                    tables.for_each_successor(State(state + u32::from(heading)), |next| {
                        let step = &of_frame[usize::from(next.primitive)];
                        let to = CellXY::new(x + step.dx, y + step.dy);
                        if region.contains(to) {
                            let place = match along {
                                Along::Moves => first + usize::from(heading),
                                Along::Against => places.of_cell(to) + usize::from(step.heading_after),
                            };
                            self.ticks[place * self.stride + step.number] = next.ticks;
                        }
                    });
                }
            }
        }
    }

    /// Computes the cost of each pose of the region from, or to, the nearest of some poses, over poses of the region
    /// alone. Ends as soon as it knows the costs of some cells. Returns the number of poses that it has taken off the
    /// open list, at most all of the region.
    pub(crate) fn run(
        &mut self,
        tables: &MovementTables,
        sources: impl Iterator<Item = Pose>,
        targets: impl Iterator<Item = CellXY>,
    ) -> u64 {
        let places = self.places;
        self.costs.clear();
        self.costs.resize(places.len(), UNREACHED);
        self.marks.iter_mut().for_each(|mark| *mark &= !IS_TARGET);
        let mut n_targets = 0;
        for cell in targets.filter(|&cell| places.region.contains(cell)) {
            let marks = &mut self.marks[places.of_cell(cell)..][..places.headings as usize];
            n_targets += u32::from(marks[0] & IS_TARGET == 0);
            marks.iter_mut().for_each(|mark| *mark |= IS_TARGET);
        }
        let is_source = |pose: &Pose| places.region.contains(pose.cell) && tables.is_legal_pose(*pose);
        self.sources.clear();
        self.sources.extend(sources.filter(is_source).map(|pose| places.at(pose) as u32));
        let Self { marks, stride, deltas, ticks, costs, sources, buckets, heap, .. } = self;
        let moves = Moves { headings: places.headings as usize, stride: *stride, deltas, ticks };
        if self.range < BUCKETS_MAX {
            buckets.reset(self.range, 0);
            moves.spread(buckets, sources, costs, (marks, n_targets))
        } else {
            heap.reset();
            moves.spread(heap, sources, costs, (marks, n_targets))
        }
    }

    /// The least cost of the poses of a cell; [`UNREACHED`] outside the region and for a cell that no path reaches.
    pub(crate) fn cost_of_cell(&self, cell: CellXY) -> u32 {
        if !self.places.region.contains(cell) {
            return UNREACHED;
        }
        let costs = &self.costs[self.places.of_cell(cell)..][..self.places.headings as usize];
        costs.iter().copied().min().unwrap_or(UNREACHED)
    }

    /// The cost of a pose; [`UNREACHED`] as for a cell.
    pub(crate) fn cost_of_pose(&self, pose: Pose) -> u32 {
        if self.places.region.contains(pose.cell) { self.costs[self.places.at(pose)] } else { UNREACHED }
    }
}

/// The moves of a region.
struct Moves<'a> {
    headings: usize,
    stride: usize,
    deltas: &'a [i32],
    ticks: &'a [u32],
}

impl Moves<'_> {
    /// The search from some places until it has reached all targets.
    fn spread(
        &self,
        open: &mut impl OpenList,
        sources: &[u32],
        costs: &mut [u32],
        (marks, mut n_targets): (&mut [u8], u32),
    ) -> u64 {
        let Self { headings, stride, deltas, ticks } = *self;
        for &place in sources {
            costs[place as usize] = 0;
            open.push(0, place);
        }
        let mut n_settled = 0;
        while let Some((cost, place)) = open.pop() {
            let (place, cost) = (place as usize, cost as u32);
            if cost > costs[place] {
                continue;
            }
            n_settled += 1;
            let frame = usize::from(marks[place] & !IS_TARGET);
            if marks[place] & IS_TARGET != 0 {
                let first = place - frame % headings;
                marks[first..first + headings].iter_mut().for_each(|mark| *mark &= !IS_TARGET);
                n_targets -= 1;
                if n_targets == 0 {
                    break;
                }
            }
            let deltas = &deltas[frame * stride..][..stride];
            for (&delta, &ticks) in deltas.iter().zip(&ticks[place * stride..][..stride]) {
                let sum = cost.saturating_add(ticks);
                if sum == UNREACHED {
                    continue;
                }
                let other = place.wrapping_add_signed(delta as isize);
                if sum < costs[other] {
                    costs[other] = sum;
                    open.push(u64::from(sum), other as u32);
                }
            }
        }
        n_settled
    }
}
