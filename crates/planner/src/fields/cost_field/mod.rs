//! Cost fields: the exact cost between every pose and one goal, or one start.
//!
//! Dijkstra 1959 over the movement tables, backward from a goal or forward from a start, in order of cost (see
//! `sweep`). Repair after an edit follows Ramalingam and Reps 1996. First come the states that lost their support, in
//! order of their old cost, then Dijkstra's algorithm from the boundary of these states.

pub(crate) mod arcs;
mod cache;
pub(crate) mod extent;
pub(crate) mod frontier;
pub(crate) mod repair;
mod saved_field;
pub(crate) mod support;
pub(crate) mod sweep;

pub use cache::{CostFieldCache, SavedFields};
pub use repair::{RepairScratch, Repaired};
pub use saved_field::SavedField;

use crate::fields::cost_field::support::{
    AT_SOURCE, Direction, MOVES_STRIDE, NO_MOVE, STALE_MAX, downhill_move,
};
use crate::model::goal::{Goal, GoalMember};
use crate::model::outcome::{COST_MAX, Progress, UNREACHED};
use crate::model::path::{Path, PathPose};
use crate::model::pose::{FRAMES_MAX, Heading, Pose, State, StateSpace};
use crate::model::state_indexing::{StateIndexing, with_indexing};
use crate::tables::MovementTables;
use crate::tables::layouts::with_layout;
use crate::tables::moves::{FRAME_STRIDE, Successor};
use arcs::{ArcGraph, Arcs};
use extent::{Extent, rows_of};
pub(crate) use frontier::{Block, Frontier};
use sweep::{FieldSearch, SlotBits, Sweep, SweepPlan, SweepTask};
use wheelbase_grid::CellXY;

/// How far [`CostField::settle`] proceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleTarget {
    /// Until every reachable pose is settled.
    All,
    /// Until every pose of at most this cost in ticks is settled.
    Within(u32),
    /// Until the pose is settled.
    Pose(State),
}

/// The exact cost in ticks between every pose and one goal (or one start), for all agents of a class.
///
/// Computed lazily: [`CostField::settle`] proceeds up to a cost, a pose or a budget of expansions, and later
/// continues from there. Every pose of at most [`CostField::radius`] ticks is settled: its cost is exact and
/// final until the map changes. [`CostField::repair`] follows a change of the map in time proportional to the
/// affected poses; the result equals a fresh field.
///
/// A pose that cannot be reached within [`COST_MAX`] ticks counts as unreachable.
///
/// Memory: 4 bytes per state, 1 more with next moves, and 4 per pose of the goal. The boundary of the settled region
/// takes about 4 to 40 per pose. Creating further fields in the same memory does not allocate.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainKind, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::fields::CostField;
///
/// let rows = ["......", "..WW..", "......"];
/// let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_directions(10);
/// let mut tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(5, 1))];
/// let mut field = CostField::to_goal(&tables, &Goal::of(&goal));
/// field.settle(&tables, SettleTarget::All, u64::MAX);
/// let west = tables.space().state(Pose::new(0, 1, Heading(0))).unwrap();
/// assert_eq!(field.cost(west), Some(70));
///
/// // The bridge opens, and the field is repaired.
/// let edit = grid.set_terrain(Rect::new(2, 1, 2, 1), TerrainKind(0));
/// tables.update(&grid, edit.changed);
/// field.repair(&tables, edit.changed, &mut RepairScratch::new());
/// assert_eq!(field.cost(west), Some(50));
///
/// // Follow it downhill.
/// let mut path = Path::new();
/// assert!(field.follow(&tables, west, &mut path));
/// assert_eq!((path.cost(), path.moves.len()), (50, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CostField {
    direction: Direction,
    space: StateSpace,
    members: Vec<GoalMember>,
    within: u32,
    /// States of the goal (or the starts) on the map, ascending.
    sources: Vec<u32>,
    /// All states outside it are in their initial state.
    extent: Extent,
    /// `[n_states]`. Costs up to `radius` are settled. Larger ones are tentative: each is the cost of some
    /// path, and its state is in the frontier or at the end of the sweep. [`UNREACHED`] if no path is known.
    costs: Vec<u32>,
    /// `[n_states]`: the primitive downhill from each settled state, otherwise [`AT_SOURCE`] or [`NO_MOVE`].
    /// Empty unless requested.
    moves: Vec<u8>,
    /// Difference of state indices by `[frame << 5 | move]`.
    move_deltas: Vec<i32>,
    /// Every state of at most this cost is settled.
    radius: u32,
    /// Settled states still to be expanded, and some states of the next cost.
    sweep: Sweep,
    sweep_plan: SweepPlan,
    /// States with a tentative cost, and some that have been settled since.
    frontier: Frontier,
    /// Moves along which costs spread: into a state for costs to a goal, out of it for costs from a start.
    spread: Arcs,
    /// Moves along which costs decrease: the other direction.
    downhill: Arcs,
    /// Whether the arcs were collected for a map with slopes.
    sloped: bool,
    /// Entries pushed to the frontier by repairs since stale entries were last removed.
    repair_pushes: usize,
    repair_pushes_max: usize,
    /// Revision of the map for which the costs are valid.
    revision: u64,
}

