//! Open lists. All return the least key first and, among equal keys, the one pushed last, so that a search runs
//! identically with any of them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An open list as used by the kernel. Keys come from a [`KeyOrder`].
pub(crate) trait OpenList {
    fn push(&mut self, key: u64, state: u32);
    fn pop(&mut self) -> Option<(u64, u32)>;
}

/// Order of keys: by `g + h` first, then by `h` in a few classes, ascending.
///
/// All poses whose sum is below the optimal cost are expanded in any order. Of those whose sum equals it, many are dead
/// ends, and those near the goal reach it soonest. Sixteen classes order them nearly as well as a full order, within 3
/// % of its expansions. It costs almost nothing, because each class has its own bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeyOrder {
    /// Low bits of a key that hold the class.
    bits: u32,
    /// Right shift from `h` to its class.
    shift: u32,
}

/// Maximum number of class bits in a key, and of buckets used for classes. If sums vary more, few are equal,
/// and many sparse buckets would not stay in the cache.
const CLASS_BITS: u32 = 4;
const CLASS_BUCKETS: u64 = 1 << 12;

impl KeyOrder {
    /// For sums up to `range` above the least, from a start whose `h` is `bound`.
    pub fn new(range: u64, bound: u32) -> Self {
        let fits = |bits: &u32| (range + 1) << bits <= CLASS_BUCKETS;
        let bits = if bound == 0 { 0 } else { (1..=CLASS_BITS).rev().find(fits).unwrap_or(0) };
        Self { bits, shift: (u32::BITS - bound.leading_zeros()).saturating_sub(bits).min(31) }
    }

    #[inline(always)]
    pub fn key(self, sum: u64, bound: u32) -> u64 {
        if self.bits == 0 {
            return sum;
        }
        sum << self.bits | u64::from((bound >> self.shift).min((1 << self.bits) - 1))
    }

    #[inline(always)]
    pub fn sum(self, key: u64) -> u64 {
        key >> self.bits
    }

    /// Whether it may be the order of a search.
    pub fn is_sound(self) -> bool {
        self.bits <= CLASS_BITS && self.shift < u32::BITS
    }

    /// Greatest key of a sum.
    pub fn last_key(self, sum: u64) -> u64 {
        self.key(sum, u32::MAX)
    }

    /// Range of the keys of sums up to `range` above the least.
    pub fn range(self, range: u64) -> u64 {
        ((range + 1) << self.bits) - 1
    }
}

/// Maximum range of keys held at one time by the bucket queue.
pub(crate) const BUCKETS_MAX: u64 = 1 << 16;

/// Slots per block of the pool: a link, and states above it. Smaller blocks are allocated and freed more often
/// (16 cost 4 %); larger ones waste memory in buckets with few states.
pub(crate) const BLOCK: usize = 64;

/// A circular bucket queue (Dial 1969) for keys that, at any one time, span no more than the number of buckets. Each
/// bucket is a stack of blocks from a shared pool. So a push is one store and a pop one load. A link is followed only
/// once per block.
#[derive(Debug)]
pub(crate) struct BucketQueue {
    /// Slot above the top state of each bucket; 0 if empty. The first slot of a block holds no state, so a multiple of
    /// `BLOCK` means that there is no room. The bucket is empty, or its block, which ends before that slot, is full.
    /// The length covers every `u16`, so that indexing needs no bounds check; the system allocates only touched pages.
    tops: Box<[u32; BUCKETS_MAX as usize]>,
    /// A bit per non-empty bucket, then a bit per non-zero word of those.
    occupied: Vec<u64>,
    occupied_words: Vec<u64>,
    /// Blocks. The first slot of each links to the value of `tops` before the block was allocated, or to the
    /// next free block. Block 0 is never used.
    pool: Vec<u32>,
    /// The block freed last, 0 for none.
    free: u32,
    mask: u64,
    /// At most the least key held.
    key: u64,
}

impl Default for BucketQueue {
    fn default() -> Self {
        let tops = vec![0; BUCKETS_MAX as usize].into_boxed_slice();
        let Ok(tops) = tops.try_into() else { unreachable!("of that length") };
        Self {
            tops,
            occupied: Vec::new(),
            occupied_words: Vec::new(),
            pool: Vec::new(),
            free: 0,
            mask: 0,
            key: 0,
        }
    }
}

impl Clone for BucketQueue {
    fn clone(&self) -> Self {
        let mut queue = Self::default();
        queue.clone_from(self);
        queue
    }

