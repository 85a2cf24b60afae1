//! Legal poses without any legal move: there are few, and all others are told by their words.

use crate::tables::move_words::MoveWord;
use crate::tables::steps::Update;
use std::ops::Range;

/// Legal poses without any legal move.
#[derive(Clone, Debug, Default)]
pub(crate) struct IsolatedPoses {
    /// One bit a state; empty as long as there is none.
    bits: Vec<u64>,
    /// Bits of some states before an update, and where they begin.
    kept: Vec<u64>,
    kept_from: usize,
}

impl IsolatedPoses {
    pub fn memory_bytes(&self) -> usize {
        8 * (self.bits.capacity() + self.kept.capacity())
    }

    #[inline]
    pub fn contains(&self, state: usize) -> bool {
        self.bits.get(state / 64).is_some_and(|bits| bits >> (state % 64) & 1 == 1)
    }

    /// Whether there is none, and has never been one.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Whether there is one in a row of states, or close to it.
    pub fn any_near(&self, row: &Range<usize>) -> bool {
        let words = row.start / 64..(row.end / 64 + 1).min(self.bits.len());
        self.bits.get(words).is_some_and(|bits| bits.iter().any(|&bits| bits != 0))
    }

    fn set(&mut self, state: usize, n_states: usize) {
        if self.bits.is_empty() {
            self.bits = vec![0; n_states.div_ceil(64)];
        }
        self.bits[state / 64] ^= 1 << (state % 64);
    }

    /// Keeps what is told of a range of states, for [`IsolatedPoses::restore`].
    pub fn keep(&mut self, states: &Range<usize>) {
        self.kept_from = states.start / 64;
        let words = self.kept_from..(states.end / 64 + 1).min(self.bits.len());
        self.kept.clear();
        self.kept.extend_from_slice(self.bits.get(words).unwrap_or(&[]));
    }

    /// Tells again what was told when the states were kept, if nothing else was set since.
    pub fn restore(&mut self) {
        match self.kept.is_empty() {
            true => self.bits.clear(),
            false => self.bits[self.kept_from..][..self.kept.len()].copy_from_slice(&self.kept),
        }
    }

    /// Tells the poses of a row of a new map at one heading, by their levels and words. `first` is the first
    /// of their states.
    pub fn add_row<W: MoveWord>(
        &mut self,
        (first, headings, n_states): (usize, usize, usize),
        speed_classes: &[W::SpeedClass],
        words: &[W],
    ) {
        // There are few, so they are looked for many columns at a time.
        const COLUMNS: usize = 64;
        for (chunk, (speed_classes, words)) in
            speed_classes.chunks(COLUMNS).zip(words.chunks(COLUMNS)).enumerate()
        {
            if !any_isolated(speed_classes, words) {
                continue;
            }
            for (column, (&speed_class, &word)) in (chunk * COLUMNS..).zip(speed_classes.iter().zip(words)) {
                if is_isolated(speed_class, word) {
                    self.set(first + column * headings, n_states);
                }
            }
        }
    }

    /// Tells the same of states as of others of a new map.
    pub fn add_copies(&mut self, of: Range<usize>, first: usize, n_states: usize) {
        if !self.any_near(&of) {
            return;
        }
        for (offset, state) in of.enumerate() {
            if self.contains(state) {
                self.set(first + offset, n_states);
            }
        }
    }

    /// Tells the poses of a row at one heading by their levels and words, before the words take the place of
    /// `old_words`, which are those of all headings. Says what became of those without a move before and
    /// after, and adds them to `told`.
    pub fn set_row<W: MoveWord>(
        &mut self,
        (first, heading, headings, n_states): (usize, usize, usize, usize),
        speed_classes: &[W::SpeedClass],
        words: &[W],
        old_words: &[W],
        mut told: impl FnMut(u32),
    ) -> Update {
        let mut update = Update::default();
        let row = first..first + old_words.len();
        if !any_isolated(speed_classes, words) && (self.bits.is_empty() || !self.any_near(&row)) {
            return update;
        }
        let of_heading = old_words.iter().skip(heading).step_by(headings);
        for (column, ((&speed_class, &word), &old_word)) in
            speed_classes.iter().zip(words).zip(of_heading).enumerate()
        {
            let state = first + column * headings + heading;
            let is = is_isolated(speed_class, word);
            if self.contains(state) == is {
                continue;
            }
            self.set(state, n_states);
            if word == W::default() && old_word == W::default() {
                update.changed = true;
                update.eased |= is;
                told(state as u32);
            }
        }
        update
    }
}

fn is_isolated<W: MoveWord>(speed_class: W::SpeedClass, word: W) -> bool {
    (speed_class != W::SpeedClass::default()) & (word == W::default())
}

fn any_isolated<W: MoveWord>(speed_classes: &[W::SpeedClass], words: &[W]) -> bool {
    speed_classes
        .iter()
        .zip(words)
        .fold(false, |any, (&speed_class, &word)| any | is_isolated(speed_class, word))
}