impl CostField {
    /// The cost from every pose to the nearest pose of a goal; initially only the goal is settled.
    pub fn to_goal(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self::new(tables, goal, Direction::ToGoal)
    }

    /// The cost from the nearest of some poses to every pose; initially only those poses are settled.
    pub fn from_start(tables: &MovementTables, starts: &Goal<'_>) -> Self {
        Self::new(tables, starts, Direction::FromStart)
    }

    fn new(tables: &MovementTables, goal: &Goal<'_>, direction: Direction) -> Self {
        let arcs = Arcs::out(tables);
        let mut field = Self {
            direction,
            space: tables.space(),
            members: Vec::new(),
            within: 0,
            sources: Vec::new(),
            extent: Extent::new(),
            costs: vec![UNREACHED; tables.space().n_states()],
            moves: Vec::new(),
            move_deltas: Vec::new(),
            radius: 0,
            sweep: Sweep::default(),
            sweep_plan: SweepPlan::of(tables, &arcs),
            frontier: Frontier::default(),
            spread: arcs.clone(),
            downhill: arcs,
            sloped: false,
            repair_pushes: 0,
            repair_pushes_max: STALE_MAX,
            revision: 0,
        };
        field.collect_arcs(tables);
        field.restart(tables, goal);
        field
    }

    fn collect_arcs(&mut self, tables: &MovementTables) {
        self.sloped = tables.is_sloped();
        let [out, into] = [Arcs::out(tables), Arcs::into(tables)];
        (self.spread, self.downhill) = match self.direction {
            Direction::ToGoal => (into, out),
            Direction::FromStart => (out, into),
        };
        self.sweep_plan = SweepPlan::of(tables, &self.spread);
        self.move_deltas.clear();
        self.move_deltas.resize(self.space.n_frames() as usize * MOVES_STRIDE, 0);
        for frame in 0..self.space.n_frames() as usize {
            for arc in self.downhill.of_frame(frame) {
                self.move_deltas[frame * MOVES_STRIDE + arc.primitive as usize] = arc.delta;
            }
        }
    }

    /// Restarts in the same memory, for another goal or another revision of the map. Time is proportional to
    /// the region around the settled poses, not to the map.
    ///
    /// # Panics
    /// If the tables are of another map or class.
    pub fn restart(&mut self, tables: &MovementTables, goal: &Goal<'_>) {
        assert_eq!(tables.space(), self.space, "tables of another map");
        if tables.is_sloped() != self.sloped {
            self.collect_arcs(tables);
        }
        for row in rows_of(self.space, self.extent.reached(self.space, self.radius())) {
            self.costs[row.clone()].fill(UNREACHED);
            if !self.moves.is_empty() {
                self.moves[row].fill(NO_MOVE);
            }
        }
        self.members.clear();
        self.members.extend_from_slice(goal.members);
        self.within = goal.within;
        self.sources.clear();
        let Self { sources, space, .. } = self;
        goal.for_each_pose(*space, |pose| sources.extend(space.state(pose).map(|state| state.0)));
        self.sources.sort_unstable();
        self.sources.dedup();
        self.extent.restart(tables, &self.sources);
        self.radius = 0;
        self.sweep.clear();
        self.frontier.reset(tables.max_ticks(), 0);
        for &state in &self.sources {
            if tables.is_legal(State(state)) {
                self.costs[state as usize] = 0;
                self.frontier.push(0, state);
            }
        }
        self.mark_sources();
        self.repair_pushes = 0;
        self.revision = tables.revision();
    }

