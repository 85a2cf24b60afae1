//! The life of an order: it begins, requests a path, is done or found unreachable, and the next one begins.

use crate::agents::Agents;
use crate::follow_aim::{Aim, aim_of, leader_row};
use crate::goal_cover::blocker_of;
use crate::goal_poses::poses_of;
use crate::group_goals::GroupGoals;
use crate::log::TraceEvent;
use crate::obstacles::is_obstacle;
#[cfg(test)]
use crate::obstructed::tests::note_request;
use crate::obstructed::{Obstructed, WaitsUntil};
use crate::order_pool::{OrderPool, OrderState};
use crate::orders::OrderKind;
use crate::progress::TripProgress;
use crate::requests::{PathRequest, PathSource, Route, least_leg_ticks, least_ticks};
use crate::route_legs::forget_next_leg;
use crate::route_mode::RouteMode;
use crate::rows::event_details::EventDetails;
use crate::statistics::TripStatistics;
use crate::tasks::may_be_goal;
use crate::trip::{IfUnreachable, Trip};
use crate::unreachable::UnreachableReason;
use crate::world::World;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::{Reached, State};
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{GoalMember, Status};
use wheelbase_traffic::forbidden::touches;
use wheelbase_traffic::motion::{Activity, AgentId, transition_of};
use wheelbase_traffic::teams::Friends;

/// Least time, in ticks, that a patrol spends at a waypoint it can only get near to.
const NEAREST_WAYPOINT_TICKS: u32 = 64;

/// Closes the current order as done, unless it was given, or another order was done, at this very tick.
pub(crate) fn finish_order(world: &mut World, row: usize) {
    let (tick, agent) = (world.tick, world.agents.ids[row]);
    let (state, statistics) = (world.agents.orders(row), world.agents.statistics(row));
    let Some(kind) = world.orders.kind(&state) else { return };
    let (is_task, leads) = (kind.tasks().is_some(), kind.trip().is_some());
    let given = if is_task { state.since } else { state.given };
    if tick <= given || statistics.finished_at == tick {
        return;
    }
    match kind {
        // It was pushed off its goal before the task was closed.
        OrderKind::Tasks(..) if !is_at_goal(world, row) => return begin_order(world, row),
        // The nearest pose does not count for an area.
        OrderKind::GotoArea(area, _) if !area.contains(world.pose(row).cell) => {
            refuse(world, row, refusal_now(world, row));
            if world.agents.motion[row].activity == Activity::Idle {
                begin_order(world, row);
            }
            return;
        }
        // Near enough for now; `watch_leaders` goes on.
        &OrderKind::Follow { leader, .. } if leader_row(&world.agents, row, leader).is_some() => {
            return world.agents.set_activity(row, Activity::Dwelling);
        }
        &OrderKind::Patrol(Trip { dwell, .. }) => return finish_waypoint(world, row, dwell),
        _ => {}
    }
    let (order, kind) = (state.open.first, kind.number());
    if is_task || leads {
        world.counts.count_trip(&state, &statistics, tick);
    }
    let finished = statistics.finished + 1;
    world.agents.statistics[row] = TripStatistics { finished_at: tick, finished, ..statistics };
    world.counts.flowtime += u64::from(tick - given);
    if is_task {
        world.counts.tasks_done += 1;
        world.counts.longest_task_ticks = world.counts.longest_task_ticks.max(tick - given);
        let cell = world.pose(row).cell;
        world.note(TraceEvent::TaskDone { agent, cell });
        close_task(&mut world.agents, &mut world.orders, row);
    } else {
        world.counts.orders_done += 1;
        let reached = leads.then_some(if state.to_nearest { Reached::Nearest } else { Reached::Goal });
        let details =
            EventDetails { ticket: world.orders.ticket(&state), reached, ..EventDetails::default() };
        world.events.note(tick, TraceEvent::Done { agent, order, kind }, details);
        close_order(world, row);
    }
    begin_order(world, row);
}

