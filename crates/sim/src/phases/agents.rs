//! Events that add agents, remove them, or give them new orders.

use crate::events::{AgentSelection, NewAgents, NewOrders};
use crate::orders::OrderState;
use crate::placement::Placement;
use crate::statistics::TripStatistics;
use crate::tasks::Tasks;
use crate::world::World;
use wheelbase_traffic::motion::Activity;
use wheelbase_traffic::random::Random;

/// Rows of the selected agents, rising.
fn selected_rows(world: &World, selection: &AgentSelection) -> Vec<usize> {
    match selection {
        AgentSelection::Named(ids) => {
            let mut rows: Vec<usize> = ids.iter().filter_map(|&id| world.agents.row(id)).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        }
        AgentSelection::Area(area) => {
            (0..world.agents.len()).filter(|&row| area.contains(world.pose(row).cell)).collect()
        }
    }
}

/// Places agents while there is room. `number` is that of the event, which has a random stream of its own.
pub(super) fn add_agents(world: &mut World, new: &NewAgents, number: u32) {
    let mut random = Random::of_stream(world.settings.seed, u64::from(number));
    let mut placement = Placement::new(world, new.class, new.area);
    for placed in 0..new.count {
        let Some(state) = placement.draw(world, &mut random) else {
            world.counts.not_placed += u64::from(new.count - placed);
            return;
        };
        world.place_group_member(new.class, state, new.priority, new.orders, placed);
        if world.log.is_some() {
            let row = world.agents.len() - 1;
            world.log_spawn(row);
            world.log_orders(row, new.orders.orders);
        }
    }
}

pub(super) fn remove_agents(world: &mut World, selection: &AgentSelection) {
    let rows = selected_rows(world, selection);
    if rows.is_empty() {
        return;
    }
    let mut removed = vec![false; world.agents.len()];
    rows.into_iter().for_each(|row| removed[row] = true);
    world.remove_rows(&removed);
}

/// Replaces the open orders of agents. Orders given to an agent at the same tick form one list. An agent in mid-move
/// ends its move first.
pub(super) fn give_orders(world: &mut World, new: &NewOrders) {
    let rows = selected_rows(world, &new.agents);
    let mut replaced = vec![false; world.agents.len()];
    for row in rows {
        world.agents.busy.insert(row);
        let list = new.by_class[world.agents.motion[row].class.0 as usize];
        let mut state = world.agents.orders(row);
        if state.given == world.tick {
            world.orders.append(&mut state, list);
            world.agents.set_orders(row, state);
            world.log_orders(row, list);
            continue;
        }
        replaced[row] = true;
        world.release_pose(row);
        world.paths.drop_path(&mut world.agents.paths[row]);
        let motion = world.agents.motion[row];
        let mut state = OrderState::new(list, world.tick);
        if !motion.at_rest() {
            state.since = motion.until;
        }
        world.agents.set_orders(row, state);
        world.agents.set_tasks(row, Tasks::NONE);
        let finished = world.agents.statistics(row).finished;
        world.agents.set_statistics(row, TripStatistics { finished, ..TripStatistics::NEW });
        // The orders phase begins the first of them once the agent rests.
        let motion = &mut world.agents.motion[row];
        motion.activity = Activity::Idle;
        motion.replan = false;
        let wait_state = &mut world.agents.wait_states[row];
        (wait_state.failures, wait_state.look_failures) = (0, 0);
        (wait_state.ask_again_at, wait_state.look_again_at) = (world.tick, world.tick);
        world.log_orders(row, list);
    }
    let World { requests, agents, .. } = world;
    requests.forget_where(|agent| agents.row(agent).is_some_and(|row| replaced[row]));
}
