//! Cost fields: the exact cost between every pose and one goal, or one start.
//!
//! Dijkstra 1959 over the movement tables, backward from a goal or forward from a start, cost by cost (see
//! `sweep`). Repair after an edit follows Ramalingam and Reps 1996: first the states whose support
//! is lost, in order of their old cost, then Dijkstra from the rim of what they were.

pub(crate) mod arcs;
mod cache;
pub(crate) mod extent;
pub(crate) mod frontier;
pub(crate) mod repair;
pub(crate) mod support;
pub(crate) mod sweep;

pub use cache::CostFields;
pub use repair::{FieldScratch, Repaired};

use crate::fields::cost_field::support::{
    AT_SOURCE, Direction, MOVES_STRIDE, NO_MOVE, STALE_MAX, UNREACHED, downhill_move,
};
use crate::model::goal::{Goal, GoalMember};
use crate::model::lattice::{Lattice, with_lattice};
use crate::model::outcome::{COST_MAX, Progress};
use crate::model::path::{Path, PathPose};
use crate::model::pose::{FRAMES_MAX, Heading, Pose, State, StateSpace};
use crate::tables::MovementTables;
use crate::tables::layouts::with_layout;
use crate::tables::steps::{STEPS_STRIDE, Successor};
use arcs::{Arcs, Graph};
use extent::{Extent, rows_of};
pub(crate) use frontier::{Block, Frontier};
use sweep::{Search, SlotBits, Stopped, Sweep, SweepPlan, Task};
use wheelbase_grid::CellXY;

/// How far [`CostField::settle`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until every pose that can be reached is settled.
    All,
    /// Until every pose of at most so many ticks is settled.
    Within(u32),
    /// Until the pose is settled.
    Pose(State),
}

/// The exact cost in ticks between every pose and one goal (or one start), for all agents of a class.
///
/// Made lazily: [`CostField::settle`] goes as far as it is told, by cost, by pose or by a budget of
/// expansions, and later goes on from there. Every pose of at most [`CostField::radius`] ticks is
/// settled: its cost is exact and final until the map changes. [`CostField::repair`] follows a change
/// of the map at a cost in proportion to the poses that it affects; the field is then the same as a
/// fresh one.
///
/// A pose that cannot be reached within [`COST_MAX`] ticks counts as unreachable.
///
/// Memory: 4 bytes a state, 1 more with next moves, 4 a pose of the goal, and some 4 to 40 a pose on the rim
/// of what is settled. After a first field of the same kind nothing allocates.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainKind, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::fields::CostField;
///
/// let rows = ["......", "..WW..", "......"];
/// let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_ways(10);
/// let mut tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(5, 1))];
/// let mut field = CostField::to_goal(&tables, &Goal::of(&goal));
/// field.settle(&tables, Until::All, u64::MAX);
/// let west = tables.space().state(Pose::new(0, 1, Heading(0))).unwrap();
/// assert_eq!(field.cost(west), Some(70));
///
/// // The bridge opens: the field follows.
/// let edit = grid.set_terrain(Rect::new(2, 1, 2, 1), TerrainKind(0));
/// tables.update(&grid, edit.changed);
/// field.repair(&tables, edit.changed, &mut FieldScratch::new());
/// assert_eq!(field.cost(west), Some(50));
///
/// // Downhill from there.
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
    /// States of the goal (or the starts) on the map, rising.
    sources: Vec<u32>,
    /// Outside it all states are as they were at first.
    extent: Extent,
    /// `[n_states]`. Those of at most `radius` are settled; above, what is known so far: each is the
    /// cost of some way and stands in the frontier or last in the sweep; [`UNREACHED`] without one.
    costs: Vec<u32>,
    /// `[n_states]`: the primitive downhill from each settled state, else one of the two below. Empty
    /// if not asked for.
    moves: Vec<u8>,
    /// Difference of the states' indices by `[heading << 5 | move]`.
    move_deltas: Vec<i32>,
    /// Every state of at most this cost is settled.
    radius: u32,
    /// Settled states from which the search goes on, and some of the cost after the radius.
    sweep: Sweep,
    sweep_plan: SweepPlan,
    /// States that have the cost of some way and are not settled, and some that are settled since.
    frontier: Frontier,
    /// Along which costs spread: into a state for costs to a goal, out of it for those from a start.
    spread: Arcs,
    /// Along which they lead downhill: the other way.
    downhill: Arcs,
    /// Whether the arcs into a state were collected for a map with slopes.
    sloped: bool,
    /// Pushed to the frontier by repairs since it was last cleared of stale entries.
    repair_pushes: usize,
    repair_pushes_max: usize,
    /// Revision of the map that the costs hold for.
    revision: u64,
}

impl CostField {
    /// The cost from every pose to the nearest pose of a goal; nothing is settled yet but the goal.
    pub fn to_goal(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self::new(tables, goal, Direction::ToGoal)
    }

