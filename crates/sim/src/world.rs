//! The data of a run: the owner of every array.

use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::class::WorldClass;
use crate::congestion::Congestion;
use crate::counts::Counts;
use crate::events::{Event, EventQueue};
use crate::group_goals::GroupGoals;
use crate::log::{Log, TraceEvent};
use crate::orders::{GroupOrders, OrderList, OrderPool, OrderState};
use crate::pending_edits::PendingEdits;
use crate::replan_params::ReplanParams;
use crate::requests::{Requests, SearchContext, SearchInputs};
use crate::tasks::{ReachedPoses, Tasks};
use crate::traffic_buffers::TrafficBuffers;
use crate::violation::Violation;
use hecs::World as Entities;
use wheelbase_grid::{CellXY, Grid};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::motion::{Activity, AgentId, ClassId, Motion, end_state, transition_of};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::path_pool::PathPool;
use wheelbase_traffic::{Traffic, TrafficParams};

/// What holds for a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Name of the scenario.
    pub name: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The collision rule.
    pub collision: CollisionRule,
    /// Ticks to run at most.
    pub ticks: u32,
    /// Expansions for path requests per tick.
    pub expansions_per_tick: u64,
    /// Searches in progress at once.
    pub search_slots: usize,
    /// Poses that the traffic rule may try per tick.
    pub tries_per_tick: u64,
    /// Tunables of the traffic rule.
    pub traffic: TrafficParams,
    /// Tunables of replanning around other agents.
    pub replan: ReplanParams,
}

/// A run: the map, the classes, the agents and their orders. Made by [`World::new`], driven by [`World::step`].
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) grid: Grid,
    pub(crate) classes: Vec<WorldClass>,
    /// Movement tables by class.
    pub(crate) tables: Vec<MovementTables>,
    pub(crate) agents: Agents,
    pub(crate) orders: OrderPool,
    pub(crate) paths: PathPool,
    pub(crate) occupancy: Occupancy,
    pub(crate) assigned_poses: AssignedPoses,
    pub(crate) congestion: Congestion,
    pub(crate) group_goals: GroupGoals,
    pub(crate) requests: Requests,
    /// The traffic rule.
    pub(crate) traffic: Box<dyn Traffic>,
    pub(crate) traffic_buffers: TrafficBuffers,
    pub(crate) events: EventQueue,
    pub(crate) pending_edits: PendingEdits,
    pub(crate) counts: Counts,
    /// The tick that comes next.
    pub(crate) tick: u32,
    /// The first violation of an invariant, and the tick after which it was found.
    pub(crate) violation: Option<(u32, Violation)>,
    /// Moves that ended at the last tick: rows, and the states in which the moves began.
    pub(crate) ended: Vec<(u32, State)>,
    /// Scratch of the choice of random tasks.
    pub(crate) reached: ReachedPoses,
    /// What happened since the log was last cleared, if the run keeps one.
    pub(crate) log: Option<Log>,
}

impl World {
    /// The settings of the run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The map, with all edits that have taken effect.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The movement classes by [`ClassId`].
    pub fn classes(&self) -> &[WorldClass] {
        &self.classes
    }

    /// The movement tables of the classes by [`ClassId`].
    pub fn tables(&self) -> &[MovementTables] {
        &self.tables
    }

    /// The agents present.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The entities of the agents, with the cold data of each ([`Agents::entities`]) and the components that game
    /// code adds. An entity lives as long as its agent.
    pub fn entities(&self) -> &Entities {
        self.agents.entities()
    }

    /// The entities of the agents, to add components to.
    pub fn entities_mut(&mut self) -> &mut Entities {
        self.agents.entities_mut()
    }

    /// All orders.
    pub fn orders(&self) -> &OrderPool {
        &self.orders
    }

    /// The remaining moves of all paths, by [`Agents::paths`].
    pub fn paths(&self) -> &PathPool {
        &self.paths
    }

