//! Agents that cannot make way, as the traffic rule knows them, and the cells that they cover.

use crate::agents::Agents;
use wheelbase_grid::BitGrid;
use wheelbase_planner::MovementTables;
use wheelbase_traffic::motion::{AgentId, transition_of};
use wheelbase_traffic::{OwnRule, Traffic};

/// The agents that cannot make way, by id. A rule from outside is not asked: a replay would not have its answers.
pub(crate) fn roadblocks_of(traffic: &dyn Traffic) -> &[AgentId] {
    if OwnRule::of(traffic).is_some() { traffic.roadblocks() } else { &[] }
}

/// Marks the cells of the agents that cannot make way, but for the agent in a row.
pub(crate) fn mark_roadblocks(
    map: &mut BitGrid,
    (agents, tables): (&Agents, &[MovementTables]),
    roadblocks: &[AgentId],
    row: usize,
) {
    for other in roadblocks.iter().filter_map(|&agent| agents.row(agent)).filter(|&other| other != row) {
        let (anchor, cells) = transition_of(tables, &agents.motion[other]).start();
        cells.iter().for_each(|offset| map.set(offset.cell_from(anchor), true));
    }
}
