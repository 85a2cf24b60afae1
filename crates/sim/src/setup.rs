//! The parts of a world and its construction: map, classes, traffic rule and initial agents.

use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::class::WorldClass;
use crate::class_graph::ClassGraph;
use crate::class_landmarks::LANDMARKS_MAX;
use crate::command_queue::CommandQueue;
use crate::commands::{Command, RefusalReason, Spawn};
use crate::congestion::Congestion;
use crate::counts::Counts;
use crate::events::Events;
use crate::group_goals::GroupGoals;
use crate::make_landmarks::{landmark_numbers, make_landmarks};
use crate::name::Name;
use crate::obstacles::TeamObstacles;
use crate::obstructed::Obstructed;
use crate::order_pool::OrderPool;
use crate::orders::Order;
use crate::pending_edits::PendingEdits;
use crate::phases::agents::{check_spawn, place};
use crate::phases::orders_given::{StoredOrders, check_leaders, check_not_own_leader, check_orders};
use crate::progress::LongestOfClass;
use crate::replan_params::ReplanParams;
use crate::requests::{PathSource, Requests};
use crate::route_legs::{early_graphs, make_early_graphs};
use crate::threads::{Pool, Threads};
use crate::tick_buffers::TickBuffers;
use crate::traffic_buffers::TrafficBuffers;
use crate::world::{Settings, Start, World};
use std::fmt;
use std::sync::Arc;
use wheelbase_grid::{Change, Grid};
use wheelbase_planner::model::ClassSpeeds;
use wheelbase_planner::{MovementClass, MovementTables};
use wheelbase_traffic::motion::{AgentId, ClassId, sides};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::params::Tunable;
use wheelbase_traffic::teams::Friends;
use wheelbase_traffic::{Cooperative, Traffic, TrafficParams};

/// Most expansions for path requests per tick.
pub const EXPANSIONS_PER_TICK_MAX: u64 = 1 << 40;
/// Most searches in progress together.
pub const SEARCH_SLOTS_MAX: u32 = 1024;

/// What a world is made of.
pub struct Setup {
    /// Settings of the run.
    pub settings: Settings,
    /// The map.
    pub grid: Grid,
    /// The classes compiled against the map, by [`ClassId`]. With components, an unreachable goal costs no search.
    pub tables: Vec<MovementTables>,
    /// The traffic rule.
    pub traffic: Box<dyn Traffic>,
    /// The initial agents, with ids 0, 1, 2 ... in this order. They have no events.
    pub agents: Vec<Spawn>,
    /// Commands for later ticks, such as the events of a scenario. They have the first tickets, in this order.
    pub scheduled: Vec<(u32, Command)>,
    /// Which teams are friends.
    pub friends: Friends,
    /// The threads that the world runs on.
    pub threads: Threads,
    /// The source of paths.
    pub paths: PathSource,
    /// Landmarks of each class, which make far searches cheap. They are made once; four take as long as a hundred
    /// searches. `None` for as many as pay off for agents of this setup with tasks all over the map. That is none in a
    /// game of clicks, which may ask for 4.
    pub landmarks: Option<usize>,
    /// Changes that edits may make and undo while landmarks stay in use. Any other edit that makes a move easier
    /// switches the landmarks off until they are repaired; this affects the time of searches alone.
    pub eased: Vec<Change>,
}

/// A mistake in a [`Setup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The tables of this class were compiled against a map of another size or shape.
    OtherMap(ClassId),
    /// More than 256 classes.
    TooManyClasses(usize),
    /// The traffic rule cannot drive a class that is added to its world ([`World::add_class`]).
    RuleRefuses(ClassId),
    /// An agent cannot be placed, or its orders cannot be given.
    Agent {
        /// Its index in [`Setup::agents`].
        number: usize,
        /// Why.
        reason: RefusalReason,
    },
    /// A change of [`Setup::eased`] names an unknown kind, or a cell off the map.
    WrongChange(usize),
    /// A number of [`Setup::settings`], a tunable among them, or of [`Setup::landmarks`] is out of its range.
    OutOfRange {
        /// Its name.
        name: &'static str,
        /// The number.
        found: u64,
        /// The least and the greatest value allowed.
        range: (u64, u64),
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMap(class) => write!(f, "class {} is compiled against another map", class.0),
            Self::TooManyClasses(found) => write!(f, "{found} classes, expected at most 256"),
            Self::RuleRefuses(class) => {
                write!(f, "class {} cannot be added: the traffic rule drives one class", class.0)
            }
            Self::Agent { number, reason } => write!(f, "agent {number}: {reason}"),
            Self::WrongChange(number) => {
                write!(f, "change {number} names an unknown kind, or a cell off the map")
            }
            Self::OutOfRange { name, found, range: (least, greatest) } => {
                write!(f, "{name} = {found}, expected {least} to {greatest}")
            }
        }
    }
}

impl std::error::Error for SetupError {}

/// All mistakes in a [`Setup`], at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupErrors(pub Vec<SetupError>);

