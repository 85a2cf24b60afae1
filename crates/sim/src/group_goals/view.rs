//! What the choice of a group's poses reads of a world.

use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::order_pool::OrderPool;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;
use wheelbase_traffic::occupancy::Occupancy;

/// The agents, their orders, and the cells that they hold and that are assigned to them.
#[derive(Clone, Copy)]
pub(crate) struct GroupView<'a> {
    /// The current tick.
    pub tick: u32,
    /// Size of the map.
    pub size: GridSize,
    pub agents: &'a Agents,
    pub orders: &'a OrderPool,
    pub tables: &'a [MovementTables],
    pub assigned_poses: &'a AssignedPoses,
    pub occupancy: &'a Occupancy,
}
