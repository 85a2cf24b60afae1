//! A path request: the route asked for, and its place in the queue.

use std::cmp::Reverse;
use wheelbase_traffic::motion::AgentId;

/// Ticks of path length that delay a request by one tick. With 1, 1,000 agents that made requests at once had their
/// paths as soon as with 4, after 58 ticks on average; in order of age alone after 87.
const WAIT_SHARE: u32 = 4;

/// The route to its goal that an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The cheapest path.
    Cheapest,
    /// A detour around agents that rest nearby. Without one the path in hand is kept.
    Detour,
    /// The path of least time plus congestion penalties, up to where the path in hand leaves the reach of the
    /// penalties. The path in hand is kept if the new one is not cheaper.
    CongestionAware,
}

/// A request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRequest {
    /// The agent.
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
    /// Sort key of the queue: priority plus age, less a share of the path's lower bound, then id. Short paths are
    /// found quickly, so many agents do not wait for a few. Age wins in the end: a request of priority p for a path
    /// of at least m ticks waits for a later one of priority q and n ticks at most (q - p) + (m - n) / [`WAIT_SHARE`]
    /// ticks longer than for one like itself.
    pub(crate) fn queue_key(&self, tick: u32) -> (Reverse<i64>, AgentId) {
        let share = i64::from(self.least_ticks / WAIT_SHARE);
        (Reverse(i64::from(self.priority) + i64::from(tick - self.issued) - share), self.agent)
    }
}
