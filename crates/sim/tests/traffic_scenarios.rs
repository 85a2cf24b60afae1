//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 537, 2, 40, "6d9cf05923e83e26"),
    ("2_back_out.toml", 587, 2, 35, "d3550202b8bfe769"),
    ("3_twelve_squares.toml", 1380, 12, 932, "71863f6514daa691"),
    ("4_ring.toml", 2588, 22, 1253, "34f428d9470a7026"),
    ("5_crossing.toml", 1473, 32, 1365, "fa161eb1f1655905"),
    ("7_full_room.toml", 1938, 64, 2270, "57f51d4eb9925ae8"),
    ("8_bridge.toml", 7337, 52, 7394, "fbca77f3ecb2db43"),
    ("9_convoy.toml", 7767, 10, 1362, "1024931163a72441"),
    ("10_door.toml", 7571, 52, 5431, "60bd1333cbedb57a"),
    ("11_one_cell.toml", 1373, 24, 851, "d3113d64952f043d"),
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
