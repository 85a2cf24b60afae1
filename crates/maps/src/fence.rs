//! A fence around decoders from elsewhere: what a file makes them do, the program goes on.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many fences this thread is within.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A decoder panicked. What it says then is about its own code, so it is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecoderPanic;

impl fmt::Display for DecoderPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged in a way that its decoder cannot cope with")
    }
}

impl std::error::Error for DecoderPanic {}

/// Calls a decoder of files that is not ours; a panic in it is an error of the file. `decode` must not leave
/// behind what it had half done: it builds its value and gives it back, and keeps to this thread.
///
/// The panic hook runs all the same. A program that does not want it to print asks [`is_fenced`] in it.
///
/// ```
/// use wheelbase_maps::{DecoderPanic, fenced, is_fenced};
/// # let print = std::panic::take_hook();
/// # std::panic::set_hook(Box::new(move |panic| if !is_fenced() { print(panic) }));
/// let decode = |bytes: &[u8]| fenced(|| bytes[3]);
/// assert_eq!(decode(b"1234"), Ok(b'4'));
/// assert_eq!(decode(b"12"), Err(DecoderPanic));
/// ```
/// # Errors
/// [`DecoderPanic`].
pub fn fenced<T>(decode: impl FnOnce() -> T) -> Result<T, DecoderPanic> {
    DEPTH.set(DEPTH.get() + 1);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DEPTH.set(DEPTH.get() - 1);
    decoded.map_err(|_| DecoderPanic)
}

/// Whether this thread is within [`fenced`], where a panic is the fault of a file.
pub fn is_fenced() -> bool {
    DEPTH.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_stand_within_each_other() {
        let inner = fenced(|| {
            let caught = fenced(|| assert!(!is_fenced(), "is within a fence"));
            (caught, is_fenced())
        });
        assert_eq!(inner, Ok((Err(DecoderPanic), true)));
        assert!(!is_fenced());
    }
}
