//! The data of a run: the owner of every array.

use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::broken::{Broken, ReportBase};
use crate::class::WorldClass;
use crate::class_changes::ClassChange;
use crate::class_landmarks::ClassLandmarks;
use crate::command_queue::{CommandQueue, GivenCommand};
use crate::commands::{Command, RefusalReason, Spawn, Ticket};
use crate::congestion::Congestion;
use crate::counts::Counts;
use crate::events::Events;
use crate::group_goals::GroupGoals;
use crate::log::{Log, TraceEvent};
use crate::obstacles::{TeamObstacles, is_obstacle, mark_obstacles};
use crate::obstructed::Obstructed;
use crate::off_map::OffMapAgent;
use crate::order_pool::OrderPool;
use crate::pending_edits::{PendingEdit, PendingEdits};
use crate::placement::is_free;
use crate::plain;
use crate::progress::LongestOfClass;
use crate::replan_params::ReplanParams;
use crate::requests::{Requests, SearchContext, SearchInputs};
use crate::roadblocks::roadblocks_of;
use crate::rows::agent_row::AgentRow;
use crate::rows::event_details::EventDetails;
use crate::rows::event_row::EventRow;
use crate::threads::{Pool, Threads};
use crate::tick_buffers::TickBuffers;
use crate::traffic_buffers::TrafficBuffers;
use crate::violation::Violation;
use hecs::{Entity, World as Entities};
use serde::{Deserialize, Serialize};
use wheelbase_grid::{BitGrid, CellXY, Change, Grid, Rect};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::motion::{Activity, AgentId, ClassId, Motion, end_state, transition_of};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::path_pool::PathPool;
use wheelbase_traffic::teams::Friends;
use wheelbase_traffic::{Decisions, OwnRule, Traffic, TrafficParams};

/// What holds for a whole run. Serialized without its tunables, which a snapshot stores by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Name of the scenario.
    pub name: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The collision rule.
    #[serde(with = "plain")]
    pub collision: CollisionRule,
    /// Ticks to run at most; [`Settings::ENDLESS`] for a world without a last tick, which idles without work.
    pub ticks: u32,
    /// Expansions for path requests per tick, 1 to [`EXPANSIONS_PER_TICK_MAX`](crate::EXPANSIONS_PER_TICK_MAX).
    pub expansions_per_tick: u64,
    /// Searches in progress together, 1 to [`SEARCH_SLOTS_MAX`](crate::SEARCH_SLOTS_MAX).
    pub search_slots: usize,
    /// Poses that each agent may expand per tick under the cooperative rule, at least 1. It saves at most four times
    /// that.
    pub poses_per_agent: u32,
    /// Traffic search budget: tries of the rule for unit robots per tick.
    pub tries_per_tick: u64,
    /// Tunables of the traffic rule.
    #[serde(skip)]
    pub traffic: TrafficParams,
    /// Tunables of replanning around other agents.
    #[serde(skip)]
    pub replan: ReplanParams,
}

impl Settings {
    /// `ticks` of a world without a last tick.
    pub const ENDLESS: u32 = u32::MAX;

