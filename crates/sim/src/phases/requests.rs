//! The requests phase: assigns poses to groups and answers path requests.

use crate::agents::Agents;
use crate::bypass::note_outcome;
use crate::class::WorldClass;
use crate::commands::RefusalReason;
use crate::group_goals::{GroupGoals, GroupPoses, GroupView, choose_group_poses};
use crate::obstructed::{Obstructed, WaitsUntil};
use crate::order_life::{end_obstruction, obstacles_now, refusal_of, refuse, request_path};
use crate::order_pool::OrderPool;
use crate::orders::OrderKind;
use crate::requests::{
    PathRequest, PathSource, Requests, Route, RoutePolicy, SearchInputs, SlotLeg, shared_goal,
};
use crate::route_legs::{append_leg, extend_graphs, make_graphs, note_leg};
use crate::world::World;
use wheelbase_grid::{CellXY, Grid};
use wheelbase_planner::model::Reached;
use wheelbase_planner::search::{Answer, Fallback, pass_goal};
use wheelbase_planner::{Goal, Path, Progress, Status};
use wheelbase_traffic::motion::{Activity, AgentId};

/// Assigns poses to the agents that wait for them, within a budget of expansions; the rest is left to a later tick.
/// Returns the expansions spent.
fn assign_group_poses(world: &mut World, budget: u64) -> u64 {
    let mut left = budget;
    let mut at = 0;
    while let Some(order) = world.group_goals.open_at(at) {
        for tables in &mut world.tables {
            tables.renew_components();
        }
        let World { grid, agents, orders, tables, assigned_poses, occupancy, group_goals, requests, .. } =
            world;
        let (tick, size) = (world.tick, grid.size());
        let view = GroupView { tick, size, agents, orders, tables, assigned_poses, occupancy };
        match choose_group_poses(group_goals, &mut requests.fields, view, order, &mut left) {
            Some(poses) => {
                world.group_goals.close_at(at);
                assign_poses(world, &poses);
            }
            None => at += 1,
        }
    }
    if world.group_goals.has_many() {
        forget_group_centres(&mut world.group_goals, &world.agents, &world.orders);
    }
    budget - left
}

/// Drops the centres of groups without agents. Linear in the agents, whenever the centres have doubled.
fn forget_group_centres(group_goals: &mut GroupGoals, agents: &Agents, orders: &OrderPool) {
    let groups = (0..agents.len()).filter_map(|row| group_of(agents, orders, row));
    let mut groups: Vec<u32> = groups.collect();
    groups.sort_unstable();
    groups.dedup();
    group_goals.keep(&groups);
}

/// Hands the chosen poses to the agents, and the pace of their formation, in order of id. Agents at rest request their
/// paths immediately. Others do so, or learn that there is no pose for them, when they begin their order.
fn assign_poses(world: &mut World, poses: &GroupPoses) {
    for &(agent, factor) in &poses.paces {
        let Some(row) = world.agents.row(agent) else { continue };
        world.group_goals.note_own_factor(agent, world.agents.speed_factors[row]);
        world.set_speed_factor(row, factor);
    }
    for &(agent, state) in &poses.assigned {
        let Some(row) = world.agents.row(agent) else { continue };
        world.assign_pose(row, state);
        let motion = world.agents.motion[row];
        if motion.activity != Activity::AwaitingPath {
            continue;
        }
        if motion.state == state {
            world.agents.set_activity(row, Activity::Arrived);
            world.agents.motion[row].replan = false;
        } else {
            request_path(world, row, Route::Cheapest);
        }
    }
    for &(agent, reason) in &poses.refused {
        let waits = |&row: &usize| world.agents.motion[row].activity == Activity::AwaitingPath;
        if let Some(row) = world.agents.row(agent).filter(waits) {
            refuse(world, row, (Some(reason), WaitsUntil::Cleared(world.agents.cleared)));
        }
    }
}

/// Repairs of landmarks take at most one of this many parts of a tick's expansions.
const REPAIR_PARTS: u64 = 4;

