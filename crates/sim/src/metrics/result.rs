//! The result of a run.

use crate::metrics::covered::CoveredTicks;
use crate::metrics::edits_pending_for::EditPendingFor;
use crate::metrics::longest::ClassResult;
use crate::metrics::orders_left::OrdersLeftBy;
use crate::metrics::tick_times::{TickMs, TickTimes};
use crate::metrics::wait_for_cycles::WaitForCycle;
use crate::unreachable::UnreachableReasons;
use crate::world::World;
use serde::Serialize;
use wheelbase_traffic::motion::Activity;

/// The result of a run: the object that `run --format json` prints, with its keys in this order.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in docs/format.md")]
pub struct RunResult {
    /// Version of the keys: 2 since the keys of earlier programs were renamed (CHANGELOG).
    pub schema: u32,
    pub scenario: String,
    pub seed: u64,
    pub threads: usize,
    pub ticks: u32,
    pub agents: u64,
    pub orders_done: u64,
    pub orders_unreachable: u64,
    pub unreachable_reasons: UnreachableReasons,
    pub orders_left: u64,
    pub orders_left_by: Vec<OrdersLeftBy>,
    pub tasks_done: u64,
    pub confined_agents: u64,
    pub confined_tasks_done: u64,
    pub longest_task_ticks: u32,
    pub edits_pending: u64,
    pub edits_pending_for: Vec<EditPendingFor>,
    pub removed: u64,
    pub not_placed: u64,
    pub collisions: Option<u64>,
    pub moves: u64,
    pub flowtime: u64,
    pub trips: u64,
    pub trips_of_no_length: u64,
    pub trip_ticks: u64,
    pub bound_ticks: u64,
    pub detour_permille: Option<u64>,
    pub progress_permille: Option<u64>,
    pub carried_permille: Option<u64>,
    pub longest_trip_ticks: u32,
    pub wait_ticks: u64,
    pub longest_wait_ticks: u32,
    pub stuck_agents: u64,
    pub wait_for_cycles: Vec<WaitForCycle>,
    pub no_progress_agents: u64,
    pub classes: Vec<ClassResult>,
    pub path_requests: u64,
    pub routes_exact: u64,
    pub routes_abstract: u64,
    pub leg_wait_ticks: u64,
    pub longest_request_ticks: u32,
    pub expansions: u64,
    pub state_hash: String,
    pub wall_s: f64,
    pub ticks_per_s: f64,
    pub agent_ticks_per_s: f64,
    pub moves_per_s: f64,
    pub tick_ms: TickMs,
    /// Peak memory of the process. `None` until the program sets it: a library does not ask the system.
    pub peak_memory_mib: Option<f64>,
    /// Orders left whose goal can be reached. Not printed; decides the exit status.
    #[serde(skip)]
    pub orders_left_doable: u64,
}

/// Version of the keys of results.
pub const SCHEMA: u32 = 2;

/// Keys of the result that depend on time, threads or memory.
pub const NOT_OUTCOME: [&str; 7] =
    ["threads", "wall_s", "ticks_per_s", "agent_ticks_per_s", "moves_per_s", "tick_ms", "peak_memory_mib"];

impl RunResult {
    /// The result of a run as it stands. `agent_ticks` is the number of agents summed over ticks.
    pub fn of(world: &World, threads: usize, times: &TickTimes, wall_s: f64, agent_ticks: u64) -> Self {
        let counts = world.counts();
        let rate = |count: u64| if wall_s > 0.0 { count as f64 / wall_s } else { 0.0 };
        let (orders_left, orders_left_doable) = world.orders_left();
        let confined = world.confined();
        Self {
            schema: SCHEMA,
            scenario: world.settings().name.clone(),
            seed: world.settings().seed,
            threads,
            ticks: world.tick(),
            agents: counts.placed,
            orders_done: counts.orders_done,
            orders_unreachable: counts.orders_unreachable,
            unreachable_reasons: counts.unreachable_reasons,
            orders_left,
            orders_left_by: world.orders_left_by(),
            tasks_done: counts.tasks_done,
            confined_agents: confined.agents,
            confined_tasks_done: confined.tasks_done,
            longest_task_ticks: world.longest_task_ticks(),
            edits_pending: world.edits_pending() as u64,
            edits_pending_for: world.edits_pending_for(),
            removed: counts.removed,
            not_placed: counts.not_placed,
            collisions: counts.collisions,
            moves: counts.moves,
            flowtime: counts.flowtime,
            trips: counts.trips,
            trips_of_no_length: counts.trips_of_no_length,
            trip_ticks: counts.trip_ticks,
            bound_ticks: counts.bound_ticks,
            detour_permille: (counts.trips > 0).then(|| permille(counts.trip_ticks, counts.bound_ticks)),
            progress_permille: world.progress_permille(),
            carried_permille: world.carried_permille(),
            longest_trip_ticks: world.longest_trip_ticks(),
            wait_ticks: counts.wait_ticks,
            longest_wait_ticks: counts.longest_wait_ticks,
            stuck_agents: world.stuck_agents(),
            wait_for_cycles: world.wait_for_cycles(),
            no_progress_agents: world.no_progress_agents(),
            classes: world.class_results(),
            path_requests: counts.path_requests,
            routes_exact: counts.routes_exact,
            routes_abstract: counts.routes_abstract,
            leg_wait_ticks: counts.leg_wait_ticks,
            longest_request_ticks: counts.longest_request_ticks,
            expansions: counts.expansions,
            state_hash: format!("{:016x}", world.state_hash()),
            wall_s,
            ticks_per_s: rate(u64::from(world.tick())),
            agent_ticks_per_s: rate(agent_ticks),
            moves_per_s: rate(counts.moves),
            tick_ms: times.quantiles(),
            peak_memory_mib: None,
            orders_left_doable,
        }
    }
}

