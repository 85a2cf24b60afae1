//! Movement tables: compilation, updates after edits, and connectivity tests.

// Criterion's macros write functions without documentation.
#![allow(missing_docs)]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use wheelbase_benches::{SplitMix64, blobs, calibration, carrier, cart, open, rooms, truck};
use wheelbase_grid::{Grid, Rect, TerrainKind};
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;
use wheelbase_planner::tables::Reachability;

const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

fn maps(side: u32) -> [(&'static str, Grid); 3] {
    [("open", open(side)), ("blobs", blobs(side, 3)), ("rooms", rooms(side, 4))]
}

fn compiling(criterion: &mut Criterion) {
    println!("calibration: {}", calibration());
    let mut group = criterion.benchmark_group("compile 1024");
    for (name, grid) in maps(1024) {
        group.throughput(Throughput::Elements(grid.size().n_cells() as u64 * 4));
        group.bench_function(format!("{name} 1x2, words"), |bencher| {
            bencher.iter(|| MovementTables::compile(&grid, truck()));
        });
        let mut tables = MovementTables::compile(&grid, truck());
        group.bench_function(format!("{name} 1x2, components"), |bencher| {
            bencher.iter(|| tables.make_components());
        });
    }
    let grid = open(1024);
    for (name, class) in [("1x1", cart()), ("3x9", carrier())] {
        group.bench_function(format!("open {name}, words"), |bencher| {
            bencher.iter(|| MovementTables::compile(&grid, class.clone()));
        });
    }
    group.finish();
}

/// A building of 4x4 built and removed, at sites drawn in advance.
fn updating(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("update for a 4x4 building, 512");
    for (name, mut grid) in maps(512) {
        let mut random = SplitMix64::new(6);
        let sites: Vec<Rect> = (0..512)
            .map(|_| Rect::new(random.below(508) as i32, random.below(508) as i32, 4, 4))
            .filter(|area| area.cells().all(|cell| grid.terrain_at(cell) == Some(GROUND)))
            .collect();
        assert!(sites.len() > 50, "{name}: too few free sites");
        for components in [false, true] {
            let mut tables = MovementTables::compile(&grid, truck());
            if components {
                tables.make_components();
            }
            let what = if components { "words and components" } else { "words" };
            let mut next = 0;
            group.bench_function(format!("{name}, {what}"), |bencher| {
                bencher.iter(|| {
                    let area = sites[next / 2 % sites.len()];
                    let kind = if next % 2 == 0 { WATER } else { GROUND };
                    next += 1;
                    let edit = grid.set_terrain(area, kind);
                    tables.update(&grid, edit.changed);
                });
            });
            if next % 2 == 1 {
                let edit = grid.set_terrain(sites[next / 2 % sites.len()], GROUND);
                tables.update(&grid, edit.changed);
            }
        }
    }
    group.finish();
}

fn unreachable(criterion: &mut Criterion) {
    let mut grid = rooms(512, 4);
    let mut tables = MovementTables::compile(&grid, truck());
    tables.make_components();
    let mut random = SplitMix64::new(7);
    for _ in 0..200 {
        let area = Rect::new(random.below(508) as i32, random.below(508) as i32, 4, 4);
        let edit = grid.set_terrain(area, WATER);
        tables.update(&grid, edit.changed);
    }
    let n_states = tables.space().n_states() as u32;
    let pairs: Vec<(State, State)> =
        (0..1024).map(|_| (State(random.below(n_states)), State(random.below(n_states)))).collect();
    let mut next = 0;
    criterion.bench_function("connectivity of two poses, rooms 512 after 200 edits", |bencher| {
        bencher.iter_batched(
            || {
                next += 1;
                pairs[next % pairs.len()]
            },
            |(from, to)| black_box(tables.components().reachability(from, to) == Reachability::No),
            BatchSize::SmallInput,
        );
    });
}

criterion_group! {
    name = tables;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = compiling, updating, unreachable
}
criterion_main!(tables);
