//! The requests phase: agents ask for quicker paths, groups are given poses, and path requests are answered.

use crate::group_goals::{GroupPoses, GroupView, choose_group_poses};
use crate::order_life::{ask_for_path, refuse, refuse_for};
use crate::orders::{OrderKind, OrderState};
use crate::requests::{PathRequest, Route, shared_goal};
use crate::world::Simulation;
use wheelbase_planner::model::Reached;
use wheelbase_planner::search::{Answer, pass_goal};
use wheelbase_planner::{Goal, Path, Progress, Status};
use wheelbase_traffic::motion::{Activity, ticks_of};

/// Ticks until an agent that has asked for the quickest way asks for it again, and for one around resting
/// agents; doubled with each time in a row that there was none.
const LOOK_AGAIN_TICKS: u32 = 64;
const ASK_AGAIN_TICKS: u32 = 16;
/// Times that it is doubled at most.
const FAILURES_MAX: u8 = 6;

/// Those of the next few agents that are delayed much on their paths ask for quicker ones, as long as nobody
/// else waits for a path.
pub(crate) fn ask_for_quicker_paths(sim: &mut Simulation) {
    if !sim.traffic.needs_paths() || sim.requests.open() > 0 {
        return;
    }
    let Simulation { congestion, agents, tables, paths, traffic, tick, .. } = sim;
    let looks = |row: usize| {
        let motion = &agents.motion[row];
        motion.at_rest()
            && motion.activity == Activity::Following
            && !motion.replan
            && !agents.orders(row).to_nearest
            && *tick >= agents.patience[row].look_again_at
            && !traffic.makes_way(agents.ids[row])
    };
    let delayed = congestion.next_delayed(agents, tables, paths, &looks);
    for row in delayed {
        ask_for_path(sim, row, Route::Quickest);
    }
}

/// Gives poses to those who wait for them, as far as a budget of expansions reaches; what is left to do is
/// done at a later tick. Gives the expansions spent.
fn give_group_poses(sim: &mut Simulation, budget: u64) -> u64 {
    let mut left = budget;
    let mut at = 0;
    while let Some(order) = sim.group_goals.open_at(at) {
        for tables in &mut sim.tables {
            tables.renew_components();
        }
        let Simulation {
            grid, agents, orders, tables, given, occupancy, tick, group_goals, requests, ..
        } = sim;
        let view = GroupView { tick: *tick, size: grid.size(), agents, orders, tables, given, occupancy };
        match choose_group_poses(group_goals, &mut requests.fields, view, order, &mut left) {
            Some(poses) => {
                sim.group_goals.close_at(at);
                hand_out(sim, &poses);
            }
            None => at += 1,
        }
    }
    budget - left
}

/// Tells each agent where to go, in order of id. Those who rest ask for their way at once; those who move or
/// make way do when they begin their order, and learn then that there is none.
fn hand_out(sim: &mut Simulation, poses: &GroupPoses) {
    for &(agent, state) in &poses.given {
        let Some(row) = sim.agents.row(agent) else { continue };
        sim.give(row, state);
        let motion = &mut sim.agents.motion[row];
        if motion.activity != Activity::Asking {
            continue;
        }
        if motion.state == state {
            motion.activity = Activity::Arrived;
            motion.replan = false;
        } else {
            ask_for_path(sim, row, Route::Cheapest);
        }
    }
    for &(agent, reason) in &poses.refused {
        let asks = |&row: &usize| sim.agents.motion[row].activity == Activity::Asking;
        if let Some(row) = sim.agents.row(agent).filter(asks) {
            refuse_for(sim, row, reason);
        }
    }
}

/// The requests phase of a tick: spends at most the tick's expansions and hands out the answers.
pub(crate) fn answer_requests(sim: &mut Simulation) {
    let mut budget = sim.settings.expansions_per_tick;
    // Half of it is left for those who ask for paths.
    let spent = give_group_poses(sim, budget.div_ceil(2));
    budget -= spent;
    sim.counts.expansions += spent;
    loop {
        sim.requests.fill_slots(sim.tick);
        if sim.requests.share_out(budget, sim.tick) == 0 {
            break;
        }
        sim.search_requests();
        let spent: u64 = sim.requests.slots.iter().map(|slot| slot.share).sum();
        budget -= spent;
        sim.counts.expansions += spent;
        deliver_all(sim, false);
    }
    deliver_all(sim, true);
}

