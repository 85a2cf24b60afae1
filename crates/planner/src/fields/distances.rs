//! Distances from one pose to many targets, or from many starts to one target, by a single search.
//!
//! All queries read one cost field, so that the search for one query also serves the next.

use crate::fields::cost_field::support::Direction;
use crate::fields::cost_field::{CostField, RepairScratch, Repaired, SettleTarget, Settled};
use crate::model::goal::{Goal, GoalMember};
use crate::model::outcome::UNREACHED;
use crate::model::path::Path;
use crate::model::pose::{Heading, Pose, State, StateSpace};
use crate::tables::MovementTables;
use crate::tables::components::Reachability;
use wheelbase_grid::Rect;

/// Result of a distance query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Distance {
    /// Cost of a cheapest path in ticks.
    pub ticks: u32,
    /// The queried pose; for a cell with any heading the nearest one, among equals the least heading.
    pub pose: Pose,
}

/// The exact distances of a class between one end and any number of poses. They lead from the pose of an agent to all
/// possible targets, or to a goal from all possible starts.
///
/// Each region is searched once, only as far as needed. A thousand targets cost as much as a field over the map, the
/// poses in range of one turn as much as their number. Distances are kept: settled poses are answered without a search,
/// at each step of a move and for each agent.
///
/// Memory: that of a [`CostField`], and 1 byte per state once first moves from a start are queried. Does not
/// allocate once it has grown.
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
/// // The nearest target by path is not the nearest in a straight line.
/// let mut from = Distances::from_pose(&tables, Pose::new(3, 0, Heading(0)));
/// let targets = [(3, 2), (0, 0), (5, 1)].map(|(x, y)| GoalMember::any(CellXY::new(x, y)));
/// let mut found = Vec::new();
/// from.measure(&tables, &targets, &mut found);
/// let ticks: Vec<u32> = found.iter().flatten().map(|distance| distance.ticks).collect();
/// assert_eq!(ticks, [16, 10, 8]);
/// assert_eq!(from.nearest(&tables, &targets).map(|(target, _)| target), Some(2));
///
/// // All poses reachable in a turn of 4 ticks.
/// from.settle(&tables, SettleTarget::Within(4), u64::MAX);
/// assert_eq!(from.within(4).count(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Distances {
    field: CostField,
    /// The legal poses of the fixed end, as far as they are looked up in the components.
    ends: Vec<State>,
    /// Whether `ends` is complete.
    ends_known: bool,
    /// Queried poses, and the number of their query.
    asked: Vec<(State, u32)>,
    first_moves: FirstMoves,
}

/// Maximum number of goal poses checked against components; for larger goals the search detects unreachable
/// queries.
const ENDS_MAX: usize = 16;

/// Expansions between two checks of the queried poses.
const SLICE: u64 = 256;

impl Distances {
    /// From one pose to any.
    pub fn from_pose(tables: &MovementTables, start: Pose) -> Self {
        Self::new(tables, CostField::from_start(tables, &Goal::of(&[GoalMember::pose(start)])))
    }

    /// From any pose to the nearest pose of a goal.
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

    /// Restarts in the same memory from another pose, such as after a step. Time is proportional to the region
    /// around the settled poses.
    ///
    /// # Panics
    /// If these are distances to a goal, or the tables are of another map or class.
    pub fn restart_from(&mut self, tables: &MovementTables, start: Pose) {
        assert_eq!(self.field.direction(), Direction::FromStart, "these are distances to a goal");
        self.restart(tables, &Goal::of(&[GoalMember::pose(start)]));
    }

    /// Restarts in the same memory to another goal, like [`Distances::restart_from`].
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
    pub fn repair(
        &mut self,
        tables: &MovementTables,
        changed: Rect,
        scratch: &mut RepairScratch,
    ) -> Repaired {
        let repaired = self.field.repair(tables, changed, scratch);
        self.first_moves.forget();
        self.look_up_ends(tables);
        repaired
    }

    /// Settles poses in order of distance, at most `expansions` of them, up to the target: to spread the search
    /// over frames, or before [`Distances::within`].
    ///
    /// # Panics
    /// Like the queries, if the tables have followed an edit that these distances have not
    /// ([`Distances::repair`]).
    pub fn settle(&mut self, tables: &MovementTables, target: SettleTarget, expansions: u64) -> Settled {
        self.field.settle(tables, target, expansions)
    }

    /// Writes the distance of each queried pose, one answer per query; `None` if it is unreachable or farther
    /// than [`COST_MAX`](crate::model::COST_MAX) ticks. A cell with any heading queries its nearest pose.
    /// Returns the number of expansions.
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

    /// The nearest of the queried poses and its number, among equals the first. Settles no more than necessary.
    pub fn nearest(&mut self, tables: &MovementTables, asked: &[GoalMember]) -> Option<(usize, Distance)> {
        self.asked.clear();
        for (number, member) in asked.iter().enumerate() {
            self.ask(tables, number as u32, member);
        }
        let (number, state) = self.settle_first(tables).0?;
        Some((number as usize, self.measured(state)))
    }

