//! The scenarios that a new user reads first run to their end, with the outcome that their comments
//! promise and the same one every time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "all of it is for tests")]

mod common;

use common::record_loaded;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use wheelbase_grid::MemoryMax;
use wheelbase_planner::{Goal, GoalMember, Heading, Pose, Request, Scratch, Status, plan};
use wheelbase_scenario::load::{Overrides, load_problem, load_world, load_world_and_text};
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_sim::{RunResult, RunState, TickTimes, World, invariant};

const NAMES: [&str; 14] = [
    "10_tile_puzzle.toml",
    "11_hexagons.toml",
    "12_tiled_map.toml",
    "13_group_order.toml",
    "1_yard.toml",
    "2_dead_end.toml",
    "3_lake.toml",
    "4_hill.toml",
    "5_ledge.toml",
    "6_diagonal.toml",
    "7_crowd.toml",
    "8_road_tiles.toml",
    "9_reinforcements.toml",
    "river.toml",
];

/// What a run comes to. The state hash holds all the rest.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    ticks: u32,
    orders_done: u64,
    orders_unreachable: u64,
    moves: u64,
    /// As `wheelbase run` prints it.
    state_hash: String,
}

fn first(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/first").join(name)
}

fn load(name: &str) -> World {
    load_world(&first(name), Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs to the end with every tick checked; nothing may be left to do.
fn run(name: &str) -> (World, Outcome) {
    let mut world = load(name);
    world.check_invariants();
    while world.step() == RunState::Running {}
    assert_eq!((world.violation(), invariant::check(&world)), (None, Vec::new()), "{name}");
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    assert_eq!(result.orders_left, 0, "{name}");
    assert_eq!((result.stuck_agents, result.edits_pending), (0, 0), "{name}");
    assert_eq!(result.collisions, Some(0), "{name}");
    let counts = *world.counts();
    let outcome = Outcome {
        ticks: world.tick(),
        orders_done: counts.orders_done,
        orders_unreachable: counts.orders_unreachable,
        moves: counts.moves,
        state_hash: result.state_hash,
    };
    (world, outcome)
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
    let problem =
        load_problem(&first(name), Some(class), MemoryMax::NONE).unwrap_or_else(|error| panic!("{error}"));
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
    let outcome = run("1_yard.toml").1;
    let pinned = Outcome {
        ticks: 160,
        orders_done: 3,
        orders_unreachable: 0,
        moves: 14,
        state_hash: "78d82fd01219f097".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(planned("1_yard.toml", "truck", (2, 2, E), (5, 4, Some(N))), (80, 8));
    assert_eq!(planned("1_yard.toml", "truck", (5, 4, N), (2, 2, None)), (60, 6));
}

#[test]
fn dead_end() {
    let outcome = run("2_dead_end.toml").1;
    let pinned = Outcome {
        ticks: 220,
        orders_done: 1,
        orders_unreachable: 0,
        moves: 10,
        state_hash: "bef1590cf2c64701".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(planned("2_dead_end.toml", "truck", (9, 2, E), (1, 2, Some(W))), (220, 10));
}

#[test]
fn lake() {
    let outcome = run("3_lake.toml").1;
    let pinned = Outcome {
        ticks: 350,
        orders_done: 2,
        orders_unreachable: 0,
        moves: 49,
        state_hash: "d8a5184995f66175".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(planned("3_lake.toml", "hovercraft", (2, 2, E), (22, 2, None)), (192, 20));
    assert_eq!(planned("3_lake.toml", "truck", (2, 6, E), (22, 6, None)), (350, 29));
}

/// The truck goes round the ridge and the walker over it; up costs more than down.
#[test]
fn hill() {
    let outcome = run("4_hill.toml").1;
    let pinned = Outcome {
        ticks: 300,
        orders_done: 4,
        orders_unreachable: 0,
        moves: 59,
        state_hash: "e79d26ea359dbca1".to_owned(),
    };
    assert_eq!(outcome, pinned);
    // Round: the three rows down and up are six moves more than over.
    assert_eq!(planned("4_hill.toml", "truck", (1, 4, E), (17, 4, None)), (250, 25));
    assert_eq!(planned("4_hill.toml", "walker", (1, 2, 0), (17, 2, None)), (252, 16));
    assert_eq!(planned("4_hill.toml", "truck", (1, 1, E), (9, 1, None)), (160, 8));
    assert_eq!(planned("4_hill.toml", "truck", (9, 1, E), (1, 1, None)), (140, 10));
}

/// There is a way down the ledge and a longer one back; there is one into the pit and none out.
#[test]
fn ledge() {
    let outcome = run("5_ledge.toml").1;
    let pinned = Outcome {
        ticks: 80,
        orders_done: 4,
        orders_unreachable: 1,
        moves: 12,
        state_hash: "c09491fbf1eaf094".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(planned("5_ledge.toml", "scout", (5, 3, 0), (7, 3, None)), (20, 2));
    assert_eq!(planned("5_ledge.toml", "scout", (7, 3, 0), (5, 3, None)), (60, 6));
    assert_eq!(planned("5_ledge.toml", "scout", (9, 2, 0), (12, 2, None)), (30, 3));
    assert_eq!(answered("5_ledge.toml", "scout", (12, 2, 0), (9, 2, None)).0, Status::Unreachable);
}

#[test]
fn diagonal() {
    let outcome = run("6_diagonal.toml").1;
    let pinned = Outcome {
        ticks: 250,
        orders_done: 2,
        orders_unreachable: 0,
        moves: 40,
        state_hash: "6538a820c781822a".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(planned("6_diagonal.toml", "eight", (4, 12, E), (17, 1, Some(E))), (184, 15));
    assert_eq!(planned("6_diagonal.toml", "four", (4, 14, E), (17, 3, None)), (250, 25));
}

/// All sixty arrive.
#[test]
fn crowd() {
    let outcome = run("7_crowd.toml").1;
    let pinned = Outcome {
        ticks: 2110,
        orders_done: 60,
        orders_unreachable: 0,
        moves: 5207,
        state_hash: "2d003c6edf1e4292".to_owned(),
    };
    assert_eq!(outcome, pinned);
}

/// A cart whose order waits sets out when the bend joins the depots; the other's order was dropped.
#[test]
fn road_tiles() {
    let outcome = run("8_road_tiles.toml").1;
    let pinned = Outcome {
        ticks: 210,
        orders_done: 1,
        orders_unreachable: 1,
        moves: 11,
        state_hash: "bae134e033e6c8cb".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(answered("8_road_tiles.toml", "cart", (0, 2, E), (6, 6, None)).0, Status::Unreachable);

    let mut world = load("8_road_tiles.toml");
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

/// The current flows with the turn that connects the depots; a turn waits while the bolt lies over the
/// joint; then there is no way back.
#[test]
fn tile_puzzle() {
    let outcome = run("10_tile_puzzle.toml").1;
    let pinned = Outcome {
        ticks: 181,
        orders_done: 6,
        orders_unreachable: 1,
        moves: 9,
        state_hash: "9248331a533cf04b".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(answered("10_tile_puzzle.toml", "current", (1, 1, 0), (4, 1, None)).0, Status::Unreachable);

    let mut world = load("10_tile_puzzle.toml");
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
    let (world, outcome) = run("9_reinforcements.toml");
    let pinned = Outcome {
        ticks: 2000,
        orders_done: 42,
        orders_unreachable: 0,
        moves: 1319,
        state_hash: "02827828316d1a3d".to_owned(),
    };
    assert_eq!(outcome, pinned);
    let counts = world.counts();
    assert_eq!((counts.placed, counts.removed, world.agents().len()), (22, 22, 0));
}

#[test]
fn river() {
    let (world, outcome) = run("river.toml");
    let pinned = Outcome {
        ticks: 1477,
        orders_done: 10,
        orders_unreachable: 0,
        moves: 512,
        state_hash: "3f69c3bf97a748ff".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert!(world.tick() < world.settings().ticks, "it ends because all is done");
}

#[test]
fn hexagons() {
    let (world, outcome) = run("11_hexagons.toml");
    let pinned = Outcome {
        ticks: 235,
        orders_done: 3,
        orders_unreachable: 0,
        moves: 16,
        state_hash: "d76505c3272ac343".to_owned(),
    };
    assert_eq!(outcome, pinned);
    assert_eq!(world.pose(0), Pose::new(7, 3, Heading(3)));
    assert_eq!(planned("11_hexagons.toml", "wagon", (2, 2, E), (3, 7, None)), (80, 8));
}

/// Cars keep to the roads of the map, the tractor does not; agents and goals are objects of the map.
#[test]
fn tiled_map() {
    let (world, outcome) = run("12_tiled_map.toml");
    let pinned = Outcome {
        ticks: 340,
        orders_done: 5,
        orders_unreachable: 0,
        moves: 51,
        state_hash: "64aa30be6560d5ef".to_owned(),
    };
    assert_eq!(outcome, pinned);
    let cells = [0, 1, 2].map(|row| world.pose(row).cell).map(|cell| (cell.x, cell.y));
    assert_eq!((cells[0], cells[1]), ((8, 5), (0, 3)));
    assert_eq!(answered("12_tiled_map.toml", "car", (0, 3, E), (6, 2, None)).0, Status::GoalBlocked);
    assert_eq!(planned("12_tiled_map.toml", "tractor", (2, 2, E), (6, 2, None)), (100, 4));
}

/// What the comments of `river.toml` promise: the bridge is drawn up late, because a truck is on it.
#[test]
fn the_bridge_waits_for_the_truck_on_it() {
    let mut world = load("river.toml");
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

/// The guides quote outcomes; they are these.
#[test]
fn guides_quote_these_outcomes() {
    let guide = include_str!("../../../scenarios/README.md");
    for name in NAMES {
        let mut world = load(name);
        world.run();
        let row = guide.lines().find(|line| line.contains(&format!("`first/{name}`")));
        let quoted = format!("| {} ticks, {} moves |", world.tick(), world.counts().moves);
        assert!(row.is_some_and(|row| row.ends_with(&quoted)), "scenarios/README.md: {name}: {quoted}");
    }
    let readme = include_str!("../../../README.md");
    let (_, outcome) = run("river.toml");
    for quoted in [
        format!(" agents, {} ticks, {} moves, ", outcome.ticks, outcome.moves),
        format!("state hash            {}", outcome.state_hash),
    ] {
        assert!(readme.contains(&quoted), "README.md: expected {quoted}");
    }
}

/// Every file in the folder has its test here.
#[test]
fn no_scenario_is_left_out() {
    let entries = std::fs::read_dir(first("")).expect("the folder is there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, NAMES);
}

#[test]
fn group_order() {
    let (world, outcome) = run("13_group_order.toml");
    let pinned = Outcome {
        ticks: 1449,
        orders_done: 64,
        orders_unreachable: 0,
        moves: 2370,
        state_hash: "bda23be9778e1144".to_owned(),
    };
    assert_eq!(outcome, pinned);
    // Large and small about one goal.
    let goal = wheelbase_grid::CellXY::new(40, 20);
    assert!((0..32).all(|row| world.pose(row).cell.distance_squared(goal) <= 100));
}
