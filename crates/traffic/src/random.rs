//! The one source of randomness of a simulation: a seed gives the same numbers on every machine, permanently.

use wheelbase_grid::SplitMix64;

/// The numbers of a seed, by [`SplitMix64`].
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// An independent sequence for each `stream` of a seed. None of them equals [`Random::new`].
    pub fn of_stream(seed: u64, stream: u64) -> Self {
        // Nearby states would give the same sequence, shifted by a few numbers.
        Self::new(SplitMix64::new(SplitMix64::new(seed).next_u64() ^ stream).next_u64())
    }

    /// The state: [`Random::new`] of it goes on with the same numbers.
    pub fn state(&self) -> u64 {
        self.0.state()
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Goes on with the numbers of another seed.
    pub fn set_state(&mut self, seed: u64) {
        *self = Self::new(seed);
    }

    /// A number below `n`, which must not be 0. Its bias is below n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }
}
