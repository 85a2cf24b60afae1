//! Our planner beside its peers: every scene, once a round for each, in turn in one process, so that a
//! noisy machine treats all alike. Prints the median total times as ratios to ours.
//!
//! `cargo run --release -p wheelbase-benches --bin compare -- [ROUNDS [SCENE]]`: rounds (default 5),
//! and only scenes whose name contains SCENE. The first table answers "how many times slower is the
//! peer"; the second holds a 3x9 body against a 1x1 on open ground. Work and hash are printed beside
//! each, and the calibration of the machine first and last: if those two differ much, measure again.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::Instant;
use wheelbase_benches::{
    FAIR, Peer, Scene, answer, assert_same_costs, calibration, drawn_scenes, file_scenes, open_scenes, work,
};
use wheelbase_planner::{Path, Scratch};

const QUERIES: usize = 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().map_or(Ok(5), |text| text.parse());
    let Ok(rounds @ 1..) = rounds else {
        eprintln!("usage: compare [ROUNDS [SCENE]], ROUNDS a whole number from 1; default 5");
        return ExitCode::from(2);
    };
    let part = arguments.next().unwrap_or_default();
    println!("calibration: {}", calibration());
    compare_peers(rounds, &part);
    compare_bodies(rounds, &part);
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

/// Seconds by scene and round, for ours and then each peer.
fn compare_peers(rounds: usize, part: &str) {
    let scenes: Vec<Scene> = file_scenes(QUERIES).into_iter().chain(drawn_scenes(QUERIES)).collect();
    println!("{FAIR}");
    println!("{:<18}{:>9}{:>12}{:>12}  work", "scene", "ours ns/x", "hand-tuned", "idiomatic");
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for scene in scenes.iter().filter(|scene| scene.name.contains(part)) {
        let work = work(scene, &mut scratch, &mut path);
        Peer::ALL.iter().for_each(|&peer| assert_same_costs(scene, peer, &mut scratch, &mut path));
        let mut seconds = [const { Vec::new() }; 3];
        for _ in 0..rounds {
            seconds[0].push(time_ours(scene, &mut scratch, &mut path));
            for (peer, seconds) in Peer::ALL.into_iter().zip(&mut seconds[1..]) {
                let begun = Instant::now();
                let total: u64 =
                    scene.queries.iter().filter_map(|q| peer.cost(&scene.tables, q)).map(u64::from).sum();
                seconds.push(begun.elapsed().as_secs_f64());
                assert_eq!(total, work.cost_total);
            }
        }
        let [ours, hand_tuned, idiomatic] = seconds.map(median);
        println!(
            "{:<18}{:>9.1}{:>12}{:>12}  {work}",
            scene.name,
            ours * 1e9 / work.expansions as f64,
            format!("{:.2}x", hand_tuned / ours),
            format!("{:.2}x", idiomatic / ours),
        );
    }
}

fn compare_bodies(rounds: usize, part: &str) {
    let scenes = open_scenes(QUERIES);
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    if !scenes.iter().any(|scene| scene.name.contains(part)) {
        return;
    }
    let works = [0, 1].map(|at| work(&scenes[at], &mut scratch, &mut path));
    let mut seconds = [const { Vec::new() }; 2];
    for _ in 0..rounds {
        for (scene, seconds) in scenes.iter().zip(&mut seconds) {
            seconds.push(time_ours(scene, &mut scratch, &mut path));
        }
    }
    let mut ns = [0.0; 2];
    for (at, seconds) in seconds.into_iter().enumerate() {
        ns[at] = median(seconds) * 1e9 / works[at].expansions as f64;
        println!("{:<18}{:>9.1} ns/x  {}", scenes[at].name, ns[at], works[at]);
    }
    println!("a 3x9 takes {:.3}x the time of a 1x1 per expansion", ns[1] / ns[0]);
}

fn time_ours(scene: &Scene, scratch: &mut Scratch, path: &mut Path) -> f64 {
    let begun = Instant::now();
    let total: u64 =
        scene.queries.iter().map(|query| u64::from(answer(scene, query, scratch, path).cost)).sum();
    std::hint::black_box(total);
    begun.elapsed().as_secs_f64()
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
