//! Distances from one pose to many targets, or from many starts to one target, by one search.
//!
//! All of it reads one cost field: what was searched for one question answers the next.

use crate::components::Way;
use crate::cost_field::{CostField, Direction, FieldScratch, Repaired, Settled, Until};
use crate::path::Path;
use crate::pose::{Heading, Pose, State, StateSpace};
use crate::request::{Goal, GoalMember};
use crate::tables::MovementTables;
use wheelbase_grid::Rect;

/// How far it is, and what to do first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// Cost of a cheapest path in ticks.
    pub ticks: u32,
    /// The pose asked about; of a cell with any heading the nearest one, among equals the least heading.
    pub pose: Pose,
    /// The primitive that the agent begins with; `None` where it need not move.
    pub next: Option<u8>,
}

/// The exact distances of a class between one end and any number of poses: from the pose of an agent to
/// all that it may want to reach, or to a goal from all who may go there.
///
/// What is asked is searched for once, as far as it takes: a thousand targets cost what a field over the
/// map costs, the poses within a turn's range as much as there are such poses. The distances are kept: what
/// is settled is answered without a search, at each step of a move and for each agent again.
///
/// Memory: that of a [`CostField`], and 4 bytes a state once first moves from a start are asked for. Once it
/// has grown nothing allocates.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
///
/// let grid = Grid::from_rows(&["......", ".WWWW.", "......"], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("robot", 4);
/// spec.primitives = Primitive::vehicle(2, 6, 2);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
///
/// // The nearest by the way there is not the nearest as the crow flies.
/// let mut from = Distances::from_pose(&tables, Pose::new(3, 0, Heading(0)));
/// let targets = [(3, 2), (0, 0), (5, 1)].map(|(x, y)| GoalMember::any(CellXY::new(x, y)));
/// let mut found = Vec::new();
/// from.measure(&tables, &targets, &mut found);
/// let ticks: Vec<u32> = found.iter().flatten().map(|distance| distance.ticks).collect();
/// assert_eq!(ticks, [16, 10, 8]);
/// assert_eq!(from.nearest(&tables, &targets).map(|(target, _)| target), Some(2));
///
/// // All that it can reach in a turn of 4 ticks.
/// from.settle(&tables, Until::Within(4), u64::MAX);
/// assert_eq!(from.within(4).count(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Distances {
    field: CostField,
    /// The legal poses of the one end, as many as are looked up in the components.
    ends: Vec<State>,
    /// Whether those are all.
    ends_known: bool,
    /// Poses of what is asked, and the number of the question.
    asked: Vec<(State, u32)>,
    first_moves: FirstMoves,
}

/// Of a goal of more poses than this, unreachable questions are found out by the search.
const ENDS_MAX: usize = 16;

/// Expansions between two looks at what is asked.
const SLICE: u64 = 256;

impl Distances {
    /// From one pose to any.
    pub fn from_pose(tables: &MovementTables, start: Pose) -> Self {
        Self::new(tables, CostField::from_start(tables, &Goal::of(&[GoalMember::pose(start)])))
    }

    /// From any pose to the nearest of a goal.
    pub fn to_goal(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self::new(tables, CostField::to_goal(tables, goal))
    }

    fn new(tables: &MovementTables, field: CostField) -> Self {
        let mut distances = Self {
            field,
            ends: Vec::with_capacity(ENDS_MAX),
            ends_known: true,
            asked: Vec::new(),
            first_moves: FirstMoves::default(),
        };
        distances.look_up_ends(tables);
        distances
    }

    fn look_up_ends(&mut self, tables: &MovementTables) {
        let Self { field, ends, ends_known, .. } = self;
        ends.clear();
        *ends_known = true;
        let space = field.space();
        field.goal().for_each_pose(space, |pose| {
            if let Some(state) = space.state(pose).filter(|&state| tables.is_legal(state)) {
                *ends_known &= ends.len() < ENDS_MAX;
                if *ends_known {
                    ends.push(state);
                }
            }
        });
    }

    /// Begins anew in the same memory from another pose, as after a step. Takes time in proportion to the
    /// poses around those that were settled.
    ///
    /// # Panics
    /// If these are distances to a goal, or the tables are of another map or class.
    pub fn restart_from(&mut self, tables: &MovementTables, start: Pose) {
        assert_eq!(self.field.direction(), Direction::FromStart, "these are distances to a goal");
        self.restart(tables, &Goal::of(&[GoalMember::pose(start)]));
    }

    /// Begins anew in the same memory to another goal, as [`Distances::restart_from`] does.
    ///
    /// # Panics
    /// If these are distances from a pose, or the tables are of another map or class.
    pub fn restart_to(&mut self, tables: &MovementTables, goal: &Goal<'_>) {
        assert_eq!(self.field.direction(), Direction::ToGoal, "these are distances from a pose");
        self.restart(tables, goal);
    }

    fn restart(&mut self, tables: &MovementTables, ends: &Goal<'_>) {
        self.field.restart(tables, ends);
        self.first_moves.forget();
        self.look_up_ends(tables);
    }

