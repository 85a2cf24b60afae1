//! Time per expansion with the plain and the general layout of the planner's tables.
//!
//! `cargo run --release -p wheelbase-benches --bin kernel -- [ROUNDS [SCENE]]` (default 5). Plain is the 1x2 on four
//! headings; general is a 1x2 with 16 moves on 8 headings, on terraces with walls. Long queries from random poses; a
//! single query and round on 4096 x 4096 cells.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{Ours, Scene, arguments, blobs, calibration, general, hilly, open, times, truck};
use wheelbase_planner::search::HeuristicName;

const QUERIES: usize = 5;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("kernel", 5) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    println!(
        "ns per expansion, least of {rounds} rounds per query; {QUERIES} long queries; on 4096 one query, one round"
    );
    println!("{:<28}{:>8}  work", "", "ns/x");
    let plain = [HeuristicName::Zero, HeuristicName::Manhattan];
    for side in [512, 1024, 4096] {
        let (n_queries, rounds) = if side > 1024 { (1, 1) } else { (QUERIES, rounds) };
        for (name, draw) in [("open", open as fn(u32) -> _), ("blobs", |side| blobs(side, 3))] {
            let name = format!("plain {name} {side}");
            if name.contains(&part) {
                measure(Scene::new(&name, &draw(side), truck(), n_queries, 2), plain, rounds);
            }
        }
        let name = format!("general hilly {side}");
        if name.contains(&part) && side <= 1024 {
            let scene = Scene::new(&name, &hilly(side, 5), general(), n_queries, 2);
            measure(scene, [HeuristicName::Zero, HeuristicName::Octile], rounds);
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

fn measure(mut scene: Scene, heuristics: [HeuristicName; 2], rounds: usize) {
    for heuristic in heuristics {
        scene.heuristic = heuristic;
        let mut ours = Ours::new(&scene);
        let work = ours.work();
        let [least] = times(rounds, &scene.queries, [&mut |query| ours.cost(query)]);
        let ns = least.total_s() * 1e9 / work.expansions as f64;
        println!("{:<28}{ns:>8.1}  {work}", format!("{} {}", scene.name, heuristic.name()));
    }
}
