//! Why saved state cannot be restored.

use std::error::Error;
use std::fmt;

/// Why saved state cannot be restored: what of it is wrong, in words. Saved state as [`crate::Scratch::save`] and its
/// like return it is always restored by its source. State from a file may have been changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    place: &'static str,
    why: String,
}

impl RestoreError {
    /// An error in a part of the state.
    pub(crate) fn new(place: &'static str, why: impl fmt::Display) -> Self {
        Self { place, why: why.to_string() }
    }

    /// A value that is not below a limit.
    pub(crate) fn not_below(place: &'static str, found: impl fmt::Display, limit: impl fmt::Display) -> Self {
        Self::new(place, format_args!("{found}, expected less than {limit}"))
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

impl Error for RestoreError {}

/// The state that a list of rising states names by its distance from the one before it, the first from 0.
pub(crate) fn state_after(
    place: &'static str,
    (before, gap): (Option<u32>, u32),
    n_states: usize,
) -> Result<u32, RestoreError> {
    let state = before.unwrap_or(0).checked_add(gap).filter(|_| gap > 0 || before.is_none());
    state.filter(|&state| (state as usize) < n_states).ok_or_else(|| {
        let before = before.unwrap_or(0);
        RestoreError::new(place, format_args!("{gap} after {before}, of {n_states} states"))
    })
}

/// Holds a list to a length.
pub(crate) fn check_length(place: &'static str, found: usize, expected: usize) -> Result<(), RestoreError> {
    match found == expected {
        true => Ok(()),
        false => Err(RestoreError::new(place, format_args!("{found} entries, expected {expected}"))),
    }
}
