//! The traffic phase: who may start a move, who asks for a way around, who makes way.

use crate::log::TraceEvent;
use crate::order_life::{ask_for_path, refuse};
use crate::orders::OrderState;
use crate::requests::{Asking, Route};
use crate::world::Simulation;
use wheelbase_grid::CellXY;
use wheelbase_planner::Status;
use wheelbase_traffic::motion::{Activity, Motion};
use wheelbase_traffic::{Decisions, Leads, Start, Step, TrafficView};

/// The traffic phase: who may start a move, who asks for a way around, who makes way.
pub(crate) fn run_traffic(sim: &mut Simulation) {
    let mut decisions = std::mem::take(&mut sim.decisions);
    decisions.clear();
    let mut goals = std::mem::take(&mut sim.goals);
    gather_goals(sim, &mut goals);
    let view = TrafficView {
        tick: sim.tick,
        tries: sim.settings.tries_per_tick,
        grid_size: sim.grid.size(),
        tables: &sim.tables,
        agents: sim.agents.view(&goals),
        paths: &sim.paths,
        forbidden: sim.pending.areas(),
        streams: sim.congestion.streams(),
        edited: &sim.edited,
        refused: &sim.refused_rows,
        occupancy: &sim.occupancy,
    };
    let asking =
        Asking { agents: &sim.agents, classes: &sim.classes, tables: &sim.tables, orders: &sim.orders };
    let budget = sim.settings.expansions_per_tick;
    sim.requests.go_ahead_beside(asking, budget, || sim.traffic.decide(&view, &mut decisions));
    sim.edited.clear();
    sim.goals = goals;
    wake(sim, &decisions);
    replace_paths(sim, &decisions);
    begin_moves(sim, &mut decisions.starts);
    for &row in &decisions.replan {
        let motion = &mut sim.agents.motion[row as usize];
        motion.replan = motion.activity == Activity::Following;
    }
    for &row in &decisions.unreachable {
        refuse(sim, row as usize, Status::Unreachable);
    }
    for &row in &decisions.around {
        if sim.agents.motion[row as usize].activity == Activity::Following {
            ask_for_path(sim, row as usize, Route::AroundResting);
        }
    }
    for &row in &decisions.give_up {
        sim.paths.drop_path(&mut sim.agents.paths[row as usize]);
        sim.agents.patience[row as usize].ask_again_at = sim.tick;
    }
    sim.decisions = decisions;
}

/// The cell of the present task of each agent, for a rule that finds ways by itself.
fn gather_goals(sim: &Simulation, goals: &mut Vec<Option<CellXY>>) {
    goals.clear();
    if !sim.traffic.needs_paths() {
        let goal = |row| sim.orders.task(&sim.agents.orders(row)).map(|goal| goal.cell);
        goals.extend((0..sim.agents.len()).map(goal));
    }
}

/// Agents of which anything is decided are visited from now on.
fn wake(sim: &mut Simulation, decisions: &Decisions) {
    let Decisions { starts, replan, unreachable, around, give_up, reroutes, .. } = decisions;
    let n_agents = sim.agents.len();
    let moved = starts.iter().map(|start| start.row).chain(reroutes.iter().map(|reroute| reroute.row));
    let others = [replan, unreachable, around, give_up].into_iter().flatten().copied();
    // A start may be of no agent at all: it is dropped below.
    sim.agents.busy.extend(moved.chain(others).map(|row| row as usize).filter(|&row| row < n_agents));
}

/// Gives agents the paths that traffic has made for them.
fn replace_paths(sim: &mut Simulation, decisions: &Decisions) {
    for reroute in &decisions.reroutes {
        let row = reroute.row as usize;
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        sim.paths.replace(&mut sim.agents.paths, row, moves);
        sim.note_path(row);
        sim.agents.motion[row].replan = false;
        match reroute.leads {
            Leads::On => {}
            // Its end is no goal, not even the nearest pose to one.
            Leads::Off => {
                let state = sim.agents.orders(row);
                sim.agents.set_orders(row, OrderState { to_nearest: false, ..state });
            }
            Leads::Aside => {
                // What it asked for is void: it will not be where it asked from.
                sim.requests.forget(sim.agents.ids[row]);
                sim.agents.motion[row].activity = Activity::Yielding;
            }
        }
    }
}

/// Begins the moves that the rule of traffic would have started, as far as they fit together.
fn begin_moves(sim: &mut Simulation, starts: &mut Vec<Start>) {
    let n_asked = starts.len();
    drop_impossible(sim, starts);
    let Simulation { occupancy, agents, tables, refused, refused_rows, tick, .. } = sim;
    let move_of = |number: usize| {
        let Start { row, primitive, ticks } = starts[number];
        let motion = &agents.motion[row as usize];
        let tables = &tables[motion.class.0 as usize];
        let pose = tables.space().pose(motion.state);
        let step = Step { class: tables.class(), pose, primitive: usize::from(primitive) };
        (agents.ids[row as usize], step, tick.saturating_add(ticks))
    };
    occupancy.begin(starts.len(), move_of, refused);
    refused_rows.clear();
    refused_rows.extend(refused.iter().map(|refusal| starts[refusal.number as usize].row));
    let n_impossible = n_asked - starts.len();
    sim.counts.moves_refused += (n_impossible + sim.refused_rows.len()) as u64;
    for start in starts.iter() {
        if sim.refused_rows.is_empty() || !sim.refused_rows.contains(&start.row) {
            begin_move(sim, *start);
        }
    }
}

/// Drops what no agent can do: a move of one in mid-move or of one that has been told already, one that is
/// not legal or takes another time, or that is not the next of the agent's path.
fn drop_impossible(sim: &mut Simulation, starts: &mut Vec<Start>) {
    let Simulation { agents, tables, paths, told_at, tick, .. } = sim;
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
fn begin_move(sim: &mut Simulation, Start { row, primitive, ticks }: Start) {
    let row = row as usize;
    let path = &mut sim.agents.paths[row];
    if !path.is_empty() {
        sim.paths.advance(path);
    }
    let until = sim.tick.saturating_add(ticks).min(Motion::AT_REST - 1);
    let motion = &mut sim.agents.motion[row];
    motion.primitive = primitive;
    motion.until = until;
    let (class, state) = (motion.class, motion.state);
    let patience = &mut sim.agents.patience[row];
    patience.waits_since = u32::MAX;
    // It began in a legal pose, and ends in one.
    patience.stranded = false;
    sim.counts.moves += 1;
    let tables = &sim.tables[class.0 as usize];
    let from = tables.space().pose(state);
    let to = tables.space().pose(tables.state_after(state, primitive as usize));
    // One that is alone keeps out of nobody's way.
    if sim.traffic.needs_paths() && sim.agents.len() > 1 {
        let body = tables.class().cells_at(to).iter();
        let cells = body.map(|offset| offset.cell_from(to.cell));
        sim.congestion.count_move(class, (from.cell, to.cell), cells);
    }
    if sim.log.is_some() {
        sim.note(TraceEvent::Move { agent: sim.agents.ids[row], class, primitive, from, to, until });
    }
}
