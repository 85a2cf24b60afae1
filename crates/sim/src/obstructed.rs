//! Agents whose goal cannot be reached for the agents in between.

use wheelbase_traffic::motion::AgentId;

/// An agent that keeps such an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    agent: AgentId,
    /// How often places had been given up when it last tried.
    cleared: u64,
    /// Earliest tick at which it tries again.
    again_at: u32,
}

/// Agents that keep an order though other agents obstruct it. One tries again once an agent has given up a place since,
/// after a pause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstructed {
    /// By id.
    waiting: Vec<Waiting>,
}

impl Obstructed {
    /// Adds an agent, or has it wait once more.
    pub fn add(&mut self, agent: AgentId, cleared: u64, again_at: u32) {
        let waiting = Waiting { agent, cleared, again_at };
        match self.waiting.binary_search_by_key(&agent, |waiting| waiting.agent) {
            Ok(at) => self.waiting[at] = waiting,
            Err(at) => self.waiting.insert(at, waiting),
        }
    }

    /// Whether someone will try again though no other place is given up.
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

    /// Takes out the agents that try again at a tick.
    pub fn take_due(&mut self, tick: u32, cleared: u64, mut due: impl FnMut(AgentId)) {
        self.waiting.retain(|waiting| {
            let tries = tick >= waiting.again_at && cleared != waiting.cleared;
            if tries {
                due(waiting.agent);
            }
            !tries
        });
    }

    /// Words for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        for waiting in &self.waiting {
            word(u64::from(waiting.agent.0) << 32 | u64::from(waiting.again_at));
            word(waiting.cleared);
        }
    }
}
