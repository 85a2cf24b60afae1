//! What poses of a group are chosen from.

use crate::agents::Agents;
use crate::given_poses::GivenPoses;
use crate::orders::OrderPool;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;
use wheelbase_traffic::occupancy::Occupancy;

/// The agents, their orders, and what they hold and have been given.
#[derive(Clone, Copy)]
pub(crate) struct GroupView<'a> {
    /// The present tick.
    pub tick: u32,
    /// Size of the map.
    pub size: GridSize,
    pub agents: &'a Agents,
    pub orders: &'a OrderPool,
    pub tables: &'a [MovementTables],
    pub given: &'a GivenPoses,
    pub occupancy: &'a Occupancy,
}