/// Hands out the answers of a round in order of id. Poses of an area are handed out only as far as those of
/// lower id have theirs, or at the last round of the tick: one whose find overlaps what was handed out before
/// it searches on.
fn deliver_all(sim: &mut Simulation, last: bool) {
    let mut slots = std::mem::take(&mut sim.requests.in_order);
    slots.clear();
    for (at, slot) in sim.requests.slots.iter().enumerate() {
        slots.extend(slot.request.map(|request| (request.agent, at as u32)));
    }
    slots.sort_unstable();
    let mut held_up = false;
    for &(agent, at) in &slots {
        let at = at as usize;
        let Some(request) = sim.requests.slots[at].request else { continue };
        let Some(row) = sim.agents.row(agent) else { continue };
        let by_area =
            request.route == Route::Cheapest && sim.agents.given[row].is_none() && goes_to_area(sim, row);
        if by_area && held_up {
            continue;
        }
        let slot = &mut sim.requests.slots[at];
        let Some(answer) = slot.answer.take() else {
            held_up |= by_area && !last;
            continue;
        };
        let path = std::mem::take(&mut slot.path);
        if !slot.by_field
            && let Some((class, goal)) = shared_goal(&sim.agents, &sim.orders, request, row)
        {
            sim.requests.fields.note(class, &goal, answer.expansions);
        }
        if answer.status == Status::Unreachable || answer.reached == Some(Reached::Nearest) {
            // The next such request of a class with one-way moves need not search for it.
            sim.tables[sim.agents.motion[row].class.0 as usize].renew_components();
        }
        let outcome = deliver(sim, row, request, &answer, &path);
        let slot = &mut sim.requests.slots[at];
        slot.path = path;
        match outcome {
            Outcome::Answered => slot.request = None,
            Outcome::SearchOn => {
                // A search that ended at the nearest pose has no next one at hand.
                slot.progress = pass_goal(&mut slot.scratch);
                slot.begun = slot.progress == Progress::Running;
            }
            Outcome::SearchAnew => slot.begun = false,
        }
        held_up |= !matches!(outcome, Outcome::Answered) && !last;
    }
    sim.requests.in_order = slots;
}

/// Whether the current order of an agent is one to an area.
fn goes_to_area(sim: &Simulation, row: usize) -> bool {
    let order = sim.orders.current(&sim.agents.orders(row));
    order.is_some_and(|order| matches!(order.kind, OrderKind::GotoArea(..)))
}

/// The order to a group that an agent has now, by number.
fn group_of(sim: &Simulation, row: usize) -> Option<u32> {
    match sim.orders.current(&sim.agents.orders(row))?.kind {
        OrderKind::GotoGroup(order, _) => Some(order),
        _ => None,
    }
}

/// Whether there is a field to a goal of an order to a group, for the class of an agent.
fn has_field(sim: &Simulation, row: usize, order: u32) -> bool {
    let class = sim.agents.motion[row].class;
    let mut goals = sim.group_goals.seeds(order, class);
    goals.any(|goal| sim.requests.fields.get(class, &Goal::of(&[goal])).is_some())
}

/// What comes of an answer.
enum Outcome {
    /// The agent has it.
    Answered,
    /// Another has been given what was found: the search goes on behind it.
    SearchOn,
    /// The pose that the agent had been given cannot be reached any more: another is looked for.
    SearchAnew,
}

