//! The tables of a scenario as typed: plain structs, each with its line, and the limits of their values.

use wheelbase_grid::{GridShape, Rgb};
use wheelbase_planner::When;
use wheelbase_planner::model::{Climb, SweepRule};
pub use wheelbase_sim::{AtDeadline, IfUnreachable, OnAgents};
pub use wheelbase_sim::{EXPANSIONS_PER_TICK_MAX, LANDMARKS_MAX, SEARCH_SLOTS_MAX};
use wheelbase_sim::{ReplanParams, RouteMode};
use wheelbase_traffic::TrafficParams;

/// The last tick, and the longest run: 2^32 - 2.
pub const TICK_MAX: u32 = u32::MAX - 1;
/// Most agents of a scenario, including agents of its groups and events.
pub const AGENTS_MAX: u32 = 1 << 20;
/// Most columns, and most rows, of a generated map. The loader limits their product.
pub const GENERATED_LEN_MAX: u32 = 1 << 26;
/// Most events of a scenario.
pub const EVENTS_MAX: usize = 65_536;
/// Most movement classes of a scenario.
pub const CLASSES_MAX: usize = 256;
/// Most moves of a movement class.
pub const MOVES_MAX: usize = 16;
/// Most cells of a footprint.
pub const FOOTPRINT_CELLS_MAX: usize = 1024;
/// Most orders given to an agent together.
pub const ORDERS_MAX: usize = 1024;
/// Most goals of a list of orders together.
pub const GOALS_MAX: usize = wheelbase_sim::GOALS_MAX;
/// Largest offset of a footprint cell, a swept cell or a pivot.
pub const OFFSET_MAX: u32 = wheelbase_planner::model::OFFSET_MAX as u32;
/// Largest displacement of a move.
pub const DISPLACEMENT_MAX: u8 = 255;

/// A value and its line; of a missing value, the line of the table that lacks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Line in the file, from 1.
    pub line: u32,
}

/// A whole scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name of the scenario; may be empty.
    pub name: String,
    /// Seed of all randomness, at most 2^63 - 1; 0 by default.
    pub seed: u64,
    /// Ticks after which a run stops, 1 to [`TICK_MAX`].
    pub ticks: u32,
    /// `collision`: the cells that a moving agent occupies.
    pub collision: Collision,
    /// Expansions of path requests per tick, 1 to [`EXPANSIONS_PER_TICK_MAX`]; 200,000 by default.
    pub expansions_per_tick: u64,
    /// How path requests are answered; exactly by default.
    pub routes: RouteMode,
    /// Searches in progress, 1 to [`SEARCH_SLOTS_MAX`]; 16 by default.
    pub search_slots: u32,
    /// Landmarks of each class, at most [`LANDMARKS_MAX`]; by default chosen by the expected gain.
    pub landmarks: Option<u32>,
    /// Poses that each agent may expand per tick; 16 by default.
    pub poses_per_agent: u32,
    /// Parameters of the traffic rules. No key sets them.
    pub traffic: TrafficParams,
    /// Tunables of replanning around other agents; no key sets them.
    pub replan: ReplanParams,
    /// The `[map]` table.
    pub map: Map,
    /// The `[terrain.NAME]` tables in the order of the file.
    pub terrains: Vec<Terrain>,
    /// The `[side.NAME]` tables in the order of the file.
    pub sides: Vec<Side>,
    /// The `[class.NAME]` tables in the order of the file, at most [`CLASSES_MAX`]. A class named `octile`
    /// replaces the built-in one.
    pub classes: Vec<Class>,
    /// The `[[agents]]` tables in the order of the file; at most [`AGENTS_MAX`] agents, including agents of groups and
    /// events.
    pub agents: Vec<Agent>,
    /// The `[[groups]]` tables in the order of the file.
    pub groups: Vec<Group>,
    /// The `[[events]]` tables in the order of the file, at most [`EVENTS_MAX`].
    pub events: Vec<Event>,
    /// `teams.friends`: pairs of teams, in the order of the file.
    pub friends: Vec<FriendPair>,
}

