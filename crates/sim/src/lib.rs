//! Thousands of oriented multi-tile agents, ticked exactly and deterministically.
//!
//! [`World::new`] makes a world of a map, movement classes and a traffic rule ([`Setup`]). Agents, orders and events
//! are added to it, and [`World::step`] runs it tick by tick, with equal results for any number of threads. Files are
//! the business of `wheelbase-scenario`: scenarios, recordings and traces.

#![forbid(unsafe_code)]

// Unit tests of private items use worlds made from scenario texts. A dev-dependency on the loader would bring a
// second copy of all types, so its sources are compiled as modules of the tests.
#[cfg(test)]
extern crate self as wheelbase_sim;
#[cfg(test)]
#[path = "../../scenario/src/json_error.rs"]
mod json_error;
#[cfg(test)]
#[path = "../../scenario/src/load/mod.rs"]
#[allow(dead_code, unexpected_cfgs, unused_imports, reason = "tests use a part of it")]
mod load;
#[cfg(test)]
#[path = "../../scenario/src/scenario/mod.rs"]
#[allow(dead_code, unused_imports, reason = "tests use a part of it")]
mod scenario;

mod agents;
mod assigned_poses;
mod class;
mod class_landmarks;
pub mod codec;
mod congestion;
mod counts;
mod events;
mod goal_poses;
mod group_goals;
pub mod invariant;
mod log;
mod make_landmarks;
mod memory;
mod metrics;
mod name;
mod order_life;
mod orders;
mod pending_edits;
mod phases;
mod placement;
mod replan_params;
mod requests;
mod setup;
mod shared_fields;
mod state_hash;
mod statistics;
mod tasks;
mod tick;
mod traffic_buffers;
#[cfg(test)]
mod traffic_tests;
mod trip;
mod unreachable;
mod violation;
mod world;
mod world_need;

pub use agents::{Agents, Row};
pub use class::WorldClass;
pub use counts::Counts;
pub use events::{Action, AgentSelection, Event, MapEdit, NewAgents, NewOrders, OnAgents};
pub use log::{AppliedEdit, EditEffect, TraceEvent};
pub use memory::Memory;
pub use metrics::{
    Counters, NOT_OUTCOME, NoSingleAgentBound, RunResult, STUCK_AFTER_TICKS, SingleAgentBound, TickMs,
    TickTimes, WAIT_FOR_CYCLE_AGENTS_MAX, WAIT_FOR_CYCLES_MAX, WaitForCycle, permille, quantile_ms,
    single_agent_bounds, single_agent_bounds_observed,
};
pub use name::Name;
pub use orders::{GroupOrders, LackedGoal, Order, OrderKind, OrderList, OrderPool, OrderState};
pub use pending_edits::{PendingEdit, PendingEdits};
pub use placement::Placement;
pub use replan_params::{ReplanParams, TuneError, tune};
pub use requests::{PathRequest, Requests, Route};
pub use setup::{Setup, SetupError};
pub use statistics::TripStatistics;
pub use tasks::{CONFINED_BELOW_POSES, TaskSlot, TaskSource, Tasks};
pub use tick::{Phase, RunState};
pub use trip::{IfUnreachable, Trip};
pub use unreachable::{UnreachableReason, UnreachableReasons};
pub use wheelbase_traffic::gate_load::GateLoad;
pub use wheelbase_traffic::random::Random;
pub use wheelbase_traffic::{
    Activity, AgentId, ClassId, CollisionRule, DirectionalFlow, GoalStamp, Motion, Occupancy, PathHandle,
    PathPool, TrafficParams, WaitState,
};
pub use world::{Settings, World};
pub use world_need::WorldParts;
