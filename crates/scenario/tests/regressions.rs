//! Each fixed bug leaves a scenario behind, which must not fail again.

use crate::common::run_checked;
use std::path::Path;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{Activity, OrderKind, RunState, World, invariant};

fn load(name: &str) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/regression").join(name);
    load_world(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn edit_late() {
    let mut world = load("edit_late.toml");
    while world.tick() < 5 {
        world.step();
    }
    assert_eq!(world.edits_pending(), 1);
    world.step();
    assert_eq!(world.edits_pending(), 0);
    run_checked(&mut world);
}

#[test]
fn nearest_after_opening() {
    let mut world = load("nearest_after_opening.toml");
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done), (150, 1));
    assert_eq!(world.pose(0).cell, wheelbase_grid::CellXY::new(3, 0));
}

#[test]
fn order_at_placement() {
    let mut world = load("order_at_placement.toml");
    run_checked(&mut world);
    let counts = world.counts();
    assert_eq!((counts.orders_done, counts.tasks_done), (3, 0));
    let at = |row| (world.pose(row).cell.x, world.pose(row).cell.y);
    assert_eq!((at(0), at(1)), ((3, 0), (0, 1)));
}

#[test]
fn patrol_nearest_burns() {
    let mut world = load("patrol_nearest_burns.toml");
    run_checked(&mut world);
    assert!(world.counts().path_requests <= 20, "{:?}", world.counts());
}

#[test]
fn patrol_never_pushed() {
    let mut world = load("patrol_never_pushed.toml");
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 1);
}

#[test]
fn group_after_nearest() {
    let mut world = load("group_after_nearest.toml");
    let mut n_seen = 0;
    while world.step() == RunState::Running {
        assert_eq!(invariant::check(&world), []);
        let agents = world.agent_arrays();
        for row in 0..agents.len() {
            let order = world.orders().current(&agents.orders(row)).map(|order| &order.kind);
            let follows = agents.motion[row].activity == Activity::Following;
            if follows && matches!(order, Some(OrderKind::GotoGroup(..))) {
                assert!(
                    agents.assigned[row].is_some() && !agents.orders(row).to_nearest,
                    "tick {}",
                    world.tick()
                );
                n_seen += 1;
            }
        }
    }
    assert!(n_seen > 20, "{n_seen}");
    assert_eq!((world.counts().orders_done, world.counts().orders_unreachable), (12, 0));
    // Trips to a nearest pose do not count; trips of agents already there have zero length.
    assert_eq!((world.counts().trips, world.counts().trips_of_no_length), (4, 4));
}

#[test]
fn group_member_sent_aside() {
    let mut world = load("group_member_sent_aside.toml");
    let given =
        |world: &World| world.agent_arrays().assigned[1..].iter().filter(|given| given.is_some()).count();
    while world.step() == RunState::Running && given(&world) == 0 {}
    assert!(world.agent_arrays().motion[1..].iter().any(|motion| motion.activity == Activity::Yielding));
    assert_eq!(given(&world), 3, "tick {}", world.tick());
    run_checked(&mut world);
    assert_eq!(world.counts().orders_done, 4);
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
        let mut world = load(name);
        run_checked(&mut world);
        assert!(world.counts().path_requests > 0, "{name}: {:?}", world.counts());
    }
}

/// Used to panic in builds with overflow checks.
#[test]
fn overflow_lattice() {
    let mut world = load("overflow_lattice.toml");
    run_checked(&mut world);
    assert_eq!((world.tick(), world.counts().orders_done, world.edits_pending()), (15, 1, 0));
}

#[test]
fn edit_on_idle() {
    for name in ["edit_on_idle.toml", "edit_on_idle_long.toml"] {
        let mut world = load(name);
        run_checked(&mut world);
        assert_eq!(world.edits_pending(), 0, "{name}");
    }
}
