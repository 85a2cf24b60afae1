//! The hard cases of traffic end as `scenarios/README.md` says with the seeds of their files, and the same way
//! every time. Other seeds are not promised: the gate leaves two trucks with seed 1.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
type Solved = (&'static str, u32, u64, u64, &'static str);

const SOLVED: [Solved; 10] = [
    ("1_head_on.toml", 672, 2, 52, "67da4bfb70cece68"),
    ("2_back_out.toml", 594, 2, 40, "39967bdda2c79360"),
    ("3_twelve_squares.toml", 1202, 12, 906, "1e10a3c99ba91383"),
    ("4_ring.toml", 1210, 22, 682, "ff83cbf0468ef8a2"),
    ("5_crossing.toml", 1040, 32, 1160, "cf9d82a355191043"),
    ("7_full_room.toml", 1724, 64, 2320, "56d3dd7c69a24b20"),
    ("8_bridge.toml", 4780, 52, 4814, "c24636bfadfed63f"),
    ("9_convoy.toml", 7774, 10, 1378, "de04add541519439"),
    ("10_door.toml", 3159, 52, 3199, "c972b9a33eb37a2a"),
    ("11_one_cell.toml", 1370, 24, 820, "2af607aab1c13679"),
];

/// It takes longer than all others together.
const GATE: Solved = ("6_gate.toml", 19364, 400, 55258, "6ad58899ba07eda8");

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
    let mut sim = load_simulation(&path, Overrides::default()).unwrap();
    sim.check_invariants();
    while sim.step() == Step::Running {}
    RunResult::of(&sim, 1, &TickTimes::default(), 0.0, 0)
}

/// The row of a scenario in the guide.
fn row_of<'a>(guide: &'a str, name: &str) -> &'a str {
    guide.lines().find(|line| line.contains(&format!("](traffic/{name})"))).unwrap()
}
