//! What is cold of an agent is a component of its entity: a run from which one is deleted comes to something else.

#![allow(clippy::unwrap_used)]

use hecs::Component;
use std::path::Path;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{OrderState, Simulation, Step, Tasks, TripStatistics};

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

fn begun() -> Simulation {
    let typed = scenario::parse("components.toml", SCENARIO.as_bytes()).unwrap();
    let mut sim = load::build_simulation(Path::new("components.toml"), &typed).unwrap();
    while sim.tick() < 10 {
        sim.step();
    }
    sim
}

/// Orders and tasks done by the end, and orders and tasks that the agents' own statistics say they have finished.
fn come_to(mut sim: Simulation) -> (u64, u64, u32) {
    while sim.step() == Step::Running {}
    let finished = (0..sim.agents().len()).map(|row| sim.agents().statistics(row).finished).sum();
    (sim.counts().orders_done, sim.counts().tasks_done, finished)
}

fn without<C: Component>() -> Simulation {
    let mut sim = begun();
    for row in 0..sim.agents().len() {
        let entity = sim.agents().entity(row);
        sim.entities_mut().remove_one::<C>(entity).unwrap();
    }
    sim
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