    /// The holder of each cell.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// The tick that comes next.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The counts of the run so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Pose of the agent in a row at rest, or the pose in which its current move began.
    pub fn pose(&self, row: usize) -> Pose {
        let motion = &self.agents.motion[row];
        self.tables[motion.class.0 as usize].space().pose(motion.state)
    }

    /// Number of edits that wait until they disturb no agent.
    pub fn edits_pending(&self) -> usize {
        self.pending_edits.len()
    }

    /// Cells that the agent in a row holds, and their anchor.
    pub(crate) fn held_cells(&self, row: usize) -> (CellXY, &[Offset]) {
        let motion = &self.agents.motion[row];
        let step = transition_of(&self.tables, motion);
        if motion.at_rest() { step.start() } else { self.occupancy.held(&step) }
    }

    /// The events of the run by tick; those of one tick in the order in which they were added.
    pub fn events(&self) -> &[Event] {
        &self.events.all
    }

    /// The first violation found and the tick after which it was found, if invariants are checked.
    pub fn violation(&self) -> Option<(u32, Violation)> {
        self.violation
    }

    /// Turns on [`crate::invariant::check`] after every tick, and the count of collisions.
    pub fn check_invariants(&mut self) {
        self.counts.collisions = Some(0);
    }

    /// Starts the log that [`World::log`] returns; agents already placed come first. Nothing if there is a log.
    pub fn keep_log(&mut self) {
        if self.log.is_some() {
            return;
        }
        self.log = Some(Log::default());
        for row in 0..self.agents.len() {
            self.log_spawn(row);
            self.log_orders(row, self.agents.orders(row).open);
        }
    }

    /// Logs that the agent in a row was placed.
    pub(crate) fn log_spawn(&mut self, row: usize) {
        let (agent, class) = (self.agents.ids[row], self.agents.motion[row].class);
        self.log_event(TraceEvent::Spawn { agent, class, pose: self.pose(row), tick: self.tick });
    }

    /// Logs the orders given to the agent in a row.
    pub(crate) fn log_orders(&mut self, row: usize, orders: OrderList) {
        let agent = self.agents.ids[row];
        if let Some(log) = &mut self.log {
            let numbers =
                (orders.first..orders.first + orders.count).filter(|&order| !self.orders.is_task(order));
            log.events.extend(numbers.map(|order| TraceEvent::Order { agent, order }));
        }
    }

    /// Logs the new path of the agent in a row.
    pub(crate) fn log_path(&mut self, row: usize) {
        // In mid-move the path begins where the move ends.
        let motion = &self.agents.motion[row];
        let tables = &self.tables[motion.class.0 as usize];
        let state = end_state(tables, motion);
        let (agent, from) = (self.agents.ids[row], tables.space().pose(state));
        if let Some(log) = &mut self.log {
            let moves = self.paths.moves(self.agents.paths[row]);
            let (first, count) = (log.moves.len() as u32, moves.len() as u32);
            log.moves.extend_from_slice(moves);
            log.events.push(TraceEvent::Path { agent, from, first, count });
        }
    }

    /// Logs an event.
    pub(crate) fn log_event(&mut self, event: TraceEvent) {
        if let Some(log) = &mut self.log {
            log.events.push(event);
        }
    }

    /// What happened since the log was last cleared, in order; empty without a log.
    pub fn log(&self) -> &[TraceEvent] {
        self.log.as_ref().map_or(&[], |log| &log.events)
    }

    /// The moves of the paths in the log, concatenated; [`TraceEvent::Path`] names its part.
    pub fn log_moves(&self) -> &[u8] {
        self.log.as_ref().map_or(&[], |log| &log.moves)
    }

    /// Clears the log. Call it after each tick, once the log has been read.
    pub fn clear_log(&mut self) {
        if let Some(log) = &mut self.log {
            log.events.clear();
            log.moves.clear();
        }
    }

