//! The scenarios that a new user reads first do what their comments promise, and the same every time.
//! `tests/outcomes.rs` compares their outcomes with the record.

use crate::common::record_loaded;
use crate::recorded_outcomes::{names_in, recorded, scenarios};
use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::PathBuf;
use wheelbase_grid::MemoryMax;
use wheelbase_planner::{Goal, GoalMember, Heading, Pose, Request, Scratch, Status, plan};
use wheelbase_scenario::load::{Overrides, load_planning_problem, load_world, load_world_and_text};
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_sim::{RunState, World};

const NAMES: [&str; 16] = [
    "01_yard.toml",
    "02_dead_end.toml",
    "03_lake.toml",
    "04_hill.toml",
    "05_ledge.toml",
    "06_diagonal.toml",
    "07_road_tiles.toml",
    "08_tile_puzzle.toml",
    "09_hexagons.toml",
    "10_tiled_map.toml",
    "11_river.toml",
    "12_crowd.toml",
    "13_group_order.toml",
    "14_reinforcements.toml",
    "15_two_teams.toml",
    "16_three_bridges.toml",
];

fn first(name: &str) -> PathBuf {
    scenarios().join("first").join(name)
}

fn load(name: &str) -> World {
    load_world(&first(name), Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs to the end. `tests/outcomes.rs` does so too, with every tick checked, and finds that nothing is left to do.
fn run(name: &str) -> World {
    let mut world = load(name);
    world.run();
    world
}

/// What the run comes to: orders done, orders that cannot be done, and by which tick at the latest.
fn done(name: &str, orders: u64, unreachable: u64, tick_max: u32) {
    let outcome = recorded(&format!("first/{name}"));
    assert_eq!((outcome.orders_done, outcome.orders_unreachable), (orders, unreachable), "{name}");
    assert!(outcome.ticks <= tick_max, "{name}: {} ticks, more than {tick_max}", outcome.ticks);
}

/// Cost and number of moves of a cheapest path, as `wheelbase plan` gives it.
fn planned(name: &str, class: &str, from: (i32, i32, u8), to: (i32, i32, Option<u8>)) -> (u32, usize) {
    let (status, cost, n_moves) = answered(name, class, from, to);
    assert_eq!(status, Status::Found);
    (cost, n_moves)
}

fn answered(
    name: &str,
    class: &str,
    from: (i32, i32, u8),
    to: (i32, i32, Option<u8>),
) -> (Status, u32, usize) {
    let problem = load_planning_problem(&first(name), Some(class), MemoryMax::NONE)
        .unwrap_or_else(|error| panic!("{error}"));
    let tables = wheelbase_planner::MovementTables::compile(&problem.grid, problem.class);
    let start = Pose::new(from.0, from.1, Heading(from.2));
    let cell = wheelbase_grid::CellXY::new(to.0, to.1);
    let members = [GoalMember { cell, heading: to.2.map(Heading) }];
    let goal = Goal { members: &members, within: 0 };
    let mut path = wheelbase_planner::Path::new();
    let answer = plan(&tables, &Request::new(start, goal), &mut Scratch::new(), &mut path);
    (answer.status, answer.cost, path.moves.len())
}

const E: u8 = 0;
const N: u8 = 1;
const W: u8 = 2;

#[test]
fn yard() {
    done("01_yard.toml", 3, 0, 160);
    assert_eq!(planned("01_yard.toml", "truck", (2, 2, E), (5, 4, Some(N))), (80, 8));
    assert_eq!(planned("01_yard.toml", "truck", (5, 4, N), (2, 2, None)), (60, 6));
}

#[test]
fn dead_end() {
    done("02_dead_end.toml", 1, 0, 220);
    assert_eq!(planned("02_dead_end.toml", "truck", (9, 2, E), (1, 2, Some(W))), (220, 10));
}

#[test]
fn lake() {
    done("03_lake.toml", 2, 0, 350);
    assert_eq!(planned("03_lake.toml", "hovercraft", (2, 2, E), (22, 2, None)), (192, 20));
    assert_eq!(planned("03_lake.toml", "truck", (2, 6, E), (22, 6, None)), (350, 29));
}

/// The truck goes round the ridge and the walker over it; up costs more than down.
#[test]
fn hill() {
    done("04_hill.toml", 4, 0, 300);
    // Round: the three rows down and up are six moves more than over.
    assert_eq!(planned("04_hill.toml", "truck", (1, 4, E), (17, 4, None)), (250, 25));
    assert_eq!(planned("04_hill.toml", "walker", (1, 2, 0), (17, 2, None)), (252, 16));
    assert_eq!(planned("04_hill.toml", "truck", (1, 1, E), (9, 1, None)), (160, 8));
    assert_eq!(planned("04_hill.toml", "truck", (9, 1, E), (1, 1, None)), (140, 10));
}

/// There is a way down the ledge and a longer one back; there is one into the pit and none out.
#[test]
fn ledge() {
    done("05_ledge.toml", 4, 1, 80);
    assert_eq!(planned("05_ledge.toml", "scout", (5, 3, 0), (7, 3, None)), (20, 2));
    assert_eq!(planned("05_ledge.toml", "scout", (7, 3, 0), (5, 3, None)), (60, 6));
    assert_eq!(planned("05_ledge.toml", "scout", (9, 2, 0), (12, 2, None)), (30, 3));
    assert_eq!(answered("05_ledge.toml", "scout", (12, 2, 0), (9, 2, None)).0, Status::Unreachable);
}

#[test]
fn diagonal() {
    done("06_diagonal.toml", 2, 0, 250);
    assert_eq!(planned("06_diagonal.toml", "eight", (4, 12, E), (17, 1, Some(E))), (184, 15));
    assert_eq!(planned("06_diagonal.toml", "four", (4, 15, E), (17, 4, None)), (250, 25));
}

/// All sixty arrive.
#[test]
fn crowd() {
    done("12_crowd.toml", 60, 0, 3_500);
}

/// A cart whose order waits sets out when the bend joins the depots; the other's order was dropped.
#[test]
fn road_tiles() {
    done("07_road_tiles.toml", 1, 1, 210);
    assert_eq!(answered("07_road_tiles.toml", "cart", (0, 2, E), (6, 6, None)).0, Status::Unreachable);

    let mut world = load("07_road_tiles.toml");
    let (mut first_move, mut waited) = (None, 0);
    while world.step() == RunState::Running {
        if world.counts().moves > 0 {
            first_move.get_or_insert(world.tick() - 1);
        }
        waited += u32::from(world.edits_pending() > 0);
    }
    assert_eq!(first_move, Some(100), "the tick of the second turn");
    assert_eq!(waited, 5, "ticks from 155 to 160: the cart is on the border that is to be shut");
}

/// The current flows with the turn that connects the depots. A turn waits while the bolt lies over the
/// joint; then there is no way back.
#[test]
fn tile_puzzle() {
    done("08_tile_puzzle.toml", 6, 1, 181);
    assert_eq!(answered("08_tile_puzzle.toml", "current", (1, 1, 0), (4, 1, None)).0, Status::Unreachable);

    let mut world = load("08_tile_puzzle.toml");
    let (mut first_move, mut waited) = (None, Vec::new());
    while world.step() == RunState::Running {
        if world.counts().moves > 0 {
            first_move.get_or_insert(world.tick() - 1);
        }
        if world.edits_pending() > 0 {
            waited.push(world.tick() - 1);
        }
    }
    assert_eq!(first_move, Some(30), "the tick of the turn that connects");
    let locked = (waited.first().copied(), waited.last().copied(), waited.len());
    assert_eq!(locked, (Some(80), Some(111), 32), "from the event until the bolt has left the joint");
}

/// Twenty join two, each gets a place on the field and then at the eastern border, and all leave.
#[test]
fn reinforcements() {
    done("14_reinforcements.toml", 42, 0, 2_000);
    let world = run("14_reinforcements.toml");
    let counts = world.counts();
    assert_eq!((counts.placed, counts.removed, world.agent_arrays().len()), (22, 22, 0));
}

#[test]
fn river() {
    done("11_river.toml", 10, 0, 2_000);
    let world = run("11_river.toml");
    assert!(world.tick() < world.settings().ticks, "it ends because all is done");
}

#[test]
fn hexagons() {
    done("09_hexagons.toml", 3, 0, 235);
    let world = run("09_hexagons.toml");
    assert_eq!(world.pose(0), Pose::new(7, 3, Heading(3)));
    assert_eq!(planned("09_hexagons.toml", "wagon", (2, 2, E), (3, 7, None)), (80, 8));
}

/// Cars keep to the roads of the map, the tractor does not; agents and goals are objects of the map.
#[test]
fn tiled_map() {
    done("10_tiled_map.toml", 5, 0, 340);
    let world = run("10_tiled_map.toml");
    let cells = [0, 1, 2].map(|row| world.pose(row).cell).map(|cell| (cell.x, cell.y));
    assert_eq!((cells[0], cells[1]), ((8, 5), (0, 3)));
    assert_eq!(answered("10_tiled_map.toml", "car", (0, 3, E), (6, 2, None)).0, Status::GoalBlocked);
    assert_eq!(planned("10_tiled_map.toml", "tractor", (2, 2, E), (6, 2, None)), (100, 4));
}

/// What the comments of `11_river.toml` promise: the bridge is drawn up late, because a truck is on it.
#[test]
fn the_bridge_waits_for_the_truck_on_it() {
    let mut world = load("11_river.toml");
    let mut waited = 0;
    while world.step() == RunState::Running {
        waited += u32::from(world.edits_pending() > 0);
    }
    assert_eq!(waited, 48, "ticks from 120 to 168");
}

#[test]
fn two_runs_agree_tick_by_tick() {
    for name in NAMES {
        let (mut one, mut other) = (load(name), load(name));
        loop {
            let step = one.step();
            assert_eq!(step, other.step());
            assert_eq!(one.state_hash(), other.state_hash(), "{name}: tick {}", one.tick());
            if step == RunState::Ended {
                break;
            }
        }
    }
}

/// Recorded and run again out of the recording alone, each is the same to the last tick.
#[test]
fn recordings_of_all_are_verified() {
    for name in NAMES {
        let (mut loaded, text) = load_world_and_text(&first(name), Overrides::default()).unwrap();
        // Without a folder, so that no file beside the scenario can be found.
        let mut reader = Reader::open(Cursor::new(record_loaded(&mut loaded, name, &text))).unwrap();
        let verified = verify(&mut reader, |_| true).unwrap();
        assert_eq!((verified.n_ticks, verified.difference), (reader.n_ticks(), None), "{name}");
        assert_eq!(reader.end().map(|end| end.state_hash), Some(loaded.world.state_hash()), "{name}");
    }
}

/// README.md quotes an outcome; it is this.
#[test]
fn the_readme_quotes_the_outcome_of_river() {
    let readme = include_str!("../../../README.md");
    let outcome = recorded("first/11_river.toml");
    for quoted in [
        format!("river crossing, {} ticks: all {} orders done\n", outcome.ticks, outcome.orders_done),
        format!(" {} moves, ", outcome.moves),
        format!("state hash            {}", outcome.state_hash),
    ] {
        assert!(readme.contains(&quoted), "README.md: expected {quoted}");
    }
}

/// Every file in the folder has its test here.
#[test]
fn no_scenario_is_left_out() {
    assert_eq!(names_in("first"), NAMES);
}

#[test]
fn group_order() {
    done("13_group_order.toml", 64, 0, 2_000);
    let world = run("13_group_order.toml");
    // Large and small about one goal.
    let goal = wheelbase_grid::CellXY::new(40, 20);
    assert!((0..32).all(|row| world.pose(row).cell.distance_squared(goal) <= 100));
}

/// The keeper makes way for the friend and not for the foe; once it holds the gate, not for the friend either. The
/// escort keeps near its leader, and the gate is shut on the foe at the deadline.
#[test]
fn two_teams() {
    done("15_two_teams.toml", 10, 0, 900);
    let mut world = load("15_two_teams.toml");
    let at = |world: &World, row: usize| world.pose(row).cell;
    let [keeper, friend, foe, leader, escort] = [0, 1, 2, 3, 4];
    // Rows of the gates in which the friend and the foe stand, one after the other.
    let mut gates = [Vec::new(), Vec::new()];
    while world.tick() < 700 {
        let before = [friend, foe].map(|row| at(&world, row));
        world.step();
        for ((passed, row), before) in gates.iter_mut().zip([friend, foe]).zip(before) {
            let now = at(&world, row);
            passed.extend((now.x == 12 && before.x != 12).then_some(now.y));
        }
        if world.tick() == 150 {
            assert_ne!(at(&world, keeper).x, 12, "it has made way");
        }
        let (leader, escort) = (at(&world, leader), at(&world, escort));
        assert!(world.tick() < 40 || leader.distance_squared(escort) <= 7 * 7, "{leader} {escort}");
    }
    assert_eq!(gates, [vec![3, 8], vec![8, 8]]);
    assert_eq!(at(&world, keeper), wheelbase_grid::CellXY::new(12, 3));
    while world.tick() < 900 {
        world.step();
    }
    assert_eq!((world.counts().removed, world.edits_pending()), (1, 1));
    world.run();
    assert_eq!((world.counts().removed, world.edits_pending(), world.tick()), (2, 0, 900));
}

/// Eighty agents with tasks on both banks: all of them get somewhere, and agents that pass the river take bridges.
#[test]
fn three_bridges() {
    done("16_three_bridges.toml", 0, 0, 1_500);
    let mut world = load("16_three_bridges.toml");
    let (west, mut crossed) = (|world: &World, row| world.pose(row).cell.x < 40, BTreeSet::new());
    let began: Vec<bool> = (0..80).map(|row| west(&world, row)).collect();
    while world.step() == RunState::Running {
        crossed.extend((0..80).filter(|&row| west(&world, row) != began[row]));
    }
    assert!(crossed.len() > 60, "{crossed:?}");
    assert_eq!(world.counts().placed, 80);
}