    /// Lists the poses of a query that may be reachable.
    fn ask(&mut self, tables: &MovementTables, number: u32, member: &GoalMember) {
        let Self { field, ends, ends_known, asked, .. } = self;
        let components = tables.components();
        let may_lead = |&state: &State| {
            let way = |&end: &State| match field.direction() {
                Direction::ToGoal => components.reachability(state, end),
                Direction::FromStart => components.reachability(end, state),
            };
            !*ends_known || ends.iter().any(|end| way(end) != Reachability::No)
        };
        let states = poses_of(field.space(), member).filter(|&state| tables.is_legal(state));
        asked.extend(states.filter(may_lead).map(|state| (state, number)));
    }

    /// Continues until the nearest of the listed poses is settled; returns its query and state.
    fn settle_first(&mut self, tables: &MovementTables) -> (Option<(u32, State)>, u64) {
        let mut expansions = 0;
        if self.asked.is_empty() {
            return (None, 0);
        }
        let slice = SLICE.max(self.asked.len() as u64);
        loop {
            let costs = self.field.costs();
            let known = |&(state, number): &(State, u32)| (costs[state.0 as usize], number, state);
            let nearest = self.asked.iter().map(known).min().filter(|&(cost, ..)| cost != UNREACHED);
            let (target, budget) = match nearest {
                Some((cost, number, state)) if cost <= self.field.radius() => {
                    return (Some((number, state)), expansions);
                }
                // Reached by some path: anything nearer is settled within its cost.
                Some((cost, ..)) => (SettleTarget::Within(cost), u64::MAX),
                None if self.field.is_complete() => return (None, expansions),
                None => (SettleTarget::All, slice),
            };
            expansions += self.field.settle(tables, target, budget).expansions;
        }
    }

    /// The distance of a settled state.
    fn measured(&self, state: State) -> Distance {
        Distance { ticks: self.field.cost(state).unwrap_or_default(), pose: self.field.space().pose(state) }
    }

    /// The first primitive on the path to a settled pose, or from it to the goal: the first move of
    /// [`Distances::path`]. `None` if no move is needed or the pose is not settled.
    ///
    /// Towards a goal it is read from the field. From a start, the path is followed backward as far as it has
    /// not been followed before.
    pub fn next_move(&mut self, tables: &MovementTables, pose: Pose) -> Option<u8> {
        let state = self.field.space().state(pose)?;
        self.field.cost(state)?;
        match self.field.direction() {
            Direction::ToGoal => self.field.next(tables, state).map(|next| next.primitive),
            Direction::FromStart => self.first_moves.towards(tables, &self.field, state),
        }
    }

    /// The distance of a pose, if it is already settled.
    pub fn settled(&self, pose: Pose) -> Option<Distance> {
        let state = self.field.space().state(pose)?;
        Some(Distance { ticks: self.field.cost(state)?, pose })
    }

    /// Every settled pose of at most `ticks` and its distance, in order of state; complete once these are
    /// settled ([`SettleTarget::Within`]).
    pub fn within(&self, ticks: u32) -> impl Iterator<Item = (Pose, u32)> {
        self.field.within(ticks).map(|(state, cost)| (self.field.space().pose(state), cost))
    }

    /// Writes a cheapest path between the fixed end and a settled pose, in the direction of travel. Returns
    /// whether there is one.
    pub fn path(&self, tables: &MovementTables, pose: Pose, path: &mut Path) -> bool {
        path.clear();
        self.field.space().state(pose).is_some_and(|state| self.field.follow(tables, state, path))
    }

    /// The underlying field.
    pub fn field(&self) -> &CostField {
        &self.field
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        let FirstMoves { moves, known, walk } = &self.first_moves;
        let lists =
            size_of::<State>() * self.ends.capacity() + size_of::<(State, u32)>() * self.asked.capacity();
        let moves = moves.capacity() + 4 * (known.capacity() + walk.capacity());
        self.field.memory_bytes() + lists + moves
    }
}

/// The poses on the map named by a member.
fn poses_of(space: StateSpace, member: &GoalMember) -> impl Iterator<Item = State> + use<> {
    let GoalMember { cell, heading } = *member;
    let headings = heading.map_or(0..space.headings(), |Heading(h)| h..h.saturating_add(1));
    headings.filter_map(move |h| space.state(Pose { cell, heading: Heading(h) }))
}

/// The first moves of paths from a start, found by following paths backward. Paths that join share the result:
/// each state is visited only once over all queries.
#[derive(Clone, Debug, Default)]
struct FirstMoves {
    /// `[n_states]`: the first move of the path to each state, if known. Empty until the first query.
    moves: Vec<u8>,
    /// States with a known first move.
    known: Vec<u32>,
    /// States of the path being followed.
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
            // No move takes zero time.
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
