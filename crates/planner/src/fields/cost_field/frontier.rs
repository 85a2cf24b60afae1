//! The open list of a cost field.

use crate::open_list::{BLOCK, BUCKETS_MAX, BucketQueue};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States by cost, popped in blocks in order of cost. The order among equals does not matter, because a cost is settled
/// with all its states. Buckets contain the costs near the current one, a heap the larger ones. So costs of any range
/// fit, and ordinary moves take one store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    pub(super) near: BucketQueue,
    /// `cost << 32 | state`.
    pub(super) far: BinaryHeap<Reverse<u64>>,
    pub(super) n_states: usize,
}

pub(crate) type Block = [u32; BLOCK];

/// Typical range of costs, in ticks, across the region affected by an edit.
const WIDE: u64 = 4095;

impl Frontier {
    /// Empties it, for costs from `cost` on and moves of up to `max_ticks`.
    pub fn reset(&mut self, max_ticks: u64, cost: u32) {
        self.near.reset(max_ticks.clamp(1, BUCKETS_MAX - 1), u64::from(cost));
        self.far.clear();
        self.n_states = 0;
    }

    /// Like [`Frontier::reset`], for costs that cover a wide range from the start.
    pub fn reset_wide(&mut self, max_ticks: u64, cost: u32) {
        self.reset(max_ticks.max(WIDE), cost);
    }

    /// Advances to a cost, at most the least cost held.
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

    /// Pops up to a block of states of the least cost.
    #[inline(always)]
    pub fn pop_block(&mut self, states: &mut Block) -> Option<(u32, usize)> {
        if !self.far.is_empty() {
            self.bring_near();
        }
        let (key, n) = self.near.pop_block(states)?;
        self.n_states -= n;
        Some((key as u32, n))
    }

    /// Moves distant entries into the buckets once they are next.
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

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.near.memory_bytes() + 8 * self.far.capacity()
    }
}
