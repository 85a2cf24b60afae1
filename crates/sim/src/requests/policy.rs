//! Which requests are answered exactly, and which by legs of routes.

use super::request::PathRequest;
use super::search_inputs::{SearchInputs, least_ticks};
use super::slot::Slot;
use super::slot_leg::{NEAR_CELLS, cells_to_goal};
use crate::orders::OrderKind;
use crate::route_mode::RouteMode;

/// Decides for the requests of a tick, in order.
pub(crate) struct RoutePolicy {
    mode: RouteMode,
    /// Expansions of the tick's budget for which no exact search is expected.
    left: u64,
}

impl RoutePolicy {
    /// At the beginning of a tick. By [`RouteMode::Auto`] an exact search to a far goal that did not fit the last tick's
    /// budget is given up for a leg.
    pub fn new(mode: RouteMode, budget: u64, slots: &mut [Slot], search_inputs: SearchInputs<'_>) -> Self {
        if mode == RouteMode::Auto {
            for slot in slots.iter_mut().filter(|slot| slot.is_under_way() && slot.spent > 0) {
                let is_exact = !slot.goes_abstract && !slot.has_failed && slot.from.is_none();
                let trip = || {
                    let asked = slot.request.filter(|asked| asked.route.is_to_goal())?;
                    trip_of(search_inputs, search_inputs.agents.row(asked.agent)?)
                };
                if is_exact && trip().is_some_and(|(cells, _)| cells >= NEAR_CELLS) {
                    (slot.goes_abstract, slot.begun) = (true, false);
                }
            }
        }
        Self { mode, left: budget }
    }

    /// Whether a request goes abstract.
    pub fn goes_abstract(&mut self, search_inputs: SearchInputs<'_>, asked: &PathRequest) -> bool {
        if self.mode == RouteMode::Exact || !asked.route.is_to_goal() {
            return false;
        }
        if self.mode == RouteMode::Abstract {
            return true;
        }
        let row = search_inputs.agents.row(asked.agent);
        let Some((cells, expected)) = row.and_then(|row| trip_of(search_inputs, row)) else { return false };
        match self.left.checked_sub(expected) {
            Some(left) => self.left = left,
            None => return cells >= NEAR_CELLS,
        }
        false
    }
}

/// Distance from the agent in a row to its goal in cells, and the expansions expected of an exact search. These are a
/// quarter of the square of the distance for each heading, at most all poses of the map.
fn trip_of(search_inputs: SearchInputs<'_>, row: usize) -> Option<(u32, u64)> {
    let state = search_inputs.agents.motion[row].state;
    let (kind, _, request) = search_inputs.cheapest(row, state)?;
    let area = match kind {
        &OrderKind::GotoArea(area, _) => Some(area),
        _ => None,
    };
    let space = search_inputs.tables(row).space();
    let cells = cells_to_goal(space.size(), &request, area);
    let disc = u64::from(cells) * u64::from(cells) * u64::from(space.headings()) / 4;
    Some((cells, disc.min(space.n_states() as u64)))
}

/// Least ticks of the path to a near goal, for the order of requests; 0 for a far one. A first leg is equally short wherever
/// the goal is.
pub(crate) fn least_leg_ticks(search_inputs: SearchInputs<'_>, row: usize) -> u32 {
    let is_far = trip_of(search_inputs, row).is_some_and(|(cells, _)| cells >= NEAR_CELLS);
    if is_far { 0 } else { least_ticks(search_inputs, row) }
}