/// Goes on with the repairs of landmarks that edits have made necessary, class by class, within a budget of expansions.
/// Returns the expansions spent. Searches of a class whose landmarks come into use restart.
fn repair_landmarks(
    (classes, requests): (&mut [WorldClass], &mut Requests),
    (grid, agents): (&Grid, &Agents),
    budget: u64,
) -> u64 {
    let mut left = budget;
    for (number, class) in classes.iter_mut().enumerate() {
        let WorldClass { speeds, landmarks: Some(landmarks), .. } = class else { continue };
        let (spent, is_ready) = landmarks.repair(speeds, grid, left);
        left -= spent;
        if is_ready {
            let is_of_class = |row: usize| usize::from(agents.motion[row].class.0) == number;
            requests.restart_searches(|agent| agents.row(agent).is_some_and(is_of_class));
        }
    }
    budget - left
}

/// The requests phase of a tick: spends at most the tick's expansions and delivers the answers.
pub(crate) fn answer_requests(world: &mut World) {
    world.obstacles.begin_tick();
    world.requests.fields.end_period(world.tick, world.tables.len());
    let mut budget = world.settings.expansions_per_tick;
    let World { classes, requests, grid, agents, .. } = &mut *world;
    let repaired = repair_landmarks((classes, requests), (grid, agents), budget / REPAIR_PARTS);
    budget -= repaired;
    // At least half of it is left for path requests.
    let spent = assign_group_poses(world, budget.div_ceil(2));
    budget -= spent;
    world.counts.expansions += repaired + spent;
    extend_graphs(&mut world.classes, &world.tables, &world.settings);
    let mode = world.settings.replan.route_mode();
    let World { requests, agents, classes, tables, orders, tick_buffers, .. } = world;
    let inputs = SearchInputs { agents, classes, tables, orders };
    let unfit = std::mem::take(&mut tick_buffers.unfit);
    let mut policy = RoutePolicy::new((mode, budget), unfit, &mut requests.slots, inputs);
    while world.requests.source == PathSource::Planner {
        let World { requests, agents, classes, tables, orders, tick, .. } = world;
        requests.fill_slots(*tick, &mut policy, SearchInputs { agents, classes, tables, orders });
        if world.requests.share_out(budget, world.tick) == 0 {
            break;
        }
        make_graphs(&mut world.classes, (&world.requests, &world.agents, &world.tables));
        world.search_requests();
        let spent: u64 = world.requests.slots.iter().map(|slot| slot.share).sum();
        budget -= spent;
        world.counts.expansions += spent;
        deliver_all(world, false);
    }
    deliver_all(world, true);
    world.tick_buffers.unfit = policy.into_unfit();
    for (class, &expansions) in world.classes.iter_mut().zip(&world.tick_buffers.unfit) {
        class.graph.note_unfit(expansions);
    }
}

/// Delivers the answers of a round in order of id. A pose in an area is assigned only once all agents of lower id
/// have poses, or in the last round of the tick. A search continues if its pose overlaps a pose assigned before it.
fn deliver_all(world: &mut World, last: bool) {
    let mut slots = std::mem::take(&mut world.requests.in_order);
    slots.clear();
    for (at, slot) in world.requests.slots.iter().enumerate() {
        slots.extend(slot.state.request.map(|request| (request.agent, at as u32)));
    }
    slots.sort_unstable();
    let mut held_up = false;
    for &(agent, at) in &slots {
        let at = at as usize;
        let Some(request) = world.requests.slots[at].state.request else { continue };
        let Some(row) = world.agents.row(agent) else { continue };
        // A leg leads to no pose of the area.
        let by_area = request.route.is_to_goal()
            && world.requests.slots[at].state.leg.is_none()
            && world.agents.assigned[row].is_none()
            && assigns_pose(world, row);
        if by_area && held_up {
            continue;
        }
        let slot = &mut world.requests.slots[at];
        let Some(answer) = slot.answer.take() else {
            held_up |= by_area && !last;
            continue;
        };
        let path = std::mem::take(&mut slot.path);
        if !slot.state.by_field
            && let Some((class, goal)) = shared_goal(&world.agents, &world.orders, request, row)
        {
            world.requests.fields.count_search(class, &goal, answer.expansions);
        }
        if answer.status == Status::Unreachable || answer.reached == Some(Reached::Nearest) {
            // With them, the next such request of a class with one-way moves needs no search.
            world.tables[world.agents.motion[row].class.0 as usize].renew_components();
        }
        let (among_agents, met, leg) =
            (slot.state.among_agents, std::mem::take(&mut slot.met), slot.state.leg);
        let outcome = match leg {
            Some(leg) => deliver_leg(world, row, request, leg, &path),
            None => deliver(world, row, request, (&answer, among_agents, &met), &path),
        };
        let slot = &mut world.requests.slots[at];
        (slot.path, slot.met) = (path, met);
        match outcome {
            Outcome::Answered => slot.state.request = None,
            Outcome::ContinueSearch => {
                // A search that ended at the nearest pose cannot continue.
                slot.state.progress = pass_goal(&mut slot.scratch);
                slot.state.begun = slot.state.progress == Progress::Running;
            }
            Outcome::RestartSearch => slot.state.begun = false,
        }
        held_up |= !matches!(outcome, Outcome::Answered) && !last;
    }
    world.requests.in_order = slots;
}

