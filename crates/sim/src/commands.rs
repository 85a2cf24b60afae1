//! Commands: the only way to change a world from outside.

use crate::names::variants;
use crate::orders::{Order, OrderKind};
use crate::plain;
use crate::tasks::TaskSource;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, CellXY, Change, Rect, TerrainKind};
use wheelbase_planner::Pose;
use wheelbase_traffic::motion::{AgentId, ClassId};
use wheelbase_traffic::speed::USUAL_SPEED_PERMILLE;
use wheelbase_traffic::teams::Team;

/// Most orders of a command.
pub const ORDERS_MAX: usize = 1 << 12;
/// Most goals of all orders of a command.
pub const GOALS_MAX: usize = 1 << 16;
/// Most agents that a command names.
pub const NAMED_MAX: usize = 1 << 20;
/// Most changes of an edit.
pub const CHANGES_MAX: usize = 1 << 16;
/// Most agents present together.
pub const AGENTS_MAX: usize = 1 << 20;

/// Names a command: the number of commands given to its world before. Events about the command carry it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// A request of a host to a world. It takes effect in the events phase of the next tick, after the commands given
/// before it. A refusal is an event with ticket and reason ([`RefusalReason`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Places an agent. Its id is one more than that of the agent before it; if it is refused, nobody gets that id.
    Spawn(Spawn),
    /// Places agents at random. Those for which there is no room are counted and reported.
    SpawnGroup(SpawnGroup),
    /// Removes agents.
    Remove(AgentSelection),
    /// Gives orders to agents, in place of their remaining orders or after them.
    Order {
        /// The agents.
        agents: AgentSelection,
        /// The orders; an empty list leaves the agents without orders.
        orders: Arc<[Order]>,
        /// Whether they come after the remaining orders. Otherwise they replace these, and the agents' tasks. Of
        /// several commands to an agent at one tick only the first replaces, and the orders of the others come after
        /// it. Orders that begin with [`OrderKind::Stop`] always replace.
        append: bool,
    },
    /// Gives agents tasks, in place of their present tasks or after their orders.
    Tasks {
        /// The agents.
        agents: AgentSelection,
        /// Where the tasks come from. The k-th of the selected agents, in order of id, is number k of the source.
        source: Arc<TaskSource>,
        /// Number of the random stream.
        stream: u32,
    },
    /// Sets the priority of agents; higher goes first.
    Priority {
        /// The agents.
        agents: AgentSelection,
        /// The priority.
        priority: i32,
    },
    /// Gives an agent another class at the end of its current move: deploys, upgrades. It keeps its orders; a heading
    /// that the new class lacks becomes any heading.
    Class {
        /// The agent.
        #[serde(with = "plain")]
        agent: AgentId,
        /// Its new class.
        #[serde(with = "plain")]
        class: ClassId,
        /// Its new pose, in headings of the new class. `None` keeps the cell and the heading of the same name; a class
        /// without that heading gets the first one (east).
        pose: Option<Pose>,
    },
    /// Sets the team of agents.
    Team {
        /// The agents.
        agents: AgentSelection,
        /// The team.
        #[serde(with = "plain")]
        team: Team,
    },
    /// Sets the speed factor of agents in thousandths, 1 to 65,535; 1000 is the normal speed. A move that begins takes
    /// `max(1, ceil(time * 1000 / factor))` ticks; paths are planned for 1000.
    SpeedFactor {
        /// The agents.
        agents: AgentSelection,
        /// The factor in thousandths.
        permille: u16,
    },
    /// Edits the map. It replaces the parts of waiting edits that set the same property of the same cells, unless it is
    /// one of [`Setup::scheduled`](crate::Setup::scheduled).
    Edit(MapEdit),
    /// Moves for agents to begin at this tick, by number among the primitives of the agent's class. They are for a
    /// traffic rule driven from outside ([`Commanded`](wheelbase_traffic::Commanded)); other rules ignore them. The
    /// first of two moves of an agent counts.
    Decisions(#[serde(with = "plain::list")] Arc<[(AgentId, u8)]>),
    /// Answers the open path request of an agent with the moves from its pose to its goal. They are checked; a wrong
    /// path is refused, and the request stays open.
    PathAnswer {
        /// The agent.
        #[serde(with = "plain")]
        agent: AgentId,
        /// Primitives by number; `None` if there is no path.
        moves: Option<Arc<[u8]>>,
    },
    /// Withdraws an edit that still waits, by the ticket of its command. Any other ticket is refused.
    CancelEdit(Ticket),
    /// Takes agents off the map: into a garrison, a transport, a burrow, or until they respawn. Each keeps its id,
    /// orders, tasks and components. It holds no cell and nobody is blocked by it, it asks for no path, and no row
    /// shows it. A move in progress ends without effect. Off the map only [`Command::Leave`] and [`Command::Remove`]
    /// reach it; other commands to it are refused as [`RefusalReason::OffMap`].
    Enter {
        /// The agents.
        agents: AgentSelection,
        /// The agent that they enter, which may be off the map itself; [`AgentId::NOBODY`] for none. The world only
        /// stores it: whoever removes a container decides about the units inside.
        #[serde(with = "plain")]
        container: AgentId,
    },
    /// Puts an agent that is off the map back, at rest. It begins its current order from there.
    Leave {
        /// The agent.
        #[serde(with = "plain")]
        agent: AgentId,
        /// Its pose: legal, on cells that nobody holds.
        pose: Pose,
        /// Whether the nearest such pose will do. The least distance of the anchor comes first, then the asked heading,
        /// then the lowest state. If the asked pose is legal, poses are left out that cannot be reached from it.
        or_nearest: bool,
    },
}

