//! One tick: its phases and their order, and nothing else orders them.

use crate::congestion::ask_for_quicker_paths;
use crate::counts::AtWork;
use crate::invariant;
use crate::log::TraceEvent;
use crate::motion::{Activity, Motion, step_of};
use crate::orders::{OrderKind, current_goal};
use crate::phases::events::apply_events;
use crate::requests::{Asking, PathRequest, Route, answer_requests, least_ticks, refuse};
use crate::traffic::{Decisions, Leads, Start, TrafficView};
use crate::world::Simulation;
use wheelbase_planner::Status;

/// Ticks that a patrol gives at least to a station that it can only get near.
const NEAREST_STATION_TICKS: u32 = 64;

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    Running,
    /// The last tick is reached, or nothing is left to do.
    Ended,
}

/// The phases of a tick, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Scenario events, and edits that waited.
    Events,
    /// Orders: what is done is closed, what comes next begins.
    Orders,
    /// Path requests are answered.
    Requests,
    /// Traffic decides who may start a move, and the moves begin.
    Traffic,
    /// Moves that end at the tick end.
    Moves,
    /// Metrics: who waits, before the moves; the invariants, where they are checked, behind them.
    Metrics,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Events, Self::Orders, Self::Requests, Self::Traffic, Self::Moves, Self::Metrics];

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        ["events", "orders", "requests", "traffic", "moves", "metrics"][self as usize]
    }
}

impl Simulation {
    /// Runs one tick. At the last tick only what moves have finished is counted, and no move begins.
    pub fn step(&mut self) -> Step {
        self.step_observed(&mut |_| {})
    }

    /// [`step`](Self::step) that names each phase to `begins` before it begins, so that a caller can time
    /// them; the simulation has no clock. [`Phase::Metrics`] comes on both sides of [`Phase::Moves`], and
    /// at the last tick only the first two phases come.
    pub fn step_observed(&mut self, begins: &mut impl FnMut(Phase)) -> Step {
        // Its rows are those of the last tick.
        self.ended.clear();
        let last = self.tick >= self.settings.ticks;
        begins(Phase::Events);
        if !last {
            apply_events(self);
        }
        begins(Phase::Orders);
        run_orders(self);
        if last || self.nothing_left() {
            return Step::Ended;
        }
        begins(Phase::Requests);
        ask_for_quicker_paths(self);
        answer_requests(self);
        begins(Phase::Traffic);
        run_traffic(self);
        begins(Phase::Metrics);
        count_waiting(self);
        self.tick += 1;
        begins(Phase::Moves);
        finish_moves(self);
        begins(Phase::Metrics);
        if self.check_invariants {
            let found = invariant::check(self);
            let pairs = invariant::colliding_pairs(&found);
            self.counts.collisions = self.counts.collisions.map(|sum| sum + pairs);
            self.violation = self.violation.or(found.first().map(|&violation| (self.tick, violation)));
        }
        Step::Running
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        while self.step() == Step::Running {}
    }

    /// Whether no tick to come can change anything: no event is left, nobody moves, asks, follows or
    /// pauses. An edit that still waits then waits for an agent that will not move.
    fn nothing_left(&self) -> bool {
        let still =
            |motion: &Motion| motion.at_rest() && matches!(motion.activity, Activity::Idle | Activity::Shut);
        self.next_event == self.events.len() && self.agents.motion.iter().all(still)
    }
}

/// The orders phase: closes what is done and begins what comes next, for agents at rest.
fn run_orders(sim: &mut Simulation) {
    for row in 0..sim.agents.len() {
        let motion = sim.agents.motion[row];
        if !motion.at_rest() {
            continue;
        }
        match motion.activity {
            Activity::Idle => begin_order(sim, row),
            Activity::Pausing => {
                let order = sim.orders.current(&sim.agents.orders[row]);
                if let Some(OrderKind::Wait(ticks)) = order.map(|order| &order.kind)
                    && sim.tick - sim.agents.orders[row].since >= *ticks
                {
                    finish_order(sim, row);
                }
            }
            Activity::Arrived => finish_order(sim, row),
            Activity::Yielding if sim.agents.paths[row].is_empty() => {
                if sim.tick >= sim.agents.patience[row].ask_again_at {
                    begin_order(sim, row);
                }
            }
            Activity::Following if motion.replan => ask_for_path(sim, row, Route::Cheapest),
            Activity::Yielding | Activity::Following | Activity::Asking | Activity::Shut => {}
        }
    }
}

