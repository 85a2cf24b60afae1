//! Traffic of many agents: occupancy, space-time reservations, and rules that decide which agents move.
//!
//! Agents are ids, rows, poses and paths, as slices; this crate knows no orders, tasks or files. Once per tick a
//! [`Traffic`] rule reads a [`TrafficView`] and writes [`Decisions`]. The [`Occupancy`] then begins the moves that
//! fit together. [`Cooperative`] is the rule for bodies of any size, and [`UnitRobots`] for teams of robots of one
//! cell. [`Commanded`] takes its decisions from outside.

#![forbid(unsafe_code)]

mod clone_fields;
pub mod collision;
mod commanded;
mod cooperative;
mod decisions;
pub mod forbidden;
mod free_cells;
pub mod gate_load;
pub mod gates;
pub mod hash;
pub mod motion;
pub mod occupancy;
mod own_rule;
pub mod params;
pub mod path_pool;
mod priority;
pub mod random;
mod reason;
mod recorded_rule;
mod row_set;
mod rule;
mod rule_state;
mod saved;
pub mod speed;
pub mod teams;
#[cfg(test)]
mod tests;
mod ticks;
mod unit_robots;
pub mod view;

pub use collision::{CollisionRule, Transition};
pub use commanded::Commanded;
pub use cooperative::Cooperative;
pub use decisions::{Decisions, Leads, Reroute, Start};
pub use motion::{Activity, AgentId, AgentSlot, ClassId, Motion, WaitState};
pub use occupancy::Occupancy;
pub use own_rule::{OwnRule, RuleSetting};
pub use params::TrafficParams;
pub use path_pool::{PathHandle, PathPool};
pub use priority::PriorityKey;
pub use reason::{CorridorPlace, CorridorSide, Reason};
pub use recorded_rule::{DecisionFeed, RecordedRule};
pub use row_set::RowSet;
pub use rule::{Traffic, save_state};
pub use rule_state::{RuleContext, RulePart, RuleState, RuleStateError, StateReader, StateVisitor};
pub use saved::Saved;
pub use teams::{Friends, Team};
pub use unit_robots::UnitRobots;
pub use view::{AgentsView, CommandedMove, GoalStamp, TrafficView};
