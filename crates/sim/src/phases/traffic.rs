//! The traffic phase: the traffic rule decides which agents start moves, request detours and yield.

use super::outside_rule::check_decisions;
use crate::agents::Agents;
use crate::bypass::{is_goal_covered, leads_to_roadblock, note_outcome};
use crate::goal_cover::obstacle_at;
use crate::leg::Leg;
use crate::log::TraceEvent;
use crate::order_life::{refusal_now, refuse, request_path};
use crate::replan_params::ReplanParams;
use crate::requests::{Route, SearchInputs};
use crate::route_legs::forget_next_leg;
use crate::traffic_buffers::TrafficBuffers;
use crate::world::{World, traffic_view};
use wheelbase_grid::CellXY;
use wheelbase_traffic::motion::{Activity, AgentId, Motion, WaitState};
use wheelbase_traffic::speed::ticks_at_speed;
use wheelbase_traffic::{CommandedMove, Decisions, Leads, Start, TrafficView, Transition};

/// The traffic phase of a tick: asks the traffic rule and carries out its decisions.
pub(crate) fn run_traffic(world: &mut World) {
    let mut buffers = std::mem::take(&mut world.traffic_buffers);
    gather_goals(world, &mut buffers.goals);
    gather_rows(world, &mut buffers);
    decide(world, &mut buffers);
    if world.own_rule().is_none() {
        let World { events, agents, tables, .. } = &mut *world;
        check_decisions(events.log.as_mut(), (agents, tables), &mut buffers.decisions);
    }
    buffers.edited.clear();
    buffers.decisions_given.clear();
    buffers.new_classes.clear();
    wake(&mut world.agents, &buffers.decisions);
    replace_paths(world, &buffers.decisions);
    begin_moves(world, &mut buffers);
    let Decisions { replan, unreachable, around, give_up, .. } = &buffers.decisions;
    for &row in replan {
        let motion = world.agents.motion[row as usize];
        if motion.activity != Activity::Following {
            continue;
        }
        // An agent whose retreat is taken may get the same path repeatedly. Illegal paths are replaced immediately.
        let next = world.agents.moves(row as usize).first();
        let tables = &world.tables[usize::from(motion.class.0)];
        let is_legal = next.is_some_and(|&next| tables.move_ticks(motion.state, usize::from(next)).is_some());
        if is_legal && world.tick < world.agents.wait_states[row as usize].ask_again_at {
            continue;
        }
        if is_legal {
            let wait_state = &mut world.agents.wait_states[row as usize];
            pause_requests(wait_state, &world.settings.replan, world.tick);
        }
        world.agents.motion[row as usize].replan = true;
    }
    // A rule from outside may have had them begin a move as well: a path would begin where they no longer are.
    let rests = |world: &World, row: u32| world.agents.motion[row as usize].at_rest();
    for &row in unreachable {
        if rests(world, row) {
            refuse(world, row as usize, refusal_now(world, row as usize));
        }
    }
    for &row in around {
        if world.agents.motion[row as usize].activity == Activity::Following && rests(world, row) {
            ask_for_way_around(world, row as usize);
        }
    }
    for &row in give_up {
        world.agents.drop_path(row as usize);
        world.agents.wait_states[row as usize].ask_again_at = world.tick;
    }
    world.traffic_buffers = buffers;
}

/// Requests a path around the agents that rest in the way of an agent. If agents that cannot make way cover its goal,
/// it asks again later.
fn ask_for_way_around(world: &mut World, row: usize) {
    if leads_to_roadblock(world, row) {
        if !is_goal_covered(world, row) {
            return request_path(world, row, Route::Bypass);
        }
        let (wait_state, params) = (&mut world.agents.wait_states[row], &world.settings.replan);
        return note_outcome(wait_state, params, world.tick, Route::Bypass, false);
    }
    if !is_path_obstructed(world, row) {
        return request_path(world, row, Route::Detour);
    }
    // There may be no way at all.
    pause_requests(&mut world.agents.wait_states[row], &world.settings.replan, world.tick);
    request_path(world, row, Route::Cheapest);
}

/// Has an agent pause before it asks for another path than that which it asks for now.
fn pause_requests(wait_state: &mut WaitState, params: &ReplanParams, tick: u32) {
    let pause = params.detour_pause_ticks << wait_state.failures;
    wait_state.ask_again_at = tick.saturating_add(pause);
}

/// Whether the path of an agent leads over an obstacle to its team.
fn is_path_obstructed(world: &World, row: usize) -> bool {
    let agents = &world.agents;
    let motion = &agents.motion[row];
    if !agents.obstruct(agents.teams[row], &world.friends) {
        return false;
    }
    let tables = &world.tables[usize::from(motion.class.0)];
    let (class, mut state) = (tables.class(), motion.state);
    for &primitive in agents.moves(row) {
        let primitive = usize::from(primitive);
        if tables.move_ticks(state, primitive).is_none() {
            return false;
        }
        let pose = tables.space().pose(state);
        let (anchor, cells) = Transition { class, pose, primitive }.swept();
        if cells.iter().any(|offset| obstacle_at(world, row, offset.cell_from(anchor)).is_some()) {
            return true;
        }
        state = tables.state_after(state, primitive);
    }
    false
}

/// Cells to which agents go, of several the first, for a rule that finds paths itself.
fn gather_goals(world: &World, goals: &mut Vec<Option<CellXY>>) {
    goals.clear();
    if !world.traffic.needs_paths() {
        let goal = |row| {
            let state = world.agents.orders(row);
            let (kind, goal) = world.orders.current_goal(&state)?;
            let task = || world.orders.task(&state);
            if kind.tasks().is_some() { task() } else { goal.members.first().copied() }.map(|goal| goal.cell)
        };
        goals.extend((0..world.agents.len()).map(goal));
    }
}

