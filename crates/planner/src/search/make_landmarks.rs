//! Creation of landmarks: selection, distances, and calibration.

use crate::fields::cost_field::frontier::{Block, Frontier};
use crate::fields::cost_field::support::Direction;
use crate::fields::cost_field::{CostField, SettleTarget};
use crate::model::goal::{Goal, GoalMember};
use crate::model::outcome::{COST_MAX, UNREACHED};
use crate::model::path::Path;
use crate::model::pose::State;
use crate::open_list::BLOCK;
use crate::search::heuristic::Heuristic;
use crate::search::landmarks::{LandmarkDistances, Landmarks, in_parallel};
use crate::search::request::Request;
use crate::search::scratch::Scratch;
use crate::search::{cost_lower_bound_of, plan};
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::collections::BTreeMap;

impl Landmarks {
    /// Selects at most `n` landmarks in the largest set of mutually reachable poses. The first is the first pose of the
    /// set. Each other is as far as possible from the previous ones. Computes their distances. There are fewer
    /// landmarks if there are fewer poses. Tables without [components](MovementTables::make_components) are assumed to
    /// have one such set, which may be wrong.
    ///
    /// With the feature `rayon` distances are computed in parallel on the current pool; results do not depend
    /// on the number of threads.
    pub fn of(tables: &MovementTables, n: usize) -> Self {
        let mut landmarks = Self::at(tables, pick(tables, n), Some(0));
        landmarks.threshold_permille = landmarks.calibrate(tables);
        landmarks
    }

    /// Landmarks at given poses, with a [threshold](Landmarks::threshold_permille) that is known, such as
    /// landmarks of [`Landmarks::of`] after repairs.
    pub fn at(tables: &MovementTables, states: Vec<State>, threshold_permille: Option<u64>) -> Self {
        let (distances, step_max) = (LandmarkDistances::of(tables, &states), Self::step_max_of(tables));
        Self { space: tables.space(), states, distances, step_max, threshold_permille }
    }

    /// Ticks of the longest move and its reverse; `u32::MAX` for a class with one-way moves.
    pub(super) fn step_max_of(tables: &MovementTables) -> u32 {
        if tables.is_reversible() { tables.max_ticks() as u32 } else { u32::MAX }
    }

    /// Runs sample requests to find the minimum ratio of bounds from which on landmarks save more expansions
    /// than they cost. A guided expansion is assumed to cost [`GUIDED_PERMILLE`] of one by the norm.
    fn calibrate(&self, tables: &MovementTables) -> Option<u64> {
        let drawn = self.sample_requests();
        let expansions_max = (self.space.n_states() / SAMPLE_SHARE).max(1) as u64;
        let mut samples = in_parallel(drawn.len(), Scratch::new, |scratch, at| {
            let [start, goal] = drawn[at].map(|state| self.space.pose(state));
            let members = [GoalMember::pose(goal)];
            let mut request = Request::new(start, Goal::of(&members));
            request.expansions_max = Some(expansions_max);
            let norm = u64::from(cost_lower_bound_of(tables, &request)).max(1);
            let plain = plan(tables, &request, scratch, &mut Path::new()).expansions;
            request.heuristic = Heuristic::Landmarks(self);
            let guided = plan(tables, &request, scratch, &mut Path::new()).expansions;
            Sample {
                permille: self.bound(drawn[at]) * 1000 / norm,
                plain: plain * 1000,
                guided: guided * GUIDED_PERMILLE,
            }
        });
        // At the ratio of a sample, landmarks guide it and all samples with a larger ratio.
        samples.sort_by_key(|sample| Reverse(sample.permille));
        let mut cost: u64 = samples.iter().map(|sample| sample.plain).sum();
        let mut best = (cost, None);
        for equals in samples.chunk_by(|a, b| a.permille == b.permille) {
            for sample in equals {
                cost = cost - sample.plain + sample.guided;
            }
            if cost < best.0 {
                best = (cost, Some(equals[0].permille));
            }
        }
        best.1
    }

    /// Pairs of mutually reachable poses, drawn from a fixed seed.
    fn sample_requests(&self) -> Vec<[State; 2]> {
        let n_states = self.space.n_states() as u64;
        let mut seed = 1_u64;
        let mut draw = || {
            // Knuth's linear congruential generator, high bits.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            State((((seed >> 32) * n_states) >> 32) as u32)
        };
        let unreachable = self.distances.unreachable();
        let first_columns = [0, self.states.len()];
        let is_in_set =
            |state: &State| first_columns.iter().all(|&column| self.ticks(column, *state) < unreachable);
        let mut drawn = Vec::with_capacity(SAMPLES);
        if self.states.is_empty() {
            return drawn;
        }
        for _ in 0..SAMPLES * DRAWS_PER_SAMPLE {
            let pair = [draw(), draw()];
            if pair.iter().all(is_in_set) && drawn.len() < SAMPLES {
                drawn.push(pair);
            }
        }
        drawn
    }

