//! Hashing word by word.

/// One more word of what is hashed word by word: any change of one word changes the whole, for multiplying by
/// an odd number and turning are bijections.
pub fn fold(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