impl Command {
    /// Gives agents an order in place of their remaining orders. Agents sent to a group goal by one command share the
    /// poses around it.
    ///
    /// ```
    /// use wheelbase_sim::{AgentId, CellXY, Command, Order, Rect};
    /// let to = CellXY::new(4, 2);
    /// let one = Command::order(AgentId(7), Order::goto(to));
    /// let some = Command::order(vec![AgentId(7), AgentId(9)], Order::goto_group(to));
    /// let in_a_box = Command::order(Rect::new(0, 0, 8, 8), Order::patrol(&[to, CellXY::new(9, 2)]));
    /// assert!(one != some && some != in_a_box);
    /// ```
    pub fn order(agents: impl Into<AgentSelection>, order: Order) -> Self {
        Self::orders(agents, [order])
    }

    /// Gives agents several orders, done one after another, in place of their remaining orders.
    pub fn orders(agents: impl Into<AgentSelection>, orders: impl Into<Arc<[Order]>>) -> Self {
        Self::Order { agents: agents.into(), orders: orders.into(), append: false }
    }

    /// Adds an order after the remaining orders of agents.
    pub fn append(agents: impl Into<AgentSelection>, order: Order) -> Self {
        Self::Order { agents: agents.into(), orders: Arc::new([order]), append: true }
    }

    /// Stops agents: they drop all orders and rest; others may push them.
    pub fn stop(agents: impl Into<AgentSelection>) -> Self {
        Self::order(agents, Order::new(OrderKind::Stop))
    }

    /// Has agents hold: they drop all orders and rest, nobody pushes them, and they are obstacles to searches.
    pub fn hold(agents: impl Into<AgentSelection>) -> Self {
        Self::order(agents, Order::new(OrderKind::Hold))
    }

    /// Removes agents.
    pub fn remove(agents: impl Into<AgentSelection>) -> Self {
        Self::Remove(agents.into())
    }

    /// Makes one change of the map; it waits until it disturbs no agent.
    pub fn edit(change: Change) -> Self {
        Self::Edit(MapEdit::new(change))
    }

    /// Takes agents off the map, into another agent.
    pub fn enter(agents: impl Into<AgentSelection>, container: AgentId) -> Self {
        Self::Enter { agents: agents.into(), container }
    }

