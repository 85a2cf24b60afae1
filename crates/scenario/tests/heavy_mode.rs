//! Heavy mode: scenarios that are saved and loaded, cloned and rolled back on their way, and step as if nothing was.

use crate::recorded_outcomes::{names_in, scenarios};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wheelbase_grid::SplitMix64;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{Host, RunState, World};

/// In CI at every 7th of the first ticks and at some drawn ones after; by hand with `WHEELBASE_HEAVY=1` at all, and
/// with `WHEELBASE_HEAVY=first` at all of `scenarios/first` alone.
const FIRST_TICKS: u32 = 300;
const DRAWN: usize = 20;

/// Checks every second scenario, from a number on, each with a seed of its own.
fn check_half(first: usize) {
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
    paths.iter().enumerate().skip(first).step_by(2).for_each(|(seed, path)| check(path, seed as u64));
}

fn built(path: &Path) -> World {
    load_world(path, Overrides::default()).unwrap()
}

/// Ticks at which a run of some ticks is saved.
fn saved_at(ticks: u32, seed: u64) -> BTreeSet<u32> {
    if std::env::var_os("WHEELBASE_HEAVY").is_some() {
        return (0..=ticks).collect();
    }
    let mut random = SplitMix64::new(seed);
    let later = ticks.saturating_sub(FIRST_TICKS);
    let drawn = (0..DRAWN).filter(|_| later > 0).map(|_| FIRST_TICKS + 1 + random.below(later));
    drawn.chain((0..=ticks.min(FIRST_TICKS)).step_by(7)).collect()
}

/// Hashes after each tick of a straight run, and whether it had ended.
fn straight_run(path: &Path) -> Vec<(u64, RunState)> {
    let mut world = built(path);
    let mut hashes = Vec::new();
    loop {
        let state = world.step();
        hashes.push((world.state_hash(), state));
        if state == RunState::Ended {
            return hashes;
        }
    }
}

fn check(path: &Path, seed: u64) {
    let hashes = straight_run(path);
    let at = saved_at(hashes.len() as u32 - 1, seed);
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
    check_half(0);
}

#[test]
fn the_other_scenarios_go_on_as_they_were_saved() {
    check_half(1);
}
