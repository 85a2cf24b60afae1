//! The orders phase: what is done is closed, what comes next begins.

use crate::order_life::{ask_for_path, begin_order, finish_order};
use crate::orders::OrderKind;
use crate::requests::Route;
use crate::world::Simulation;
use wheelbase_traffic::motion::Activity;

/// The orders phase: closes what is done and begins what comes next, for agents at rest.
pub(crate) fn run_orders(sim: &mut Simulation) {
    let mut next = 0;
    while let Some(row) = sim.agents.busy.next_from(next) {
        next = row + 1;
        let motion = sim.agents.motion[row];
        if !motion.at_rest() {
            continue;
        }
        match motion.activity {
            Activity::Idle if !sim.agents.stamps[row].has_order => {}
            Activity::Idle => begin_order(sim, row),
            Activity::Pausing => {
                let order = sim.orders.current(&sim.agents.orders(row));
                if let Some(OrderKind::Wait(ticks)) = order.map(|order| &order.kind)
                    && sim.tick - sim.agents.orders(row).since >= *ticks
                {
                    finish_order(sim, row);
                }
            }
            Activity::Arrived => finish_order(sim, row),
            Activity::Yielding if sim.agents.paths[row].is_empty() => {
                if sim.tick >= sim.agents.patience[row].ask_again_at {
                    begin_order(sim, row);
                }
            }
            Activity::Following if motion.replan => ask_for_path(sim, row, Route::Cheapest),
            Activity::Yielding | Activity::Following | Activity::Asking | Activity::Shut => {}
        }
    }
}
