//! The sizes of what a world keeps by agent, order and request, counted again from the agents.

use crate::orders::OrderKind;
use crate::requests::Route;
use crate::world::World;
use std::collections::BTreeSet;
use wheelbase_traffic::motion::Activity;

/// Sizes of the pools of a world. None of them grows with the number of agents that have come and gone, or of orders
/// and requests that were dealt with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolSizes {
    /// Agents present, and their entities.
    pub agents: usize,
    /// As many as [`PoolSizes::agents`], unless game code has spawned other entities.
    pub entities: usize,
    /// Agent slots: the most agents ever present together.
    pub agent_slots: usize,
    /// Lists of orders in use, stored lists queued behind others, tasks, and trips behind leaders.
    pub orders: [usize; 4],
    /// Path requests without an answer.
    pub requests: usize,
    /// Agents that watch a leader, and agents that others obstruct.
    pub followers: usize,
    /// Agents that keep an order though others obstruct it.
    pub obstructed: usize,
    /// Agents with an assigned pose.
    pub assigned: usize,
    /// Class changes and edits that wait.
    pub waiting: [usize; 2],
    /// Goals around which groups stand: at most a few more than twice those in use.
    pub group_centres: usize,
}

/// The sizes of the pools of a world.
pub fn pool_sizes(world: &World) -> PoolSizes {
    let agents = &world.agents;
    PoolSizes {
        agents: agents.len(),
        entities: agents.entities().len() as usize,
        agent_slots: agents.n_slots(),
        orders: world.orders.in_use(),
        requests: world.requests.open(),
        followers: world.followers.len(),
        obstructed: world.obstructed.len(),
        assigned: agents.assigned.iter().flatten().count(),
        waiting: [world.class_changes.len(), world.pending_edits.len()],
        group_centres: world.group_goals.n_centres(),
    }
}

/// Whether the pools hold what agents refer to, and nothing else but what the last tick has given up.
/// # Errors
/// The first difference, in words.
pub fn check_pools(world: &World) -> Result<(), String> {
    let (sizes, agents) = (pool_sizes(world), &world.agents);
    let states: Vec<_> = agents.all_orders().map(|(_, _, state)| state).collect();
    world.orders.check(&states)?;
    if let Some(agent) = world.followers.iter().find(|&&agent| agents.row(agent).is_none()) {
        return Err(format!("{agent:?} follows, but is gone"));
    }
    let in_slots = world.requests.slots.iter().filter_map(|slot| slot.state.request.as_ref());
    let mut asking = BTreeSet::new();
    for request in world.requests.queued().iter().chain(in_slots) {
        let activity = agents.row(request.agent).map(|row| agents.motion[row].activity);
        let asks = match request.route {
            Route::NextLeg => agents.row(request.agent).is_some_and(|row| agents.legs[row].asked),
            _ => activity == Some(Activity::AwaitingPath),
        };
        if !asks || !asking.insert(request.agent) {
            return Err(format!("{request:?} of an agent that is {activity:?}, or its second"));
        }
    }
    for row in 0..agents.len() {
        let agent = agents.ids[row];
        let waits_for_pose = || {
            let group = world.orders.kind(&agents.orders(row)).and_then(OrderKind::group);
            group.is_some() && agents.assigned[row].is_none()
        };
        let awaits = agents.motion[row].activity == Activity::AwaitingPath;
        if awaits && !asking.contains(&agent) && !waits_for_pose() {
            return Err(format!("{agent:?} waits for a path that it has not asked for"));
        }
    }
    if sizes.entities < sizes.agents || sizes.agent_slots < sizes.agents {
        return Err(format!("{sizes:?}"));
    }
    Ok(())
}
