//! Short forms of calls.

use std::ffi::{CStr, c_char};
use wheelbase_c::*;
use wheelbase_sim::World;

/// The message of the last failure.
pub fn message() -> String {
    let mut count = 0;
    // SAFETY: `count` may be written; the buffer of the second call has the room that the first asked for.
    unsafe {
        wb_last_error(std::ptr::null_mut(), 0, &raw mut count);
        let mut text = vec![0_u8; count];
        assert_eq!(wb_last_error(text.as_mut_ptr().cast(), count, &raw mut count), WB_OK);
        String::from_utf8(text).unwrap()
    }
}

/// A call that succeeded.
#[track_caller]
pub fn ok(status: u32) {
    assert_eq!(status, WB_OK, "{}", message());
}

/// A call that failed with a status, and words in its message.
#[track_caller]
pub fn fails(status: u32, expected: u32, words: &str) {
    assert_eq!(status, expected, "{}", message());
    assert!(message().contains(words), "{} has no \"{words}\"", message());
}

/// A value that a call writes.
#[track_caller]
pub fn get<T: Default>(call: impl FnOnce(*mut T) -> u32) -> T {
    let mut value = T::default();
    ok(call(&raw mut value));
    value
}

/// An array that a call writes, by the count protocol.
#[track_caller]
pub fn list<T: Clone + Default>(call: impl Fn(*mut T, usize, *mut usize) -> u32) -> Vec<T> {
    let mut count = 0;
    let asked = call(std::ptr::null_mut(), 0, &raw mut count);
    assert!(asked == WB_OK || asked == WB_BUFFER, "{}", message());
    assert_eq!(asked == WB_OK, count == 0);
    let mut values = vec![T::default(); count];
    ok(call(values.as_mut_ptr(), count, &raw mut count));
    assert_eq!(count, values.len());
    values
}

/// The name behind a pointer.
pub fn name(name: *const c_char) -> Option<&'static str> {
    // SAFETY: names end with a zero byte and are there for ever.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_str().unwrap())
}

/// A world through C that is in the state of one of Rust.
#[track_caller]
pub fn copy_of(world: &World, threads: u32) -> u64 {
    let bytes = world.save().unwrap();
    // SAFETY: the bytes are there, and the handle may be written.
    get(|out| unsafe { wb_world_load(bytes.as_ptr(), bytes.len(), threads, out) })
}

#[track_caller]
pub fn hash(world: u64) -> u64 {
    // SAFETY: the hash may be written.
    get(|out| unsafe { wb_world_hash(world, out) })
}

#[track_caller]
pub fn tick(world: u64) -> u32 {
    // SAFETY: the tick may be written.
    get(|out| unsafe { wb_world_tick(world, out) })
}

/// One tick.
#[track_caller]
pub fn step(world: u64) -> u32 {
    // SAFETY: the state may be written.
    get(|out| unsafe { wb_world_step(world, out) })
}

/// The rows of a world's agents.
#[track_caller]
pub fn agents<'a>(world: u64) -> &'a [wb_agent_row] {
    let (mut rows, mut count) = (std::ptr::null(), 0);
    // SAFETY: both may be written; the rows are read before the world changes.
    unsafe {
        ok(wb_world_agents(world, &raw mut rows, &raw mut count));
        std::slice::from_raw_parts(rows, count)
    }
}

/// The rows of a world's events.
#[track_caller]
pub fn events<'a>(world: u64) -> &'a [wb_event_row] {
    let (mut rows, mut count) = (std::ptr::null(), 0);
    // SAFETY: as in `agents`.
    unsafe {
        ok(wb_world_events(world, &raw mut rows, &raw mut count));
        std::slice::from_raw_parts(rows, count)
    }
}

#[track_caller]
pub fn save(world: u64) -> Vec<u8> {
    // SAFETY: `list` gives a buffer of the capacity.
    list(|buffer, capacity, count| unsafe { wb_world_save(world, buffer, capacity, count) })
}

/// Counts with their size set.
#[track_caller]
pub fn counts(world: u64) -> wb_counts {
    // SAFETY: numbers alone: zeros are a value.
    let mut counts: wb_counts = unsafe { std::mem::zeroed() };
    counts.size = size_of::<wb_counts>() as u32;
    // SAFETY: the structure has its size.
    ok(unsafe { wb_world_counts(world, &raw mut counts) });
    counts
}
