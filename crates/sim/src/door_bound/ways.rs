//! The ways of a class between regions of its poses, and what of each gate's time they take at least.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use wheelbase_grid::CellXY;
use wheelbase_planner::{MovementTables, Offset, Pose, State};
use wheelbase_traffic::collision::{CollisionRule, Step};
use wheelbase_traffic::gates::{Gates, NONE};

/// Ways of counting what is held of a gate: cell by cell, and by those that hold so many cells that but one
/// or but two of them find room.
pub(super) const COUNTS: usize = 3;
/// Poses of a crossing, gates and regions at it, at most; a larger one is taken as open ground.
const POSES_MAX: usize = 1 << 14;
const GATES_MAX: usize = 8;
const REGIONS_MAX: usize = 12;
/// States between two looks at whether to go on.
const STATES_A_LOOK: usize = 1 << 16;
/// Fewer poses a heading are no region, but belong to the crossings that they lie at: a long body goes along a wall
/// where it has no room to turn, and comes away from it only where there is a door.
const REGION_POSES_MIN: usize = 16;
/// A label of a pose that touches gates; the rest of it is the number of the pose.
const TOUCHES: u32 = 1 << 31;
const UNLABELLED: u32 = u32::MAX;

/// What is held of a gate by a body that covers so many of its cells, by the number of the count: a weight.
/// With 0 cell by cell; with 1 or 2 it is told whether there are more cells than a half or a third.
pub(super) fn weight(count: usize, width: u32, held: u32) -> u32 {
    match count {
        0 => held,
        _ => u32::from(held > width / (count as u32 + 1)),
    }
}

/// The weights of all that hold cells of a gate at one time are no more than this together; `None` where the
/// count tells no more than that of cells.
pub(super) fn capacity(count: usize, width: u32) -> Option<u32> {
    match count as u32 {
        0 => Some(width),
        // So many of them cover less than all of it between them.
        most => (most * (width / (most + 1) + 1) < width).then_some(most),
    }
}

/// What is held of a gate by one way of counting: `gate * COUNTS + count`.
pub(super) type Resource = u32;

/// Between two regions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub from: u32,
    pub to: u32,
    /// What it takes, in `takes[first..][..count]`.
    pub first: u32,
    pub count: u32,
}

/// Regions of a class and the crossings between them.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pub n_regions: u32,
    /// In order of the region they lead from.
    pub crossings: Vec<Crossing>,
    /// First crossing of each region, and one more.
    pub first_of: Vec<u32>,
    /// What crossings take: weight times ticks.
    pub takes: Vec<(Resource, u32)>,
    /// By state: its region, or [`TOUCHES`] and the number of the set of poses that it belongs to.
    labels: Vec<u32>,
    /// Regions at each set of poses that touch gates.
    at_sets: Vec<Vec<u32>>,
}

/// A crossing that was found, and what it takes.
struct Found {
    from: u32,
    to: u32,
    takes: Vec<(Resource, u32)>,
}

/// A move within a set of poses, into it or out of it.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: Place,
    to: Place,
    ticks: u32,
    /// Cells held, in `held[first..][..n_gates]`.
    first: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Region(u32),
    Pose(u32),
}

impl Ways {
    /// The regions of a class of which every move can be taken back. Linear in its states, and in the poses
    /// at gates times the regions and gates at each. Memory: 4 bytes a state.
    ///
    /// Where `go_on` says no it ends early, with what means nothing.
    pub fn find(
        tables: &MovementTables,
        rule: CollisionRule,
        gates: &Gates,
        go_on: &impl Fn() -> bool,
    ) -> Self {
        let n_states = tables.space().n_states();
        let mut ways = Self { labels: vec![UNLABELLED; n_states], ..Self::default() };
        let mut touching = touching(tables, gates);
        for &state in &touching {
            ways.labels[state.0 as usize] = TOUCHES;
        }
        let mut open = Vec::new();
        for state in (0..n_states as u32).map(State) {
            if ways.labels[state.0 as usize] == UNLABELLED && tables.is_legal(state) {
                if !ways.flood(tables, (state, UNLABELLED, ways.n_regions), &mut open, go_on) {
                    return ways;
                }
                if open.len() < REGION_POSES_MIN * usize::from(tables.space().headings()) {
                    open.iter().for_each(|&state| ways.labels[state.0 as usize] = TOUCHES);
                    touching.append(&mut open);
                } else {
                    ways.n_regions += 1;
                }
                open.clear();
            }
        }
        let mut found = Vec::new();
        for &state in &touching {
            if ways.labels[state.0 as usize] == TOUCHES {
                let set = ways.at_sets.len() as u32;
                if !ways.flood(tables, (state, TOUCHES, TOUCHES | (set + 1)), &mut open, go_on) {
                    return ways;
                }
                let regions = ways.cross(tables, (rule, gates), &open, &mut found);
                ways.at_sets.push(regions);
                open.clear();
            }
        }
        ways.put_in_order(found);
        ways
    }

