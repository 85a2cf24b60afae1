//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 537, 2, 40, "bee1c249ecbb459b"),
    ("2_back_out.toml", 587, 2, 35, "f4c24fc2033688d1"),
    ("3_twelve_squares.toml", 1189, 12, 902, "9ad1456a945da99b"),
    ("4_ring.toml", 1633, 22, 712, "e167689a17f91823"),
    ("5_crossing.toml", 2292, 32, 1755, "7f2ad655ba9ea1ac"),
    ("7_full_room.toml", 2146, 64, 2241, "2dace723d21b247c"),
    ("8_bridge.toml", 4015, 52, 4070, "75d8b4f3e14553e8"),
    ("9_convoy.toml", 6894, 10, 1341, "9ef32e44c88635b9"),
    ("10_door.toml", 3831, 52, 3028, "95c10c5e71a5d954"),
    ("11_one_cell.toml", 1289, 24, 831, "d56c29e8f76c2aaf"),
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
