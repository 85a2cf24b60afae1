//! The hard cases of traffic end as `scenarios/README.md` says, and the same way every time.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::path::Path;
use wheelbase_sim::build::{Overrides, load_simulation};
use wheelbase_sim::{RunResult, Step, TickTimes};

/// Name, tick at which all is done, orders, moves, state hash.
const SOLVED: [(&str, u32, u64, u64, &str); 6] = [
    ("1_head_on.toml", 744, 2, 56, "5b9920dcf75d98a0"),
    ("2_back_out.toml", 411, 2, 31, "fae0bc4fd72a2916"),
    ("3_twelve_squares.toml", 1143, 12, 854, "29448ef11cb02cc0"),
    ("5_crossing.toml", 3991, 32, 2307, "5487a733fab7b6d2"),
    ("7_full_room.toml", 2669, 64, 2504, "651e77fc750f35b8"),
    ("8_bridge.toml", 9095, 52, 7829, "b51e2049591be60d"),
];

/// Name, orders done, orders left after 20,000 ticks: of those that are not solved one that takes no time.
const NOT_SOLVED: [(&str, u64, u64); 1] = [("11_one_cell.toml", 22, 2)];

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

#[test]
fn what_is_not_solved_is_told_as_it_is() {
    let guide = include_str!("../../../scenarios/README.md");
    for (name, done, left) in NOT_SOLVED {
        let result = result_of(name);
        let outcome = (result.ticks, result.orders_done, result.orders_left, result.collisions);
        assert_eq!(outcome, (20_000, done, left, Some(0)), "{name}");
        let row = row_of(guide, name);
        assert!(row.contains(&format!("| not solved: {done} of {} orders;", done + left)), "{row}");
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
