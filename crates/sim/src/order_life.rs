//! The life of an order: it begins, asks for a path, is refused or finished, and the next one begins.

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

/// Ticks that a patrol gives at least to a station that it can only get near.
const NEAREST_STATION_TICKS: u32 = 64;

/// Closes the current order as done, unless it was given, or another was done, at this very tick.
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
            // It was pushed away before it was done.
            return begin_order(world, row);
        }
        world.counts.count_trip(&state, &statistics, tick);
        let finished = statistics.finished + 1;
        world.agents.set_statistics(row, TripStatistics { finished_at: tick, finished, ..statistics });
        world.counts.tasks_done += 1;
        world.counts.flowtime += u64::from(tick - given);
        world.counts.longest_task_ticks = world.counts.longest_task_ticks.max(tick - given);
        let cell = world.pose(row).cell;
        world.note(TraceEvent::TaskDone { agent, cell });
        close_task(world, row);
        begin_order(world, row);
        return;
    }
    if let OrderKind::GotoArea(area, _) = &order.kind
        && !area.contains(world.pose(row).cell)
    {
        // As near as it can get is not there.
        refuse(world, row, Status::Unreachable);
        if world.agents.motion[row].activity == Activity::Idle {
            begin_order(world, row);
        }
        return;
    }
    let finished = statistics.finished + 1;
    if matches!(order.kind, OrderKind::Patrol(_)) {
        // As near as it can get to a station that is out of reach: it asks again, but not every tick.
        if state.to_nearest && tick - state.since < NEAREST_STATION_TICKS {
            return;
        }
        world.counts.count_trip(&state, &statistics, tick);
        // A station is no order of its own; the patrol goes on.
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
        world.note(TraceEvent::Done { agent, order: name });
        close_order(world, row);
    }
    begin_order(world, row);
}

/// Takes the current order off the list; the next one begins in the orders phase.
fn close_order(world: &mut World, row: usize) {
    let mut state = world.agents.orders(row);
    world.orders.close(&mut state);
    world.agents.begin_trip(row, OrderState { station: 0, reported: false, ..state }, world.tick);
    world.give_back(row);
    world.agents.motion[row].activity = Activity::Idle;
}

/// The present task is done or given up; the next one is given when the order is begun again.
fn close_task(world: &mut World, row: usize) {
    let state = world.agents.orders(row);
    if let Some((slot, _)) = world.orders.current_tasks(&state, world.agents.tasks(row)) {
        slot.close();
    }
    world.agents.set_orders(row, OrderState { reported: false, ..state });
    world.agents.motion[row].activity = Activity::Idle;
}

/// Gives an agent its next task, if tasks are its current order and it has none; says whether it is still
/// without one.
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
    world.note(TraceEvent::Task { agent, class: motion.class, goal });
    false
}

/// Begins the current order, if there is one.
pub(crate) fn begin_order(world: &mut World, row: usize) {
    if give_task(world, row) {
        // Nowhere to go until an edit makes room.
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
                statistics.note_bound_ticks(0);
                world.agents.set_statistics(row, statistics);
            }
            Activity::Arrived
        }
        Some(&OrderKind::GotoGroup(order, _)) if world.agents.given[row].is_none() => {
            // It asks for its path once it has been told where to.
            world.group_goals.open(order);
            Activity::AwaitingPath
        }
        Some(OrderKind::Task(_)) if !world.traffic.needs_paths() => Activity::Following,
        Some(_) => return ask_for_path(world, row, Route::Cheapest),
    };
    world.agents.motion[row].activity = activity;
}

pub(crate) fn is_at_goal(world: &World, row: usize) -> bool {
    let state = &world.agents.orders(row);
    let Some((kind, trip)) = world.orders.current_trip(state) else { return false };
    if kind.gives_poses() {
        return !state.to_nearest && world.agents.given[row] == Some(world.agents.motion[row].state);
    }
    current_goal(trip, kind, state).matches(world.grid.shape(), world.pose(row))
}

/// Puts a path request in the queue; the agent rests until it is answered.
pub(crate) fn ask_for_path(world: &mut World, row: usize, route: Route) {
    if route == Route::Cheapest && world.agents.orders(row).to_nearest {
        // The area itself may be open by now.
        world.give_back(row);
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

/// An order cannot be done: reported once, then kept or dropped as it says. An agent that an edit has
/// stranded keeps its order in any case: it is the agent that cannot move, not the goal that is shut.
pub(crate) fn refuse(world: &mut World, row: usize, status: Status) {
    let reason = match status {
        Status::StartBlocked => None,
        status => Some(reason_of(world, row, status)),
    };
    shut(world, row, reason);
}

/// As [`refuse`], for a reason that is known.
pub(crate) fn refuse_for(world: &mut World, row: usize, reason: UnreachableReason) {
    shut(world, row, Some(reason));
}

/// Why an agent cannot do its order, for which its search has ended with a status.
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
                // There are poses to go to, and none for it.
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

/// The agent stands where it is; its order is reported, and kept or dropped, unless it is the agent that
/// cannot move.
fn shut(world: &mut World, row: usize, reason: Option<UnreachableReason>) {
    let agent = world.agents.ids[row];
    world.agents.motion[row].activity = Activity::Unreachable;
    // Where it stands nobody else can be sent.
    world.give_back(row);
    let state = world.agents.orders(row);
    let Some(reason) = reason.filter(|_| !world.orders.keeps_task(&state)) else { return };
    let Some((kind, trip)) = world.orders.current_trip(&state) else { return };
    let is_task = matches!(kind, OrderKind::Task(_));
    let (order, drop) = (kind.name(), trip.if_unreachable == IfUnreachable::Drop);
    if !state.reported {
        world.note(TraceEvent::Unreachable { agent, order });
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