    /// Puts an agent that is off the map back, in the free pose nearest to `pose`.
    pub fn leave(agent: AgentId, pose: Pose) -> Self {
        Self::Leave { agent, pose, or_nearest: true }
    }
}

/// An agent to place.
///
/// ```
/// use wheelbase_sim::{CellXY, ClassId, Heading, Order, Pose, Spawn, Team};
/// let scout = Spawn::new(ClassId(0), Pose::new(3, 4, Heading(0)));
/// assert_eq!((scout.priority, scout.speed_factor), (0, 1000));
/// // Another team, and half as fast.
/// let hurt = Spawn { team: Team(1), speed_factor: 500, ..scout };
/// let to = CellXY::new(9, 4);
/// let sent = hurt.with_orders([Order::goto(to), Order::hold()]);
/// assert_eq!(sent.orders.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    /// Its class.
    #[serde(with = "plain")]
    pub class: ClassId,
    /// Its pose: legal, on cells that nobody holds.
    pub pose: Pose,
    /// Its priority; higher goes first.
    pub priority: i32,
    /// Its team.
    #[serde(with = "plain")]
    pub team: Team,
    /// Its speed factor in thousandths, 1 to 65,535.
    pub speed_factor: u16,
    /// Its orders.
    pub orders: Arc<[Order]>,
    /// Its index among the agents that share its tasks.
    pub number: u32,
}

impl Spawn {
    /// An agent without orders, of priority 0, team 0 and the usual speed.
    pub fn new(class: ClassId, pose: Pose) -> Self {
        Self {
            class,
            pose,
            priority: 0,
            team: Team(0),
            speed_factor: USUAL_SPEED_PERMILLE,
            orders: Arc::default(),
            number: 0,
        }
    }

    /// The same with these orders, done one after another.
    #[must_use]
    pub fn with_orders(self, orders: impl Into<Arc<[Order]>>) -> Self {
        Self { orders: orders.into(), ..self }
    }
}

/// Agents to place at random.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnGroup {
    /// Their class.
    #[serde(with = "plain")]
    pub class: ClassId,
    /// Their number.
    pub count: u32,
    /// Area of their anchors, clipped to the map.
    pub area: Rect,
    /// Priority of each.
    pub priority: i32,
    /// Team of each.
    #[serde(with = "plain")]
    pub team: Team,
    /// Orders of each, stored once.
    pub orders: Arc<[Order]>,
    /// Speed factor of each in thousandths, 1 to 65,535.
    pub speed_factor: u16,
    /// Whether all legal poses are drawn alike: [`PlacementArea::anywhere`](crate::PlacementArea::anywhere).
    pub anywhere: bool,
    /// What happens to those for which there is no room.
    pub if_no_room: IfNoRoom,
}

/// What happens to agents of a [`SpawnGroup`] for which there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IfNoRoom {
    /// `"drop"`: they are counted and reported.
    #[default]
    Drop,
    /// `"wait"`: the command is tried again every eight ticks until all are placed.
    Wait {
        /// Number of agents that it has placed already; 0 in a new command.
        placed: u32,
    },
}

/// Selects agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentSelection {
    /// One agent.
    One(#[serde(with = "plain")] AgentId),
    /// These agents, in any order.
    Named(#[serde(with = "plain::list")] Vec<AgentId>),
    /// Agents whose pose, or the pose in which their current move began, has its anchor in the area.
    Area(Rect),
}

impl From<AgentId> for AgentSelection {
    fn from(agent: AgentId) -> Self {
        Self::One(agent)
    }
}

impl From<Vec<AgentId>> for AgentSelection {
    fn from(agents: Vec<AgentId>) -> Self {
        Self::Named(agents)
    }
}

impl From<&[AgentId]> for AgentSelection {
    fn from(agents: &[AgentId]) -> Self {
        Self::Named(agents.to_vec())
    }
}

impl From<Rect> for AgentSelection {
    fn from(area: Rect) -> Self {
        Self::Area(area)
    }
}

/// Changes of the map in one revision, and what happens to the disturbed agents, whose pose or current move would
/// become illegal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapEdit {
    /// The changes; the later of two changes of a cell counts.
    pub changes: Arc<[Change]>,
    /// What happens to disturbed agents.
    pub on_agents: OnAgents,
}