/// Two teams that are friends.
#[derive(Clone, Debug, PartialEq)]
pub struct FriendPair {
    /// Their names, not empty; not looked up.
    pub names: [String; 2],
    /// Line of the pair.
    pub line: u32,
    /// Key path, such as `teams.friends[0]`.
    pub key: String,
}

/// The cells that a moving agent occupies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Collision {
    /// `"swept"`: all swept cells, until the move ends.
    #[default]
    Swept,
    /// `"discrete"`: the cells it leaves until the move ends, then the cells it enters; the rule of the multi-agent
    /// path-finding benchmarks.
    Discrete,
}

/// A class file: one movement class and its kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassFile {
    /// The `[class.NAME]` table.
    pub class: Class,
    /// The `[terrain.NAME]` tables in the order of the file.
    pub terrains: Vec<Terrain>,
    /// The `[side.NAME]` tables in the order of the file.
    pub sides: Vec<Side>,
}

/// The `[map]` table. Its key path is `map`.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The source of the cells.
    pub source: MapSource,
    /// `map.shape`.
    pub shape: GridShape,
    /// `map.elevation`.
    pub elevation: Option<Elevation>,
    /// `map.walls`, in the order of the file.
    pub walls: Vec<Wall>,
    /// `map.tiles`: what the tiles of a Tiled map are, in the order of the file.
    pub tiles: Vec<TileKind>,
    /// Line of the table.
    pub line: u32,
}

/// The source of the cells of a map.
#[derive(Clone, Debug, PartialEq)]
pub enum MapSource {
    /// `map.file`: a path relative to the scenario file; not empty.
    File(Located<String>),
    /// `map.rows`: one glyph per cell, from north to south; at least one row. Lengths are not checked.
    /// Row `n` has the key path `map.rows[n]`.
    Rows(Vec<Located<String>>),
    /// `map.generate`: generated.
    Generate {
        /// `kind`: name of the generator; not empty, not looked up.
        kind: Located<String>,
        /// `size`: columns and rows, each 1 to [`GENERATED_LEN_MAX`]; their product is not checked.
        size: [u32; 2],
        /// `seed` of the generator, at most 2^63 - 1; 0 by default.
        seed: u64,
    },
}

/// The source of the heights of a map.
#[derive(Clone, Debug, PartialEq)]
pub enum Elevation {
    /// Rows of heights from north to south. Number and lengths are not checked. Row `n` has the key path
    /// `map.elevation[n]`.
    Rows(Vec<Located<Vec<i16>>>),
    /// A greyscale picture: a path relative to the scenario file; not empty.
    File(Located<String>),
}

/// A wall along cell borders.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// From corner point `(x0, y0)` to corner point `(x1, y1)`: `[x0, y0, x1, y1]`, not checked.
    pub corners: [i32; 4],
    /// Line of the wall.
    pub line: u32,
    /// Key path, such as `map.walls[3]`.
    pub key: String,
}

/// An entry of `map.tiles`.
#[derive(Clone, Debug, PartialEq)]
pub struct TileKind {
    /// The name of the tiles, or of their tileset with their numbers; not empty.
    pub name: String,
    /// Their terrain kind, or `decoration`; not empty.
    pub kind: String,
    /// Line of the entry.
    pub line: u32,
    /// Key path, such as `map.tiles.desert`.
    pub key: String,
}

/// A `[terrain.NAME]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// Name of the kind; not empty.
    pub name: String,
    /// `glyphs`: its characters in maps; may be empty.
    pub glyphs: Option<Located<String>>,
    /// `speed` in thousandths.
    pub speed: u16,
    /// `colour` in pictures.
    pub colour: Option<Located<Rgb>>,
    /// `sides`: the named initial side kinds of such a cell, counter-clockwise from east.
    pub sides: Vec<(wheelbase_grid::Side, Located<String>)>,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `terrain.road`.
    pub key: String,
}

