//! Hashes that grow word by word.

/// Adds one word to a hash. Both steps are bijections, so a change of one word always changes the result.
pub fn fold(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
