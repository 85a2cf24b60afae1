//! Names of numbers, as C reads them.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

/// The names of a kind of number, each with a zero byte at its end. The first use makes them from the names of the
/// libraries.
pub(crate) struct Names(OnceLock<Vec<CString>>);

impl Names {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The name of a number, valid for ever; null for a number without one. `names` gives all of them by number.
    pub(crate) fn of<I: IntoIterator<Item = &'static str>>(
        &self,
        number: u32,
        names: impl FnOnce() -> I,
    ) -> *const c_char {
        // None of them has a zero byte inside.
        let made = || names().into_iter().map(|name| CString::new(name).unwrap_or_default()).collect();
        let name = self.0.get_or_init(made).get(number as usize);
        name.map_or(std::ptr::null(), |name| name.as_ptr())
    }
}