    /// Copies the entries, not the buckets: most are empty.
    fn clone_from(&mut self, other: &Self) {
        self.reset(other.mask.min(BUCKETS_MAX - 1), other.key);
        other.for_each(|key, state| self.push_ahead(key, state));
    }
}

impl BucketQueue {
    /// Empties it and makes room for keys up to `range` above the least.
    pub fn reset(&mut self, range: u64, key: u64) {
        debug_assert!(range < BUCKETS_MAX);
        while let Some(bucket) = self.next_occupied(0) {
            self.tops[bucket] = 0;
            self.mark_empty(bucket);
        }
        let buckets = (range + 1).next_power_of_two().max(64) as usize;
        if self.occupied.len() * 64 < buckets {
            self.occupied.resize(buckets / 64, 0);
            self.occupied_words.resize((buckets / 64).div_ceil(64), 0);
        }
        self.mask = buckets as u64 - 1;
        self.pool.clear();
        self.pool.resize(BLOCK, 0);
        self.free = 0;
        self.key = key;
    }

    /// Range of keys that fit at one time, from [`BucketQueue::key`] on.
    pub fn width(&self) -> u64 {
        self.mask + 1
    }

    /// No lower key is held or accepted by [`BucketQueue::push_ahead`]: the key popped last, or advanced to.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The least key held.
    pub fn least_key(&self) -> Option<u64> {
        let from = (self.key & self.mask) as usize;
        let bucket = self.next_occupied(from)?;
        Some(self.key + ((bucket as u64).wrapping_sub(from as u64) & self.mask))
    }

    /// Advances to a key, at most the least key held.
    pub fn advance_to(&mut self, key: u64) {
        debug_assert!(key >= self.key && self.least_key().is_none_or(|least| key <= least));
        self.key = key;
    }

    /// Shows everything held, in order of key, and of equal keys in the order in which they were pushed. Pushed in this
    /// order to an empty queue of the same key, all pop in the same order.
    pub fn for_each(&self, mut found: impl FnMut(u64, u32)) {
        let first = self.key & self.mask;
        let (mut from, mut at_least, mut blocks) = (first, 0, Vec::new());
        while let Some(bucket) = self.next_occupied(from as usize) {
            let ahead = (bucket as u64).wrapping_sub(first) & self.mask;
            if ahead < at_least {
                // Once around.
                return;
            }
            let mut top = self.tops[bucket] as usize;
            while top > 0 {
                let block = (top - 1) / BLOCK * BLOCK;
                blocks.push(block + 1..top);
                top = self.pool[block] as usize;
            }
            while let Some(block) = blocks.pop() {
                self.pool[block].iter().for_each(|&state| found(self.key + ahead, state));
            }
            (from, at_least) = ((bucket as u64 + 1) & self.mask, ahead + 1);
        }
    }

    /// Pops up to a block of states of the least key together, into the first slots of `states`; returns their
    /// number.
    #[inline(always)]
    pub fn pop_block(&mut self, states: &mut [u32; BLOCK]) -> Option<(u64, usize)> {
        let key = self.least_key()?;
        self.key = key;
        let bucket = (key & self.mask) as usize;
        let top = self.tops[bucket] as usize;
        let block = (top - 1) / BLOCK * BLOCK;
        let n = top - 1 - block;
        states[..BLOCK - 1].copy_from_slice(&self.pool[block + 1..block + BLOCK]);
        self.pop_empty_block(bucket, block);
        Some((key, n))
    }