impl MapEdit {
    /// One change, which waits until it disturbs no agent.
    pub fn new(change: Change) -> Self {
        Self::of([change])
    }

    /// Several changes together, which wait until they disturb no agent.
    pub fn of(changes: impl Into<Arc<[Change]>>) -> Self {
        Self { changes: changes.into(), on_agents: OnAgents::Wait }
    }

    /// A terrain kind for all cells of a mask: a crater, a lake, a building of any outline. Linear in the cells of the
    /// mask's map.
    ///
    /// ```
    /// use wheelbase_grid::{BitGrid, CellXY, GridSize, TerrainKind};
    /// use wheelbase_sim::MapEdit;
    /// let mut crater = BitGrid::new(GridSize::new(8, 8)?);
    /// for (x, y) in [(3, 2), (2, 3), (3, 3), (4, 3)] {
    ///     crater.set(CellXY::new(x, y), true);
    /// }
    /// // A change for each run of cells in a row.
    /// assert_eq!(MapEdit::terrain_mask(&crater, TerrainKind(2)).changes.len(), 2);
    /// # Ok::<(), wheelbase_grid::SizeError>(())
    /// ```
    pub fn terrain_mask(mask: &BitGrid, kind: TerrainKind) -> Self {
        let (width, height) = (mask.size().width() as i32, mask.size().height() as i32);
        let mut changes = Vec::new();
        for y in 0..height {
            let mut x = 0;
            while x < width {
                let run = (x..width).take_while(|&x| mask.get(CellXY::new(x, y))).count() as i32;
                if run > 0 {
                    changes.push(Change::Terrain { area: Rect::new(x, y, run as u32, 1), kind });
                }
                x += run + 1;
            }
        }
        Self::of(changes)
    }
}

/// What happens to agents that an edit disturbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnAgents {
    /// `"wait"`: the edit waits until it disturbs no agent.
    #[default]
    Wait,
    /// `"strand"`: they stay where they are until a later edit frees them.
    Strand,
    /// `"remove"`: they are removed.
    Remove,
    /// `"wait"` with a deadline: the edit waits until it disturbs no agent, or until the deadline.
    ///
    /// ```
    /// use wheelbase_sim::grid::{Side, SideKind};
    /// use wheelbase_sim::{AtDeadline, CellXY, Change, Command, MapEdit, OnAgents};
    /// // Shuts a door; after 100 ticks, units still in it are removed.
    /// let shut = Change::Side { cell: CellXY::new(4, 2), side: Side::East, kind: SideKind::WALL };
    /// let on_agents = OnAgents::WaitUntil { deadline: 100, then: AtDeadline::Remove };
    /// let command = Command::Edit(MapEdit { on_agents, ..MapEdit::new(shut) });
    /// assert_ne!(command, Command::edit(shut));
    /// ```
    WaitUntil {
        /// Most ticks of waiting, from the tick at which the command takes effect; 0 does not wait.
        deadline: u32,
        /// What happens then to agents that it still disturbs.
        then: AtDeadline,
    },
}

impl OnAgents {
    /// The same, some ticks after the edit was asked for: up to its deadline an edit waits like any other.
    pub(crate) fn after(self, ticks: u32) -> Self {
        match self {
            Self::WaitUntil { deadline, .. } if ticks < deadline => Self::Wait,
            other => other,
        }
    }
}

/// What happens to agents that an edit disturbs at its deadline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtDeadline {
    /// `"strand"`: as [`OnAgents::Strand`].
    #[default]
    Strand,
    /// `"remove"`: as [`OnAgents::Remove`].
    Remove,
}

