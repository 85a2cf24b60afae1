//! Durations of ticks. Measured outside the world: no clock reaches its state.

use serde::Serialize;
use std::time::Duration;

/// Durations of the ticks of a run, and their total.
#[derive(Clone, Debug, Default)]
pub struct TickTimes {
    nanos: Vec<u64>,
    total_nanos: u64,
    longest_nanos: u64,
}

/// Durations kept for the quantiles. In a longer run later ticks overwrite earlier ones.
const TIMES_KEPT: usize = 1 << 16;

/// Quantiles of the durations of ticks, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TickMs {
    /// Median of the last 65,536 ticks.
    pub p50: f64,
    /// 99th percentile of the last 65,536 ticks.
    pub p99: f64,
    /// Longest.
    pub max: f64,
}

impl TickTimes {
    /// No durations yet, with room for `ticks` ticks.
    pub fn with_capacity(ticks: u32) -> Self {
        Self { nanos: Vec::with_capacity((ticks as usize).min(TIMES_KEPT)), total_nanos: 0, longest_nanos: 0 }
    }

    /// Adds the duration of a tick.
    pub fn add(&mut self, tick: u32, duration: Duration) {
        let nanos = duration.as_nanos() as u64;
        self.total_nanos += nanos;
        self.longest_nanos = self.longest_nanos.max(nanos);
        if self.nanos.len() < TIMES_KEPT {
            self.nanos.push(nanos);
        } else {
            self.nanos[tick as usize % TIMES_KEPT] = nanos;
        }
    }

    /// Total duration of all ticks in seconds.
    pub fn total_s(&self) -> f64 {
        self.total_nanos as f64 / 1e9
    }

    /// Median, 99th percentile and maximum; 0 without ticks.
    pub fn quantiles(&self) -> TickMs {
        let mut sorted = self.nanos.clone();
        sorted.sort_unstable();
        let at = |permille| quantile_ms(&sorted, permille);
        TickMs { p50: at(500), p99: at(990), max: self.longest_nanos as f64 / 1e6 }
    }
}

/// Quantile of durations in nanoseconds, sorted in rising order, in milliseconds; 0 if there are none.
pub fn quantile_ms<T: Copy + Into<u64>>(sorted: &[T], permille: usize) -> f64 {
    let index = (sorted.len() * permille / 1000).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(0.0, |&nanos| nanos.into() as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first tick of a large problem takes many seconds, because it makes all cost fields.
    #[test]
    fn long_ticks_are_not_clipped() {
        let mut times = TickTimes::with_capacity(3);
        [2, 3, 9000].into_iter().zip(0..).for_each(|(ms, tick)| times.add(tick, Duration::from_millis(ms)));
        assert_eq!(times.quantiles(), TickMs { p50: 3.0, p99: 9000.0, max: 9000.0 });
        assert_eq!(times.total_s(), 9.005);
    }
}
