//! Ways around agents that cannot make way.

use crate::goal_cover::{cover_of, cover_of_goal};
use crate::replan_params::ReplanParams;
use crate::requests::Route;
use crate::roadblocks::roadblocks_of;
use crate::world::World;
use wheelbase_grid::CellXY;
use wheelbase_traffic::Transition;
use wheelbase_traffic::motion::WaitState;

/// Whether the path of an agent leads to another near it that cannot make way.
pub(crate) fn leads_to_roadblock(world: &World, row: usize) -> bool {
    if roadblocks_of(&*world.traffic).is_empty() {
        return false;
    }
    let motion = &world.agents.motion[row];
    let tables = &world.tables[usize::from(motion.class.0)];
    let (class, space) = (tables.class(), tables.space());
    let (mut state, start) = (motion.state, space.pose(motion.state).cell);
    for &primitive in world.agents.moves(row) {
        let (primitive, pose) = (usize::from(primitive), space.pose(state));
        if tables.move_ticks(state, primitive).is_none()
            || start.chebyshev_distance(pose.cell) > world.settings.replan.detour_reach
        {
            return false;
        }
        let (anchor, cells) = world.occupancy.needed(&Transition { class, pose, primitive });
        if cells.iter().any(|offset| is_roadblock_at(world, row, offset.cell_from(anchor))) {
            return true;
        }
        state = tables.state_after(state, primitive);
    }
    false
}

/// Whether the agent on a cell cannot make way, and is not that in a row.
fn is_roadblock_at(world: &World, row: usize, cell: CellXY) -> bool {
    let holder = world.occupancy.holder_at(cell).and_then(|slot| world.agents.row_of_slot(slot));
    holder
        .filter(|&other| other != row)
        .is_some_and(|other| roadblocks_of(&*world.traffic).binary_search(&world.agents.ids[other]).is_ok())
}

/// Whether agents that cannot make way cover every pose that is a goal of the agent in a row.
pub(crate) fn is_goal_covered(world: &World, row: usize) -> bool {
    let roadblock_at = |cell| is_roadblock_at(world, row, cell).then_some(());
    let assigned = world.agents.assigned[row];
    match world.orders.current_trip(&world.agents.orders(row)) {
        Some((kind, _)) if kind.assigns_pose() => {
            let tables = &world.tables[usize::from(world.agents.motion[row].class.0)];
            assigned.is_some_and(|state| cover_of(tables, state, roadblock_at).is_some())
        }
        _ => cover_of_goal(world, row, roadblock_at).is_some(),
    }
}

/// An agent has asked for a path other than the cheapest: notes when it may ask for such a path again. The pause grows
/// with each in a row that was not found.
pub(crate) fn note_outcome(
    wait_state: &mut WaitState,
    params: &ReplanParams,
    tick: u32,
    route: Route,
    found: bool,
) {
    let (failures, again_at, pause) = match route {
        Route::CongestionAware => {
            (&mut wait_state.look_failures, &mut wait_state.look_again_at, params.replan_pause_ticks)
        }
        _ => (&mut wait_state.failures, &mut wait_state.ask_again_at, params.detour_pause_ticks),
    };
    *failures = if found { 0 } else { (*failures + 1).min(params.pause_doublings as u8) };
    *again_at = tick.saturating_add(pause << *failures);
}
