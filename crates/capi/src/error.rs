//! Versions, statuses and messages.

use crate::arguments::fill;
use crate::call::with_last_error;
use crate::status;
use std::ffi::c_char;

/// The version of this interface: the major number in the upper 16 bits, the minor in the lower. Programs run with any
/// library of the same major number and the same or a higher minor.
pub const WB_ABI_VERSION: u32 = 1 << 16;

/// The version of the library that runs: compare its upper 16 bits with the upper 16 bits of `WB_ABI_VERSION`.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn wb_abi_version() -> u32 {
    WB_ABI_VERSION
}

/// The name of a status, in English, ending with a zero byte; null for a number that is no status.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_status_name(status: u32) -> *const c_char {
    status::name(status).map_or(std::ptr::null(), |name| name.as_ptr().cast())
}

/// The message of the last call that failed on this thread, UTF-8, without a zero byte at its end. It begins with the
/// name of the function, as `wb_map_new: `; then mistakes in files and texts begin with `file:line:column:`, a line for
/// each. A failure of this call leaves the message as it is.
///
/// Threads: any; each has its own message.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_last_error(buffer: *mut c_char, capacity: usize, count: *mut usize) -> u32 {
    // Nothing in here panics, and a failure of this call does not replace the message. One call asks for its length,
    // and the next call gets it.
    with_last_error(|message| {
        // SAFETY: by this function's contract.
        let filled = unsafe { fill(buffer.cast::<u8>(), capacity, count, message.as_bytes(), "buffer") };
        filled.map_or_else(|failure| failure.status, |()| status::WB_OK)
    })
}
