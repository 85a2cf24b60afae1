//! The words of the tables: a few bits for each primitive of a state.

use crate::tables::Update;

/// The legal primitives of one state and their times, packed.
pub(crate) trait MoveWord: Copy + Default + PartialEq + Send + Sync {
    /// Element type of the speed levels that fit its codes.
    type Level: Level;
    /// Bits of a code.
    const BITS: u32;
    /// Greatest code; 0 is an illegal move.
    const CODE_MAX: u32;
    /// Codes in a word.
    const LANES: usize;
    /// Whether codes are numbers of times, not times themselves.
    const NUMBERED: bool;
    fn code(self, lane: usize) -> usize;
    fn set(&mut self, lane: usize, code: u32);
    /// Time of a legal move in ticks.
    #[inline(always)]
    fn ticks(self, lane: usize, times: &[u32]) -> u32 {
        times[lane << Self::BITS | self.code(lane)]
    }
    /// What became of the moves since `before`. Other codes may stand for the same times.
    fn update(self, before: Self, times: &[u32]) -> Update {
        // An illegal move takes for ever.
        let ticks =
            |word: Self, lane| if word.code(lane) == 0 { u64::MAX } else { word.ticks(lane, times).into() };
        let mut update = Update::default();
        for lane in 0..Self::LANES {
            let (was, is) = (ticks(before, lane), ticks(self, lane));
            update.changed |= was != is;
            update.eased |= is < was;
        }
        update
    }
}

/// A speed level: 0 impassable, then the class's speeds in rising order.
pub(crate) trait Level: Copy + Ord + Default + Send + Sync {
    const TOP: Self;
    fn of(number: usize) -> Self;
    fn number(self) -> usize;
}

impl Level for u8 {
    const TOP: Self = Self::MAX;
    #[inline(always)]
    fn of(number: usize) -> Self {
        number as Self
    }
    #[inline(always)]
    fn number(self) -> usize {
        self as usize
    }
}

impl Level for u16 {
    const TOP: Self = Self::MAX;
    fn of(number: usize) -> Self {
        number as Self
    }
    fn number(self) -> usize {
        self as usize
    }
}

macro_rules! packed_word {
    ($type:ty, $bits:expr) => {
        impl MoveWord for $type {
            type Level = u8;
            const BITS: u32 = $bits;
            const CODE_MAX: u32 = (1 << $bits) - 1;
            const LANES: usize = (<$type>::BITS / $bits) as usize;
            const NUMBERED: bool = true;
            #[inline(always)]
            fn code(self, lane: usize) -> usize {
                ((self >> (lane as u32 * $bits)) & ((1 << $bits) - 1)) as usize
            }
            #[inline(always)]
            fn set(&mut self, lane: usize, code: u32) {
                *self |= (code as Self) << (lane as u32 * $bits);
            }
        }
    };
}
packed_word!(u8, 2);
packed_word!(u16, 4);
packed_word!(u32, 4);
packed_word!(u64, 4);

/// A code a byte: sixteen of them are read sooner than bits of 128 are shifted.
impl MoveWord for [u8; 16] {
    type Level = u8;
    const BITS: u32 = 8;
    const CODE_MAX: u32 = u8::MAX as u32;
    const LANES: usize = 16;
    const NUMBERED: bool = true;
    #[inline(always)]
    fn code(self, lane: usize) -> usize {
        self[lane] as usize
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, code: u32) {
        self[lane] |= code as u8;
    }
}

/// Times themselves, where a primitive has more than 255 different ones: many slopes, or very many speeds.
impl MoveWord for [u32; 16] {
    type Level = u16;
    const BITS: u32 = 0;
    const CODE_MAX: u32 = u32::MAX;
    const LANES: usize = 16;
    const NUMBERED: bool = false;
    fn code(self, lane: usize) -> usize {
        self[lane] as usize
    }
    fn set(&mut self, lane: usize, code: u32) {
        self[lane] = code;
    }
    fn ticks(self, lane: usize, _: &[u32]) -> u32 {
        self[lane]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_codes_apart() {
        fn check<W: MoveWord>() {
            let mut word = W::default();
            let top = (1_usize << W::BITS) - 1;
            for lane in (0..W::LANES).step_by(2) {
                word.set(lane, top as u32);
            }
            for lane in 0..W::LANES {
                assert_eq!(word.code(lane), if lane % 2 == 0 { top } else { 0 });
            }
        }
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<[u8; 16]>();
    }
}
