//! Planning a single request: requests, heuristics, and the search itself.

#[cfg(feature = "rayon")]
pub mod batch;
pub(crate) mod estimate;
pub(crate) mod free_moves;
pub(crate) mod guide;
pub(crate) mod heuristic;
pub(crate) mod kernel;
pub(crate) mod landmarks;
pub(crate) mod learned_costs;
pub(crate) mod make_landmarks;
mod nearest_poses;
pub mod path_queue;
pub(crate) mod penalties;
pub(crate) mod plan;
pub mod reference;
mod repair_landmarks;
mod replan;
pub(crate) mod request;
mod saved_search;
pub mod schedule;
pub(crate) mod scratch;

pub use guide::{Guide, HeuristicName};
pub use heuristic::Heuristic;
pub use landmarks::Landmarks;
pub use learned_costs::LearnedCosts;
pub use path_queue::{CellPenalties, PathQueue, QueueAnswer, QueueError, QueuedRequest, SearchJob, Ticket};
pub use penalties::Penalties;
pub use plan::{
    advance, begin, cost_lower_bound, cost_lower_bound_of, finish, for_each_obstacle_met, pass_goal, plan,
};
pub use repair_landmarks::LandmarkRepair;
pub use replan::BackTraces;
pub use request::{Answer, Fallback, GoalArea, Reason, Request};
pub use saved_search::SavedSearch;
pub use scratch::Scratch;
