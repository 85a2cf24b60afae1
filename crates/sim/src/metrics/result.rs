//! What a run counts, and the result it prints.

use crate::metrics::wait_for_cycles::WaitForCycle;
use crate::unreachable::UnreachableReasons;
use crate::world::World;
use serde::Serialize;
use std::io::{self, Write};
use wheelbase_traffic::motion::{Activity, end_state};

/// An agent with somewhere to go that has ended no move for so many ticks at the end is stuck.
pub const STUCK_AFTER_TICKS: u32 = 256;

/// Counts behind a tick, for recordings and metrics. The first six are of the tick, the others of the run so
/// far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Agents that are there.
    pub agents: u32,
    /// Agents in mid-move, once the moves of the tick had begun.
    pub moving: u32,
    /// Agents at rest with somewhere to go and a way there, or waiting for one to be found.
    pub waiting: u32,
    /// Of those, agents that have ended no move for [`STUCK_AFTER_TICKS`].
    pub stuck: u32,
    /// Edits that wait until they disturb nobody.
    pub edits_pending: u32,
    /// Path requests that are not answered yet.
    pub requests_open: u32,
    /// Orders done.
    pub orders_done: u64,
    /// Orders dropped because their goal cannot be reached.
    pub orders_unreachable: u64,
    /// Tasks done.
    pub tasks_done: u64,
    /// Moves begun.
    pub moves: u64,
    /// Path requests made.
    pub path_requests: u64,
    /// Expansions of all searches.
    pub expansions: u64,
    /// Agent-ticks waited.
    pub wait_ticks: u64,
}

impl Counters {
    /// The counters of a simulation behind its last tick. Linear in agents.
    pub fn of(world: &World) -> Self {
        let counts = world.counts();
        Self {
            agents: world.agents.len() as u32,
            moving: world.at_work.moving,
            waiting: world.at_work.waiting,
            stuck: world.stuck_agents() as u32,
            edits_pending: world.edits_pending() as u32,
            requests_open: world.requests.open() as u32,
            orders_done: counts.orders_done,
            orders_unreachable: counts.orders_unreachable,
            tasks_done: counts.tasks_done,
            moves: counts.moves,
            path_requests: counts.path_requests,
            expansions: counts.expansions,
            wait_ticks: counts.wait_ticks,
        }
    }

    /// Names of the counters, in the order of [`Counters::values`].
    pub const NAMES: [&'static str; 13] = [
        "agents",
        "moving",
        "waiting",
        "stuck",
        "edits_pending",
        "requests_open",
        "orders_done",
        "orders_unreachable",
        "tasks_done",
        "moves",
        "path_requests",
        "expansions",
        "wait_ticks",
    ];

    /// The counters in the order of [`Counters::NAMES`].
    pub fn values(&self) -> [u64; 13] {
        [
            self.agents.into(),
            self.moving.into(),
            self.waiting.into(),
            self.stuck.into(),
            self.edits_pending.into(),
            self.requests_open.into(),
            self.orders_done,
            self.orders_unreachable,
            self.tasks_done,
            self.moves,
            self.path_requests,
            self.expansions,
            self.wait_ticks,
        ]
    }

    /// Writes the first line of a file of metrics: the names of its columns.
    /// # Errors
    /// Those of the writer.
    pub fn write_csv_header(out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "tick,{}", Self::NAMES.join(","))
    }

    /// Writes the line of a tick: its number, and the counters.
    /// # Errors
    /// Those of the writer.
    pub fn write_csv_row(&self, tick: u32, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{tick}")?;
        self.values().iter().try_for_each(|value| write!(out, ",{value}"))?;
        writeln!(out)
    }

    /// The counters of such values, or `None` if one is too large for its counter.
    pub fn of_values(values: [u64; 13]) -> Option<Self> {
        let small = |value: u64| u32::try_from(value).ok();
        // A count that could not be added to is no count of a run.
        let large = |value: u64| Some(value).filter(|&value| value <= u64::MAX / 4);
        let [agents, moving, waiting, stuck, edits_pending, requests_open, rest @ ..] = values;
        let [orders_done, orders_unreachable, tasks_done, moves, path_requests, expansions, wait_ticks] =
            rest;
        Some(Self {
            agents: small(agents)?,
            moving: small(moving)?,
            waiting: small(waiting)?,
            stuck: small(stuck)?,
            edits_pending: small(edits_pending)?,
            requests_open: small(requests_open)?,
            orders_done: large(orders_done)?,
            orders_unreachable: large(orders_unreachable)?,
            tasks_done: large(tasks_done)?,
            moves: large(moves)?,
            path_requests: large(path_requests)?,
            expansions: large(expansions)?,
            wait_ticks: large(wait_ticks)?,
        })
    }
}

