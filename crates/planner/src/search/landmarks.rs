//! Landmarks: lower bounds from distances to a few chosen poses (ALT, Goldberg and Harrelson 2005).
//!
//! By the triangle inequality a path from `s` to `t` costs at least `d(L, t) - d(L, s)` and at least `d(s, L) -
//! d(t, L)` for every landmark `L`. Where walls force detours, this far exceeds any norm of the displacement.

use crate::model::pose::{State, StateSpace};
use crate::search::estimate::Estimate;
use std::cmp::Reverse;

/// Columns of distances read by a search: more give tighter bounds but cost more per pose.
pub(crate) const SELECTED: usize = 3;

/// Maximum number of goal poses; for larger goals landmarks are not used.
const GOAL_POSES_MAX: usize = 4096;

/// Exact distances in ticks from and to a few landmarks, for every pose of a class on a map.
///
/// They remain lower bounds as long as no move becomes legal or cheaper than when they were made. If made on a map
/// without its buildings, doors and crops, they hold while these come and go. They do not track edits; on a map where
/// some move is cheaper, answers become inexact until a repair ([`Landmarks::begin_repair`]).
///
/// A request with landmarks ([`crate::search::Heuristic::Landmarks`]) uses landmarks with the largest bounds between
/// its start and goal. It uses them only if these exceed the norm's bound enough to pay for their evaluation. That
/// threshold is calibrated at creation, from the expansions of a few fixed pseudo-random requests on the map.
///
/// Memory: 4 bytes per landmark and state if no distance exceeds 65,534 ticks, else 8. Creation takes two cost
/// fields per landmark.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::{Guide, Heuristic, HeuristicName, Landmarks};
///
/// let rows = ["......", ".WWWW.", "...W..", ".W.WW.", ".W...."];
/// let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_directions(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let landmarks = Landmarks::of(&tables, 4);
/// let goal = [GoalMember::any(CellXY::new(4, 2))];
/// let mut request = Request::new(Pose::new(0, 2, Heading(0)), Goal::of(&goal));
/// request.heuristic = Heuristic::Landmarks(&landmarks);
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// let answer = plan(&tables, &request, &mut scratch, &mut path);
/// assert_eq!(answer.cost, 100);
/// // On so small a map they save nothing, as the calibration found.
/// assert_eq!(answer.guide, Guide::Norm(HeuristicName::Manhattan));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Landmarks {
    pub(crate) space: StateSpace,
    pub(crate) states: Vec<State>,
    pub(crate) distances: LandmarkDistances,
    /// Maximum difference of a landmark's distances between the two ends of a move, in ticks; `u32::MAX` for
    /// one-way moves.
    pub(crate) step_max: u32,
    /// Minimum ratio of the landmark bound to the norm's bound, in thousandths, from which on they guide a
    /// request; `None` if they never pay off.
    pub(crate) threshold_permille: Option<u64>,
}

/// Distances in ticks, one column `[n_states]` per landmark and direction: first all distances from landmarks,
/// then all to them. A search reads a few columns, and only their nearby entries; interleaved, the other
/// columns would fill the cache. The maximum value of the type means unreachable.
#[derive(Clone, Debug)]
pub(crate) enum LandmarkDistances {
    Narrow(Vec<Vec<u16>>),
    Wide(Vec<Vec<u32>>),
}

impl LandmarkDistances {
    /// The value that means unreachable.
    pub(crate) fn unreachable(&self) -> i64 {
        match self {
            Self::Narrow(_) => i64::from(u16::MAX),
            Self::Wide(_) => i64::from(u32::MAX),
        }
    }
}

/// A distance as stored in a column.
pub(crate) trait StoredDistance: Copy {
    fn ticks(self) -> i64;
}

impl StoredDistance for u16 {
    #[inline(always)]
    fn ticks(self) -> i64 {
        i64::from(self)
    }
}

impl StoredDistance for u32 {
    #[inline(always)]
    fn ticks(self) -> i64 {
        i64::from(self)
    }
}

impl Landmarks {
    /// The landmarks, in order of selection.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The least ratio of their bound to the norm's bound, in thousandths, from which on they guide a request; `None`
    /// if they never pay off.
    pub fn threshold_permille(&self) -> Option<u64> {
        self.threshold_permille
    }

    /// Ticks from a landmark, by its index, to a state, and back; `None` without a way.
    pub fn distances(&self, landmark: usize, state: State) -> [Option<u32>; 2] {
        let unreachable = self.distances.unreachable();
        [landmark, landmark + self.states.len()].map(|column| {
            let ticks = self.ticks(column, state);
            (ticks < unreachable).then_some(ticks as u32)
        })
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        let n_states = self.space.n_states();
        let distances = match &self.distances {
            LandmarkDistances::Narrow(columns) => columns.len() * n_states * size_of::<u16>(),
            LandmarkDistances::Wide(columns) => columns.len() * n_states * size_of::<u32>(),
        };
        size_of::<Self>() + distances + self.states.len() * size_of::<State>()
    }

    /// Maximum change of an estimate by one move.
    pub(crate) fn step_max(&self) -> u32 {
        self.step_max
    }

    pub(crate) fn space(&self) -> StateSpace {
        self.space
    }

