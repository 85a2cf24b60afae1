//! The simulation's data: who owns which array.

use crate::agents::Agents;
use crate::class::SimClass;
use crate::congestion::Congestion;
use crate::counts::{AtWork, Counts};
use crate::events::Event;
use crate::given_poses::GivenPoses;
use crate::group_goals::GroupGoals;
use crate::log::{Log, TraceEvent};
use crate::orders::{GroupOrders, OrderList, OrderPool, OrderState};
use crate::pending_edits::PendingEdits;
use crate::requests::{Requests, SearchContext, SearchInputs};
use crate::tasks::{ReachedPoses, Tasks};
use crate::violation::Violation;
use wheelbase_grid::{CellXY, Grid, Rect};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::motion::{Activity, AgentId, ClassId, Motion, end_state, transition_of};
use wheelbase_traffic::occupancy::{Occupancy, Refusal};
use wheelbase_traffic::path_pool::PathPool;
use wheelbase_traffic::{Decisions, Traffic, TrafficParams};

/// What a scenario sets for the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Name of the scenario.
    pub name: String,
    /// All randomness comes from it.
    pub seed: u64,
    /// What a collision is.
    pub collision: CollisionRule,
    /// Ticks to run at most.
    pub ticks: u32,
    /// Expansions that path requests may spend a tick.
    pub expansions_per_tick: u64,
    /// Searches under way at once.
    pub search_slots: usize,
    /// Poses that the traffic may try a tick.
    pub tries_per_tick: u64,
    /// Tunables of the rules of traffic.
    pub traffic: TrafficParams,
}

/// A run: the map, the classes, the agents and all that they wait for. Made by [`World::new`],
/// driven by [`World::step`].
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) grid: Grid,
    pub(crate) classes: Vec<SimClass>,
    /// Of each class, compiled against the map.
    pub(crate) tables: Vec<MovementTables>,
    pub(crate) agents: Agents,
    pub(crate) orders: OrderPool,
    pub(crate) paths: PathPool,
    pub(crate) occupancy: Occupancy,
    pub(crate) given: GivenPoses,
    pub(crate) congestion: Congestion,
    pub(crate) group_goals: GroupGoals,
    pub(crate) requests: Requests,
    pub(crate) traffic: Box<dyn Traffic>,
    pub(crate) decisions: Decisions,
    /// Moves that did not begin at the last tick for they would have overlapped others, and rows of their agents.
    pub(crate) refused: Vec<Refusal>,
    pub(crate) refused_rows: Vec<u32>,
    /// Tick at which a rule of traffic last had an agent begin a move, by row.
    pub(crate) told_at: Vec<u32>,
    /// Cells of the present tasks by row, for a rule of traffic that finds ways by itself.
    pub(crate) goals: Vec<Option<CellXY>>,
    /// Events in order of tick, then of the file.
    pub(crate) events: Vec<Event>,
    pub(crate) next_event: usize,
    pub(crate) pending: PendingEdits,
    /// Areas in which the map was edited at the present tick, for the traffic.
    pub(crate) edited: Vec<Rect>,
    pub(crate) counts: Counts,
    pub(crate) at_work: AtWork,
    pub(crate) tick: u32,
    pub(crate) check_invariants: bool,
    pub(crate) violation: Option<(u32, Violation)>,
    /// Moves that ended at the present tick: rows and the states in which they began.
    pub(crate) ended: Vec<(u32, State)>,
    /// Where an agent can be, while it is given a task.
    pub(crate) reached: ReachedPoses,
    /// What happened since it was last cleared, if anybody asked for it.
    pub(crate) log: Option<Log>,
}

impl World {
    /// What the scenario set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The map as edited so far.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The movement classes in order of their [`ClassId`].
    pub fn classes(&self) -> &[SimClass] {
        &self.classes
    }

    /// The movement classes compiled against the map, in order of their [`ClassId`].
    pub fn tables(&self) -> &[MovementTables] {
        &self.tables
    }

    /// The agents that are there.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The `hecs` world of the agents' entities: what is cold of each agent ([`Agents::entities`]), and what
    /// game code adds. An entity lives as long as its agent.
    pub fn entities(&self) -> &hecs::World {
        self.agents.entities()
    }

    /// The `hecs` world, to add components to.
    pub fn entities_mut(&mut self) -> &mut hecs::World {
        self.agents.entities_mut()
    }

    /// All orders.
    pub fn orders(&self) -> &OrderPool {
        &self.orders
    }

    /// What is left of the paths of all agents, by [`Agents::paths`].
    pub fn paths(&self) -> &PathPool {
        &self.paths
    }

    /// Who holds which cell.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// The tick that comes next.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// What was counted so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Pose at rest of the agent in a row, or the pose from which its move in progress began.
    pub fn pose(&self, row: usize) -> Pose {
        let motion = &self.agents.motion[row];
        self.tables[motion.class.0 as usize].space().pose(motion.state)
    }

    /// Edits that wait until they disturb nobody.
    pub fn edits_pending(&self) -> usize {
        self.pending.len()
    }

    /// Cells an agent holds, and their anchor.
    pub(crate) fn held_cells(&self, row: usize) -> (CellXY, &[Offset]) {
        let motion = &self.agents.motion[row];
        let step = transition_of(&self.tables, motion);
        if motion.at_rest() { step.start() } else { self.occupancy.held(&step) }
    }