/// A `[side.NAME]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Name of the kind; not empty.
    pub name: String,
    /// `speed` in thousandths.
    pub speed: u16,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `side.hedge`.
    pub key: String,
}

/// A `[class.NAME]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Name of the class; not empty.
    pub name: String,
    /// `headings`: 1, 4 or 8; 6 on hexagonal maps.
    pub headings: Located<u8>,
    /// `footprint`: `[forward, right]` offsets while facing east, 1 to [`FOOTPRINT_CELLS_MAX`], each number at most
    /// [`OFFSET_MAX`] from 0. Rows are converted to offsets, row by row. One cell, `[0, 0]`, by default. Cells may
    /// repeat.
    pub footprint: Located<Vec<[i32; 2]>>,
    /// `footprint_diagonal`: offsets in map axes while facing NE.
    pub footprint_diagonal: Option<Vec<[i32; 2]>>,
    /// `pivot`: `[forward, right]`, finite, at most [`OFFSET_MAX`] from 0; `[0, 0]` by default.
    pub pivot: Located<[f64; 2]>,
    /// `sweep`, or its `moves`: the rule for the cells swept by moves; the default depends on the shape of the map.
    pub sweep_moves: Option<SweepRule>,
    /// `sweep`, or its `turns`: the rule for the cells swept by turns.
    pub sweep_turns: Option<SweepRule>,
    /// `up`, `down`, `max_up`, `max_down`, `max_tilt`: cost and limits of slopes.
    pub climb: Climb,
    /// `speed`: overrides by terrain kind, in the order of the file.
    pub speed: Vec<SpeedOverride>,
    /// `side_speed`: overrides by side kind, in the order of the file.
    pub side_speed: Vec<SpeedOverride>,
    /// `moves`: at most [`MOVES_MAX`], names unique for each `when`.
    pub moves: Vec<Move>,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `class.truck`.
    pub key: String,
}

/// The speed of one kind for one class.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedOverride {
    /// Name of the kind; not empty.
    pub name: String,
    /// Speed in thousandths.
    pub speed: u16,
    /// Line of the entry.
    pub line: u32,
    /// Key path, such as `class.truck.speed.shallow`.
    pub key: String,
}

/// One motion primitive of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// `name`, unique in its class; not empty.
    pub name: String,
    /// `by`: displacement `[forward, right]`, each at most [`DISPLACEMENT_MAX`] from 0. `[0, 0]` by default, and only
    /// if `turn` is not 0.
    pub by: [i32; 2],
    /// `turn` in heading steps, positive to the left, -7 to 7; 0 by default. Not checked against the headings of the
    /// class.
    pub turn: i32,
    /// `time`: base time in ticks, at least 1.
    pub time: u16,
    /// `swept`: offsets `[forward, right]` of additional swept cells, each number at most [`OFFSET_MAX`] from 0; none
    /// by default.
    pub swept: Option<Vec<[i32; 2]>>,
    /// `when`: the headings from which it starts.
    pub when: When,
    /// Line of the move.
    pub line: u32,
    /// Key path, such as `class.truck.moves[2]`.
    pub key: String,
}

/// A pose as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedPose {
    /// Column; may be off the map.
    pub x: i32,
    /// Row; may be off the map.
    pub y: i32,
    /// The heading, any string; `None` if missing.
    pub heading: Option<String>,
    /// Line of the pose.
    pub line: u32,
}

/// A rectangle of cells, `[x, y, width, height]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Column of the north-west cell; may be off the map.
    pub x: i32,
    /// Row of the north-west cell; may be off the map.
    pub y: i32,
    /// Columns, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// Line of the area.
    pub line: u32,
}

