//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 677, 2, 52, "488e7f48cb10e6f7"),
    ("2_back_out.toml", 559, 2, 35, "eb1845c09bcf6bbc"),
    ("3_twelve_squares.toml", 1632, 12, 969, "d66dde780ad302e9"),
    ("4_ring.toml", 1252, 22, 785, "31dd6141d2ae244a"),
    ("5_crossing.toml", 1610, 32, 1483, "e9b59a372b62a0c8"),
    ("7_full_room.toml", 1822, 64, 2324, "fef271c3d324b7f4"),
    ("8_bridge.toml", 5376, 52, 4926, "4d39ad478763b69d"),
    ("9_convoy.toml", 8434, 10, 1405, "fafaf26bdab8f7d8"),
    ("10_door.toml", 4709, 52, 3281, "dda527ff74ceae00"),
    ("11_one_cell.toml", 1186, 24, 641, "eeaeb986ad90bbb3"),
];

#[test]
fn solved_cases_end_as_the_guide_says() {
    let guide = include_str!("../../../scenarios/README.md");
    for (name, tick, orders, moves, state_hash) in SOLVED {
        let result = result_of(name);
        assert_eq!((result.ticks, result.orders_done, result.orders_left), (tick, orders, 0), "{name}");
        assert_eq!((result.collisions, result.stuck_agents), (Some(0), 0), "{name}");
        assert_eq!((result.moves, result.state_hash.as_str()), (moves, state_hash), "{name}");
        let row = row_of(guide, name);
        assert!(row.ends_with(&format!("| all done at tick {tick} |")), "{row}");
    }
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
