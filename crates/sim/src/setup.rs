//! Makes a world from code: map, classes and traffic rule, then agents, orders and events.

use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::class::WorldClass;
use crate::congestion::Congestion;
use crate::counts::Counts;
use crate::events::{Action, Event, EventQueue};
use crate::group_goals::GroupGoals;
use crate::make_landmarks::make_landmarks;
use crate::name::Name;
use crate::orders::{GroupOrders, Order, OrderKind, OrderList, OrderPool};
use crate::pending_edits::PendingEdits;
use crate::requests::Requests;
use crate::tasks::{ReachedPoses, TaskSlot, TaskSource};
use crate::traffic_buffers::TrafficBuffers;
use crate::world::{Settings, World};
use std::fmt;
use wheelbase_grid::{Change, Grid};
use wheelbase_planner::model::{ClassSpeeds, State};
use wheelbase_planner::{MovementClass, MovementTables};
use wheelbase_traffic::motion::{AgentId, ClassId, sides};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::path_pool::PathPool;
use wheelbase_traffic::{Cooperative, Traffic};

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
}

/// Why something cannot be added to a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The tables of this class were compiled against a map of another size or shape.
    OtherMap(ClassId),
    /// More than 256 classes.
    TooManyClasses(usize),
    /// There is no class of this number.
    NoClass(ClassId),
    /// The state is not a legal pose of the class.
    IllegalPose(State),
    /// Another agent holds a cell of the pose.
    Held(AgentId),
    /// The orders are not in the pool, or are for classes with another number of headings.
    WrongOrders(OrderList),
    /// An order has a goal with a heading that its classes lack.
    WrongHeading,
    /// A source of tasks has no goal for some agent, or there are more than 65,536 sources.
    WrongTasks,
    /// An event names an unknown class or kind, or lacks a list of orders for some class.
    WrongEvent,
    /// The tick of the event has passed.
    Past(u32),
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMap(class) => write!(f, "class {} is compiled against another map", class.0),
            Self::TooManyClasses(found) => write!(f, "{found} classes, expected at most 256"),
            Self::NoClass(class) => write!(f, "no class {}", class.0),
            Self::IllegalPose(state) => write!(f, "state {} is no legal pose of the class", state.0),
            Self::Held(agent) => write!(f, "agent {} holds a cell of the pose", agent.0),
            Self::WrongOrders(list) => {
                write!(f, "orders {} to {} are not for the class", list.first, list.first + list.count)
            }
            Self::WrongHeading => write!(f, "a goal has a heading that the class lacks"),
            Self::WrongTasks => write!(f, "no goal for some agent of the tasks"),
            Self::WrongEvent => write!(f, "an event names an unknown class, kind or list of orders"),
            Self::Past(tick) => write!(f, "tick {tick} has passed"),
        }
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// Classes on a map under the usual traffic rule, [`Cooperative`]. Compiles them with components.
    ///
    /// ```
    /// use wheelbase_grid::{Grid, SideTable, TerrainTable};
    /// use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
    /// use wheelbase_planner::model::State;
    /// use wheelbase_sim::{ClassId, CollisionRule, OrderList, ReplanParams, Settings, Setup, TrafficParams, World};
    /// let mut cart = ClassSpec::new("cart", 4);
    /// cart.primitives = Primitive::vehicle(4, 8, 4);
    /// let grid = Grid::from_rows(&["........"], TerrainTable::movingai(), SideTable::default())?;
    /// let settings = Settings {
    ///     name: "lane".to_owned(),
    ///     seed: 0,
    ///     collision: CollisionRule::Swept,
    ///     ticks: 100,
    ///     expansions_per_tick: 100_000,
    ///     search_slots: 8,
    ///     tries_per_tick: 10_000,
    ///     traffic: TrafficParams::default(),
    ///     replan: ReplanParams::default(),
    /// };
    /// let setup = Setup::cooperative(settings, grid, vec![MovementClass::new(cart)?]);
    /// let mut world = World::new(setup)?;
    /// let agent = world.place_agent(ClassId(0), State(0), 0, OrderList::default())?;
    /// assert_eq!((agent.0, world.counts().placed), (0, 1));
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
        Self { settings, grid, tables, traffic }
    }
}

