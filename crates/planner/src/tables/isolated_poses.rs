//! Legal poses with no legal move. Rare: for every other pose a non-zero word implies legality.

use crate::tables::move_words::MoveWord;
use crate::tables::moves::Update;
use std::ops::Range;

/// The states of a row of cells at one heading.
#[derive(Clone, Copy)]
pub(crate) struct HeadingStates {
    /// First state of the first cell, at heading 0.
    pub first: usize,
    pub heading: usize,
    /// Number of headings.
    pub headings: usize,
    /// Number of states of the map.
    pub n_states: usize,
}

impl HeadingStates {
    #[inline]
    fn of_column(&self, column: usize) -> usize {
        self.first + column * self.headings + self.heading
    }
}

/// Legal poses with no legal move.
#[derive(Clone, Debug, Default)]
pub(crate) struct IsolatedPoses {
    /// A bit per state; not allocated until the first isolated pose.
    bits: Vec<u64>,
    /// Saved bits for a rollback, and the index of their first word.
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

    /// Whether there has never been an isolated pose.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Whether there is one in a range of states or close to it.
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

    /// Saves the bits of a range of states, for [`IsolatedPoses::restore`].
    pub fn keep(&mut self, states: &Range<usize>) {
        self.kept_from = states.start / 64;
        let words = self.kept_from..(states.end / 64 + 1).min(self.bits.len());
        self.kept.clear();
        self.kept.extend_from_slice(self.bits.get(words).unwrap_or(&[]));
    }

    /// Restores the saved bits, if nothing outside the range was set since.
    pub fn restore(&mut self) {
        match self.kept.is_empty() {
            true => self.bits.clear(),
            false => self.bits[self.kept_from..][..self.kept.len()].copy_from_slice(&self.kept),
        }
    }

    /// Records the isolated poses of a row of a new map at one heading, given their speed classes and words.
    pub fn add_row<W: MoveWord>(
        &mut self,
        states: HeadingStates,
        speed_classes: &[W::SpeedClass],
        words: &[W],
    ) {
        // They are rare: testing many columns together pays off.
        const COLUMNS: usize = 64;
        for (chunk, (speed_classes, words)) in
            speed_classes.chunks(COLUMNS).zip(words.chunks(COLUMNS)).enumerate()
        {
            if !any_isolated(speed_classes, words) {
                continue;
            }
            for (column, (&speed_class, &word)) in (chunk * COLUMNS..).zip(speed_classes.iter().zip(words)) {
                if is_isolated(speed_class, word) {
                    self.set(states.of_column(column), states.n_states);
                }
            }
        }
    }

    /// Copies the bits of a range of states to a range starting at `first` of a new map.
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

    /// Updates the poses of a row at one heading from their new speed classes and words. `old_words` are the
    /// current words of all headings, not yet replaced. Returns the effect on poses with no move before and
    /// after, and reports each to `on_change`.
    pub fn set_row<W: MoveWord>(
        &mut self,
        states: HeadingStates,
        speed_classes: &[W::SpeedClass],
        words: &[W],
        old_words: &[W],
        mut on_change: impl FnMut(u32),
    ) -> Update {
        let mut update = Update::default();
        let HeadingStates { first, heading, headings, n_states } = states;
        let row = first..first + old_words.len();
        if !any_isolated(speed_classes, words) && (self.bits.is_empty() || !self.any_near(&row)) {
            return update;
        }
        let of_heading = old_words.iter().skip(heading).step_by(headings);
        for (column, ((&speed_class, &word), &old_word)) in
            speed_classes.iter().zip(words).zip(of_heading).enumerate()
        {
            let state = states.of_column(column);
            let is = is_isolated(speed_class, word);
            if self.contains(state) == is {
                continue;
            }
            self.set(state, n_states);
            if word == W::default() && old_word == W::default() {
                update.changed = true;
                update.eased |= is;
                on_change(state as u32);
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
