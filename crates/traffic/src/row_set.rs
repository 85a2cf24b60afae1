//! Sets of rows, one bit per row.

use crate::clone_fields::clone_fields;

/// Rows of agents, visited in ascending order. Memory: one bit per row.
///
/// ```
/// use wheelbase_traffic::RowSet;
///
/// let mut rows = RowSet::default();
/// rows.extend([70, 3, 3]);
/// rows.remove(70);
/// assert_eq!(rows.iter().collect::<Vec<_>>(), [3]);
/// ```
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RowSet {
    words: Vec<u64>,
}

clone_fields!(RowSet { words });

const BITS: usize = u64::BITS as usize;

impl RowSet {
    /// Adds a row.
    pub fn insert(&mut self, row: usize) {
        if self.words.len() <= row / BITS {
            self.words.resize(row / BITS + 1, 0);
        }
        self.words[row / BITS] |= 1 << (row % BITS);
    }

    /// Removes a row.
    pub fn remove(&mut self, row: usize) {
        if let Some(word) = self.words.get_mut(row / BITS) {
            *word &= !(1 << (row % BITS));
        }
    }

    /// Whether a row is in the set.
    pub fn contains(&self, row: usize) -> bool {
        self.words.get(row / BITS).is_some_and(|word| word & 1 << (row % BITS) != 0)
    }

    /// Makes it the set of all rows below `n`.
    pub fn fill(&mut self, n: usize) {
        self.words.clear();
        self.words.resize(n / BITS, u64::MAX);
        self.words.extend((!n.is_multiple_of(BITS)).then(|| (1 << (n % BITS)) - 1));
    }

    /// Removes all rows, and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Follows the removal of rows, given in ascending order: they leave the set, and the rows after them close up.
    /// Linear in the rows of the set after the first of them.
    pub fn close_up(&mut self, gone: &[u32]) {
        let Some(&first) = gone.first() else { return };
        let (mut at, mut next) = (0, first as usize);
        while let Some(row) = self.next_from(next) {
            next = row + 1;
            self.remove(row);
            while gone.get(at).is_some_and(|&gone| (gone as usize) < row) {
                at += 1;
            }
            if gone.get(at).is_none_or(|&gone| gone as usize != row) {
                self.insert(row - at);
            }
        }
    }

    /// Follows the insertion of a row, which is not in the set: the rows from it on move up. Linear in the later rows
    /// of the set.
    pub fn open_up(&mut self, row: usize) {
        let mut carried = false;
        let mut next = row;
        loop {
            let is_next = self.contains(next);
            if carried {
                self.insert(next);
            } else {
                self.remove(next);
            }
            carried = is_next;
            if !carried {
                let Some(later) = self.next_from(next + 1) else { return };
                next = later;
            } else {
                next += 1;
            }
        }
    }

    /// Makes it a copy of another set. Allocates only beyond the largest set so far.
    pub fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// The rows, ascending. Linear in the words of the set and its rows.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let row = self.next_from(from)?;
            from = row + 1;
            Some(row)
        })
    }

    /// The first row that is not below `row`, for a visitor that changes the owner of the set.
    pub fn next_from(&self, row: usize) -> Option<usize> {
        let mut number = row / BITS;
        let mut word = self.words.get(number)? & u64::MAX << (row % BITS);
        while word == 0 {
            number += 1;
            word = *self.words.get(number)?;
        }
        Some(number * BITS + word.trailing_zeros() as usize)
    }
}

impl Extend<usize> for RowSet {
    fn extend<T: IntoIterator<Item = usize>>(&mut self, rows: T) {
        rows.into_iter().for_each(|row| self.insert(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_equals_a_plain_set(
            changes in prop::collection::vec((0_usize..300, any::<bool>()), 0..200),
            n in 0_usize..300,
            gone in prop::collection::btree_set(0_u32..300, 0..20),
            new in 0_usize..300,
        ) {
            let (mut rows, mut slow) = (RowSet::default(), BTreeSet::new());
            rows.fill(n);
            slow.extend(0..n);
            for (row, is_added) in changes {
                if is_added {
                    rows.insert(row);
                    slow.insert(row);
                } else {
                    rows.remove(row);
                    slow.remove(&row);
                }
                prop_assert_eq!(rows.contains(row), is_added);
            }
            prop_assert!(rows.iter().eq(slow.iter().copied()));
            prop_assert_eq!(rows.next_from(n), slow.range(n..).next().copied());
            let mut copy = RowSet::default();
            copy.copy_from(&rows);
            prop_assert_eq!(&copy, &rows);
            let gone: Vec<u32> = gone.into_iter().collect();
            rows.close_up(&gone);
            let stay = slow.iter().filter(|&&row| !gone.contains(&(row as u32)));
            let moved = stay.map(|&row| row - gone.iter().filter(|&&gone| (gone as usize) < row).count());
            prop_assert!(rows.iter().eq(moved));
            let before: Vec<usize> = rows.iter().collect();
            rows.open_up(new);
            prop_assert!(rows.iter().eq(before.iter().map(|&row| row + usize::from(row >= new))));
        }
    }
}
