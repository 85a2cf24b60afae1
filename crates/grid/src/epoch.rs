//! Marks that are cleared in constant time: each carries the epoch in which it was set.

/// The current epoch of an array whose entries carry the epoch in which they were written, 0 for never.
///
/// Advancing makes all entries stale together. Epochs are finite: when they wrap, the entries must be cleared, or
/// entries of the distant past would look current.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epoch(u32);

impl Epoch {
    /// The current epoch; 0 before the first.
    #[inline(always)]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Begins the next epoch, from 1 to `last`. After `last` the epochs wrap to 1, and `clear` must reset the epoch
    /// of every entry to 0.
    pub fn advance(&mut self, last: u32, clear: impl FnOnce()) {
        if self.0 >= last {
            clear();
            self.0 = 0;
        }
        self.0 += 1;
    }

    /// An epoch for tests of the wrap.
    #[doc(hidden)]
    pub const fn at(epoch: u32) -> Self {
        Self(epoch)
    }
}

/// A set of indices below a bound, emptied in constant time. Memory: 4 bytes per index.
///
/// ```
/// use wheelbase_grid::EpochMarks;
/// let mut seen = EpochMarks::default();
/// seen.begin(10);
/// assert!(seen.insert(3) && !seen.insert(3) && seen.contains(3));
/// seen.begin(10);
/// assert!(!seen.contains(3));
/// ```
#[derive(Clone, Debug, Default)]
pub struct EpochMarks {
    epochs: Vec<u32>,
    epoch: Epoch,
}

impl EpochMarks {
    /// Empties the set, for indices below `n`. Allocates only if `n` grows; takes linear time only then, and once
    /// in 2^32 - 1 calls.
    pub fn begin(&mut self, n: usize) {
        if self.epochs.len() < n {
            self.epochs.resize(n, 0);
        }
        let Self { epochs, epoch } = self;
        epoch.advance(u32::MAX, || epochs.fill(0));
    }

    /// Whether an index is in the set.
    /// # Panics
    /// If the index is not below the largest bound so far.
    #[inline(always)]
    pub fn contains(&self, index: usize) -> bool {
        self.epochs[index] == self.epoch.get()
    }

    /// Adds an index; returns whether it is new.
    /// # Panics
    /// If the index is not below the largest bound so far.
    #[inline(always)]
    pub fn insert(&mut self, index: usize) -> bool {
        let is_new = !self.contains(index);
        self.epochs[index] = self.epoch.get();
        is_new
    }

    /// Removes an index.
    /// # Panics
    /// If the index is not below the largest bound so far.
    #[inline]
    pub fn remove(&mut self, index: usize) {
        self.epochs[index] = 0;
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        4 * self.epochs.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_last_epoch_clears_before_it_wraps() {
        let (mut epoch, mut cleared) = (Epoch::default(), 0);
        for expected in [1, 2, 3, 1, 2, 3, 1] {
            epoch.advance(3, || cleared += 1);
            assert_eq!(epoch.get(), expected);
        }
        assert_eq!(cleared, 2);
    }

    /// A mark of the first epoch must not reappear when epochs have wrapped.
    #[test]
    fn marks_do_not_reappear_when_epochs_wrap() {
        let mut marks = EpochMarks::default();
        marks.begin(4);
        marks.insert(2);
        marks.epoch = Epoch::at(u32::MAX - 1);
        marks.begin(4);
        assert!((0..4).all(|index| !marks.contains(index)));
        marks.insert(1);
        marks.begin(4);
        assert_eq!(marks.epoch.get(), 1);
        assert!((0..4).all(|index| !marks.contains(index)));
    }

    proptest! {
        #[test]
        fn marks_equal_a_set(
            rounds in prop::collection::vec((1_usize..50, prop::collection::vec(any::<prop::sample::Index>(), 0..40)), 1..20),
            wraps_after in 0_u32..20,
        ) {
            let mut marks = EpochMarks { epoch: Epoch::at(u32::MAX - wraps_after), ..EpochMarks::default() };
            for (n, indices) in rounds {
                marks.begin(n);
                let mut set = BTreeSet::new();
                for index in indices {
                    let index = index.index(n);
                    prop_assert_eq!(marks.insert(index), set.insert(index));
                }
                for index in 0..n {
                    prop_assert_eq!(marks.contains(index), set.contains(&index));
                }
            }
        }
    }
}
