//! The traffic phase: the traffic rule decides which agents start moves, request detours and yield.

use crate::log::TraceEvent;
use crate::order_life::{refuse, request_path};
use crate::orders::OrderState;
use crate::requests::{Route, SearchInputs};
use crate::traffic_buffers::TrafficBuffers;
use crate::world::World;
use wheelbase_grid::CellXY;
use wheelbase_planner::Status;
use wheelbase_traffic::motion::{Activity, Motion};
use wheelbase_traffic::{Decisions, Leads, Start, TrafficView, Transition};

/// The traffic phase of a tick: asks the traffic rule and carries out its decisions.
pub(crate) fn run_traffic(world: &mut World) {
    let mut buffers = std::mem::take(&mut world.traffic_buffers);
    gather_goals(world, &mut buffers.goals);
    decide(world, &mut buffers);
    buffers.edited.clear();
    wake(world, &buffers.decisions);
    replace_paths(world, &buffers.decisions);
    begin_moves(world, &mut buffers);
    let Decisions { replan, unreachable, around, give_up, .. } = &buffers.decisions;
    for &row in replan {
        let motion = &mut world.agents.motion[row as usize];
        motion.replan = motion.activity == Activity::Following;
    }
    for &row in unreachable {
        refuse(world, row as usize, Status::Unreachable);
    }
    for &row in around {
        if world.agents.motion[row as usize].activity == Activity::Following {
            request_path(world, row as usize, Route::Detour);
        }
    }
    for &row in give_up {
        world.paths.drop_path(&mut world.agents.paths[row as usize]);
        world.agents.wait_states[row as usize].ask_again_at = world.tick;
    }
    world.traffic_buffers = buffers;
}

/// Cells of the current tasks, for a rule that finds paths itself.
fn gather_goals(world: &World, goals: &mut Vec<Option<CellXY>>) {
    goals.clear();
    if !world.traffic.needs_paths() {
        let goal = |row| world.orders.task(&world.agents.orders(row)).map(|goal| goal.cell);
        goals.extend((0..world.agents.len()).map(goal));
    }
}

/// Has the rule decide, while idle workers advance searches in progress.
fn decide(world: &mut World, buffers: &mut TrafficBuffers) {
    let TrafficBuffers { decisions, goals, edited, refused_rows, .. } = buffers;
    decisions.clear();
    let World { requests, traffic, agents, classes, tables, orders, paths, .. } = world;
    let view = TrafficView {
        tick: world.tick,
        tries: world.settings.tries_per_tick,
        grid_size: world.grid.size(),
        tables,
        agents: agents.view(goals),
        paths,
        forbidden: world.pending_edits.areas(),
        flow: world.congestion.flow(),
        edited,
        refused: refused_rows,
        occupancy: &world.occupancy,
    };
    let search_inputs = SearchInputs { agents, classes, tables, orders };
    let budget = world.settings.expansions_per_tick;
    requests.search_ahead_during(search_inputs, budget, || traffic.decide(&view, decisions));
}

/// Adds the agents of all decisions to the rows that ticks visit.
fn wake(world: &mut World, decisions: &Decisions) {
    let Decisions { starts, replan, unreachable, around, give_up, reroutes, .. } = decisions;
    let n_agents = world.agents.len();
    let moved = starts.iter().map(|start| start.row).chain(reroutes.iter().map(|reroute| reroute.row));
    let others = [replan, unreachable, around, give_up].into_iter().flatten().copied();
    // The row of a start can be out of range; such a start is dropped below.
    world.agents.busy.extend(moved.chain(others).map(|row| row as usize).filter(|&row| row < n_agents));
}

/// Gives agents the paths that the rule has made for them.
fn replace_paths(world: &mut World, decisions: &Decisions) {
    for reroute in &decisions.reroutes {
        let row = reroute.row as usize;
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        world.paths.replace(&mut world.agents.paths, row, moves);
        world.log_path(row);
        world.agents.motion[row].replan = false;
        match reroute.leads {
            Leads::On => {}
            // It ends at no goal, nor at the pose nearest to one.
            Leads::Off => {
                let state = world.agents.orders(row);
                world.agents.set_orders(row, OrderState { to_nearest: false, ..state });
            }
            Leads::Aside => {
                // Its request is void: the agent leaves the pose that it was made from.
                world.requests.forget(world.agents.ids[row]);
                world.agents.motion[row].activity = Activity::Yielding;
            }
        }
    }
}

/// Begins the moves that the rule asked for, as far as they fit together.
fn begin_moves(world: &mut World, buffers: &mut TrafficBuffers) {
    let TrafficBuffers { decisions: Decisions { starts, .. }, refused, refused_rows, started_at, .. } =
        buffers;
    let n_asked = starts.len();
    drop_impossible(world, starts, started_at);
    let n_impossible = n_asked - starts.len();
    let World { occupancy, agents, tables, tick, .. } = world;
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
    for &row in refused_rows.iter() {
        started_at[row as usize] = u32::MAX;
    }
    world.counts.moves_overlapping += refused_rows.len() as u64;
    world.counts.moves_refused += (n_impossible + refused_rows.len()) as u64;
    for start in starts.iter() {
        if started_at[start.row as usize] == world.tick {
            begin_move(world, *start);
        }
    }
}

/// Drops starts that the agent cannot make: in mid-move, a second one at this tick, of an illegal move or with another
/// duration, or not the next move of the agent's path.
fn drop_impossible(world: &World, starts: &mut Vec<Start>, started_at: &mut Vec<u32>) {
    let World { agents, tables, paths, tick, .. } = world;
    started_at.resize(agents.len(), u32::MAX);
    starts.retain(|&Start { row, primitive, ticks }| {
        let Some(motion) = agents.motion.get(row as usize) else { return false };
        let is_second = std::mem::replace(&mut started_at[row as usize], *tick) == *tick;
        let tables = &tables[motion.class.0 as usize];
        let (primitive, n_primitives) = (usize::from(primitive), tables.class().primitives().len());
        let next = paths.moves(agents.paths[row as usize]).first().map(|&next| usize::from(next));
        motion.at_rest()
            && !is_second
            && next.is_none_or(|next| next == primitive)
            && primitive < n_primitives
            && tables.move_ticks(motion.state, primitive) == Some(ticks)
    });
}

/// Begins a move of an agent: the next one of its path, if it has a path. The agent holds the cells already.
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
    // The move is legal, so it began in a legal pose and ends in one.
    wait_state.stranded = false;
    world.counts.moves += 1;
    let tables = &world.tables[class.0 as usize];
    let from = tables.space().pose(state);
    let to = tables.space().pose(tables.state_after(state, primitive as usize));
    // A single agent is in nobody's way.
    if world.traffic.needs_paths() && world.agents.len() > 1 {
        let body = tables.class().cells_at(to).iter();
        let cells = body.map(|offset| offset.cell_from(to.cell));
        world.congestion.count_move(class, (from.cell, to.cell), cells);
    }
    if world.log.is_some() {
        world.log_event(TraceEvent::Move { agent: world.agents.ids[row], class, primitive, from, to, until });
    }
}