    /// The cost from the nearest of some poses to every pose; nothing is settled yet but those.
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

    /// Begins anew in the same memory, for another goal or another revision of the map. Takes time in
    /// proportion to the poses around those that were settled, not to the map.
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
        self.frontier.reset(tables.most_ticks(), 0);
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

    /// Of a field that keeps its moves.
    fn mark_sources(&mut self) {
        let Self { sources, costs, moves, .. } = self;
        if moves.is_empty() {
            return;
        }
        for &state in sources.iter().filter(|&&state| costs[state as usize] == 0) {
            moves[state as usize] = AT_SOURCE;
        }
    }

    /// Keeps the next move of every settled pose from now on, so that [`CostField::step_all`] reads one
    /// byte a step. 1 byte a state.
    pub fn keep_moves(&mut self, tables: &MovementTables) {
        self.check_revision(tables);
        self.moves.clear();
        self.moves.resize(self.space.n_states(), NO_MOVE);
        self.mark_sources();
        let radius = self.radius();
        with_layout!(&tables.graph.layouts, layout => with_lattice!(self.space, lattice => {
            let graph = Graph { words: &layout.words, times: &tables.graph.times, lattice };
            for state in 0..self.space.n_states() as u32 {
                if self.costs[state as usize] <= radius {
                    self.moves[state as usize] = downhill_move(&graph, &self.downhill, &self.costs, state);
                }
            }
        }));
    }

    fn check_revision(&self, tables: &MovementTables) {
        assert_eq!(tables.space(), self.space, "tables of another map");
        assert_eq!(
            tables.revision(),
            self.revision,
            "the map has changed: the field is to be repaired first"
        );
    }

    /// Settles poses in order of cost, at most `expansions` of them, as far as `until` says. `Running`
    /// means that the budget was spent first; the next call goes on from there.
    ///
    /// # Panics
    /// If the tables have followed an edit that the field has not ([`CostField::repair`]).
    pub fn settle(&mut self, tables: &MovementTables, until: Until, expansions: u64) -> Settled {
        self.check_revision(tables);
        let last = match until {
            Until::Within(ticks) => ticks.min(COST_MAX),
            Until::All | Until::Pose(_) => COST_MAX,
        };
        // Settled once no lower cost is left, but before those that cost the same lead on.
        let stop = |costs: &[u32], radius: u32| match until {
            Until::Pose(state) => costs[state.0 as usize] <= radius,
            _ => false,
        };
        with_layout!(&tables.graph.layouts, layout => with_lattice!(self.space, lattice => {
            let graph = Graph { words: &layout.words, times: &tables.graph.times, lattice };
            let Self { costs, moves, radius, sweep, sweep_plan, frontier, downhill, .. } = self;
            let mut search = Search { graph, plan: sweep_plan, costs, sweep, frontier, radius };
            let mut keep = KeepMoves { moves, downhill, changed: None };
            let (stopped, expansions) = search.run(&mut keep, last, expansions, stop);
            let progress = match stopped {
                Stopped::Done => Progress::Done,
                Stopped::Budget => Progress::Running,
            };
            Settled { progress, expansions }
        }))
    }

    /// Every pose of at most so many ticks is settled.
    pub fn radius(&self) -> u32 {
        self.radius
    }

    /// Whether every pose that can be reached is settled.
    pub fn is_complete(&self) -> bool {
        self.frontier.is_empty() && self.sweep.is_empty(&self.sweep_plan)
    }

    /// Cost of a pose in ticks if it is settled. Without one, the pose cannot be reached
    /// ([`CostField::is_complete`]) or costs more than [`CostField::radius`].
    #[inline]
    pub fn cost(&self, state: State) -> Option<u32> {
        let cost = self.costs[state.0 as usize];
        (cost <= self.radius()).then_some(cost)
    }

    /// The greatest lower bound of a pose's cost that is known, at most [`COST_MAX`]: exact where the
    /// pose is settled.
    #[inline]
    pub fn lower_bound(&self, state: State) -> u32 {
        self.costs[state.0 as usize].min(self.beyond())
    }

    /// Lower bound of the cost of what is not settled.
    pub(crate) fn beyond(&self) -> u32 {
        if self.is_complete() { COST_MAX } else { (self.radius() + 1).min(COST_MAX) }
    }

    /// `[n_states]`, see [`CostField::lower_bound`].
    pub(crate) fn costs(&self) -> &[u32] {
        &self.costs
    }

    /// Which way the costs run.
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

