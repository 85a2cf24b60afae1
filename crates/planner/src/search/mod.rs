//! One request: what is asked for, what guides the search, and the search itself.

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
pub(crate) mod open_list;
pub(crate) mod penalties;
pub(crate) mod plan;
pub mod reference;
pub(crate) mod request;
pub(crate) mod scratch;

pub use guide::{Guide, HeuristicName};
pub use heuristic::Heuristic;
pub use landmarks::Landmarks;
pub use learned_costs::LearnedCosts;
pub use penalties::Penalties;
pub use plan::{advance, begin, finish, least_cost, least_cost_of, pass_goal, plan};
pub use request::{Answer, Fallback, GoalArea, Reason, Request};
pub use scratch::Scratch;