impl World {
    /// Longest time from giving a task to its end, or to now for open tasks.
    fn longest_task_ticks(&self) -> u32 {
        let states = (0..self.agents.len()).map(|row| self.agents.orders(row));
        let open = states.filter(|state| self.orders.task(state).is_some());
        let longest = open.map(|state| self.tick.saturating_sub(state.since)).max();
        self.counts.longest_task_ticks.max(longest.unwrap_or(0))
    }

    /// Longest time from the start of a trip to its end, or to now for trips in progress.
    fn longest_trip_ticks(&self) -> u32 {
        let open = self.rows_under_way().map(|row| self.tick.saturating_sub(self.agents.orders(row).since));
        self.counts.longest_trip_ticks.max(open.max().unwrap_or(0))
    }

    /// Progress of all trips, finished and in progress: the part of their single-agent bounds that has been covered, in
    /// thousandths of the ticks spent. `None` before any such tick, and under a rule without paths.
    fn progress_permille(&self) -> Option<u64> {
        if !self.traffic.needs_paths() {
            return None;
        }
        let (mut spent, mut covered) = (self.counts.trip_ticks, self.counts.bound_ticks);
        let mut covered_ticks = CoveredTicks::new(self);
        for row in self.rows_under_way() {
            spent += u64::from(self.tick.saturating_sub(self.agents.orders(row).since));
            covered += covered_ticks.of(row);
        }
        (spent > 0).then(|| permille(covered, spent))
    }

    /// Single-agent bounds of the trips finished, in thousandths of the ticks of all agents. `None` before the first
    /// tick of an agent, and under a rule without paths.
    fn carried_permille(&self) -> Option<u64> {
        let agent_ticks = self.counts.agent_ticks;
        (agent_ticks > 0 && self.traffic.needs_paths())
            .then(|| permille(self.counts.bound_ticks, agent_ticks))
    }

    /// Agents under way that have finished no order, waypoint or task so far.
    fn no_progress_agents(&self) -> u64 {
        self.rows_under_way().filter(|&row| self.agents.statistics(row).finished == 0).count() as u64
    }

    /// Rows of the agents under way: with a goal that is not known to be unreachable.
    fn rows_under_way(&self) -> impl Iterator<Item = usize> {
        (0..self.agents.len()).filter(|&row| {
            let activity = self.agents.motion[row].activity;
            let goes = !matches!(activity, Activity::Idle | Activity::Dwelling | Activity::Unreachable);
            goes && self.orders.trip(&self.agents.orders(row)).is_some()
        })
    }

    /// Open orders that have an end, and how many of them belong to agents that can reach their goal.
    fn orders_left(&self) -> (u64, u64) {
        let (mut left, mut doable) = (0, 0);
        for (row, motion) in self.agents.motion.iter().enumerate() {
            let n = self.orders.left(&self.agents.orders(row)) as u64;
            left += n;
            if motion.activity != Activity::Unreachable {
                doable += n;
            }
        }
        for off in self.agents.off_map() {
            left += self.orders.left(&off.orders) as u64;
        }
        (left, doable)
    }
}

/// `part` in thousandths of `whole`, rounded to the nearest; 0 if `whole` is 0.
pub fn permille(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    (part * 1000 + whole / 2).checked_div(whole).unwrap_or(0) as u64
}