    /// The columns with the largest bounds from a start to a set of goals, if these pay off compared to the
    /// norm.
    pub(crate) fn choose(
        &self,
        start: State,
        norm: u32,
        for_each_goal: impl Fn(&mut dyn FnMut(State)),
    ) -> Option<ColumnSelection> {
        let threshold_permille = self.threshold_permille?;
        let mut n_goals = 0;
        for_each_goal(&mut |_| n_goals += 1);
        if n_goals == 0 || n_goals > GOAL_POSES_MAX {
            return None;
        }
        // Distances are read in batches before any is evaluated, so that the loads overlap.
        let n_from = self.states.len();
        let unreachable = self.distances.unreachable();
        let mut best = [(0_i64, SelectedColumn::default()); SELECTED];
        let mut ends = [(0_i64, 0_i64); BATCH];
        for first in (0..2 * n_from).step_by(BATCH) {
            let columns = first..(first + BATCH).min(2 * n_from);
            for (number, end) in columns.clone().zip(&mut ends) {
                let is_from = number < n_from;
                let mut goal = if is_from { i64::MAX } else { 0 };
                for_each_goal(&mut |state| {
                    let ticks = self.ticks(number, state);
                    // From the landmark to the nearest reachable goal; or from the farthest goal to the
                    // landmark.
                    goal = if is_from { goal.min(ticks) } else { goal.max(ticks) };
                });
                *end = (self.ticks(number, start), goal);
            }
            for (number, &(here, goal)) in columns.zip(&ends) {
                let sign = if number < n_from { -1 } else { 1 };
                let bound = (here - goal) * sign;
                if goal < unreachable && here < unreachable && bound > best[SELECTED - 1].0 {
                    best[SELECTED - 1] =
                        (bound, SelectedColumn { number: number as u32, goal: goal * sign, sign });
                    best.sort_by_key(|&(bound, column)| (Reverse(bound), column.number));
                }
            }
        }
        let bound = best[0].0 as u64;
        if bound == 0 || bound * 1000 < u64::from(norm) * threshold_permille {
            return None;
        }
        // If fewer columns give a bound, the best one takes the remaining slots.
        Some(ColumnSelection {
            columns: best.map(|(bound, column)| if bound > 0 { column } else { best[0].1 }),
        })
    }

    /// The columns of a selection.
    pub(crate) fn selected(&self, selection: &ColumnSelection) -> SelectedColumns<'_> {
        match &self.distances {
            LandmarkDistances::Narrow(columns) => SelectedColumns::Narrow(ColumnRefs::of(columns, selection)),
            LandmarkDistances::Wide(columns) => SelectedColumns::Wide(ColumnRefs::of(columns, selection)),
        }
    }

    pub(crate) fn ticks(&self, column: usize, state: State) -> i64 {
        match &self.distances {
            LandmarkDistances::Narrow(columns) => columns[column][state.0 as usize].ticks(),
            LandmarkDistances::Wide(columns) => columns[column][state.0 as usize].ticks(),
        }
    }
}

/// Columns whose distances are loaded in one batch.
const BATCH: usize = 32;

/// Runs jobs `0..n`, each worker with its own memory, and returns their results in order.
#[cfg(not(feature = "rayon"))]
pub(crate) fn in_parallel<M, T>(
    n: usize,
    memory: impl Fn() -> M,
    job: impl Fn(&mut M, usize) -> T,
) -> Vec<T> {
    let mut memory = memory();
    (0..n).map(|at| job(&mut memory, at)).collect()
}

/// Runs jobs `0..n`, each worker with its own memory, and returns their results in order. Workers claim jobs
/// from a counter and write to separate slots.
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
    let work = || {
        let mut memory = memory();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = slots.get(at) else { break };
            slot.get_or_init(|| job(&mut memory, at));
        }
    };
    // Outside a pool rayon would create its global one.
    let workers = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads().min(n));
    if workers > 1 {
        (0..workers).into_par_iter().with_max_len(1).for_each(|_| work());
    } else {
        work();
    }
    slots.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// A selected column: the bound at a state is `sign * distance - goal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SelectedColumn {
    number: u32,
    goal: i64,
    sign: i64,
}

/// The columns that a search reads, and the goal's distance in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ColumnSelection {
    columns: [SelectedColumn; SELECTED],
}

impl ColumnSelection {
    /// Whether these are columns of the landmarks, with bounds that can be computed.
    pub(crate) fn is_of(&self, landmarks: &Landmarks) -> bool {
        let goals = -i64::from(u32::MAX)..=i64::from(u32::MAX);
        self.columns.iter().all(|column| {
            (column.number as usize) < 2 * landmarks.states.len()
                && column.sign.abs() == 1
                && goals.contains(&column.goal)
        })
    }
}

/// References to the selected columns, by the width of their distances.
pub(crate) enum SelectedColumns<'a> {
    Narrow(ColumnRefs<'a, u16>),
    Wide(ColumnRefs<'a, u32>),
}

/// References to the selected columns.
pub(crate) struct ColumnRefs<'a, D> {
    columns: [(&'a [D], SelectedColumn); SELECTED],
}

impl<'a, D: StoredDistance> ColumnRefs<'a, D> {
    fn of(columns: &'a [Vec<D>], selection: &ColumnSelection) -> Self {
        Self { columns: selection.columns.map(|column| (&columns[column.number as usize][..], column)) }
    }
}

/// The maximum of the norm and the bounds of the selected columns.
pub(crate) struct LandmarkEstimate<'a, D, L> {
    of: ColumnRefs<'a, D>,
    norm: L,
}

impl<'a, D: StoredDistance, L: Estimate> LandmarkEstimate<'a, D, L> {
    pub fn new(of: ColumnRefs<'a, D>, norm: L) -> Self {
        Self { of, norm }
    }
}

impl<D: StoredDistance, L: Estimate> Estimate for LandmarkEstimate<'_, D, L> {
    #[inline(always)]
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        let mut bound = i64::from(self.norm.weighted(state, x, y, heading));
        for (distances, column) in &self.of.columns {
            bound = bound.max(distances[state as usize].ticks() * column.sign - column.goal);
        }
        bound as u32
    }
}
