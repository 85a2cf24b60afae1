//! The life of an order: it begins, asks for a path, is refused or finished, and the next one begins.

use crate::goal_poses::poses_of;
use crate::log::TraceEvent;
use crate::orders::{OrderKind, OrderState, current_goal};
use crate::requests::{PathRequest, Route, least_ticks};
use crate::statistics::TripStatistics;
use crate::tasks::may_be_goal;
use crate::trip::IfUnreachable;
use crate::unreachable::UnreachableReason;
use crate::world::Simulation;
use wheelbase_planner::{GoalMember, Status};
use wheelbase_traffic::motion::Activity;

/// Ticks that a patrol gives at least to a station that it can only get near.
const NEAREST_STATION_TICKS: u32 = 64;

/// Closes the current order as done, unless it was given, or another was done, at this very tick.
pub(crate) fn finish_order(sim: &mut Simulation, row: usize) {
    let (tick, agent) = (sim.tick, sim.agents.ids[row]);
    let (state, statistics) = (sim.agents.orders(row), sim.agents.statistics(row));
    let Some(order) = sim.orders.current(&state) else { return };
    let is_task = matches!(order.kind, OrderKind::Task(_));
    let given = if is_task { state.since } else { state.given };
    if tick <= given || statistics.finished_at == tick {
        return;
    }
    if is_task {
        if !is_at_goal(sim, row) {
            // It was pushed away before it was done.
            return begin_order(sim, row);
        }
        sim.counts.count_trip(&state, &statistics, tick);
        let finished = statistics.finished + 1;
        sim.agents.set_statistics(row, TripStatistics { finished_at: tick, finished, ..statistics });
        sim.counts.tasks_done += 1;
        sim.counts.flowtime += u64::from(tick - given);
        sim.counts.longest_task_ticks = sim.counts.longest_task_ticks.max(tick - given);
        let cell = sim.pose(row).cell;
        sim.note(TraceEvent::TaskDone { agent, cell });
        close_task(sim, row);
        begin_order(sim, row);
        return;
    }
    if let OrderKind::GotoArea(area, _) = &order.kind
        && !area.contains(sim.pose(row).cell)
    {
        // As near as it can get is not there.
        refuse(sim, row, Status::Unreachable);
        if sim.agents.motion[row].activity == Activity::Idle {
            begin_order(sim, row);
        }
        return;
    }
    let finished = statistics.finished + 1;
    if matches!(order.kind, OrderKind::Patrol(_)) {
        // As near as it can get to a station that is out of reach: it asks again, but not every tick.
        if state.to_nearest && tick - state.since < NEAREST_STATION_TICKS {
            return;
        }
        sim.counts.count_trip(&state, &statistics, tick);
        // A station is no order of its own; the patrol goes on.
        sim.agents.set_statistics(row, TripStatistics { finished, ..statistics });
        sim.agents.begin_trip(row, OrderState { station: state.station + 1, ..state }, tick);
    } else {
        let name = order.kind.name();
        if order.kind.trip().is_some() {
            sim.counts.count_trip(&state, &statistics, tick);
        }
        sim.agents.set_statistics(row, TripStatistics { finished_at: tick, finished, ..statistics });
        sim.counts.orders_done += 1;
        sim.counts.flowtime += u64::from(tick - state.given);
        sim.note(TraceEvent::Done { agent, order: name });
        close_order(sim, row);
    }
    begin_order(sim, row);
}

/// Takes the current order off the list; the next one begins in the orders phase.
fn close_order(sim: &mut Simulation, row: usize) {
    let mut state = sim.agents.orders(row);
    sim.orders.close(&mut state);
    sim.agents.begin_trip(row, OrderState { station: 0, reported: false, ..state }, sim.tick);
    sim.give_back(row);
    sim.agents.motion[row].activity = Activity::Idle;
}

/// The present task is done or given up; the next one is given when the order is begun again.
fn close_task(sim: &mut Simulation, row: usize) {
    let state = sim.agents.orders(row);
    if let Some((slot, _)) = sim.orders.current_tasks(&state, sim.agents.tasks(row)) {
        slot.close();
    }
    sim.agents.set_orders(row, OrderState { reported: false, ..state });
    sim.agents.motion[row].activity = Activity::Idle;
}

/// Gives an agent its next task, if tasks are its current order and it has none; says whether it is still
/// without one.
fn give_task(sim: &mut Simulation, row: usize) -> bool {
    let Simulation { orders, agents, tables, tick, reached, .. } = sim;
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
    sim.note(TraceEvent::Task { agent, class: motion.class, goal });
    false
}