    /// Memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        4 * (self.occupied.len() * 64 + self.pool.capacity())
            + 8 * (self.occupied.len() + self.occupied_words.len())
    }

    /// Memory reserved from the system in bytes; only touched pages are resident.
    pub fn allocated_bytes(&self) -> usize {
        4 * (self.tops.len() + self.pool.capacity())
            + 8 * (self.occupied.capacity() + self.occupied_words.capacity())
    }

    /// With an equal sum, a lower class moves the cursor back.
    #[cold]
    #[inline(never)]
    fn rewind(&mut self, key: u64) {
        self.key = key;
    }

    /// Pushes a key that is not below [`BucketQueue::key`].
    #[inline(always)]
    pub fn push_ahead(&mut self, key: u64, state: u32) {
        debug_assert!(key >= self.key && key - self.key <= self.mask, "key out of range");
        let bucket = usize::from((key & self.mask) as u16);
        let mut top = self.tops[bucket];
        if (top as usize).is_multiple_of(BLOCK) {
            top = self.push_block(bucket, top);
        }
        self.pool[top as usize] = state;
        self.tops[bucket] = top + 1;
    }

    /// Advances from an empty bucket to the next non-empty one and returns it.
    #[inline(always)]
    fn advance(&mut self, from: usize) -> Option<usize> {
        let bucket = self.next_occupied(from)?;
        self.key += (bucket as u64).wrapping_sub(from as u64) & self.mask;
        Some(usize::from(bucket as u16))
    }

    /// The first non-empty bucket from `from` on, wrapping around.
    fn next_occupied(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let ahead = self.occupied.get(word)? & (!0 << (from % 64));
        if ahead != 0 {
            return Some(word * 64 + ahead.trailing_zeros() as usize);
        }
        self.next_occupied_word(word).map(|word| word * 64 + self.occupied[word].trailing_zeros() as usize)
    }

    fn next_occupied_word(&self, after: usize) -> Option<usize> {
        let first = (after + 1) / 64;
        let n_words = self.occupied_words.len();
        // Once around, and the first word again for the bits before `after`.
        for step in 0..=n_words {
            let at = (first + step) % n_words;
            let mut words = self.occupied_words[at];
            if step == 0 && first < n_words {
                words &= !0 << ((after + 1) % 64);
            }
            if words != 0 {
                return Some(at * 64 + words.trailing_zeros() as usize);
            }
        }
        None
    }

    fn mark_empty(&mut self, bucket: usize) {
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        if self.occupied[bucket / 64] == 0 {
            self.occupied_words[bucket / 4096] &= !(1 << (bucket / 64 % 64));
        }
    }

    /// Pushes a block onto a full or empty bucket and returns the block's first free slot.
    #[cold]
    fn push_block(&mut self, bucket: usize, top: u32) -> u32 {
        if top == 0 {
            self.occupied[bucket / 64] |= 1 << (bucket % 64);
            self.occupied_words[bucket / 4096] |= 1 << (bucket / 64 % 64);
        }
        let mut block = self.free as usize;
        if block == 0 {
            block = self.pool.len();
            assert!(block < u32::MAX as usize - BLOCK, "more than 2^32 poses on the open list");
            self.pool.resize(block + BLOCK, 0);
        } else {
            self.free = self.pool[block];
        }
        self.pool[block] = top;
        block as u32 + 1
    }

    /// Frees the empty top block of a bucket.
    #[cold]
    fn pop_empty_block(&mut self, bucket: usize, block: usize) {
        let below = self.pool[block];
        self.pool[block] = self.free;
        self.free = block as u32;
        self.tops[bucket] = below;
        if below == 0 {
            self.mark_empty(bucket);
        }
    }
}

