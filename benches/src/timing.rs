//! Times of contestants that take turns, so that noise of the machine affects all alike.

use crate::calibration::Calibration;
use std::hint::black_box;
use std::time::Instant;

/// Least time of each query over the rounds, in seconds, in the order of the queries.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    /// Sum over the queries, in seconds.
    pub fn total_s(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Mean per query, in microseconds.
    pub fn mean_us(&self) -> f64 {
        self.total_s() * 1e6 / self.0.len() as f64
    }

    /// Median per query, in microseconds.
    pub fn median_us(&self) -> f64 {
        median(self.0.clone()) * 1e6
    }
}

/// Times each contestant on each query: in every round all contestants in turn answer all queries, and the least time
/// of each query is kept. Contestants return a cost or a length, so that their work is not optimised away.
pub fn times<Q, const N: usize>(
    rounds: usize,
    queries: &[Q],
    mut contestants: [&mut dyn FnMut(&Q) -> u64; N],
) -> [Times; N] {
    let mut least = [const { Vec::new() }; N].map(|_: Vec<f64>| Times(vec![f64::MAX; queries.len()]));
    for _ in 0..rounds {
        for (contestant, least) in contestants.iter_mut().zip(&mut least) {
            for (query, least) in queries.iter().zip(&mut least.0) {
                let begun = Instant::now();
                black_box(contestant(query));
                *least = least.min(begun.elapsed().as_secs_f64());
            }
        }
    }
    least
}

/// The middle value; the upper one of two.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The result of some work, and its time in milliseconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64() * 1e3)
}

/// The speed of this machine at the moment.
pub fn calibration() -> Calibration {
    let begun = Instant::now();
    Calibration::measure(|| begun.elapsed())
}

/// The number of rounds and a part of a scene's name, from a command line `[ROUNDS [SCENE]]`. `None`, with the usage
/// on standard error, if they are wrong.
pub fn arguments(program: &str, rounds: usize) -> Option<(usize, String)> {
    let mut arguments = std::env::args().skip(1);
    let found = arguments.next().map_or(Some(rounds), |text| text.parse().ok());
    match (found, arguments.next(), arguments.next()) {
        (Some(rounds @ 1..), part, None) => Some((rounds, part.unwrap_or_default())),
        _ => {
            eprintln!(
                "usage: {program} [ROUNDS [SCENE]]; ROUNDS is a whole number from 1, by default {rounds};"
            );
            eprintln!("only scenes whose name contains SCENE are run");
            None
        }
    }
}
