//! Speed factors: how fast an agent moves compared with its class.

use crate::ticks::NEVER;

/// Speed factor, in thousandths, of an agent that moves in the times of its class.
pub const USUAL_SPEED_PERMILLE: u16 = 1000;

/// Ticks that a move of `ticks` takes at a speed factor in thousandths: `max(1, ceil(ticks * 1000 / factor))`. At
/// most 2^32 - 3, so that no move ends at a tick that never comes. At [`USUAL_SPEED_PERMILLE`] it is `ticks`. A
/// factor of 0, which no agent has, counts as 1.
///
/// ```
/// use wheelbase_traffic::speed::ticks_at_speed;
/// assert_eq!([500, 1000, 3000, 65_535].map(|factor| ticks_at_speed(10, factor)), [20, 10, 4, 1]);
/// ```
#[inline]
pub fn ticks_at_speed(ticks: u32, factor: u16) -> u32 {
    if factor == USUAL_SPEED_PERMILLE {
        return ticks;
    }
    let scaled = (u64::from(ticks) * u64::from(USUAL_SPEED_PERMILLE)).div_ceil(u64::from(factor.max(1)));
    scaled.clamp(1, u64::from(NEVER - 2)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Equal to the definition in whole numbers. Searches rely on the rest: longer moves never take less, and two
        /// moves never take less than one move of their total time.
        #[test]
        fn ticks_are_those_of_the_definition(one: u32, other: u32, factor in 1_u16..) {
            let scaled = |ticks| u64::from(ticks_at_speed(ticks, factor));
            let (wide, factor_wide) = (u128::from(one) * 1000, u128::from(factor));
            let least = (0..).find(|extra| (wide / factor_wide + extra) * factor_wide >= wide);
            let exact = (wide / factor_wide + least.unwrap_or(0)).max(1);
            let expected = if factor == 1000 { u128::from(one) } else { exact.min(u128::from(u32::MAX - 2)) };
            prop_assert_eq!(u128::from(scaled(one)), expected);
            prop_assert!(scaled(one.min(other)) <= scaled(one.max(other)));
            if let Some(both) = one.checked_add(other) {
                prop_assert!(scaled(both) <= scaled(one) + scaled(other));
            }
        }
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(ticks_at_speed(u32::MAX, 1), u32::MAX - 2);
        assert_eq!(ticks_at_speed(u32::MAX - 1, 1000), u32::MAX - 1);
        assert_eq!(
            (ticks_at_speed(1, u16::MAX), ticks_at_speed(65, u16::MAX), ticks_at_speed(66, u16::MAX)),
            (1, 1, 2)
        );
        assert_eq!(ticks_at_speed(7, 0), 7000);
    }
}
