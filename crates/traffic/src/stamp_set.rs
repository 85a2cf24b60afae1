//! Sets of indices that are emptied in constant time.

/// Indices below a length; an index is in the set if it bears the present stamp. Memory: 4 bytes an index.
#[derive(Debug, Default)]
pub(crate) struct StampSet {
    stamps: Vec<u32>,
    stamp: u32,
}

impl StampSet {
    /// Empties the set; from now on it holds indices below `n`. Linear in `n` once in 2^32 - 1 calls.
    pub fn reset(&mut self, n: usize) {
        self.stamps.resize(n, 0);
        if self.stamp == u32::MAX {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Adds an index.
    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.stamps[index] = self.stamp;
    }

    /// Whether an index is in the set.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.stamps[index] == self.stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_empties_the_set_also_where_stamps_begin_again() {
        let mut set = StampSet { stamps: Vec::new(), stamp: u32::MAX - 2 };
        for round in 0..5 {
            set.reset(8 + round);
            assert!((0..8 + round).all(|index| !set.contains(index)), "round {round}");
            set.insert(round);
            assert!((0..8 + round).all(|index| set.contains(index) == (index == round)), "round {round}");
        }
        assert_eq!(set.stamp, 3);
    }
}
