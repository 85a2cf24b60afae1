//! Snapshots: time and size of saving, time of loading, of copies, and of a rollback by eight ticks.
//!
//! `cargo run --release -p wheelbase-benches --bin snapshots -- [ROUNDS]` (default 9). The five classes of
//! `scenarios/first/12_crowd.toml` with random tasks on open land, after 300 ticks. A rollback puts a copy of eight
//! ticks ago in place of the world and steps it to the present again. Medians, on one thread.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use wheelbase_benches::{calibration, crowd, median, timed};
use wheelbase_grid::Rect;
use wheelbase_sim::{Host, World};

/// Agents, and cells along each side of the map: about one cell in twenty is covered.
const SCENES: [(usize, u32); 4] = [(100, 91), (1_000, 288), (5_000, 640), (10_000, 905)];
/// Ticks before the measurements, and ticks of a rollback.
const WARM_UP_TICKS: u32 = 300;
const ROLLBACK_TICKS: u32 = 8;

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).map_or(Ok(9), |text| text.parse());
    let Ok(rounds @ 1..) = rounds else {
        eprintln!("usage: snapshots [ROUNDS]; ROUNDS is a whole number from 1, by default 9");
        return ExitCode::from(2);
    };
    println!("calibration: {}", calibration());
    println!("ms; medians of {rounds} rounds");
    println!(
        "{:>7}{:>10}{:>9}{:>9}{:>9}{:>12}{:>9}{:>10}{:>17}",
        "agents", "KiB", "save", "load", "clone", "clone_from", "8 ticks", "rollback", "bytes per agent"
    );
    for (agents, side) in SCENES {
        match warmed_up(agents, side) {
            Ok(world) => measure(world, rounds),
            Err(why) => {
                eprintln!("error: {why}");
                return ExitCode::from(2);
            }
        }
    }
    println!("calibration: {}", calibration());
    ExitCode::SUCCESS
}

/// The crowd after its first ticks.
fn warmed_up(agents: usize, side: u32) -> Result<World, String> {
    let mut world = crowd(agents, side, Rect::new(0, 0, side, side))?;
    for _ in 0..WARM_UP_TICKS {
        world.step();
    }
    Ok(world)
}

fn measure(mut world: World, rounds: usize) {
    let n = world.agents().len();
    let mut times: [Vec<f64>; 6] = Default::default();
    let mut bytes = Vec::new();
    let mut past = world.clone();
    for _ in 0..rounds {
        let (saved, took) = timed(|| world.save());
        bytes = saved.unwrap_or_default();
        times[0].push(took);
        times[1].push(timed(|| World::load(&bytes, Host::default())).1);
        times[2].push(timed(|| world.clone()).1);
        times[3].push(timed(|| past.clone_from(&world)).1);
        times[4].push(timed(|| step(&mut world)).1);
        let hash = world.state_hash();
        let rollback = || {
            world.clone_from(&past);
            step(&mut world);
        };
        times[5].push(timed(rollback).1);
        assert_eq!(world.state_hash(), hash, "a rollback leads to the same present");
    }
    let [save, load, clone, clone_from, ticks, rollback] = times.map(median);
    let (kib, per_agent) = (bytes.len() / 1024, world.memory().agent_bytes as usize / n);
    println!(
        "{n:>7}{kib:>10}{save:>9.1}{load:>9.1}{clone:>9.2}{clone_from:>12.2}{ticks:>9.2}{rollback:>10.2}{per_agent:>17}"
    );
}

fn step(world: &mut World) {
    for _ in 0..ROLLBACK_TICKS {
        world.step();
    }
}
