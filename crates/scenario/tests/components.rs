//! What is cold of an agent is a component of its entity: a run from which one is deleted comes to something else.

#![allow(clippy::unwrap_used)]

use hecs::Component;
use std::path::Path;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{OrderState, RunState, Tasks, TripStatistics, World};

const SCENARIO: &str = r#"
name = "components"
ticks = 300
[map]
rows = ["..........", "..........", ".........."]
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "left", turn = 1, time = 2 },
    { name = "right", turn = -1, time = 2 },
]
[[agents]]
class = "cart"
at = [0, 0, "E"]
orders = [{ goto = [9, 0] }, { goto = [0, 0] }]
[[groups]]
class = "cart"
count = 1
area = [0, 2, 10, 1]
tasks = { kind = "random", area = [0, 2, 10, 1] }
"#;

fn begun() -> World {
    let typed = scenario::parse("components.toml", SCENARIO.as_bytes()).unwrap();
    let mut world = load::build_world(Path::new("components.toml"), &typed).unwrap();
    while world.tick() < 10 {
        world.step();
    }
    world
}

/// Orders and tasks done by the end, and orders and tasks that the agents' own statistics say they have finished.
fn come_to(mut world: World) -> (u64, u64, u32) {
    while world.step() == RunState::Running {}
    let finished = (0..world.agents().len()).map(|row| world.agents().statistics(row).finished).sum();
    (world.counts().orders_done, world.counts().tasks_done, finished)
}

fn without<C: Component>() -> World {
    let mut world = begun();
    for row in 0..world.agents().len() {
        let entity = world.agents().entity(row);
        world.entities_mut().remove_one::<C>(entity).unwrap();
    }
    world
}

#[test]
fn a_run_needs_its_components() {
    let (orders, tasks, finished) = come_to(begun());
    assert!(orders == 2 && tasks > 5 && u64::from(finished) == orders + tasks, "{orders} {tasks} {finished}");
    let (orders_left, tasks_left, _) = come_to(without::<OrderState>());
    assert!(orders_left == 0 && tasks_left < 2, "{orders_left} {tasks_left}");
    let (orders_left, tasks_left, _) = come_to(without::<Tasks>());
    assert!(orders_left == 2 && tasks_left != tasks, "{orders_left} {tasks_left}");
    assert_eq!(come_to(without::<TripStatistics>()).2, 0);
}
