//! Reuse of earlier searches to the same goal, exact by the rules of DESIGN 4.
//!
//! Ways to plan again after an edit, with what they need:
//! - a [`CostField`](crate::fields::CostField) that is repaired and followed: nothing is searched at all;
//! - [`Heuristic::Field`]: A* guided by the field from before edits that only made moves dearer;
//! - [`LearnedCosts`]: Adaptive A* (Koenig and Likhachev 2005), after such edits too;
//! - [`BackTraces`]: the cost-to-go along earlier paths ("ZCost" in the Robants article), at which a
//!   search may end.
//!
//! Which to choose after a block on somebody's path: the old field as [`Heuristic::Field`], unrepaired. It was 6 to
//! 27 times as fast as a fresh search on five maps, and is exact as long as moves have only become dearer.
//! Repairing the field first lost to the fresh search on four of these five: all that lies behind the block, seen
//! from the goal, gets a new cost. Repair pays where many agents follow the field afterwards, or where the
//! edit is off their paths.

use crate::model::goal::Goal;
use crate::model::outcome::{COST_MAX, Reached, Status};
use crate::model::path::{Path, PathPose};
use crate::model::pose::State;
use crate::search::heuristic::Heuristic;
use crate::search::learned_costs::LearnedCosts;
use crate::search::request::{Answer, Request};
use crate::search::scratch::Scratch;
use crate::search::{advance, begin, finish, plan};
use crate::tables::MovementTables;
use crate::tables::node::Node;
use wheelbase_grid::Rect;

impl LearnedCosts {
    /// Plans to the goal, whatever the request's goal and heuristic, and learns from the search if it found
    /// an exact path without window, obstacles and delays. Same answers as [`crate::plan`], costs equal.
    pub fn plan(
        &mut self,
        tables: &MovementTables,
        request: &Request<'_>,
        scratch: &mut Scratch,
        path: &mut Path,
    ) -> Answer {
        let guided =
            Request { goal: self.goal(), area: None, heuristic: Heuristic::Learned(self), ..*request };
        let answer = plan(tables, &guided, scratch, path);
        if answer.reached == Some(Reached::Goal) && is_plain(request) {
            self.learn(tables, scratch, answer.cost);
        }
        answer
    }

    /// Goes through what the search closed, from its start on. Time in proportion to the expansions.
    fn learn(&mut self, tables: &MovementTables, scratch: &mut Scratch, cost: u32) {
        let Scratch { nodes, stamp, run, .. } = scratch;
        let Some(start) = run.start else { return };
        self.stack.clear();
        self.stack.push(start.0);
        while let Some(state) = self.stack.pop() {
            let node = &mut nodes[state as usize];
            if Node::stamp(*node) != *stamp || *node & Node::CLOSED == 0 {
                continue;
            }
            *node &= !Node::CLOSED;
            let bound = &mut self.bounds[state as usize];
            *bound = cost.saturating_sub(Node::cost(*node)).max(*bound);
            tables.for_each_successor(State(state), |next| self.stack.push(next.state.0));
        }
    }
}

/// Whether an answer says something of the map alone.
fn is_plain(request: &Request<'_>) -> bool {
    let bounded = request.window.is_some() || request.obstacles.is_some();
    !bounded && request.penalties.is_none() && request.weight_permille == 1000
}

/// The cost-to-go along the paths of earlier searches to one goal, shared by all agents of a class that
/// go there. A search that meets such a pose need not look beyond it; it ends there as soon as nothing
/// else can be cheaper, and the known way on completes the path.
///
/// A cost is exact while the way on from its pose is unchanged and nothing anywhere has become cheaper;
/// [`BackTraces::after_edit`] drops the rest. Memory: 5 bytes a state and 4 a pose on a kept path.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::fields::BackTraces;
///
/// let grid = Grid::from_rows(&[".........."; 4], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_ways(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(9, 3))];
/// let mut traces = BackTraces::new(&tables, &Goal::of(&goal));
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// let request = Request::new(Pose::new(0, 0, Heading(0)), Goal::of(&goal));
/// let first = traces.plan(&tables, &request, &mut scratch, &mut path);
/// // Another agent on the same way: it is known from the first pose on.
/// let follower = Request::new(path.poses[3].pose, Goal::of(&goal));
/// let second = traces.plan(&tables, &follower, &mut scratch, &mut path);
/// assert_eq!((first.cost, second.cost, second.expansions), (120, 90, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BackTraces {
    /// The exact costs.
    known: LearnedCosts,
    /// `[n_states]`: the primitive of the way on, [`GOAL`] at the goal, else [`UNKNOWN`].
    moves: Vec<u8>,
    /// States whose cost is known, each after the one that its way on leads to.
    states: Vec<u32>,
}

const GOAL: u8 = 16;
const UNKNOWN: u8 = 17;

