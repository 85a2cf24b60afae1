//! Memory estimates of scenarios match what they take. The only test of this file: it counts all allocations of the
//! process.

#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wheelbase_grid::MemoryMax;
use wheelbase_scenario::load::{Files, LoadError, build_world_within};
use wheelbase_scenario::scenario::parse;

struct Counting;

static HELD: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

fn take(bytes: usize) {
    let held = HELD.fetch_add(bytes as u64, Relaxed) + bytes as u64;
    PEAK.fetch_max(held, Relaxed);
}

// SAFETY: every call is passed to `System` unchanged, which upholds the contract; counting does not touch the returned
// memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The system remaps the pages of large blocks and copies nothing.
        HELD.fetch_sub(layout.size() as u64, Relaxed);
        take(size);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const REVERSIBLE: &str = r#"moves = [
  { name = "f", by = [1, 0], time = 10 }, { name = "b", by = [-1, 0], time = 30 },
  { name = "l", turn = 1, time = 10 }, { name = "r", turn = -1, time = 10 },
]"#;
const ONE_WAY: &str = r#"moves = [
  { name = "f", by = [1, 0], time = 10 }, { name = "l", turn = 1, time = 10 },
]"#;

/// The least limit under which a scenario is built, among a series of limits, and the peak memory of building it.
fn estimate_and_peak(text: &str) -> (u64, u64) {
    let typed = parse("test.toml", text.as_bytes()).unwrap();
    let build = |bytes| {
        let max = MemoryMax { built: Some(bytes), total: None };
        build_world_within(Path::new("test.toml"), &typed, Files::Disk, max)
    };
    // Reading the map needs less, and is checked first.
    let mut estimate = 1 << 20;
    while let Some(LoadError::Memory { error, .. }) = build(estimate).err() {
        assert!(error.need > estimate, "{error}");
        estimate = error.need;
    }
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let built = build(estimate).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let peak = PEAK.load(Relaxed) - before;
    drop(built);
    (estimate, peak)
}

#[test]
fn estimates_match_the_memory_taken() {
    let map = |kind: &str, width: u32, shape: &str| {
        format!(
            "name = \"m\"\nticks = 5\n[map]\nshape = \"{shape}\"\ngenerate = {{ kind = \"{kind}\", size = [{width}, 700] }}\n"
        )
    };
    let class =
        |name: &str, headings: u32, moves: &str| format!("[class.{name}]\nheadings = {headings}\n{moves}\n");
    let group =
        |what: &str| format!("[[groups]]\nclass = \"a\"\ncount = 40000\narea = [0, 0, 700, 700]\n{what}\n");
    let cases = [
        map("random", 900, "square") + &class("a", 4, REVERSIBLE),
        map("random", 900, "square") + &class("a", 4, ONE_WAY),
        map("rooms", 900, "square") + &class("a", 4, REVERSIBLE) + &class("b", 4, ONE_WAY),
        map("random", 900, "hex") + &class("a", 6, REVERSIBLE),
        map("open", 900, "square") + &class("a", 4, REVERSIBLE) + &group("orders = [{ wait = 3 }]"),
        map("open", 900, "square")
            + &class("a", 4, REVERSIBLE)
            + &group("tasks = { kind = \"random\", area = [0, 0, 900, 700] }"),
    ];
    let mut wrong = 0;
    for text in cases {
        let (estimate, peak) = estimate_and_peak(&text);
        let permille = estimate * 1000 / peak;
        println!("estimate {} MiB, peak {} MiB, {permille} permille", estimate >> 20, peak >> 20);
        // The most in the last case: agents share the order that holds their tasks, and landmarks count at the width of
        // the longest distances.
        wrong += usize::from(!(800..=1950).contains(&permille));
    }
    assert_eq!(wrong, 0);
}