    /// Gives a new label to all states of an old one that moves connect with the first; says whether it got
    /// through.
    fn flood(
        &mut self,
        tables: &MovementTables,
        (first, old, new): (State, u32, u32),
        open: &mut Vec<State>,
        go_on: &impl Fn() -> bool,
    ) -> bool {
        self.labels[first.0 as usize] = new;
        open.push(first);
        let mut at = 0;
        while let Some(&state) = open.get(at) {
            if at.is_multiple_of(STATES_A_LOOK) && !go_on() {
                return false;
            }
            at += 1;
            tables.for_each_successor(state, |next| {
                let label = &mut self.labels[next.state.0 as usize];
                if *label == old {
                    *label = new;
                    open.push(next.state);
                }
            });
        }
        true
    }

    /// The regions at a pose: its own, or those at the set that it belongs to.
    pub fn regions_at(&self, state: State) -> &[u32] {
        let label = &self.labels[state.0 as usize];
        match *label {
            UNLABELLED => &[],
            label if label & TOUCHES != 0 => &self.at_sets[(label & !TOUCHES) as usize - 1],
            _ => std::slice::from_ref(label),
        }
    }

    /// Finds what it takes at least to cross a set of poses that touch gates. Gives the regions at it.
    fn cross(
        &self,
        tables: &MovementTables,
        (rule, gates): (CollisionRule, &Gates),
        poses: &[State],
        found: &mut Vec<Found>,
    ) -> Vec<u32> {
        let mut regions: Vec<u32> = Vec::new();
        for &state in poses {
            tables.for_each_successor(state, |next| {
                let label = self.labels[next.state.0 as usize];
                if label & TOUCHES == 0 && !regions.contains(&label) {
                    regions.push(label);
                }
            });
        }
        regions.sort_unstable();
        if regions.len() < 2 {
            return regions;
        }
        let at_poses = PosesOf::new(tables, gates, poses);
        if poses.len() > POSES_MAX || at_poses.gates.len() > GATES_MAX || regions.len() > REGIONS_MAX {
            for pair in regions.windows(2) {
                found.push(Found { from: pair[0], to: pair[1], takes: Vec::new() });
                found.push(Found { from: pair[1], to: pair[0], takes: Vec::new() });
            }
            return regions;
        }
        let (moves, held) = at_poses.moves(tables, (rule, gates), &self.labels, poses);
        let mut search = Search::new(&moves, poses.len(), &regions);
        for &from in &regions {
            let mut takes: Vec<Vec<(Resource, u32)>> = vec![Vec::new(); regions.len()];
            for (at, &gate) in at_poses.gates.iter().enumerate() {
                let width = gates.widths[gate as usize];
                for count in 0..COUNTS {
                    if capacity(count, width).is_none() {
                        continue;
                    }
                    let cost = |one: &Move| {
                        let held = held[one.first as usize + at];
                        one.ticks.saturating_mul(weight(count, width, held))
                    };
                    let least = search.run(&moves, from, cost);
                    for (takes, &least) in takes.iter_mut().zip(least) {
                        if least > 0 && least < u32::MAX {
                            takes.push((gate * COUNTS as u32 + count as u32, least));
                        }
                    }
                }
            }
            let others = regions.iter().zip(takes).filter(|&(&to, _)| to != from);
            found.extend(others.map(|(&to, takes)| Found { from, to, takes }));
        }
        regions
    }

    fn put_in_order(&mut self, mut found: Vec<Found>) {
        found.sort_by_key(|found| found.from);
        self.first_of = vec![0; self.n_regions as usize + 1];
        for Found { from, to, takes } in found {
            self.first_of[from as usize + 1] += 1;
            let (first, count) = (self.takes.len() as u32, takes.len() as u32);
            self.crossings.push(Crossing { from, to, first, count });
            self.takes.extend(takes);
        }
        for region in 0..self.n_regions as usize {
            self.first_of[region + 1] += self.first_of[region];
        }
    }

    /// Crossings from a region, by number.
    pub fn from(&self, region: u32) -> std::ops::Range<u32> {
        self.first_of[region as usize]..self.first_of[region as usize + 1]
    }

    /// What a crossing takes.
    pub fn takes(&self, crossing: Crossing) -> &[(Resource, u32)] {
        &self.takes[crossing.first as usize..][..crossing.count as usize]
    }

    /// Gives up what only [`Ways::regions_at`] reads.
    pub fn forget_poses(&mut self) {
        self.labels = Vec::new();
        self.at_sets = Vec::new();
    }
}

