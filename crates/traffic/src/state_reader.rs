//! Reading of the state of a rule: the parts in order, every value within its range.

use crate::rule_state::{RulePart, RuleState, RuleStateError};
use std::ops::RangeInclusive;

/// Reads the parts of a state in the order in which they were shown.
///
/// ```
/// use wheelbase_traffic::{RuleState, StateReader, StateVisitor};
/// let mut state = RuleState::default();
/// state.part("ticks", &mut [3, 4].into_iter());
/// let mut reader = StateReader::new(&state);
/// let mut ticks = reader.part("ticks")?;
/// assert_eq!(ticks.next(0..=9, "a tick")?, 3);
/// let error = ticks.next(0..=3, "a tick").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "state of the traffic rule, part `ticks`, value 1: found 4, expected a tick from 0 to 3"
/// );
/// # Ok::<(), wheelbase_traffic::RuleStateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StateReader<'a> {
    parts: std::slice::Iter<'a, RulePart>,
}

/// Reads the values of one part.
#[derive(Clone, Copy, Debug)]
pub struct PartReader<'a> {
    name: &'static str,
    values: &'a [u64],
    at: usize,
}

impl<'a> StateReader<'a> {
    /// Before the first part.
    pub fn new(state: &'a RuleState) -> Self {
        Self { parts: state.parts.iter() }
    }

    /// The next part.
    /// # Errors
    /// [`RuleStateError`] if it has another name or is missing.
    pub fn part(&mut self, name: &'static str) -> Result<PartReader<'a>, RuleStateError> {
        match self.parts.next() {
            Some(part) if part.name == name => Ok(PartReader { name, values: &part.values, at: 0 }),
            Some(part) => Err(RuleStateError::of_part(&part.name, "this part", format!("part `{name}`"))),
            None => Err(RuleStateError::of_part(name, "nothing", "this part")),
        }
    }

    /// The next part, which has `n` values.
    /// # Errors
    /// [`RuleStateError`] if it has another name or number of values, or is missing.
    pub fn part_of(&mut self, name: &'static str, n: usize) -> Result<PartReader<'a>, RuleStateError> {
        let part = self.part(name)?;
        match part.left() {
            found if found == n => Ok(part),
            found => Err(RuleStateError::of_part(name, format!("{found} values"), n.to_string())),
        }
    }

    /// All parts have been read.
    /// # Errors
    /// [`RuleStateError`] if one is left.
    pub fn finish(mut self) -> Result<(), RuleStateError> {
        match self.parts.next() {
            Some(part) => Err(RuleStateError::of_part(&part.name, "this part", "no more parts")),
            None => Ok(()),
        }
    }
}

impl PartReader<'_> {
    /// Number of values left.
    pub fn left(&self) -> usize {
        self.values.len() - self.at
    }

    /// The next value, any.
    /// # Errors
    /// [`RuleStateError`] if there is none.
    pub fn word(&mut self) -> Result<u64, RuleStateError> {
        let Some(&value) = self.values.get(self.at) else {
            return Err(RuleStateError::of_part(self.name, format!("{} values", self.at), "more"));
        };
        self.at += 1;
        Ok(value)
    }

    /// The next value, in a range. `what` names it in the error.
    /// # Errors
    /// [`RuleStateError`] if there is none, or if it is out of the range.
    pub fn next(&mut self, range: RangeInclusive<u64>, what: &str) -> Result<u64, RuleStateError> {
        let value = self.word()?;
        if range.contains(&value) {
            return Ok(value);
        }
        Err(self.wrong(match (range.start(), range.end()) {
            (low, high) if low > high => format!("{what}, of which there is none"),
            (low, high) => format!("{what} from {low} to {high}"),
        }))
    }

    /// The next value, at most `most`.
    /// # Errors
    /// As [`PartReader::next`].
    pub fn u32_to(&mut self, most: u32, what: &str) -> Result<u32, RuleStateError> {
        Ok(self.next(0..=u64::from(most), what)? as u32)
    }

    /// The next value, any of 32 bits.
    /// # Errors
    /// As [`PartReader::next`].
    pub fn u32(&mut self, what: &str) -> Result<u32, RuleStateError> {
        self.u32_to(u32::MAX, what)
    }

    /// The next value, below `n`.
    /// # Errors
    /// As [`PartReader::next`].
    pub fn below(&mut self, n: usize, what: &str) -> Result<u32, RuleStateError> {
        let most = (n as u64).min(1 << 32).checked_sub(1);
        match most {
            Some(most) => Ok(self.next(0..=most, what)? as u32),
            None => {
                self.word()?;
                Err(self.wrong(format!("{what}, of which there is none")))
            }
        }
    }

    /// The next value, 0 or 1.
    /// # Errors
    /// As [`PartReader::next`].
    pub fn flag(&mut self, what: &str) -> Result<bool, RuleStateError> {
        Ok(self.next(0..=1, what)? == 1)
    }

    /// An error about the last value read.
    pub fn wrong(&self, expected: impl Into<String>) -> RuleStateError {
        let at = self.at.saturating_sub(1);
        let found = self.values.get(at).map_or_else(|| "nothing".to_owned(), u64::to_string);
        RuleStateError::of_value(self.name, at, found, expected)
    }

    /// All values have been read.
    /// # Errors
    /// [`RuleStateError`] if one is left.
    pub fn finish(self) -> Result<(), RuleStateError> {
        if self.left() == 0 {
            return Ok(());
        }
        let found = format!("{} values", self.values.len());
        Err(RuleStateError::of_part(self.name, found, self.at.to_string()))
    }
}
