//! Agents whose goals other agents make unreachable.

use crate::serde_ids;
use serde::{Deserialize, Serialize};
use wheelbase_traffic::motion::AgentId;

/// An agent that keeps an obstructed order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Waiting {
    #[serde(with = "serde_ids::agent")]
    agent: AgentId,
    /// Places given up (`Agents::cleared`) when its last search began.
    cleared: u64,
    /// Earliest tick at which it tries again.
    again_at: u32,
}

/// Agents that keep an order obstructed by other agents. Each tries again after a pause, once some agent has given up
/// its place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Obstructed {
    /// By id.
    waiting: Vec<Waiting>,
}

impl Obstructed {
    /// Adds an agent, or renews its wait.
    pub fn add(&mut self, agent: AgentId, cleared: u64, again_at: u32) {
        let waiting = Waiting { agent, cleared, again_at };
        match self.waiting.binary_search_by_key(&agent, |waiting| waiting.agent) {
            Ok(at) => self.waiting[at] = waiting,
            Err(at) => self.waiting.insert(at, waiting),
        }
    }

    /// Whether an agent will try again even if no other gives up its place.
    pub fn any_tries(&self, cleared: u64) -> bool {
        self.waiting.iter().any(|waiting| waiting.cleared != cleared)
    }

    /// Number of agents that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes the agents that try again at a tick, and calls `due` with each.
    pub fn take_due(&mut self, tick: u32, cleared: u64, mut due: impl FnMut(AgentId)) {
        self.waiting.retain(|waiting| {
            let tries = tick >= waiting.again_at && cleared != waiting.cleared;
            if tries {
                due(waiting.agent);
            }
            !tries
        });
    }

    /// The agents that wait, by id.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.waiting.iter().map(|waiting| waiting.agent)
    }

    /// Words for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        for waiting in &self.waiting {
            word(u64::from(waiting.agent.0) << 32 | u64::from(waiting.again_at));
            word(waiting.cleared);
        }
    }
}
