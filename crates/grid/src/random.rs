//! A pseudo-random generator whose sequences never change.

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014,
/// <https://doi.org/10.1145/2660193.2660195>). Not taken from a crate, a future version of which might produce
/// other sequences, and so other maps and other runs.
///
/// ```
/// use wheelbase_grid::SplitMix64;
/// let mut random = SplitMix64::new(7);
/// assert!(random.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The state: [`SplitMix64::new`] of it goes on with the same numbers.
    ///
    /// ```
    /// use wheelbase_grid::SplitMix64;
    /// let mut random = SplitMix64::new(7);
    /// random.next_u64();
    /// assert_eq!(SplitMix64::new(random.state()).next_u64(), random.next_u64());
    /// ```
    pub const fn state(&self) -> u64 {
        self.0
    }

    /// The next number.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`, from the high half of the next number; `n` must not be 0. Its bias is below
    /// n / 2^32.
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0, "no number is below 0");
        (((self.next_u64() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included; `low` if `high` is less.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low).max(0) as u32 + 1) as i32
    }

    /// True with a probability of `permille / 1000`.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < permille
    }

    /// Shuffles the items (Fisher and Yates).
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
    fn sequences_equal_those_of_the_published_generator() {
        let mut random = SplitMix64::new(1_234_567);
        // From the C code of Sebastiano Vigna, <https://prng.di.unimi.it/splitmix64.c>, as in the tests of other
        // implementations.
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn ranges_include_both_ends() {
        let mut random = SplitMix64::new(3);
        let numbers: Vec<i32> = (0..1000).map(|_| random.between(-2, 4)).collect();
        assert_eq!((numbers.iter().min(), numbers.iter().max()), (Some(&-2), Some(&4)));
        assert_eq!(random.between(5, 2), 5);
        assert!(!random.chance(0) && random.chance(1000));
    }
}