    /// Inputs of a search for a cheapest path.
    pub(crate) fn search_inputs(&self) -> SearchInputs<'_> {
        let Self { agents, classes, tables, orders, .. } = self;
        SearchInputs { agents, classes, tables, orders }
    }

    /// Inputs of a search for any path.
    pub(crate) fn search_context(&self) -> SearchContext<'_> {
        let Self { occupancy, assigned_poses, congestion, paths, settings, .. } = self;
        let (search_inputs, params) = (self.search_inputs(), &settings.replan);
        SearchContext { search_inputs, occupancy, assigned_poses, congestion, paths, params }
    }

    /// Advances the searches that have a share of the tick's budget.
    pub(crate) fn search_requests(&mut self) {
        let Self { agents, classes, tables, orders, .. } = self;
        let search_inputs = SearchInputs { agents, classes, tables, orders };
        let Self { occupancy, assigned_poses, congestion, paths, settings, .. } = self;
        let params = &settings.replan;
        let context = SearchContext { search_inputs, occupancy, assigned_poses, congestion, paths, params };
        self.requests.search(&context, &self.group_goals, self.tick);
    }

    /// Places an agent in a legal pose whose cells are free.
    pub(crate) fn place(
        &mut self,
        class: ClassId,
        state: State,
        priority: i32,
        orders: OrderList,
    ) -> AgentId {
        let tables = &self.tables[class.0 as usize];
        let pose = tables.space().pose(state);
        let motion = Motion {
            state,
            until: Motion::AT_REST,
            primitive: 0,
            activity: Activity::Idle,
            class,
            replan: false,
        };
        let orders = OrderState::new(orders, self.tick);
        let id = self.agents.push(motion, priority, orders, self.tick);
        self.occupancy.hold(id, pose.cell, tables.class().cells_at(pose));
        self.counts.placed += 1;
        id
    }

    /// Places an agent of a group; `number` is its index in the group.
    pub(crate) fn place_group_member(
        &mut self,
        class: ClassId,
        state: State,
        priority: i32,
        group: GroupOrders,
        number: u32,
    ) -> AgentId {
        let id = self.place(class, state, priority, group.orders);
        if number < group.tasks.count {
            let (row, order) = (self.agents.len() - 1, group.tasks.first + number);
            let mut orders = self.agents.orders(row);
            self.orders.append(&mut orders, OrderList { first: order, count: 1 });
            self.agents.set_orders(row, orders);
            self.agents.set_tasks(row, Tasks { order });
        }
        id
    }

    /// Assigns a pose to the agent in a row: the one its order to an area or a group leads to.
    pub(crate) fn assign_pose(&mut self, row: usize, state: State) {
        let tables = &self.tables[self.agents.motion[row].class.0 as usize];
        let pose = tables.space().pose(state);
        self.assigned_poses.assign(self.agents.ids[row], pose.cell, tables.class().cells_at(pose));
        self.agents.assigned[row] = Some(state);
    }

    /// Releases the assigned pose of the agent in a row, if it has one.
    pub(crate) fn release_pose(&mut self, row: usize) {
        if let Some(state) = self.agents.assigned[row].take() {
            let tables = &self.tables[self.agents.motion[row].class.0 as usize];
            let pose = tables.space().pose(state);
            self.assigned_poses.release(pose.cell, tables.class().cells_at(pose));
        }
    }

    /// Removes the agents of the marked rows.
    pub(crate) fn remove_rows(&mut self, removed: &[bool]) {
        for row in (0..removed.len()).filter(|&row| removed[row]) {
            let agent = self.agents.ids[row];
            let motion = self.agents.motion[row];
            let step = transition_of(&self.tables, &motion);
            if motion.at_rest() {
                let (anchor, cells) = step.start();
                self.occupancy.release(agent, anchor, cells);
            } else {
                self.occupancy.end_move(agent, &step);
            }
            self.release_pose(row);
            self.paths.drop_path(&mut self.agents.paths[row]);
            self.counts.removed += 1;
            self.log_event(TraceEvent::Remove { agent });
        }
        let Self { requests, agents, .. } = self;
        requests.forget_where(|agent| agents.row(agent).is_some_and(|row| removed[row]));
        self.agents.remove_rows(removed);
    }
}
