//! The load that single agents put on doors, against counts by hand.

use crate::common::{CART, OTHERS, TRUCK, build_world, on_threads};
use proptest::prelude::*;
use std::fmt::Write;
use std::path::Path;
use wheelbase_scenario::load::{AttachedFile, Files, build_world_of};
use wheelbase_scenario::scenario;
use wheelbase_sim::{GateLoad, SingleAgentBound, World, permille, single_agent_bounds_observed};

/// The load of the gates, by the single-agent paths of all agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Load {
    gates: usize,
    busiest_permille: u64,
}

fn load(world: &World) -> (Vec<SingleAgentBound>, Load) {
    let load = GateLoad::new(world.grid().size(), world.tables(), world.settings().collision);
    let count = |tables: &_, path: &_| load.count(tables, path);
    let alone = single_agent_bounds_observed(world, &|| true, &count).unwrap().unwrap();
    let (taken, supply) = load.busiest(world.settings().ticks);
    (alone, Load { gates: load.n_gates(), busiest_permille: permille(taken, supply) })
}

/// Two rooms of 12 x 12 cells, separated by a wall one cell thick with a door of `door` cells.
fn two_rooms(door: usize) -> Vec<String> {
    let row = |y: usize| {
        let wall = if (5..5 + door).contains(&y) { "." } else { "T" };
        format!("\"{}{wall}{}\"", ".".repeat(12), ".".repeat(12))
    };
    (0..12).map(row).collect()
}

/// Agents in the left room with tasks deep in the right and the left room in turn.
fn across(door: usize, class: &str, agents: usize, ticks: u32) -> World {
    let mut table = "agent,x,y,heading\n".to_owned();
    for agent in 0..agents {
        for x in [22, 2] {
            writeln!(table, "{agent},{x},{},any", 2 + agent % 8).unwrap();
        }
    }
    let files = [AttachedFile { name: "trips.csv".to_owned(), bytes: table.into_bytes() }];
    let text = format!(
        "name = \"across\"\nticks = {ticks}\nexpansions_per_tick = 100000000\n[map]\nrows = [{}]\n{CART}{TRUCK}{OTHERS}[[groups]]\nclass = \"{class}\"\ncount = {agents}\narea = [0, 0, 11, 12]\ntasks = {{ file = \"trips.csv\" }}\n",
        two_rooms(door).join(",")
    );
    let typed = scenario::parse("across.toml", text.as_bytes()).unwrap();
    build_world_of(Path::new("across.toml"), &typed, Files::Attached(&files)).unwrap().world
}

/// A walker occupies a door of one cell for two ticks: it steps onto it, then off it. So 400 ticks allow 200 passes,
/// one per task. Alone, each of 24 walkers needs about 20 ticks per task, which together is more than 300 tasks.
#[test]
fn a_door_of_one_cell_lets_a_walker_through_every_two_ticks() {
    let world = across(1, "walker", 24, 400);
    let (alone, load) = load(&world);
    let bound: u64 = alone.iter().map(|bound| bound.tasks_done).sum();
    assert!(bound > 300, "{bound}");
    assert_eq!(load.gates, 1);
    // The demand of single agents as a share of the capacity: two of 400 ticks for each task.
    assert_eq!(load.busiest_permille, 2 * bound * 1000 / 400);
}

/// A tank occupies two of three door cells for three moves of four ticks: its nose enters, it fills the door, its tail
/// leaves. By cells that is 24 of 1,800 in 600 ticks, enough for 75 tanks. But two tanks do not fit next to each other,
/// so it is 12 of 600 ticks, enough for 50.
#[test]
fn a_door_holds_one_body_wider_than_half_of_it_at_a_time() {
    let (alone, load) = load(&across(3, "tank", 12, 600));
    let bound = alone.iter().map(|bound| bound.tasks_done).sum::<u64>();
    assert!(bound > 60, "{alone:?}");
    assert_eq!(load.busiest_permille, 12 * bound * 1000 / 600);
    // A wider door has room for two, and for the whole demand of single agents.
    let (_, load) = self::load(&across(7, "tank", 6, 600));
    assert!(load.busiest_permille <= 1000, "{load:?}");
}

#[test]
fn unrequested_answers_are_absent() {
    let world = across(1, "walker", 24, 400);
    assert_eq!(single_agent_bounds_observed(&world, &|| false, &|_, _| {}), Ok(None));
}

/// Rows of a map with walls across it, doors of one to three cells, and a few trees.
fn rooms() -> impl Strategy<Value = Vec<String>> {
    let glyph = prop_oneof![40 => Just('.'), 4 => Just('S'), 1 => Just('T')];
    let rows = prop::collection::vec(prop::collection::vec(glyph, 30), 16);
    (rows, prop::collection::vec((0_usize..15, 1_usize..4), 2)).prop_map(|(mut rows, doors)| {
        for (x, (top, width)) in [10, 20].into_iter().zip(doors) {
            for (y, row) in rows.iter_mut().enumerate() {
                row[x] = if (top..top + width).contains(&y) { '.' } else { 'T' };
            }
        }
        rows.into_iter().map(|row| format!("\"{}\"", String::from_iter(row))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_load_does_not_depend_on_threads(
        rows in rooms(),
        counts in prop::collection::vec(0_u32..12, 4),
        (seed, ticks, discrete) in (0_u32..1000, 50_u32..500, any::<bool>()),
    ) {
        let collision = if discrete { "discrete" } else { "swept" };
        let mut text = format!(
            "name = \"rooms\"\nseed = {seed}\nticks = {ticks}\ncollision = \"{collision}\"\nexpansions_per_tick = 100000000\n[map]\nrows = [{}]\n{CART}{TRUCK}{OTHERS}",
            rows.join(",")
        );
        for (class, count) in ["cart", "truck", "tank", "walker"].into_iter().zip(counts) {
            if count > 0 {
                write!(text, "[[groups]]\nclass = \"{class}\"\ncount = {count}\narea = [0, 0, 30, 16]\ntasks = {{ kind = \"random\", area = [0, 0, 30, 16] }}\n").unwrap();
            }
        }
        prop_assume!(text.contains("[[groups]]"));
        let on = |threads| on_threads(threads, || load(&build_world(&text)));
        prop_assert_eq!(on(2), on(1));
    }
}