impl BackTraces {
    /// No path kept yet.
    pub fn new(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self {
            known: LearnedCosts { exits: true, ..LearnedCosts::new(tables, goal) },
            moves: vec![UNKNOWN; tables.space().n_states()],
            states: Vec::new(),
        }
    }

    /// The goal.
    pub fn goal(&self) -> Goal<'_> {
        self.known.goal()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.known.memory_bytes() + self.moves.capacity() + 4 * self.states.capacity()
    }

    /// The known cost of the rest of the way from a pose in ticks.
    pub fn cost(&self, state: State) -> Option<u32> {
        (self.moves[state.0 as usize] != UNKNOWN).then(|| self.known.bounds[state.0 as usize])
    }

    /// Plans to the goal, whatever the request's goal and heuristic, and keeps the path. Same answers as
    /// [`crate::plan`], costs equal. A request with a window, obstacles, delays or a weight neither uses nor
    /// adds anything.
    pub fn plan(
        &mut self,
        tables: &MovementTables,
        request: &Request<'_>,
        scratch: &mut Scratch,
        path: &mut Path,
    ) -> Answer {
        if !is_plain(request) {
            let request =
                Request { goal: self.goal(), area: None, heuristic: Heuristic::Default, ..*request };
            return plan(tables, &request, scratch, path);
        }
        let guided =
            Request { goal: self.goal(), area: None, heuristic: Heuristic::Learned(&self.known), ..*request };
        begin(tables, &guided, scratch);
        if scratch.run.prepared.is_some() {
            self.states.iter().for_each(|&state| scratch.mark_goal(State(state)));
        }
        advance(tables, &guided, scratch, u64::MAX);
        let mut answer = finish(tables, &guided, scratch, path);
        if answer.reached == Some(Reached::Goal) {
            if self.complete(tables, path) {
                self.keep(tables, path);
                answer.cost = path.cost();
            } else {
                path.clear();
                answer = Answer { status: Status::CostOverflow, reached: None, cost: 0, ..answer };
            }
        }
        answer
    }

    /// Adds the known way on to a path that ends where one begins; `false` if the whole is too long.
    fn complete(&self, tables: &MovementTables, path: &mut Path) -> bool {
        let space = tables.space();
        let Some(last) = path.poses.last() else { return true };
        let Some(mut state) = space.state(last.pose) else { return true };
        let whole = last.arrival.checked_add(self.cost(state).unwrap_or(0));
        let Some(cost) = whole.filter(|&cost| cost <= COST_MAX) else { return false };
        while self.moves[state.0 as usize] < GOAL {
            let primitive = self.moves[state.0 as usize];
            state = tables.state_after(state, primitive as usize);
            path.moves.push(primitive);
            let arrival = cost - self.known.bounds[state.0 as usize];
            path.poses.push(PathPose { pose: space.pose(state), arrival });
        }
        true
    }

    /// Keeps what a cheapest path tells, from its end on.
    fn keep(&mut self, tables: &MovementTables, path: &Path) {
        let cost = path.cost();
        for (at, place) in path.poses.iter().enumerate().rev() {
            let primitive = path.moves.get(at).copied().unwrap_or(GOAL);
            let Some(state) = tables.space().state(place.pose) else { continue };
            if self.moves[state.0 as usize] == UNKNOWN {
                self.moves[state.0 as usize] = primitive;
                self.known.bounds[state.0 as usize] = cost - place.arrival;
                self.states.push(state.0);
            }
        }
    }

    /// Drops what an edit has voided, after [`MovementTables::update`] has followed it: where it only made
    /// moves dearer or illegal, the ways that lead through the changed rectangle; else all. Time in
    /// proportion to the poses kept.
    pub fn after_edit(&mut self, tables: &MovementTables, changed: Rect, only_dearer: bool) {
        let anchors = tables.touched_anchors(changed);
        let Self { known, moves, states, .. } = self;
        states.retain(|&state| {
            let at = state as usize;
            let touched = anchors.contains(tables.space().pose(State(state)).cell);
            let next = match moves[at] {
                GOAL => None,
                primitive => Some((primitive, tables.state_after(State(state), primitive as usize))),
            };
            // The state after it has been judged before it.
            let holds = only_dearer
                && match next {
                    None => !touched || tables.is_legal(State(state)),
                    Some((_, after)) if moves[after.0 as usize] == UNKNOWN => false,
                    Some((primitive, after)) => {
                        let ticks = known.bounds[at] - known.bounds[after.0 as usize];
                        !touched || tables.move_ticks(State(state), primitive as usize) == Some(ticks)
                    }
                };
            if !holds {
                moves[at] = UNKNOWN;
                known.bounds[at] = 0;
            }
            holds
        });
    }

    /// Drops all, for another goal set or map.
    pub fn forget(&mut self) {
        for &state in &self.states {
            self.moves[state as usize] = UNKNOWN;
            self.known.bounds[state as usize] = 0;
        }
        self.states.clear();
    }
}