/// Ends a patrol's trip to a waypoint. The agent dwells there, then the trip to the next one begins.
fn finish_waypoint(world: &mut World, row: usize, dwell: u32) {
    let (tick, state) = (world.tick, world.agents.orders(row));
    // At the nearest pose to an unreachable waypoint it tries again, but not every tick.
    if state.to_nearest && tick - state.since < NEAREST_WAYPOINT_TICKS {
        return;
    }
    if world.agents.motion[row].activity != Activity::Dwelling {
        world.counts.count_trip(&state, &world.agents.statistics(row), tick);
        // A waypoint is not an order: the patrol goes on.
        world.agents.statistics[row].finished += 1;
        if dwell > 0 {
            world.agents.set_orders(row, OrderState { since: tick, ..state }, &world.orders);
            return world.agents.set_activity(row, Activity::Dwelling);
        }
    }
    let state = OrderState { waypoint: state.waypoint + 1, ..state };
    world.agents.begin_trip(row, state, &world.orders, tick);
    begin_order(world, row);
}

/// Takes the current order off the list. The orders phase begins the next one.
fn close_order(world: &mut World, row: usize) {
    let mut state = world.agents.orders(row);
    world.orders.close(&mut state);
    let state = OrderState { waypoint: 0, reported: false, ..state };
    world.agents.begin_trip(row, state, &world.orders, world.tick);
    world.release_pose(row);
    // A hold begins immediately: the traffic rule must not send the agent aside at this tick.
    let next = world.orders.kind(&world.agents.orders(row));
    if next.is_some_and(OrderKind::holds) && world.agents.motion[row].at_rest() {
        world.agents.drop_path(row);
        world.agents.set_activity(row, Activity::Holding);
    } else {
        world.agents.set_activity(row, Activity::Idle);
    }
}

/// Closes the current task, done or not. The next one is given when the order restarts.
fn close_task(agents: &mut Agents, orders: &mut OrderPool, row: usize) {
    let state = agents.orders(row);
    if let Some((slot, _)) = orders.current_tasks(&state) {
        slot.close();
    }
    agents.set_orders(row, OrderState { reported: false, ..state }, orders);
    agents.set_activity(row, Activity::Idle);
}

/// Gives an agent its next task, if its current order is tasks and it has none. Returns whether it still has none.
fn give_task(world: &mut World, row: usize) -> bool {
    let World { orders, agents, tables, tick, tick_buffers, .. } = world;
    let motion = agents.motion[row];
    let state = agents.orders(row);
    let Some((slot, source)) = orders.current_tasks(&state) else { return false };
    if slot.goal().is_some() {
        return false;
    }
    let tables = &tables[motion.class.0 as usize];
    let Some(goal) = slot.give(source, tables, motion.state, &mut tick_buffers.reached) else {
        return true;
    };
    agents.begin_trip(row, state, orders, *tick);
    let agent = agents.ids[row];
    world.note(TraceEvent::Task { agent, class: motion.class, goal });
    false
}

/// Begins the current order, if there is one, or goes on with it.
pub(crate) fn begin_order(world: &mut World, row: usize) {
    if give_task(world, row) {
        // There is no goal until an edit makes room.
        world.agents.set_activity(row, Activity::Unreachable);
        return;
    }
    let state = world.agents.orders(row);
    let activity = match world.orders.kind(&state) {
        None => Activity::Idle,
        Some(OrderKind::Wait(_)) => Activity::Dwelling,
        Some(&OrderKind::WaitInPlace(ticks)) if world.tick - state.since >= ticks => {
            return finish_order(world, row);
        }
        // It does not hold: it may be sent off.
        Some(OrderKind::WaitInPlace(_)) if is_on_pending_edit(world, row) => Activity::Unreachable,
        Some(OrderKind::Hold | OrderKind::WaitInPlace(_)) => Activity::Holding,
        Some(&OrderKind::Repeat(count)) => return begin_round(world, row, count),
        Some(OrderKind::Stop) => {
            world.agents.change_orders(row, &mut world.orders, OrderPool::clear);
            Activity::Idle
        }
        Some(&OrderKind::Follow { leader, within }) => return begin_to_follow(world, row, leader, within),
        Some(OrderKind::Patrol(trip)) if are_for_edits(world, row, trip) => {
            // It is sent off like an agent without an order.
            let replan = (&world.settings.replan, world.tick);
            world.obstructed.pause(&mut world.agents, row, replan, WaitsUntil::Pause);
            Activity::Unreachable
        }
        Some(_) if is_at_goal(world, row) => {
            if world.traffic.needs_paths() {
                world.agents.statistics[row].record_bound_ticks(0);
            }
            Activity::Arrived
        }
        Some(&OrderKind::GotoGroup(order, _)) if world.agents.assigned[row].is_none() => {
            wait_for_group_pose(&mut world.agents, &mut world.group_goals, row, order);
            Activity::AwaitingPath
        }
        Some(_) => return request_path(world, row, Route::Cheapest),
    };
    world.agents.set_activity(row, activity);
}