    /// For fields with next moves.
    fn mark_sources(&mut self) {
        let Self { sources, costs, moves, .. } = self;
        if moves.is_empty() {
            return;
        }
        for &state in sources.iter().filter(|&&state| costs[state as usize] == 0) {
            moves[state as usize] = AT_SOURCE;
        }
    }

    /// Stores the next move of every settled pose from now on, so that [`CostField::step_all`] reads one byte
    /// per step. Takes 1 byte per state.
    pub fn keep_moves(&mut self, tables: &MovementTables) {
        self.check_revision(tables);
        self.moves.clear();
        self.moves.resize(self.space.n_states(), NO_MOVE);
        self.mark_sources();
        let radius = self.radius();
        with_layout!(&tables.graph().layouts, layout => with_indexing!(self.space, indexing => {
            let graph = ArcGraph { words: &layout.words, times: &tables.graph().times, indexing };
            for state in 0..self.space.n_states() as u32 {
                if self.costs[state as usize] <= radius {
                    self.moves[state as usize] = downhill_move(&graph, &self.downhill, &self.costs, state);
                }
            }
        }));
    }

    fn check_revision(&self, tables: &MovementTables) {
        assert_eq!(tables.space(), self.space, "tables of another map");
        assert_eq!(tables.revision(), self.revision, "the map has changed: repair the field first");
    }

    /// Settles poses in order of cost, at most `expansions` of them, up to the target. `Running` means that the
    /// budget was spent first; the next call continues from there.
    ///
    /// # Panics
    /// If the tables have followed an edit that the field has not ([`CostField::repair`]).
    pub fn settle(&mut self, tables: &MovementTables, target: SettleTarget, expansions: u64) -> Settled {
        self.check_revision(tables);
        let last = match target {
            SettleTarget::Within(ticks) => ticks.min(COST_MAX),
            SettleTarget::All | SettleTarget::Pose(_) => COST_MAX,
        };
        // Settled once no lower cost is left, but before states of equal cost are expanded.
        let stop = |costs: &[u32], radius: u32| match target {
            SettleTarget::Pose(state) => costs[state.0 as usize] <= radius,
            _ => false,
        };
        with_layout!(&tables.graph().layouts, layout => with_indexing!(self.space, indexing => {
            let graph = ArcGraph { words: &layout.words, times: &tables.graph().times, indexing };
            let Self { costs, moves, radius, sweep, sweep_plan, frontier, downhill, .. } = self;
            let mut search = FieldSearch { graph, plan: sweep_plan, costs, sweep, frontier, radius };
            let mut keep = KeepMoves { moves, downhill, changed: None };
            let (progress, expansions) = search.run(&mut keep, last, expansions, stop);
            Settled { progress, expansions }
        }))
    }

    /// Every pose of at most this cost in ticks is settled.
    pub fn radius(&self) -> u32 {
        self.radius
    }

    /// Whether every reachable pose is settled.
    pub fn is_complete(&self) -> bool {
        self.frontier.is_empty() && self.sweep.is_empty(&self.sweep_plan)
    }

    /// Cost of a pose in ticks if it is settled. `None` if the pose is unreachable ([`CostField::is_complete`])
    /// or costs more than [`CostField::radius`].
    #[inline]
    pub fn cost(&self, state: State) -> Option<u32> {
        let cost = self.costs[state.0 as usize];
        (cost <= self.radius()).then_some(cost)
    }

    /// The best known lower bound of a pose's cost, at most [`COST_MAX`]; exact if the pose is settled.
    #[inline]
    pub fn lower_bound(&self, state: State) -> u32 {
        self.costs[state.0 as usize].min(self.beyond())
    }

