//! Landmarks: lower bounds from distances to a few chosen poses (ALT, Goldberg and Harrelson 2005).
//!
//! By the triangle inequality a way from `s` to `t` costs at least `d(L, t) - d(L, s)` and at least
//! `d(s, L) - d(t, L)`, for every landmark `L`. Where walls bend the ways, that is far more than any norm of
//! the displacement says.

use crate::cost_field::{Block, CostField, Direction, Frontier, UNREACHED, Until};
use crate::heuristic::{Estimate, Heuristic};
use crate::open_list::BLOCK;
use crate::path::Path;
use crate::pose::{State, StateSpace};
use crate::request::{COST_MAX, Goal, GoalMember, Request};
use crate::scratch::Scratch;
use crate::search::{least_cost_of, plan};
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Columns of distances that a search reads: more bound better and cost more a pose.
pub(crate) const ACTIVE: usize = 3;

/// Goals of more poses are not looked up pose by pose; such requests do without landmarks.
const GOAL_POSES_MAX: usize = 4096;

/// Exact distances in ticks from and to a few landmarks, for every pose, of a class on a map.
///
/// They stay lower bounds as long as no move becomes legal or cheaper than it was when they were made: made
/// on a map without its buildings, doors and crops, they hold while those come and go. They do not notice
/// edits; to use them on a map on which some move is cheaper makes the answers inexact.
///
/// A request that is given them ([`crate::Heuristic::Landmarks`]) picks the few that promise most for its start
/// and goal. How much that must be beside the norm's promise, lest they cost more than they save, is found when
/// they are made: by the expansions of a few requests drawn on the map, the same each time.
///
/// Memory: 4 bytes a landmark and state where no cost is above 65,534 ticks, else 8. Making them takes
/// two cost fields a landmark.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
///
/// let rows = ["......", ".WWWW.", "...W..", ".W.WW.", ".W...."];
/// let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_ways(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let landmarks = Landmarks::of(&tables, 4);
/// let goal = [GoalMember::any(CellXY::new(4, 2))];
/// let mut request = Request::new(Pose::new(0, 2, Heading(0)), Goal::of(&goal));
/// request.heuristic = Heuristic::Landmarks(&landmarks);
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// let answer = plan(&tables, &request, &mut scratch, &mut path);
/// assert_eq!(answer.cost, 100);
/// // On so small a map they save nothing, which they have found out when they were made.
/// assert_eq!(answer.guide, Guide::Norm(HeuristicName::Manhattan));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Landmarks {
    space: StateSpace,
    states: Vec<State>,
    distances: Distances,
    /// Most by which the distance to or from a landmark differs between the two ends of a move, in ticks;
    /// `u32::MAX` where moves are one-way.
    step_max: u32,
    /// They guide a request for which they promise so much of what the norm does, in permille; `None` where
    /// they never pay.
    pays_permille: Option<u64>,
}

/// Distances in ticks, planes of `[n_states]`: the ways from each landmark, then the ways to each. A search
/// reads a few planes, and of them what lies near; interleaved, the others would fill the cache. The greatest
/// number stands for no way.
#[derive(Clone, Debug)]
enum Distances {
    Narrow(Vec<Vec<u16>>),
    Wide(Vec<Vec<u32>>),
}

/// A distance in a plane.
pub(crate) trait Distance: Copy {
    fn ticks(self) -> i64;
}

impl Distance for u16 {
    #[inline(always)]
    fn ticks(self) -> i64 {
        i64::from(self)
    }
}

impl Distance for u32 {
    #[inline(always)]
    fn ticks(self) -> i64 {
        i64::from(self)
    }
}

impl Landmarks {
    /// Picks at most `n` landmarks in the largest set of poses between which moves lead both ways, the first
    /// pose of it and then each as far as can be from those before, and works out their distances. Fewer
    /// where there are no more poses. Tables without [components](MovementTables::make_components) are taken
    /// for one such set, which they may not be.
    ///
    /// With the feature `rayon` the distances are worked out beside each other on the current pool; equal for
    /// any number of threads.
    pub fn of(tables: &MovementTables, n: usize) -> Self {
        let step_max = if tables.is_reversible() { tables.most_ticks() as u32 } else { u32::MAX };
        let states = pick(tables, n);
        let distances = Distances::of(tables, &states);
        let mut landmarks =
            Self { space: tables.space(), states, distances, step_max, pays_permille: Some(0) };
        landmarks.pays_permille = landmarks.find_pay(tables);
        landmarks
    }

