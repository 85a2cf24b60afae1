//! Time of a tick by number of agents and covered share of the cells. Mixed bodies on open land have random tasks
//! nearby, and all have their first path. The work of a tick depends on the traffic rule, so it is printed with each
//! time. There is no peer that moves such bodies.

// Criterion's macros write functions without documentation.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use wheelbase_benches::calibration;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{Counters, Phase, World};

/// Number of agents, and the percentage of the map that they cover.
const CROWDS: [(u32, u32); 7] =
    [(1_000, 2), (1_000, 5), (1_000, 15), (10_000, 2), (10_000, 5), (10_000, 15), (100_000, 5)];
/// Side of the block in which a group starts, in cells; its tasks lie within half a block around it.
const BLOCK: u32 = 128;
/// Ticks over which phases are timed.
const PHASE_TICKS: u32 = 32;

/// Name, footprint, pivot, time of a forward step and of a turn; a reverse step takes three times as long.
const CLASSES: [(&str, &str, &str, u32, u32); 5] = [
    ("scout", "\">\"", "0, 0", 8, 8),
    ("truck", "\"X>\"", "0, 0", 10, 10),
    ("hovercraft", "\"X>\", \"XX\"", "-0.5, 0.5", 12, 12),
    ("loader", "\"XX>\", \"XXX\"", "-0.5, 0.5", 15, 20),
    ("carrier", "\"XXXXX\", \"XX>XX\", \"XXXXX\"", "0, 0", 20, 40),
];
/// Cells covered by one agent of each class together.
const CELLS: u32 = 28;

/// A scenario of a number of agents, equally many of each class, that cover a percentage of a square map.
fn text(agents: u32, cover: u32) -> String {
    let each_class = agents / CLASSES.len() as u32;
    let side = (each_class * CELLS * 100 / cover).isqrt();
    let blocks = (side / BLOCK).max(1);
    let mut text = format!(
        "name = \"crowd\"\nseed = 1\nticks = 1000000000\nexpansions_per_tick = 4000000\nsearch_slots = 4\n\
         [map]\ngenerate = {{ kind = \"open\", size = [{side}, {side}], seed = 1 }}\n[terrain.trees]\nspeed = 250\n"
    );
    for (name, footprint, pivot, step, turn) in CLASSES {
        let reverse = 3 * step;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[class.{name}]\nheadings = 4\nfootprint = [{footprint}]\npivot = [{pivot}]\nmoves = [\n\
             {{ name = \"forward\", by = [1, 0], time = {step} }},\n{{ name = \"reverse\", by = [-1, 0], time = {reverse} }},\n\
             {{ name = \"left\", turn = 1, time = {turn} }},\n{{ name = \"right\", turn = -1, time = {turn} }},\n]\n"
        );
    }
    let n_groups = blocks * blocks * CLASSES.len() as u32;
    let edge = |at: u32| at * side / blocks;
    for group in 0..n_groups {
        let (name, ..) = CLASSES[group as usize % CLASSES.len()];
        let (i, j) = (group / CLASSES.len() as u32 % blocks, group / CLASSES.len() as u32 / blocks);
        let count = agents * (group + 1) / n_groups - agents * group / n_groups;
        if count == 0 {
            continue;
        }
        let (x, y, width, height) = (edge(i), edge(j), edge(i + 1) - edge(i), edge(j + 1) - edge(j));
        let (left, top) = (x.saturating_sub(BLOCK / 2), y.saturating_sub(BLOCK / 2));
        let _ = write!(
            text,
            "[[groups]]\nclass = \"{name}\"\ncount = {count}\narea = [{x}, {y}, {width}, {height}]\n\
             tasks = {{ kind = \"random\", area = [{left}, {top}, {}, {}] }}\n",
            width + BLOCK,
            height + BLOCK
        );
    }
    text
}

fn crowd(agents: u32, cover: u32) -> World {
    let text = text(agents, cover);
    let typed = scenario::parse("crowd.toml", text.as_bytes());
    let typed = typed.unwrap_or_else(|error| panic!("{error}"));
    load::build_world(Path::new("crowd.toml"), &typed).unwrap_or_else(|error| panic!("{error}"))
}

/// Shares of the time by phase in thousandths, over [`PHASE_TICKS`].
fn phases(world: &mut World) -> String {
    let (mut nanos, mut current, mut since) = ([0; Phase::ALL.len()], Phase::Metrics, Instant::now());
    for _ in 0..PHASE_TICKS {
        world.step_observed(&mut |phase| {
            let now = Instant::now();
            nanos[current as usize] += now.duration_since(since).as_nanos();
            (current, since) = (phase, now);
        });
    }
    let total = nanos.iter().sum::<u128>().max(1);
    let shares =
        Phase::ALL.iter().map(|&phase| format!("{} {}", phase.name(), nanos[phase as usize] * 1000 / total));
    shares.collect::<Vec<_>>().join(", ")
}

fn ticks(criterion: &mut Criterion) {
    println!("calibration: {}", calibration());
    // Under `cargo test` and `cargo bench -- --test` each bench runs once, and only on a small crowd.
    let once = !std::env::args().any(|arg| arg == "--bench") || std::env::args().any(|arg| arg == "--test");
    let (crowds, settling_ticks) = if once { (&CROWDS[2..3], 4) } else { (&CROWDS[..], 400) };
    let mut group = criterion.benchmark_group("tick");
    for &(agents, cover) in crowds {
        let mut world = crowd(agents, cover);
        while world.tick() < settling_ticks {
            world.step();
        }
        let before = *world.counts();
        let shares = phases(&mut world);
        let (after, now) = (world.counts(), Counters::of(&world));
        println!(
            "{agents} agents, {cover} %: at tick {} {} moving, {} waiting, {} requests open; in {PHASE_TICKS} ticks {} \
             moves, {} tasks, {} expansions; permille of the time: {shares}; state {:016x}",
            world.tick(),
            now.moving,
            now.waiting,
            now.requests_open,
            after.moves - before.moves,
            after.tasks_done - before.tasks_done,
            after.expansions - before.expansions,
            world.state_hash()
        );
        group.throughput(Throughput::Elements(agents.into()));
        let id = BenchmarkId::from_parameter(format!("{agents} agents, {cover} %"));
        group.bench_function(id, |bencher| bencher.iter(|| world.step()));
    }
    group.finish();
}

criterion_group! {
    name = traffic;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(3));
    targets = ticks
}
criterion_main!(traffic);
