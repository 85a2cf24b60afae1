//! An allocator that counts. Used by tests that are alone in their process.
#![allow(dead_code, reason = "each test counts one or the other")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// Allocations of the threads that are watched.
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
/// Bytes in use by the process.
static BYTES: AtomicI64 = AtomicI64::new(0);

/// Whether the place of each such allocation is printed.
static SHOWS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// Counts allocations of the calling thread from now on, or no longer.
pub fn watch(on: bool) {
    IS_WATCHED.set(on);
}

/// Allocations so far of threads while they were watched.
pub fn allocations() -> u64 {
    ALLOCATIONS.load(Ordering::Relaxed)
}

/// Prints from now on the place of each allocation while watched, to find out why a test fails.
pub fn show() {
    SHOWS.store(true, Ordering::Relaxed);
}

/// Bytes in use by the process.
pub fn bytes() -> i64 {
    BYTES.load(Ordering::Relaxed)
}

fn count() {
    if IS_WATCHED.try_with(Cell::get) == Ok(true) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        if SHOWS.load(Ordering::Relaxed) {
            IS_WATCHED.set(false);
            eprintln!("{}", std::backtrace::Backtrace::force_capture());
            IS_WATCHED.set(true);
        }
    }
}

struct Counting;

// SAFETY: every call is passed to the system allocator unchanged; the counters do not touch the memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `alloc`, which is the same for both.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: `pointer` came from `alloc` or `realloc` here, that is from the system allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        BYTES.fetch_add(size as i64 - layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as for `dealloc`; the caller gives a valid size.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