/// An `[[agents]]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// `name`, unique among the agents; not empty.
    pub name: Option<Located<String>>,
    /// `class`: name of the movement class.
    pub class: Located<String>,
    /// `at`: the start pose.
    pub at: TypedPose,
    /// `priority`; 0 by default.
    pub priority: i32,
    /// `team`: name of its team, not empty.
    pub team: Option<Located<String>>,
    /// `speed_factor` in thousandths, at least 1; 1000 by default.
    pub speed_factor: u16,
    /// `orders`, at most [`ORDERS_MAX`], with [`GOALS_MAX`] goals together.
    pub orders: Vec<Order>,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `agents[3]`.
    pub key: String,
}

/// A `[[groups]]` table, or the `add_agents` of an event: agents to be placed at random.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// `class`: name of the movement class.
    pub class: Located<String>,
    /// `count`: number of agents, 1 to [`AGENTS_MAX`].
    pub count: u32,
    /// `area` in which they are placed.
    pub area: Area,
    /// `anywhere`: whether all legal poses are drawn alike; false by default.
    pub anywhere: bool,
    /// `priority` of each; 0 by default.
    pub priority: i32,
    /// `team`: name of the team of each, not empty.
    pub team: Option<Located<String>>,
    /// `speed_factor` of each in thousandths, at least 1; 1000 by default.
    pub speed_factor: u16,
    /// `orders` of each, at most [`ORDERS_MAX`], with [`GOALS_MAX`] goals together.
    pub orders: Vec<Order>,
    /// `tasks` of each, done forever after its orders.
    pub tasks: Option<Tasks>,
    /// `if_no_room`: whether those without room wait for it; not by default. Only of an event.
    pub waits_for_room: bool,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `groups[0]` or `events[2].add_agents`.
    pub key: String,
}

/// Tasks of the agents of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Tasks {
    /// Their source.
    pub source: TaskSource,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `groups[0].tasks`.
    pub key: String,
}

/// The source of tasks.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskSource {
    /// `kind = "random"`: random legal cells of `area`.
    Random {
        /// `area`; may lie partly off the map.
        area: Area,
    },
    /// `file`: a path relative to the scenario file; not empty.
    File(Located<String>),
}

/// One order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Its kind.
    pub kind: OrderKind,
    /// Line of the order.
    pub line: u32,
    /// Key path, such as `agents[3].orders[0]`.
    pub key: String,
}

/// What an order asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderKind {
    /// Go to one of the poses; at least one.
    Goto {
        /// The goal set. No heading means any.
        goals: Vec<TypedPose>,
        /// Tolerance and fallback.
        options: GoalOptions,
    },
    /// Go to a pose in the area that no other agent occupies or has as its goal.
    GotoArea {
        /// The area.
        area: Area,
        /// Fallback; `within` is 0.
        options: GoalOptions,
    },
    /// Go to a pose around the goal. Poses are assigned to all agents with the order together, each its own.
    GotoGroup {
        /// The goal. No heading means any.
        goal: TypedPose,
        /// Fallback; `within` is 0.
        options: GoalOptions,
        /// `goto_formation`: they keep their layout and the pace of the slowest.
        formation: bool,
    },
    /// Stay.
    Wait {
        /// Ticks to wait, at most [`TICK_MAX`].
        ticks: u32,
    },
    /// Stay, pushed by nobody.
    WaitInPlace {
        /// Ticks to wait, at most [`TICK_MAX`].
        ticks: u32,
    },
    /// Go to the poses in turn, forever; at least one. Orders after it never run.
    Patrol {
        /// The stops in turn. No heading means any.
        stops: Vec<TypedPose>,
        /// Tolerance and fallback of each stop.
        options: GoalOptions,
        /// `dwell`: ticks to stand at each stop, at most [`TICK_MAX`]; 0 by default.
        dwell: u32,
    },
    /// Repeat this number of orders before it, forever. In a file they are the `orders` of `repeat = "forever"`. The
    /// reader writes the rounds of `repeat = N` out.
    Repeat {
        /// Number of orders, at least 1.
        orders: u32,
    },
    /// Drop all orders and rest.
    Stop,
    /// Rest forever, pushed by nobody. Orders after it never run.
    Hold,
    /// Keep near an agent until that is gone.
    Follow {
        /// Name of the agent, not empty; not looked up.
        leader: Located<String>,
        /// `within`: greatest distance in cells, at least 1.
        within: u16,
    },
}

