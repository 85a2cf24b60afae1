//! Thousands of oriented multi-tile agents, ticked exactly and deterministically, as a library that a game drives.
//!
//! A [`World`] is made of a map, movement classes and a traffic rule ([`Setup`]). [`World::command`] is the only way to
//! change it: units are placed, ordered about and removed, the map is edited. [`World::step`] runs a tick. After it
//! [`World::agents`] and [`World::events`] say where everybody is and what happened. Equal commands at equal ticks give
//! equal worlds, on any machine and any number of threads. Each unit is an entity of a [`hecs`] world too: it carries
//! components of the game, joined by [`AgentId`], and no state of the simulation.
//!
//! ```
//! use wheelbase_sim::*;
//!
//! // A lorry of two cells that reverses at a third of its speed. `W` is water.
//! let rows = ["............", "............", ".....WW.....", "............", "............"];
//! let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
//! let mut lorry = ClassSpec::new("lorry", 4);
//! lorry.footprint = vec![(0, 0), (-1, 0)];
//! lorry.primitives = Primitive::vehicle(2, 6, 2); // ticks of forward, of reverse, of a turn
//! let mut setup = Setup::cooperative(Settings::named("ford"), grid, vec![MovementClass::new(lorry)?]);
//! setup.agents.push(Spawn::new(ClassId(0), Pose::new(1, 1, Heading(0))));
//! let mut world = World::new(setup)?;
//!
//! // Its id is the first: ids are for life. A click, and one that comes to nothing.
//! let lorry = AgentId(0);
//! world.command(Command::order(lorry, Order::goto(CellXY::new(10, 3))));
//! let ticket = world.command(Command::order(AgentId(9), Order::goto(CellXY::new(10, 3))));
//! world.step();
//! let refused = world.events().iter().find(|event| event.ticket() == Some(ticket));
//! assert_eq!(refused.and_then(EventRow::refusal), Some(RefusalReason::UnknownAgent));
//!
//! while !world.events().iter().any(|event| event.kind() == Some(EventKind::OrderDone)) {
//!     world.step();
//! }
//! assert_eq!(world.agent(lorry).map(|row| row.pose().cell), Some(CellXY::new(10, 3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | what a game wants | where |
//! |---|---|
//! | a map | [`Grid`], of rows or cell by cell; files by `wheelbase-maps` |
//! | kinds of units | [`ClassSpec`], [`Primitive`], [`MovementClass`] |
//! | units at the beginning | [`Setup::agents`], ids 0, 1, 2 ... in order |
//! | units later, and no longer | [`Command::Spawn`], [`Command::remove`] |
//! | a click | [`Command::order`] with [`Order::goto`], [`Order::goto_group`], [`Order::patrol`], [`Order::follow`], [`Command::stop`], [`Command::hold`]; [`Command::append`] with the shift key held |
//! | production lines and errands without end | [`Command::Tasks`] |
//! | selection by cell and by box | [`World::agent_at`], [`World::agents_in`] |
//! | to draw | [`World::agents`]; between ticks [`AgentRow::part`], [`AgentRow::anchor_at`], [`Body`], [`DrawnClass`] |
//! | events and refusals | [`World::events`]: [`EventRow::kind`], [`EventRow::refusal`], [`EventRow::failure`]; [`World::event_details`] |
//! | walls, bridges, craters | [`Command::edit`] with a [`Change`]; [`World::would_disturb`] asks first |
//! | whether a unit fits here | [`World::can_place`] |
//! | a path to show before the click | [`World::plan`] |
//! | how far a unit gets | [`World::reach`] |
//! | why it does not move | [`World::reason_for_waiting`] |
//! | teams | [`Spawn::team`], [`Command::Team`], [`Setup::friends`] |
//! | deploying and upgrading | [`Command::Class`] |
//! | damage and haste | [`Command::SpeedFactor`] |
//! | health, cargo, names | your components on [`World::entities_mut`] |
//! | threads | [`Setup::threads`] |
//! | a frame budget | [`Settings::expansions_per_tick`], [`Settings::poses_per_agent`]: counted, so that all machines agree |
//! | your own traffic rule, your own planner | [`Setup::with_rule`], [`Setup::paths`] with [`World::path_requests`] |
//! | lockstep | [`World::state_hash`] |
//!
//! The names that games use most are re-exported here from the crates below; all their names are under [`grid`],
//! [`planner`], [`traffic`] and [`hecs`]. Files are the business of `wheelbase-scenario`: scenarios, recordings and
//! traces. `docs/embedding.md` goes through all of this step by step, and `examples/` has games to copy from.

#![forbid(unsafe_code)]

