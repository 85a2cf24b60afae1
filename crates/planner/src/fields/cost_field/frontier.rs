//! The open list of a cost field.

use crate::search::open_list::{BLOCK, BUCKETS_MAX, BucketQueue};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States by cost, a block at a time in order of cost; among equals in no order that matters, for a
/// cost is settled with all its states. Costs next to the one under way lie in buckets, those beyond in
/// a heap, so that costs of any range fit and those of ordinary moves take one store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    near: BucketQueue,
    /// `cost << 32 | state`.
    far: BinaryHeap<Reverse<u64>>,
    n_states: usize,
}

pub(crate) type Block = [u32; BLOCK];

/// Ticks from one side of what an edit affects to the other, as a rule.
const WIDE: u64 = 4095;

impl Frontier {
    /// Empties it, for costs from `cost` on and moves of up to `most_ticks`.
    pub fn reset(&mut self, most_ticks: u64, cost: u32) {
        self.near.reset(most_ticks.clamp(1, BUCKETS_MAX - 1), u64::from(cost));
        self.far.clear();
        self.n_states = 0;
    }

    /// The same for costs that are known to come from a wide range, most of them at once.
    pub fn reset_wide(&mut self, most_ticks: u64, cost: u32) {
        self.reset(most_ticks.max(WIDE), cost);
    }

    /// Moves on to a cost that is at most the least one held.
    pub fn advance_to(&mut self, cost: u32) {
        self.near.advance_to(u64::from(cost));
    }

    #[inline(always)]
    pub fn push(&mut self, cost: u32, state: u32) {
        self.n_states += 1;
        if u64::from(cost) - self.near.key() < self.near.width() {
            self.near.push_ahead(u64::from(cost), state);
        } else {
            self.push_far(cost, state);
        }
    }

    #[cold]
    fn push_far(&mut self, cost: u32, state: u32) {
        self.far.push(Reverse(u64::from(cost) << 32 | u64::from(state)));
    }

    fn least_far(&self) -> Option<u64> {
        self.far.peek().map(|&Reverse(entry)| entry >> 32)
    }

    /// The least cost held.
    #[inline]
    pub fn least(&self) -> Option<u32> {
        if self.n_states == 0 {
            return None;
        }
        let least = match (self.near.least_key(), self.least_far()) {
            (Some(near), Some(far)) => near.min(far),
            (near, far) => near.or(far)?,
        };
        Some(least as u32)
    }

    pub fn is_empty(&self) -> bool {
        self.n_states == 0
    }

    /// Takes up to a block of states of the least cost.
    #[inline(always)]
    pub fn pop_block(&mut self, states: &mut Block) -> Option<(u32, usize)> {
        if !self.far.is_empty() {
            self.bring_near();
        }
        let (key, n) = self.near.pop_block(states)?;
        self.n_states -= n;
        Some((key as u32, n))
    }

    /// Moves what is far off into the buckets, once it comes next.
    #[cold]
    fn bring_near(&mut self) {
        let Some(far) = self.least_far() else { return };
        if self.near.least_key().is_some_and(|near| near < far) {
            return;
        }
        self.near.advance_to(far);
        while let Some(&Reverse(entry)) = self.far.peek()
            && (entry >> 32) - far < self.near.width()
        {
            self.far.pop();
            self.near.push_ahead(entry >> 32, entry as u32);
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.near.memory_bytes() + 8 * self.far.capacity()
    }
}