impl OrderKind {
    /// The keys of all kinds.
    pub const KEYS: [&'static str; 11] = [
        "goto",
        "goto_area",
        "goto_group",
        "goto_formation",
        "wait",
        "wait_in_place",
        "patrol",
        "repeat",
        "stop",
        "hold",
        "follow",
    ];

    /// The key that says it.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Goto { .. } => "goto",
            Self::GotoArea { .. } => "goto_area",
            Self::GotoGroup { formation: true, .. } => "goto_formation",
            Self::GotoGroup { .. } => "goto_group",
            Self::Wait { .. } => "wait",
            Self::WaitInPlace { .. } => "wait_in_place",
            Self::Patrol { .. } => "patrol",
            Self::Repeat { .. } => "repeat",
            Self::Stop => "stop",
            Self::Hold => "hold",
            Self::Follow { .. } => "follow",
        }
    }
}

/// Tolerance of the goal of an order, and what happens if it cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalOptions {
    /// `within`: greatest distance in cells; 0 by default.
    pub within: u16,
    /// `fallback`.
    pub fallback: Fallback,
    /// `if_unreachable`.
    pub if_unreachable: IfUnreachable,
}

/// The result of a search that cannot reach its goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// `"fail"`: nothing.
    #[default]
    Fail,
    /// `"nearest"`: the reachable pose nearest to the goal.
    Nearest,
}

/// An `[[events]]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// `tick` at which it happens, at most [`TICK_MAX`].
    pub tick: u32,
    /// What happens.
    pub action: EventAction,
    /// Line of the table.
    pub line: u32,
    /// Key path, such as `events[0]`.
    pub key: String,
}

/// What an event does. Its key path is the path of the event followed by the name of the action, such as
/// `events[0].set_terrain`.
#[derive(Clone, Debug, PartialEq)]
pub enum EventAction {
    /// `set_terrain`: changes the terrain kind of cells.
    SetTerrain {
        /// The cells.
        area: Area,
        /// Name of the terrain kind.
        kind: Located<String>,
        /// What happens to agents in the way of the edit.
        on_agents: OnAgents,
    },
    /// `set_elevation`: changes the height of cells.
    SetElevation {
        /// The cells.
        area: Area,
        /// Their new height.
        height: i16,
        /// What happens to agents in the way of the edit.
        on_agents: OnAgents,
    },
    /// `set_side`: changes the kind of one side of a cell.
    SetSide {
        /// `[x, y]`; may be off the map.
        cell: Located<[i32; 2]>,
        /// `"E"`, `"N"`, `"W"` or `"S"`.
        side: Located<String>,
        /// Name of the side kind.
        kind: Located<String>,
        /// What happens to agents in the way of the edit.
        on_agents: OnAgents,
    },
    /// `rotate`: turns the sides of a cell.
    Rotate {
        /// `[x, y]`; may be off the map.
        cell: Located<[i32; 2]>,
        /// Steps from one side to the next, counter-clockwise; not 0.
        turns: i32,
        /// What happens to agents in the way of the edit.
        on_agents: OnAgents,
    },
    /// `add_agents`: places agents at random.
    AddAgents(Group),
    /// `remove_agents`: removes agents.
    RemoveAgents(AgentSelection),
    /// `give_orders`: replaces the remaining orders of agents.
    GiveOrders {
        /// The agents.
        selection: AgentSelection,
        /// `orders` of each, at most [`ORDERS_MAX`]; none makes them stop.
        orders: Vec<Order>,
    },
}

/// The agents to which an event applies.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSelection {
    /// `names`, 1 to [`AGENTS_MAX`], none of them empty; not looked up. Name `n` has the key path of the action
    /// followed by `.names[n]`.
    Names(Vec<Located<String>>),
    /// `area`: the agents in a rectangle of cells.
    Area(Area),
}
