//! The orders phase: closes orders that are done and begins the next ones.

use crate::order_life::{begin_order, finish_order, request_path, retry_obstructed, watch_leaders};
use crate::orders::OrderKind;
use crate::requests::Route;
use crate::route_legs::{ask_for_next_leg, await_next_leg};
use crate::world::World;
use wheelbase_traffic::motion::Activity;

/// The orders phase, for agents at rest.
pub(crate) fn run_orders(world: &mut World) {
    if !world.followers.is_empty() {
        watch_leaders(world);
    }
    if !world.obstructed.is_empty() {
        retry_obstructed(&mut world.agents, &mut world.obstructed, &world.friends, world.tick);
    }
    let mut next = 0;
    while let Some(row) = world.agents.busy.next_from(next) {
        next = row + 1;
        let motion = world.agents.motion[row];
        if !motion.at_rest() {
            continue;
        }
        match motion.activity {
            Activity::Idle if !world.agents.stamps[row].has_order => {}
            Activity::Idle => begin_order(world, row),
            Activity::Dwelling => {
                let state = world.agents.orders(row);
                let ticks = world.orders.kind(&state).and_then(OrderKind::dwell_ticks);
                if ticks.is_some_and(|ticks| world.tick - state.since >= ticks) {
                    finish_order(world, row);
                }
            }
            Activity::Arrived => finish_order(world, row),
            Activity::Yielding if world.agents.paths[row].is_empty() => {
                if world.tick >= world.agents.wait_states[row].ask_again_at {
                    begin_order(world, row);
                }
            }
            Activity::Following
                if motion.replan && await_next_leg(&mut world.agents, &mut world.requests, row) => {}
            Activity::Following if motion.replan => request_path(world, row, Route::Cheapest),
            Activity::Following if world.agents.legs[row].is_some() => {
                let asks = ask_for_next_leg(&mut world.agents, &mut world.requests, row, world.tick);
                world.counts.path_requests += u64::from(asks);
            }
            Activity::Yielding | Activity::Following | Activity::AwaitingPath => {}
            Activity::Unreachable | Activity::Holding if world.agents.waits_in_place(row) => {
                begin_order(world, row);
            }
            Activity::Unreachable | Activity::Holding => {}
        }
    }
}
