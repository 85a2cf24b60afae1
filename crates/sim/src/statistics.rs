//! Statistics of an agent's trips.

use serde::{Deserialize, Serialize};

/// Trips of an agent so far, and the bound of the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TripStatistics {
    /// Tick at which it last finished an order or a task; `u32::MAX` before the first.
    pub finished_at: u32,
    /// Orders, waypoints of patrols and tasks finished so far.
    pub finished: u32,
    /// Single-agent bound of the current trip in ticks, from the pose in which it began; `u32::MAX` until a path of the
    /// trip is known.
    pub(crate) bound_ticks: u32,
}

const UNKNOWN: u32 = u32::MAX;

impl TripStatistics {
    /// Nothing is finished.
    pub(crate) const NEW: Self = Self { finished_at: u32::MAX, finished: 0, bound_ticks: UNKNOWN };

    /// Begins a trip: the bound of the last one is void.
    pub(crate) fn begin_trip(&mut self) {
        self.bound_ticks = UNKNOWN;
    }

    /// Records the single-agent bound of the current trip. Only the first call counts: it is made where the trip began.
    pub(crate) fn record_bound_ticks(&mut self, ticks: u32) {
        if self.bound_ticks == UNKNOWN {
            self.bound_ticks = ticks;
        }
    }

    /// Single-agent bound of the current trip in ticks, if it is known; 0 for a trip of zero length.
    pub fn bound_ticks(&self) -> Option<u32> {
        Some(self.bound_ticks).filter(|&ticks| ticks != UNKNOWN)
    }
}
