//! Each mistake once found leaves a scenario that must never go wrong again.

mod common;

use common::run_checked;
use std::path::Path;
use wheelbase_sim::Simulation;
use wheelbase_sim::build::{Overrides, load_simulation};

fn load(name: &str) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/regression").join(name);
    load_simulation(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn edit_late() {
    let mut sim = load("edit_late.toml");
    while sim.tick() < 5 {
        sim.step();
    }
    assert_eq!(sim.edits_pending(), 1);
    sim.step();
    assert_eq!(sim.edits_pending(), 0);
    run_checked(&mut sim);
}

#[test]
fn nearest_after_opening() {
    let mut sim = load("nearest_after_opening.toml");
    run_checked(&mut sim);
    assert_eq!((sim.tick(), sim.counts().orders_done), (150, 1));
    assert_eq!(sim.pose(0).cell, wheelbase_grid::CellXY::new(3, 0));
}

#[test]
fn patrol_nearest_burns() {
    let mut sim = load("patrol_nearest_burns.toml");
    run_checked(&mut sim);
    assert!(sim.counts().path_requests <= 20, "{:?}", sim.counts());
}

#[test]
fn patrol_never_pushed() {
    let mut sim = load("patrol_never_pushed.toml");
    run_checked(&mut sim);
    assert_eq!(sim.counts().orders_done, 1);
}