/// Whether the current order of an agent assigns it a pose.
fn assigns_pose(world: &World, row: usize) -> bool {
    world.orders.kind(&world.agents.orders(row)).is_some_and(OrderKind::assigns_pose)
}

/// Whether an agent goes to the nearest pose if it cannot reach the goal of its current order.
fn goes_near(world: &World, row: usize) -> bool {
    let state = world.agents.orders(row);
    world.orders.current_trip(&state).is_some_and(|(_, trip)| trip.fallback == Fallback::Nearest)
}

/// Number of the current order of an agent, if it is to a group.
fn group_of(agents: &Agents, orders: &OrderPool, row: usize) -> Option<u32> {
    orders.kind(&agents.orders(row))?.group()
}

/// Whether there is a field for an agent's class to the goal of an order to a group.
fn has_field(world: &World, row: usize, order: u32) -> bool {
    let class = world.agents.motion[row].class;
    let mut goals = world.group_goals.centres(order, class);
    goals.any(|goal| world.requests.fields.get(class, &Goal::of(&[goal])).is_some())
}

/// What becomes of a request whose search has ended.
enum Outcome {
    /// It is answered.
    Answered,
    /// The pose found overlaps one assigned meanwhile: the search continues beyond it.
    ContinueSearch,
    /// The assigned pose cannot be reached any more: another one is searched for.
    RestartSearch,
}

/// Delivers an answer to its agent. The [`Slot`](crate::requests::Slot) gives `among_agents` and `met`.
fn deliver(
    world: &mut World,
    row: usize,
    request: PathRequest,
    (answer, among_agents, met): (&Answer, Option<u64>, &[CellXY]),
    path: &Path,
) -> Outcome {
    // A congestion-aware path that is not cheaper counts as none.
    let found = answer.status == Status::Found
        && (request.route != Route::CongestionAware || is_cheaper(world, row, path));
    let was_assigned = world.agents.assigned[row].is_some();
    if let Some(outcome) = settle_pose(world, row, request, (answer, among_agents.is_some()), path, found) {
        return outcome;
    }
    world.counts.count_answer(world.tick - request.issued);
    if found && request.route != Route::NextLeg {
        world.agents.motion[row].replan = false;
    }
    match request.route {
        // A detour for an agent without an assigned pose leads to the goal itself.
        Route::Detour => deliver_other(world, row, request.route, path, found, !was_assigned),
        Route::CongestionAware | Route::Bypass => {
            deliver_other(world, row, request.route, path, found, false);
        }
        Route::Cheapest if found => {
            note_leg(&mut world.agents, &mut world.counts, row, None);
            deliver_cheapest(world, row, answer, path);
        }
        Route::NextLeg => {
            if found && append_leg(world, row, path) {
                note_leg(&mut world.agents, &mut world.counts, row, None);
                world.agents.set_to_nearest(row, answer.reached == Some(Reached::Nearest));
            }
        }
        Route::Cheapest => {
            world.agents.drop_path(row);
            refuse(world, row, refusal_of(world, row, answer.status, (among_agents, met)));
        }
    }
    Outcome::Answered
}

