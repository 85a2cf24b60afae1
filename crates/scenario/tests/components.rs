//! Entities carry components of the game: no run depends on them.

use hecs::Component;
use std::path::Path;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{AgentId, ClassId, Name, Row, RunResult, RunState, TickTimes, World};

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
name = "shuttle"
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

/// The result of the run.
fn run_to_end(mut world: World) -> RunResult {
    while world.step() == RunState::Running {}
    RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0)
}

fn without<C: Component>() -> World {
    let mut world = begun();
    for row in 0..world.agent_arrays().len() {
        let entity = world.agent_arrays().entity(row);
        world.entities_mut().remove_one::<C>(entity).unwrap();
    }
    world
}

#[test]
fn a_run_needs_no_component() {
    let mut world = begun();
    while world.step() == RunState::Running {}
    let finished: u32 =
        (0..world.agent_arrays().len()).map(|row| world.agent_arrays().statistics(row).finished).sum();
    let whole = run_to_end(world);
    assert!(whole.orders_done == 2 && whole.tasks_done > 5, "{whole:?}");
    assert_eq!(whole.trips + whole.trips_of_no_length, whole.orders_done + whole.tasks_done);
    assert_eq!(u64::from(finished), whole.orders_done + whole.tasks_done);
    assert!(whole.progress_permille.is_some() && whole.no_progress_agents == 0, "{whole:?}");
    for found in [without::<AgentId>(), without::<ClassId>(), without::<Row>()] {
        assert_eq!(format!("{:?}", run_to_end(found)), format!("{whole:?}"));
    }
}

/// A name is a component where the scenario gives one, and no part of the state.
#[test]
fn names_are_components_and_change_nothing() {
    let mut world = begun();
    assert_eq!(
        (world.agent_arrays().name(0).as_deref(), world.agent_arrays().name(1)),
        (Some("shuttle"), None)
    );
    let mut query = world.entities().query::<&Name>();
    assert_eq!(query.iter().map(|name| &*name.0).collect::<Vec<_>>(), ["shuttle"]);
    drop(query);
    let hash = world.state_hash();
    let entity = world.agent_arrays().entity(0);
    world.entities_mut().remove_one::<Name>(entity).unwrap();
    assert_eq!(world.state_hash(), hash);
    assert_eq!(run_to_end(world).state_hash, run_to_end(begun()).state_hash);
}