/// Gives an agent its answer.
fn deliver(sim: &mut Simulation, row: usize, request: PathRequest, answer: &Answer, path: &Path) -> Outcome {
    let found = answer.status == Status::Found;
    // A path that is not the quicker one is as good as none.
    let found = found && (request.route != Route::Quickest || is_quicker(sim, row, path));
    let to_area = goes_to_area(sim, row);
    let group = group_of(sim, row);
    let given = sim.agents.given[row].is_some();
    if to_area && !given && found {
        let tables = &sim.tables[sim.agents.motion[row].class.0 as usize];
        let end = path.poses.last().map(|end| end.pose);
        if end.is_some_and(|pose| !sim.search_world().is_free(row, pose)) {
            return Outcome::SearchOn;
        }
        if let Some(state) = end.and_then(|pose| tables.space().state(pose)) {
            sim.give(row, state);
        }
    }
    if to_area && given && !found && request.route == Route::Cheapest {
        sim.give_back(row);
        return Outcome::SearchAnew;
    }
    if let (Some(order), true, false, false) = (group, given, found, request.route != Route::Cheapest)
        && answer.status != Status::StartBlocked
        && has_field(sim, row, order)
    {
        // Its pose cannot be reached any more: it is given another one, for a field knows which can be.
        sim.give_back(row);
        sim.group_goals.open(order);
        return Outcome::Answered;
    }
    if group.is_some() && given && found {
        // The same cells, and maybe another heading.
        let tables = &sim.tables[sim.agents.motion[row].class.0 as usize];
        let end = path.poses.last().and_then(|end| tables.space().state(end.pose));
        sim.agents.given[row] = end.or(sim.agents.given[row]);
    }
    let waited = sim.tick - request.issued;
    sim.counts.longest_request_ticks = sim.counts.longest_request_ticks.max(waited);
    if found {
        sim.agents.motion[row].replan = false;
    }
    if request.route != Route::Cheapest {
        let patience = &mut sim.agents.patience[row];
        let (failures, again_at, pause) = match request.route {
            Route::Quickest => (&mut patience.look_failures, &mut patience.look_again_at, LOOK_AGAIN_TICKS),
            _ => (&mut patience.failures, &mut patience.ask_again_at, ASK_AGAIN_TICKS),
        };
        *failures = if found { 0 } else { (*failures + 1).min(FAILURES_MAX) };
        *again_at = sim.tick.saturating_add(pause << *failures);
        sim.agents.motion[row].activity = Activity::Following;
        if found && !path.moves.is_empty() {
            // One around others that is no way to a given pose leads to the goal itself.
            let to_goal = request.route == Route::AroundResting && !given;
            let state = sim.agents.orders(row);
            let to_nearest = state.to_nearest && !to_goal;
            sim.agents.set_orders(row, OrderState { to_nearest, ..state });
            sim.paths.replace(&mut sim.agents.paths, row, &path.moves);
            sim.note_path(row);
        }
    } else if found {
        let (state, mut statistics) = (sim.agents.orders(row), sim.agents.statistics(row));
        let to_nearest = answer.reached == Some(Reached::Nearest);
        statistics.note_lone_ticks(answer.cost);
        sim.agents.set_orders(row, OrderState { to_nearest, ..state });
        sim.agents.set_statistics(row, statistics);
        sim.paths.replace(&mut sim.agents.paths, row, &path.moves);
        sim.note_path(row);
        let arrived = path.moves.is_empty();
        sim.agents.motion[row].activity = if arrived { Activity::Arrived } else { Activity::Following };
        // Whoever is delayed much on the cheapest path asks at once for the quickest one, but where others
        // have no path yet.
        let motion = sim.agents.motion[row];
        let tables = &sim.tables[motion.class.0 as usize];
        if !arrived
            && !sim.requests.any_waits()
            && !to_nearest
            && sim.congestion.is_worth_a_look(motion.class, tables, motion.state, &path.moves)
        {
            ask_for_path(sim, row, Route::Quickest);
        }
    } else {
        sim.paths.drop_path(&mut sim.agents.paths[row]);
        refuse(sim, row, answer.status);
    }
    Outcome::Answered
}

/// Whether a path is quicker than the one in hand with all delays, by a quarter of the delays on that.
fn is_quicker(sim: &Simulation, row: usize, path: &Path) -> bool {
    let motion = &sim.agents.motion[row];
    let tables = &sim.tables[motion.class.0 as usize];
    let in_hand = sim.paths.moves(sim.agents.paths[row]);
    let Some(ticks) = ticks_of(tables, motion.state, in_hand) else { return true };
    let delay = |moves| sim.congestion.delay_along(motion.class, tables, motion.state, moves);
    let delay_in_hand = delay(in_hand);
    u64::from(path.cost()) + delay(&path.moves) + delay_in_hand / 4 < ticks + delay_in_hand
}