/// Gives an agent the orders of its next round. After a round with an order that was dropped, it pauses first.
fn begin_round(world: &mut World, row: usize, count: u32) {
    let mut state = world.agents.orders(row);
    if state.dropped {
        world.agents.set_orders(row, OrderState { dropped: false, ..state }, &world.orders);
        world.agents.set_activity(row, Activity::Unreachable);
        let replan = (&world.settings.replan, world.tick);
        return world.obstructed.pause(&mut world.agents, row, replan, WaitsUntil::Pause);
    }
    let Some(round) = world.orders.next_round(&state, count) else { return close_order(world, row) };
    let ticket = world.orders.ticket(&state);
    let list = world.orders.store(round, ticket);
    world.orders.renew(&mut state, list, world.tick);
    world.agents.begin_trip(row, state, &world.orders, world.tick);
    world.note_orders(row, list, true);
    begin_order(world, row);
}

/// Whether edits wait for cells of every pose at every waypoint of a patrol.
fn are_for_edits(world: &World, row: usize, trip: &Trip) -> bool {
    let areas = world.pending_edits.areas();
    let tables = &world.tables[usize::from(world.agents.motion[row].class.0)];
    let is_for_edit = |state: State| {
        let pose = tables.space().pose(state);
        areas.iter().any(|of| touches(of.area, pose.cell, tables.class().cells_at(pose)))
    };
    !areas.is_empty()
        && trip.within == 0
        && trip.members.iter().all(|&member| poses_of(tables, member).all(is_for_edit))
}

/// Whether an agent at rest covers cells for which an edit waits.
fn is_on_pending_edit(world: &World, row: usize) -> bool {
    let areas = world.pending_edits.areas();
    if areas.is_empty() {
        return false;
    }
    let (anchor, cells) = transition_of(&world.tables, &world.agents.motion[row]).start();
    areas.iter().any(|of| touches(of.area, anchor, cells))
}

/// Has an agent wait for a pose of an order to a group. It requests a path once it has one.
fn wait_for_group_pose(agents: &mut Agents, group_goals: &mut GroupGoals, row: usize, order: u32) {
    agents.set_to_nearest(row, false);
    group_goals.open(order);
}

/// Begins to follow a leader, or goes on from its present place.
fn begin_to_follow(world: &mut World, row: usize, leader: AgentId, within: u32) {
    let agent = world.agents.ids[row];
    if let Err(at) = world.followers.binary_search(&agent) {
        world.followers.insert(at, agent);
    }
    let Some(aim) = aim_of(world, row, leader, within) else {
        // It is gone: the order is done at the next tick.
        world.agents.set_activity(row, Activity::Arrived);
        return;
    };
    let follow = |orders: &mut OrderPool, state: &mut _| orders.set_follow_trip(state, aim.cell, aim.within);
    world.agents.change_orders(row, &mut world.orders, follow);
    if is_at_goal(world, row) {
        world.agents.set_activity(row, Activity::Dwelling);
    } else {
        request_path(world, row, Route::Cheapest);
    }
}

