//! Worlds from text, and runs that are checked after every tick.

#![allow(dead_code, clippy::unwrap_used)]

pub mod scenes;

use std::path::Path;
use wheelbase_grid::CellXY;
use wheelbase_scenario::load::{Loaded, Source};
use wheelbase_scenario::recording::{Recorder, ScenarioText};
use wheelbase_scenario::{PlanFile, load, scenario};
use wheelbase_sim::{RunState, World, invariant};

/// Whether tests run their long form, for which `.ci/run --all` sets WHEELBASE_LONG.
pub fn is_long() -> bool {
    std::env::var_os("WHEELBASE_LONG").is_some()
}

/// Builds the world of a scenario.
pub fn build_world(text: &str) -> World {
    let typed =
        scenario::parse("test.toml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    load::build_world(Path::new("test.toml"), &typed).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs to the end and checks the invariants after every tick. Gives the state hash after each.
pub fn run_checked(world: &mut World) -> Vec<u64> {
    let mut hashes = Vec::new();
    loop {
        let step = world.step();
        let found = invariant::check(world);
        assert!(found.is_empty(), "tick {}: {found:?}", world.tick());
        hashes.push(world.state_hash());
        if step == RunState::Ended {
            return hashes;
        }
    }
}

/// Records a run to its end. `name` and `text` describe the scenario file.
pub fn record(world: &mut World, name: &str, text: &str) -> Vec<u8> {
    record_with(world, &Source::default(), name, text)
}

/// Records a run of a loaded world to its end.
pub fn record_loaded(loaded: &mut Loaded, name: &str, text: &str) -> Vec<u8> {
    record_with(&mut loaded.world, &loaded.source, name, text)
}

fn record_with(world: &mut World, source: &Source, name: &str, text: &str) -> Vec<u8> {
    let scenario = ScenarioText { file: name, text };
    let mut recorder = Recorder::begin(world, source, scenario, Vec::new()).unwrap();
    loop {
        let tick = world.tick();
        let step = world.step();
        recorder.tick(world, tick, step).unwrap();
        world.clear_log();
        if step == RunState::Ended {
            return recorder.finish(world).unwrap();
        }
    }
}

/// Runs a problem to its end and checks the invariants after every tick. Gives the plan.
pub fn plan_checked(world: &mut World) -> Vec<u8> {
    let mut plan = PlanFile::begin(world);
    loop {
        let tick = world.tick();
        let step = world.step();
        assert_eq!(invariant::check(world), [], "tick {tick}");
        plan.tick(world, tick, 0.0, step == RunState::Ended);
        world.clear_log();
        if step == RunState::Ended {
            break;
        }
    }
    let mut text = Vec::new();
    plan.write(&mut text).unwrap();
    text
}

/// Runs on `threads` threads.
pub fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// A world with carts and trucks.
pub fn world_on(rows: &[&str], more: &str) -> World {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    build_world(&format!(
        "name = \"test\"\nticks = 500\n[map]\nrows = [{}]\n{CART}{TRUCK}{more}",
        rows.join(",")
    ))
}

/// An `[[agents]]` table of a cart.
pub fn cart(at: &str, orders: &str) -> String {
    format!("[[agents]]\nclass = \"cart\"\nat = {at}\norders = [{orders}]\n")
}

/// An event that sets terrain.
pub fn set_terrain(tick: u32, area: &str, kind: &str, on_agents: &str) -> String {
    format!(
        "[[events]]\ntick = {tick}\nset_terrain = {{ area = {area}, kind = \"{kind}\", on_agents = \"{on_agents}\" }}\n"
    )
}

/// The cell of the agent in a row.
pub fn cell(world: &World, row: usize) -> CellXY {
    world.pose(row).cell
}

/// Runs up to a tick.
pub fn step_to(world: &mut World, tick: u32) {
    while world.tick() < tick && world.step() == RunState::Running {
        let found = invariant::check(world);
        assert!(found.is_empty(), "tick {}: {found:?}", world.tick());
    }
    assert_eq!(world.tick(), tick);
}

/// A cart of one cell: forward 2, reverse 6, turns 1.
pub const CART: &str = r#"
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "reverse", by = [-1, 0], time = 6 },
    { name = "left", turn = 1, time = 1 },
    { name = "right", turn = -1, time = 1 },
]
"#;

/// A truck of two cells: forward 3, reverse 9, turns 3; it wades at a third.
pub const TRUCK: &str = r#"
[class.truck]
headings = 4
footprint = ["X>"]
speed = { swamp = 333 }
moves = [
    { name = "forward", by = [1, 0], time = 3 },
    { name = "reverse", by = [-1, 0], time = 9 },
    { name = "left", turn = 1, time = 3 },
    { name = "right", turn = -1, time = 3 },
]
"#;

/// A 2x2 that turns on the spot, and a walker without facing.
pub const OTHERS: &str = r#"
[class.tank]
headings = 4
footprint = [[0, 0], [-1, 0], [0, 1], [-1, 1]]
pivot = [-0.5, 0.5]
side_speed = { hedge = 500 }
moves = [
    { name = "forward", by = [1, 0], time = 4 },
    { name = "reverse", by = [-1, 0], time = 5 },
    { name = "left", turn = 1, time = 2 },
    { name = "right", turn = -1, time = 2 },
]
[class.walker]
headings = 1
moves = [
    { name = "E", by = [1, 0], time = 1 },
    { name = "N", by = [0, -1], time = 1 },
    { name = "W", by = [-1, 0], time = 1 },
    { name = "S", by = [0, 1], time = 1 },
]
"#;
