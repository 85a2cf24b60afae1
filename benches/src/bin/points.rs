//! Compares our planner, with class `octile`, with general searches and with two grid planners for points on eight
//! neighbours, on maps of the MovingAI benchmark.
//!
//! `cargo run --release -p wheelbase-benches --bin points -- [ROUNDS [MAP]]` (default 3). The general searches answer
//! the same queries. The grid planners have other rules and do not find the cheapest paths. Each is listed after our
//! planner with the same rule of corners. Its row has the mean and greatest ratio of its path costs to the optimum by
//! that rule, and how many paths cut a corner. Costs are octile lengths, except on four neighbours.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{
    FAIR, Ours, Peer, Peers, PointPeer, Query, SCENARIO_MAPS, Scene, Times, arguments, calibration,
    file_grid, four_neighbours, octile_past_corners, timed, times,
};
use wheelbase_grid::{CellXY, Grid};
use wheelbase_planner::search::{Heuristic, Landmarks};
use wheelbase_planner::{Heading, MovementClass, MovementTables, Pose};

const QUERIES: usize = 50;
const LANDMARKS: usize = 16;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("points", 3) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    println!(
        "{QUERIES} long queries per map, least of {rounds} rounds per query; times slower than ours by the same rule"
    );
    println!("pathfinding, petgraph: {FAIR}");
    PointPeer::LABELS.iter().for_each(|(name, label)| println!("{name}: {label}"));
    for name in SCENARIO_MAPS.into_iter().filter(|name| name.contains(&part)) {
        if let Some(grid) = file_grid(name) {
            compare(name, &grid, rounds);
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn compare(name: &str, grid: &Grid, rounds: usize) {
    let scene = Scene::new(name, grid, MovementClass::octile(), QUERIES, 1);
    let queries = &scene.queries;
    let [past, four] = [octile_past_corners(), four_neighbours()]
        .map(|class| Scene::with_queries(name, grid, class, queries.clone()));
    let (mut strict, mut past, mut four) = (Ours::new(&scene), Ours::new(&past), Ours::new(&four));
    let peers = Peers::of(&scene);
    peers.assert_same_costs();
    let (landmarks, landmarks_ms) = timed(|| Landmarks::of(&scene.tables, LANDMARKS));
    let (jump_points, jump_points_ms) = timed(|| PointPeer::jump_points(&scene.tables));
    let (eight, eight_ms) = timed(|| PointPeer::eight_neighbours(&scene.tables));
    let (fours, fours_ms) = timed(|| PointPeer::four_neighbours(&scene.tables));
    let mut guided = Ours::guided(&scene, Heuristic::Landmarks(&landmarks));
    let n_cells = |peer: &PointPeer, query: &Query| peer.path(query).map_or(0, |path| path.len() as u64);
    let [
        ours,
        guided,
        hand_tuned,
        idiomatic,
        petgraph,
        ours_past,
        ours_four,
        points,
        eight_least,
        fours_least,
    ] = times(
        rounds,
        queries,
        [
            &mut |query| strict.cost(query),
            &mut |query| guided.cost(query),
            &mut |query| peers.cost(Peer::HandTuned, query),
            &mut |query| peers.cost(Peer::Idiomatic, query),
            &mut |query| peers.cost(Peer::Petgraph, query),
            &mut |query| past.cost(query),
            &mut |query| four.cost(query),
            &mut |query| n_cells(&jump_points, query),
            &mut |query| n_cells(&eight, query),
            &mut |query| n_cells(&fours, query),
        ],
    );
    println!("\n{name}, {} x {} cells", grid.size().width(), grid.size().height());
    println!(
        "  {:<28}{:>10}{:>9}{:>9}{:>12}{:>10}{:>6}",
        "", "median us", "x ours", "prep ms", "cost, mean", "greatest", "cut"
    );
    row("ours, no corner cut", &ours, &ours, None, None);
    row("ours with landmarks", &guided, &ours, Some(landmarks_ms), None);
    for (peer, least) in Peer::ALL.into_iter().zip([hand_tuned, idiomatic, petgraph]) {
        row(peer.name(), &least, &ours, None, None);
    }
    row("ours, corners cut", &ours_past, &ours_past, None, None);
    let rival = |peer: &PointPeer, least, rule: &mut Ours<'_>, ours, prepare_ms| {
        row(peer.name(), least, ours, Some(prepare_ms), Some(Quality::of(peer, rule, &scene.tables)));
    };
    rival(&jump_points, &points, &mut past, &ours_past, jump_points_ms);
    rival(&eight, &eight_least, &mut past, &ours_past, eight_ms);
    row("ours, 4 neighbours", &ours_four, &ours_four, None, None);
    rival(&fours, &fours_least, &mut four, &ours_four, fours_ms);
}

fn row(name: &str, least: &Times, ours: &Times, prepare_ms: Option<f64>, quality: Option<Quality>) {
    let ratio = least.median_us() / ours.median_us();
    print!("  {name:<28}{:>10.1}{ratio:>9.2}", least.median_us());
    if let Some(ms) = prepare_ms {
        print!("{ms:>9.1}");
    }
    if let Some(Quality { mean, greatest, n_cut }) = quality {
        print!("{mean:>12.4}{greatest:>10.4}{n_cut:>6}");
    }
    println!();
}

/// Quality of a peer's paths.
struct Quality {
    /// Mean ratio of cost to the optimum by the same rule.
    mean: f64,
    /// Greatest such ratio.
    greatest: f64,
    /// Number of paths that cut a corner.
    n_cut: usize,
}

impl Quality {
    fn of(peer: &PointPeer, rule: &mut Ours<'_>, strict: &MovementTables) -> Self {
        let mut quality = Self { mean: 0.0, greatest: 0.0, n_cut: 0 };
        let queries = &rule.scene.queries;
        for query in queries {
            let path = peer.path(query).unwrap_or_else(|| panic!("{}: no path: {query:?}", peer.name()));
            let optimum = rule.cost(query);
            let ratio = cost(&path, &rule.scene.tables) as f64 / optimum as f64;
            assert!(ratio >= 1.0, "{}: cheaper than the optimum: {query:?}", peer.name());
            quality.mean += ratio / queries.len() as f64;
            quality.greatest = quality.greatest.max(ratio);
            quality.n_cut += usize::from(cuts_a_corner(&path, strict));
        }
        quality
    }
}

/// Cost in ticks of a path of cells, by the moves of a class without facing.
///
/// # Panics
/// If a step is not a legal move of the class.
fn cost(path: &[CellXY], tables: &MovementTables) -> u64 {
    let state = |cell| tables.space().state(Pose { cell, heading: Heading(0) });
    let ticks = |from, to| {
        let mut ticks = None;
        if let Some(from) = state(from) {
            tables.for_each_successor(from, |next| {
                if state(to) == Some(next.state) {
                    ticks = Some(u64::from(next.ticks));
                }
            });
        }
        ticks.unwrap_or_else(|| panic!("no move from {from:?} to {to:?}"))
    };
    path.windows(2).map(|step| ticks(step[0], step[1])).sum()
}

fn cuts_a_corner(path: &[CellXY], tables: &MovementTables) -> bool {
    let is_free = |x, y| tables.is_legal_pose(Pose { cell: CellXY::new(x, y), heading: Heading(0) });
    path.windows(2).any(|step| !is_free(step[0].x, step[1].y) || !is_free(step[1].x, step[0].y))
}
