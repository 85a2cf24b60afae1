//! What takes the place of values of a scenario.

use crate::scenario::Scenario;
use wheelbase_grid::MemoryMax;
use wheelbase_sim::ReplanParams;
use wheelbase_traffic::TrafficParams;

/// Values that take the place of a scenario's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    /// Ticks to run at most.
    pub ticks: Option<u32>,
    /// Seed.
    pub seed: Option<u64>,
    /// Expansions a tick.
    pub expansions_per_tick: Option<u64>,
    /// Tries a tick.
    pub tries_per_tick: Option<u64>,
    /// Tunables of the traffic rule: no part of a scenario, but set to measure a mechanism.
    pub traffic: TrafficParams,
    /// Tunables of replanning around other agents, as those.
    pub replan: ReplanParams,
    /// Memory that may be taken. No value of a scenario's, but of whoever runs it.
    pub memory_max: MemoryMax,
}

impl Overrides {
    /// Puts them in place of what was typed.
    pub(crate) fn apply(&self, typed: &mut Scenario) {
        typed.ticks = self.ticks.unwrap_or(typed.ticks);
        typed.seed = self.seed.unwrap_or(typed.seed);
        typed.expansions_per_tick = self.expansions_per_tick.unwrap_or(typed.expansions_per_tick);
        (typed.traffic, typed.replan) = (self.traffic, self.replan);
        typed.tries_per_tick = self.tries_per_tick.unwrap_or(typed.tries_per_tick);
    }
}
