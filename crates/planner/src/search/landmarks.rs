//! Landmarks: lower bounds from distances to a few chosen poses (ALT, Goldberg and Harrelson 2005).
//!
//! By the triangle inequality a way from `s` to `t` costs at least `d(L, t) - d(L, s)` and at least
//! `d(s, L) - d(t, L)`, for every landmark `L`. Where walls bend the ways, that is far more than any norm of
//! the displacement says.

use crate::model::pose::{State, StateSpace};
use crate::search::estimate::Estimate;
use std::cmp::Reverse;

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
/// A request that is given them ([`crate::search::Heuristic::Landmarks`]) picks the few that promise most for its start
/// and goal. How much that must be beside the norm's promise, lest they cost more than they save, is found when
/// they are made: by the expansions of a few requests drawn on the map, the same each time.
///
/// Memory: 4 bytes a landmark and state where no cost is above 65,534 ticks, else 8. Making them takes
/// two cost fields a landmark.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::{Guide, Heuristic, HeuristicName, Landmarks};
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
    pub(crate) space: StateSpace,
    pub(crate) states: Vec<State>,
    pub(crate) distances: Distances,
    /// Most by which the distance to or from a landmark differs between the two ends of a move, in ticks;
    /// `u32::MAX` where moves are one-way.
    pub(crate) step_max: u32,
    /// They guide a request for which they promise so much of what the norm does, in permille; `None` where
    /// they never pay.
    pub(crate) pays_permille: Option<u64>,
}

/// Distances in ticks, planes of `[n_states]`: the ways from each landmark, then the ways to each. A search
/// reads a few planes, and of them what lies near; interleaved, the others would fill the cache. The greatest
/// number stands for no way.
#[derive(Clone, Debug)]
pub(crate) enum Distances {
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

    pub(crate) fn ticks(&self, plane: usize, state: State) -> i64 {
        match &self.distances {
            Distances::Narrow(planes) => planes[plane][state.0 as usize].ticks(),
            Distances::Wide(planes) => planes[plane][state.0 as usize].ticks(),
        }
    }
}

/// Planes whose distances are read at once.
const ENDS: usize = 32;

/// Does jobs by number, each worker in memory of its own, and gives what they made in order.
#[cfg(not(feature = "rayon"))]
pub(crate) fn in_parallel<M, T>(
    n: usize,
    memory: impl Fn() -> M,
    job: impl Fn(&mut M, usize) -> T,
) -> Vec<T> {
    let mut memory = memory();
    (0..n).map(|at| job(&mut memory, at)).collect()
}

/// Does jobs by number, each worker in memory of its own, and gives what they made in order. Workers claim jobs
/// from a counter and write to slots of their own.
#[cfg(feature = "rayon")]
pub(crate) fn in_parallel<M, T: Send + Sync>(
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
