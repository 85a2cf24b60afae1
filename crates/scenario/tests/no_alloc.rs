//! In steady state a tick allocates nothing. The only test of this file: it counts all allocations of the process.

#![allow(clippy::unwrap_used)]

mod common;

use common::{CART, OTHERS, TRUCK, build_world, is_long, on_threads};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use wheelbase_scenario::load::{AttachedFile, Files, Overrides, Source, build_problem};
use wheelbase_scenario::recording::{Recorder, ScenarioText};
use wheelbase_sim::World;

struct Counting;

/// The runs of the crowd: threads, and whether the run is recorded. The runs of the team: threads and robots.
const CROWDS: [(usize, bool); 2] = [(2, false), (1, true)];
/// A team that the map can carry, a team in which some robots have no goal, and a packed map.
const TEAMS: [(usize, usize); 3] = [(1, 48), (2, 72), (1, 112)];

/// Allocations by run.
static ALLOCATIONS: [AtomicU64; CROWDS.len() + TEAMS.len()] =
    [const { AtomicU64::new(0) }; CROWDS.len() + TEAMS.len()];

thread_local! {
    /// The run of which the thread is a worker. Others are not counted: the test harness allocates on its own thread,
    /// for example to report a test that runs for over 60 seconds.
    static RUN: Cell<Option<usize>> = const { Cell::new(None) };
}

fn count() {
    if let Ok(Some(run)) = RUN.try_with(Cell::get) {
        ALLOCATIONS[run].fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts allocations for a run on all workers of the current thread pool.
fn count_on_workers(run: usize) {
    rayon::broadcast(|_| RUN.set(Some(run)));
}

fn allocations(run: usize) -> u64 {
    ALLOCATIONS[run].load(Ordering::Relaxed)
}

/// The runs are independent and run in parallel.
#[test]
fn a_steady_tick_allocates_nothing() {
    std::thread::scope(|scope| {
        for (run, &crowd) in CROWDS.iter().enumerate() {
            scope.spawn(move || crowd_allocates_nothing(run, crowd));
        }
        for (run, &team) in TEAMS.iter().enumerate() {
            scope.spawn(move || robots_allocate_nothing(CROWDS.len() + run, team));
        }
    });
}

// SAFETY: every call is passed to the system allocator unchanged; the counter does not touch the memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract of `alloc`, which is the same for both.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` or `realloc` here, that is from the system allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller gives a valid size.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A crowd on patrol, and agents that go from area to area: requests, waits, detours and retreats in every tick. An
/// edit stays pending throughout.
fn crowd_allocates_nothing(run: usize, (threads, recorded): (usize, bool)) {
    let rows = vec!["\"........................................\""; 30].join(",");
    let mut text = format!(
        "name = \"steady\"\nticks = 100000\nsearch_slots = 2\n[map]\nrows = [{rows}]\n[side.hedge]\nspeed = 0\n{CART}{TRUCK}{OTHERS}"
    );
    for (class, count) in [("cart", 20), ("truck", 20), ("tank", 10), ("walker", 20)] {
        text += &format!("[[groups]]\nclass = \"{class}\"\ncount = {count}\narea = [0, 0, 40, 30]\n");
        text += "orders = [{ patrol = [[2, 2], [37, 27], [37, 2], [2, 27]], within = 4 }]\n";
    }
    let there_and_back = "{ goto_area = [2, 4, 8, 20] }, { goto_area = [28, 6, 9, 18] }";
    text += &format!(
        "[[groups]]\nclass = \"cart\"\ncount = 12\narea = [0, 0, 40, 30]\norders = [{}]\n",
        vec![there_and_back; 500].join(", ")
    );
    text += "[[agents]]\nclass = \"cart\"\nat = [20, 29, \"E\"]\norders = [{ wait = 90000 }]\n";
    text += "[[events]]\ntick = 3\nset_side = { cell = [20, 29], side = \"E\", kind = \"wall\" }\n";
    text += "[[events]]\ntick = 3\nset_terrain = { area = [20, 29, 1, 1], kind = \"water\" }\n";
    let mut world = build_world(&text);
    let mut recorder = recorded.then(|| {
        let scenario = ScenarioText { file: "steady.toml", text: &text };
        Recorder::begin(&mut world, &Source::default(), scenario, std::io::sink()).unwrap()
    });
    let mut step = |world: &mut World| {
        let tick = world.tick();
        let step = world.step();
        if let Some(recorder) = &mut recorder {
            recorder.tick(world, tick, step).unwrap();
            world.clear_log();
        }
    };
    let is_long = is_long();
    on_threads(threads, || {
        count_on_workers(run);
        for _ in 0..if is_long { 12_000 } else { 6_000 } {
            step(&mut world);
        }
        assert_eq!(world.edits_pending(), 1);
        let (before, requests, moves) =
            (allocations(run), world.counts().path_requests, world.counts().moves);
        let done = world.counts().orders_done;
        for _ in 0..if is_long { 2000 } else { 1000 } {
            step(&mut world);
        }
        let allocations = allocations(run) - before;
        assert!(world.counts().path_requests > requests + 100 && world.counts().moves > moves + 1000);
        assert!(world.counts().orders_done > done + 20);
        assert_eq!(allocations, 0, "{threads} threads, recorded: {recorded}");
    });
}

/// A dense team of robots that pushes, improves plans and rebuilds fields in every tick.
fn robots_allocate_nothing(run: usize, (threads, team): (usize, usize)) {
    let map = format!("type octile\nheight 12\nwidth 12\nmap\n{}", "............\n..@..@..@...\n".repeat(6));
    // Rows without walls first.
    let mut free: Vec<usize> =
        (0..144).filter(|cell| cell / 12 % 2 == 0 || ![2, 5, 8].contains(&(cell % 12))).collect();
    free.sort_by_key(|cell| cell / 12 % 2);
    let starts: String = free[..team].iter().map(|cell| format!("{cell}\n")).collect();
    let tasks: String = (0..30).map(|task| format!("{}\n", task * 53 % 12 + task * 7 % 6 * 24)).collect();
    let problem = format!(
        r#"{{"mapFile": "m", "agentFile": "a", "teamSize": {team}, "taskFile": "t", "taskAssignmentStrategy": "roundrobin"}}"#
    );
    let file = |name: &str, text: String| AttachedFile { name: name.to_owned(), bytes: text.into_bytes() };
    let files = [file("m", map), file("a", format!("{team}\n{starts}")), file("t", format!("30\n{tasks}"))];
    let overrides = Overrides { ticks: Some(100_000), tries_per_tick: Some(20), ..Overrides::default() };
    let mut world =
        build_problem(Path::new("p.json"), problem.as_bytes(), overrides, Files::Attached(&files))
            .unwrap()
            .world;
    on_threads(threads, || {
        count_on_workers(run);
        for _ in 0..1500 {
            world.step();
        }
        let (before, done) = (allocations(run), world.counts().tasks_done);
        for _ in 0..300 {
            world.step();
        }
        let allocations = allocations(run) - before;
        assert!(world.counts().tasks_done > done + 100, "{}", world.counts().tasks_done - done);
        assert_eq!(allocations, 0, "{threads} threads, {team} robots");
    });
}
