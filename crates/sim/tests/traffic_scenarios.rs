//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 10] = [
    ("1_head_on.toml", 537, 2, 40, "b600ee9af2325259"),
    ("2_back_out.toml", 587, 2, 35, "29104bf8d86d93a4"),
    ("3_twelve_squares.toml", 1282, 12, 927, "57e2d9dbf436e80f"),
    ("4_ring.toml", 1538, 22, 763, "9c35055724b36150"),
    ("5_crossing.toml", 2902, 32, 1772, "6e25b6e3eeff7bbe"),
    ("7_full_room.toml", 2023, 64, 2400, "65fd14df628bcf3a"),
    ("8_bridge.toml", 4358, 52, 4164, "40d159c7f2a78e7c"),
    ("9_convoy.toml", 6894, 10, 1341, "642db2572177d085"),
    ("10_door.toml", 4579, 52, 2944, "b4f14dd56dd270e3"),
    ("11_one_cell.toml", 1373, 24, 851, "91a02153844d03a0"),
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