    /// The landmarks, in the order in which they were picked.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let n_states = self.space.n_states();
        let distances = match &self.distances {
            Distances::Narrow(planes) => planes.len() * n_states * size_of::<u16>(),
            Distances::Wide(planes) => planes.len() * n_states * size_of::<u32>(),
        };
        size_of::<Self>() + distances + self.states.len() * size_of::<State>()
    }

    /// Most that one move can change an estimate by.
    pub(crate) fn step_max(&self) -> u32 {
        self.step_max
    }

    pub(crate) fn space(&self) -> StateSpace {
        self.space
    }

    /// The columns that promise most from a start to a set of goals, if that is enough beside the norm.
    pub(crate) fn choose(
        &self,
        start: State,
        norm: u32,
        for_each_goal: impl Fn(&mut dyn FnMut(State)),
    ) -> Option<Active> {
        let pays_permille = self.pays_permille?;
        let mut n_goals = 0;
        for_each_goal(&mut |_| n_goals += 1);
        if n_goals == 0 || n_goals > GOAL_POSES_MAX {
            return None;
        }
        // All of some are read before any is judged, so that the loads are under way at once.
        let n_from = self.states.len();
        let unknown = self.distances.unknown();
        let mut best = [(0_i64, Column::default()); ACTIVE];
        let mut ends = [(0_i64, 0_i64); ENDS];
        for first in (0..2 * n_from).step_by(ENDS) {
            let planes = first..(first + ENDS).min(2 * n_from);
            for (number, end) in planes.clone().zip(&mut ends) {
                let is_from = number < n_from;
                let mut goal = if is_from { i64::MAX } else { 0 };
                for_each_goal(&mut |state| {
                    let ticks = self.ticks(number, state);
                    // From the landmark to the nearest goal that it reaches; from the farthest to the landmark.
                    goal = if is_from { goal.min(ticks) } else { goal.max(ticks) };
                });
                *end = (self.ticks(number, start), goal);
            }
            for (number, &(here, goal)) in planes.zip(&ends) {
                let sign = if number < n_from { -1 } else { 1 };
                let promise = (here - goal) * sign;
                if goal < unknown && here < unknown && promise > best[ACTIVE - 1].0 {
                    best[ACTIVE - 1] = (promise, Column { number: number as u32, goal: goal * sign, sign });
                    best.sort_by_key(|&(promise, column)| (Reverse(promise), column.number));
                }
            }
        }
        let promise = best[0].0 as u64;
        if promise == 0 || promise * 1000 < u64::from(norm) * pays_permille {
            return None;
        }
        // Where fewer promise anything, the best stands in for the others.
        Some(Active { columns: best.map(|(promise, column)| if promise > 0 { column } else { best[0].1 }) })
    }

    /// The planes of a choice.
    pub(crate) fn in_use(&self, active: &Active) -> InUse<'_> {
        match &self.distances {
            Distances::Narrow(planes) => InUse::Narrow(PlanesInUse::of(planes, active)),
            Distances::Wide(planes) => InUse::Wide(PlanesInUse::of(planes, active)),
        }
    }

    /// Draws requests and finds the least share of the norm's promise from which on landmarks save more
    /// expansions than they cost: each is held to cost [`GUIDED_PERMILLE`] of one by the norm.
    fn find_pay(&self, tables: &MovementTables) -> Option<u64> {
        let drawn = self.draw_requests();
        let expansions_max = (self.space.n_states() / TRIAL_SHARE).max(1) as u64;
        let mut trials = in_parallel(drawn.len(), Scratch::new, |scratch, at| {
            let [start, goal] = drawn[at].map(|state| self.space.pose(state));
            let members = [GoalMember::pose(goal)];
            let mut request = Request::new(start, Goal::of(&members));
            request.expansions_max = Some(expansions_max);
            let norm = u64::from(least_cost_of(tables, &request)).max(1);
            let plain = plan(tables, &request, scratch, &mut Path::new()).expansions;
            request.heuristic = Heuristic::Landmarks(self);
            let guided = plan(tables, &request, scratch, &mut Path::new()).expansions;
            Trial {
                permille: self.promise(drawn[at]) * 1000 / norm,
                plain: plain * 1000,
                guided: guided * GUIDED_PERMILLE,
            }
        });
        // From the share of each trial on, landmarks guide it and those of a greater one.
        trials.sort_by_key(|trial| Reverse(trial.permille));
        let mut cost: u64 = trials.iter().map(|trial| trial.plain).sum();
        let mut best = (cost, None);
        for equals in trials.chunk_by(|a, b| a.permille == b.permille) {
            for trial in equals {
                cost = cost - trial.plain + trial.guided;
            }
            if cost < best.0 {
                best = (cost, Some(equals[0].permille));
            }
        }
        best.1
    }

    /// Pairs of poses between which moves lead both ways, drawn from a fixed seed.
    fn draw_requests(&self) -> Vec<[State; 2]> {
        let n_states = self.space.n_states() as u64;
        let mut seed = 1_u64;
        let mut draw = || {
            // Knuth's linear congruential generator, high bits.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            State((((seed >> 32) * n_states) >> 32) as u32)
        };
        let unknown = self.distances.unknown();
        let ways = [0, self.states.len()];
        let is_in_set = |state: &State| ways.iter().all(|&plane| self.ticks(plane, *state) < unknown);
        let mut drawn = Vec::with_capacity(TRIALS);
        if self.states.is_empty() {
            return drawn;
        }
        for _ in 0..TRIALS * DRAWS_MAX {
            let pair = [draw(), draw()];
            if pair.iter().all(is_in_set) && drawn.len() < TRIALS {
                drawn.push(pair);
            }
        }
        drawn
    }

    /// The most that a landmark promises from one state of the set to another.
    fn promise(&self, [start, goal]: [State; 2]) -> u64 {
        let n = self.states.len();
        let of = |plane: usize| {
            let difference = self.ticks(plane, goal) - self.ticks(plane, start);
            if plane < n { difference } else { -difference }
        };
        (0..2 * n).map(of).max().map_or(0, |promise| promise.max(0) as u64)
    }

    fn ticks(&self, plane: usize, state: State) -> i64 {
        match &self.distances {
            Distances::Narrow(planes) => planes[plane][state.0 as usize].ticks(),
            Distances::Wide(planes) => planes[plane][state.0 as usize].ticks(),
        }
    }
}

