//! The life of an order: it begins, requests a path, is done or found unreachable, and the next one begins.

use crate::goal_poses::poses_of;
use crate::log::TraceEvent;
use crate::orders::{OrderKind, OrderState, current_goal};
use crate::requests::{PathRequest, Route, least_ticks};
use crate::statistics::TripStatistics;
use crate::tasks::may_be_goal;
use crate::trip::IfUnreachable;
use crate::unreachable::UnreachableReason;
use crate::world::World;
use wheelbase_planner::{GoalMember, Status};
use wheelbase_traffic::motion::Activity;

/// Least time, in ticks, that a patrol spends at a station it can only get near to.
const NEAREST_STATION_TICKS: u32 = 64;

/// Closes the current order as done, unless it was given, or another order was done, at this very tick.
pub(crate) fn finish_order(world: &mut World, row: usize) {
    let (tick, agent) = (world.tick, world.agents.ids[row]);
    let (state, statistics) = (world.agents.orders(row), world.agents.statistics(row));
    let Some(order) = world.orders.current(&state) else { return };
    let is_task = matches!(order.kind, OrderKind::Task(_));
    let given = if is_task { state.since } else { state.given };
    if tick <= given || statistics.finished_at == tick {
        return;
    }
    if is_task {
        if !is_at_goal(world, row) {
            // It was pushed off its goal before the task was closed.
            return begin_order(world, row);
        }
        world.counts.count_trip(&state, &statistics, tick);
        let finished = statistics.finished + 1;
        world.agents.set_statistics(row, TripStatistics { finished_at: tick, finished, ..statistics });
        world.counts.tasks_done += 1;
        world.counts.flowtime += u64::from(tick - given);
        world.counts.longest_task_ticks = world.counts.longest_task_ticks.max(tick - given);
        let cell = world.pose(row).cell;
        world.log_event(TraceEvent::TaskDone { agent, cell });
        close_task(world, row);
        begin_order(world, row);
        return;
    }
    if let OrderKind::GotoArea(area, _) = &order.kind
        && !area.contains(world.pose(row).cell)
    {
        // The nearest pose does not count for an area.
        refuse(world, row, Status::Unreachable);
        if world.agents.motion[row].activity == Activity::Idle {
            begin_order(world, row);
        }
        return;
    }
    let finished = statistics.finished + 1;
    if matches!(order.kind, OrderKind::Patrol(_)) {
        // At the nearest pose to an unreachable station it tries again, but not every tick.
        if state.to_nearest && tick - state.since < NEAREST_STATION_TICKS {
            return;
        }
        world.counts.count_trip(&state, &statistics, tick);
        // A station is not an order of its own: the patrol goes on.
        world.agents.set_statistics(row, TripStatistics { finished, ..statistics });
        world.agents.begin_trip(row, OrderState { station: state.station + 1, ..state }, tick);
    } else {
        let name = order.kind.name();
        if order.kind.trip().is_some() {
            world.counts.count_trip(&state, &statistics, tick);
        }
        world.agents.set_statistics(row, TripStatistics { finished_at: tick, finished, ..statistics });
        world.counts.orders_done += 1;
        world.counts.flowtime += u64::from(tick - state.given);
        world.log_event(TraceEvent::Done { agent, order: name });
        close_order(world, row);
    }
    begin_order(world, row);
}

/// Takes the current order off the list. The orders phase begins the next one.
fn close_order(world: &mut World, row: usize) {
    let mut state = world.agents.orders(row);
    world.orders.close(&mut state);
    world.agents.begin_trip(row, OrderState { station: 0, reported: false, ..state }, world.tick);
    world.release_pose(row);
    world.agents.motion[row].activity = Activity::Idle;
}

/// Closes the current task, done or not. The next one is given when the order begins again.
fn close_task(world: &mut World, row: usize) {
    let state = world.agents.orders(row);
    if let Some((slot, _)) = world.orders.current_tasks(&state, world.agents.tasks(row)) {
        slot.close();
    }
    world.agents.set_orders(row, OrderState { reported: false, ..state });
    world.agents.motion[row].activity = Activity::Idle;
}

/// Gives an agent its next task, if its current order is tasks and it has none. Returns whether it still has none.
fn give_task(world: &mut World, row: usize) -> bool {
    let World { orders, agents, tables, tick, reached, .. } = world;
    let motion = agents.motion[row];
    let state = agents.orders(row);
    let Some((slot, source)) = orders.current_tasks(&state, agents.tasks(row)) else { return false };
    if slot.goal().is_some() {
        return false;
    }
    let tables = &tables[motion.class.0 as usize];
    let Some(goal) = slot.give(source, tables, motion.state, reached) else {
        return true;
    };
    agents.begin_trip(row, state, *tick);
    let agent = agents.ids[row];
    world.log_event(TraceEvent::Task { agent, class: motion.class, goal });
    false
}