/// Ticks' durations and what is made of them; outside the simulation, for no clock reaches its state.
#[derive(Clone, Debug, Default)]
pub struct TickTimes {
    nanos: Vec<u64>,
    total_nanos: u64,
}

/// Durations kept; of a longer run the later ones replace the earlier.
const TIMES_KEPT: usize = 1 << 21;

/// Quantiles of the durations of ticks, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TickMs {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Longest.
    pub max: f64,
}

impl TickTimes {
    /// Room for so many ticks.
    pub fn with_capacity(ticks: u32) -> Self {
        Self { nanos: Vec::with_capacity((ticks as usize).min(TIMES_KEPT)), total_nanos: 0 }
    }

    /// Adds the duration of a tick.
    pub fn add(&mut self, tick: u32, duration: std::time::Duration) {
        let nanos = duration.as_nanos() as u64;
        self.total_nanos += nanos;
        if self.nanos.len() < TIMES_KEPT {
            self.nanos.push(nanos);
        } else {
            self.nanos[tick as usize % TIMES_KEPT] = nanos;
        }
    }

    /// Seconds of all ticks together.
    pub fn total_s(&self) -> f64 {
        self.total_nanos as f64 / 1e9
    }

    /// Median, 99th percentile and maximum; 0 without ticks.
    pub fn quantiles(&self) -> TickMs {
        let mut sorted = self.nanos.clone();
        sorted.sort_unstable();
        let at = |permille| quantile_ms(&sorted, permille);
        TickMs { p50: at(500), p99: at(990), max: at(1000) }
    }
}

/// The duration in milliseconds that `permille` in a thousand of `sorted` are not above, which are
/// durations in nanoseconds; 0 if there are none.
pub fn quantile_ms<T: Copy + Into<u64>>(sorted: &[T], permille: usize) -> f64 {
    let index = (sorted.len() * permille / 1000).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(0.0, |&nanos| nanos.into() as f64 / 1e6)
}

/// The result of a run: the object that `run --format json` prints (DESIGN 8), keys in its order.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in DESIGN 8 and scenarios/README.md")]
pub struct RunResult {
    /// Version of the keys: 2 since those of earlier programs were renamed (CHANGELOG).
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
    pub tasks_done: u64,
    pub longest_task_ticks: u32,
    pub edits_pending: u64,
    pub removed: u64,
    pub not_placed: u64,
    pub collisions: Option<u64>,
    pub moves: u64,
    pub flowtime: u64,
    pub trips: u64,
    pub trip_ticks: u64,
    pub bound_ticks: u64,
    pub detour_permille: Option<u64>,
    pub progress_permille: Option<u64>,
    pub longest_trip_ticks: u32,
    pub wait_ticks: u64,
    pub longest_wait_ticks: u32,
    pub stuck_agents: u64,
    pub wait_for_cycles: Vec<WaitForCycle>,
    pub no_progress_agents: u64,
    pub path_requests: u64,
    pub longest_request_ticks: u32,
    pub expansions: u64,
    pub state_hash: String,
    pub wall_s: f64,
    pub ticks_per_s: f64,
    pub agent_ticks_per_s: f64,
    pub moves_per_s: f64,
    pub tick_ms: TickMs,
    /// Most memory that the process has held: for whoever runs it to set.
    pub peak_memory_mib: Option<f64>,
    /// Orders left whose goal could have been reached; not printed, it decides the exit status.
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
            tasks_done: counts.tasks_done,
            longest_task_ticks: world.longest_task_ticks(),
            edits_pending: world.edits_pending() as u64,
            removed: counts.removed,
            not_placed: counts.not_placed,
            collisions: counts.collisions,
            moves: counts.moves,
            flowtime: counts.flowtime,
            trips: counts.trips,
            trip_ticks: counts.trip_ticks,
            bound_ticks: counts.bound_ticks,
            detour_permille: (counts.trips > 0).then(|| permille(counts.trip_ticks, counts.bound_ticks)),
            progress_permille: world.progress_permille(),
            longest_trip_ticks: world.longest_trip_ticks(),
            wait_ticks: counts.wait_ticks,
            longest_wait_ticks: counts.longest_wait_ticks,
            stuck_agents: world.stuck_agents(),
            wait_for_cycles: world.wait_for_cycles(),
            no_progress_agents: world.no_progress_agents(),
            path_requests: counts.path_requests,
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
    /// Longest time from a task given to done, or to now of those that are not done.
    fn longest_task_ticks(&self) -> u32 {
        let states = (0..self.agents.len()).map(|row| self.agents.orders(row));
        let open = states.filter(|state| self.orders.task(state).is_some());
        let longest = open.map(|state| self.tick.saturating_sub(state.since)).max();
        self.counts.longest_task_ticks.max(longest.unwrap_or(0))
    }

