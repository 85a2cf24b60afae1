//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
type Solved = (&'static str, u32, u64, u64, &'static str);

const SOLVED: [Solved; 10] = [
    ("1_head_on.toml", 672, 2, 52, "0a7764ccee560d45"),
    ("2_back_out.toml", 594, 2, 40, "7cd1ade1a1c25b46"),
    ("3_twelve_squares.toml", 2052, 12, 984, "010f7d85d366f837"),
    ("4_ring.toml", 1428, 22, 861, "59f94964f7550dab"),
    ("5_crossing.toml", 1132, 32, 1145, "ee5b96223419514f"),
    ("7_full_room.toml", 1797, 64, 2399, "d94ac041b0660bfb"),
    ("8_bridge.toml", 4687, 52, 4335, "b2f835d7b5a50279"),
    ("9_convoy.toml", 7871, 10, 1410, "cc351fe0eba01ed7"),
    ("10_door.toml", 3066, 52, 3205, "68eafdaf64976077"),
    ("11_one_cell.toml", 1377, 24, 746, "4e5f26f575349a16"),
];

/// It takes longer than all others together.
const GATE: Solved = ("6_gate.toml", 19551, 400, 49850, "eaebbabc31186861");

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