/// Begins the current order, if there is one.
pub(crate) fn begin_order(world: &mut World, row: usize) {
    if give_task(world, row) {
        // There is no goal until an edit makes room.
        world.agents.motion[row].activity = Activity::Unreachable;
        return;
    }
    let state = world.agents.orders(row);
    let activity = match world.orders.current(&state).map(|order| &order.kind) {
        None => Activity::Idle,
        Some(OrderKind::Wait(_)) => Activity::Dwelling,
        Some(_) if is_at_goal(world, row) => {
            if world.traffic.needs_paths() {
                let mut statistics = world.agents.statistics(row);
                statistics.record_bound_ticks(0);
                world.agents.set_statistics(row, statistics);
            }
            Activity::Arrived
        }
        Some(&OrderKind::GotoGroup(order, _)) if world.agents.assigned[row].is_none() => {
            // It requests a path once it has a pose.
            world.group_goals.open(order);
            Activity::AwaitingPath
        }
        Some(OrderKind::Task(_)) if !world.traffic.needs_paths() => Activity::Following,
        Some(_) => return request_path(world, row, Route::Cheapest),
    };
    world.agents.motion[row].activity = activity;
}

/// Whether an agent is at the goal of its current order, or in its assigned pose.
pub(crate) fn is_at_goal(world: &World, row: usize) -> bool {
    let state = &world.agents.orders(row);
    let Some((kind, trip)) = world.orders.current_trip(state) else { return false };
    if kind.assigns_pose() {
        return !state.to_nearest && world.agents.assigned[row] == Some(world.agents.motion[row].state);
    }
    current_goal(trip, kind, state).matches(world.grid.shape(), world.pose(row))
}

/// Queues a path request. The agent rests until it is answered.
pub(crate) fn request_path(world: &mut World, row: usize, route: Route) {
    if route == Route::Cheapest && world.agents.orders(row).to_nearest {
        // A pose in the area itself can be free by now.
        world.release_pose(row);
    }
    let wait_state = world.agents.wait_states[row];
    let request = PathRequest {
        agent: world.agents.ids[row],
        issued: world.tick,
        priority: wait_state.priority,
        route,
        least_ticks: least_ticks(world.search_inputs(), row),
    };
    world.requests.push(request);
    world.counts.path_requests += 1;
    let motion = &mut world.agents.motion[row];
    motion.activity = Activity::AwaitingPath;
    motion.replan = false;
}

/// The goal of the current order cannot be reached: the order is reported once, then kept or dropped as it says. An
/// agent that an edit has stranded keeps its order in any case: the agent cannot move, whatever the goal.
pub(crate) fn refuse(world: &mut World, row: usize, status: Status) {
    let reason = match status {
        Status::StartBlocked => None,
        status => Some(reason_of(world, row, status)),
    };
    set_unreachable(world, row, reason);
}

/// As [`refuse`], with a known reason.
pub(crate) fn refuse_with(world: &mut World, row: usize, reason: UnreachableReason) {
    set_unreachable(world, row, Some(reason));
}

/// Why the current order cannot be done, given the status of its search.
fn reason_of(world: &World, row: usize, status: Status) -> UnreachableReason {
    let by_status = match status {
        Status::GoalOffMap => UnreachableReason::GoalOffMap,
        Status::GoalBlocked => UnreachableReason::GoalBlocked,
        Status::CostOverflow => return UnreachableReason::CostOverflow,
        _ => UnreachableReason::Unreachable,
    };
    let motion = &world.agents.motion[row];
    match world.orders.current(&world.agents.orders(row)).map(|order| &order.kind) {
        Some(OrderKind::GotoArea(area, _)) => {
            let tables = &world.tables[motion.class.0 as usize];
            let area = area.intersection(world.grid.size().rect());
            let is_legal = |cell| poses_of(tables, GoalMember::any(cell)).next().is_some();
            if area.is_empty() {
                UnreachableReason::GoalOffMap
            } else if area.cells().any(|cell| may_be_goal(tables, motion.state, cell)) {
                // There are legal poses, but no free one.
                UnreachableReason::NoRoom
            } else if area.cells().any(is_legal) {
                UnreachableReason::Unreachable
            } else {
                UnreachableReason::GoalBlocked
            }
        }
        Some(kind) if kind.trip().is_some_and(|trip| trip.members.is_empty()) => {
            UnreachableReason::NoSuchHeading
        }
        _ => by_status,
    }
}

/// Marks an agent as unreachable. Its order is reported, and kept or dropped; without a reason, which is where the
/// agent itself cannot move, it is kept unreported.
fn set_unreachable(world: &mut World, row: usize, reason: Option<UnreachableReason>) {
    let agent = world.agents.ids[row];
    world.agents.motion[row].activity = Activity::Unreachable;
    // The occupancy keeps other agents off the pose in which it rests.
    world.release_pose(row);
    let state = world.agents.orders(row);
    let Some(reason) = reason.filter(|_| !world.orders.keeps_task(&state)) else { return };
    let Some((kind, trip)) = world.orders.current_trip(&state) else { return };
    let is_task = matches!(kind, OrderKind::Task(_));
    let (order, drop) = (kind.name(), trip.if_unreachable == IfUnreachable::Drop);
    if !state.reported {
        world.log_event(TraceEvent::Unreachable { agent, order });
    }
    world.agents.set_orders(row, OrderState { reported: true, ..state });
    if is_task {
        close_task(world, row);
    } else if drop {
        world.counts.orders_unreachable += 1;
        world.counts.unreachable_reasons.count(reason);
        close_order(world, row);
    }
}
