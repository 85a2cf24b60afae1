//! Rows and events against the state that they repeat, rebuilt the slow way after every tick.

use crate::common::scenes::built;
use crate::crowds::{cases, crowd, fitted};
use proptest::prelude::*;
use wheelbase_sim::invariant::RowCheck;
use wheelbase_sim::{EventKind, EventRow, RunState, World};

/// Steps to the end and compares after each tick.
fn compare(world: &mut World) {
    assert_eq!(world.events(), []);
    let mut rows = RowCheck::begin(world);
    loop {
        let step = world.step();
        assert_eq!(rows.follow(world), Ok(()));
        if step == RunState::Ended {
            return;
        }
    }
}

/// More agents, with tasks.
const WITH_TASKS: &str = "[[groups]]\nclass = \"a\"\ncount = 2\narea = [0, 0, 6, 6]\n\
    tasks = { kind = \"random\", area = [0, 0, 6, 6] }\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(120), failure_persistence: None, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn rows_equal_what_they_repeat(crowd in crowd()) {
        let Some(text) = fitted(&crowd) else { return Ok(()) };
        let with_tasks = built(&(text.clone() + WITH_TASKS));
        let Some(mut world) = with_tasks.or_else(|| built(&text)) else { return Ok(()) };
        compare(&mut world);
    }
}

/// A cart in a corridor that is shut off at its east end, with these orders and events.
fn corridor(orders: &str, events: &str) -> World {
    let text = format!(
        "name = \"corridor\"\nticks = 60\n[map]\nrows = [\"......T.\"]\n[terrain.trees]\nspeed = 0\n[class.cart]\nheadings = 1\n\
         moves = [{{ name = \"E\", by = [1, 0], time = 2 }}, {{ name = \"W\", by = [-1, 0], time = 2 }}]\n\
         [[agents]]\nclass = \"cart\"\nat = [1, 0]\norders = [{orders}]\n{events}"
    );
    built(&text).unwrap()
}

/// All events of a run: tick, kind, agent and numbers.
fn told(world: &mut World) -> Vec<(u32, EventKind, u32, [u32; 3])> {
    let mut told = Vec::new();
    let mut running = true;
    while running {
        running = world.step() == RunState::Running;
        let events = world.events().iter();
        told.extend(events.map(|row| (row.tick, row.kind().unwrap(), row.agent, [row.a, row.b, row.c])));
    }
    told
}

#[test]
fn events_tell_a_run() {
    let wall = "[[events]]\ntick = 1\nset_terrain = { area = [2, 0, 1, 1], kind = \"trees\" }\n";
    let removed = "[[events]]\ntick = 30\nremove_agents = { area = [0, 0, 8, 1] }\n";
    let mut world =
        corridor("{ goto = [3, 0] }, { goto = [7, 0] }, { wait = 2 }", &(wall.to_owned() + removed));
    let none = EventRow::NONE;
    let expected = [
        (0, EventKind::PathFound, 0, [2, 0, 0]),
        // The cart is on its way into the cell.
        (1, EventKind::EditWaits, none, [1, 0, 0]),
        (4, EventKind::EditDone, none, [1, 0, 0]),
        (4, EventKind::OrderDone, 0, [0, 0, 0]),
        // Not in the area of the map that the cart can reach.
        (4, EventKind::OrderFailed, 0, [1, 0, 3]),
        (6, EventKind::OrderDone, 0, [2, 3, 0]),
        (30, EventKind::Removed, 0, [0, 0, 0]),
    ];
    assert_eq!(told(&mut world), expected);
}

#[test]
fn events_tell_who_came_and_what_it_was_told() {
    let added = "[[events]]\ntick = 2\nadd_agents = { class = \"cart\", count = 1, area = [4, 0, 1, 1], orders = [{ wait = 9 }] }\n";
    let ordered =
        "[[events]]\ntick = 5\ngive_orders = { area = [0, 0, 8, 1], orders = [{ goto = [4, 0] }] }\n";
    let mut world = corridor("", &(added.to_owned() + ordered));
    let told = told(&mut world);
    let (spawned, ordered) = (EventKind::Spawned, EventKind::Ordered);
    assert_eq!(told[..2], [(2, spawned, 1, [0, 0, 0]), (2, ordered, 1, [0, 3, 0])]);
    assert_eq!(told[2..4], [(5, ordered, 0, [1, 0, 0]), (5, ordered, 1, [1, 0, 0])]);
}
