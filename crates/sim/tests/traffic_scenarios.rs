//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 537, 2, 40, "14a8995cb6b966f5"),
    ("2_back_out.toml", 587, 2, 35, "7984486c7d269901"),
    ("3_twelve_squares.toml", 1480, 12, 770, "2c0dbbcd4e7ec569"),
    ("4_ring.toml", 2308, 22, 803, "2064456a65d5bf0f"),
    ("5_crossing.toml", 2585, 32, 1878, "47f3d0466ee81df4"),
    ("7_full_room.toml", 1892, 64, 2727, "f2f207fafe80a96a"),
    ("8_bridge.toml", 7089, 52, 6761, "68a2cae221940f10"),
    ("9_convoy.toml", 6503, 10, 1313, "62fef8f4be3e2b1a"),
    ("10_door.toml", 7884, 52, 5185, "cc87343112ed85eb"),
    ("11_one_cell.toml", 1415, 24, 865, "6f6ebdbdbafa2210"),
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
