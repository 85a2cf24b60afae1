//! The one source of randomness: a seed gives the same numbers on every machine, for ever.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Numbers of their own for each `stream` of a seed; none of them are those of [`Random::new`].
    pub fn of_stream(seed: u64, stream: u64) -> Self {
        // States that are a few steps apart would give the same numbers, a few steps apart.
        Self(Self(Self(seed).next() ^ stream).next())
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "it never ends, and nothing iterates over it")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0. Its bias is below n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}