/// Updates the agents that follow others. They ask for a new path if the aim has gone too far, and are done if it is
/// gone.
pub(crate) fn watch_leaders(world: &mut World) {
    let mut followers = std::mem::take(&mut world.followers);
    followers.retain(|&agent| {
        let Some(row) = world.agents.row(agent) else { return false };
        let state = world.agents.orders(row);
        let follows = world.orders.kind(&state).and_then(OrderKind::leader);
        let Some((leader, within)) = follows else { return false };
        let (rests, activity) = (world.agents.motion[row].at_rest(), world.agents.motion[row].activity);
        let Some(Aim { cell, within, is_driving }) = aim_of(world, row, leader, within) else {
            world.agents.drop_path(row);
            forget_next_leg(&mut world.agents, &mut world.requests, row);
            if rests && activity != Activity::Arrived {
                world.requests.forget(agent);
                world.agents.busy.insert(row);
                world.agents.set_activity(row, Activity::Arrived);
            }
            return true;
        };
        let shape = world.grid.shape();
        let slack = if is_driving { shape.measure_of(within) } else { 0 };
        let has_left = world.orders.trip(&state).is_some_and(|trip| {
            let is_near = |member: &GoalMember| shape.measure(member.cell, cell) <= slack;
            trip.within != within || !trip.members.iter().any(is_near)
        });
        match activity {
            Activity::Dwelling if rests && (has_left || !is_at_goal(world, row)) => begin_order(world, row),
            Activity::Yielding if rests && has_left && world.agents.paths[row].is_empty() => {
                begin_order(world, row)
            }
            // An open request is answered first: a search that always began again would never end.
            Activity::Following if has_left => {
                let follow =
                    |orders: &mut OrderPool, state: &mut _| orders.set_follow_trip(state, cell, within);
                world.agents.change_orders(row, &mut world.orders, follow);
                world.agents.motion[row].replan = true;
                // The goal has moved: that is another trip.
                world.agents.progress[row] = TripProgress::NONE;
            }
            _ => {}
        }
        true
    });
    // Agents that began to follow meanwhile.
    for agent in std::mem::replace(&mut world.followers, followers) {
        if let Err(at) = world.followers.binary_search(&agent) {
            world.followers.insert(at, agent);
        }
    }
}

/// Whether an agent is at the goal of its current order, or in its assigned pose.
pub(crate) fn is_at_goal(world: &World, row: usize) -> bool {
    let state = &world.agents.orders(row);
    let Some((kind, goal)) = world.orders.current_goal(state) else { return false };
    if let (Some(area), false) = (kind.area(), world.traffic.needs_paths()) {
        // Poses in areas are assigned with the path.
        return area.contains(world.pose(row).cell);
    }
    if kind.assigns_pose() {
        return !state.to_nearest && world.agents.assigned[row] == Some(world.agents.motion[row].state);
    }
    goal.matches(world.grid.shape(), world.pose(row))
}

/// Queues a path request. The agent rests until it is answered. Under a rule that finds paths it continues immediately.
pub(crate) fn request_path(world: &mut World, row: usize, route: Route) {
    if !world.traffic.needs_paths() {
        let arrived = is_at_goal(world, row);
        world.agents.set_activity(row, if arrived { Activity::Arrived } else { Activity::Following });
        world.agents.motion[row].replan = false;
        return;
    }
    if route == Route::Cheapest && world.agents.orders(row).to_nearest {
        // A pose in the area itself can be free by now, or the way to the group.
        world.release_pose(row);
        if let Some(order) = world.orders.kind(&world.agents.orders(row)).and_then(OrderKind::group) {
            wait_for_group_pose(&mut world.agents, &mut world.group_goals, row, order);
            world.agents.set_activity(row, Activity::AwaitingPath);
            world.agents.motion[row].replan = false;
            return;
        }
    }
    forget_next_leg(&mut world.agents, &mut world.requests, row);
    let wait_state = world.agents.wait_states[row];
    // The host plans for the map alone; the traffic deals with agents in the way.
    if world.requests.source == PathSource::Host && route != Route::Cheapest {
        return;
    }
    let request = PathRequest {
        agent: world.agents.ids[row],
        issued: world.tick,
        priority: wait_state.priority,
        route,
        least_ticks: least_ticks_of(world, row),
    };
    world.requests.push(request);
    #[cfg(test)]
    note_request(request);
    world.counts.path_requests += 1;
    world.agents.set_activity(row, Activity::AwaitingPath);
    world.agents.motion[row].replan = false;
}

/// Least ticks of a path or of its first leg, for the order of requests.
fn least_ticks_of(world: &World, row: usize) -> u32 {
    match world.settings.replan.route_mode() {
        RouteMode::Exact => least_ticks(world.search_inputs(), row),
        RouteMode::Abstract | RouteMode::Auto => least_leg_ticks(world.search_inputs(), row),
    }
}