/// Planes whose distances are read at once.
const ENDS: usize = 32;

/// Requests that are tried, and draws of each at most.
const TRIALS: usize = 24;
const DRAWS_MAX: usize = 64;
/// A trial ends after one in so many states, lest trials take longer than the distances.
const TRIAL_SHARE: usize = 8;
/// What an expansion by landmarks costs in permille of one by the norm (1.2 to 1.4 were measured).
const GUIDED_PERMILLE: u64 = 1300;

/// A drawn request: the landmarks' promise in permille of the norm's, and what it costs by either.
struct Trial {
    permille: u64,
    plain: u64,
    guided: u64,
}

/// Picks landmarks, see [`Landmarks::of`].
fn pick(tables: &MovementTables, n: usize) -> Vec<State> {
    // Ticks to each state of the set from the nearest landmark so far; 0 of all others. The first landmark is
    // the first of the set: it lies at the rim of the map, as landmarks should.
    let mut nearest = vec![0; tables.space().n_states()];
    let mut landmarks = Vec::with_capacity(n);
    let mut next = mark_largest_set(tables, &mut nearest);
    let mut frontier = Frontier::default();
    while let Some(landmark) = next.filter(|_| landmarks.len() < n) {
        landmarks.push(landmark);
        bring_nearer(tables, landmark, &mut nearest, &mut frontier);
        // The farthest; of several the least. Costs too great to be counted are no way.
        let known = nearest.iter().zip(0..).filter(|(ticks, _)| (1..UNREACHED).contains(*ticks));
        next = known.max_by_key(|&(ticks, state)| (ticks, Reverse(state))).map(|(_, state)| State(state));
    }
    landmarks
}