    /// The largest landmark bound from one state of the set to another.
    fn bound(&self, [start, goal]: [State; 2]) -> u64 {
        let n = self.states.len();
        let of = |column: usize| {
            let difference = self.ticks(column, goal) - self.ticks(column, start);
            if column < n { difference } else { -difference }
        };
        (0..2 * n).map(of).max().map_or(0, |bound| bound.max(0) as u64)
    }
}

/// Number of sample requests, and maximum number of draws per sample.
pub(crate) const SAMPLES: usize = 24;

pub(crate) const DRAWS_PER_SAMPLE: usize = 64;

/// A sample ends after one expansion per this many states, so that calibration takes less time than the
/// distances.
pub(crate) const SAMPLE_SHARE: usize = 8;

/// Cost of an expansion guided by landmarks, in thousandths of one by the norm (measured: 1.2 to 1.4).
pub(crate) const GUIDED_PERMILLE: u64 = 1300;

/// A sample request: the ratio of the landmark bound to the norm's bound in thousandths, and its cost with either.
pub(crate) struct Sample {
    permille: u64,
    plain: u64,
    guided: u64,
}

/// Selects landmarks, see [`Landmarks::of`].
pub(crate) fn pick(tables: &MovementTables, n: usize) -> Vec<State> {
    // Ticks to each state of the set from the nearest landmark so far; 0 for all others. The first landmark is
    // the first state of the set: it lies at the border of the map, where landmarks work best.
    let mut nearest = vec![0; tables.space().n_states()];
    let mut landmarks = Vec::with_capacity(n);
    let mut next = mark_largest_set(tables, &mut nearest);
    let mut frontier = Frontier::default();
    while let Some(landmark) = next.filter(|_| landmarks.len() < n) {
        landmarks.push(landmark);
        relax_from(tables, landmark, &mut nearest, &mut frontier);
        // The farthest state; among equals the least. Costs that overflow count as unreachable.
        let known = nearest.iter().zip(0..).filter(|(ticks, _)| (1..UNREACHED).contains(*ticks));
        next = known.max_by_key(|&(ticks, state)| (ticks, Reverse(state))).map(|(_, state)| State(state));
    }
    landmarks
}

/// Relaxes distances from one more landmark as long as it is nearer than the previous ones. Beyond a state that
/// is as near to another landmark, that landmark is as near everywhere.
pub(crate) fn relax_from(
    tables: &MovementTables,
    landmark: State,
    nearest: &mut [u32],
    frontier: &mut Frontier,
) {
    frontier.reset(tables.max_ticks(), 0);
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

/// Writes [`UNREACHED`] to the states of the largest set of mutually reachable states, among equals the first,
/// and returns its first state. Without components all legal states form one set.
pub(crate) fn mark_largest_set(tables: &MovementTables, marks: &mut [u32]) -> Option<State> {
    let label = |state: State| match tables.components().strong_label(state) {
        Some(label) => Some(label),
        None => (!tables.components().are_known() && tables.is_legal(state)).then_some((0, 0)),
    };
    let states = || (0..tables.space().n_states() as u32).map(State);
    // Adjacent states mostly belong to one set, so they are counted run by run.
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

/// A column during creation: narrow if its values fit.
pub(crate) enum DistanceColumn {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl DistanceColumn {
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
            Self::Narrow(column) => column.into_iter().map(ticks).collect(),
            Self::Wide(column) => column,
        }
    }
}

impl LandmarkDistances {
    /// Computes the columns of landmarks: all narrow, or all wide.
    fn of(tables: &MovementTables, landmarks: &[State]) -> Self {
        // All of one direction first, because a worker can reuse its field while the direction stays the same.
        let directions = [Direction::FromStart, Direction::ToGoal];
        let jobs = directions.map(|direction| landmarks.iter().map(move |&state| (state, direction)));
        let jobs: Vec<_> = jobs.into_iter().flatten().collect();
        let builder = || ColumnBuilder { tables, field: None };
        let columns = in_parallel(jobs.len(), builder, |builder, at| builder.build(jobs[at]));
        let wide = columns.iter().any(|column| matches!(column, DistanceColumn::Wide(_)));
        let narrow = |column| match column {
            DistanceColumn::Narrow(column) => Some(column),
            DistanceColumn::Wide(_) => None,
        };
        match wide {
            true => Self::Wide(columns.into_iter().map(DistanceColumn::widen).collect()),
            false => Self::Narrow(columns.into_iter().filter_map(narrow).collect()),
        }
    }
}

/// Computes one column after another in the memory of one field.
pub(crate) struct ColumnBuilder<'a> {
    tables: &'a MovementTables,
    field: Option<CostField>,
}

impl ColumnBuilder<'_> {
    fn build(&mut self, (landmark, direction): (State, Direction)) -> DistanceColumn {
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
        field.settle(tables, SettleTarget::All, u64::MAX);
        DistanceColumn::of(field.costs())
    }
}