    /// Lower bound of all unsettled costs.
    pub(crate) fn beyond(&self) -> u32 {
        if self.is_complete() { COST_MAX } else { (self.radius() + 1).min(COST_MAX) }
    }

    /// `[n_states]`, see [`CostField::lower_bound`].
    pub(crate) fn costs(&self) -> &[u32] {
        &self.costs
    }

    /// Direction of the costs.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The goal, or the starts.
    pub fn goal(&self) -> Goal<'_> {
        Goal { members: &self.members, within: self.within }
    }

    /// All poses.
    pub fn space(&self) -> StateSpace {
        self.space
    }

    /// Revision of the map for which the costs are valid.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + 4 * (self.costs.capacity() + self.sources.capacity() + self.move_deltas.capacity())
            + self.moves.capacity()
            + size_of::<GoalMember>() * self.members.capacity()
            + self.sweep.memory_bytes()
            + self.sweep_plan.memory_bytes()
            + self.frontier.memory_bytes()
    }

    /// The next move downhill from a settled pose. Its time plus the cost after it equals the pose's cost. Among such
    /// moves it has the least primitive. `None` at a pose of the goal and at unsettled poses. For a field from a start:
    /// the last move of a cheapest path to the pose, and the state before it.
    ///
    /// # Panics
    /// If the tables have followed an edit that the field has not.
    pub fn next(&self, tables: &MovementTables, state: State) -> Option<Successor> {
        self.check_revision(tables);
        let cost = self.cost(state)?;
        let primitive = self.next_primitive(tables, state)?;
        let after = State(state.0.wrapping_add_signed(self.move_delta(state.0, primitive)));
        Some(Successor { primitive, state: after, ticks: cost - self.costs[after.0 as usize] })
    }

    /// The primitive downhill from a settled state; `None` at a source.
    #[inline(always)]
    fn next_primitive(&self, tables: &MovementTables, state: State) -> Option<u8> {
        let primitive = match self.moves.get(state.0 as usize) {
            Some(&primitive) => primitive,
            None => with_layout!(&tables.graph().layouts, layout => with_indexing!(self.space, indexing => {
                let graph = ArcGraph { words: &layout.words, times: &tables.graph().times, indexing };
                downhill_move(&graph, &self.downhill, &self.costs, state.0)
            })),
        };
        (primitive < AT_SOURCE).then_some(primitive)
    }

    #[inline(always)]
    fn move_delta(&self, state: u32, primitive: u8) -> i32 {
        let frame = self.space.frame_of(State(state)).0 as usize;
        self.move_deltas[frame * MOVES_STRIDE + primitive as usize]
    }

    /// Moves each agent's state one move downhill; states at the goal and unsettled states stay. The agents are
    /// independent, so that the loads of many overlap; for a single agent, [`CostField::next`] and
    /// [`CostField::follow`] are as fast.
    ///
    /// # Panics
    /// If the field does not store next moves ([`CostField::keep_moves`]).
    pub fn step_all(&self, states: &mut [State]) {
        assert_eq!(self.moves.len(), self.costs.len(), "the field does not keep its moves");
        let moves = &self.moves[..];
        // A table of fixed size, so that the loop needs no bounds check.
        let mut deltas = [0; FRAMES_MAX.next_power_of_two() * MOVES_STRIDE];
        deltas[..self.move_deltas.len()].copy_from_slice(&self.move_deltas);
        with_indexing!(self.space, indexing => for state in states {
            let primitive = moves[state.0 as usize];
            let at = (indexing.frame(state.0) * MOVES_STRIDE + primitive as usize) % deltas.len();
            state.0 = state.0.wrapping_add_signed(deltas[at]);
        });
    }

    /// Writes the cheapest path from a settled pose to the goal, or from the start to it, following
    /// [`CostField::next`]. Returns whether there is one; if not, `path` is empty.
    ///
    /// # Panics
    /// If the tables have followed an edit that the field has not.
    pub fn follow(&self, tables: &MovementTables, state: State, path: &mut Path) -> bool {
        path.clear();
        self.check_revision(tables);
        let Some(cost) = self.cost(state) else { return false };
        // Cell and heading are tracked, because deriving them from an index takes a division.
        let (mut at, mut pose) = (state, self.space.pose(state));
        path.poses.push(PathPose { pose, arrival: self.arrival(cost, at) });
        while let Some(primitive) = self.next_primitive(tables, at) {
            at = State(at.0.wrapping_add_signed(self.move_delta(at.0, primitive)));
            pose = self.pose_downhill(tables, pose, primitive);
            path.moves.push(primitive);
            path.poses.push(PathPose { pose, arrival: self.arrival(cost, at) });
        }
        if self.direction == Direction::FromStart {
            path.moves.reverse();
            path.poses.reverse();
        }
        true
    }

    /// Arrival tick at a state on a path, whose total cost in a field to a goal is `whole`.
    #[inline(always)]
    fn arrival(&self, whole: u32, at: State) -> u32 {
        match self.direction {
            Direction::ToGoal => whole - self.costs[at.0 as usize],
            Direction::FromStart => self.costs[at.0 as usize],
        }
    }

    /// The pose after a move downhill.
    #[inline(always)]
    fn pose_downhill(&self, tables: &MovementTables, pose: Pose, primitive: u8) -> Pose {
        let step = |pose: Pose| {
            let frame = self.space.frame(pose).0 as usize;
            tables.graph().move_deltas[frame * FRAME_STRIDE + primitive as usize]
        };
        let CellXY { x, y } = pose.cell;
        match self.direction {
            Direction::ToGoal => {
                let step = step(pose);
                let heading = Heading(step.heading_after as u8);
                Pose { cell: CellXY::new(x + step.dx, y + step.dy), heading }
            }
            Direction::FromStart => {
                let turn = tables.class().primitives()[primitive as usize].turn;
                let headings = i32::from(self.space.headings());
                let heading = Heading((i32::from(pose.heading.0) - turn).rem_euclid(headings) as u8);
                // Row displacements depend only on the heading; column displacements depend on the frame.
                let rows = step(Pose { cell: CellXY::new(0, 0), heading }).dy;
                let step = step(Pose { cell: CellXY::new(0, y - rows), heading });
                Pose { cell: CellXY::new(x - step.dx, y - step.dy), heading }
            }
        }
    }

    /// Every settled pose and its cost in ticks, in order of state: the poses reachable within
    /// [`CostField::radius`].
    pub fn settled(&self) -> impl Iterator<Item = (Pose, u32)> {
        self.within(self.radius()).map(|(state, cost)| (self.space.pose(state), cost))
    }

    /// Every settled state of at most `ticks` and its cost, in order of state. Scans all poses within the
    /// distance that this cost allows.
    pub fn within(&self, ticks: u32) -> impl Iterator<Item = (State, u32)> {
        let most = ticks.min(self.radius());
        rows_of(self.space, self.extent.reached(self.space, most)).flat_map(move |row| {
            let first = row.start;
            let costs = self.costs[row].iter().enumerate().filter(move |&(_, &cost)| cost <= most);
            costs.map(move |(at, &cost)| (State((first + at) as u32), cost))
        })
    }
}

/// Result of [`CostField::settle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settled {
    /// Whether the target was reached.
    pub progress: Progress,
    /// Number of expanded poses.
    pub expansions: u64,
}

/// Settles states and records their next moves.
struct KeepMoves<'a> {
    /// Empty if next moves are not stored.
    moves: &'a mut [u8],
    downhill: &'a Arcs,
    /// Collects the settled states, if requested.
    changed: Option<&'a mut Vec<u32>>,
}

impl<W: SlotBits, L: StateIndexing> SweepTask<W, L> for KeepMoves<'_> {
    #[inline]
    fn settled(&mut self, graph: &ArcGraph<'_, W, L>, costs: &[u32], states: &[u32]) {
        if let Some(changed) = &mut self.changed {
            changed.extend_from_slice(states);
        }
        if !self.moves.is_empty() {
            for &state in states {
                self.moves[state as usize] = downhill_move(graph, self.downhill, costs, state);
            }
        }
    }
}
