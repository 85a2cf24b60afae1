//! The scenarios of `scenarios/first` and `scenarios/traffic`, and the mixed scene, end as `scenarios/outcomes.csv`
//! says, and the tables of `scenarios/README.md` repeat it. With WHEELBASE_BLESS set, the test writes both.

use crate::common::on_threads;
use crate::recorded_outcomes::{COLUMNS, Outcome, RENEW, names_in, recorded_outcomes, scenarios};
use std::sync::Mutex;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{RunResult, RunState, TickTimes, invariant};

/// The scene of `tests/determinism.rs`. Its patrols and tasks have no end.
const MIXED: &str = "mixed.toml";
/// Bodies that cannot reverse have no room to turn beside some goals once others have arrived, so orders are left.
const LOCKED: [&str; 1] = ["traffic/18_no_reverse_open.toml"];
/// Tasks without end in crowds: whether somebody waits at the last tick is chance. `tests/hard_cases.rs` bounds how
/// long anybody does.
const CROWDED: [&str; 9] = [
    "first/16_three_bridges.toml",
    "traffic/13_bridge_3.toml",
    "traffic/14_bridge_5.toml",
    "traffic/15_bridge_8.toml",
    "traffic/16_bridge_12.toml",
    "traffic/17_bridge_closes.toml",
    "traffic/20_two_doors.toml",
    "traffic/21_dead_end.toml",
    "traffic/23_open_ground_closes.toml",
];
/// Takes as long as all others together, so it is run first.
const LONGEST: &str = "traffic/6_gate.toml";
/// Scenarios that take more ticks are left to `.ci/run`, which runs all of them in release.
const TICKS_MAX: u32 = 1_600;

/// A table of the guide whose last column is written here stands between these lines.
const TABLE: (&str, &str) = (
    "<!-- outcomes: last column by WHEELBASE_BLESS=1 cargo test -p wheelbase-scenario --test integration outcomes:: -->",
    "<!-- outcomes end -->",
);

/// All scenarios, by their paths from `scenarios/`.
fn all() -> Vec<String> {
    let mut all = vec![MIXED.to_owned()];
    for folder in ["first", "traffic"] {
        all.extend(names_in(folder).into_iter().map(|name| format!("{folder}/{name}")));
    }
    all
}

/// Runs a scenario to its end with every tick checked.
fn run(name: &str) -> Outcome {
    let mut world = load_world(&scenarios().join(name), Overrides::default()).unwrap();
    world.check_invariants();
    while world.step() == RunState::Running {}
    assert_eq!((world.violation(), invariant::check(&world)), (None, Vec::new()), "{name}");
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    assert_eq!(result.collisions, Some(0), "{name}");
    let is_locked = LOCKED.contains(&name);
    if !is_locked && !CROWDED.contains(&name) {
        assert_eq!(result.stuck_agents, 0, "{name}");
    }
    if name != MIXED {
        assert_eq!(result.edits_pending, 0, "{name}");
        assert_eq!(result.orders_left > 0, is_locked, "{name}: {} orders left", result.orders_left);
    }
    Outcome {
        scenario: name.to_owned(),
        ticks: result.ticks,
        orders_done: result.orders_done,
        orders_unreachable: result.orders_unreachable,
        moves: result.moves,
        state_hash: result.state_hash,
    }
}

/// Runs scenarios side by side, on a thread each.
fn run_all(names: &[String]) -> Vec<Outcome> {
    let (longest, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| *name == LONGEST);
    let left = Mutex::new(others.into_iter().rev().chain(longest).collect::<Vec<_>>());
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(name) = left.lock().unwrap().pop() else { break };
                    let outcome = on_threads(1, || run(name));
                    outcomes.lock().unwrap().push(outcome);
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap();
    outcomes.sort_by_key(|outcome| names.iter().position(|name| *name == outcome.scenario));
    outcomes
}

fn is_blessed() -> bool {
    std::env::var_os("WHEELBASE_BLESS").is_some()
}

#[test]
fn scenarios_end_as_recorded() {
    let before = recorded_outcomes();
    let is_long =
        |name: &String| before.iter().any(|known| known.scenario == *name && known.ticks > TICKS_MAX);
    let names: Vec<String> = all().into_iter().filter(|name| is_blessed() || !is_long(name)).collect();
    let outcomes = run_all(&names);
    if is_blessed() {
        let lines: String = outcomes.iter().map(|outcome| outcome.to_line() + "\n").collect();
        std::fs::write(scenarios().join("outcomes.csv"), format!("{COLUMNS}\n{lines}")).unwrap();
        let guide = scenarios().join("README.md");
        let text = std::fs::read_to_string(&guide).unwrap();
        std::fs::write(&guide, with_outcomes(&text, &outcomes)).unwrap();
    }
    let recorded = recorded_outcomes();
    for outcome in &outcomes {
        let known = recorded.iter().find(|known| known.scenario == outcome.scenario);
        assert_eq!(Some(outcome), known, "scenarios/outcomes.csv; if that is meant: {RENEW}");
    }
    let gone: Vec<_> = recorded.iter().filter(|known| !all().contains(&known.scenario)).collect();
    assert!(gone.is_empty(), "outcomes of scenarios that are gone: {gone:?}; {RENEW}");
}

#[test]
fn the_guide_repeats_the_outcomes() {
    // The other test is writing it.
    if is_blessed() {
        return;
    }
    let text = std::fs::read_to_string(scenarios().join("README.md")).unwrap();
    let expected = with_outcomes(&text, &recorded_outcomes());
    for (found, expected) in text.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "scenarios/README.md; if that is meant: {RENEW}");
    }
}

/// The guide with the last columns of its tables of outcomes written again.
fn with_outcomes(guide: &str, outcomes: &[Outcome]) -> String {
    let (mut in_table, mut n_rows) = (false, 0);
    let mut written = String::new();
    for line in guide.lines() {
        in_table = (in_table || line == TABLE.0) && line != TABLE.1;
        let outcome = outcomes.iter().find(|outcome| line.contains(&format!("]({})", outcome.scenario)));
        match outcome.filter(|_| in_table) {
            Some(outcome) => {
                let (rest, _) = line.trim_end_matches(" |").rsplit_once(" | ").unwrap();
                written += &format!("{rest} | {} |\n", cell_of(outcome));
                n_rows += 1;
            }
            None => written += &format!("{line}\n"),
        }
    }
    assert_eq!(n_rows, outcomes.len() - 1, "rows of scenarios/README.md between {TABLE:?}: all but {MIXED}");
    written
}

fn cell_of(outcome: &Outcome) -> String {
    // Tasks have no end.
    if LOCKED.contains(&outcome.scenario.as_str()) {
        format!("{} orders done by tick {}, not all", outcome.orders_done, outcome.ticks)
    } else if outcome.scenario.starts_with("traffic/") && outcome.orders_done > 0 {
        format!("all done at tick {}", outcome.ticks)
    } else {
        format!("{} ticks, {} moves", outcome.ticks, outcome.moves)
    }
}
