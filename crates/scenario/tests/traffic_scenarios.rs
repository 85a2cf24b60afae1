//! The hard cases of traffic end as `scenarios/README.md` says with the seeds of their files, and the same way
//! every time. Other seeds are not promised: the gate leaves two trucks with seed 1.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{RunResult, RunState, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
type Solved = (&'static str, u32, u64, u64, &'static str);

const SOLVED: [Solved; 10] = [
    ("1_head_on.toml", 672, 2, 52, "67da4bfb70cece68"),
    ("2_back_out.toml", 594, 2, 40, "39967bdda2c79360"),
    ("3_twelve_squares.toml", 1202, 12, 906, "86c4303f342eefd7"),
    ("4_ring.toml", 1210, 22, 680, "cea9c3b502005802"),
    ("5_crossing.toml", 1040, 32, 1154, "259a32c337c3889e"),
    ("7_full_room.toml", 1772, 64, 2385, "b27cc23a9da8c706"),
    ("8_bridge.toml", 5228, 52, 4946, "52435fb487543964"),
    ("9_convoy.toml", 7774, 10, 1378, "a0cd17276e33b417"),
    ("10_door.toml", 3076, 52, 2952, "ef2a7fc1122b062b"),
    ("11_one_cell.toml", 1370, 24, 820, "614176c6c1b1ffaf"),
];

/// It takes longer than all others together.
const GATE: Solved = ("6_gate.toml", 19005, 400, 54352, "35783df93a292450");

#[test]
fn solved_cases_end_as_the_guide_says() {
    SOLVED.into_iter().for_each(check);
}

#[test]
fn the_gate_ends_as_the_guide_says() {
    check(GATE);
}

/// A case ends as it is to, and as the guide says.
fn check((name, tick, orders, moves, state_hash): Solved) {
    let result = result_of(name);
    assert_eq!((result.ticks, result.orders_done, result.orders_left), (tick, orders, 0), "{name}");
    assert_eq!((result.collisions, result.stuck_agents), (Some(0), 0), "{name}");
    assert_eq!((result.moves, result.state_hash.as_str()), (moves, state_hash), "{name}");
    let row = row_of(include_str!("../../../scenarios/README.md"), name);
    assert!(row.ends_with(&format!("| all done at tick {tick} |")), "{row}");
}

/// What a run to the end comes to, with every tick checked.
fn result_of(name: &str) -> RunResult {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/traffic").join(name);
    let mut world = load_world(&path, Overrides::default()).unwrap();
    world.check_invariants();
    while world.step() == RunState::Running {}
    RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0)
}

/// The row of a scenario in the guide.
fn row_of<'a>(guide: &'a str, name: &str) -> &'a str {
    guide.lines().find(|line| line.contains(&format!("](traffic/{name})"))).unwrap()
}
