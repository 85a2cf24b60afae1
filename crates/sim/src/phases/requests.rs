//! The requests phase: agents ask for quicker paths, groups are given poses, and path requests are answered.

use crate::group_goals::{GroupPoses, GroupView, choose_group_poses};
use crate::order_life::{ask_for_path, refuse, refuse_for};
use crate::orders::{OrderKind, OrderState};
use crate::requests::{PathRequest, Route, shared_goal};
use crate::world::World;
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
pub(crate) fn replan_around_congestion(world: &mut World) {
    if !world.traffic.needs_paths() || world.requests.open() > 0 {
        return;
    }
    let World { congestion, agents, tables, paths, traffic, tick, .. } = world;
    let looks = |row: usize| {
        let motion = &agents.motion[row];
        motion.at_rest()
            && motion.activity == Activity::Following
            && !motion.replan
            && !agents.orders(row).to_nearest
            && *tick >= agents.wait_states[row].look_again_at
            && !traffic.is_yielding(agents.ids[row])
    };
    let penalised = congestion.next_penalised(agents, tables, paths, &looks);
    for row in penalised {
        ask_for_path(world, row, Route::CongestionAware);
    }
}

/// Gives poses to those who wait for them, as far as a budget of expansions reaches; what is left to do is
/// done at a later tick. Gives the expansions spent.
fn give_group_poses(world: &mut World, budget: u64) -> u64 {
    let mut left = budget;
    let mut at = 0;
    while let Some(order) = world.group_goals.open_at(at) {
        for tables in &mut world.tables {
            tables.renew_components();
        }
        let World { grid, agents, orders, tables, given, occupancy, tick, group_goals, requests, .. } = world;
        let view = GroupView { tick: *tick, size: grid.size(), agents, orders, tables, given, occupancy };
        match choose_group_poses(group_goals, &mut requests.fields, view, order, &mut left) {
            Some(poses) => {
                world.group_goals.close_at(at);
                hand_out(world, &poses);
            }
            None => at += 1,
        }
    }
    budget - left
}

/// Tells each agent where to go, in order of id. Those who rest ask for their way at once; those who move or
/// make way do when they begin their order, and learn then that there is none.
fn hand_out(world: &mut World, poses: &GroupPoses) {
    for &(agent, state) in &poses.given {
        let Some(row) = world.agents.row(agent) else { continue };
        world.give(row, state);
        let motion = &mut world.agents.motion[row];
        if motion.activity != Activity::AwaitingPath {
            continue;
        }
        if motion.state == state {
            motion.activity = Activity::Arrived;
            motion.replan = false;
        } else {
            ask_for_path(world, row, Route::Cheapest);
        }
    }
    for &(agent, reason) in &poses.refused {
        let asks = |&row: &usize| world.agents.motion[row].activity == Activity::AwaitingPath;
        if let Some(row) = world.agents.row(agent).filter(asks) {
            refuse_for(world, row, reason);
        }
    }
}

/// The requests phase of a tick: spends at most the tick's expansions and hands out the answers.
pub(crate) fn answer_requests(world: &mut World) {
    let mut budget = world.settings.expansions_per_tick;
    // Half of it is left for those who ask for paths.
    let spent = give_group_poses(world, budget.div_ceil(2));
    budget -= spent;
    world.counts.expansions += spent;
    loop {
        world.requests.fill_slots(world.tick);
        if world.requests.share_out(budget, world.tick) == 0 {
            break;
        }
        world.search_requests();
        let spent: u64 = world.requests.slots.iter().map(|slot| slot.share).sum();
        budget -= spent;
        world.counts.expansions += spent;
        deliver_all(world, false);
    }
    deliver_all(world, true);
}