impl World {
    /// A world without agents and events, before tick 0.
    /// # Errors
    /// [`SetupError::OtherMap`], [`SetupError::TooManyClasses`].
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let Setup { settings, grid, tables, traffic } = setup;
        if tables.len() > usize::from(u8::MAX) + 1 {
            return Err(SetupError::TooManyClasses(tables.len()));
        }
        let is_other = |tables: &MovementTables| {
            (tables.space().size(), tables.space().shape()) != (grid.size(), grid.shape())
        };
        if let Some(class) = tables.iter().position(is_other) {
            return Err(SetupError::OtherMap(ClassId(class as u8)));
        }
        let classes = tables.iter().map(|tables| WorldClass {
            name: tables.class().spec().name.clone(),
            speeds: ClassSpeeds::of(&grid, tables.class()),
            landmarks: None,
        });
        let sides: Vec<_> = tables.iter().map(sides).collect();
        Ok(Self {
            classes: classes.collect(),
            agents: Agents::default(),
            orders: OrderPool::default(),
            paths: PathPool::default(),
            occupancy: Occupancy::new(grid.size(), settings.collision),
            assigned_poses: AssignedPoses::default(),
            congestion: Congestion::new(grid.size(), grid.shape(), &sides, settings.traffic, settings.replan),
            group_goals: GroupGoals::default(),
            requests: Requests::new(settings.search_slots, grid.size()),
            traffic,
            traffic_buffers: TrafficBuffers::default(),
            events: EventQueue::default(),
            pending_edits: PendingEdits::default(),
            counts: Counts::default(),
            tick: 0,
            violation: None,
            ended: Vec::new(),
            reached: ReachedPoses::new(),
            log: None,
            tables,
            settings,
            grid,
        })
    }

    /// Adds orders to the pool, for agents and events to refer to.
    /// # Errors
    /// [`SetupError::WrongHeading`].
    pub fn add_orders(&mut self, orders: &[Order]) -> Result<OrderList, SetupError> {
        for order in orders {
            let members = order.kind.trip().map_or(&[][..], |trip| &trip.members);
            if members.iter().filter_map(|member| member.heading).any(|heading| heading.0 >= order.headings) {
                return Err(SetupError::WrongHeading);
            }
            // `add_tasks` makes these.
            if matches!(order.kind, OrderKind::Task(_)) {
                return Err(SetupError::WrongTasks);
            }
        }
        if self.assigned_poses.is_empty() && orders.iter().any(|order| order.kind.assigns_pose()) {
            self.assigned_poses = AssignedPoses::new(self.grid.size());
        }
        Ok(self.orders.add(orders))
    }

    /// Adds tasks for `count` agents of a class to the pool, one entry for each agent.
    /// # Errors
    /// [`SetupError::NoClass`], [`SetupError::WrongTasks`].
    pub fn add_tasks(
        &mut self,
        class: ClassId,
        count: u32,
        source: TaskSource,
    ) -> Result<OrderList, SetupError> {
        let headings = self.tables_of(class)?.space().headings();
        let has_goals = match &source {
            TaskSource::Random { area } => area.intersection(self.grid.size().rect()) == *area,
            TaskSource::List { goals, of_agent } => {
                let is_there = |&(first, n): &(u32, u32)| {
                    let goals = goals.get(first as usize..).and_then(|goals| goals.get(..n as usize));
                    let known = |heading: wheelbase_planner::Heading| heading.0 < headings;
                    goals.is_some_and(|goals| {
                        !goals.is_empty() && goals.iter().filter_map(|goal| goal.heading).all(known)
                    })
                };
                of_agent.len() >= count as usize && of_agent.iter().all(is_there)
            }
            TaskSource::RoundRobin { cells, .. } => !cells.is_empty(),
        };
        let number = u16::try_from(self.orders.task_sources.len()).map_err(|_| SetupError::WrongTasks)?;
        if !has_goals {
            return Err(SetupError::WrongTasks);
        }
        self.orders.task_sources.push(source);
        let seed = self.settings.seed;
        // Events use the streams below 2^32.
        let stream = |agent: u32| (u64::from(number) + 1) << 32 | u64::from(agent);
        let slot = |agent: u32| Order {
            kind: OrderKind::Task(TaskSlot::new(number, agent, (seed, stream(agent)))),
            headings,
            lacked: Box::default(),
        };
        let slots: Vec<Order> = (0..count).map(slot).collect();
        Ok(self.orders.add(&slots))
    }

    /// Places an agent with orders of its own.
    /// # Errors
    /// [`SetupError::NoClass`], [`SetupError::IllegalPose`], [`SetupError::Held`], [`SetupError::WrongOrders`].
    pub fn place_agent(
        &mut self,
        class: ClassId,
        state: State,
        priority: i32,
        orders: OrderList,
    ) -> Result<AgentId, SetupError> {
        self.check_place(class, state)?;
        self.check_orders(class, orders)?;
        Ok(self.place(class, state, priority, orders))
    }

    /// Places an agent of a group; `number` is its index among the agents with tasks.
    /// # Errors
    /// As [`World::place_agent`].
    pub fn place_member(
        &mut self,
        class: ClassId,
        state: State,
        priority: i32,
        group: GroupOrders,
        number: u32,
    ) -> Result<AgentId, SetupError> {
        self.check_place(class, state)?;
        self.check_orders(class, group.orders)?;
        let tasks = group.tasks;
        if number < tasks.count {
            let own = OrderList { first: tasks.first.saturating_add(number), count: 1 };
            self.check_orders(class, own)?;
        }
        Ok(self.place_group_member(class, state, priority, group, number))
    }

    /// Names an agent, by the component [`Name`] of its entity. Does nothing if the agent is not present.
    pub fn name_agent(&mut self, agent: AgentId, name: &str) {
        if let Some(row) = self.agents.row(agent) {
            self.agents.set_name(row, Name(name.into()));
        }
    }

    /// Adds events. Those of one tick take effect in the order in which they were added.
    /// # Errors
    /// [`SetupError::Past`], [`SetupError::WrongEvent`]; no event is added then.
    pub fn add_events(&mut self, events: Vec<Event>) -> Result<(), SetupError> {
        for event in &events {
            if event.tick < self.tick {
                return Err(SetupError::Past(event.tick));
            }
            if !self.knows(&event.action) {
                return Err(SetupError::WrongEvent);
            }
        }
        self.events.add(events);
        Ok(())
    }

    /// Makes landmarks, which make far searches cheap: `asked` for each class, or without that number as many as pay.
    /// Call it after adding all events: landmarks take their edits into account. Equal for any number of threads; the
    /// classes are processed in parallel on the current rayon pool.
    pub fn make_landmarks(&mut self, asked: Option<usize>) {
        make_landmarks(self, asked);
    }

    fn tables_of(&self, class: ClassId) -> Result<&MovementTables, SetupError> {
        self.tables.get(usize::from(class.0)).ok_or(SetupError::NoClass(class))
    }

    fn check_place(&self, class: ClassId, state: State) -> Result<(), SetupError> {
        let tables = self.tables_of(class)?;
        if state.0 as usize >= tables.space().n_states() || !tables.is_legal(state) {
            return Err(SetupError::IllegalPose(state));
        }
        let pose = tables.space().pose(state);
        let mut cells = tables.class().cells_at(pose).iter().map(|offset| offset.cell_from(pose.cell));
        match cells.find_map(|cell| self.occupancy.holder_at(cell)) {
            Some(holder) => Err(SetupError::Held(holder)),
            None => Ok(()),
        }
    }

    fn check_orders(&self, class: ClassId, list: OrderList) -> Result<(), SetupError> {
        let headings = self.tables_of(class)?.space().headings();
        let orders = self.orders.all().get(list.first as usize..);
        let orders = orders.and_then(|orders| orders.get(..list.count as usize));
        match orders {
            Some(orders) if orders.iter().all(|order| order.headings == headings) => Ok(()),
            _ => Err(SetupError::WrongOrders(list)),
        }
    }

    /// Whether everything that an action names exists.
    fn knows(&self, action: &Action) -> bool {
        match action {
            Action::Edit(edit) => match edit.change {
                Change::Terrain { kind, .. } => {
                    usize::from(kind.0) < self.grid.terrain_table().entries().len()
                }
                Change::Side { kind, .. } => usize::from(kind.0) < self.grid.side_table().entries().len(),
                Change::Elevation { .. } | Change::Rotate { .. } => true,
            },
            Action::AddAgents(new) => self.check_orders(new.class, new.orders.orders).is_ok(),
            Action::RemoveAgents(_) => true,
            Action::GiveOrders(new) => {
                let of_class = |(class, list): (usize, &OrderList)| {
                    list.count == 0 || self.check_orders(ClassId(class as u8), *list).is_ok()
                };
                new.by_class.len() == self.classes.len() && new.by_class.iter().enumerate().all(of_class)
            }
        }
    }
}
