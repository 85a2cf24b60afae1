//! Heavy mode in new processes: scenarios saved at several ticks continue in a new process, with another number of
//! threads, as if nothing was. `crates/scenario/tests/heavy_mode.rs` does it at many more ticks in one process.

use crate::common::*;
use std::path::Path;

/// Scenarios with events, slopes, teams and a bridge, and the ticks at which their runs are cut.
const SCENARIOS: [(&str, [u32; 5]); 4] = [
    ("first/12_crowd.toml", [1, 64, 301, 777, 1500]),
    ("first/14_reinforcements.toml", [0, 33, 100, 239, 400]),
    ("first/15_two_teams.toml", [2, 40, 111, 260, 500]),
    ("traffic/8_bridge.toml", [3, 50, 123, 420, 900]),
];
/// Ticks of the longest runs. `.ci/run --all` sets WHEELBASE_LONG; every scenario then runs for this long.
const TICKS_MAX: u32 = 2200;
/// Without WHEELBASE_LONG, only the first scenario does. The others run for this long, and three cuts are checked.
const TICKS_MAX_OF_OTHERS: u32 = 600;

fn check(scenario: &str, cuts: &[u32], ticks_max: u32) {
    let folder = Folder::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(scenario);
    let file = path.to_str().unwrap();
    let last = ticks_max.to_string();
    let straight = run_outcome(&folder, &[file, "--ticks", &last, "--threads", "2"]);
    for (number, cut) in cuts.iter().enumerate() {
        let (ticks, every) = (cut.to_string(), (1 + cut / 3).to_string());
        let (one, other) = if number % 2 == 0 { ("1", "3") } else { ("2", "1") };
        let saves = ["--ticks", &ticks, "--threads", one, "--snapshot", "a.snap", "--snapshot-every", &every];
        run_outcome(&folder, &[&[file][..], &saves].concat());
        let resumed = run_outcome(&folder, &["--resume", "a.snap", "--ticks", &last, "--threads", other]);
        assert_eq!(resumed, straight, "{scenario}, saved at tick {cut}");
    }
    // From cut to cut, each part of the way in a new process, into the file that it comes from.
    let step = |begins: &[&str], ticks: &str, threads: &str| {
        let saves = ["--ticks", ticks, "--threads", threads, "--snapshot", "b.snap"];
        run_outcome(&folder, &[begins, &saves].concat())
    };
    step(&[file], &cuts[0].to_string(), "2");
    for (number, cut) in cuts[1..].iter().enumerate() {
        step(&["--resume", "b.snap"], &cut.to_string(), if number % 2 == 0 { "1" } else { "4" });
    }
    assert_eq!(step(&["--resume", "b.snap"], &last, "2"), straight, "{scenario}, from cut to cut");
}

#[test]
fn a_crowd_goes_on_in_another_process() {
    let (scenario, cuts) = SCENARIOS[0];
    check(scenario, &cuts, TICKS_MAX);
}

#[test]
fn the_other_scenarios_go_on_in_another_process() {
    for (scenario, cuts) in &SCENARIOS[1..] {
        if std::env::var_os("WHEELBASE_LONG").is_some() {
            check(scenario, cuts, TICKS_MAX);
        } else {
            check(scenario, &cuts[..3], TICKS_MAX_OF_OTHERS);
        }
    }
}
