//! The randomness of generated maps, and of whatever needs numbers that are the same for ever.

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014,
/// <https://doi.org/10.1145/2660193.2660195>). Not from a crate, whose next version might give other
/// numbers and so other maps.
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Its numbers from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`; `n` is not 0. Its bias is below n / 2^32, which no map shows.
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0, "no number is below 0");
        (((self.next() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included; `low` where `high` is less.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low).max(0) as u32 + 1) as i32
    }

    /// True `permille` times in a thousand.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < permille
    }

    /// Brings the items into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_numbers_of_the_published_generator() {
        let mut random = SplitMix64::new(1_234_567);
        // From the C code of Sebastiano Vigna, <https://prng.di.unimi.it/splitmix64.c>, as in the tests
        // of other implementations.
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn ranges_are_met_at_both_ends_and_never_left() {
        let mut random = SplitMix64::new(3);
        let numbers: Vec<i32> = (0..1000).map(|_| random.between(-2, 4)).collect();
        assert_eq!((numbers.iter().min(), numbers.iter().max()), (Some(&-2), Some(&4)));
        assert_eq!(random.between(5, 2), 5);
        assert!(!random.chance(0) && random.chance(1000));
    }
}