/// Why a command, or a part of it, was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RefusalReason {
    /// No agent has this id any more, or yet; or there is no such leader to follow or container to enter.
    UnknownAgent = 0,
    /// There is no class of this number.
    UnknownClass,
    /// The pose is not a legal one of the class.
    IllegalPose,
    /// Another agent holds a cell of the pose, or is about to, or an edit waits for it.
    PoseHeld,
    /// The goal of an order is off the map.
    GoalOffMap,
    /// A heading is not below the order's number of headings, or that number is not 1, 4, 6 or 8.
    WrongHeading,
    /// An order names no goal, or several for a group; orders come after tasks; or an agent is to follow itself.
    WrongOrder,
    /// Tasks without a goal for some agent, or with a goal off the map.
    WrongTasks,
    /// A list is longer than the limits of this module. Or an edit replaces waiting edits in part, and the product of
    /// the numbers of their changes exceeds 4,194,304.
    TooLong,
    /// An edit names an unknown kind of terrain or side, or a cell off the map.
    WrongEdit,
    /// The team is not below 32.
    UnknownTeam,
    /// A speed factor of 0.
    WrongSpeedFactor,
    /// The most agents are present, or no ids are left.
    TooManyAgents,
    /// There is no room for an agent that comes back, or for all agents of a group. The placed agents have events with
    /// the same ticket; [`Counts::not_placed`](crate::Counts::not_placed) counts the others.
    NoRoom,
    /// The agent waits for no path from the host.
    NoRequest,
    /// A path has an illegal move, or does not lead to the goal.
    WrongPath,
    /// A primitive that the agent's class does not have.
    WrongPrimitive,
    /// No edit with this ticket waits.
    NoSuchEdit,
    /// The agent is off the map.
    OffMap,
    /// The agent is on the map, where only an agent off the map can come back.
    OnMap,
}

impl RefusalReason {
    /// By number: the reason, its name, and its words.
    const TABLE: [(Self, (&'static str, &'static str)); 20] = [
        (Self::UnknownAgent, ("unknown_agent", "no agent has this id")),
        (Self::UnknownClass, ("unknown_class", "no class has this number")),
        (Self::IllegalPose, ("illegal_pose", "the pose is not legal for the class")),
        (Self::PoseHeld, ("pose_held", "another agent holds a cell of the pose")),
        (Self::GoalOffMap, ("goal_off_map", "the goal is off the map")),
        (Self::WrongHeading, ("wrong_heading", "a heading is not one of those of the order")),
        (Self::WrongOrder, ("wrong_order", "an order without a goal, or behind tasks")),
        (Self::WrongTasks, ("wrong_tasks", "tasks without a goal on the map for some agent")),
        (Self::TooLong, ("too_long", "a list is too long")),
        (Self::WrongEdit, ("wrong_edit", "the edit names an unknown kind or a cell off the map")),
        (Self::UnknownTeam, ("unknown_team", "a team is not below 32")),
        (Self::WrongSpeedFactor, ("wrong_speed_factor", "a speed factor is 1 to 65,535 permille")),
        (Self::TooManyAgents, ("too_many_agents", "no more agents can be placed")),
        (Self::NoRoom, ("no_room", "there is no room for all agents")),
        (Self::NoRequest, ("no_request", "the agent waits for no path")),
        (Self::WrongPath, ("wrong_path", "the path is not legal or does not lead to the goal")),
        (Self::WrongPrimitive, ("wrong_primitive", "the class has no such primitive")),
        (Self::NoSuchEdit, ("no_such_edit", "no edit with this ticket waits")),
        (Self::OffMap, ("off_map", "the agent is off the map")),
        (Self::OnMap, ("on_map", "the agent is on the map already")),
    ];

    /// All reasons, by number.
    pub const ALL: [Self; 20] = variants(&Self::TABLE);

    /// Name in traces.
    pub fn name(self) -> &'static str {
        Self::TABLE[self as usize].1.0
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::TABLE[*self as usize].1.1)
    }
}

impl std::error::Error for RefusalReason {}