/// Why the current order of an agent cannot be done, and what the agent waits for. Without a reason, which is where the
/// agent itself cannot move, the order is kept unreported.
pub(crate) type Refusal = (Option<UnreachableReason>, WaitsUntil);

/// The refusal of an agent that has no way now.
pub(crate) fn refusal_now(world: &World, row: usize) -> Refusal {
    refusal_of(world, row, Status::Unreachable, (obstacles_now(world, row), &[]))
}

/// The refusal after a search. `among_agents` is `Agents::cleared` at its beginning, if agents were obstacles to it.
/// `met` are the cells of the obstacles that it met, if known: some may have given up their places since.
pub(crate) fn refusal_of(
    world: &World,
    row: usize,
    status: Status,
    (among_agents, met): (Option<u64>, &[CellXY]),
) -> Refusal {
    let reason = match status {
        Status::StartBlocked => None,
        status => Some(reason_of(world, row, status, among_agents.is_some())),
    };
    let World { agents, occupancy, friends, grid, .. } = world;
    let cleared = among_agents.unwrap_or(agents.cleared);
    // Friends that rest may cover the poses of an area as well.
    let area = world.orders.kind(&agents.orders(row)).and_then(OrderKind::area);
    let met = if area.is_none() { met } else { &[] };
    (reason, WaitsUntil::of((agents, occupancy), friends, row, (met, grid.size()), cleared))
}

/// `among_agents` of a search that begins now.
pub(crate) fn obstacles_now(world: &World, row: usize) -> Option<u64> {
    let World { agents, friends, .. } = world;
    agents.obstruct(agents.teams[row], friends).then_some(agents.cleared)
}

/// Why the current order cannot be done, given the status of its search, and whether agents were obstacles to it.
fn reason_of(world: &World, row: usize, status: Status, among_agents: bool) -> UnreachableReason {
    let by_status = match status {
        Status::GoalOffMap => UnreachableReason::GoalOffMap,
        Status::GoalBlocked => UnreachableReason::GoalBlocked,
        Status::CostOverflow => return UnreachableReason::CostOverflow,
        _ if among_agents && may_be_reachable(world, row) => UnreachableReason::Obstructed,
        _ => UnreachableReason::Unreachable,
    };
    let motion = &world.agents.motion[row];
    let kind = world.orders.kind(&world.agents.orders(row));
    let Some(area) = kind.and_then(OrderKind::area) else {
        let has_no_goal = kind.and_then(OrderKind::trip).is_some_and(|trip| trip.members.is_empty());
        return if has_no_goal { UnreachableReason::NoSuchHeading } else { by_status };
    };
    let tables = &world.tables[motion.class.0 as usize];
    let area = area.intersection(world.grid.size().rect());
    let is_legal = |cell| poses_of(tables, GoalMember::any(cell)).next().is_some();
    if area.is_empty() {
        UnreachableReason::GoalOffMap
    } else if among_agents && has_room_but_for_obstacles(world, row, area) {
        UnreachableReason::Obstructed
    } else if area.cells().any(|cell| may_be_goal(tables, motion.state, cell)) {
        // There are legal poses, but no free one.
        UnreachableReason::NoRoom
    } else if area.cells().any(is_legal) {
        UnreachableReason::Unreachable
    } else {
        UnreachableReason::GoalBlocked
    }
}

/// Whether the map alone may let an agent through to its current goal.
fn may_be_reachable(world: &World, row: usize) -> bool {
    let motion = &world.agents.motion[row];
    let tables = &world.tables[usize::from(motion.class.0)];
    let state = world.agents.orders(row);
    let Some((kind, goal)) = world.orders.current_goal(&state) else { return false };
    let mut may_be = kind.assigns_pose();
    goal.for_each_pose(tables.space(), |pose| {
        let to = tables.space().state(pose).filter(|&to| !may_be && tables.is_legal(to));
        may_be |= to.is_some_and(|to| tables.components().reachability(motion.state, to) != Reachability::No);
    });
    may_be
}

