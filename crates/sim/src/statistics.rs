//! What is counted of an agent's trips.

/// Trips of an agent so far, and the bound of the present one. A component of its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TripStatistics {
    /// Tick at which it last finished an order or a task; `u32::MAX` before the first.
    pub finished_at: u32,
    /// Orders, stations of patrols and tasks finished so far.
    pub finished: u32,
    /// Ticks that a lone agent would take for the present trip, from where this one stood when it was begun;
    /// `u32::MAX` as long as no path of the trip is known.
    pub(crate) bound_ticks: u32,
}

const UNKNOWN: u32 = u32::MAX;

impl TripStatistics {
    /// Nothing is finished.
    pub(crate) const NEW: Self = Self { finished_at: u32::MAX, finished: 0, bound_ticks: UNKNOWN };

    /// A trip begins: what is known of the one before says nothing of it.
    pub(crate) fn begin_trip(&mut self) {
        self.bound_ticks = UNKNOWN;
    }

    /// The agent is where its trip began, and alone it would take so long; what is said later counts no more.
    pub(crate) fn note_bound_ticks(&mut self, ticks: u32) {
        if self.bound_ticks == UNKNOWN {
            // One that is given at a tick is finished at the next one at the earliest.
            self.bound_ticks = ticks.max(1);
        }
    }

    /// Ticks that a lone agent would take for the present trip, if that is known.
    pub fn bound_ticks(&self) -> Option<u32> {
        Some(self.bound_ticks).filter(|&ticks| ticks != UNKNOWN)
    }
}