impl fmt::Display for SetupErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            let separator = if at > 0 { "; " } else { "" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SetupErrors {}

impl Setup {
    /// Classes on a map under the usual traffic rule, [`Cooperative`], without agents. Compiles them with components.
    ///
    /// ```
    /// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
    /// use wheelbase_sim::{ClassId, Command, Order, Settings, Setup, Spawn, World};
    /// let mut cart = ClassSpec::new("cart", 4);
    /// cart.primitives = Primitive::vehicle(4, 8, 4);
    /// let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default())?;
    /// let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::new(cart)?]);
    /// setup.agents.push(Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0))));
    /// let mut world = World::new(setup)?;
    /// let cart = world.agent_arrays().ids[0];
    /// world.command(Command::order(cart, Order::goto(CellXY::new(5, 0))));
    /// for _ in 0..40 {
    ///     world.step();
    /// }
    /// assert_eq!(world.pose(0).cell, CellXY::new(5, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Panics
    /// If a class is made for maps of another shape.
    pub fn cooperative(settings: Settings, grid: Grid, classes: Vec<MovementClass>) -> Self {
        let compiled = |class| {
            let mut tables = MovementTables::compile(&grid, class);
            tables.make_components();
            tables
        };
        let tables: Vec<MovementTables> = classes.into_iter().map(compiled).collect();
        let traffic = Box::new(Cooperative::new(&tables, grid.size(), settings.collision, settings.traffic));
        Self::with_rule(settings, grid, tables, traffic)
    }

    /// Compiled classes on their map under any traffic rule, without agents.
    pub fn with_rule(
        settings: Settings,
        grid: Grid,
        tables: Vec<MovementTables>,
        traffic: Box<dyn Traffic>,
    ) -> Self {
        Self {
            settings,
            grid,
            tables,
            traffic,
            agents: Vec::new(),
            scheduled: Vec::new(),
            friends: Friends::default(),
            threads: Threads::default(),
            paths: PathSource::default(),
            landmarks: None,
            eased: Vec::new(),
        }
    }
}

/// Numbers that are out of their ranges.
pub(crate) fn out_of_range(settings: &Settings, landmarks: Option<usize>) -> Vec<SetupError> {
    let Settings { expansions_per_tick, search_slots, poses_per_agent, traffic, replan, .. } = settings;
    let others = [
        ("expansions_per_tick", *expansions_per_tick, (1, EXPANSIONS_PER_TICK_MAX)),
        ("search_slots", *search_slots as u64, (1, SEARCH_SLOTS_MAX.into())),
        ("poses_per_agent", u64::from(*poses_per_agent), (1, u32::MAX.into())),
        ("landmarks", landmarks.unwrap_or(0) as u64, (0, LANDMARKS_MAX.into())),
    ];
    let tunables = TrafficParams::tunables().into_iter().chain(ReplanParams::tunables());
    let values = traffic.values().chain(replan.values());
    let of_tunable = |(tunable, value): (Tunable, u32)| {
        let range = (u64::from(*tunable.range.start()), u64::from(*tunable.range.end()));
        (tunable.name, u64::from(value), range)
    };
    others
        .into_iter()
        .chain(tunables.zip(values).map(of_tunable))
        .filter(|&(_, found, (least, greatest))| found < least || found > greatest)
        .map(|(name, found, range)| SetupError::OutOfRange { name, found, range })
        .collect()
}

/// A class of a run without landmarks.
pub(crate) fn class_of(grid: &Grid, tables: &MovementTables) -> WorldClass {
    WorldClass {
        name: tables.class().spec().name.clone(),
        speeds: ClassSpeeds::of(grid, tables.class()),
        landmarks: None,
        graph: ClassGraph::default(),
    }
}

/// What a world is built on: a map, and classes compiled against it.
pub(crate) struct WorldBase {
    pub settings: Settings,
    pub grid: Grid,
    pub classes: Vec<WorldClass>,
    pub tables: Vec<MovementTables>,
    friends: Friends,
    pub start: Start,
}

impl WorldBase {
    /// Classes without landmarks.
    pub fn new(
        settings: Settings,
        grid: Grid,
        tables: Vec<MovementTables>,
        friends: Friends,
        start: Start,
    ) -> Self {
        let classes = tables.iter().map(|tables| class_of(&grid, tables)).collect();
        Self { classes, settings, grid, tables, friends, start }
    }

