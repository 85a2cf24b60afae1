//! Distances from one pose to many targets, or from many starts to one target, by one search.
//!
//! All of it reads one cost field: what was searched for one question answers the next.

use crate::fields::cost_field::support::Direction;
use crate::fields::cost_field::{CostField, FieldScratch, Repaired, Settled, Until};
use crate::model::goal::{Goal, GoalMember};
use crate::model::path::Path;
use crate::model::pose::{Heading, Pose, State, StateSpace};
use crate::tables::MovementTables;
use crate::tables::components::Way;
use wheelbase_grid::Rect;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// Cost of a cheapest path in ticks.
    pub ticks: u32,
    /// The pose asked about; of a cell with any heading the nearest one, among equals the least heading.
    pub pose: Pose,
}

/// The exact distances of a class between one end and any number of poses: from the pose of an agent to
/// all that it may want to reach, or to a goal from all who may go there.
///
/// What is asked is searched for once, as far as it takes: a thousand targets cost what a field over the
/// map costs, the poses within a turn's range as much as there are such poses. The distances are kept: what
/// is settled is answered without a search, at each step of a move and for each agent again.
///
/// Memory: that of a [`CostField`], and 1 byte a state once first moves from a start are asked for. Once it
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
    /// [`COST_MAX`](crate::model::COST_MAX) ticks; as many answers as questions. A cell with any heading asks for
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
        Some((number as usize, self.measured(state)))
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

    /// The distance of a settled state.
    fn measured(&self, state: State) -> Distance {
        Distance { ticks: self.field.cost(state).unwrap_or_default(), pose: self.field.space().pose(state) }
    }

    /// The primitive that an agent begins with on the way to a settled pose, or from it to the goal: the
    /// first move of [`Distances::way`]. `None` where it need not move and where nothing is settled.
    ///
    /// Toward a goal it is read off. From a start the way is gone back, as far as no way was gone before.
    pub fn next_move(&mut self, tables: &MovementTables, pose: Pose) -> Option<u8> {
        let state = self.field.space().state(pose)?;
        self.field.cost(state)?;
        match self.field.direction() {
            Direction::ToGoal => self.field.next(tables, state).map(|next| next.primitive),
            Direction::FromStart => self.first_moves.towards(tables, &self.field, state),
        }
    }

    /// The distance of a pose, if it is settled already.
    pub fn settled(&self, pose: Pose) -> Option<Distance> {
        let state = self.field.space().state(pose)?;
        Some(Distance { ticks: self.field.cost(state)?, pose })
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
        let FirstMoves { moves, known, walk } = &self.first_moves;
        let lists =
            size_of::<State>() * self.ends.capacity() + size_of::<(State, u32)>() * self.asked.capacity();
        let moves = moves.capacity() + 4 * (known.capacity() + walk.capacity());
        self.field.memory_bytes() + lists + moves
    }
}

/// The poses on the map that a member names.
fn poses_of(space: StateSpace, member: &GoalMember) -> impl Iterator<Item = State> + use<> {
    let GoalMember { cell, heading } = *member;
    let headings = heading.map_or(0..space.headings(), |Heading(h)| h..h.saturating_add(1));
    headings.filter_map(move |h| space.state(Pose { cell, heading: Heading(h) }))
}

/// The first moves of the ways from a start, found by going the way back. Where ways have joined, one that
/// was gone answers for the rest: all ways together are walked once.
#[derive(Clone, Debug, Default)]
struct FirstMoves {
    /// `[n_states]`: the first move of the way there, where it is known. Empty until the first question.
    moves: Vec<u8>,
    /// States where it is.
    known: Vec<u32>,
    /// The way under the feet.
    walk: Vec<u32>,
}

const UNKNOWN: u8 = u8::MAX;

impl FirstMoves {
    fn forget(&mut self) {
        for state in self.known.drain(..) {
            self.moves[state as usize] = UNKNOWN;
        }
    }

    /// The first move to a settled state; `None` at the start.
    fn towards(&mut self, tables: &MovementTables, field: &CostField, state: State) -> Option<u8> {
        if self.moves.is_empty() {
            self.moves.resize(field.space().n_states(), UNKNOWN);
        }
        let mut at = state;
        let first = loop {
            let known = self.moves[at.0 as usize];
            if known != UNKNOWN {
                break known;
            }
            let before = field.next(tables, at)?;
            self.walk.push(at.0);
            at = before.state;
            // No move takes no time.
            if field.cost(at) == Some(0) {
                break before.primitive;
            }
        };
        for &state in &self.walk {
            self.moves[state as usize] = first;
        }
        self.known.append(&mut self.walk);
        Some(first)
    }
}
