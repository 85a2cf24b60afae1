//! Which requests are answered exactly, and which by legs of routes.

use super::request::PathRequest;
use super::search_inputs::{SearchInputs, least_ticks};
use super::slot::Slot;
use super::slot_leg::{NEAR_CELLS, cells_to_goal};
use crate::route_mode::RouteMode;

/// Decides for the requests of a tick, in order.
pub(crate) struct RoutePolicy {
    mode: RouteMode,
    /// Expansions of the tick's budget for which no exact search is expected.
    left: u64,
    /// By class without a complete graph: expansions expected of exact searches to far goals that do not fit.
    unfit: Vec<u64>,
}

impl RoutePolicy {
    /// At the beginning of a tick with a budget of expansions. By [`RouteMode::Auto`] an exact search to a far goal
    /// that did not fit the last tick's budget is given up for a leg. `unfit` is memory.
    pub fn new(
        (mode, budget): (RouteMode, u64),
        mut unfit: Vec<u64>,
        slots: &mut [Slot],
        search_inputs: SearchInputs<'_>,
    ) -> Self {
        unfit.clear();
        unfit.resize(search_inputs.classes.len(), 0);
        let mut policy = Self { mode, left: budget, unfit };
        if mode == RouteMode::Auto {
            for slot in slots.iter_mut().filter(|slot| slot.is_under_way() && slot.state.spent > 0) {
                let is_exact =
                    !slot.state.goes_abstract && !slot.state.has_failed && slot.state.from.is_none();
                let asked = slot.state.request.filter(|asked| is_exact && asked.route.is_to_goal());
                let row = asked.and_then(|asked| search_inputs.agents.row(asked.agent));
                let trip = row.and_then(|row| Some((row, trip_of(search_inputs, row)?)));
                if trip.is_some_and(|(row, trip)| policy.leaves_budget(search_inputs, row, trip)) {
                    (slot.state.goes_abstract, slot.state.begun) = (true, false);
                }
            }
        }
        policy
    }

    /// Whether a request goes abstract.
    pub fn goes_abstract(&mut self, search_inputs: SearchInputs<'_>, asked: &PathRequest) -> bool {
        if self.mode == RouteMode::Exact || !asked.route.is_to_goal() {
            return false;
        }
        if self.mode == RouteMode::Abstract {
            return true;
        }
        let Some(row) = search_inputs.agents.row(asked.agent) else { return false };
        let Some(trip) = trip_of(search_inputs, row) else { return false };
        match self.left.checked_sub(trip.expansions) {
            Some(left) => self.left = left,
            None => return self.leaves_budget(search_inputs, row, trip),
        }
        false
    }

    /// Whether a request that does not fit the budget goes abstract: to a far goal, with a complete graph.
    fn leaves_budget(&mut self, inputs: SearchInputs<'_>, row: usize, trip: Trip) -> bool {
        let (is_far, has_graph) = (trip.cells >= NEAR_CELLS, inputs.graph(row).is_some());
        // The searches of a group share a field.
        if is_far && !has_graph && !trip.by_group {
            let unfit = &mut self.unfit[usize::from(inputs.agents.motion[row].class.0)];
            *unfit = unfit.saturating_add(trip.expansions);
        }
        is_far && has_graph
    }

    /// By class: expansions expected of exact searches that did not fit the budget, for want of a graph.
    pub fn into_unfit(self) -> Vec<u64> {
        self.unfit
    }
}

/// Estimate of the exact search to the goal of an agent.
#[derive(Clone, Copy)]
struct Trip {
    /// Distance to the goal in cells.
    cells: u32,
    /// A quarter of its square for each heading, at most all poses of the map.
    expansions: u64,
    /// Whether the order is to a group.
    by_group: bool,
}

/// The trip of the agent in a row.
fn trip_of(search_inputs: SearchInputs<'_>, row: usize) -> Option<Trip> {
    let state = search_inputs.agents.motion[row].state;
    let (kind, _, request) = search_inputs.cheapest(row, state)?;
    let space = search_inputs.tables(row).space();
    let cells = cells_to_goal(space.size(), &request, kind.area());
    // A goal may lie far off the map.
    let disc = (u64::from(cells) * u64::from(cells)).saturating_mul(space.headings().into()) / 4;
    let expansions = disc.min(space.n_states() as u64);
    Some(Trip { cells, expansions, by_group: kind.group().is_some() })
}

/// Least ticks of the path to a near goal, for the order of requests; 0 for a far one. A first leg is equally short
/// wherever the goal is.
pub(crate) fn least_leg_ticks(search_inputs: SearchInputs<'_>, row: usize) -> u32 {
    let is_far = trip_of(search_inputs, row).is_some_and(|trip| trip.cells >= NEAR_CELLS);
    if is_far { 0 } else { least_ticks(search_inputs, row) }
}
