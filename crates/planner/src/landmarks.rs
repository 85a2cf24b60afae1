//! Landmarks: lower bounds from distances to a few chosen poses (ALT, Goldberg and Harrelson 2005).
//!
//! By the triangle inequality a way from `s` to `t` costs at least `d(L, t) - d(L, s)` and at least
//! `d(s, L) - d(t, L)`, for every landmark `L`. Where walls bend the ways, that is far more than any norm of
//! the displacement says.

use crate::cost_field::{CostField, UNREACHED, Until};
use crate::heuristic::Estimate;
use crate::pose::{State, StateSpace};
use crate::request::{Goal, GoalMember};
use crate::tables::MovementTables;

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
/// A request that is given them ([`crate::Heuristic::Landmarks`]) picks the few columns that promise most for
/// its start and goal, and none where the norm promises as much.
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
/// assert_eq!((answer.cost, answer.guide), (100, Guide::Landmarks));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Landmarks {
    space: StateSpace,
    states: Vec<State>,
    /// `[n_states * n_columns]`, the columns of a state one beside the other, so that a search reads them
    /// from one line of the cache. Two a landmark: the way from it before the way to it.
    distances: Distances,
    n_columns: usize,
    /// Most by which the distance to or from a landmark differs between the two ends of a move, in ticks;
    /// `u32::MAX` where moves are one-way.
    step_max: u32,
}

/// Distances in ticks; the greatest number where there is no way.
#[derive(Clone, Debug)]
enum Distances {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// A distance in a column.
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
    /// where there are no more poses.
    pub fn of(tables: &MovementTables, n: usize) -> Self {
        let step_max = if tables.is_reversible() { tables.most_ticks() as u32 } else { u32::MAX };
        let candidates = largest_set(tables);
        let n = n.min(candidates.len());
        let n_columns = 2 * n;
        let mut landmarks = Self {
            space: tables.space(),
            states: Vec::with_capacity(n),
            distances: Distances::Narrow(vec![u16::MAX; n_columns * tables.space().n_states()]),
            n_columns,
            step_max,
        };
        let Some(&first) = candidates.first() else { return landmarks };
        let pose_of = |state: State| [GoalMember::pose(tables.space().pose(state))];
        let mut from = CostField::from_start(tables, &Goal::of(&pose_of(first)));
        let mut to = CostField::to_goal(tables, &Goal::of(&pose_of(first)));
        // Distance to each candidate from the nearest landmark so far. The first landmark is the first
        // candidate: it lies at the rim of the map, as landmarks should.
        let mut nearest = vec![u32::MAX; candidates.len()];
        while landmarks.states.len() < n {
            // The farthest; of several the least.
            let farthest = nearest
                .iter()
                .zip(&candidates)
                .max_by_key(|(cost, state)| (**cost, std::cmp::Reverse(state.0)));
            let Some((_, &landmark)) = farthest.filter(|(cost, _)| **cost > 0) else { break };
            from.restart(tables, &Goal::of(&pose_of(landmark)));
            from.settle(tables, Until::All, u64::MAX);
            to.restart(tables, &Goal::of(&pose_of(landmark)));
            to.settle(tables, Until::All, u64::MAX);
            for (known, &state) in nearest.iter_mut().zip(&candidates) {
                *known = from.cost(state).unwrap_or(0).min(*known);
            }
            landmarks.distances.set_columns(n_columns, 2 * landmarks.states.len(), [&from, &to]);
            landmarks.states.push(landmark);
        }
        landmarks
    }

    /// The landmarks, in the order in which they were picked.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let distances = match &self.distances {
            Distances::Narrow(distances) => size_of_val(&distances[..]),
            Distances::Wide(distances) => size_of_val(&distances[..]),
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

    /// The columns that promise most from a start to a set of goals, unless the norm promises as much.
    pub(crate) fn choose(
        &self,
        start: State,
        norm: u32,
        for_each_goal: impl Fn(&mut dyn FnMut(State)),
    ) -> Option<Active> {
        let mut n_goals = 0;
        for_each_goal(&mut |_| n_goals += 1);
        if n_goals == 0 || n_goals > GOAL_POSES_MAX {
            return None;
        }
        let mut best = [(0_i64, Column::default()); ACTIVE];
        for number in 0..self.states.len() * 2 {
            let is_from = number % 2 == 0;
            let mut goal = if is_from { i64::MAX } else { 0 };
            for_each_goal(&mut |state| {
                let ticks = self.ticks(number, state);
                // From the landmark to the nearest goal that it reaches; from the farthest to the landmark.
                goal = if is_from { goal.min(ticks) } else { goal.max(ticks) };
            });
            let unknown = self.distances.unknown();
            if goal >= unknown {
                continue;
            }
            let sign = if is_from { -1 } else { 1 };
            let here = self.ticks(number, start);
            let promise = (here - goal) * sign;
            if here < unknown && promise > best[ACTIVE - 1].0 {
                best[ACTIVE - 1] = (promise, Column { number: number as u32, goal: goal * sign, sign });
                best.sort_by_key(|&(promise, column)| (std::cmp::Reverse(promise), column.number));
            }
        }
        if best[0].0 <= i64::from(norm) {
            return None;
        }
        // Where fewer promise anything, the best stands in for the others.
        Some(Active { columns: best.map(|(promise, column)| if promise > 0 { column } else { best[0].1 }) })
    }

