//! Compares our planner with its peers on the same states. In every round all planners in turn run each scene in one
//! process, so noise of the machine affects all alike.
//!
//! `cargo run --release -p wheelbase-benches --bin compare -- [ROUNDS [SCENE]]`: ROUNDS is 3 by default; only scenes
//! whose name contains SCENE are run. The first table says how many times slower each peer is, by the least time of
//! each query, in total and for the median query. It also gives the gains and costs of landmarks. The second compares
//! a 3x9 body with a 1x1 on open ground. Each row prints work and hash. Both ends print the calibration of the
//! machine. If the two differ much, repeat the measurement.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{
    FAIR, Ours, Peer, Peers, SCENARIO_MAPS, Scene, arguments, calibration, drawn_scenes, file_scenes,
    open_scenes, timed, times,
};
use wheelbase_planner::search::{Heuristic, Landmarks};

const QUERIES: usize = 20;
const LANDMARKS: usize = 16;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("compare", 3) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    println!("{FAIR}; least of {rounds} rounds per query");
    println!("times slower than ours: all queries together (median query)");
    println!(
        "{:<16}{:>9}{:>10}{:>10}{:>17}{:>17}{:>17}{:>14}{:>9}{:>6}  work",
        "scene",
        "ours ns/x",
        "total ms",
        "median us",
        "hand-tuned",
        "idiomatic",
        "petgraph",
        "landmarks us",
        "prep ms",
        "MiB"
    );
    let scenes = file_scenes(&SCENARIO_MAPS, QUERIES).into_iter();
    let scenes = scenes.chain([256, 512].into_iter().flat_map(|side| drawn_scenes(side, QUERIES)));
    scenes.filter(|scene| scene.name.contains(&part)).for_each(|scene| compare_peers(&scene, rounds));
    compare_bodies(rounds, &part);
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn compare_peers(scene: &Scene, rounds: usize) {
    let mut ours = Ours::new(scene);
    let work = ours.work();
    let peers = Peers::of(scene);
    peers.assert_same_costs();
    let (landmarks, prepare_ms) = timed(|| Landmarks::of(&scene.tables, LANDMARKS));
    let mut guided = Ours::guided(scene, Heuristic::Landmarks(&landmarks));
    let [ours, guided, others @ ..] = times(
        rounds,
        &scene.queries,
        [
            &mut |query| ours.cost(query),
            &mut |query| guided.cost(query),
            &mut |query| peers.cost(Peer::HandTuned, query),
            &mut |query| peers.cost(Peer::Idiomatic, query),
            &mut |query| peers.cost(Peer::Petgraph, query),
        ],
    );
    print!(
        "{:<16}{:>9.1}{:>10.1}{:>10.0}",
        scene.name,
        ours.total_s() * 1e9 / work.expansions as f64,
        ours.total_s() * 1e3,
        ours.median_us()
    );
    for peer in others {
        let (total, median) = (peer.total_s() / ours.total_s(), peer.median_us() / ours.median_us());
        print!("{:>17}", format!("{total:.2}x ({median:.2}x)"));
    }
    println!("{:>14.0}{prepare_ms:>9.0}{:>6}  {work}", guided.median_us(), landmarks.memory_bytes() >> 20);
}

fn compare_bodies(rounds: usize, part: &str) {
    let scenes = open_scenes(QUERIES);
    if !scenes.iter().any(|scene| scene.name.contains(part)) {
        return;
    }
    let [mut small, mut large] = scenes.each_ref().map(Ours::new);
    let works = [small.work(), large.work()];
    let queries = &scenes[0].queries;
    let least = times(rounds, queries, [&mut |query| small.cost(query), &mut |query| large.cost(query)]);
    let ns = [0, 1].map(|at| least[at].total_s() * 1e9 / works[at].expansions as f64);
    for at in [0, 1] {
        println!("{:<16}{:>9.1} ns/x  {}", scenes[at].name, ns[at], works[at]);
    }
    println!("an expansion of the 3x9 takes {:.3}x the time of the 1x1", ns[1] / ns[0]);
}
