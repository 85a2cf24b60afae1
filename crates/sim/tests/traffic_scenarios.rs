//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 537, 2, 40, "f3b08003af05f01e"),
    ("2_back_out.toml", 587, 2, 35, "c2846c86833916f0"),
    ("3_twelve_squares.toml", 1380, 12, 932, "f5c7c574d31cbb2d"),
    ("4_ring.toml", 4192, 22, 2017, "de12e71e747c5294"),
    ("5_crossing.toml", 1470, 32, 1338, "88e3ac1307582150"),
    ("7_full_room.toml", 1959, 64, 2355, "f2d6313aeb408ac7"),
    ("8_bridge.toml", 6142, 52, 6275, "3a804cf908cd60f7"),
    ("9_convoy.toml", 7767, 10, 1362, "2c2f3b688c5f6e81"),
    ("10_door.toml", 8507, 52, 6388, "f41f70790dfebcca"),
    ("11_one_cell.toml", 1373, 24, 851, "032f7f28ddfd60da"),
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
