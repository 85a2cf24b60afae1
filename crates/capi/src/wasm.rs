//! What a module of WebAssembly needs besides: memory for arguments, and the message of a panic, which is a trap there.
//!
//! No part of the C interface: `crates/web` alone calls these.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;

/// Arguments of any type are aligned by it.
const ALIGNMENT: usize = 16;

thread_local! {
    /// The message of the panic that has ended the module. It outlives the trap, since memory does.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// `size` bytes, aligned to 16; null if there are none.
#[unsafe(no_mangle)]
pub extern "C" fn wb_wasm_alloc(size: usize) -> *mut u8 {
    match Layout::from_size_align(size.max(1), ALIGNMENT) {
        // SAFETY: the layout has a size.
        Ok(layout) => unsafe { alloc(layout) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Gives the bytes of `wb_wasm_alloc` back.
///
/// # Safety
/// `bytes` is of `wb_wasm_alloc` with the same size, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_wasm_free(bytes: *mut u8, size: usize) {
    if let (false, Ok(layout)) = (bytes.is_null(), Layout::from_size_align(size.max(1), ALIGNMENT)) {
        // SAFETY: by this function's contract.
        unsafe { dealloc(bytes, layout) };
    }
}

/// To be called once, before all others: has panics leave their message.
#[unsafe(no_mangle)]
pub extern "C" fn wb_wasm_begin() {
    std::panic::set_hook(Box::new(|panic| {
        PANIC.with(|message| {
            if let Ok(mut message) = message.try_borrow_mut() {
                *message = panic.to_string();
            }
        });
    }));
}

/// The message of the panic that has ended the module: its address. Nothing else may be called after a trap.
#[unsafe(no_mangle)]
pub extern "C" fn wb_wasm_panic() -> *const u8 {
    PANIC.with(|message| message.try_borrow().map_or(std::ptr::null(), |message| message.as_ptr()))
}

/// The bytes of the message of `wb_wasm_panic`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_wasm_panic_length() -> usize {
    PANIC.with(|message| message.try_borrow().map_or(0, |message| message.len()))
}