/// Hands out the answers of a round in order of id. Poses of an area are handed out only as far as those of
/// lower id have theirs, or at the last round of the tick: one whose find overlaps what was handed out before
/// it searches on.
fn deliver_all(world: &mut World, last: bool) {
    let mut slots = std::mem::take(&mut world.requests.in_order);
    slots.clear();
    for (at, slot) in world.requests.slots.iter().enumerate() {
        slots.extend(slot.request.map(|request| (request.agent, at as u32)));
    }
    slots.sort_unstable();
    let mut held_up = false;
    for &(agent, at) in &slots {
        let at = at as usize;
        let Some(request) = world.requests.slots[at].request else { continue };
        let Some(row) = world.agents.row(agent) else { continue };
        let by_area =
            request.route == Route::Cheapest && world.agents.given[row].is_none() && goes_to_area(world, row);
        if by_area && held_up {
            continue;
        }
        let slot = &mut world.requests.slots[at];
        let Some(answer) = slot.answer.take() else {
            held_up |= by_area && !last;
            continue;
        };
        let path = std::mem::take(&mut slot.path);
        if !slot.by_field
            && let Some((class, goal)) = shared_goal(&world.agents, &world.orders, request, row)
        {
            world.requests.fields.note(class, &goal, answer.expansions);
        }
        if answer.status == Status::Unreachable || answer.reached == Some(Reached::Nearest) {
            // The next such request of a class with one-way moves need not search for it.
            world.tables[world.agents.motion[row].class.0 as usize].renew_components();
        }
        let outcome = deliver(world, row, request, &answer, &path);
        let slot = &mut world.requests.slots[at];
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
    world.requests.in_order = slots;
}

/// Whether the current order of an agent is one to an area.
fn goes_to_area(world: &World, row: usize) -> bool {
    let order = world.orders.current(&world.agents.orders(row));
    order.is_some_and(|order| matches!(order.kind, OrderKind::GotoArea(..)))
}

/// The order to a group that an agent has now, by number.
fn group_of(world: &World, row: usize) -> Option<u32> {
    match world.orders.current(&world.agents.orders(row))?.kind {
        OrderKind::GotoGroup(order, _) => Some(order),
        _ => None,
    }
}

/// Whether there is a field to a goal of an order to a group, for the class of an agent.
fn has_field(world: &World, row: usize, order: u32) -> bool {
    let class = world.agents.motion[row].class;
    let mut goals = world.group_goals.seeds(order, class);
    goals.any(|goal| world.requests.fields.get(class, &Goal::of(&[goal])).is_some())
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
fn deliver(world: &mut World, row: usize, request: PathRequest, answer: &Answer, path: &Path) -> Outcome {
    let found = answer.status == Status::Found;
    // A path that is not the quicker one is as good as none.
    let found = found && (request.route != Route::CongestionAware || is_cheaper(world, row, path));
    let to_area = goes_to_area(world, row);
    let group = group_of(world, row);
    let given = world.agents.given[row].is_some();
    if to_area && !given && found {
        let tables = &world.tables[world.agents.motion[row].class.0 as usize];
        let end = path.poses.last().map(|end| end.pose);
        if end.is_some_and(|pose| !world.search_context().is_free(row, pose)) {
            return Outcome::SearchOn;
        }
        if let Some(state) = end.and_then(|pose| tables.space().state(pose)) {
            world.give(row, state);
        }
    }
    if to_area && given && !found && request.route == Route::Cheapest {
        world.give_back(row);
        return Outcome::SearchAnew;
    }
    if let (Some(order), true, false, false) = (group, given, found, request.route != Route::Cheapest)
        && answer.status != Status::StartBlocked
        && has_field(world, row, order)
    {
        // Its pose cannot be reached any more: it is given another one, for a field knows which can be.
        world.give_back(row);
        world.group_goals.open(order);
        return Outcome::Answered;
    }
    if group.is_some() && given && found {
        // The same cells, and maybe another heading.
        let tables = &world.tables[world.agents.motion[row].class.0 as usize];
        let end = path.poses.last().and_then(|end| tables.space().state(end.pose));
        world.agents.given[row] = end.or(world.agents.given[row]);
    }
    let waited = world.tick - request.issued;
    world.counts.longest_request_ticks = world.counts.longest_request_ticks.max(waited);
    if found {
        world.agents.motion[row].replan = false;
    }
    if request.route != Route::Cheapest {
        let wait_state = &mut world.agents.wait_states[row];
        let (failures, again_at, pause) = match request.route {
            Route::CongestionAware => {
                (&mut wait_state.look_failures, &mut wait_state.look_again_at, LOOK_AGAIN_TICKS)
            }
            _ => (&mut wait_state.failures, &mut wait_state.ask_again_at, ASK_AGAIN_TICKS),
        };
        *failures = if found { 0 } else { (*failures + 1).min(FAILURES_MAX) };
        *again_at = world.tick.saturating_add(pause << *failures);
        world.agents.motion[row].activity = Activity::Following;
        if found && !path.moves.is_empty() {
            // One around others that is no way to a given pose leads to the goal itself.
            let to_goal = request.route == Route::AroundResting && !given;
            let state = world.agents.orders(row);
            let to_nearest = state.to_nearest && !to_goal;
            world.agents.set_orders(row, OrderState { to_nearest, ..state });
            world.paths.replace(&mut world.agents.paths, row, &path.moves);
            world.note_path(row);
        }
    } else if found {
        let (state, mut statistics) = (world.agents.orders(row), world.agents.statistics(row));
        let to_nearest = answer.reached == Some(Reached::Nearest);
        statistics.note_bound_ticks(answer.cost);
        world.agents.set_orders(row, OrderState { to_nearest, ..state });
        world.agents.set_statistics(row, statistics);
        world.paths.replace(&mut world.agents.paths, row, &path.moves);
        world.note_path(row);
        let arrived = path.moves.is_empty();
        world.agents.motion[row].activity = if arrived { Activity::Arrived } else { Activity::Following };
        // Whoever is delayed much on the cheapest path asks at once for the quickest one, but where others
        // have no path yet.
        let motion = world.agents.motion[row];
        let tables = &world.tables[motion.class.0 as usize];
        if !arrived
            && !world.requests.any_waits()
            && !to_nearest
            && world.congestion.is_worth_a_look(motion.class, tables, motion.state, &path.moves)
        {
            ask_for_path(world, row, Route::CongestionAware);
        }
    } else {
        world.paths.drop_path(&mut world.agents.paths[row]);
        refuse(world, row, answer.status);
    }
    Outcome::Answered
}

/// Whether a path is quicker than the one in hand with all delays, by a quarter of the delays on that.
fn is_cheaper(world: &World, row: usize, path: &Path) -> bool {
    let motion = &world.agents.motion[row];
    let tables = &world.tables[motion.class.0 as usize];
    let in_hand = world.paths.moves(world.agents.paths[row]);
    let Some(ticks) = ticks_of(tables, motion.state, in_hand) else { return true };
    let penalty = |moves| world.congestion.penalty_along(motion.class, tables, motion.state, moves);
    let penalty_in_hand = penalty(in_hand);
    u64::from(path.cost()) + penalty(&path.moves) + penalty_in_hand / 4 < ticks + penalty_in_hand
}
