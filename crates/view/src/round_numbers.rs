//! Round numbers for scale steps.

/// The least 1, 2 or 5 times a power of ten, up to 10^9, that satisfies `is_enough`; 10^9 if none does.
pub fn least_round(is_enough: impl Fn(u32) -> bool) -> u32 {
    let all = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u32.pow(power)));
    all.into_iter().find(|&number| is_enough(number)).unwrap_or(1_000_000_000)
}
