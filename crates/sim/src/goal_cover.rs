//! What covers the poses of a goal, and which agents keep others from it.

use crate::goal_poses::poses_of;
use crate::obstacles::is_obstacle;
use crate::world::World;
use wheelbase_grid::CellXY;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;
use wheelbase_traffic::motion::AgentId;

/// The occupant that covers a pose: the first that `at` finds on a cell of the body.
pub(crate) fn cover_of<T>(
    tables: &MovementTables,
    state: State,
    at: impl Fn(CellXY) -> Option<T>,
) -> Option<T> {
    let pose = tables.space().pose(state);
    tables.class().cells_at(pose).iter().find_map(|offset| at(offset.cell_from(pose.cell)))
}

/// The cover of the first pose of the goal of the agent in a row, if each pose is covered. `None` for a goal with a
/// radius.
pub(crate) fn cover_of_goal<T>(world: &World, row: usize, at: impl Fn(CellXY) -> Option<T>) -> Option<T> {
    let tables = &world.tables[usize::from(world.agents.motion[row].class.0)];
    let state = world.agents.orders(row);
    let (_, goal) = world.orders.current_goal(&state)?;
    let poses = goal.members.iter().flat_map(|&goal| poses_of(tables, goal));
    let mut covers = poses.map(|state| cover_of(tables, state, &at));
    let first = covers.next()?;
    first.filter(|_| goal.within == 0 && covers.all(|found| found.is_some()))
}

/// The agent on a cell, if it is an obstacle to the agent in a row.
pub(crate) fn obstacle_at(world: &World, row: usize, at: CellXY) -> Option<AgentId> {
    let other = world.agents.row_of_slot(world.occupancy.holder_at(at)?)?;
    let is_obstacle = is_obstacle(&world.agents, other, world.agents.teams[row], &world.friends);
    (other != row && is_obstacle).then_some(world.agents.ids[other])
}

/// An obstacle that holds the goal of the agent in a row. It is on a pose of the goal if such agents cover all poses,
/// or in the area of an order to an area.
pub(crate) fn blocker_of(world: &World, row: usize) -> Option<AgentId> {
    let state = world.agents.orders(row);
    if let Some(area) = world.orders.kind(&state)?.area() {
        let cells = area.intersection(world.grid.size().rect()).cells();
        return cells.into_iter().find_map(|cell| obstacle_at(world, row, cell));
    }
    cover_of_goal(world, row, |at| obstacle_at(world, row, at))
}
