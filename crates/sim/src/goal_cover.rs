//! What covers the poses of a goal.

use crate::goal_poses::poses_of;
use crate::order_pool::current_goal;
use crate::world::World;
use wheelbase_grid::CellXY;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// What covers a pose: the first that `at` finds on a cell of the body.
pub(crate) fn cover_of<T>(
    tables: &MovementTables,
    state: State,
    at: impl Fn(CellXY) -> Option<T>,
) -> Option<T> {
    let pose = tables.space().pose(state);
    tables.class().cells_at(pose).iter().find_map(|offset| at(offset.cell_from(pose.cell)))
}

/// What covers the first pose of the goal of the agent in a row, if something covers each of them; `None` for a goal with a
/// radius.
pub(crate) fn cover_of_goal<T>(world: &World, row: usize, at: impl Fn(CellXY) -> Option<T>) -> Option<T> {
    let tables = &world.tables[usize::from(world.agents.motion[row].class.0)];
    let state = world.agents.orders(row);
    let (kind, trip) = world.orders.current_trip(&state)?;
    let goal = current_goal(trip, kind, &state);
    let poses = goal.members.iter().flat_map(|&goal| poses_of(tables, goal));
    let mut covers = poses.map(|state| cover_of(tables, state, &at));
    let first = covers.next()?;
    first.filter(|_| goal.within == 0 && covers.all(|found| found.is_some()))
}