    /// The usual settings, as the default of scenarios where these have one, for a world without a last tick.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            seed: 0,
            collision: CollisionRule::Swept,
            ticks: Self::ENDLESS,
            expansions_per_tick: 200_000,
            search_slots: 16,
            poses_per_agent: 16,
            tries_per_tick: 20_000,
            traffic: TrafficParams::default(),
            replan: ReplanParams::default(),
        }
    }
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
    pub(crate) occupancy: Occupancy,
    pub(crate) assigned_poses: AssignedPoses,
    pub(crate) congestion: Congestion,
    pub(crate) group_goals: GroupGoals,
    pub(crate) requests: Requests,
    /// The traffic rule.
    pub(crate) traffic: Box<dyn Traffic>,
    pub(crate) traffic_buffers: TrafficBuffers,
    pub(crate) events: Events,
    pub(crate) commands: CommandQueue,
    pub(crate) tick_buffers: TickBuffers,
    pub(crate) pending_edits: PendingEdits,
    /// Class changes that wait for the end of a move, in order of their tickets.
    pub(crate) class_changes: Vec<ClassChange>,
    /// Agents with an order to follow another, by id; some may have other orders by now.
    pub(crate) followers: Vec<AgentId>,
    /// Which teams are friends.
    pub(crate) friends: Friends,
    pub(crate) obstacles: TeamObstacles,
    /// Agents that keep an obstructed order and try it again.
    pub(crate) obstructed: Obstructed,
    /// The threads that it runs on.
    pub(crate) pool: Pool,
    pub(crate) counts: Counts,
    /// By class: the longest times that agents have not got on.
    pub(crate) longest: Vec<LongestOfClass>,
    /// The tick that comes next.
    pub(crate) tick: u32,
    /// The first violation of an invariant, and the tick after which it was found.
    pub(crate) violation: Option<(u32, Violation)>,
    /// Moves that ended at the last tick: rows, and the states in which the moves began.
    pub(crate) ended: Vec<(u32, State)>,
    /// Parts of its setup that nothing else keeps.
    pub(crate) start: Start,
    /// Set by a panic inside a step.
    pub(crate) broken: Option<Box<Broken>>,
    /// What a crash report needs, if one is kept.
    pub(crate) report_base: Option<Box<ReportBase>>,
}

/// Parts of a setup that nothing else in the world keeps, for recordings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// Landmarks of each class that were asked for.
    pub landmarks: Option<usize>,
    /// Changes that edits may bring.
    pub eased: Vec<Change>,
    /// The agents; dropped at the first tick.
    pub agents: Vec<Spawn>,
    /// Number of its classes. Those behind them have been added since.
    pub n_classes: usize,
}

/// Inputs of a search for any path. A macro, since the requests of the world are borrowed beside it.
macro_rules! search_context {
    ($world:ident) => {
        SearchContext {
            search_inputs: SearchInputs {
                agents: &$world.agents,
                classes: &$world.classes,
                tables: &$world.tables,
                orders: &$world.orders,
            },
            occupancy: &$world.occupancy,
            assigned_poses: &$world.assigned_poses,
            congestion: &$world.congestion,
            params: &$world.settings.replan,
            obstacles: &$world.obstacles,
            roadblocks: roadblocks_of(&*$world.traffic),
        }
    };
}

/// What a traffic rule sees between two ticks. A macro, since the rule of the world is borrowed beside it.
macro_rules! traffic_view {
    ($world:ident, $goals:expr) => {
        TrafficView {
            tick: $world.tick,
            poses_per_agent: $world.settings.poses_per_agent,
            search_budget: $world.settings.tries_per_tick,
            grid_size: $world.grid.size(),
            tables: &$world.tables,
            agents: $world.agents.view($goals),
            paths: &$world.agents.path_pool,
            forbidden: $world.pending_edits.areas(),
            friends: &$world.friends,
            commanded: &[],
            reclassed: &[],
            edited: &[],
            refused: &$world.traffic_buffers.refused_rows,
            occupancy: &$world.occupancy,
        }
    };
}
pub(crate) use traffic_view;

impl World {
    /// The settings of the run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the last tick of the run, counted from tick 0; [`Settings::ENDLESS`] for none. Part of the settings, not of
    /// the state: a host sets it before it goes on with a loaded world.
    pub fn set_ticks(&mut self, ticks: u32) {
        self.settings.ticks = ticks;
    }

    /// Sets the threads that the world runs on from now on: a host does so with a loaded world. No part of the state.
    ///
    /// ```
    /// # use wheelbase_sim::{Grid, MovementClass, Settings, Setup, SideTable, TerrainTable, Threads, World};
    /// # let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
    /// # let mut world =
    /// #     World::new(Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]))?;
    /// let mut other = world.clone();
    /// other.set_threads(Threads::Own(2));
    /// world.step();
    /// other.step();
    /// assert_eq!(other.state_hash(), world.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_threads(&mut self, threads: Threads) {
        self.pool = Pool::new(threads);
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