    /// Revision of the map that the costs hold for.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + 4 * (self.costs.capacity() + self.sources.capacity() + self.move_deltas.capacity())
            + self.moves.capacity()
            + size_of::<GoalMember>() * self.members.capacity()
            + self.sweep.memory_bytes()
            + self.sweep_plan.memory_bytes()
            + self.frontier.memory_bytes()
    }

    /// The next move downhill from a settled pose: of those by which its cost is the time of the move
    /// plus the cost after it, the one of least primitive. `None` at a pose of the goal and at one that
    /// is not settled. Of a field from a start, the last move of a cheapest way to the pose, and the
    /// state before it.
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

    /// The primitive downhill from a settled state, `None` at a source.
    #[inline(always)]
    fn next_primitive(&self, tables: &MovementTables, state: State) -> Option<u8> {
        let primitive = match self.moves.get(state.0 as usize) {
            Some(&primitive) => primitive,
            None => with_layout!(&tables.graph.layouts, layout => with_lattice!(self.space, lattice => {
                let graph = Graph { words: &layout.words, times: &tables.graph.times, lattice };
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

    /// Moves each agent's state one move downhill, those at the goal and those not settled not at all.
    /// The agents are independent, so that the loads of many are under way at once: one agent alone is
    /// followed no faster than by [`CostField::next`] or [`CostField::follow`].
    ///
    /// # Panics
    /// If the field does not keep its moves ([`CostField::keep_moves`]).
    pub fn step_all(&self, states: &mut [State]) {
        assert_eq!(self.moves.len(), self.costs.len(), "the field does not keep its moves");
        let moves = &self.moves[..];
        // A table of fixed size: no test of its bounds within the loop.
        let mut deltas = [0; FRAMES_MAX.next_power_of_two() * MOVES_STRIDE];
        deltas[..self.move_deltas.len()].copy_from_slice(&self.move_deltas);
        with_lattice!(self.space, lattice => for state in states {
            let primitive = moves[state.0 as usize];
            let at = (lattice.frame(state.0) * MOVES_STRIDE + primitive as usize) % deltas.len();
            state.0 = state.0.wrapping_add_signed(deltas[at]);
        });
    }

    /// Writes the cheapest path from a settled pose to the goal, or from the start to it, move by move as
    /// [`CostField::next`] says. Returns whether there is one; without, `path` is empty.
    ///
    /// # Panics
    /// If the tables have followed an edit that the field has not.
    pub fn follow(&self, tables: &MovementTables, state: State, path: &mut Path) -> bool {
        path.clear();
        self.check_revision(tables);
        let Some(cost) = self.cost(state) else { return false };
        // Cell and heading are counted along: to work them out of an index takes a division.
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

    /// Ticks from the begin of a way, on which a field to a goal costs `whole`, to a state on it.
    #[inline(always)]
    fn arrival(&self, whole: u32, at: State) -> u32 {
        match self.direction {
            Direction::ToGoal => whole - self.costs[at.0 as usize],
            Direction::FromStart => self.costs[at.0 as usize],
        }
    }

    /// The pose that a move downhill leads to.
    #[inline(always)]
    fn pose_downhill(&self, tables: &MovementTables, pose: Pose, primitive: u8) -> Pose {
        let step = |pose: Pose| {
            let frame = self.space.frame(pose).0 as usize;
            tables.graph.steps[frame * STEPS_STRIDE + primitive as usize]
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
                // Rows are the same in every frame of a heading, columns are not.
                let rows = step(Pose { cell: CellXY::new(0, 0), heading }).dy;
                let step = step(Pose { cell: CellXY::new(0, y - rows), heading });
                Pose { cell: CellXY::new(x - step.dx, y - step.dy), heading }
            }
        }
    }

    /// Every settled pose and its cost in ticks, in order of state: what can be reached within
    /// [`CostField::radius`].
    pub fn settled(&self) -> impl Iterator<Item = (Pose, u32)> {
        self.within(self.radius()).map(|(state, cost)| (self.space.pose(state), cost))
    }

    /// Every settled state of at most so many ticks and its cost, in order of state. Goes through all poses
    /// that are not too far away for that.
    pub fn within(&self, ticks: u32) -> impl Iterator<Item = (State, u32)> {
        let most = ticks.min(self.radius());
        rows_of(self.space, self.extent.reached(self.space, most)).flat_map(move |row| {
            let first = row.start;
            let costs = self.costs[row].iter().enumerate().filter(move |&(_, &cost)| cost <= most);
            costs.map(move |(at, &cost)| (State((first + at) as u32), cost))
        })
    }
}

/// What [`CostField::settle`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Whether there is more to do for what was asked.
    pub progress: Progress,
    /// Poses whose moves were followed.
    pub expansions: u64,
}

/// Settles states and keeps what is asked for of them.
struct KeepMoves<'a> {
    /// Empty if moves are not kept.
    moves: &'a mut [u8],
    downhill: &'a Arcs,
    /// Where to list what is settled, if wanted.
    changed: Option<&'a mut Vec<u32>>,
}

impl<W: SlotBits, L: Lattice> Task<W, L> for KeepMoves<'_> {
    #[inline]
    fn settled(&mut self, graph: &Graph<'_, W, L>, costs: &[u32], states: &[u32]) {
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
