//! Legs of routes: graphs for the searches, requests for next legs, and their answers.

use crate::agents::Agents;
use crate::class::WorldClass;
use crate::commands::Command;
use crate::counts::Counts;
use crate::leg::Leg;
use crate::requests::{PathRequest, Requests, Route, SlotLeg, end_of_path};
use crate::route_mode::RouteMode;
use crate::world::{Settings, World};
use wheelbase_planner::{MovementTables, Path};
use wheelbase_traffic::motion::Activity;

/// Moves left of a leg from which on the next one is asked for.
const ASK_MOVES: usize = 64;

/// By class: whether its graph is made before the first tick, by [`RouteMode::Abstract`]. So it is for classes of
/// agents that are present, or named by commands for later ticks. The graph of another class is made for its first
/// request.
pub(crate) fn early_graphs(world: &World) -> Vec<bool> {
    let mut is_early = vec![false; world.classes.len()];
    if !world.traffic.needs_paths() || world.settings.replan.route_mode() != RouteMode::Abstract {
        return is_early;
    }
    let present = world.agents.motion.iter().map(|motion| motion.class);
    let placed = world.commands.later().filter_map(|(_, _, command)| match command {
        Command::Spawn(spawn) => Some(spawn.class),
        Command::SpawnGroup(group) => Some(group.class),
        Command::Class { class, .. } => Some(*class),
        _ => None,
    });
    for class in present.chain(placed) {
        // A command may name an unknown class.
        if let Some(is_early) = is_early.get_mut(usize::from(class.0)) {
            *is_early = true;
        }
    }
    is_early
}

/// Makes the graphs of some classes.
pub(crate) fn make_early_graphs(classes: &mut [WorldClass], tables: &[MovementTables], is_early: Vec<bool>) {
    for ((class, tables), _) in classes.iter_mut().zip(tables).zip(is_early).filter(|(_, is_early)| *is_early)
    {
        class.graph.finish(tables);
    }
}

/// Makes the graphs that searches which begin now need. When a graph is made changes no answer.
pub(crate) fn make_graphs(
    classes: &mut [WorldClass],
    (requests, agents, tables): (&Requests, &Agents, &[MovementTables]),
) {
    for slot in requests.slots.iter().filter(|slot| !slot.state.begun && slot.state.goes_abstract) {
        if let Some(row) = slot.state.request.and_then(|asked| agents.row(asked.agent)) {
            let class = usize::from(agents.motion[row].class.0);
            classes[class].graph.finish(&tables[class]);
        }
    }
}

/// By [`RouteMode::Auto`], makes some clusters of graphs that pay, for as many expansions as the budget of path
/// requests.
pub(crate) fn extend_graphs(classes: &mut [WorldClass], tables: &[MovementTables], settings: &Settings) {
    if settings.replan.route_mode() == RouteMode::Auto {
        let mut left = settings.expansions_per_tick;
        for (class, tables) in classes.iter_mut().zip(tables) {
            if left > 0 {
                left = class.graph.extend(tables, left);
            }
        }
    }
}

/// Asks for the leg after the current one of the agent in a row, if it ends soon. Returns whether it does.
pub(crate) fn ask_for_next_leg(agents: &mut Agents, requests: &mut Requests, row: usize, tick: u32) -> bool {
    let (leg, path) = (agents.legs[row], agents.paths[row]);
    if !leg.is_some() || leg.asked || path.is_empty() || path.len() > ASK_MOVES {
        return false;
    }
    requests.push(PathRequest {
        agent: agents.ids[row],
        issued: tick,
        priority: agents.wait_states[row].priority,
        route: Route::NextLeg,
        least_ticks: 0,
    });
    agents.set_leg(row, Leg { asked: true, ..leg });
    true
}

/// Whether the agent in a row, at the end of its leg, has asked for the next one. The request then is one for its path,
/// and keeps its age.
pub(crate) fn await_next_leg(agents: &mut Agents, requests: &mut Requests, row: usize) -> bool {
    if !agents.legs[row].asked || !agents.paths[row].is_empty() {
        return false;
    }
    let awaits = requests.await_next_leg(agents.ids[row]);
    if awaits {
        agents.set_leg(row, Leg { asked: false, ..agents.legs[row] });
        agents.set_activity(row, Activity::AwaitingPath);
        agents.motion[row].replan = false;
    }
    awaits
}

/// Withdraws the request for the next leg of the agent in a row, which asks for another path or ends its trip.
pub(crate) fn forget_next_leg(agents: &mut Agents, requests: &mut Requests, row: usize) {
    let leg = agents.legs[row];
    if leg.asked {
        requests.forget(agents.ids[row]);
        agents.set_leg(row, Leg { asked: false, ..leg });
    }
}

/// Appends a path to the current leg of the agent in a row. Returns whether the path continues the leg.
pub(crate) fn append_leg(world: &mut World, row: usize, path: &Path) -> bool {
    let inputs = world.search_inputs();
    let in_hand = world.agents.moves(row);
    let end = end_of_path(inputs, row, in_hand).map(|end| inputs.tables(row).space().pose(end));
    if end.is_none() || end != path.poses.first().map(|first| first.pose) {
        return false;
    }
    let mut joined = std::mem::take(&mut world.tick_buffers.joined_moves);
    joined.clear();
    joined.extend_from_slice(in_hand);
    joined.extend_from_slice(&path.moves);
    world.set_path(row, &joined);
    world.tick_buffers.joined_moves = joined;
    // It is longer than the current leg, and no farther from the goal.
    world.agents.progress[row].forget_nearest();
    true
}

/// Notes what the current path of an agent is: a leg, or a path to its goal.
pub(crate) fn note_leg(agents: &mut Agents, counts: &mut Counts, row: usize, leg: Option<SlotLeg>) {
    *(if leg.is_some() { &mut counts.routes_abstract } else { &mut counts.routes_exact }) += 1;
    let leg = leg.map_or(Leg::NONE, |leg| Leg {
        route_ticks: leg.route_ticks,
        rest_ticks: leg.rest_ticks,
        is_near: leg.is_near,
        asked: false,
    });
    agents.set_leg(row, leg);
}
