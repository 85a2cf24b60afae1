//! Heavy mode: scenarios that are saved and loaded, cloned and rolled back on their way, and step as if nothing was.

use crate::recorded_outcomes::{names_in, scenarios};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wheelbase_grid::SplitMix64;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{Host, RunState, World};

/// How much of each scenario is saved and loaded. By hand, `WHEELBASE_HEAVY=1` saves at every tick, and
/// `WHEELBASE_HEAVY=first` at every tick of `scenarios/first` alone.
#[derive(Clone, Copy)]
struct Depth {
    /// Runs end here.
    ticks_max: u32,
    /// Until this tick, every n-th tick is saved.
    first_ticks: u32,
    every: usize,
    /// How many later ticks are drawn at random.
    drawn: usize,
}

const USUAL: Depth = Depth { ticks_max: 450, first_ticks: 200, every: 29, drawn: 5 };
const LONG: Depth = Depth { ticks_max: u32::MAX, first_ticks: 300, every: 7, drawn: 20 };

/// Checks every second scenario, from a number on, each with a separate seed.
fn check_half(first: usize, depth: Depth) {
    let chosen = std::env::var("WHEELBASE_HEAVY").unwrap_or_default();
    let folders = ["first", "traffic", "regression"];
    let is_chosen = |folder: &&str| !folders.contains(&&*chosen) || *folder == chosen;
    let paths = folders
        .into_iter()
        .filter(is_chosen)
        .flat_map(|folder| names_in(folder).into_iter().map(move |name| scenarios().join(folder).join(name)));
    let paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    assert!(paths.len() > 30 || !chosen.is_empty(), "{paths:?}");
    paths.iter().enumerate().skip(first).step_by(2).for_each(|(seed, path)| check(path, seed as u64, depth));
}

fn built(path: &Path) -> World {
    load_world(path, Overrides::default()).unwrap()
}

/// Ticks at which a run of some ticks is saved.
fn saved_at(ticks: u32, seed: u64, depth: Depth) -> BTreeSet<u32> {
    if std::env::var_os("WHEELBASE_HEAVY").is_some() {
        return (0..=ticks).collect();
    }
    let mut random = SplitMix64::new(seed);
    let later = ticks.saturating_sub(depth.first_ticks);
    let drawn = (0..depth.drawn).filter(|_| later > 0).map(|_| depth.first_ticks + 1 + random.below(later));
    drawn.chain((0..=ticks.min(depth.first_ticks)).step_by(depth.every)).collect()
}

/// Hashes after each tick of a straight run, and whether it had ended.
fn straight_run(path: &Path, ticks_max: u32) -> Vec<(u64, RunState)> {
    let mut world = built(path);
    let mut hashes = Vec::new();
    loop {
        let state = world.step();
        hashes.push((world.state_hash(), state));
        if state == RunState::Ended || hashes.len() as u32 == ticks_max {
            return hashes;
        }
    }
}

fn check(path: &Path, seed: u64, depth: Depth) {
    let hashes = straight_run(path, depth.ticks_max);
    let at = saved_at(hashes.len() as u32 - 1, seed, depth);
    let mut world = built(path);
    let mut copy = world.clone();
    for (tick, &(hash, state)) in hashes.iter().enumerate() {
        if at.contains(&(tick as u32)) {
            let bytes = world.save().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let loaded = World::load(&bytes, Host::default())
                .unwrap_or_else(|error| panic!("{}, tick {tick}: {error}", path.display()));
            assert_eq!(loaded.state_hash(), world.state_hash(), "{}, tick {tick}: loaded", path.display());
            assert!(loaded.save().unwrap() == bytes, "{}, tick {tick}: saved again", path.display());
            // A copy that looks ahead leaves the world as it was.
            copy.clone_from(&world);
            assert!(copy.save().unwrap() == bytes, "{}, tick {tick}: a copy", path.display());
            for _ in 0..3 {
                copy.step();
            }
            copy = world.clone();
            world = loaded;
            assert_eq!(copy.step(), state, "{}, tick {tick}: a copy", path.display());
            assert_eq!(copy.state_hash(), hash, "{}, tick {tick}: a copy", path.display());
        }
        let found = world.step();
        assert_eq!((world.state_hash(), found), (hash, state), "{}, after tick {tick}", path.display());
    }
}

/// In two tests, which run side by side.
#[test]
fn scenarios_go_on_as_they_were_saved() {
    check_half(0, USUAL);
}

#[test]
fn the_other_scenarios_go_on_as_they_were_saved() {
    check_half(1, USUAL);
}

#[test]
#[ignore = "long: run by .ci/run --all"]
fn scenarios_go_on_as_they_were_saved_for_long() {
    check_half(0, LONG);
    check_half(1, LONG);
}
