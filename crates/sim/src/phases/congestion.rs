//! Congestion in a tick: agents with large penalties request other paths.

use crate::order_life::request_path;
use crate::requests::{PathSource, Route};
use crate::world::World;
use wheelbase_traffic::motion::Activity;

/// Checks the paths of the next few agents; those with large penalties request congestion-aware paths. Only while no
/// other request is open.
pub(crate) fn replan_around_congestion(world: &mut World) {
    let by_host = world.requests.source == PathSource::Host;
    if !world.traffic.needs_paths() || by_host || world.requests.open() > 0 {
        return;
    }
    // A rule from outside is not asked: a replay would not have its answers.
    let is_ours = world.own_rule().is_some();
    let World { congestion, agents, tables, traffic, tick, .. } = world;
    let may_replan = |row: usize| {
        let motion = &agents.motion[row];
        motion.at_rest()
            && motion.activity == Activity::Following
            && !motion.replan
            && !agents.orders(row).to_nearest
            && *tick >= agents.wait_states[row].look_again_at
            && !(is_ours && traffic.is_yielding(agents.ids[row]))
    };
    let penalised = congestion.next_penalised(agents, tables, &may_replan);
    for row in penalised {
        request_path(world, row, Route::CongestionAware);
    }
}