    /// Follows an edit of the map, after the tables have ([`CostField::repair`]).
    pub fn repair(&mut self, tables: &MovementTables, changed: Rect, scratch: &mut FieldScratch) -> Repaired {
        let repaired = self.field.repair(tables, changed, scratch);
        self.first_moves.forget();
        self.look_up_ends(tables);
        repaired
    }

    /// Settles poses in order of distance as far as `until` says, at most `expansions` of them: to spread
    /// the search over frames, or before [`Distances::within`].
    ///
    /// # Panics
    /// As the other questions, if the tables have followed an edit that these have not
    /// ([`Distances::repair`]).
    pub fn settle(&mut self, tables: &MovementTables, until: Until, expansions: u64) -> Settled {
        self.field.settle(tables, until, expansions)
    }

    /// Writes the distance of each pose asked about, `None` where there is no way or it takes more than
    /// [`COST_MAX`](crate::COST_MAX) ticks; as many answers as questions. A cell with any heading asks for
    /// its nearest pose. Returns the expansions that it took.
    pub fn measure(
        &mut self,
        tables: &MovementTables,
        asked: &[GoalMember],
        answers: &mut Vec<Option<Distance>>,
    ) -> u64 {
        answers.clear();
        let mut expansions = 0;
        for member in asked {
            self.asked.clear();
            self.ask(tables, 0, member);
            let (found, spent) = self.settle_first(tables);
            expansions += spent;
            answers.push(found.map(|(_, state)| self.measured(state)));
        }
        self.look_up_moves(tables, answers);
        expansions
    }

    /// The nearest of the poses asked about and its number, of equals the first; settles no more than that
    /// takes.
    pub fn nearest(&mut self, tables: &MovementTables, asked: &[GoalMember]) -> Option<(usize, Distance)> {
        self.asked.clear();
        for (number, member) in asked.iter().enumerate() {
            self.ask(tables, number as u32, member);
        }
        let (number, state) = self.settle_first(tables).0?;
        Some((number as usize, self.distance_of(tables, state)))
    }

    /// Lists the poses of a question that a way may lead to.
    fn ask(&mut self, tables: &MovementTables, number: u32, member: &GoalMember) {
        let Self { field, ends, ends_known, asked, .. } = self;
        let components = tables.components();
        let may_lead = |&state: &State| {
            let way = |&end: &State| match field.direction() {
                Direction::ToGoal => components.way(state, end),
                Direction::FromStart => components.way(end, state),
            };
            !*ends_known || ends.iter().any(|end| way(end) != Way::No)
        };
        let states = poses_of(field.space(), member).filter(|&state| tables.is_legal(state));
        asked.extend(states.filter(may_lead).map(|state| (state, number)));
    }

    /// Goes on until the nearest of the listed poses is settled: its question and the pose.
    fn settle_first(&mut self, tables: &MovementTables) -> (Option<(u32, State)>, u64) {
        let mut expansions = 0;
        if self.asked.is_empty() {
            return (None, 0);
        }
        let slice = SLICE.max(self.asked.len() as u64);
        loop {
            let costs = self.field.costs();
            let known = |&(state, number): &(State, u32)| (costs[state.0 as usize], number, state);
            let nearest = self.asked.iter().map(known).min().filter(|&(cost, ..)| cost != u32::MAX);
            let (until, budget) = match nearest {
                Some((cost, number, state)) if cost <= self.field.radius() => {
                    return (Some((number, state)), expansions);
                }
                // Reached by some way: what is nearer is settled within its cost.
                Some((cost, ..)) => (Until::Within(cost), u64::MAX),
                None if self.field.is_complete() => return (None, expansions),
                None => (Until::All, slice),
            };
            expansions += self.field.settle(tables, until, budget).expansions;
        }
    }

    fn distance_of(&mut self, tables: &MovementTables, state: State) -> Distance {
        let mut distance = [Some(self.measured(state))];
        self.look_up_moves(tables, &mut distance);
        let [distance] = distance;
        distance.unwrap_or_else(|| self.measured(state))
    }

    /// The distance of a settled state, without its first move.
    fn measured(&self, state: State) -> Distance {
        let ticks = self.field.cost(state).unwrap_or_default();
        Distance { ticks, pose: self.field.space().pose(state), next: None }
    }

    fn look_up_moves(&mut self, tables: &MovementTables, answers: &mut [Option<Distance>]) {
        let space = self.field.space();
        match self.field.direction() {
            Direction::FromStart => self.first_moves.find(tables, &self.field, answers),
            Direction::ToGoal => {
                for answer in answers.iter_mut().flatten() {
                    let next = space.state(answer.pose).and_then(|state| self.field.next(tables, state));
                    answer.next = next.map(|next| next.primitive);
                }
            }
        }
    }

    /// The distance of a pose, if it is settled already.
    pub fn settled(&mut self, tables: &MovementTables, pose: Pose) -> Option<Distance> {
        let state = self.field.space().state(pose)?;
        self.field.cost(state)?;
        Some(self.distance_of(tables, state))
    }

