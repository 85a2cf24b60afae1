//! Time spent in each phase of the ticks.

use std::time::Instant;
use wheelbase_sim::Phase;

/// Time by phase of a tick.
pub struct PhaseTimes {
    /// Nanoseconds, in the order of [`Phase::ALL`].
    pub nanos: [u64; Phase::ALL.len()],
    current: Phase,
    since: Instant,
}

impl PhaseTimes {
    /// Starts the clock. Time between ticks counts as metrics.
    pub fn new() -> Self {
        Self { nanos: [0; Phase::ALL.len()], current: Phase::Metrics, since: Instant::now() }
    }

    /// Begins a phase, which ends the one before.
    pub fn begin(&mut self, phase: Phase) {
        let now = Instant::now();
        self.nanos[self.current as usize] += now.duration_since(self.since).as_nanos() as u64;
        (self.current, self.since) = (phase, now);
    }

    /// Shares of the total time, in the order of [`Phase::ALL`].
    pub fn shares(&self) -> [f64; Phase::ALL.len()] {
        let total = self.nanos.iter().sum::<u64>().max(1) as f64;
        self.nanos.map(|nanos| nanos as f64 / total)
    }
}