    /// The agents present in order of id, after the last tick or placement: what games and renderers read. Constant
    /// time; a tick writes only the rows of agents that change.
    pub fn agents(&self) -> &[AgentRow] {
        &self.agents.rows
    }

    /// Indices into [`World::agents`] of the rows that the last tick has changed or added, ascending. Before the first
    /// tick and after a load these are all rows. An engine need not compare all rows then. Agents that are removed, or
    /// leave the map, have an event. The rows behind them close up, and count as unchanged. Linear in the changed rows,
    /// and a bit per agent.
    ///
    /// ```
    /// # use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// # use wheelbase_planner::{Heading, MovementClass, Pose};
    /// # use wheelbase_sim::{ClassId, Order, Settings, Setup, Spawn, World};
    /// # let grid = Grid::from_rows(&["....", "...."], TerrainTable::movingai(), SideTable::default())?;
    /// # let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::octile()]);
    /// let spawn = |y| Spawn::new(ClassId(0), Pose::new(0, y, Heading(0)));
    /// setup.agents = vec![spawn(0), spawn(1).with_orders([Order::goto(CellXY::new(3, 1))])];
    /// let mut world = World::new(setup)?;
    /// assert!(world.changed_rows().eq([0, 1]));
    /// world.step();
    /// assert!(world.changed_rows().eq([1]));
    /// world.step();
    /// assert_eq!(world.changed_rows().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn changed_rows(&self) -> impl Iterator<Item = usize> {
        self.agents.changed.iter(&self.agents.rows)
    }

    /// Which teams are friends.
    pub fn friends(&self) -> &Friends {
        &self.friends
    }

    /// An agent; `None` if it is not present. Logarithmic in the agents.
    pub fn agent(&self, id: AgentId) -> Option<&AgentRow> {
        self.agents.row(id).map(|row| &self.agents.rows[row])
    }

    /// The agents present, as the arrays that ticks stream over, with the same rows.
    pub fn agent_arrays(&self) -> &Agents {
        &self.agents
    }

    /// The entities of the agents ([`Agents::entities`]), with the components that game code adds. An entity lives as
    /// long as its agent, and its components with it.
    pub fn entities(&self) -> &Entities {
        self.agents.entities()
    }

    /// The entity of an agent; `None` if it is neither present nor off the map. Logarithmic in the agents.
    pub fn entity(&self, id: AgentId) -> Option<Entity> {
        self.agents.entity_of(id)
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
        &self.agents.path_pool
    }

    /// The agent that holds a cell; `None` if none does or the cell is off the map.
    pub fn agent_at(&self, cell: CellXY) -> Option<AgentId> {
        let row = self.agents.row_of_slot(self.occupancy.holder_at(cell)?)?;
        Some(self.agents.ids[row])
    }

    /// The tick that comes next.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The counts of the run so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// By [`ClassId`]: the longest times so far that agents have had something to do and not got on.
    pub fn longest(&self) -> &[LongestOfClass] {
        &self.longest
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

    /// The edits that wait until they disturb no agent, oldest first.
    pub fn pending_edits(&self) -> &[PendingEdit] {
        self.pending_edits.edits()
    }

    /// Cells that the agent in a row holds, and their anchor.
    pub(crate) fn held_cells(&self, row: usize) -> (CellXY, &[Offset]) {
        let motion = &self.agents.motion[row];
        let step = transition_of(&self.tables, motion);
        if motion.at_rest() { step.start() } else { self.occupancy.held(&step) }
    }

    /// What happened at the last tick, in order; empty before the first. Constant time. Agents placed before the first
    /// tick are in [`World::agents`] only.
    pub fn events(&self) -> &[EventRow] {
        &self.events.rows
    }

    /// Details of the event of an index into [`World::events`], valid as long as these; the default if it has none.
    /// Logarithmic in the events.
    pub fn event_details(&self, index: usize) -> EventDetails<'_> {
        self.events.details.get(index)
    }

    /// Commands for later ticks, by tick and ticket, such as the events of a scenario.
    pub fn scheduled_commands(&self) -> impl ExactSizeIterator<Item = (u32, Ticket, &Command)> {
        self.commands.later()
    }

    /// The commands that came with the setup ([`Setup::scheduled`](crate::Setup::scheduled)) and have not taken effect.
    pub fn setup_commands(&self) -> impl Iterator<Item = (u32, &Command)> {
        self.commands.of_setup()
    }

    /// The agents of the setup, by id; none once the world has stepped.
    pub fn setup_agents(&self) -> &[Spawn] {
        &self.start.agents
    }

    /// Whether searches of a class use its landmarks. They do not after an edit that has made a move easier, until the
    /// landmarks are repaired, within a quarter of each tick's expansions. `false` for a class without landmarks.
    pub fn landmarks_in_use(&self, class: ClassId) -> bool {
        let landmarks = self.classes.get(usize::from(class.0)).and_then(|class| class.landmarks.as_ref());
        landmarks.is_some_and(ClassLandmarks::hold)
    }

    /// Number of classes of the setup; those behind them were added since ([`World::add_class`]).
    pub fn setup_classes(&self) -> usize {
        self.start.n_classes
    }

    /// The setup's number of landmarks of each class, and its eased changes.
    pub fn setup_landmarks(&self) -> (Option<usize>, &[Change]) {
        (self.start.landmarks, &self.start.eased)
    }

    /// All path requests.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// The traffic rule, if it is one of ours.
    pub fn own_rule(&self) -> Option<OwnRule> {
        OwnRule::of(&*self.traffic)
    }

    /// Whether the traffic rule follows planned paths.
    pub fn rule_needs_paths(&self) -> bool {
        self.traffic.needs_paths()
    }

    /// Gives a command. It takes effect at the beginning of the next [`World::step`], after the commands given before
    /// it. A refusal is an event of that step, with the ticket returned here. Takes constant time.
    pub fn command(&mut self, command: Command) -> Ticket {
        self.give(None, command)
    }

    fn give(&mut self, tick: Option<u32>, command: Command) -> Ticket {
        if self.broken.is_some() {
            return self.commands.next_ticket();
        }
        let is_kept = self.events.log.is_some() || self.report_base.is_some();
        let kept = is_kept.then(|| command.clone());
        let ticket = match tick {
            Some(tick) => self.commands.push_at(tick, command),
            None => self.commands.push(command),
        };
        if let Some(command) = kept {
            let given = GivenCommand { ticket, tick, command };
            if let Some(base) = &mut self.report_base {
                base.given.push((self.tick, given.clone()));
            }
            if let Some(log) = &mut self.events.log {
                log.given.push(given);
            }
        }
        ticket
    }

    /// Gives a command of another run of this world. The ticket is the same as there if all were given so far.
    pub fn command_again(&mut self, given: GivenCommand) -> Ticket {
        match given.tick {
            Some(tick) => self.command_at(tick, given.command),
            None => self.command(given.command),
        }
    }

    /// The ticket of the next command.
    pub(crate) fn next_ticket(&self) -> Ticket {
        self.commands.next_ticket()
    }

    /// The panic that left this world half way through a tick; `None` for a world that is whole.
    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_deref()
    }

    /// Gives a command for a later tick or the next one. It takes effect before the commands of that tick from
    /// [`World::command`]. For a past tick it is the same as [`World::command`].
    pub fn command_at(&mut self, tick: u32, command: Command) -> Ticket {
        self.give((tick >= self.tick).then_some(tick), command)
    }

    /// The first violation found and the tick after which it was found, if invariants are checked.
    pub fn violation(&self) -> Option<(u32, Violation)> {
        self.violation
    }

    /// Turns on [`crate::invariant::check`] after every tick, and the count of collisions.
    pub fn check_invariants(&mut self) {
        self.counts.collisions.get_or_insert(0);
    }

    /// Starts the log that [`World::log`] returns; agents already placed come first. Nothing if there is a log.
    pub fn keep_log(&mut self) {
        if self.events.log.is_some() {
            return;
        }
        let mut log = Log { given: self.commands.given(), ..Log::default() };
        for row in 0..self.agents.len() {
            log.events.push(self.spawn_of(row, None));
            if let Some(list) = self.orders.first_list(&self.agents.orders(row)) {
                let agent = self.agents.ids[row];
                let numbers = self.orders.numbers_to_log(list);
                log.events.extend(numbers.map(|(order, kind)| TraceEvent::Order {
                    agent,
                    order,
                    kind,
                    append: false,
                }));
            }
        }
        self.events.log = Some(log);
    }

    /// Starts a log of what happens from now on, or empties the present log. Present agents, and commands given so far,
    /// are not in it.
    pub fn keep_log_from_here(&mut self) {
        self.events.log = Some(Log::default());
    }

    /// The placement of the agent in a row, by a command or from the beginning.
    pub(crate) fn spawn_of(&self, row: usize, ticket: Option<Ticket>) -> TraceEvent {
        let (agent, class) = (self.agents.ids[row], self.agents.motion[row].class);
        let (team, speed_factor) = (self.agents.teams[row], self.agents.speed_factors[row]);
        let (pose, tick) = (self.pose(row), self.tick);
        TraceEvent::Spawn { agent, class, pose, tick, team, speed_factor, ticket }
    }

    /// Notes an event of this tick.
    pub(crate) fn note(&mut self, event: TraceEvent) {
        self.events.note(self.tick, event, EventDetails::default());
    }

    /// Notes the orders of a stored list, given to the agent in a row. Tasks are no order: each task is noted when it
    /// is given.
    pub(crate) fn note_orders(&mut self, row: usize, list: u32, append: bool) {
        let agent = self.agents.ids[row];
        for (order, kind) in self.orders.numbers_to_log(list) {
            let event = TraceEvent::Order { agent, order, kind, append };
            self.events.note(self.tick, event, EventDetails::default());
        }
    }

    /// Gives the agent in a row other moves to follow, and notes them.
    pub(crate) fn set_path(&mut self, row: usize, moves: &[u8]) {
        self.agents.set_moves(row, moves);
        // In mid-move the path begins where the move ends.
        let motion = &self.agents.motion[row];
        let tables = &self.tables[motion.class.0 as usize];
        let state = end_state(tables, motion);
        let (agent, from) = (self.agents.ids[row], tables.space().pose(state));
        let mut first = 0;
        if let Some(log) = &mut self.events.log {
            first = log.moves.len() as u32;
            log.moves.extend_from_slice(moves);
        }
        self.note(TraceEvent::Path { agent, from, first, count: moves.len() as u32 });
    }

    /// What happened since the log was last cleared, in order; empty without a log.
    pub fn log(&self) -> &[TraceEvent] {
        self.events.log.as_ref().map_or(&[], |log| &log.events)
    }

    /// Details of the event of an index into [`World::log`]; the default if it has none. Logarithmic in the events.
    pub fn log_details(&self, index: usize) -> EventDetails<'_> {
        self.events.log.as_ref().map_or(EventDetails::default(), |log| log.details.get(index))
    }

    /// The moves of the paths in the log, concatenated; [`TraceEvent::Path`] names its part.
    pub fn log_moves(&self) -> &[u8] {
        self.events.log.as_ref().map_or(&[], |log| &log.moves)
    }

    /// The host's commands between the last two ticks; empty without a log.
    pub fn log_commands(&self) -> &[GivenCommand] {
        self.events.log.as_ref().map_or(&[], |log| &log.commands)
    }

    /// The host's commands since the last tick; empty without a log.
    pub fn commands_given(&self) -> &[GivenCommand] {
        self.events.log.as_ref().map_or(&[], |log| &log.given)
    }

    /// Decisions of a traffic rule from outside at the last tick, unchanged; `None` without a log.
    pub fn log_decisions(&self) -> Option<&Decisions> {
        self.events.log.as_ref().map(|log| &log.decisions)
    }

    /// Clears the log. Call it after each tick, once the log has been read.
    pub fn clear_log(&mut self) {
        if let Some(log) = &mut self.events.log {
            log.events.clear();
            log.details.clear();
            log.moves.clear();
            log.commands.clear();
            log.decisions.clear();
        }
    }

    /// Inputs of a search for a cheapest path.
    pub(crate) fn search_inputs(&self) -> SearchInputs<'_> {
        let Self { agents, classes, tables, orders, .. } = self;
        SearchInputs { agents, classes, tables, orders }
    }

    /// Inputs of a search for any path.
    pub(crate) fn search_context(&self) -> SearchContext<'_> {
        search_context!(self)
    }

    /// Makes the maps of obstacles for the searches about to begin.
    pub(crate) fn make_obstacles(&mut self) {
        let Self { requests, obstacles, agents, tables, friends, grid, .. } = self;
        if !agents.obstruct_any(friends) {
            return;
        }
        for slot in requests.slots.iter().filter(|slot| slot.share > 0 && !slot.state.begun) {
            let row = slot.state.request.and_then(|request| agents.row(request.agent));
            let Some(team) = row.map(|row| agents.teams[row]) else { continue };
            if agents.obstruct(team, friends) {
                obstacles.make(team, grid.size(), agents, tables, friends);
            }
        }
    }

    /// The obstacles to the agent in a row, if there are any.
    pub(crate) fn obstacles_to(&self, row: usize) -> Option<BitGrid> {
        let team = self.agents.teams[row];
        self.agents.obstruct(team, &self.friends).then(|| {
            let mut map = BitGrid::new(self.grid.size());
            mark_obstacles(&mut map, team, &self.agents, &self.tables, &self.friends);
            if is_obstacle(&self.agents, row, team, &self.friends) {
                // An agent on hold is no obstacle to itself.
                let (anchor, cells) = self.held_cells(row);
                cells.iter().for_each(|offset| map.set(offset.cell_from(anchor), false));
            }
            map
        })
    }

    /// Advances the searches that have a share of the tick's budget.
    pub(crate) fn search_requests(&mut self) {
        self.make_obstacles();
        let context = search_context!(self);
        self.requests.search(&context, &self.group_goals, self.tick);
    }

    /// Has the agent in a row, which rests, hold the cells of its footprint.
    pub(crate) fn hold_cells(&mut self, row: usize) {
        let motion = self.agents.motion[row];
        let (anchor, cells) = transition_of(&self.tables, &motion).start();
        self.occupancy.hold(self.agents.slots[row], anchor, cells);
    }

    /// Has the agent in a row give up the cells that it holds, at rest or in mid-move.
    pub(crate) fn release_cells(&mut self, row: usize) {
        let (slot, motion) = (self.agents.slots[row], self.agents.motion[row]);
        let step = transition_of(&self.tables, &motion);
        if motion.at_rest() {
            let (anchor, cells) = step.start();
            self.occupancy.release(slot, anchor, cells);
        } else {
            self.occupancy.end_move(slot, &step);
        }
    }

    /// The state of a pose in which an agent of a class can be placed.
    /// # Errors
    /// [`RefusalReason::UnknownClass`], [`RefusalReason::IllegalPose`], [`RefusalReason::PoseHeld`].
    pub(crate) fn placeable(&self, class: ClassId, pose: Pose) -> Result<State, RefusalReason> {
        let tables = self.tables.get(usize::from(class.0)).ok_or(RefusalReason::UnknownClass)?;
        let state = tables.space().state(pose).filter(|&state| tables.is_legal(state));
        let state = state.ok_or(RefusalReason::IllegalPose)?;
        let cells = tables.class().cells_at(pose);
        let free = is_free(&self.occupancy, self.pending_edits.areas(), pose.cell, cells);
        if free { Ok(state) } else { Err(RefusalReason::PoseHeld) }
    }

    /// Whether a cell, extended by the radius of a goal, reaches the map.
    pub(crate) fn is_near_map(&self, cell: CellXY, within: u32) -> bool {
        self.grid.shape().reaches(cell, within, self.grid.size().rect())
    }

    /// Rows of the agents whose pose, or the pose in which their current move began, has its anchor in an area, rising.
    pub(crate) fn rows_in(&self, area: Rect, rows: &mut Vec<u32>) {
        let present = (0..self.agents.len()).filter(|&row| self.agents.is_present(row));
        rows.extend(present.filter(|&row| area.contains(self.pose(row).cell)).map(|row| row as u32));
    }

    /// Assigns a pose to the agent in a row: the one its order to an area or a group leads to.
    pub(crate) fn assign_pose(&mut self, row: usize, state: State) {
        let tables = &self.tables[self.agents.motion[row].class.0 as usize];
        let pose = tables.space().pose(state);
        self.assigned_poses.assign(self.agents.slots[row], pose.cell, tables.class().cells_at(pose));
        self.agents.assigned[row] = Some(state);
    }

    /// Sets the speed factor at which the agent in a row moves, in thousandths.
    pub(crate) fn set_speed_factor(&mut self, row: usize, permille: u16) {
        self.agents.speed_factors[row] = permille;
        self.agents.busy.insert(row);
        self.note(TraceEvent::SpeedFactor { agent: self.agents.ids[row], permille });
    }

    /// Releases the assigned pose of the agent in a row, if it has one, and its pace of a formation.
    pub(crate) fn release_pose(&mut self, row: usize) {
        if let Some(own) = self.group_goals.take_own_factor(self.agents.ids[row]) {
            self.set_speed_factor(row, own);
        }
        if let Some(state) = self.agents.assigned[row].take() {
            let tables = &self.tables[self.agents.motion[row].class.0 as usize];
            let pose = tables.space().pose(state);
            self.assigned_poses.release(pose.cell, tables.class().cells_at(pose));
        }
    }

    /// Removes the agent in a row. Its row stays until [`Agents::close_up`], at rest and without orders.
    pub(crate) fn remove(&mut self, row: usize) {
        if !self.agents.is_present(row) {
            return;
        }
        let (agent, last) = (self.agents.ids[row], self.last_details(row));
        self.give_up_place(row);
        self.agents.change_orders(row, &mut self.orders, OrderPool::clear);
        self.agents.leave(row);
        self.counts.removed += 1;
        self.events.note(self.tick, TraceEvent::Remove { agent, was_off_map: false }, last);
    }

    /// What an event says of the agent in a row that is about to give up its place.
    pub(crate) fn last_details(&self, row: usize) -> EventDetails<'static> {
        let (class, team) = (self.agents.motion[row].class, self.agents.teams[row]);
        let pose = Some(self.pose(row));
        EventDetails { class: Some(class), team: Some(team), pose, ..EventDetails::default() }
    }

    /// Has the agent in a row give up its cells, its path and its request. It keeps its orders.
    pub(crate) fn give_up_place(&mut self, row: usize) {
        self.release_cells(row);
        self.release_pose(row);
        self.agents.drop_path(row);
        self.agents.set_activity(row, Activity::Idle);
        let motion = &mut self.agents.motion[row];
        (motion.until, motion.replan) = (Motion::AT_REST, false);
        self.tick_buffers.requests_over.insert(row);
    }

    /// The agents off the map, in order of id. [`Command::Enter`] has taken them off it.
    ///
    /// ```
    /// # use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// # use wheelbase_planner::{Heading, MovementClass, Pose};
    /// # use wheelbase_sim::{AgentId, ClassId, Command, Settings, Setup, Spawn, World};
    /// # let grid = Grid::from_rows(&["....", "...."], TerrainTable::movingai(), SideTable::default())?;
    /// # let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::octile()]);
    /// # setup.agents = [0, 1].map(|y| Spawn::new(ClassId(0), Pose::new(0, y, Heading(0)))).to_vec();
    /// # let mut world = World::new(setup)?;
    /// let (unit, transport) = (AgentId(0), AgentId(1));
    /// world.command(Command::enter(unit, transport));
    /// world.step();
    /// assert!(world.off_map().all(|inside| (inside.id, inside.container) == (unit, transport)));
    /// world.command(Command::leave(unit, Pose::new(2, 1, Heading(0))));
    /// world.step();
    /// assert_eq!((world.off_map().count(), world.agents().len()), (0, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn off_map(&self) -> impl ExactSizeIterator<Item = &OffMapAgent> {
        self.agents.off_map().iter().map(|off| &off.agent)
    }
}
