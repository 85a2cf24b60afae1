//! The cost for a game of reading the agents of a world. The first part borrows their rows at 100 and at 100,000
//! agents. The second sums every field of 5,000 rows, beside the same loop over a plain array in the same run. The
//! plain array is a copy of the rows. A check compares the two sums.

// Criterion's macros write functions without documentation.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;
use wheelbase_benches::{calibration, times};
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{AgentRow, World};

/// Rows of the loop.
const ROWS: u32 = 5_000;
/// How often each of the two loops takes its turn.
const TURNS: usize = 2_000;

/// Agents that drive about on open ground, after some ticks.
fn crowd(agents: u32) -> World {
    let side = (agents * 10).isqrt() + 1;
    let text = format!(
        "name = \"rows\"\nticks = 1000000\n[map]\ngenerate = {{ kind = \"open\", size = [{side}, {side}], seed = 1 }}\n\
         [class.cart]\nheadings = 4\nmoves = [{{ name = \"forward\", by = [1, 0], time = 4 }},\n\
         {{ name = \"left\", turn = 1, time = 3 }}, {{ name = \"right\", turn = -1, time = 3 }}]\n\
         [[groups]]\nclass = \"cart\"\ncount = {agents}\narea = [0, 0, {side}, {side}]\n\
         orders = [{{ goto_area = [0, 0, {side}, {side}] }}, {{ wait = 3 }}, {{ patrol = [[2, 2], [9, 9]], within = 5 }}]\n"
    );
    let typed = scenario::parse("rows.toml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut world =
        load::build_world(Path::new("rows.toml"), &typed).unwrap_or_else(|error| panic!("{error}"));
    while world.tick() < 16 {
        world.step();
    }
    world
}

/// Sum of every field of all rows.
fn sum(rows: &[AgentRow]) -> u64 {
    let of_row = |row: &AgentRow| {
        let bytes = [row.class, row.team, row.activity, row.primitive];
        let poses = [row.from_x, row.from_y, row.to_x, row.to_y].map(|number| number as u32);
        let turns = [row.from_heading, row.to_heading, row.turn as u8, row.order_kind];
        let ticks = [row.id, row.begin_tick, row.end_tick, row.waits_since, row.order, row.flags];
        let small = bytes.into_iter().chain(turns).map(u64::from).sum::<u64>();
        small + poses.into_iter().chain(ticks).map(u64::from).sum::<u64>()
    };
    rows.iter().map(of_row).sum()
}

/// Times both loops in turns; prints the least times and their ratio.
fn compare(world: &World, copy: &[AgentRow]) {
    assert_eq!(sum(world.agents()), sum(copy));
    let mut borrowed = |_: &()| sum(black_box(world).agents());
    let mut copied = |_: &()| sum(black_box(copy));
    let [borrowed, copied] = times(TURNS, &[()], [&mut borrowed, &mut copied]);
    println!(
        "sum of {} rows: {:.2} us borrowed from a world, {:.2} us over a copy, ratio {:.3}; sum {}",
        copy.len(),
        borrowed.mean_us(),
        copied.mean_us(),
        borrowed.total_s() / copied.total_s(),
        sum(copy)
    );
}

fn reading(criterion: &mut Criterion) {
    println!("calibration: {}", calibration());
    // Under `cargo test` and `cargo bench -- --test` each bench runs once, and only on small crowds.
    let once = !std::env::args().any(|arg| arg == "--bench") || std::env::args().any(|arg| arg == "--test");
    let mut group = criterion.benchmark_group("rows");
    for agents in if once { [10, 100] } else { [100, 100_000] } {
        let world = crowd(agents);
        let id = BenchmarkId::new("borrow", agents);
        group.bench_function(id, |bencher| bencher.iter(|| black_box(black_box(&world).agents()).len()));
    }
    let world = crowd(if once { 50 } else { ROWS });
    let copy = world.agents().to_vec();
    compare(&world, &copy);
    group.throughput(Throughput::Elements(copy.len() as u64));
    group.bench_function("sum", |bencher| bencher.iter(|| sum(black_box(&world).agents())));
    group.bench_function("sum of a copy", |bencher| bencher.iter(|| sum(black_box(&copy))));
    group.finish();
}

criterion_group! {
    name = rows;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = reading
}
criterion_main!(rows);
