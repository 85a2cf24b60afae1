//! Open lists as data.

use crate::restore_error::{RestoreError, check_length};
use std::ops::RangeInclusive;

/// An open list: its states in order of key and, of equal keys, in the order in which they were pushed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedQueue {
    /// Differences of the keys, the first from 0, and the number of states of each.
    gaps: Vec<u64>,
    counts: Vec<u32>,
    states: Vec<u32>,
}

impl SavedQueue {
    /// The open list that `each` shows: keys and states, in order of key.
    pub fn of(each: impl FnOnce(&mut dyn FnMut(u64, u32))) -> Self {
        let mut queue = Self::default();
        let mut last = 0;
        each(&mut |key, state| {
            if queue.counts.is_empty() || key != last {
                queue.gaps.push(key - last);
                queue.counts.push(0);
                last = key;
            }
            queue.counts.last_mut().into_iter().for_each(|count| *count += 1);
            queue.states.push(state);
        });
        queue
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Shows every key and state, in order. Everything is checked, except that the state has the meaning it claims.
    /// # Errors
    /// For keys out of range, for lists that do not match, and the errors of `found`.
    pub fn read(
        &self,
        place: &'static str,
        keys: RangeInclusive<u64>,
        mut found: impl FnMut(u64, u32) -> Result<(), RestoreError>,
    ) -> Result<(), RestoreError> {
        check_length(place, self.gaps.len(), self.counts.len())?;
        let (mut key, mut states) = (0_u64, &self.states[..]);
        for (at, (&gap, &count)) in self.gaps.iter().zip(&self.counts).enumerate() {
            let next = key.checked_add(gap).filter(|next| keys.contains(next) && (gap > 0 || at == 0));
            key = next.ok_or_else(|| {
                let (first, last) = (keys.start(), keys.end());
                RestoreError::new(
                    place,
                    format_args!("{gap} above key {key}, expected keys from {first} to {last}"),
                )
            })?;
            let of_key = states.split_at_checked(count as usize).filter(|_| count > 0);
            let (now, later) = of_key.ok_or_else(|| {
                RestoreError::new(
                    place,
                    format_args!("{count} states of key {key}, expected 1 to {}", states.len()),
                )
            })?;
            now.iter().try_for_each(|&state| found(key, state))?;
            states = later;
        }
        check_length(place, states.len(), 0)
    }
}
