//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 537, 2, 40, "2e2827c2468d14eb"),
    ("2_back_out.toml", 587, 2, 35, "3c6be4076c264a91"),
    ("3_twelve_squares.toml", 1480, 12, 770, "09ea408e61f67fc7"),
    ("4_ring.toml", 2744, 22, 811, "372792fce6c6fcc6"),
    ("5_crossing.toml", 2519, 32, 1699, "37a944bba446849c"),
    ("7_full_room.toml", 1856, 64, 2231, "7e2e01000ff97bb9"),
    ("8_bridge.toml", 7040, 52, 6606, "9580bf4efdf51059"),
    ("9_convoy.toml", 6503, 10, 1313, "ec3fe3cfcca3c575"),
    ("10_door.toml", 10631, 52, 6699, "bf1a6ca3a17ce945"),
    ("11_one_cell.toml", 1662, 24, 846, "2330d9a4dcf66b2f"),
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
