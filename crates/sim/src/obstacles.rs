//! Obstacles to the searches of a team: the cells of agents on hold, and of agents at rest whose teams are not friends.

use crate::agents::Agents;
use wheelbase_grid::{BitGrid, GridSize};
use wheelbase_planner::MovementTables;
use wheelbase_traffic::motion::{Activity, transition_of};
use wheelbase_traffic::teams::{Friends, Team};

/// The obstacles to each team at one tick. Memory: a bit per cell for each team that has searched among obstacles.
#[derive(Clone, Debug, Default)]
pub(crate) struct TeamObstacles {
    /// By team.
    maps: Vec<Option<BitGrid>>,
    /// Teams with a map of the present tick, a bit each.
    made: u32,
}

impl TeamObstacles {
    /// Begins a tick: no map is made yet.
    pub fn begin_tick(&mut self) {
        self.made = 0;
    }

    /// Makes the map of a team, unless there is one of this tick. Linear in the agents and their cells.
    pub fn make(
        &mut self,
        team: Team,
        size: GridSize,
        agents: &Agents,
        tables: &[MovementTables],
        friends: &Friends,
    ) {
        let bit = 1 << team.0;
        if self.made & bit != 0 {
            return;
        }
        self.made |= bit;
        if self.maps.is_empty() {
            self.maps.resize_with(Team::COUNT, || None);
        }
        let map = self.maps[usize::from(team.0)].get_or_insert_with(|| BitGrid::new(size));
        map.clear();
        mark_obstacles(map, team, agents, tables, friends);
    }

    /// The map of a team, if it was made at this tick.
    pub fn of(&self, team: Team) -> Option<&BitGrid> {
        let is_made = self.made & 1_u32.checked_shl(team.0.into()).unwrap_or(0) != 0;
        self.maps.get(usize::from(team.0))?.as_ref().filter(|_| is_made)
    }
}

/// Marks the cells of all agents that are obstacles to a team.
pub(crate) fn mark_obstacles(
    map: &mut BitGrid,
    team: Team,
    agents: &Agents,
    tables: &[MovementTables],
    friends: &Friends,
) {
    for row in (0..agents.len()).filter(|&row| is_obstacle(agents, row, team, friends)) {
        let (anchor, cells) = transition_of(tables, &agents.motion[row]).start();
        cells.iter().for_each(|offset| map.set(offset.cell_from(anchor), true));
    }
}

/// Whether the agent in a row is an obstacle to the searches of a team.
pub(crate) fn is_obstacle(agents: &Agents, row: usize, team: Team, friends: &Friends) -> bool {
    let motion = &agents.motion[row];
    motion.at_rest() && (motion.activity == Activity::Holding || !friends.are(agents.teams[row], team))
}
