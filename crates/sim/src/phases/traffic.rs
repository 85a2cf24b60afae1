//! The traffic phase: who may start a move, who asks for a way around, who makes way.

use crate::log::TraceEvent;
use crate::order_life::{ask_for_path, refuse};
use crate::orders::OrderState;
use crate::requests::{Route, SearchInputs};
use crate::world::World;
use wheelbase_grid::CellXY;
use wheelbase_planner::Status;
use wheelbase_traffic::motion::{Activity, Motion};
use wheelbase_traffic::{Decisions, Leads, Start, TrafficView, Transition};

/// The traffic phase: who may start a move, who asks for a way around, who makes way.
pub(crate) fn run_traffic(world: &mut World) {
    let mut decisions = std::mem::take(&mut world.decisions);
    decisions.clear();
    let mut goals = std::mem::take(&mut world.goals);
    gather_goals(world, &mut goals);
    let view = TrafficView {
        tick: world.tick,
        tries: world.settings.tries_per_tick,
        grid_size: world.grid.size(),
        tables: &world.tables,
        agents: world.agents.view(&goals),
        paths: &world.paths,
        forbidden: world.pending.areas(),
        flow: world.congestion.flow(),
        edited: &world.edited,
        refused: &world.refused_rows,
        occupancy: &world.occupancy,
    };
    let search_inputs = SearchInputs {
        agents: &world.agents,
        classes: &world.classes,
        tables: &world.tables,
        orders: &world.orders,
    };
    let budget = world.settings.expansions_per_tick;
    world.requests.go_ahead_beside(search_inputs, budget, || world.traffic.decide(&view, &mut decisions));
    world.edited.clear();
    world.goals = goals;
    wake(world, &decisions);
    replace_paths(world, &decisions);
    begin_moves(world, &mut decisions.starts);
    for &row in &decisions.replan {
        let motion = &mut world.agents.motion[row as usize];
        motion.replan = motion.activity == Activity::Following;
    }
    for &row in &decisions.unreachable {
        refuse(world, row as usize, Status::Unreachable);
    }
    for &row in &decisions.around {
        if world.agents.motion[row as usize].activity == Activity::Following {
            ask_for_path(world, row as usize, Route::AroundResting);
        }
    }
    for &row in &decisions.give_up {
        world.paths.drop_path(&mut world.agents.paths[row as usize]);
        world.agents.wait_states[row as usize].ask_again_at = world.tick;
    }
    world.decisions = decisions;
}

/// The cell of the present task of each agent, for a rule that finds ways by itself.
fn gather_goals(world: &World, goals: &mut Vec<Option<CellXY>>) {
    goals.clear();
    if !world.traffic.needs_paths() {
        let goal = |row| world.orders.task(&world.agents.orders(row)).map(|goal| goal.cell);
        goals.extend((0..world.agents.len()).map(goal));
    }
}

/// Agents of which anything is decided are visited from now on.
fn wake(world: &mut World, decisions: &Decisions) {
    let Decisions { starts, replan, unreachable, around, give_up, reroutes, .. } = decisions;
    let n_agents = world.agents.len();
    let moved = starts.iter().map(|start| start.row).chain(reroutes.iter().map(|reroute| reroute.row));
    let others = [replan, unreachable, around, give_up].into_iter().flatten().copied();
    // A start may be of no agent at all: it is dropped below.
    world.agents.busy.extend(moved.chain(others).map(|row| row as usize).filter(|&row| row < n_agents));
}

/// Gives agents the paths that traffic has made for them.
fn replace_paths(world: &mut World, decisions: &Decisions) {
    for reroute in &decisions.reroutes {
        let row = reroute.row as usize;
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        world.paths.replace(&mut world.agents.paths, row, moves);
        world.note_path(row);
        world.agents.motion[row].replan = false;
        match reroute.leads {
            Leads::On => {}
            // Its end is no goal, not even the nearest pose to one.
            Leads::Off => {
                let state = world.agents.orders(row);
                world.agents.set_orders(row, OrderState { to_nearest: false, ..state });
            }
            Leads::Aside => {
                // What it asked for is void: it will not be where it asked from.
                world.requests.forget(world.agents.ids[row]);
                world.agents.motion[row].activity = Activity::Yielding;
            }
        }
    }
}