    /// Every settled pose of at most so many ticks and its distance, in order of state; all there are once
    /// they are settled ([`Until::Within`]).
    pub fn within(&self, ticks: u32) -> impl Iterator<Item = (Pose, u32)> {
        self.field.within(ticks).map(|(state, cost)| (self.field.space().pose(state), cost))
    }

    /// Writes a cheapest path between the one end and a settled pose, in the direction of travel. From a
    /// pose of a range, its moves backward are the way back to the start. Returns whether there is one.
    pub fn way(&self, tables: &MovementTables, pose: Pose, path: &mut Path) -> bool {
        path.clear();
        self.field.space().state(pose).is_some_and(|state| self.field.follow(tables, state, path))
    }

    /// What all this is read from.
    pub fn field(&self) -> &CostField {
        &self.field
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let FirstMoves { passed, trail, ways, walking } = &self.first_moves;
        let moves = 4 * (passed.capacity() + trail.capacity())
            + size_of::<Begins>() * ways.capacity()
            + size_of::<(u32, State)>() * walking.capacity();
        let lists =
            size_of::<State>() * self.ends.capacity() + size_of::<(State, u32)>() * self.asked.capacity();
        self.field.memory_bytes() + lists + moves
    }
}

/// The poses on the map that a member names.
fn poses_of(space: StateSpace, member: &GoalMember) -> impl Iterator<Item = State> + use<> {
    let GoalMember { cell, heading } = *member;
    let headings = heading.map_or(0..space.headings(), |Heading(h)| h..h.saturating_add(1));
    headings.filter_map(move |h| space.state(Pose { cell, heading: Heading(h) }))
}

/// The first moves of the ways from a start, found by going them back. Where two ways join, the first that
/// was gone answers for the rest of the other: all ways together are walked once. Those of one question are
/// walked side by side, a step each in turn, for a step waits for memory and the next one's does meanwhile.
#[derive(Clone, Debug, Default)]
struct FirstMoves {
    /// `[n_states]`: the way that was gone through the state, or [`NO_WAY`]. Empty until the first question.
    passed: Vec<u32>,
    /// States that some way was gone through.
    trail: Vec<u32>,
    /// First move of each way.
    ways: Vec<Begins>,
    /// Ways under foot: number, and the state that comes next.
    walking: Vec<(u32, State)>,
}

/// How a way begins.
#[derive(Clone, Copy, Debug)]
enum Begins {
    /// With a primitive.
    With(u8),
    /// As another way does.
    As(u32),
    /// Not known yet: it is still walked.
    Unknown,
}

const NO_WAY: u32 = u32::MAX;

impl FirstMoves {
    fn forget(&mut self) {
        for state in self.trail.drain(..) {
            self.passed[state as usize] = NO_WAY;
        }
        self.ways.clear();
    }

    /// Writes the first move of the way to each answer.
    fn find(&mut self, tables: &MovementTables, field: &CostField, answers: &mut [Option<Distance>]) {
        let space = field.space();
        if self.passed.is_empty() {
            self.passed.resize(space.n_states(), NO_WAY);
        }
        let first = self.ways.len() as u32;
        self.walking.clear();
        for answer in answers.iter_mut().flatten().filter(|answer| answer.ticks > 0) {
            let Some(state) = space.state(answer.pose) else { continue };
            match self.passed[state.0 as usize] {
                NO_WAY => {
                    self.walking.push((self.ways.len() as u32, state));
                    self.ways.push(Begins::Unknown);
                }
                way => answer.next = self.resolve(way),
            }
        }
        while !self.walking.is_empty() {
            self.step_all(tables, field);
        }
        let unanswered =
            answers.iter_mut().flatten().filter(|answer| answer.ticks > 0 && answer.next.is_none());
        for (way, answer) in (first..).zip(unanswered) {
            answer.next = self.resolve(way);
        }
    }

    /// In two passes, so that each waits for one array at a time and for many of its places at once.
    fn step_all(&mut self, tables: &MovementTables, field: &CostField) {
        let Self { passed, trail, ways, walking } = self;
        walking.retain(|&(way, at)| {
            let mark = &mut passed[at.0 as usize];
            let is_new = *mark == NO_WAY;
            if is_new {
                *mark = way;
                trail.push(at.0);
            } else {
                ways[way as usize] = Begins::As(*mark);
            }
            is_new
        });
        walking.retain_mut(|(way, at)| {
            let Some(before) = field.next(tables, *at) else { return false };
            *at = before.state;
            // No move takes no time, so the start alone has cost 0.
            let begins = field.cost(before.state) == Some(0);
            if begins {
                ways[*way as usize] = Begins::With(before.primitive);
            }
            !begins
        });
    }

    /// The first move of a way, which is noted for all ways that it begins as.
    fn resolve(&mut self, way: u32) -> Option<u8> {
        let mut last = way;
        while let Begins::As(other) = self.ways[last as usize] {
            last = other;
        }
        let begins = self.ways[last as usize];
        let mut at = way;
        while let Begins::As(other) = std::mem::replace(&mut self.ways[at as usize], begins) {
            at = other;
        }
        match begins {
            Begins::With(primitive) => Some(primitive),
            Begins::As(_) | Begins::Unknown => None,
        }
    }
}
