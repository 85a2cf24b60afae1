//! Agents that events bring, take out and send elsewhere.

use crate::events::{Chosen, NewAgents, NewOrders};
use crate::orders::OrderState;
use crate::placement::Placement;
use crate::statistics::TripStatistics;
use crate::tasks::Tasks;
use crate::world::Simulation;
use wheelbase_traffic::motion::Activity;
use wheelbase_traffic::random::Random;

/// Rows of the agents that are chosen, rising.
fn chosen_rows(sim: &Simulation, chosen: &Chosen) -> Vec<usize> {
    match chosen {
        Chosen::Named(ids) => {
            let mut rows: Vec<usize> = ids.iter().filter_map(|&id| sim.agents.row(id)).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        }
        Chosen::Area(area) => {
            (0..sim.agents.len()).filter(|&row| area.contains(sim.pose(row).cell)).collect()
        }
    }
}

/// Places agents as long as there is room; `number` is that of the event, which has random numbers of
/// its own.
pub(super) fn add_agents(sim: &mut Simulation, new: &NewAgents, number: u32) {
    let mut random = Random::of_stream(sim.settings.seed, u64::from(number));
    let mut placement = Placement::new(sim, new.class, new.area);
    for placed in 0..new.count {
        let Some(state) = placement.draw(sim, &mut random) else {
            sim.counts.not_placed += u64::from(new.count - placed);
            return;
        };
        sim.place_of_group(new.class, state, new.priority, new.orders, placed);
        if sim.log.is_some() {
            let row = sim.agents.len() - 1;
            sim.note_spawn(row);
            sim.note_orders(row, new.orders.orders);
        }
    }
}

pub(super) fn remove_agents(sim: &mut Simulation, chosen: &Chosen) {
    let rows = chosen_rows(sim, chosen);
    if rows.is_empty() {
        return;
    }
    let mut gone = vec![false; sim.agents.len()];
    rows.into_iter().for_each(|row| gone[row] = true);
    sim.remove_rows(&gone);
}

/// Gives orders in place of what is left. Those that an agent is given at one tick are one list. One in
/// mid-move ends its move first.
pub(super) fn give_orders(sim: &mut Simulation, new: &NewOrders) {
    let rows = chosen_rows(sim, &new.chosen);
    let mut replaced = vec![false; sim.agents.len()];
    for row in rows {
        sim.agents.busy.insert(row);
        let list = new.by_class[sim.agents.motion[row].class.0 as usize];
        let mut state = sim.agents.orders(row);
        if state.given == sim.tick {
            sim.orders.append(&mut state, list);
            sim.agents.set_orders(row, state);
            sim.note_orders(row, list);
            continue;
        }
        replaced[row] = true;
        sim.give_back(row);
        sim.paths.drop_path(&mut sim.agents.paths[row]);
        let motion = sim.agents.motion[row];
        let mut state = OrderState::new(list, sim.tick);
        if !motion.at_rest() {
            state.since = motion.until;
        }
        sim.agents.set_orders(row, state);
        sim.agents.set_tasks(row, Tasks::NONE);
        let finished = sim.agents.statistics(row).finished;
        sim.agents.set_statistics(row, TripStatistics { finished, ..TripStatistics::NEW });
        // It begins the first of them in the orders phase, at rest.
        let motion = &mut sim.agents.motion[row];
        motion.activity = Activity::Idle;
        motion.replan = false;
        let patience = &mut sim.agents.patience[row];
        (patience.failures, patience.look_failures) = (0, 0);
        (patience.ask_again_at, patience.look_again_at) = (sim.tick, sim.tick);
        sim.note_orders(row, list);
    }
    let Simulation { requests, agents, .. } = sim;
    requests.forget_where(|agent| agents.row(agent).is_some_and(|row| replaced[row]));
}