/// Takes the answer of the host to the path request of an agent: moves, or `None` if there is no path.
/// # Errors
/// [`RefusalReason::WrongPath`], after which the request stays open. [`RefusalReason::UnknownAgent`],
/// [`RefusalReason::NoRequest`].
pub(super) fn answer_path(
    world: &mut World,
    agent: AgentId,
    moves: Option<&[u8]>,
) -> Result<(), RefusalReason> {
    let row = world.agents.present_row(agent).ok_or(RefusalReason::UnknownAgent)?;
    // A command of this tick may have answered its request, or made it void.
    let is_over = world.tick_buffers.requests_over.contains(row);
    let request = world.requests.of_host(agent).filter(|_| !is_over).ok_or(RefusalReason::NoRequest)?;
    let (answer, path) = match moves {
        Some(moves) => {
            let path = given_path(world, row, moves).ok_or(RefusalReason::WrongPath)?;
            (Answer::at_goal(path.cost(), 0), path)
        }
        None => (Answer::ended(Status::Unreachable), Path::new()),
    };
    world.agents.busy.insert(row);
    let among_agents = obstacles_now(world, row);
    // Else its pose is free again: it asks for a path to another one.
    if matches!(deliver(world, row, request, (&answer, among_agents, &[]), &path), Outcome::Answered) {
        world.tick_buffers.requests_over.insert(row);
    }
    Ok(())
}

/// The path of moves that leads the agent in a row to its goal; `None` if some move is illegal or it ends elsewhere.
fn given_path(world: &World, row: usize, moves: &[u8]) -> Option<Path> {
    let motion = world.agents.motion[row];
    let tables = &world.tables[usize::from(motion.class.0)];
    let space = tables.space();
    let mut path = Path::new();
    let state = tables.append_moves(&mut path, motion.state, moves).ok()?.state;
    let end = space.pose(state);
    let (kind, goal) = world.orders.current_goal(&world.agents.orders(row))?;
    let is_goal = match (world.agents.assigned[row], kind.area()) {
        (Some(assigned), _) => assigned == state,
        (None, Some(area)) => area.contains(end.cell) && world.search_context().is_free(row, end),
        (None, None) => goal.matches(space.shape(), end),
    };
    is_goal.then_some(path)
}

/// Assigns, keeps or releases the pose of an agent with an order to an area or a group. Returns an outcome if that
/// settles the request.
fn settle_pose(
    world: &mut World,
    row: usize,
    request: PathRequest,
    (answer, among_agents): (&Answer, bool),
    path: &Path,
    found: bool,
) -> Option<Outcome> {
    let (assigns, group) = (assigns_pose(world, row), group_of(&world.agents, &world.orders, row));
    let to_area = assigns && group.is_none();
    let (was_assigned, is_cheapest) =
        (world.agents.assigned[row].is_some(), request.route == Route::Cheapest);
    let end = path.poses.last().map(|end| end.pose);
    if assigns && !was_assigned && found {
        if end.is_some_and(|pose| !world.search_context().is_free(row, pose)) {
            return Some(Outcome::ContinueSearch);
        }
        let tables = &world.tables[world.agents.motion[row].class.0 as usize];
        if let Some(state) = end.and_then(|pose| tables.space().state(pose)) {
            world.assign_pose(row, state);
        }
    }
    if to_area && was_assigned && !found && is_cheapest {
        world.release_pose(row);
        return Some(Outcome::RestartSearch);
    }
    let order = group.filter(|_| was_assigned)?;
    let by_planner = world.requests.source == PathSource::Planner;
    if !found && is_cheapest && answer.status != Status::StartBlocked {
        if among_agents && by_planner && goes_near(world, row) {
            // Only agents obstruct it: it goes up to them.
            world.release_pose(row);
            world.agents.set_to_nearest(row, true);
            return Some(Outcome::RestartSearch);
        }
        if !among_agents && by_planner && has_field(world, row, order) {
            // The map has cut its assigned pose off. The agent is assigned another: the field knows which it can reach.
            world.release_pose(row);
            world.group_goals.open(order);
            return Some(Outcome::Answered);
        }
    }
    if found {
        // The same cells, possibly with another heading.
        let tables = &world.tables[world.agents.motion[row].class.0 as usize];
        let state = end.and_then(|pose| tables.space().state(pose));
        world.agents.assigned[row] = state.or(world.agents.assigned[row]);
    }
    None
}