    /// Longest time from a trip begun to finished, or to now of those that are under way.
    fn longest_trip_ticks(&self) -> u32 {
        let open = self.rows_under_way().map(|row| self.tick.saturating_sub(self.agents.orders(row).since));
        self.counts.longest_trip_ticks.max(open.max().unwrap_or(0))
    }

    /// Ticks that lone agents would have taken for what has been covered, of the trips finished and of the
    /// paths in hand, in thousandths of the ticks that went by; `None` if no trip has come so far.
    fn progress_permille(&self) -> Option<u64> {
        let (mut gone, mut covered) = (self.counts.trip_ticks, self.counts.bound_ticks);
        for row in self.rows_under_way() {
            let (orders, motion) = (&self.agents.orders(row), &self.agents.motion[row]);
            let follows = motion.activity == Activity::Following && !motion.replan && !orders.to_nearest;
            let Some(bound_ticks) = self.agents.statistics(row).bound_ticks().filter(|_| follows) else {
                continue;
            };
            let tables = &self.tables[motion.class.0 as usize];
            let mut state = end_state(tables, motion);
            let mut left = if motion.at_rest() { 0 } else { u64::from(motion.until - self.tick) };
            for &primitive in self.paths.moves(self.agents.paths[row]) {
                let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
                left += u64::from(ticks);
                state = tables.state_after(state, usize::from(primitive));
            }
            gone += u64::from(self.tick.saturating_sub(orders.since));
            covered += u64::from(bound_ticks).saturating_sub(left);
        }
        (gone > 0).then(|| permille(covered, gone))
    }

    /// Agents with somewhere to go and a way there that have finished no order, station or task so far.
    fn no_progress_agents(&self) -> u64 {
        self.rows_under_way().filter(|&row| self.agents.statistics(row).finished == 0).count() as u64
    }

    /// Rows of agents with somewhere to go and a way there, as far as is known.
    fn rows_under_way(&self) -> impl Iterator<Item = usize> {
        (0..self.agents.len()).filter(|&row| {
            let activity = self.agents.motion[row].activity;
            let goes = !matches!(activity, Activity::Idle | Activity::Dwelling | Activity::Unreachable);
            let order = self.orders.current(&self.agents.orders(row));
            goes && order.is_some_and(|order| order.kind.trip().is_some())
        })
    }

    /// Orders left with an end, and how many of them belong to agents that had a way.
    fn orders_left(&self) -> (u64, u64) {
        let (mut left, mut doable) = (0, 0);
        for (row, motion) in self.agents.motion.iter().enumerate() {
            let n = self.orders.left(&self.agents.orders(row)) as u64;
            left += n;
            if motion.activity != Activity::Unreachable {
                doable += n;
            }
        }
        (left, doable)
    }

    /// Agents that are [stuck](Simulation::is_stuck).
    fn stuck_agents(&self) -> u64 {
        (0..self.agents.len()).filter(|&row| self.is_stuck(row)).count() as u64
    }

    /// Whether the agent in a row has somewhere to go and a way there and has ended no move for
    /// [`STUCK_AFTER_TICKS`] ticks.
    pub(crate) fn is_stuck(&self, row: usize) -> bool {
        use wheelbase_traffic::motion::Activity;
        let trying = matches!(
            self.agents.motion[row].activity,
            Activity::AwaitingPath | Activity::Following | Activity::Yielding
        );
        let has_trip = self.orders.current(&self.agents.orders(row)).is_some_and(|o| o.kind.trip().is_some());
        let since = self.agents.wait_states[row].moved_at.max(self.agents.orders(row).since);
        let still = self.tick.saturating_sub(since);
        trying && has_trip && self.agents.motion[row].at_rest() && still >= STUCK_AFTER_TICKS
    }
}

/// `part` in thousandths of `whole`, rounded to the nearest; 0 of nothing.
pub fn permille(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    (part * 1000 + whole / 2).checked_div(whole).unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The first tick of a large problem takes many seconds: it makes all cost fields.
    #[test]
    fn long_ticks_are_told_whole() {
        let mut times = TickTimes::with_capacity(3);
        [2, 3, 9000].into_iter().zip(0..).for_each(|(ms, tick)| times.add(tick, Duration::from_millis(ms)));
        assert_eq!(times.quantiles(), TickMs { p50: 3.0, p99: 9000.0, max: 9000.0 });
        assert_eq!(times.total_s(), 9.005);
    }
}
