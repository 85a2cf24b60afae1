//! Agents that events bring, take out and send elsewhere.

use crate::events::{Chosen, NewAgents, NewOrders};
use crate::orders::OrderState;
use crate::placement::Placement;
use crate::statistics::TripStatistics;
use crate::tasks::Tasks;
use crate::world::World;
use wheelbase_traffic::motion::Activity;
use wheelbase_traffic::random::Random;

/// Rows of the agents that are chosen, rising.
fn chosen_rows(world: &World, chosen: &Chosen) -> Vec<usize> {
    match chosen {
        Chosen::Named(ids) => {
            let mut rows: Vec<usize> = ids.iter().filter_map(|&id| world.agents.row(id)).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        }
        Chosen::Area(area) => {
            (0..world.agents.len()).filter(|&row| area.contains(world.pose(row).cell)).collect()
        }
    }
}

/// Places agents as long as there is room; `number` is that of the event, which has random numbers of
/// its own.
pub(super) fn add_agents(world: &mut World, new: &NewAgents, number: u32) {
    let mut random = Random::of_stream(world.settings.seed, u64::from(number));
    let mut placement = Placement::new(world, new.class, new.area);
    for placed in 0..new.count {
        let Some(state) = placement.draw(world, &mut random) else {
            world.counts.not_placed += u64::from(new.count - placed);
            return;
        };
        world.place_of_group(new.class, state, new.priority, new.orders, placed);
        if world.log.is_some() {
            let row = world.agents.len() - 1;
            world.note_spawn(row);
            world.note_orders(row, new.orders.orders);
        }
    }
}

pub(super) fn remove_agents(world: &mut World, chosen: &Chosen) {
    let rows = chosen_rows(world, chosen);
    if rows.is_empty() {
        return;
    }
    let mut gone = vec![false; world.agents.len()];
    rows.into_iter().for_each(|row| gone[row] = true);
    world.remove_rows(&gone);
}

/// Gives orders in place of what is left. Those that an agent is given at one tick are one list. One in
/// mid-move ends its move first.
pub(super) fn give_orders(world: &mut World, new: &NewOrders) {
    let rows = chosen_rows(world, &new.chosen);
    let mut replaced = vec![false; world.agents.len()];
    for row in rows {
        world.agents.busy.insert(row);
        let list = new.by_class[world.agents.motion[row].class.0 as usize];
        let mut state = world.agents.orders(row);
        if state.given == world.tick {
            world.orders.append(&mut state, list);
            world.agents.set_orders(row, state);
            world.note_orders(row, list);
            continue;
        }
        replaced[row] = true;
        world.give_back(row);
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
        // It begins the first of them in the orders phase, at rest.
        let motion = &mut world.agents.motion[row];
        motion.activity = Activity::Idle;
        motion.replan = false;
        let wait_state = &mut world.agents.wait_states[row];
        (wait_state.failures, wait_state.look_failures) = (0, 0);
        (wait_state.ask_again_at, wait_state.look_again_at) = (world.tick, world.tick);
        world.note_orders(row, list);
    }
    let World { requests, agents, .. } = world;
    requests.forget_where(|agent| agents.row(agent).is_some_and(|row| replaced[row]));
}