mod add_class;
mod agents;
mod assigned_poses;
mod broken;
mod bypass;
mod class;
mod class_changes;
mod class_graph;
mod class_landmarks;
mod close_up;
pub mod codec;
mod command_queue;
mod commands;
mod congestion;
mod counts;
mod crash_report;
mod disturbed;
mod events;
mod follow_aim;
mod goal_cover;
mod goal_poses;
mod group_goals;
pub mod invariant;
mod leg;
mod log;
mod make_landmarks;
mod memory;
mod metrics;
mod name;
mod names;
mod obstacles;
mod obstructed;
mod off_map;
mod order_life;
mod order_pool;
mod orders;
mod pending_edits;
mod phases;
mod placement;
mod places;
mod plain;
mod pool_check;
mod progress;
mod questions;
mod replaced_changes;
mod replan_params;
mod requests;
mod ring;
mod roadblocks;
mod route_legs;
mod route_mode;
mod row_check;
mod rows;
#[cfg(test)]
mod scenes;
mod setup;
mod shared_fields;
mod snapshot;
mod state_hash;
mod statistics;
mod tasks;
mod threads;
mod tick;
mod tick_buffers;
mod traffic_buffers;
mod trip;
mod unreachable;
mod violation;
mod wait_reason;
mod why_waiting;
mod world;
mod world_clone;
mod world_need;

pub use agents::{Agents, Row};
pub use broken::Broken;
pub use class::WorldClass;
pub use class_landmarks::LANDMARKS_MAX;
pub use command_queue::GivenCommand;
pub use commands::{
    AGENTS_MAX, AgentSelection, AtDeadline, CHANGES_MAX, Command, GOALS_MAX, IfNoRoom, MapEdit, NAMED_MAX,
    ORDERS_MAX, OnAgents, RefusalReason, Spawn, SpawnGroup, Ticket,
};
pub use counts::Counts;
pub use crash_report::{CRASH_REPORT, CommandsSince, CrashReport};
pub use log::{AppliedEdit, EditEffect, TraceEvent};
pub use memory::Memory;
pub use metrics::{
    ClassResult, Counters, EditPendingFor, HeldAgent, LongestResult, NOT_OUTCOME, NoSingleAgentBound,
    OrdersLeftBy, RESULT_SCHEMA, RunResult, STUCK_AFTER_TICKS, SingleAgentBound, TickMs, TickTimes,
    WAIT_FOR_CYCLE_AGENTS_MAX, WAIT_FOR_CYCLES_MAX, WaitForCycle, permille, quantile_ms, single_agent_bounds,
    single_agent_bounds_observed,
};
pub use name::Name;
pub use off_map::OffMapAgent;
pub use order_pool::{OrderList, OrderPool, OrderState};
pub use orders::{LackedGoal, Order, OrderKind};
pub use pending_edits::{PendingEdit, PendingEdits};
pub use placement::{Placement, PlacementArea};
pub use progress::{Longest, LongestOfClass};
pub use replan_params::{ReplanParams, TuneError, changed_tunables, tune};
pub use requests::{PathRequest, PathSource, Requests, Route};
pub use route_mode::RouteMode;
pub use rows::agent_row::AgentRow;
pub use rows::drawn_body::{DrawnBody, DrawnClass, DrawnForm};
pub use rows::event_details::EventDetails;
pub use rows::event_row::{EventKind, EventRow};
pub use rows::interpolation::Body;
pub use setup::{EXPANSIONS_PER_TICK_MAX, SEARCH_SLOTS_MAX, Setup, SetupError, SetupErrors};
pub use snapshot::{Host, LoadError, MakeRule, SNAPSHOT, SaveError, make_own_rule};
pub use statistics::TripStatistics;
pub use tasks::{CONFINED_BELOW_POSES, TaskSlot, TaskSource};
pub use threads::Threads;
pub use tick::{Phase, RunState};
pub use trip::{IfUnreachable, Trip};
pub use unreachable::{UnreachableReason, UnreachableReasons};
pub use wait_reason::{NamedReason, WaitReason};
pub use wheelbase_traffic::gate_load::GateLoad;
pub use wheelbase_traffic::random::Random;
pub use wheelbase_traffic::speed::USUAL_SPEED_PERMILLE;
// All other names of the crates.
pub use {hecs, wheelbase_grid as grid, wheelbase_planner as planner, wheelbase_traffic as traffic};
// The types in the signatures above, so that a game needs one `use`.
pub use wheelbase_grid::{
    CellXY, Change, Grid, GridShape, GridSize, Rect, SideTable, TerrainEntry, TerrainKind, TerrainTable,
};
pub use wheelbase_planner::{ClassSpec, GoalMember, Heading, MovementClass, MovementTables, Pose, Primitive};
pub use wheelbase_traffic::{
    Activity, AgentId, ClassId, CollisionRule, Friends, GoalStamp, Motion, PathHandle, PathPool, Reason,
    Team, TrafficParams, WaitState,
};
pub use world::{Settings, World};
pub use world_need::WorldParts;
