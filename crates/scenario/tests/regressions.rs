//! Each mistake once found leaves a scenario that must never go wrong again.

mod common;

use common::run_checked;
use std::path::Path;
use wheelbase_scenario::load::{Overrides, load_simulation};
use wheelbase_sim::{Activity, OrderKind, Simulation, Step, invariant};

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

#[test]
fn group_after_nearest() {
    let mut sim = load("group_after_nearest.toml");
    let mut n_seen = 0;
    while sim.step() == Step::Running {
        assert_eq!(invariant::check(&sim), []);
        let agents = sim.agents();
        for row in 0..agents.len() {
            let order = sim.orders().current(&agents.orders(row)).map(|order| &order.kind);
            let follows = agents.motion[row].activity == Activity::Following;
            if follows && matches!(order, Some(OrderKind::GotoGroup(..))) {
                assert!(agents.given[row].is_some() && !agents.orders(row).to_nearest, "tick {}", sim.tick());
                n_seen += 1;
            }
        }
    }
    assert!(n_seen > 20, "{n_seen}");
    assert_eq!((sim.counts().orders_done, sim.counts().orders_unreachable), (12, 0));
    // Trips to the nearest pose are none; those of agents that were there already, and of the group, are.
    assert_eq!(sim.counts().trips, 8);
}

#[test]
fn group_member_sent_aside() {
    let mut sim = load("group_member_sent_aside.toml");
    let given = |sim: &Simulation| sim.agents().given[1..].iter().filter(|given| given.is_some()).count();
    while sim.step() == Step::Running && given(&sim) == 0 {}
    assert!(sim.agents().motion[1..].iter().any(|motion| motion.activity == Activity::Yielding));
    assert_eq!(given(&sim), 3, "tick {}", sim.tick());
    run_checked(&mut sim);
    assert_eq!(sim.counts().orders_done, 4);
}

/// Debug builds check all arithmetic.
#[test]
fn window_field_overflow() {
    for name in [
        "window_field_overflow.toml",
        "window_field_overflow_2.toml",
        "window_field_overflow_3.toml",
        "window_field_far_line.toml",
    ] {
        let mut sim = load(name);
        run_checked(&mut sim);
        assert!(sim.counts().path_requests > 0, "{name}: {:?}", sim.counts());
    }
}

/// A build with overflow checks panicked.
#[test]
fn overflow_lattice() {
    let mut sim = load("overflow_lattice.toml");
    run_checked(&mut sim);
    assert_eq!((sim.tick(), sim.counts().orders_done, sim.edits_pending()), (15, 1, 0));
}
