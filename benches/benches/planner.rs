//! Planning times on the scenes of this crate, each beside `pathfinding::astar` on the same queries in
//! the same run. Ratios count; for the judged ones `src/bin/compare.rs` interleaves the peers.

// Criterion's macros write functions without documentation.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use wheelbase_benches::{
    FAIR, Peer, Scene, answer, assert_same_costs, calibration, drawn_scenes, file_scenes, open_scenes, work,
};
use wheelbase_planner::{Path, Scratch};

const QUERIES: usize = 5;

/// Times of all queries of a scene, per expansion of ours, and the same queries by each peer.
fn beside_peers(criterion: &mut Criterion) {
    println!("calibration: {}", calibration());
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for scene in file_scenes(QUERIES).into_iter().chain(drawn_scenes(QUERIES)) {
        let mut group = criterion.benchmark_group(&scene.name);
        let work = work(&scene, &mut scratch, &mut path);
        println!("{}: {work}", scene.name);
        group.throughput(Throughput::Elements(work.expansions));
        group.bench_function("ours", |bencher| {
            bencher.iter(|| answer_all(&scene, &mut scratch, &mut path));
        });
        for peer in Peer::ALL {
            assert_same_costs(&scene, peer, &mut scratch, &mut path);
            println!("{}, {}: {FAIR}", scene.name, peer.name());
            group.bench_function(peer.name(), |bencher| {
                bencher.iter(|| {
                    for query in &scene.queries {
                        black_box(peer.cost(&scene.tables, query));
                    }
                });
            });
        }
        group.finish();
    }
}

/// The time of an expansion must not grow with the body.
fn bodies(criterion: &mut Criterion) {
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let mut group = criterion.benchmark_group("open 512, per expansion");
    for scene in open_scenes(QUERIES) {
        let work = work(&scene, &mut scratch, &mut path);
        println!("{}: {work}", scene.name);
        group.throughput(Throughput::Elements(work.expansions));
        group.bench_function(BenchmarkId::from_parameter(&scene.name), |bencher| {
            bencher.iter(|| answer_all(&scene, &mut scratch, &mut path));
        });
    }
    group.finish();
}

fn answer_all(scene: &Scene, scratch: &mut Scratch, path: &mut Path) {
    for query in &scene.queries {
        black_box(answer(scene, query, scratch, path));
    }
}

criterion_group! {
    name = planner;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = beside_peers, bodies
}
criterion_main!(planner);