/// Whether the map alone lets an agent through to a pose in an area that nobody covers but obstacles to its team.
fn has_room_but_for_obstacles(world: &World, row: usize, area: Rect) -> bool {
    let World { agents, friends, occupancy, assigned_poses, .. } = world;
    let (motion, slot, team) = (&agents.motion[row], agents.slots[row], agents.teams[row]);
    let tables = &world.tables[usize::from(motion.class.0)];
    let is_free = |cell: CellXY| {
        let holder = occupancy.holder_at(cell).and_then(|holder| agents.row_of_slot(holder));
        holder.is_none_or(|holder| {
            holder == row || !agents.motion[holder].at_rest() || is_obstacle(agents, holder, team, friends)
        })
    };
    let has_room = |&state: &State| {
        let pose = tables.space().pose(state);
        let cells = tables.class().cells_at(pose);
        tables.components().reachability(motion.state, state) != Reachability::No
            && assigned_poses.is_free(slot, pose.cell, cells)
            && cells.iter().all(|offset| is_free(offset.cell_from(pose.cell)))
    };
    area.cells().flat_map(|cell| poses_of(tables, GoalMember::any(cell))).any(|state| has_room(&state))
}

/// Lets obstructed agents try again after others have given up their places.
pub(crate) fn retry_obstructed(
    agents: &mut Agents,
    obstructed: &mut Obstructed,
    friends: &Friends,
    tick: u32,
) {
    let mut due = std::mem::take(&mut obstructed.due);
    obstructed.take_due(tick, agents, friends, &mut due);
    for agent in due.drain(..) {
        let Some(row) = agents.row(agent) else { continue };
        if agents.motion[row].activity == Activity::Unreachable {
            // The orders phase begins its order again.
            agents.set_activity(row, Activity::Idle);
            agents.busy.insert(row);
        }
    }
    obstructed.due = due;
}

/// An agent has found a path: the next time that others obstruct it, its first pause is the shortest again.
pub(crate) fn end_obstruction(agents: &mut Agents, obstructed: &mut Obstructed, row: usize) {
    if !obstructed.is_empty() && obstructed.remove(agents.ids[row]) {
        agents.wait_states[row].failures = 0;
    }
}

/// The goal of the current order cannot be reached: the order is reported once, then kept or dropped as it says. An
/// agent that an edit has stranded keeps its order in any case: the agent cannot move, whatever the goal.
pub(crate) fn refuse(world: &mut World, row: usize, (reason, until): Refusal) {
    let agent = world.agents.ids[row];
    forget_next_leg(&mut world.agents, &mut world.requests, row);
    world.agents.set_activity(row, Activity::Unreachable);
    // The occupancy keeps other agents off the pose in which it rests.
    world.release_pose(row);
    let state = world.agents.orders(row);
    let Some(reason) = reason.filter(|_| !world.orders.keeps_task(&state)) else { return };
    let Some((kind, trip)) = world.orders.current_trip(&state) else { return };
    let is_task = kind.tasks().is_some();
    let (kind, drop) = (kind.number(), trip.if_unreachable == IfUnreachable::Drop);
    if !state.reported {
        let is_obstructed = reason == UnreachableReason::Obstructed;
        let details = EventDetails {
            ticket: world.orders.ticket(&state),
            blocker: if is_obstructed { blocker_of(world, row).or(until.blocker()) } else { None },
            ..EventDetails::default()
        };
        world.events.note(
            world.tick,
            TraceEvent::Unreachable { agent, order: state.open.first, kind, reason },
            details,
        );
    }
    let dropped = state.dropped || drop && !is_task;
    world.agents.set_orders(row, OrderState { reported: true, dropped, ..state }, &world.orders);
    if is_task {
        close_task(&mut world.agents, &mut world.orders, row);
        if reason == UnreachableReason::Obstructed {
            let replan = (&world.settings.replan, world.tick);
            world.obstructed.pause_between_tasks(&mut world.agents, row, replan);
        }
    } else if !drop && reason == UnreachableReason::Obstructed {
        let replan = (&world.settings.replan, world.tick);
        world.obstructed.pause(&mut world.agents, row, replan, until);
    } else if drop {
        world.counts.orders_unreachable += 1;
        world.counts.unreachable_reasons.count(reason);
        close_order(world, row);
    }
}
