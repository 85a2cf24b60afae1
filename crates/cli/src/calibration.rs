//! The speed of the machine at the time of a measurement.
//!
//! No figure is scaled by it. Integer speed alone misleads: at 1.2 ns per integer step, memory loads took between 100
//! and 500 ns. Only ratios of alternating runs are comparable.

use serde::Serialize;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;
use wheelbase_grid::SplitMix64;

/// Passes; the fastest counts. With debug assertions the figures say nothing of the machine, and tests call `bench`
/// often.
const PASSES: u32 = if cfg!(debug_assertions) { 2 } else { 5 };
/// Steps of the integer loop per pass.
const STEPS: u32 = 4_000_000;
/// Loads per pass.
const LOADS: u32 = 300_000;
/// Table entries of 4 bytes: 16 MiB, more than the caches of one core.
const ENTRIES: u32 = if cfg!(debug_assertions) { 256 * 1024 } else { 16 * 1024 * 1024 } / 4;

/// The speed of a machine at the two operations that dominate planning: integer arithmetic in cache, and loads that
/// depend on the load before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// One step of an integer loop in cache, in nanoseconds.
    pub integer_ns: f64,
    /// One dependent load from 16 MiB, in nanoseconds.
    pub load_ns: f64,
}

impl Calibration {
    /// Measures both as the least of five passes, in about 0.2 seconds. `clock` returns the time since a fixed moment.
    pub fn measure(clock: impl Fn() -> Duration) -> Self {
        let chain = one_cycle(ENTRIES);
        let mut least = Self { integer_ns: f64::MAX, load_ns: f64::MAX };
        for _ in 0..PASSES {
            let begun = clock();
            let mut random = SplitMix64::new(7);
            black_box((0..STEPS).fold(0, |sum: u64, _| sum ^ random.next_u64()));
            least.integer_ns = least.integer_ns.min(nanos(clock(), begun) / f64::from(STEPS));
            let begun = clock();
            black_box((0..LOADS).fold(0_u32, |at, _| chain[at as usize]));
            least.load_ns = least.load_ns.min(nanos(clock(), begun) / f64::from(LOADS));
        }
        least
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { integer_ns, load_ns } = self;
        write!(
            f,
            "{integer_ns:.2} ns per integer step in cache, {load_ns:.1} ns per dependent load from 16 MiB"
        )
    }
}

fn nanos(now: Duration, begun: Duration) -> f64 {
    now.saturating_sub(begun).as_nanos() as f64
}

/// A permutation with a single cycle (Sattolo 1986), so that a walk along it visits every entry.
fn one_cycle(n: u32) -> Vec<u32> {
    let mut next: Vec<u32> = (0..n).collect();
    let mut random = SplitMix64::new(11);
    for at in (1..n as usize).rev() {
        next.swap(at, random.below(at as u32) as usize);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_walk_visits_every_entry() {
        for n in [1, 2, 3, 1000] {
            let next = one_cycle(n);
            let mut at = 0;
            for step in 1..=n {
                at = next[at as usize];
                assert_eq!(at == 0, step == n);
            }
        }
    }

    #[test]
    fn the_least_pass_counts() {
        // Readings are a millisecond apart, except that the sixth, in the second pass, follows after half of one.
        let readings = Cell::new(0);
        let clock = || {
            let n = readings.replace(readings.get() + 1);
            Duration::from_micros(1000 * n - if n > 4 { 500 } else { 0 })
        };
        let found = Calibration::measure(clock);
        assert_eq!(readings.get(), 4 * u64::from(PASSES));
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(near(found.integer_ns, 5e5 / f64::from(STEPS)), "{found:?}");
        assert!(near(found.load_ns, 1e6 / f64::from(LOADS)), "{found:?}");
    }
}
