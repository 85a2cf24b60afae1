//! What searches for paths read of a world, and the request that an agent's order makes.

use super::request::{PathRequest, Route};
use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::class::WorldClass;
use crate::congestion::Congestion;
use crate::obstacles::TeamObstacles;
use crate::order_pool::OrderPool;
use crate::orders::OrderKind;
use crate::replan_params::ReplanParams;
use crate::trip::Trip;
use wheelbase_planner::abstraction::Abstraction;
use wheelbase_planner::model::State;
use wheelbase_planner::search::cost_lower_bound_of;
use wheelbase_planner::{Goal, MovementTables, Pose, Request};
use wheelbase_traffic::motion::{AgentId, AgentSlot, ClassId};
use wheelbase_traffic::occupancy::Occupancy;

/// Inputs of a search for a cheapest path.
#[derive(Clone, Copy)]
pub(crate) struct SearchInputs<'a> {
    pub agents: &'a Agents,
    pub classes: &'a [WorldClass],
    pub tables: &'a [MovementTables],
    pub orders: &'a OrderPool,
}

impl<'a> SearchInputs<'a> {
    fn class(self, row: usize) -> &'a WorldClass {
        &self.classes[self.agents.motion[row].class.0 as usize]
    }

    /// Abstract graph of an agent's class, if it is complete.
    pub fn graph(self, row: usize) -> Option<&'a Abstraction> {
        self.class(row).graph.complete()
    }

    pub fn tables(self, row: usize) -> &'a MovementTables {
        &self.tables[self.agents.motion[row].class.0 as usize]
    }

    /// Current order and trip of an agent, and the request for the cheapest path from a state to its goal.
    pub fn cheapest(self, row: usize, from: State) -> Option<(&'a OrderKind, &'a Trip, Request<'a>)> {
        let state = &self.agents.orders(row);
        let (kind, trip) = self.orders.current_trip(state)?;
        let class = self.class(row);
        let goal = kind.goal(trip, state.waypoint);
        let request = Request {
            heuristic: class.heuristic(),
            fallback: trip.fallback,
            ..Request::new(self.tables(row).space().pose(from), goal)
        };
        Some((kind, trip, request))
    }
}

/// Inputs of a search for any path.
pub(crate) struct SearchContext<'a> {
    pub search_inputs: SearchInputs<'a>,
    pub occupancy: &'a Occupancy,
    pub assigned_poses: &'a AssignedPoses,
    pub congestion: &'a Congestion,
    pub params: &'a ReplanParams,
    /// Agents that the searches of each team take for obstacles.
    pub obstacles: &'a TeamObstacles,
    /// Agents that cannot make way, by id.
    pub roadblocks: &'a [AgentId],
}

impl SearchContext<'_> {
    /// Where the current path of an agent leaves the reach of penalties, or where a leg ends. Gives the number of moves
    /// up to there, and the state. `None` if a path to the goal ends before.
    pub fn leaves_penalties(&self, row: usize) -> Option<(usize, State)> {
        let agents = self.search_inputs.agents;
        let tables = self.search_inputs.tables(row);
        let space = tables.space();
        let mut state = agents.motion[row].state;
        let penalties = self.congestion.around(agents.motion[row].class, space.pose(state).cell);
        for (at, &primitive) in agents.moves(row).iter().enumerate() {
            if !penalties.reach(space.pose(state).cell) {
                return Some((at, state));
            }
            tables.move_ticks(state, usize::from(primitive))?;
            state = tables.state_after(state, usize::from(primitive));
        }
        agents.legs[row].is_some().then(|| (agents.moves(row).len(), state))
    }

    /// Whether a legal pose overlaps neither a resting agent nor an assigned pose, other than the agent's own.
    pub fn is_free(&self, row: usize, pose: Pose) -> bool {
        let agents = self.search_inputs.agents;
        let slot = agents.slots[row];
        let cells = self.search_inputs.tables(row).class().cells_at(pose);
        let rests = |other: AgentSlot| {
            other != slot && agents.row_of_slot(other).is_some_and(|row| agents.motion[row].at_rest())
        };
        self.assigned_poses.is_free(slot, pose.cell, cells)
            && cells.iter().all(|o| {
                let cell = o.cell_from(pose.cell);
                !self.occupancy.holder_at(cell).is_some_and(rests)
            })
    }
}

/// Lower bound in ticks of the path from a resting agent to the goal of its current order; 0 where none is known.
pub(crate) fn least_ticks(search_inputs: SearchInputs<'_>, row: usize) -> u32 {
    let request = search_inputs.cheapest(row, search_inputs.agents.motion[row].state);
    request.map_or(0, |(.., request)| cost_lower_bound_of(search_inputs.tables(row), &request))
}

/// Class and goal of a request that a cost field can answer: for a cheapest path, and not to an assigned pose.
pub(crate) fn shared_goal<'a>(
    agents: &Agents,
    orders: &'a OrderPool,
    asked: PathRequest,
    row: usize,
) -> Option<(ClassId, Goal<'a>)> {
    let state = &agents.orders(row);
    let (kind, goal) = orders.current_goal(state)?;
    let by_members = asked.route == Route::Cheapest && !kind.assigns_pose() && kind.leader().is_none();
    by_members.then(|| (agents.motion[row].class, goal))
}
