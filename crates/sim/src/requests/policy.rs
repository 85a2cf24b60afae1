//! Which requests are answered exactly, and which by legs of routes.

use super::request::PathRequest;
use super::search_inputs::SearchInputs;
use super::slot::Slot;
use super::slot_leg::cells_to_goal;
use crate::orders::OrderKind;
use crate::route_mode::RouteMode;

/// Decides for the requests of a tick, in order.
pub(crate) struct RoutePolicy {
    mode: RouteMode,
    /// Expansions of the tick's budget for which no exact search is expected.
    left: u64,
}

impl RoutePolicy {
    /// At the beginning of a tick. By [`RouteMode::Auto`] the exact searches that the last tick's budget has not sufficed
    /// for begin again by legs: they did not fit.
    pub fn new(mode: RouteMode, budget: u64, slots: &mut [Slot]) -> Self {
        if mode == RouteMode::Auto {
            for slot in slots.iter_mut().filter(|slot| slot.is_under_way() && slot.spent > 0) {
                let is_exact = !slot.goes_abstract && !slot.has_failed && slot.from.is_none();
                if is_exact && slot.request.is_some_and(|asked| asked.route.is_to_goal()) {
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
        let expected = expected_expansions(search_inputs, asked);
        match self.left.checked_sub(expected) {
            Some(left) => self.left = left,
            None => return true,
        }
        false
    }
}

/// Expansions that an exact search is expected to make: those of a disc around the way, a quarter of the square of its
/// length with each heading, at most all poses of the map.
fn expected_expansions(search_inputs: SearchInputs<'_>, asked: &PathRequest) -> u64 {
    let Some(row) = search_inputs.agents.row(asked.agent) else { return 0 };
    let state = search_inputs.agents.motion[row].state;
    let Some((kind, _, request)) = search_inputs.cheapest(row, state) else { return 0 };
    let area = match kind {
        &OrderKind::GotoArea(area, _) => Some(area),
        _ => None,
    };
    let cells = u64::from(cells_to_goal(&request, area));
    let space = search_inputs.tables(row).space();
    (cells * cells * u64::from(space.headings()) / 4).min(space.n_states() as u64)
}