/// Begins the moves that the rule of traffic would have started, as far as they fit together.
fn begin_moves(world: &mut World, starts: &mut Vec<Start>) {
    let n_asked = starts.len();
    drop_impossible(world, starts);
    let World { occupancy, agents, tables, refused, refused_rows, tick, .. } = world;
    let move_of = |number: usize| {
        let Start { row, primitive, ticks } = starts[number];
        let motion = &agents.motion[row as usize];
        let tables = &tables[motion.class.0 as usize];
        let pose = tables.space().pose(motion.state);
        let step = Transition { class: tables.class(), pose, primitive: usize::from(primitive) };
        (agents.ids[row as usize], step, tick.saturating_add(ticks))
    };
    occupancy.begin(starts.len(), move_of, refused);
    refused_rows.clear();
    refused_rows.extend(refused.iter().map(|refusal| starts[refusal.number as usize].row));
    let n_impossible = n_asked - starts.len();
    world.counts.moves_refused += (n_impossible + world.refused_rows.len()) as u64;
    for start in starts.iter() {
        if world.refused_rows.is_empty() || !world.refused_rows.contains(&start.row) {
            begin_move(world, *start);
        }
    }
}

/// Drops what no agent can do: a move of one in mid-move or of one that has been told already, one that is
/// not legal or takes another time, or that is not the next of the agent's path.
fn drop_impossible(world: &mut World, starts: &mut Vec<Start>) {
    let World { agents, tables, paths, told_at, tick, .. } = world;
    told_at.resize(agents.len(), u32::MAX);
    starts.retain(|&Start { row, primitive, ticks }| {
        let Some(motion) = agents.motion.get(row as usize) else { return false };
        let was_told = std::mem::replace(&mut told_at[row as usize], *tick) == *tick;
        let tables = &tables[motion.class.0 as usize];
        let (primitive, n_primitives) = (usize::from(primitive), tables.class().primitives().len());
        let next = paths.moves(agents.paths[row as usize]).first().map(|&next| usize::from(next));
        motion.at_rest()
            && !was_told
            && next.is_none_or(|next| next == primitive)
            && primitive < n_primitives
            && tables.move_ticks(motion.state, primitive) == Some(ticks)
    });
}

/// Begins a move of an agent, the next one of its path if it has one; its cells are its own already.
fn begin_move(world: &mut World, Start { row, primitive, ticks }: Start) {
    let row = row as usize;
    let path = &mut world.agents.paths[row];
    if !path.is_empty() {
        world.paths.advance(path);
    }
    let until = world.tick.saturating_add(ticks).min(Motion::AT_REST - 1);
    let motion = &mut world.agents.motion[row];
    motion.primitive = primitive;
    motion.until = until;
    let (class, state) = (motion.class, motion.state);
    let wait_state = &mut world.agents.wait_states[row];
    wait_state.waits_since = u32::MAX;
    // It began in a legal pose, and ends in one.
    wait_state.stranded = false;
    world.counts.moves += 1;
    let tables = &world.tables[class.0 as usize];
    let from = tables.space().pose(state);
    let to = tables.space().pose(tables.state_after(state, primitive as usize));
    // One that is alone keeps out of nobody's way.
    if world.traffic.needs_paths() && world.agents.len() > 1 {
        let body = tables.class().cells_at(to).iter();
        let cells = body.map(|offset| offset.cell_from(to.cell));
        world.congestion.count_move(class, (from.cell, to.cell), cells);
    }
    if world.log.is_some() {
        world.note(TraceEvent::Move { agent: world.agents.ids[row], class, primitive, from, to, until });
    }
}
