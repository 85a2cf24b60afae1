//! What a run counts as it goes.

use crate::orders::OrderState;
use crate::statistics::TripStatistics;
use crate::unreachable::UnreachableReasons;

/// Counts of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Agents ever placed.
    pub placed: u64,
    /// Agents taken out since.
    pub removed: u64,
    /// Agents that an event was to add and that found no room.
    pub not_placed: u64,
    /// Orders done.
    pub orders_done: u64,
    /// Orders dropped because their goal cannot be reached.
    pub orders_unreachable: u64,
    /// Why.
    pub unreachable_reasons: UnreachableReasons,
    /// Tasks done.
    pub tasks_done: u64,
    /// Longest time from a task given to done, of those done.
    pub longest_task_ticks: u32,
    /// Moves begun.
    pub moves: u64,
    /// Moves that a rule of traffic would have begun and that would have overlapped others.
    pub moves_refused: u64,
    /// Ticks from given to done, summed over orders and tasks done.
    pub flowtime: u64,
    /// Trips finished whose lone cost is known. A trip is an order to go somewhere, a station of a patrol or
    /// a task; one that ends at the pose nearest to its goal is none.
    pub trips: u64,
    /// Ticks from begun to finished, summed over these trips.
    pub trip_ticks: u64,
    /// Ticks that lone agents would have taken for these trips.
    pub bound_ticks: u64,
    /// Longest time from a trip begun to finished, of all that are finished.
    pub longest_trip_ticks: u32,
    /// Agent-ticks at rest with somewhere to go and a way there, or waiting for one to be found.
    pub wait_ticks: u64,
    /// Longest such wait of one agent.
    pub longest_wait_ticks: u32,
    /// Path requests made.
    pub path_requests: u64,
    /// Longest time from a request to its answer.
    pub longest_request_ticks: u32,
    /// Expansions of all searches.
    pub expansions: u64,
    /// Pairs of agents in violation, summed over ticks; `None` unless invariants are checked.
    pub collisions: Option<u64>,
}

impl Counts {
    /// A trip is finished: the one that an agent in this state is on.
    pub(crate) fn count_trip(&mut self, state: &OrderState, statistics: &TripStatistics, tick: u32) {
        if state.to_nearest {
            return;
        }
        let ticks = tick.saturating_sub(state.since);
        self.longest_trip_ticks = self.longest_trip_ticks.max(ticks);
        if let Some(bound_ticks) = statistics.bound_ticks() {
            self.trips += 1;
            self.trip_ticks += u64::from(ticks);
            self.bound_ticks += u64::from(bound_ticks);
        }
    }
}

/// Agents that move and wait at the last tick, once its moves had begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AtWork {
    /// In mid-move.
    pub moving: u32,
    /// At rest with somewhere to go.
    pub waiting: u32,
}
