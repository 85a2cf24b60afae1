//! Gain and cost of weighted search, and the cost of a finer map.
//!
//! `cargo run --release -p wheelbase-benches --bin weights -- [ROUNDS [SCENE]]` (default 3). The 1x2 truck on drawn
//! maps. Costs and expansions are independent of the machine; times are the least of the rounds.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{
    Ours, Query, Scene, arguments, at_resolution, blobs, calibration, drawn_scenes, noise, rooms, times,
    truck_at_resolution,
};
use wheelbase_grid::{CellXY, Grid};
use wheelbase_planner::Pose;

const QUERIES: usize = 100;
const WEIGHTS_PERMILLE: [u32; 5] = [1000, 1200, 1500, 2000, 3000];
const RESOLUTIONS: [u32; 3] = [1, 2, 4];

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("weights", 3) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    println!("\nweight in permille: {QUERIES} long queries, cost over the optimum; least of {rounds} rounds");
    println!(
        "{:<12}{:>8}{:>10}{:>10}{:>12}{:>12}{:>12}",
        "", "weight", "cost mean", "greatest", "expansions", "of exact", "median us"
    );
    let scenes = drawn_scenes(512, QUERIES);
    scenes.iter().filter(|scene| scene.name.contains(&part)).for_each(|scene| weigh(scene, rounds));
    println!(
        "\nresolution: the same map with each cell divided into 1, 4 and 16; the truck is as large and as fast"
    );
    println!("on the ground as before; cost relative to the coarse map");
    println!(
        "{:<12}{:>8}{:>12}{:>10}{:>12}{:>12}{:>12}{:>8}",
        "", "times", "side, cells", "cost mean", "expansions", "of coarse", "median us", "ns/x"
    );
    for (name, grid) in
        [("blobs 256", blobs(256, 3)), ("rooms 256", rooms(256, 4)), ("noise 256", noise(256, 9))]
    {
        if name.contains(&part) {
            refine(name, &grid, rounds);
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn costs(ours: &mut Ours<'_>) -> Vec<f64> {
    ours.scene.queries.iter().map(|query| ours.cost(query) as f64).collect()
}

/// Mean and greatest ratio of two lists of costs.
fn ratios(costs: &[f64], to: &[f64]) -> (f64, f64) {
    let ratios = costs.iter().zip(to).map(|(cost, to)| cost / to);
    (ratios.clone().sum::<f64>() / costs.len() as f64, ratios.fold(0.0, f64::max))
}

fn weigh(scene: &Scene, rounds: usize) {
    let mut planners = WEIGHTS_PERMILLE.map(|weight| Ours::weighted(scene, weight));
    let works = planners.each_mut().map(Ours::work);
    let costs = planners.each_mut().map(costs);
    let [a, b, c, d, e] = &mut planners;
    let least = times(
        rounds,
        &scene.queries,
        [
            &mut |query| a.cost(query),
            &mut |query| b.cost(query),
            &mut |query| c.cost(query),
            &mut |query| d.cost(query),
            &mut |query| e.cost(query),
        ],
    );
    for (at, weight) in WEIGHTS_PERMILLE.into_iter().enumerate() {
        let (mean, greatest) = ratios(&costs[at], &costs[0]);
        println!(
            "{:<12}{weight:>8}{mean:>10.4}{greatest:>10.4}{:>12}{:>12.3}{:>12.0}",
            scene.name,
            works[at].expansions / works[at].queries as u64,
            works[at].expansions as f64 / works[0].expansions as f64,
            least[at].median_us()
        );
    }
}

fn refine(name: &str, grid: &Grid, rounds: usize) {
    let coarse = Scene::new(name, grid, truck_at_resolution(1), QUERIES, 2);
    let scenes = RESOLUTIONS.map(|times| {
        let finer = |pose: Pose| Pose {
            cell: CellXY::new(pose.cell.x * times as i32, pose.cell.y * times as i32),
            heading: pose.heading,
        };
        let queries = coarse.queries.iter().map(|q| Query { start: finer(q.start), goal: finer(q.goal) });
        Scene::with_queries(name, &at_resolution(grid, times), truck_at_resolution(times), queries.collect())
    });
    let mut planners = scenes.each_ref().map(Ours::new);
    let works = planners.each_mut().map(Ours::work);
    let costs = planners.each_mut().map(costs);
    // The scenes have different queries, so they are timed by index.
    let numbers: Vec<usize> = (0..QUERIES).collect();
    let [a, b, c] = &mut planners;
    let least = times(
        rounds,
        &numbers,
        [&mut |&n| a.cost(&scenes[0].queries[n]), &mut |&n| b.cost(&scenes[1].queries[n]), &mut |&n| {
            c.cost(&scenes[2].queries[n])
        }],
    );
    for (at, factor) in RESOLUTIONS.into_iter().enumerate() {
        let work = works[at];
        println!(
            "{name:<12}{factor:>8}{:>12}{:>10.4}{:>12}{:>12.2}{:>12.0}{:>8.1}",
            scenes[at].tables.space().size().width(),
            ratios(&costs[at], &costs[0]).0,
            work.expansions / work.queries as u64,
            work.expansions as f64 / works[0].expansions as f64,
            least[at].median_us(),
            least[at].total_s() * 1e9 / work.expansions as f64
        );
    }
}
