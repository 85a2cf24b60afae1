//! Packed move words: a few bits per primitive of a state.

use crate::tables::moves::COST_ENTRIES;
use crate::tables::node::Node;

/// The legal primitives of one state and their times, packed.
pub(crate) trait MoveWord: Copy + Default + PartialEq + Send + Sync {
    /// Element type of the speed classes that its codes can hold.
    type SpeedClass: SpeedClass;
    /// Bits per code.
    const BITS: u32;
    /// Largest code; 0 means an illegal move.
    const CODE_MAX: u32;
    /// Primitive slots per word.
    const SLOTS: usize;
    /// Whether codes are indices of times rather than times themselves.
    const NUMBERED: bool;
    fn code(self, slot: usize) -> usize;
    fn set(&mut self, slot: usize, code: u32);
    /// Makes a move illegal.
    fn clear(&mut self, slot: usize);
    /// Time of a legal move in ticks.
    #[inline(always)]
    fn ticks(self, slot: usize, times: &[u32]) -> u32 {
        times[slot << Self::BITS | self.code(slot)]
    }
    /// Index of a move's cost in a table of costs.
    #[inline(always)]
    fn cost_index(self, slot: usize) -> usize {
        (slot << Self::BITS | self.code(slot)) % COST_ENTRIES
    }
    /// The amount that a move subtracts from a node, see [`Node::cost_of`].
    #[inline(always)]
    fn cost(self, slot: usize, costs: &[i64; COST_ENTRIES]) -> i64 {
        costs[self.cost_index(slot)]
    }
    /// Records the time that a code of a slot stands for.
    fn note_cost(costs: &mut [i64; COST_ENTRIES], slot: usize, code: u32, ticks: u32) {
        costs[slot << Self::BITS | code as usize] = Node::cost_of(ticks);
    }
    /// A bit per slot, set if the move is legal.
    #[inline(always)]
    fn slots(self) -> u32 {
        (0..Self::SLOTS).fold(0, |slots, slot| slots | u32::from(self.code(slot) != 0) << slot)
    }
    /// The codes of the moves that are legal in `other` too.
    fn kept_by(self, other: Self) -> Self;
}

/// A speed class: 0 is impassable, then the class's distinct speeds in ascending order.
pub(crate) trait SpeedClass: Copy + Ord + Default + Send + Sync {
    const TOP: Self;
    fn of(number: usize) -> Self;
    fn number(self) -> usize;
}

