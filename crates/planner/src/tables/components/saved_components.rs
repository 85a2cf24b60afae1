//! Components as data: the data that the moves alone do not determine.

use super::disjoint_sets::NO_LABEL;
use super::{Components, blocks_of, strong_components};
use crate::model::pose::State;
use crate::restore_error::{RestoreError, check_length};
use crate::tables::pose_graph::PoseGraph;

/// The parts of [`Components`] that the moves do not determine. They are the strong components of one-way moves when
/// last computed, and whether moves were removed or added since. The moves determine the weak components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedComponents {
    /// Runs of states with equal numbers, in order; [`NO_LABEL`] for those without.
    counts: Vec<u32>,
    numbers: Vec<u32>,
    removed: bool,
    added: bool,
}

impl Components {
    /// What the moves do not tell; `None` if nothing is labelled.
    pub(crate) fn save(&self, tables: &PoseGraph) -> Option<SavedComponents> {
        if !self.are_known() {
            return None;
        }
        let mut saved = SavedComponents {
            removed: self.strong_removed,
            added: self.strong_added,
            ..SavedComponents::default()
        };
        if !self.strong.is_empty() {
            for state in 0..tables.space().n_states() as u32 {
                let number = self.strong.get(state);
                if saved.numbers.last() != Some(&number) {
                    saved.counts.push(0);
                    saved.numbers.push(number);
                }
                saved.counts.last_mut().into_iter().for_each(|count| *count += 1);
            }
        }
        Some(saved)
    }

    /// Labels every state of the tables, and brings back the strong components. Nearly linear in the number of legal
    /// moves.
    /// # Errors
    /// For numbers that are no strong components of these moves, or of moves that they may have come from.
    pub(crate) fn restore(saved: &SavedComponents, tables: &PoseGraph) -> Result<Self, RestoreError> {
        let numbers = saved.read(tables)?;
        let mut components = Self::default();
        components.label_all(tables);
        components.strong.reset(numbers.len());
        for (block, numbers) in blocks_of(&numbers).enumerate() {
            components.strong.write(block, &numbers);
        }
        (components.strong_removed, components.strong_added) = (saved.removed, saved.added);
        components.labels.shrink();
        components.sets.shrink();
        components.patterns = super::CellPatterns::default();
        Ok(components)
    }
}

impl SavedComponents {
    /// The number of each state; none for reversible moves.
    fn read(&self, tables: &PoseGraph) -> Result<Vec<u32>, RestoreError> {
        const PLACE: &str = "strong components";
        check_length(PLACE, self.counts.len(), self.numbers.len())?;
        let n_states = tables.space().n_states();
        let total: u64 = self.counts.iter().map(|&count| u64::from(count)).sum();
        if tables.is_reversible() {
            let is_none = total == 0 && self.counts.is_empty() && !self.removed && !self.added;
            return match is_none {
                true => Ok(Vec::new()),
                false => Err(RestoreError::new(PLACE, "of a class whose moves can all be taken back")),
            };
        }
        if total != n_states as u64 {
            return Err(RestoreError::new(PLACE, format_args!("of {total} states, expected {n_states}")));
        }
        if let Some(number) = self.numbers.iter().find(|&&n| n != NO_LABEL && n as usize >= n_states) {
            return Err(RestoreError::not_below(PLACE, number, n_states));
        }
        let mut numbers = Vec::with_capacity(n_states);
        for (&count, &number) in self.counts.iter().zip(&self.numbers) {
            numbers.extend(std::iter::repeat_n(number, count as usize));
        }
        match self.are_true(tables, &numbers) {
            true => Ok(numbers),
            false => Err(RestoreError::new(PLACE, "these are none of the moves on this map")),
        }
    }

    /// Whether everything that the numbers are taken to prove is so.
    fn are_true(&self, tables: &PoseGraph, numbers: &[u32]) -> bool {
        if !self.added {
            // A move never leads to a higher number, so no path does.
            for state in 0..numbers.len() as u32 {
                let (number, mut holds) = (numbers[state as usize], true);
                tables.for_each_successor(State(state), |next| {
                    let after = numbers[next.state.0 as usize];
                    holds &= number != NO_LABEL && after <= number;
                });
                if !holds {
                    return false;
                }
            }
        }
        if !self.removed {
            // States of one number reach each other: each shares its present component with the first of the number.
            let present = strong_components(tables);
            let mut first = vec![NO_LABEL; numbers.len()];
            for (state, &number) in (0..).zip(numbers).filter(|(_, number)| **number != NO_LABEL) {
                if !tables.is_legal(State(state)) {
                    continue;
                }
                let first = &mut first[number as usize];
                if *first == NO_LABEL {
                    *first = present[state as usize];
                }
                if *first != present[state as usize] {
                    return false;
                }
            }
        }
        true
    }
}