/// Closes the current order as done, unless it was given, or another was done, at this very tick.
fn finish_order(sim: &mut Simulation, row: usize) {
    let (tick, agent) = (sim.tick, sim.agents.ids[row]);
    let state = sim.agents.orders[row];
    let Some(order) = sim.orders.current(&state) else { return };
    let is_task = matches!(order.kind, OrderKind::Task(_));
    let given = if is_task { state.since } else { state.given };
    if tick <= given || state.finished_at == tick {
        return;
    }
    if is_task {
        if !is_at_goal(sim, row) {
            // It was pushed away before it was done.
            return begin_order(sim, row);
        }
        sim.counts.count_trip(&state, tick);
        let state = &mut sim.agents.orders[row];
        (state.finished_at, state.finished) = (tick, state.finished + 1);
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
    let state = &mut sim.agents.orders[row];
    if matches!(order.kind, OrderKind::Patrol(_)) {
        // As near as it can get to a station that is out of reach: it asks again, but not every tick.
        if state.to_nearest && tick - state.since < NEAREST_STATION_TICKS {
            return;
        }
        sim.counts.count_trip(state, tick);
        // A station is no order of its own; the patrol goes on.
        state.station += 1;
        state.finished += 1;
        state.begin_trip(tick);
    } else {
        let name = order.kind.name();
        if order.kind.trip().is_some() {
            sim.counts.count_trip(state, tick);
        }
        (state.finished_at, state.finished) = (tick, state.finished + 1);
        sim.counts.orders_done += 1;
        sim.counts.flowtime += u64::from(tick - state.given);
        sim.note(TraceEvent::Done { agent, order: name });
        close_order(sim, row);
    }
    begin_order(sim, row);
}

/// Takes the current order off the list; the next one begins in the orders phase.
pub(crate) fn close_order(sim: &mut Simulation, row: usize) {
    let state = &mut sim.agents.orders[row];
    sim.orders.close(state);
    state.begin_trip(sim.tick);
    state.station = 0;
    state.reported = false;
    sim.give_back(row);
    sim.agents.motion[row].activity = Activity::Idle;
}

/// The present task is done or given up; the next one is given when the order is begun again.
pub(crate) fn close_task(sim: &mut Simulation, row: usize) {
    if let Some((slot, _)) = sim.orders.current_tasks(&sim.agents.orders[row]) {
        slot.close();
    }
    sim.agents.orders[row].reported = false;
    sim.agents.motion[row].activity = Activity::Idle;
}

/// Gives an agent its next task, if tasks are its current order and it has none; says whether it is still
/// without one.
fn give_task(sim: &mut Simulation, row: usize) -> bool {
    let Simulation { orders, agents, tables, tick, reached, .. } = sim;
    let motion = agents.motion[row];
    let state = &mut agents.orders[row];
    let Some((slot, source)) = orders.current_tasks(state) else { return false };
    if slot.goal().is_some() {
        return false;
    }
    let tables = &tables[motion.class.0 as usize];
    let Some(goal) = slot.give(source, tables, motion.state, reached) else {
        return true;
    };
    state.begin_trip(*tick);
    let agent = agents.ids[row];
    sim.note(TraceEvent::Task { agent, class: motion.class, goal });
    false
}

/// Begins the current order, if there is one.
fn begin_order(sim: &mut Simulation, row: usize) {
    if give_task(sim, row) {
        // Nowhere to go until an edit makes room.
        sim.agents.motion[row].activity = Activity::Shut;
        return;
    }
    let state = sim.agents.orders[row];
    let activity = match sim.orders.current(&state).map(|order| &order.kind) {
        None => Activity::Idle,
        Some(OrderKind::Wait(_)) => Activity::Pausing,
        Some(_) if is_at_goal(sim, row) => {
            if sim.traffic.needs_paths() {
                sim.agents.orders[row].note_lone_ticks(0);
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

fn is_at_goal(sim: &Simulation, row: usize) -> bool {
    let state = &sim.agents.orders[row];
    let Some((kind, trip)) = sim.orders.current_trip(state) else { return false };
    if kind.gives_poses() {
        return !state.to_nearest && sim.agents.given[row] == Some(sim.agents.motion[row].state);
    }
    current_goal(trip, kind, state).matches(sim.grid.shape(), sim.pose(row))
}

/// Puts a path request in the queue; the agent rests until it is answered.
pub(crate) fn ask_for_path(sim: &mut Simulation, row: usize, route: Route) {
    if route == Route::Cheapest && sim.agents.orders[row].to_nearest {
        // The area itself may be open by now.
        sim.give_back(row);
    }
    let patience = sim.agents.patience[row];
    let request = PathRequest {
        agent: sim.agents.ids[row],
        issued: sim.tick,
        priority: patience.priority,
        route,
        least_ticks: least_ticks(sim, row),
    };
    sim.requests.push(request);
    sim.counts.path_requests += 1;
    let motion = &mut sim.agents.motion[row];
    motion.activity = Activity::Asking;
    motion.replan = false;
}

/// The traffic phase: who may start a move, who asks for a way around, who makes way.
fn run_traffic(sim: &mut Simulation) {
    let mut decisions = std::mem::take(&mut sim.decisions);
    decisions.clear();
    let mut view = TrafficView {
        tick: sim.tick,
        tries: sim.settings.tries_per_tick,
        grid_size: sim.grid.size(),
        tables: &sim.tables,
        agents: &sim.agents,
        orders: &sim.orders,
        paths: &sim.paths,
        pending: &sim.pending,
        streams: sim.congestion.streams(),
        edited: &sim.edited,
        reservation: &mut sim.reservation,
    };
    let asking =
        Asking { agents: &sim.agents, classes: &sim.classes, tables: &sim.tables, orders: &sim.orders };
    let budget = sim.settings.expansions_per_tick;
    sim.requests.go_ahead_beside(asking, budget, || sim.traffic.decide(&mut view, &mut decisions));
    sim.edited.clear();
    replace_paths(sim, &decisions);
    for start in &decisions.starts {
        begin_move(sim, *start);
    }
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
            Leads::Off => sim.agents.orders[row].to_nearest = false,
            Leads::Aside => {
                // What it asked for is void: it will not be where it asked from.
                sim.requests.forget(sim.agents.ids[row]);
                sim.agents.motion[row].activity = Activity::Yielding;
            }
        }
    }
}

/// Begins a move of an agent, the next one of its path if it has one; its cells are reserved already.
fn begin_move(sim: &mut Simulation, Start { row, primitive, ticks }: Start) {
    let row = row as usize;
    let path = &mut sim.agents.paths[row];
    if !path.is_empty() {
        debug_assert_eq!(sim.paths.moves(*path)[0], primitive, "a move is begun that is not the next");
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

/// Counts the agents that could go on but rest.
fn count_waiting(sim: &mut Simulation) {
    let tick = sim.tick;
    let Simulation { agents, tables, congestion, paths, traffic, counts, at_work, .. } = sim;
    let needs_paths = traffic.needs_paths();
    *at_work = AtWork::default();
    if needs_paths {
        congestion.fade(tick);
        congestion.renew(tick, agents, tables, paths);
    }
    for ((motion, patience), path) in agents.motion.iter().zip(&mut agents.patience).zip(&agents.paths) {
        let goes = match motion.activity {
            Activity::Asking | Activity::Following => true,
            Activity::Yielding => !path.is_empty(),
            _ => false,
        };
        let waits = motion.at_rest() && goes;
        at_work.moving += u32::from(!motion.at_rest());
        if !waits {
            patience.waits_since = u32::MAX;
            continue;
        }
        if patience.waits_since == u32::MAX {
            patience.waits_since = tick;
        }
        if needs_paths && motion.activity == Activity::Following {
            let space = tables[motion.class.0 as usize].space();
            congestion.count_wait(motion.class, space.pose(motion.state).cell);
        }
        at_work.waiting += 1;
        counts.wait_ticks += 1;
        counts.longest_wait_ticks = counts.longest_wait_ticks.max(tick + 1 - patience.waits_since);
    }
}

/// Ends the moves that end at the present tick: from now on their agents rest on their footprints. All give
/// up their cells before any takes its own, for one may end where another began.
fn finish_moves(sim: &mut Simulation) {
    let mut ended = std::mem::take(&mut sim.ended);
    ended.clear();
    for (row, motion) in sim.agents.motion.iter().enumerate() {
        if motion.until == sim.tick {
            ended.push((row as u32, motion.state));
            sim.reservation.end_move(sim.agents.ids[row], &step_of(&sim.tables, motion));
        }
    }
    for &(row, before) in &ended {
        let row = row as usize;
        let motion = &mut sim.agents.motion[row];
        let tables = &sim.tables[motion.class.0 as usize];
        motion.state = tables.state_after(before, motion.primitive as usize);
        motion.until = Motion::AT_REST;
        let pose = tables.space().pose(motion.state);
        sim.reservation.hold(sim.agents.ids[row], pose.cell, tables.class().cells_at(pose));
        sim.agents.patience[row].moved_at = sim.tick;
    }
    for &(row, _) in &ended {
        settle(sim, row as usize);
    }
    sim.ended = ended;
}

/// What an agent does next, once a move of its path has ended.
fn settle(sim: &mut Simulation, row: usize) {
    let path_done = sim.agents.paths[row].is_empty();
    match sim.agents.motion[row].activity {
        // It may come to its goal before its path ends, after it was pushed or the goal is wide.
        // The nearest pose is where it goes only as long as no edit has opened a better way.
        Activity::Following
            if is_at_goal(sim, row)
                || (path_done && sim.agents.orders[row].to_nearest && !sim.agents.motion[row].replan) =>
        {
            sim.paths.drop_path(&mut sim.agents.paths[row]);
            sim.agents.motion[row].activity = Activity::Arrived;
            sim.agents.motion[row].replan = false;
        }
        // A path around others may end where the goal is no more.
        Activity::Following if path_done && sim.traffic.needs_paths() => sim.agents.motion[row].replan = true,
        Activity::Yielding if path_done => {
            let again_at = sim.tick.saturating_add(crate::traffic::YIELD_HOLD_TICKS);
            sim.agents.patience[row].ask_again_at = again_at;
        }
        _ => {}
    }
}
