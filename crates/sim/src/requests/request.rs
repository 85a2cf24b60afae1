//! A path request: the route asked for, and its place in the queue.

use crate::plain;
use serde::{Deserialize, Serialize};
use wheelbase_planner::search::schedule::RequestKey;
use wheelbase_traffic::motion::AgentId;

/// The route to its goal that an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Route {
    /// The cheapest path.
    Cheapest,
    /// A detour around agents that rest nearby. Without one the current path is kept.
    Detour,
    /// The path of least time plus congestion penalties, up to where the current path leaves the reach of the
    /// penalties. The current path is kept if the new one is not cheaper.
    CongestionAware,
    /// The cheapest path around agents that cannot make way, wherever they are. Without one the current path is kept.
    Bypass,
    /// The cheapest path from the end of the current leg, which it continues. The agent does not wait for it.
    NextLeg,
}

impl Route {
    /// Whether it leads to the goal by the cheapest path.
    pub(crate) fn is_to_goal(self) -> bool {
        matches!(self, Self::Cheapest | Self::NextLeg)
    }
}

/// A request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRequest {
    /// The agent.
    #[serde(with = "plain")]
    pub agent: AgentId,
    /// Tick at which it was made.
    pub issued: u32,
    /// The agent's configured priority.
    pub priority: i32,
    /// The route asked for.
    pub route: Route,
    /// Lower bound of the path in ticks, as far as it is known without a search.
    pub least_ticks: u32,
}

impl PathRequest {
    /// What decides its order in the [schedule](wheelbase_planner::search::schedule); ties go to the lower id.
    pub(crate) fn key(&self) -> RequestKey {
        let Self { priority, issued, least_ticks, agent, .. } = *self;
        RequestKey { priority, issued, least_ticks, number: agent.0.into() }
    }
}