/// Rows of agents that the host moves, and of agents with another class.
fn gather_rows(world: &World, buffers: &mut TrafficBuffers) {
    let TrafficBuffers { decisions_given, commanded, new_classes, reclassed, .. } = buffers;
    commanded.clear();
    let row_of = |&(agent, primitive): &(AgentId, u8)| {
        Some(CommandedMove { row: world.agents.row(agent)? as u32, primitive })
    };
    commanded.extend(decisions_given.iter().filter_map(row_of));
    reclassed.clear();
    reclassed.extend(new_classes.iter().filter_map(|&agent| world.agents.row(agent)).map(|row| row as u32));
    reclassed.sort_unstable();
    reclassed.dedup();
}

/// Has the rule decide, while idle workers advance searches in progress.
fn decide(world: &mut World, buffers: &mut TrafficBuffers) {
    let TrafficBuffers { decisions, goals, commanded, reclassed, edited, refused_rows, .. } = buffers;
    decisions.clear();
    let World { requests, traffic, .. } = world;
    let (agents, classes, tables, orders) = (&world.agents, &world.classes, &world.tables, &world.orders);
    let search_inputs = SearchInputs { agents, classes, tables, orders };
    let view = traffic_view!(world, goals);
    let view = TrafficView { commanded, reclassed, edited, refused: refused_rows, ..view };
    let budget = world.settings.expansions_per_tick;
    requests.search_ahead_during(search_inputs, budget, || traffic.decide(&view, decisions));
}

/// Adds the agents of all decisions to the rows that ticks visit.
fn wake(agents: &mut Agents, decisions: &Decisions) {
    let Decisions { starts, replan, unreachable, around, give_up, reroutes, .. } = decisions;
    let n_agents = agents.len();
    let moved = starts.iter().map(|start| start.row).chain(reroutes.iter().map(|reroute| reroute.row));
    let others = [replan, unreachable, around, give_up].into_iter().flatten().copied();
    // The row of a start can be out of range; such a start is dropped below.
    agents.busy.extend(moved.chain(others).map(|row| row as usize).filter(|&row| row < n_agents));
}

/// Gives agents the paths that the rule has made for them.
fn replace_paths(world: &mut World, decisions: &Decisions) {
    for reroute in &decisions.reroutes {
        let row = reroute.row as usize;
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        world.set_path(row, moves);
        world.agents.motion[row].replan = false;
        match reroute.leads {
            Leads::On => {}
            // It ends at no goal, nor at the pose nearest to one.
            Leads::Off => {
                world.agents.set_to_nearest(row, false);
                world.agents.progress[row].set_leads_off(true);
                forget_next_leg(&mut world.agents, &mut world.requests, row);
                world.agents.set_leg(row, Leg::NONE);
            }
            Leads::Aside => {
                // Its request is void: the agent leaves the pose that it was made from.
                world.requests.forget(world.agents.ids[row]);
                world.agents.set_activity(row, Activity::Yielding);
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
        (agents.slots[row as usize], step, tick.saturating_add(ticks))
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

/// Drops starts that the agent cannot make: in mid-move, or a second one at this tick. Drops illegal moves, other
/// durations, and moves that are not next on the agent's path.
fn drop_impossible(world: &World, starts: &mut Vec<Start>, started_at: &mut Vec<u32>) {
    let World { agents, tables, tick, .. } = world;
    started_at.resize(agents.len(), u32::MAX);
    starts.retain(|&Start { row, primitive, ticks }| {
        let Some(motion) = agents.motion.get(row as usize) else { return false };
        let is_second = std::mem::replace(&mut started_at[row as usize], *tick) == *tick;
        let tables = &tables[motion.class.0 as usize];
        let (primitive, n_primitives) = (usize::from(primitive), tables.class().primitives().len());
        let at_speed = |ticks| ticks_at_speed(ticks, agents.speed_factors[row as usize]);
        let next = agents.moves(row as usize).first().map(|&next| usize::from(next));
        motion.at_rest()
            && !is_second
            && next.is_none_or(|next| next == primitive)
            && primitive < n_primitives
            && tables.move_ticks(motion.state, primitive).map(at_speed) == Some(ticks)
    });
}

/// Begins a move of an agent: the next one of its path, if it has a path. The agent holds the cells already.
fn begin_move(world: &mut World, Start { row, primitive, ticks }: Start) {
    let row = row as usize;
    let Agents { paths, path_pool, .. } = &mut world.agents;
    if !paths[row].is_empty() {
        path_pool.advance(&mut paths[row]);
    }
    let until = world.tick.saturating_add(ticks).min(Motion::AT_REST - 1);
    world.agents.cleared += 1;
    let motion = &mut world.agents.motion[row];
    motion.primitive = primitive;
    motion.until = until;
    let (class, state) = (motion.class, motion.state);
    world.agents.set_waits_since(row, WaitState::NOT_WAITING);
    // The move is legal, so it began in a legal pose and ends in one.
    world.agents.set_stranded(row, false);
    world.counts.moves += 1;
    let tables = &world.tables[class.0 as usize];
    let from = tables.space().pose(state);
    let to = tables.space().pose(tables.state_after(state, primitive as usize));
    // Fewer than the headings of a class.
    let turn = tables.class().primitives()[usize::from(primitive)].turn as i8;
    world.agents.row_mut(row).begin_move((primitive, turn), [from, to], [world.tick, until]);
    // A single agent is in nobody's way.
    if world.traffic.needs_paths() && world.agents.len() > 1 {
        world.congestion.count_move(class, (from.cell, to.cell));
    }
    if world.events.log.is_some() {
        world.note(TraceEvent::Move { agent: world.agents.ids[row], class, primitive, from, to, until });
    }
}
