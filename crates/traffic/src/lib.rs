//! Who may move: occupancy, space-time reservations, and the rules of traffic beside each other.
//!
//! Knows agents by id, row, pose and path, as slices; no orders, no tasks, no files. A [`Traffic`] rule looks at a
//! [`TrafficView`] once a tick and writes [`Decisions`]; the [`Occupancy`] lets moves start.

#![forbid(unsafe_code)]

pub mod collision;
// Public for the tests that need a whole simulation, which stand in the crate above.
#[doc(hidden)]
pub mod cooperative;
pub mod decisions;
pub mod directions;
pub mod flow;
pub mod forbidden;
pub mod free_cells;
pub mod gate_load;
pub mod gates;
pub mod hash;
pub mod motion;
pub mod occupancy;
pub mod params;
pub mod path_pool;
pub mod priority;
pub mod random;
pub mod row_set;
pub mod rule;
pub mod unit_robots;
pub mod view;

pub use collision::{CollisionRule, Transition};
pub use cooperative::Cooperative;
pub use decisions::{Decisions, Leads, Reroute, Start};
pub use flow::DirectionalFlow;
pub use motion::{Activity, AgentId, ClassId, Motion, WaitState};
pub use occupancy::Occupancy;
pub use params::TrafficParams;
pub use path_pool::{PathHandle, PathPool};
pub use priority::PriorityKey;
pub use row_set::RowSet;
pub use rule::Traffic;
pub use unit_robots::UnitRobots;
pub use view::{AgentsView, GoalStamp, TrafficView};
