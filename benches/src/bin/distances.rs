//! Distances: a thousand targets against one field, a turn's range, a turned tile, plain graphs.
//!
//! `cargo run --release -p wheelbase-benches --bin distances -- [ROUNDS]` (default 5). The 1x2 truck of the
//! other programs on maps of 512 x 512 cells. Times are the least of the rounds, of one thread; the
//! calibration of the machine stands first and last: if those two differ much, measure again.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use wheelbase_benches::{Draws, arguments, blobs, calibration, open, rooms, truck};
use wheelbase_grid::Grid;
use wheelbase_planner::{CostField, Distances, Goal, GoalMember, MovementTables, Pose, State, Until};

const SIDE: u32 = 512;

fn main() -> ExitCode {
    let Some((rounds, part)) = arguments("distances", 5) else { return ExitCode::from(2) };
    println!("calibration: {}", calibration());
    let maps = [("open", open(SIDE)), ("blobs", blobs(SIDE, 3)), ("rooms", rooms(SIDE, 4))];
    if "targets".contains(&part) {
        println!(
            "\n1,000 targets from one pose, each with its first move, against one full field; begun anew each time"
        );
        println!(
            "{:<8}{:>10}{:>10}{:>8}{:>12}{:>12}  work",
            "map", "field ms", "targets", "ratio", "settled", "again us"
        );
        maps.iter().for_each(|(name, grid)| targets(name, grid, rounds));
    }
    if "range".contains(&part) {
        println!(
            "\nrange of 20 cells, 40 ticks, from {RANGES} poses: us each, begun anew, settled and listed"
        );
        println!("{:<8}{:>8}{:>8}{:>8}{:>10}{:>10}", "map", "mean", "p95", "most", "poses", "ns/pose");
        maps.iter().for_each(|(name, grid)| ranges(name, grid, rounds));
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

/// A legal pose from which at least a third of all legal poses can be reached.
fn draw(tables: &MovementTables, draws: &mut Draws) -> Pose {
    loop {
        let state = State(draws.below(tables.space().n_states() as u32));
        if tables.is_legal(state) {
            return tables.space().pose(state);
        }
    }
}

fn micros(begun: Instant) -> f64 {
    begun.elapsed().as_nanos() as f64 / 1000.0
}

fn targets(name: &str, grid: &Grid, rounds: usize) {
    let tables = MovementTables::compile(grid, truck());
    let mut draws = Draws::new(21);
    let (mut field_us, mut targets_us, mut again_us) = (f64::MAX, f64::MAX, f64::MAX);
    // A start in the largest part of the map.
    let (start, mut field) = loop {
        let start = draw(&tables, &mut draws);
        let mut field = CostField::from_start(&tables, &Goal::of(&[GoalMember::pose(start)]));
        if field.settle(&tables, Until::All, u64::MAX).expansions as usize > tables.space().n_states() / 4 {
            break (start, field);
        }
    };
    let asked: Vec<GoalMember> = (0..1000).map(|_| GoalMember::any(draw(&tables, &mut draws).cell)).collect();
    let mut from = Distances::from_pose(&tables, start);
    let (mut answers, mut settled, mut whole) = (Vec::new(), 0, 0);
    for _ in 0..rounds {
        let begun = Instant::now();
        field.restart(&tables, &Goal::of(&[GoalMember::pose(start)]));
        whole = field.settle(&tables, Until::All, u64::MAX).expansions;
        field_us = field_us.min(micros(begun));
        let begun = Instant::now();
        from.restart_from(&tables, start);
        settled = from.measure(&tables, &asked, &mut answers);
        targets_us = targets_us.min(micros(begun));
        let begun = Instant::now();
        from.measure(&tables, &asked, &mut answers);
        again_us = again_us.min(micros(begun));
    }
    let sum: u64 = answers.iter().flatten().map(|distance| u64::from(distance.ticks)).sum();
    let firsts = answers.iter().flatten().filter(|distance| distance.next.is_some()).count();
    println!(
        "{name:<8}{:>10.2}{:>10.2}{:>8.2}{:>11.0}%{again_us:>12.0}  {} reached, {sum} ticks, {firsts} first moves",
        field_us / 1000.0,
        targets_us / 1000.0,
        targets_us / field_us,
        100.0 * settled as f64 / whole as f64,
        answers.iter().flatten().count(),
    );
}

const RANGES: usize = 300;

fn ranges(name: &str, grid: &Grid, rounds: usize) {
    let tables = MovementTables::compile(grid, truck());
    let mut draws = Draws::new(22);
    let starts: Vec<Pose> = (0..RANGES).map(|_| draw(&tables, &mut draws)).collect();
    let mut from = Distances::from_pose(&tables, starts[0]);
    let mut within: Vec<(Pose, u32)> = Vec::new();
    let mut us = vec![f64::MAX; RANGES];
    let mut n_poses = 0;
    for _ in 0..rounds {
        n_poses = 0;
        for (&start, us) in starts.iter().zip(&mut us) {
            let begun = Instant::now();
            from.restart_from(&tables, start);
            from.settle(&tables, Until::Within(40), u64::MAX);
            within.clear();
            within.extend(from.within(40));
            *us = us.min(micros(begun));
            n_poses += black_box(&within).len();
        }
    }
    let total: f64 = us.iter().sum();
    us.sort_unstable_by(f64::total_cmp);
    println!(
        "{name:<8}{:>8.1}{:>8.1}{:>8.1}{:>10}{:>10.1}",
        total / RANGES as f64,
        us[RANGES * 95 / 100],
        us[RANGES - 1],
        n_poses / RANGES,
        total * 1000.0 / n_poses as f64
    );
}