/// Notes that the agent in a row has a way to its goal, or to the nearest pose. Alone, the agent takes `bound_ticks`
/// for it.
fn note_way(
    (agents, obstructed): (&mut Agents, &mut Obstructed),
    row: usize,
    bound_ticks: u32,
    to_nearest: bool,
) {
    end_obstruction(agents, obstructed, row);
    agents.statistics[row].record_bound_ticks(bound_ticks);
    agents.set_to_nearest(row, to_nearest);
    agents.progress[row].set_leads_off(false);
}

/// Delivers a leg of a route.
fn deliver_leg(world: &mut World, row: usize, request: PathRequest, leg: SlotLeg, path: &Path) -> Outcome {
    world.counts.count_answer(world.tick - request.issued);
    if request.route == Route::Cheapest {
        world.agents.motion[row].replan = false;
        note_way((&mut world.agents, &mut world.obstructed), row, leg.route_ticks, false);
        world.set_path(row, &path.moves);
        world.agents.set_activity(row, Activity::Following);
    } else if !append_leg(world, row, path) {
        return Outcome::Answered;
    }
    note_leg(&mut world.agents, &mut world.counts, row, Some(leg));
    Outcome::Answered
}

/// Delivers a cheapest path.
fn deliver_cheapest(world: &mut World, row: usize, answer: &Answer, path: &Path) {
    let to_nearest = answer.reached == Some(Reached::Nearest);
    note_way((&mut world.agents, &mut world.obstructed), row, answer.cost, to_nearest);
    world.set_path(row, &path.moves);
    let arrived = path.moves.is_empty();
    world.agents.set_activity(row, if arrived { Activity::Arrived } else { Activity::Following });
    // With large penalties on it the agent requests a congestion-aware path immediately, unless requests are queued.
    let motion = world.agents.motion[row];
    let tables = &world.tables[motion.class.0 as usize];
    if !arrived
        && !world.requests.any_queued()
        && !to_nearest
        && world.congestion.is_worth_replanning(motion.class, tables, motion.state, &path.moves)
    {
        request_path(world, row, Route::CongestionAware);
    }
}

/// Delivers a detour or a congestion-aware path. Without one the agent keeps its path and pauses for longer each time
/// before the next such request.
fn deliver_other(world: &mut World, row: usize, route: Route, path: &Path, found: bool, to_goal: bool) {
    let (wait_state, params) = (&mut world.agents.wait_states[row], &world.settings.replan);
    note_outcome(wait_state, params, world.tick, route, found);
    world.agents.set_activity(row, Activity::Following);
    if found && !path.moves.is_empty() {
        let to_nearest = world.agents.orders(row).to_nearest && !to_goal;
        world.agents.set_to_nearest(row, to_nearest);
        world.agents.progress[row].set_leads_off(false);
        world.set_path(row, &path.moves);
    }
}

/// Whether a path is cheaper than the current path, counting penalties: by at least a quarter of the penalties on that.
fn is_cheaper(world: &World, row: usize, path: &Path) -> bool {
    let motion = &world.agents.motion[row];
    let tables = &world.tables[motion.class.0 as usize];
    let in_hand = world.agents.moves(row);
    let Ok(end) = tables.follow_moves(motion.state, in_hand) else { return true };
    let penalty = |moves| world.congestion.penalty_along(motion.class, tables, motion.state, moves);
    let penalty_in_hand = penalty(in_hand);
    u64::from(path.cost()) + penalty(&path.moves) + penalty_in_hand / 4
        < u64::from(end.ticks) + penalty_in_hand
}
