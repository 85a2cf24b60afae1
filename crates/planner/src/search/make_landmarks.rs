//! Landmarks: which poses, their distances, and from which promise on they pay.

use crate::fields::cost_field::frontier::{Block, Frontier};
use crate::fields::cost_field::support::{Direction, UNREACHED};
use crate::fields::cost_field::{CostField, Until};
use crate::model::goal::{Goal, GoalMember};
use crate::model::outcome::COST_MAX;
use crate::model::path::Path;
use crate::model::pose::State;
use crate::search::heuristic::Heuristic;
use crate::search::landmarks::{Distances, Landmarks, in_parallel};
use crate::search::open_list::BLOCK;
use crate::search::request::Request;
use crate::search::scratch::Scratch;
use crate::search::{least_cost_of, plan};
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::collections::BTreeMap;

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
}

/// Requests that are tried, and draws of each at most.
pub(crate) const TRIALS: usize = 24;

pub(crate) const DRAWS_MAX: usize = 64;

/// A trial ends after one in so many states, lest trials take longer than the distances.
pub(crate) const TRIAL_SHARE: usize = 8;

/// What an expansion by landmarks costs in permille of one by the norm (1.2 to 1.4 were measured).
pub(crate) const GUIDED_PERMILLE: u64 = 1300;

/// A drawn request: the landmarks' promise in permille of the norm's, and what it costs by either.
pub(crate) struct Trial {
    permille: u64,
    plain: u64,
    guided: u64,
}

/// Picks landmarks, see [`Landmarks::of`].
pub(crate) fn pick(tables: &MovementTables, n: usize) -> Vec<State> {
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
pub(crate) fn bring_nearer(
    tables: &MovementTables,
    landmark: State,
    nearest: &mut [u32],
    frontier: &mut Frontier,
) {
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
pub(crate) fn mark_largest_set(tables: &MovementTables, marks: &mut [u32]) -> Option<State> {
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
pub(crate) enum Plane {
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
    pub(crate) fn unknown(&self) -> i64 {
        match self {
            Self::Narrow(_) => i64::from(u16::MAX),
            Self::Wide(_) => i64::from(u32::MAX),
        }
    }
}

/// Works out one plane after the other in the memory of one field.
pub(crate) struct PlaneMaker<'a> {
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