    /// A world without agents before tick 0.
    pub fn into_world(self, traffic: Box<dyn Traffic>, threads: Threads, paths: PathSource) -> World {
        let Self { settings, grid, classes, tables, friends, start } = self;
        let mut congestion = Congestion::new(
            grid.size(),
            grid.shape(),
            &tables[..start.n_classes].iter().map(sides).collect::<Vec<_>>(),
            settings.replan,
        );
        tables[start.n_classes..].iter().for_each(|tables| congestion.add_class(sides(tables)));
        World {
            classes,
            agents: Agents::default(),
            orders: OrderPool::default(),
            occupancy: Occupancy::new(grid.size(), settings.collision),
            assigned_poses: AssignedPoses::new(grid.size()),
            congestion,
            group_goals: GroupGoals::default(),
            requests: Requests::new(settings.search_slots, grid.size(), paths),
            traffic,
            traffic_buffers: TrafficBuffers::default(),
            events: Events::default(),
            commands: CommandQueue::default(),
            tick_buffers: TickBuffers::default(),
            pending_edits: PendingEdits::default(),
            class_changes: Vec::new(),
            followers: Vec::new(),
            friends,
            obstacles: TeamObstacles::default(),
            obstructed: Obstructed::default(),
            pool: Pool::new(threads),
            counts: Counts::default(),
            longest: vec![LongestOfClass::default(); tables.len()],
            tick: 0,
            violation: None,
            ended: Vec::new(),
            start,
            broken: None,
            report_base: None,
            tables,
            settings,
            grid,
        }
    }
}

impl World {
    /// A world before tick 0.
    /// # Errors
    /// All mistakes in the setup.
    pub fn new(setup: Setup) -> Result<Self, SetupErrors> {
        let Setup {
            settings,
            grid,
            tables,
            traffic,
            agents,
            scheduled,
            friends,
            threads,
            paths,
            landmarks,
            eased,
        } = setup;
        if tables.len() > usize::from(u8::MAX) + 1 {
            return Err(SetupErrors(vec![SetupError::TooManyClasses(tables.len())]));
        }
        let is_other = |tables: &MovementTables| {
            (tables.space().size(), tables.space().shape()) != (grid.size(), grid.shape())
        };
        let others = tables.iter().enumerate().filter(|(_, tables)| is_other(tables));
        let mut errors: Vec<SetupError> =
            others.map(|(class, _)| SetupError::OtherMap(ClassId(class as u8))).collect();
        errors.extend(out_of_range(&settings, landmarks));
        if !errors.is_empty() {
            return Err(SetupErrors(errors));
        }
        let start = Start { n_classes: tables.len(), ..Start::default() };
        let base = WorldBase::new(settings, grid, tables, friends, start);
        let mut world = base.into_world(traffic, threads, paths);
        world.place_all(&agents, &mut errors);
        let is_wrong = |change: &Change| change.check(&world.grid).is_err();
        let wrong = eased.iter().enumerate().filter(|(_, change)| is_wrong(change));
        errors.extend(wrong.map(|(number, _)| SetupError::WrongChange(number)));
        if !errors.is_empty() {
            return Err(SetupErrors(errors));
        }
        let mut pool = world.pool.clone();
        let numbers = landmark_numbers(&world, landmarks);
        let World { classes, tables, grid, .. } = &mut world;
        pool.run(|| make_landmarks(classes, (tables, grid), &eased, numbers));
        world.start = Start { landmarks, eased, agents, ..world.start };
        for (tick, command) in scheduled {
            world.command_at(tick, command);
        }
        world.commands.end_setup();
        let is_early = early_graphs(&world);
        pool.run(|| make_early_graphs(&mut world.classes, &world.tables, is_early));
        world.pool = pool;
        Ok(world)
    }

    /// Places the agents of a setup. Consecutive agents that share their orders share the stored list.
    fn place_all(&mut self, agents: &[Spawn], errors: &mut Vec<SetupError>) {
        let mut stored: Option<StoredOrders<'_>> = None;
        let (mut checked, mut checked_of): (_, Option<&Arc<[Order]>>) = (Ok(()), None);
        for (number, spawn) in agents.iter().enumerate() {
            let mut check = || {
                let state = check_spawn(self, spawn)?;
                if checked_of.is_none_or(|orders| !Arc::ptr_eq(orders, &spawn.orders)) {
                    checked_of = Some(&spawn.orders);
                    // Leaders can be placed later.
                    checked = check_orders(self, &spawn.orders).and_then(|()| {
                        check_leaders(&spawn.orders, |leader| (leader.0 as usize) < agents.len())
                    });
                }
                checked?;
                check_not_own_leader(AgentId(number as u32), &spawn.orders)?;
                Ok(state)
            };
            match check() {
                Ok(state) => {
                    let headings = self.tables[usize::from(spawn.class.0)].space().headings();
                    let orders = match stored.as_mut().filter(|stored| stored.is_of(&spawn.orders)) {
                        Some(stored) => stored,
                        None => stored.insert(StoredOrders::new(&spawn.orders)),
                    };
                    let list = orders.of((&mut self.orders, &mut self.assigned_poses), None, headings);
                    place(self, None, spawn, state, list);
                }
                Err(reason) => errors.push(SetupError::Agent { number, reason }),
            }
        }
    }

    /// Names an agent, by the component [`Name`] of its entity. Does nothing if the agent is not present.
    pub fn name_agent(&mut self, agent: AgentId, name: &str) {
        if let Some(row) = self.agents.row(agent) {
            self.agents.set_name(row, Name(name.into()));
        }
    }
}