impl SpeedClass for u8 {
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

impl SpeedClass for u16 {
    const TOP: Self = Self::MAX;
    fn of(number: usize) -> Self {
        number as Self
    }
    fn number(self) -> usize {
        self as usize
    }
}

macro_rules! packed_word {
    ($type:ty, $bits:expr; $($more:tt)*) => {
        impl MoveWord for $type {
            type SpeedClass = u8;
            const BITS: u32 = $bits;
            const CODE_MAX: u32 = (1 << $bits) - 1;
            const SLOTS: usize = (<$type>::BITS / $bits) as usize;
            const NUMBERED: bool = true;
            #[inline(always)]
            fn code(self, slot: usize) -> usize {
                ((self >> (slot as u32 * $bits)) & ((1 << $bits) - 1)) as usize
            }
            #[inline(always)]
            fn set(&mut self, slot: usize, code: u32) {
                *self |= (code as Self) << (slot as u32 * $bits);
            }
            #[inline(always)]
            fn kept_by(self, other: Self) -> Self {
                // The lowest bit of each code that is not 0, then all bits of it.
                let lowest = Self::MAX / ((1 << $bits) - 1);
                let any = (1..$bits).fold(other, |any, bit| any | other >> bit) & lowest;
                self & any.wrapping_mul((1 << $bits) - 1)
            }
            fn clear(&mut self, slot: usize) {
                *self &= !(((1 << $bits) - 1) << (slot as u32 * $bits));
            }
            $($more)*
        }
    };
}
packed_word!(u8, 2;
    // Costs are indexed by the whole word: costs of one state are adjacent, and no shift is needed.
    #[inline(always)]
    fn cost_index(self, slot: usize) -> usize {
        self as usize * 4 + slot % 4
    }
    fn note_cost(costs: &mut [i64; COST_ENTRIES], slot: usize, code: u32, ticks: u32) {
        for word in (0..=u8::MAX).filter(|word| word.code(slot) == code as usize) {
            costs[word.cost_index(slot)] = Node::cost_of(ticks);
        }
    }
);
packed_word!(u16, 4;);
packed_word!(u32, 4;);
packed_word!(u64, 4;);

/// A byte per code: reading one of sixteen bytes is faster than shifting 128 bits.
impl MoveWord for [u8; 16] {
    type SpeedClass = u8;
    const BITS: u32 = 8;
    const CODE_MAX: u32 = u8::MAX as u32;
    const SLOTS: usize = 16;
    const NUMBERED: bool = true;
    #[inline(always)]
    fn code(self, slot: usize) -> usize {
        self[slot] as usize
    }
    #[inline(always)]
    fn set(&mut self, slot: usize, code: u32) {
        self[slot] |= code as u8;
    }
    fn kept_by(self, other: Self) -> Self {
        std::array::from_fn(|slot| if other[slot] == 0 { 0 } else { self[slot] })
    }
    fn clear(&mut self, slot: usize) {
        self[slot] = 0;
    }
}

/// Times themselves, for primitives with more than 255 distinct times: many slopes, or very many speeds.
impl MoveWord for [u32; 16] {
    type SpeedClass = u16;
    const BITS: u32 = 0;
    const CODE_MAX: u32 = u32::MAX;
    const SLOTS: usize = 16;
    const NUMBERED: bool = false;
    fn code(self, slot: usize) -> usize {
        self[slot] as usize
    }
    fn set(&mut self, slot: usize, code: u32) {
        self[slot] = code;
    }
    fn kept_by(self, other: Self) -> Self {
        std::array::from_fn(|slot| if other[slot] == 0 { 0 } else { self[slot] })
    }
    fn clear(&mut self, slot: usize) {
        self[slot] = 0;
    }
    fn ticks(self, slot: usize, _: &[u32]) -> u32 {
        self[slot]
    }
    fn cost(self, slot: usize, _: &[i64; COST_ENTRIES]) -> i64 {
        if self[slot] == 0 { Node::ILLEGAL } else { Node::cost_of(self[slot]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_codes_separate() {
        fn check<W: MoveWord>() {
            let mut word = W::default();
            let top = (1_usize << W::BITS) - 1;
            for slot in (0..W::SLOTS).step_by(2) {
                word.set(slot, top as u32);
            }
            for slot in 0..W::SLOTS {
                assert_eq!(word.code(slot), if slot % 2 == 0 { top } else { 0 });
                assert_eq!(word.slots() >> slot & 1 == 1, slot % 2 == 0);
            }
            let (mut all, mut even) = (W::default(), W::default());
            for slot in 0..W::SLOTS {
                all.set(slot, 1 + slot as u32 % W::CODE_MAX.min(3));
            }
            for slot in (0..W::SLOTS).step_by(2) {
                even.set(slot, all.code(slot) as u32);
            }
            assert!(all.kept_by(word) == even && even.kept_by(all) == even);
            assert!(all.kept_by(W::default()) == W::default());
            for slot in 0..W::SLOTS {
                word.clear(slot);
                let left = (0..W::SLOTS).filter(|&slot| word.code(slot) != 0);
                assert!(left.eq((slot + 1..W::SLOTS).filter(|slot| slot % 2 == 0)));
            }
        }
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<[u8; 16]>();
    }

    /// Every code of every slot has the cost recorded for it, independent of the other slots.
    #[test]
    fn costs_are_those_recorded() {
        fn check<W: MoveWord>() {
            let mut costs = Box::new([Node::ILLEGAL; COST_ENTRIES]);
            for slot in 0..W::SLOTS {
                (1..=W::CODE_MAX)
                    .for_each(|code| W::note_cost(&mut costs, slot, code, 100 * slot as u32 + code));
            }
            for slot in 0..W::SLOTS {
                assert_eq!(W::default().cost(slot, &costs), Node::ILLEGAL);
                for code in 1..=W::CODE_MAX {
                    let mut word = W::default();
                    word.set(slot, code);
                    word.set((slot + 1) % W::SLOTS, W::CODE_MAX);
                    assert_eq!(word.cost(slot, &costs), Node::cost_of(100 * slot as u32 + code));
                }
            }
        }
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<[u8; 16]>();
    }
}
