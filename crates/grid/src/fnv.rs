//! FNV-1a, for checksums and state hashes.

/// 64-bit FNV-1a (<http://www.isthe.com/chongo/tech/comp/fnv/>). Each step is a bijection of the hash so far, so a
/// change of a single byte or word always changes the result.
///
/// ```
/// use wheelbase_grid::Fnv1a;
/// let mut hash = Fnv1a::new();
/// hash.write(b"foobar");
/// assert_eq!(hash.finish(), 0x85944171f73967e8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self::new()
    }
}

impl Fnv1a {
    /// The hash of nothing: the offset basis.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_word(u64::from(byte)));
    }

    /// Adds a word in a single step; equal to [`Fnv1a::write`] of one byte only for words below 256.
    #[inline]
    pub const fn write_word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// The hash so far.
    #[inline]
    pub const fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the test vectors of the reference implementation.
    #[test]
    fn hashes_equal_the_published_ones() {
        let hash = |text: &str| {
            let mut hash = Fnv1a::new();
            hash.write(text.as_bytes());
            hash.finish()
        };
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