/// Follows the ways from one more landmark as long as it is nearer than those before: a state beyond one to
/// which another is as near has that other as near too.
fn bring_nearer(tables: &MovementTables, landmark: State, nearest: &mut [u32], frontier: &mut Frontier) {
    frontier.reset(tables.most_ticks(), 0);
    nearest[landmark.0 as usize] = 0;
    frontier.push(0, landmark.0);
    let mut block: Block = [0; BLOCK];
    while let Some((ticks, n)) = frontier.pop_block(&mut block) {
        for &state in &block[..n] {
            if nearest[state as usize] != ticks {
                continue;
            }
            tables.for_each_successor(State(state), |next| {
                let way = ticks.saturating_add(next.ticks);
                let known = &mut nearest[next.state.0 as usize];
                if way < *known && way <= COST_MAX {
                    *known = way;
                    frontier.push(way, next.state.0);
                }
            });
        }
    }
}

/// Writes [`UNREACHED`] to the states of the largest set between which moves lead both ways, of several the
/// first, and gives its first; without components all legal states are one set.
fn mark_largest_set(tables: &MovementTables, marks: &mut [u32]) -> Option<State> {
    let label = |state: State| match tables.components().strong_label(state) {
        Some(label) => Some(label),
        None => (!tables.components().are_known() && tables.is_legal(state)).then_some((0, 0)),
    };
    let states = || (0..tables.space().n_states() as u32).map(State);
    // States beside each other are mostly of one set, so they are counted run by run.
    let mut sets: BTreeMap<(u32, u32), (u32, Reverse<u32>)> = BTreeMap::new();
    let mut run: Option<((u32, u32), u32, u32)> = None;
    let mut close = |run: Option<((u32, u32), u32, u32)>| {
        if let Some((label, first, n)) = run {
            sets.entry(label).or_insert((0, Reverse(first))).0 += n;
        }
    };
    for state in states() {
        let Some(label) = label(state) else { continue };
        match &mut run {
            Some((of_run, _, n)) if *of_run == label => *n += 1,
            _ => close(run.replace((label, state.0, 1))),
        }
    }
    close(run);
    let (&largest, &(_, Reverse(first))) = sets.iter().max_by_key(|(_, size)| **size)?;
    for state in states().filter(|&state| label(state) == Some(largest)) {
        marks[state.0 as usize] = UNREACHED;
    }
    Some(State(first))
}

/// A plane as it is worked out: narrow where that holds it.
enum Plane {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Plane {
    fn of(costs: &[u32]) -> Self {
        let fits = |&cost: &u32| cost < u32::from(u16::MAX) || cost == UNREACHED;
        if costs.iter().all(fits) {
            Self::Narrow(costs.iter().map(|&cost| u16::try_from(cost).unwrap_or(u16::MAX)).collect())
        } else {
            Self::Wide(costs.to_vec())
        }
    }

    fn widen(self) -> Vec<u32> {
        let ticks = |cost: u16| if cost == u16::MAX { UNREACHED } else { u32::from(cost) };
        match self {
            Self::Narrow(plane) => plane.into_iter().map(ticks).collect(),
            Self::Wide(plane) => plane,
        }
    }
}

impl Distances {
    /// Works out the planes of landmarks: all narrow, or all wide.
    fn of(tables: &MovementTables, landmarks: &[State]) -> Self {
        // All of one direction before the other, for a worker keeps its field while that is the same.
        let directions = [Direction::FromStart, Direction::ToGoal];
        let wanted = directions.map(|direction| landmarks.iter().map(move |&state| (state, direction)));
        let wanted: Vec<_> = wanted.into_iter().flatten().collect();
        let maker = || PlaneMaker { tables, field: None };
        let planes = in_parallel(wanted.len(), maker, |maker, at| maker.make(wanted[at]));
        let wide = planes.iter().any(|plane| matches!(plane, Plane::Wide(_)));
        let narrow = |plane| match plane {
            Plane::Narrow(plane) => Some(plane),
            Plane::Wide(_) => None,
        };
        match wide {
            true => Self::Wide(planes.into_iter().map(Plane::widen).collect()),
            false => Self::Narrow(planes.into_iter().filter_map(narrow).collect()),
        }
    }