    /// The scenario's events in order of tick, then of the file.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The first violation found and the tick after which it was, if invariants are checked.
    pub fn violation(&self) -> Option<(u32, Violation)> {
        self.violation
    }

    /// Has every tick checked by [`crate::invariant::check`], and violations counted.
    pub fn check_invariants(&mut self) {
        self.check_invariants = true;
        self.counts.collisions = Some(0);
    }

    /// Keeps what happens, for [`World::log`]; agents already placed come first. Of those who ask
    /// again none begins anew.
    pub fn keep_log(&mut self) {
        if self.log.is_some() {
            return;
        }
        self.log = Some(Log::default());
        for row in 0..self.agents.len() {
            self.note_spawn(row);
            self.note_orders(row, self.agents.orders(row).open);
        }
    }

    /// Notes that the agent in a row has been placed.
    pub(crate) fn note_spawn(&mut self, row: usize) {
        let (agent, class) = (self.agents.ids[row], self.agents.motion[row].class);
        self.note(TraceEvent::Spawn { agent, class, pose: self.pose(row), tick: self.tick });
    }

    /// Notes orders that an agent has been given.
    pub(crate) fn note_orders(&mut self, row: usize, orders: OrderList) {
        let agent = self.agents.ids[row];
        if let Some(log) = &mut self.log {
            let numbers =
                (orders.first..orders.first + orders.count).filter(|&order| !self.orders.is_task(order));
            log.events.extend(numbers.map(|order| TraceEvent::Order { agent, order }));
        }
    }

    /// Notes the path that an agent has been given.
    pub(crate) fn note_path(&mut self, row: usize) {
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

    /// What happened since the log was last cleared, in order; nothing unless it is kept.
    pub fn log(&self) -> &[TraceEvent] {
        self.log.as_ref().map_or(&[], |log| &log.events)
    }

    /// Moves of the paths of [`TraceEvent::Path`] in the log, one behind the other.
    pub fn log_moves(&self) -> &[u8] {
        self.log.as_ref().map_or(&[], |log| &log.moves)
    }

    /// Forgets what happened; to be called after each tick once it has been looked at.
    pub fn clear_log(&mut self) {
        if let Some(log) = &mut self.log {
            log.events.clear();
            log.moves.clear();
        }
    }

    pub(crate) fn note(&mut self, event: TraceEvent) {
        if let Some(log) = &mut self.log {
            log.events.push(event);
        }
    }

    /// What a search for a cheapest path reads.
    pub(crate) fn search_inputs(&self) -> SearchInputs<'_> {
        let Self { agents, classes, tables, orders, .. } = self;
        SearchInputs { agents, classes, tables, orders }
    }

    /// What any search for a path reads.
    pub(crate) fn search_context(&self) -> SearchContext<'_> {
        let Self { occupancy, given, congestion, paths, .. } = self;
        SearchContext { search_inputs: self.search_inputs(), occupancy, given, congestion, paths }
    }

    /// Searches for the requests that have a share of the tick's budget.
    pub(crate) fn search_requests(&mut self) {
        let Self { agents, classes, tables, orders, occupancy, given, congestion, paths, .. } = self;
        let search_inputs = SearchInputs { agents, classes, tables, orders };
        let context = SearchContext { search_inputs, occupancy, given, congestion, paths };
        self.requests.search(&context, &self.group_goals, self.tick);
    }

    /// Puts an agent down in a legal pose that nobody holds.
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

    /// Puts an agent of a group down; `number` is its own among them.
    pub(crate) fn place_of_group(
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

    /// Gives an agent the pose that its order to an area or a group leads to.
    pub(crate) fn give(&mut self, row: usize, state: State) {
        let tables = &self.tables[self.agents.motion[row].class.0 as usize];
        let pose = tables.space().pose(state);
        self.given.give(self.agents.ids[row], pose.cell, tables.class().cells_at(pose));
        self.agents.given[row] = Some(state);
    }

    /// The pose that an agent has been given, if any, is free for others again.
    pub(crate) fn give_back(&mut self, row: usize) {
        if let Some(state) = self.agents.given[row].take() {
            let tables = &self.tables[self.agents.motion[row].class.0 as usize];
            let pose = tables.space().pose(state);
            self.given.take_back(pose.cell, tables.class().cells_at(pose));
        }
    }

    /// Takes out the agents of the marked rows.
    pub(crate) fn remove_rows(&mut self, gone: &[bool]) {
        for row in (0..gone.len()).filter(|&row| gone[row]) {
            let agent = self.agents.ids[row];
            let motion = self.agents.motion[row];
            let step = transition_of(&self.tables, &motion);
            if motion.at_rest() {
                let (anchor, cells) = step.start();
                self.occupancy.release(agent, anchor, cells);
            } else {
                self.occupancy.end_move(agent, &step);
            }
            self.give_back(row);
            self.paths.drop_path(&mut self.agents.paths[row]);
            self.counts.removed += 1;
            self.note(TraceEvent::Remove { agent });
        }
        let Self { requests, agents, .. } = self;
        requests.forget_where(|agent| agents.row(agent).is_some_and(|row| gone[row]));
        self.agents.remove_rows(gone);
    }
}
