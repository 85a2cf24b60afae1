//! What a run counts as it goes.

use crate::order_pool::OrderState;
use crate::statistics::TripStatistics;
use crate::unreachable::{self, UnreachableReasons};
use serde::{Deserialize, Serialize};

/// Counts of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Agents ever placed.
    pub placed: u64,
    /// Agents removed since.
    pub removed: u64,
    /// Agents that events could not place for lack of room.
    pub not_placed: u64,
    /// Commands, or their parts about an agent, that were not carried out.
    pub commands_refused: u64,
    /// Orders done.
    pub orders_done: u64,
    /// Orders dropped because their goal cannot be reached.
    pub orders_unreachable: u64,
    /// The reasons why.
    #[serde(with = "unreachable::numbers")]
    pub unreachable_reasons: UnreachableReasons,
    /// Tasks done.
    pub tasks_done: u64,
    /// Longest time from giving a task to its end, over the tasks done.
    pub longest_task_ticks: u32,
    /// Moves begun.
    pub moves: u64,
    /// Starts that the traffic rule asked for and that were refused: the agent could not make the move, or it would
    /// have overlapped another.
    pub moves_refused: u64,
    /// Of these, the moves that would have overlapped another.
    pub moves_overlapping: u64,
    /// Ticks from giving an order or a task to its end, summed over those done.
    pub flowtime: u64,
    /// Trips finished whose single-agent bound is known. A trip leads to the goal of an order, a waypoint of a patrol
    /// or a task. Trips of zero length and trips that end at the pose nearest to the goal are left out.
    pub trips: u64,
    /// Finished trips of zero length: the agent stood at the goal when they began.
    pub trips_of_no_length: u64,
    /// Ticks from start to end, summed over `trips`.
    pub trip_ticks: u64,
    /// Single-agent bounds, summed over `trips`.
    pub bound_ticks: u64,
    /// Longest time from start to end, over all trips finished.
    pub longest_trip_ticks: u32,
    /// Agents in mid-move at the last tick, once its moves had begun.
    pub moving: u32,
    /// Agents at rest at the last tick with a path to follow, or waiting for a path.
    pub waiting: u32,
    /// Sum of these agents over the ticks.
    pub wait_ticks: u64,
    /// Longest such wait of one agent.
    pub longest_wait_ticks: u32,
    /// Agents present, summed over the ticks.
    pub agent_ticks: u64,
    /// Path requests made.
    pub path_requests: u64,
    /// Paths to their goals that requests for cheapest paths were answered with.
    pub routes_exact: u64,
    /// Legs of routes that requests were answered with.
    pub routes_abstract: u64,
    /// Ticks that agents have rested at the ends of legs, waiting for the next one.
    pub leg_wait_ticks: u64,
    /// Longest time from a request to its answer.
    pub longest_request_ticks: u32,
    /// Expansions of all searches.
    pub expansions: u64,
    /// Pairs of agents in violation, summed over ticks; `None` unless invariants are checked.
    pub collisions: Option<u64>,
}

impl Counts {
    /// The largest of all counts.
    pub(crate) fn largest(&self) -> u64 {
        let Self { placed, removed, not_placed, commands_refused, orders_done, orders_unreachable, .. } =
            *self;
        let Self { tasks_done, moves, moves_refused, moves_overlapping, flowtime, trips, .. } = *self;
        let Self { trip_ticks, bound_ticks, wait_ticks, path_requests, expansions, collisions, .. } = *self;
        let Self { trips_of_no_length, agent_ticks, routes_exact, routes_abstract, leg_wait_ticks, .. } =
            *self;
        let reasons = self.unreachable_reasons.iter().map(|(_, count)| count).max();
        let all = [
            [placed, removed, not_placed, commands_refused, orders_done, orders_unreachable],
            [tasks_done, moves, moves_refused, moves_overlapping, flowtime, trips],
            [trip_ticks, bound_ticks, wait_ticks, path_requests, expansions, collisions.unwrap_or(0)],
        ];
        let all = all.as_flattened().iter().copied().chain([trips_of_no_length, agent_ticks]);
        let all = all.chain([routes_exact, routes_abstract, leg_wait_ticks]);
        all.chain(reasons).max().unwrap_or(0)
    }

    /// Counts the answer to a request that has waited for it.
    pub(crate) fn count_answer(&mut self, waited_ticks: u32) {
        self.longest_request_ticks = self.longest_request_ticks.max(waited_ticks);
    }

    /// Counts the end of the trip that an agent in this state is on.
    pub(crate) fn count_trip(&mut self, state: &OrderState, statistics: &TripStatistics, tick: u32) {
        if state.to_nearest {
            return;
        }
        let ticks = tick.saturating_sub(state.since);
        self.longest_trip_ticks = self.longest_trip_ticks.max(ticks);
        match statistics.bound_ticks() {
            None => {}
            Some(0) => self.trips_of_no_length += 1,
            Some(bound_ticks) => {
                self.trips += 1;
                self.trip_ticks += u64::from(ticks);
                self.bound_ticks += u64::from(bound_ticks);
            }
        }
    }
}