    /// What stands for no way.
    fn unknown(&self) -> i64 {
        match self {
            Self::Narrow(_) => i64::from(u16::MAX),
            Self::Wide(_) => i64::from(u32::MAX),
        }
    }
}

/// Works out one plane after the other in the memory of one field.
struct PlaneMaker<'a> {
    tables: &'a MovementTables,
    field: Option<CostField>,
}

impl PlaneMaker<'_> {
    fn make(&mut self, (landmark, direction): (State, Direction)) -> Plane {
        let members = [GoalMember::pose(self.tables.space().pose(landmark))];
        let goal = Goal::of(&members);
        let tables = self.tables;
        let field = match self.field.take().filter(|field| field.direction() == direction) {
            Some(mut field) => {
                field.restart(tables, &goal);
                field
            }
            None if direction == Direction::ToGoal => CostField::to_goal(tables, &goal),
            None => CostField::from_start(tables, &goal),
        };
        let field = self.field.insert(field);
        field.settle(tables, Until::All, u64::MAX);
        Plane::of(field.costs())
    }
}

/// Does jobs by number, each worker in memory of its own, and gives what they made in order.
#[cfg(not(feature = "rayon"))]
fn in_parallel<M, T>(n: usize, memory: impl Fn() -> M, job: impl Fn(&mut M, usize) -> T) -> Vec<T> {
    let mut memory = memory();
    (0..n).map(|at| job(&mut memory, at)).collect()
}

/// Does jobs by number, each worker in memory of its own, and gives what they made in order. Workers claim jobs
/// from a counter and write to slots of their own.
#[cfg(feature = "rayon")]
fn in_parallel<M, T: Send + Sync>(
    n: usize,
    memory: impl Fn() -> M + Sync,
    job: impl Fn(&mut M, usize) -> T + Sync,
) -> Vec<T> {
    use rayon::prelude::*;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let slots: Vec<OnceLock<T>> = (0..n).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let workers = rayon::current_num_threads().clamp(1, n.max(1));
    (0..workers).into_par_iter().with_max_len(1).for_each(|_| {
        let mut memory = memory();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = slots.get(at) else { break };
            slot.get_or_init(|| job(&mut memory, at));
        }
    });
    slots.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// A plane in use: the bound at a state is `sign * distance - goal`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column {
    number: u32,
    goal: i64,
    sign: i64,
}

/// Which columns a search reads, and the goal's distance in each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active {
    columns: [Column; ACTIVE],
}

/// What a search reads of landmarks, by the width of their distances.
pub(crate) enum InUse<'a> {
    Narrow(PlanesInUse<'a, u16>),
    Wide(PlanesInUse<'a, u32>),
}

/// The planes that a search reads.
pub(crate) struct PlanesInUse<'a, D> {
    planes: [(&'a [D], Column); ACTIVE],
}

impl<'a, D: Distance> PlanesInUse<'a, D> {
    fn of(planes: &'a [Vec<D>], active: &Active) -> Self {
        Self { planes: active.columns.map(|column| (&planes[column.number as usize][..], column)) }
    }
}

/// The greatest of the bounds of the columns in use and of the norm.
pub(crate) struct LandmarkEstimate<'a, D, L> {
    of: PlanesInUse<'a, D>,
    norm: L,
}

impl<'a, D: Distance, L: Estimate> LandmarkEstimate<'a, D, L> {
    pub fn new(of: PlanesInUse<'a, D>, norm: L) -> Self {
        Self { of, norm }
    }
}

impl<D: Distance, L: Estimate> Estimate for LandmarkEstimate<'_, D, L> {
    #[inline(always)]
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        let mut bound = i64::from(self.norm.weighted(state, x, y, heading));
        for (plane, column) in &self.of.planes {
            bound = bound.max(plane[state as usize].ticks() * column.sign - column.goal);
        }
        bound as u32
    }
}