/// Legal poses that cover cells of gates, in order.
fn touching(tables: &MovementTables, gates: &Gates) -> Vec<State> {
    let (class, space) = (tables.class(), tables.space());
    let mut touching = Vec::new();
    for &(cell, _) in &gates.cells {
        for frame in class.frames() {
            for &Offset { dx, dy } in class.footprint().at(frame) {
                let anchor = CellXY::new(cell.x - dx, cell.y - dy);
                let pose = Pose { cell: anchor, heading: class.heading_of(frame) };
                // On hexagonal maps bodies differ from row to row.
                if space.frame(pose) == frame {
                    touching.extend(space.state(pose).filter(|&state| tables.is_legal(state)));
                }
            }
        }
    }
    touching.sort_unstable();
    touching.dedup();
    touching
}

/// A set of poses that touch gates.
struct PosesOf {
    /// Gates that they touch, in order.
    gates: Vec<u32>,
    numbers: BTreeMap<State, u32>,
}

impl PosesOf {
    fn new(tables: &MovementTables, gates: &Gates, poses: &[State]) -> Self {
        let class = tables.class();
        let mut touched: Vec<u32> = Vec::new();
        for &state in poses {
            let pose = tables.space().pose(state);
            for offset in class.cells_at(pose) {
                let gate = gates.at(offset.cell_from(pose.cell));
                if gate != NONE && !touched.contains(&gate) {
                    touched.push(gate);
                }
            }
        }
        touched.sort_unstable();
        let numbers = poses.iter().enumerate().map(|(at, &state)| (state, at as u32)).collect();
        Self { gates: touched, numbers }
    }

    /// The moves within the set, into it and out of it, and how many cells of each gate they hold.
    fn moves(
        &self,
        tables: &MovementTables,
        (rule, gates): (CollisionRule, &Gates),
        labels: &[u32],
        poses: &[State],
    ) -> (Vec<Move>, Vec<u32>) {
        let (mut moves, mut held) = (Vec::new(), Vec::new());
        let place = |state: State| match self.numbers.get(&state) {
            Some(&number) => Place::Pose(number),
            None => Place::Region(labels[state.0 as usize]),
        };
        let mut add = |from: State, primitive: u8, to: State, ticks: u32| {
            let pose = tables.space().pose(from);
            let step = Step { class: tables.class(), pose, primitive: usize::from(primitive) };
            let (anchor, cells) = rule.held(&step);
            let first = held.len();
            held.resize(first + self.gates.len(), 0);
            for offset in cells {
                let gate = gates.at(offset.cell_from(anchor));
                if gate != NONE
                    && let Ok(at) = self.gates.binary_search(&gate)
                {
                    held[first + at] += 1;
                }
            }
            moves.push(Move { from: place(from), to: place(to), ticks, first: first as u32 });
        };
        for &state in poses {
            tables.for_each_successor(state, |next| add(state, next.primitive, next.state, next.ticks));
            tables.for_each_predecessor(state, |before| {
                if !self.numbers.contains_key(&before.state) {
                    add(before.state, before.primitive, state, before.ticks);
                }
            });
        }
        moves.sort_by_key(|one| one.from);
        (moves, held)
    }
}

/// Cheapest ways through a set of poses.
struct Search<'a> {
    regions: &'a [u32],
    /// First move from each pose, and one more.
    first_of: Vec<u32>,
    costs: Vec<u32>,
    least: Vec<u32>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl<'a> Search<'a> {
    fn new(moves: &[Move], n_poses: usize, regions: &'a [u32]) -> Self {
        let begin_of = |place: Place| moves.partition_point(|one| one.from < place) as u32;
        let first_of = (0..=n_poses as u32).map(|number| begin_of(Place::Pose(number))).collect();
        let (costs, least) = (vec![u32::MAX; n_poses], vec![u32::MAX; regions.len()]);
        Self { regions, first_of, costs, least, open: BinaryHeap::new() }
    }

    /// The least costs from a region to each (Dijkstra), `u32::MAX` where there is no way.
    fn run(&mut self, moves: &[Move], from: u32, cost: impl Fn(&Move) -> u32) -> &[u32] {
        self.costs.fill(u32::MAX);
        self.least.fill(u32::MAX);
        let into = moves.partition_point(|one| one.from < Place::Region(from));
        for one in moves[into..].iter().take_while(|one| one.from == Place::Region(from)) {
            self.reach(one.to, cost(one));
        }
        while let Some(Reverse((so_far, number))) = self.open.pop() {
            if so_far > self.costs[number as usize] {
                continue;
            }
            let [first, end] = [number, number + 1].map(|number| self.first_of[number as usize] as usize);
            for one in &moves[first..end] {
                self.reach(one.to, so_far.saturating_add(cost(one)));
            }
        }
        &self.least
    }

    fn reach(&mut self, place: Place, cost: u32) {
        let known = match place {
            Place::Pose(number) => &mut self.costs[number as usize],
            Place::Region(region) => match self.regions.binary_search(&region) {
                Ok(at) => &mut self.least[at],
                Err(_) => return,
            },
        };
        if cost >= *known {
            return;
        }
        *known = cost;
        if let Place::Pose(number) = place {
            self.open.push(Reverse((cost, number)));
        }
    }
}

#[cfg(test)]
mod tests;