impl OpenList for BucketQueue {
    #[inline(always)]
    fn push(&mut self, key: u64, state: u32) {
        // A branch rather than a minimum, because the next pop must not wait for this key.
        if key < self.key {
            self.rewind(key);
        }
        self.push_ahead(key, state);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(u64, u32)> {
        let mut bucket = usize::from((self.key & self.mask) as u16);
        if self.tops[bucket] == 0 {
            bucket = self.advance(bucket)?;
        }
        let top = self.tops[bucket] as usize - 1;
        let state = self.pool[top];
        self.tops[bucket] = top as u32;
        if top % BLOCK == 1 {
            self.pop_empty_block(bucket, top - 1);
        }
        Some((self.key, state))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeapEntry {
    key: u64,
    /// Sequence number of the push.
    pushed: u64,
    state: u32,
}

impl Ord for HeapEntry {
    /// The maximum is popped first: least key, then last pushed.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.key, self.pushed).cmp(&(self.key, other.pushed))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A bucket queue for keys that may also fall, as in weighted searches: the cursor moves back to them. Buckets
/// hold the keys of one window; all others wait in a heap.
pub(crate) struct NonMonotoneQueue<'a> {
    near: &'a mut BucketQueue,
    far: &'a mut HeapQueue,
    /// Least key of the window.
    base: u64,
}

impl<'a> NonMonotoneQueue<'a> {
    /// Empties both parts and prepares them for keys that mostly lie at or above `base`.
    pub fn reset(near: &'a mut BucketQueue, far: &'a mut HeapQueue, base: u64) -> Self {
        near.reset(BUCKETS_MAX - 1, base);
        far.reset();
        Self { near, far, base }
    }

    /// Continues with the two parts as left by [`NonMonotoneQueue::reset`] with the same `base`.
    pub fn resume(near: &'a mut BucketQueue, far: &'a mut HeapQueue, base: u64) -> Self {
        Self { near, far, base }
    }

    #[cold]
    fn pop_least(&mut self) -> Option<(u64, u32)> {
        let far = self.far.heap.peek().map_or(u64::MAX, |entry| entry.key);
        match self.near.least_key() {
            Some(near) if near < far => self.near.pop(),
            _ => self.far.pop(),
        }
    }
}

impl OpenList for NonMonotoneQueue<'_> {
    #[inline(always)]
    fn push(&mut self, key: u64, state: u32) {
        if key.wrapping_sub(self.base) < BUCKETS_MAX {
            self.near.push(key, state);
        } else {
            self.far.push(key, state);
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(u64, u32)> {
        if self.far.heap.is_empty() { self.near.pop() } else { self.pop_least() }
    }
}

/// A binary heap, for keys of any range in any order.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeapQueue {
    heap: BinaryHeap<HeapEntry>,
    pushed: u64,
}

impl HeapQueue {
    pub fn allocated_bytes(&self) -> usize {
        self.heap.capacity() * size_of::<HeapEntry>()
    }

    /// Empties it.
    pub fn reset(&mut self) {
        self.heap.clear();
        self.pushed = 0;
    }

    /// As [`BucketQueue::for_each`].
    pub fn for_each(&self, mut found: impl FnMut(u64, u32)) {
        let mut entries: Vec<&HeapEntry> = self.heap.iter().collect();
        entries.sort_unstable_by_key(|entry| (entry.key, entry.pushed));
        entries.into_iter().for_each(|entry| found(entry.key, entry.state));
    }

    /// Becomes a copy in the same memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.heap.clone_from(&other.heap);
        self.pushed = other.pushed;
    }
}

impl OpenList for HeapQueue {
    fn push(&mut self, key: u64, state: u32) {
        self.pushed += 1;
        self.heap.push(HeapEntry { key, pushed: self.pushed, state });
    }

    fn pop(&mut self) -> Option<(u64, u32)> {
        self.heap.pop().map(|entry| (entry.key, entry.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Both lists agree pop by pop on keys with ascending sums and arbitrary classes, over ranges of one
        /// and of several bitmap words.
        #[test]
        fn bucket_queue_equals_heap(
            range in prop::sample::select(vec![1_u64, 3, 60, 63, 64, 500, 4095, 4096, 9000, 65_520]),
            first in 0_u64..10_000,
            steps in prop::collection::vec((0_u8..3, any::<u64>()), 1..400),
        ) {
            let (mut buckets, mut heap) = (BucketQueue::default(), HeapQueue::default());
            // Leftovers of an earlier use with another range must not survive.
            buckets.reset(100, 5);
            (5..80).for_each(|key| buckets.push(key, 1));
            let least_of_sum = |key: u64| key - key % 16;
            buckets.reset(range + 15, least_of_sum(first));
            heap.reset();
            let mut least = first;
            for (number, (what, draw)) in steps.into_iter().enumerate() {
                if what < 2 {
                    let key = least_of_sum(least) + draw % (range + 1);
                    buckets.push(key, number as u32);
                    heap.push(key, number as u32);
                } else {
                    let popped = heap.pop();
                    prop_assert_eq!(buckets.pop(), popped);
                    least = popped.map_or(least, |(key, _)| key);
                }
            }
            while let Some(popped) = heap.pop() {
                prop_assert_eq!(buckets.pop(), Some(popped));
            }
            prop_assert_eq!(buckets.pop(), None);
        }

        /// Keys that rise and fall: within the window, around its ends, and far from it.
        #[test]
        fn non_monotone_queue_equals_heap(
            base in prop::sample::select(vec![0_u64, 1, 70_000]),
            range in prop::sample::select(vec![1_u64, 3, 64, 5000, 65_535, 65_536, 65_537, 1 << 33]),
            steps in prop::collection::vec((0_u8..3, any::<u64>()), 1..400),
        ) {
            let (mut near, mut far, mut heap) = (BucketQueue::default(), HeapQueue::default(), HeapQueue::default());
            near.reset(100, 5);
            near.push(7, 1);
            far.push(7, 1);
            let first = base.saturating_sub(range / 8);
            let mut queue = NonMonotoneQueue::reset(&mut near, &mut far, base);
            heap.reset();
            for (number, (what, draw)) in steps.into_iter().enumerate() {
                if what < 2 {
                    let key = first + draw % (range + 1);
                    queue.push(key, number as u32);
                    heap.push(key, number as u32);
                } else {
                    prop_assert_eq!(queue.pop(), heap.pop());
                    queue = NonMonotoneQueue::resume(queue.near, queue.far, base);
                }
            }
            while let Some(popped) = heap.pop() {
                prop_assert_eq!(queue.pop(), Some(popped));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
