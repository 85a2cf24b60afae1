//! A path request: which way is asked for, and which request comes first.

use std::cmp::Reverse;
use wheelbase_traffic::motion::AgentId;

/// One that asks for a way that takes so many ticks may wait one tick longer. With 1, 1,000 agents that asked
/// at once had their paths as soon as with 4, behind 58 ticks in the mean; in order of age alone behind 87.
const WAIT_SHARE: u32 = 4;

/// Which way to its goal an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The cheapest.
    Cheapest,
    /// One around agents that rest nearby; the path in hand is kept if there is none.
    AroundResting,
    /// The one on which time and the delays that others are thought to cause are least, up to where the path
    /// in hand leads out of those that count; the path in hand is kept if it is not the quicker one.
    CongestionAware,
}

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRequest {
    /// Who asks.
    pub agent: AgentId,
    /// Since when.
    pub issued: u32,
    /// The agent's given priority.
    pub priority: i32,
    /// Which way is asked for.
    pub route: Route,
    /// The path asked for takes no less, in ticks, as far as is known without a search.
    pub least_ticks: u32,
}

impl PathRequest {
    /// Priority plus age, less a share of what the path takes at least: short ways are soon searched for, so
    /// many agents need not wait for a few. Age wins in the end: a request of priority p for a path of at
    /// least m ticks waits for one of priority q and n ticks that comes later at most (q - p) + (m - n) /
    /// [`WAIT_SHARE`] ticks longer than for one of its own.
    pub(crate) fn rank(&self, tick: u32) -> (Reverse<i64>, AgentId) {
        let behind = i64::from(self.least_ticks / WAIT_SHARE);
        (Reverse(i64::from(self.priority) + i64::from(tick - self.issued) - behind), self.agent)
    }
}