/// Begins the current order, if there is one.
pub(crate) fn begin_order(sim: &mut Simulation, row: usize) {
    if give_task(sim, row) {
        // Nowhere to go until an edit makes room.
        sim.agents.motion[row].activity = Activity::Shut;
        return;
    }
    let state = sim.agents.orders(row);
    let activity = match sim.orders.current(&state).map(|order| &order.kind) {
        None => Activity::Idle,
        Some(OrderKind::Wait(_)) => Activity::Pausing,
        Some(_) if is_at_goal(sim, row) => {
            if sim.traffic.needs_paths() {
                let mut statistics = sim.agents.statistics(row);
                statistics.note_lone_ticks(0);
                sim.agents.set_statistics(row, statistics);
            }
            Activity::Arrived
        }
        Some(&OrderKind::GotoGroup(order, _)) if sim.agents.given[row].is_none() => {
            // It asks for its path once it has been told where to.
            sim.group_goals.open(order);
            Activity::Asking
        }
        Some(OrderKind::Task(_)) if !sim.traffic.needs_paths() => Activity::Following,
        Some(_) => return ask_for_path(sim, row, Route::Cheapest),
    };
    sim.agents.motion[row].activity = activity;
}

pub(crate) fn is_at_goal(sim: &Simulation, row: usize) -> bool {
    let state = &sim.agents.orders(row);
    let Some((kind, trip)) = sim.orders.current_trip(state) else { return false };
    if kind.gives_poses() {
        return !state.to_nearest && sim.agents.given[row] == Some(sim.agents.motion[row].state);
    }
    current_goal(trip, kind, state).matches(sim.grid.shape(), sim.pose(row))
}

/// Puts a path request in the queue; the agent rests until it is answered.
pub(crate) fn ask_for_path(sim: &mut Simulation, row: usize, route: Route) {
    if route == Route::Cheapest && sim.agents.orders(row).to_nearest {
        // The area itself may be open by now.
        sim.give_back(row);
    }
    let patience = sim.agents.patience[row];
    let request = PathRequest {
        agent: sim.agents.ids[row],
        issued: sim.tick,
        priority: patience.priority,
        route,
        least_ticks: least_ticks(sim.asking(), row),
    };
    sim.requests.push(request);
    sim.counts.path_requests += 1;
    let motion = &mut sim.agents.motion[row];
    motion.activity = Activity::Asking;
    motion.replan = false;
}

/// An order cannot be done: reported once, then kept or dropped as it says. An agent that an edit has
/// stranded keeps its order in any case: it is the agent that cannot move, not the goal that is shut.
pub(crate) fn refuse(sim: &mut Simulation, row: usize, status: Status) {
    let reason = match status {
        Status::StartBlocked => None,
        status => Some(reason_of(sim, row, status)),
    };
    shut(sim, row, reason);
}

/// As [`refuse`], for a reason that is known.
pub(crate) fn refuse_for(sim: &mut Simulation, row: usize, reason: UnreachableReason) {
    shut(sim, row, Some(reason));
}

/// Why an agent cannot do its order, for which its search has ended with a status.
fn reason_of(sim: &Simulation, row: usize, status: Status) -> UnreachableReason {
    let by_status = match status {
        Status::GoalOffMap => UnreachableReason::GoalOffMap,
        Status::GoalBlocked => UnreachableReason::GoalBlocked,
        Status::CostOverflow => return UnreachableReason::CostOverflow,
        _ => UnreachableReason::Unreachable,
    };
    let motion = &sim.agents.motion[row];
    match sim.orders.current(&sim.agents.orders(row)).map(|order| &order.kind) {
        Some(OrderKind::GotoArea(area, _)) => {
            let tables = &sim.tables[motion.class.0 as usize];
            let area = area.intersection(sim.grid.size().rect());
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
fn shut(sim: &mut Simulation, row: usize, reason: Option<UnreachableReason>) {
    let agent = sim.agents.ids[row];
    sim.agents.motion[row].activity = Activity::Shut;
    // Where it stands nobody else can be sent.
    sim.give_back(row);
    let state = sim.agents.orders(row);
    let Some(reason) = reason.filter(|_| !sim.orders.keeps_task(&state)) else { return };
    let Some((kind, trip)) = sim.orders.current_trip(&state) else { return };
    let is_task = matches!(kind, OrderKind::Task(_));
    let (order, drop) = (kind.name(), trip.if_unreachable == IfUnreachable::Drop);
    if !state.reported {
        sim.note(TraceEvent::Unreachable { agent, order });
    }
    sim.agents.set_orders(row, OrderState { reported: true, ..state });
    if is_task {
        close_task(sim, row);
    } else if drop {
        sim.counts.orders_unreachable += 1;
        sim.counts.unreachable_reasons.count(reason);
        close_order(sim, row);
    }
}
