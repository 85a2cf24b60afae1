//! Reuse of earlier searches for the same goal, exact under the stated conditions.
//!
//! Options for replanning after an edit, with their requirements:
//! - a [`CostField`](crate::fields::CostField) that is repaired and followed: no search at all;
//! - [`Heuristic::Field`]: A* guided by the field from before edits that only made moves dearer;
//! - [`LearnedCosts`]: Adaptive A* (Koenig and Likhachev 2005), also after such edits;
//! - [`BackTraces`]: the cost-to-go along earlier paths ("ZCost" in the Robants article), at which a search may
//!   end.
//!
//! Recommendation after a path is blocked: the old field as [`Heuristic::Field`], unrepaired. It was 6 to 27 times as
//! fast as a fresh search on five maps. It is exact as long as moves have only become dearer. Repairing the field first
//! was slower than the fresh search on four of these five. Every pose behind the block, seen from the goal, gets a new
//! cost. Repair pays off if many agents follow the field afterwards, or if the edit is off their paths.

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
    /// Plans to the learned goal, and ignores the request's goal and heuristic. Learns from the search if it found an
    /// exact path without window, obstacles and penalties. Same status and cost as [`crate::plan()`].
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

    /// Visits the states closed by the search, from its start on. Linear in the expansions.
    fn learn(&mut self, tables: &MovementTables, scratch: &mut Scratch, cost: u32) {
        let Scratch { nodes, stamp, run, .. } = scratch;
        let Some(start) = run.start else { return };
        self.stack.clear();
        self.stack.push(start.0);
        while let Some(state) = self.stack.pop() {
            let node = &mut nodes[state as usize];
            if Node::stamp(*node) != stamp.get() || *node & Node::CLOSED == 0 {
                continue;
            }
            *node &= !Node::CLOSED;
            let bound = &mut self.bounds[state as usize];
            *bound = cost.saturating_sub(Node::cost(*node)).max(*bound);
            tables.for_each_successor(State(state), |next| self.stack.push(next.state.0));
        }
    }
}

/// Whether an answer depends on the map alone.
fn is_plain(request: &Request<'_>) -> bool {
    let bounded = request.window.is_some() || request.obstacles.is_some();
    !bounded && request.penalties.is_none() && request.weight_permille == 1000
}

/// The cost-to-go along the paths of earlier searches for one goal, shared by all agents of a class with that
/// goal. A search that reaches such a pose need not look beyond it. It ends there as soon as nothing else can
/// be cheaper, and the known continuation completes the path.
///
/// A cost is exact while the continuation from its pose is unchanged and nothing anywhere has become cheaper;
/// [`BackTraces::after_edit`] drops the rest. Memory: 5 bytes per state and 4 per pose on a kept path.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::BackTraces;
///
/// let grid = Grid::from_rows(&[".........."; 4], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_directions(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(9, 3))];
/// let mut traces = BackTraces::new(&tables, &Goal::of(&goal));
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// let request = Request::new(Pose::new(0, 0, Heading(0)), Goal::of(&goal));
/// let first = traces.plan(&tables, &request, &mut scratch, &mut path);
/// // A second agent on the same path: the rest is known from its first pose on.
/// let follower = Request::new(path.poses[3].pose, Goal::of(&goal));
/// let second = traces.plan(&tables, &follower, &mut scratch, &mut path);
/// assert_eq!((first.cost, second.cost, second.expansions), (120, 90, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BackTraces {
    /// The exact costs.
    known: LearnedCosts,
    /// `[n_states]`: the primitive of the continuation, [`GOAL`] at the goal, else [`UNKNOWN`].
    moves: Vec<u8>,
    /// States with known cost, each after its successor on the continuation.
    states: Vec<u32>,
}

const GOAL: u8 = 16;
const UNKNOWN: u8 = 17;

impl BackTraces {
    /// For a goal, without paths yet.
    pub fn new(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self {
            known: LearnedCosts { has_continuations: true, ..LearnedCosts::new(tables, goal) },
            moves: vec![UNKNOWN; tables.space().n_states()],
            states: Vec::new(),
        }
    }

    /// The goal.
    pub fn goal(&self) -> Goal<'_> {
        self.known.goal()
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.known.memory_bytes() + self.moves.capacity() + 4 * self.states.capacity()
    }

    /// The known cost-to-go of a pose in ticks.
    pub fn cost(&self, state: State) -> Option<u32> {
        (self.moves[state.0 as usize] != UNKNOWN).then(|| self.known.bounds[state.0 as usize])
    }

    /// Plans to the goal of the traces, ignoring the request's goal and heuristic, and keeps the path. Same
    /// status and cost as [`crate::plan()`]. Requests with a window, obstacles, penalties or a weight neither use
    /// the traces nor add to them.
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

    /// Appends the known continuation to a path that ends where one begins; `false` if the total overflows.
    fn complete(&self, tables: &MovementTables, path: &mut Path) -> bool {
        let space = tables.space();
        let Some(last) = path.poses.last() else { return true };
        let Some(mut state) = space.state(last.pose) else { return true };
        let total = last.arrival.checked_add(self.cost(state).unwrap_or(0));
        let Some(cost) = total.filter(|&cost| cost <= COST_MAX) else { return false };
        while self.moves[state.0 as usize] < GOAL {
            let primitive = self.moves[state.0 as usize];
            state = tables.state_after(state, primitive as usize);
            path.moves.push(primitive);
            let arrival = cost - self.known.bounds[state.0 as usize];
            path.poses.push(PathPose { pose: space.pose(state), arrival });
        }
        true
    }

    /// Keeps the costs along a cheapest path, from its end backwards.
    fn keep(&mut self, tables: &MovementTables, path: &Path) {
        let cost = path.cost();
        for (at, step) in path.poses.iter().enumerate().rev() {
            let primitive = path.moves.get(at).copied().unwrap_or(GOAL);
            let Some(state) = tables.space().state(step.pose) else { continue };
            if self.moves[state.0 as usize] == UNKNOWN {
                self.moves[state.0 as usize] = primitive;
                self.known.bounds[state.0 as usize] = cost - step.arrival;
                self.states.push(state.0);
            }
        }
    }

    /// Drops what an edit has invalidated, after [`MovementTables::update`]: if the edit only made moves dearer
    /// or illegal, the continuations through the changed rectangle; otherwise everything. Linear in the poses
    /// kept.
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
            // The successor was checked before this state.
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

    /// Drops everything, for another goal set or map.
    pub fn forget(&mut self) {
        for &state in &self.states {
            self.moves[state as usize] = UNKNOWN;
            self.known.bounds[state as usize] = 0;
        }
        self.states.clear();
    }
}