    /// The distances of a choice.
    pub(crate) fn in_use(&self, active: &Active) -> InUse<'_> {
        match &self.distances {
            Distances::Narrow(distances) => {
                InUse::Narrow(ColumnsInUse { distances, n_columns: self.n_columns, active: *active })
            }
            Distances::Wide(distances) => {
                InUse::Wide(ColumnsInUse { distances, n_columns: self.n_columns, active: *active })
            }
        }
    }

    fn ticks(&self, column: usize, state: State) -> i64 {
        let at = state.0 as usize * self.n_columns + column;
        match &self.distances {
            Distances::Narrow(distances) => distances[at].ticks(),
            Distances::Wide(distances) => distances[at].ticks(),
        }
    }
}

fn states(tables: &MovementTables) -> impl Iterator<Item = State> {
    (0..tables.space().n_states() as u32).map(State)
}

/// The largest set of states between which moves lead both ways; without components all legal states.
fn largest_set(tables: &MovementTables) -> Vec<State> {
    let label = |state: State| match tables.components().strong_label(state) {
        Some(label) => Some(label),
        None => (!tables.components().are_known() && tables.is_legal(state)).then_some((0, 0)),
    };
    let mut labels: Vec<((u32, u32), State)> =
        states(tables).filter_map(|state| Some((label(state)?, state))).collect();
    labels.sort_unstable_by_key(|&(label, state)| (label, state.0));
    let largest =
        labels.chunk_by(|a, b| a.0 == b.0).max_by_key(|set| (set.len(), std::cmp::Reverse(set[0].1.0)));
    largest.map_or(Vec::new(), |set| set.iter().map(|&(_, state)| state).collect())
}

impl Distances {
    /// Writes the costs of two fields into two columns, of which this is the first.
    fn set_columns(&mut self, n_columns: usize, column: usize, fields: [&CostField; 2]) {
        if let Self::Narrow(distances) = self {
            let fits = |cost: &u32| *cost < u32::from(u16::MAX) || *cost == UNREACHED;
            if fields.iter().all(|field| field.costs().iter().all(fits)) {
                let narrow = |cost| u16::try_from(cost).unwrap_or(u16::MAX);
                write_columns(distances, (n_columns, column), fields, narrow);
                return;
            }
            let widen = |&cost: &u16| if cost == u16::MAX { u32::MAX } else { u32::from(cost) };
            *self = Self::Wide(distances.iter().map(widen).collect());
        }
        if let Self::Wide(distances) = self {
            write_columns(distances, (n_columns, column), fields, |cost| cost);
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

/// Writes the costs of two fields into a column and the next.
fn write_columns<D>(
    distances: &mut [D],
    (n_columns, column): (usize, usize),
    [from, to]: [&CostField; 2],
    of_cost: impl Fn(u32) -> D,
) {
    let costs = from.costs().iter().zip(to.costs());
    for (row, (&from, &to)) in distances.chunks_exact_mut(n_columns).zip(costs) {
        row[column] = of_cost(from);
        row[column + 1] = of_cost(to);
    }
}

/// A column in use: the bound at a state is `sign * distance - goal`.
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
    Narrow(ColumnsInUse<'a, u16>),
    Wide(ColumnsInUse<'a, u32>),
}

/// All distances, and which of them a search reads.
pub(crate) struct ColumnsInUse<'a, D> {
    distances: &'a [D],
    n_columns: usize,
    active: Active,
}

/// The greatest of the bounds of the columns in use and of the norm.
pub(crate) struct LandmarkEstimate<'a, D, L> {
    of: ColumnsInUse<'a, D>,
    norm: L,
}

impl<'a, D: Distance, L: Estimate> LandmarkEstimate<'a, D, L> {
    pub fn new(of: ColumnsInUse<'a, D>, norm: L) -> Self {
        Self { of, norm }
    }
}

impl<D: Distance, L: Estimate> Estimate for LandmarkEstimate<'_, D, L> {
    #[inline(always)]
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        let ColumnsInUse { distances, n_columns, active } = &self.of;
        let row = &distances[state as usize * n_columns..][..*n_columns];
        let mut bound = i64::from(self.norm.weighted(state, x, y, heading));
        for column in &active.columns {
            bound = bound.max(row[column.number as usize].ticks() * column.sign - column.goal);
        }
        bound as u32
    }
}
