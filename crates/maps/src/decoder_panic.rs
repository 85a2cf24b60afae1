//! Turns panics of third-party decoders into errors: no file can end the program.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Nested calls of [`catch_decoder_panic`] on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A decoder panicked. Its message is about its own code, and thus dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecoderPanic;

impl fmt::Display for DecoderPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged in a way that its decoder cannot handle")
    }
}

impl std::error::Error for DecoderPanic {}

/// Calls a third-party decoder and turns a panic in it into an error of the file. `decode` must leave no partial state
/// behind: it returns its value, and stays on this thread.
///
/// The panic hook still runs; a hook can ask [`is_in_decoder`] to stay silent.
///
/// ```
/// use wheelbase_maps::{DecoderPanic, catch_decoder_panic, is_in_decoder};
/// # let print = std::panic::take_hook();
/// # std::panic::set_hook(Box::new(move |panic| if !is_in_decoder() { print(panic) }));
/// let decode = |bytes: &[u8]| catch_decoder_panic(|| bytes[3]);
/// assert_eq!(decode(b"1234"), Ok(b'4'));
/// assert_eq!(decode(b"12"), Err(DecoderPanic));
/// ```
/// # Errors
/// [`DecoderPanic`].
pub fn catch_decoder_panic<T>(decode: impl FnOnce() -> T) -> Result<T, DecoderPanic> {
    DEPTH.set(DEPTH.get() + 1);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DEPTH.set(DEPTH.get() - 1);
    decoded.map_err(|_| DecoderPanic)
}

/// Whether this thread is within [`catch_decoder_panic`], where a panic is the fault of a file.
pub fn is_in_decoder() -> bool {
    DEPTH.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_can_be_nested() {
        let outer = catch_decoder_panic(|| {
            let caught = catch_decoder_panic(|| assert!(!is_in_decoder(), "is in a decoder"));
            (caught, is_in_decoder())
        });
        assert_eq!(outer, Ok((Err(DecoderPanic), true)));
        assert!(!is_in_decoder());
    }
}
