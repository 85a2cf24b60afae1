//! Planning times on the scenes of this crate, with `pathfinding` and `petgraph` on the same queries in the same run.
//! Only ratios are meaningful; for the published ones `src/bin/compare.rs` interleaves the planners.

// Criterion's macros write functions without documentation.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use wheelbase_benches::{
    FAIR, Ours, Peer, Peers, Scene, blobs, calibration, drawn_scenes, file_scenes, open_scenes, rooms, truck,
};
use wheelbase_grid::{Rect, TerrainKind};
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::search::{Heuristic, Landmarks};
use wheelbase_planner::{Goal, GoalMember, MovementTables, RepairScratch, SettleTarget};

const QUERIES: usize = 5;

/// Times of all queries of a scene, per expansion of ours; then the same queries by each peer.
fn with_peers(criterion: &mut Criterion) {
    println!("calibration: {}", calibration());
    for scene in file_scenes(&["lak303d"], QUERIES).into_iter().chain(drawn_scenes(256, QUERIES)) {
        let mut group = criterion.benchmark_group(&scene.name);
        let landmarks = Landmarks::of(&scene.tables, 16);
        for (name, heuristic) in [
            ("ours", Heuristic::Named(scene.heuristic)),
            ("ours with landmarks", Heuristic::Landmarks(&landmarks)),
        ] {
            let mut ours = Ours::guided(&scene, heuristic);
            let work = ours.work();
            println!("{}, {name}: {work}", scene.name);
            group.throughput(Throughput::Elements(work.expansions));
            group.bench_function(name, |bencher| bencher.iter(|| answer_all(&mut ours)));
        }
        let peers = Peers::of(&scene);
        peers.assert_same_costs();
        for peer in Peer::ALL {
            println!("{}, {}: {FAIR}", scene.name, peer.name());
            group.bench_function(peer.name(), |bencher| {
                bencher.iter(|| {
                    for query in &scene.queries {
                        black_box(peers.cost(peer, query));
                    }
                });
            });
        }
        group.finish();
    }
}

/// Time per expansion for bodies of different sizes, which must not differ.
fn bodies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("open 512, per expansion");
    for scene in open_scenes(QUERIES) {
        let mut ours = Ours::new(&scene);
        let work = ours.work();
        println!("{}: {work}", scene.name);
        group.throughput(Throughput::Elements(work.expansions));
        group.bench_function(BenchmarkId::from_parameter(&scene.name), |bencher| {
            bencher.iter(|| answer_all(&mut ours));
        });
    }
    group.finish();
}

/// Cost fields: time per settled state, per step downhill, and per building built or removed.
fn cost_fields(criterion: &mut Criterion) {
    for (name, mut grid) in [("blobs 512", blobs(512, 3)), ("rooms 512", rooms(512, 4))] {
        let mut group = criterion.benchmark_group(format!("field on {name}"));
        let mut tables = MovementTables::compile(&grid, truck());
        tables.make_components();
        let scene = Scene::new(name, &grid, truck(), 1, 2);
        let goal = [GoalMember::pose(scene.queries[0].goal)];
        let goal = Goal::of(&goal);
        let mut field = CostField::to_goal(&tables, &goal);
        let settled = field.settle(&tables, SettleTarget::All, u64::MAX).expansions;
        println!("{name}: {settled} poses settled, {} KiB", field.memory_bytes() / 1024);
        group.throughput(Throughput::Elements(settled));
        group.bench_function("settle", |bencher| {
            bencher.iter(|| {
                field.restart(&tables, &goal);
                black_box(field.settle(&tables, SettleTarget::All, u64::MAX));
            });
        });
        field.keep_moves(&tables);
        let starts: Vec<State> =
            field.settled().step_by(97).filter_map(|(p, _)| tables.space().state(p)).collect();
        let mut agents = starts.clone();
        group.throughput(Throughput::Elements(100 * starts.len() as u64));
        group.bench_function("step_all", |bencher| {
            bencher.iter(|| {
                agents.copy_from_slice(&starts);
                (0..100).for_each(|_| field.step_all(&mut agents));
            });
        });
        let site = scene.queries[0].start.cell;
        let site = Rect::new(site.x, site.y, 4, 4);
        let mut scratch = RepairScratch::new();
        let (ground, water) = (TerrainKind(0), TerrainKind(2));
        group.throughput(Throughput::Elements(2));
        group.bench_function("update and repair", |bencher| {
            bencher.iter(|| {
                for kind in [water, ground] {
                    let edit = grid.set_terrain(site, kind);
                    tables.update(&grid, edit.changed);
                    black_box(field.repair(&tables, edit.changed, &mut scratch));
                }
            });
        });
        group.finish();
    }
}

fn answer_all(ours: &mut Ours<'_>) {
    for query in &ours.scene.queries {
        black_box(ours.answer(query));
    }
}

criterion_group! {
    name = planner;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = with_peers, bodies, cost_fields
}
criterion_main!(planner);
