//! Compares our planner with contraction hierarchies (`fast_paths`) on the states of small maps.
//!
//! `cargo run --release -p wheelbase-benches --bin contraction -- [ROUNDS [SCENE]]` (default 3). The edges are our
//! moves and the costs are equal. A hierarchy must be rebuilt after every edit, which takes longer than all queries
//! here, so its preparation time is printed too.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{Ours, Query, Scene, arguments, calibration, drawn_scenes, timed, times};
use wheelbase_planner::Pose;
use wheelbase_planner::model::State;
use wheelbase_planner::search::{Heuristic, Landmarks};

const QUERIES: usize = 100;
const LANDMARKS: usize = 16;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("contraction", 3) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    println!("fair for maps that never change: same moves, exact, costs equal, prepared; no heuristic");
    println!("median us per query, least of {rounds} rounds; ms of preparation");
    println!(
        "{:<12}{:>8}{:>12}{:>8}{:>12}{:>12}{:>8}  work",
        "scene", "ours", "landmarks", "ms", "fast_paths", "ms", "x ours"
    );
    for scene in [64, 128].into_iter().flat_map(|side| drawn_scenes(side, QUERIES)) {
        if scene.name.contains(&part) {
            compare(&scene, rounds);
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn compare(scene: &Scene, rounds: usize) {
    let (landmarks, landmarks_ms) = timed(|| Landmarks::of(&scene.tables, LANDMARKS));
    let mut edges = fast_paths::InputGraph::new();
    for from in 0..scene.tables.space().n_states() as u32 {
        scene.tables.for_each_successor(State(from), |next| {
            edges.add_edge(from as usize, next.state.0 as usize, next.ticks as usize);
        });
    }
    edges.freeze();
    let (hierarchy, hierarchy_ms) = timed(|| fast_paths::prepare(&edges));
    let mut calculator = fast_paths::create_calculator(&hierarchy);
    let node = |pose: Pose| scene.tables.space().state(pose).map_or(usize::MAX, |state| state.0 as usize);
    let mut contracted = |query: &Query| {
        let found = calculator.calc_path(&hierarchy, node(query.start), node(query.goal));
        found.map_or(0, |path| path.get_weight() as u64)
    };
    let mut ours = Ours::new(scene);
    let mut guided = Ours::guided(scene, Heuristic::Landmarks(&landmarks));
    let work = ours.work();
    for query in &scene.queries {
        assert_eq!(contracted(query), ours.cost(query), "{}: {query:?}", scene.name);
    }
    let [ours, guided, contracted] = times(
        rounds,
        &scene.queries,
        [&mut |query| ours.cost(query), &mut |query| guided.cost(query), &mut contracted],
    );
    println!(
        "{:<12}{:>8.1}{:>12.1}{landmarks_ms:>8.1}{:>12.1}{hierarchy_ms:>12.0}{:>8.2}  {work}",
        scene.name,
        ours.median_us(),
        guided.median_us(),
        contracted.median_us(),
        contracted.median_us() / ours.median_us()
    );
}
