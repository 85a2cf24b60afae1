//! Why saved state cannot be restored.

use std::error::Error;
use std::fmt;

/// Why saved state cannot be restored: what of it is wrong, in words. Saved state as [`crate::Scratch::save`] and its
/// like return it is always restored by what it was saved from; what comes from a file may have been changed.
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

/// Holds a list to a length.
pub(crate) fn check_length(place: &'static str, found: usize, expected: usize) -> Result<(), RestoreError> {
    match found == expected {
        true => Ok(()),
        false => Err(RestoreError::new(place, format_args!("{found} entries, expected {expected}"))),
    }
}
