//! Values that replace values of a scenario.

use crate::scenario::Scenario;
use wheelbase_grid::MemoryMax;
use wheelbase_sim::{ReplanParams, RouteMode};
use wheelbase_traffic::TrafficParams;

/// Values that replace values of a scenario. More may be added: build with `..Overrides::default()`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    /// Most ticks to run.
    pub ticks: Option<u32>,
    /// Seed.
    pub seed: Option<u64>,
    /// Expansions per tick.
    pub expansions_per_tick: Option<u64>,
    /// How path requests are answered.
    pub routes: Option<RouteMode>,
    /// Poses that each agent may expand per tick; of a scenario, not of a problem.
    pub poses_per_agent: Option<u32>,
    /// Traffic search budget per tick, for problems but not for scenarios.
    pub tries_per_tick: Option<u64>,
    /// Parameters of the traffic rules, for experiments. Scenarios have no keys for them.
    pub traffic: TrafficParams,
    /// Parameters of replanning around other agents, likewise.
    pub replan: ReplanParams,
    /// Memory limit. Set by the user of the machine; scenarios have no key for it.
    pub memory_max: MemoryMax,
}

impl Overrides {
    /// How path requests are answered in place of a typed mode: as asked for, else by the tunable if it is set.
    pub(crate) fn routes_of(&self, typed: RouteMode) -> RouteMode {
        let is_tuned = self.replan.routes != ReplanParams::USUAL.routes;
        self.routes.unwrap_or(if is_tuned { self.replan.route_mode() } else { typed })
    }

    /// Replaces the typed values.
    pub(crate) fn apply(&self, typed: &mut Scenario) {
        typed.ticks = self.ticks.unwrap_or(typed.ticks);
        typed.seed = self.seed.unwrap_or(typed.seed);
        typed.expansions_per_tick = self.expansions_per_tick.unwrap_or(typed.expansions_per_tick);
        (typed.traffic, typed.replan) = (self.traffic, self.replan);
        typed.routes = self.routes_of(typed.routes);
        typed.poses_per_agent = self.poses_per_agent.unwrap_or(typed.poses_per_agent);
    }
}
