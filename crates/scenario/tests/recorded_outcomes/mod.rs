//! `scenarios/outcomes.csv`: what the scenarios come to, measured and renewed by one command.

use std::path::{Path, PathBuf};

/// The command that writes the file again, and the result.
pub const RENEW: &str = "WHEELBASE_BLESS=1 cargo test -p wheelbase-scenario --test integration outcomes::";

/// The columns of the file, after the name.
pub const COLUMNS: &str = "scenario,ticks,orders_done,orders_unreachable,moves,state_hash";

/// The outcome of a run. The state hash covers all the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Path of the scenario from `scenarios/`.
    pub scenario: String,
    pub ticks: u32,
    pub orders_done: u64,
    pub orders_unreachable: u64,
    pub moves: u64,
    /// As `wheelbase run` prints it.
    pub state_hash: String,
}

impl Outcome {
    pub fn to_line(&self) -> String {
        let Self { scenario, ticks, orders_done, orders_unreachable, moves, state_hash } = self;
        format!("{scenario},{ticks},{orders_done},{orders_unreachable},{moves},{state_hash}")
    }

    fn of_line(line: &str) -> Self {
        let values: Vec<&str> = line.split(',').collect();
        let [scenario, ticks, orders_done, orders_unreachable, moves, state_hash] = values[..] else {
            panic!("outcomes.csv: {line}")
        };
        Self {
            scenario: scenario.to_owned(),
            ticks: ticks.parse().unwrap(),
            orders_done: orders_done.parse().unwrap(),
            orders_unreachable: orders_unreachable.parse().unwrap(),
            moves: moves.parse().unwrap(),
            state_hash: state_hash.to_owned(),
        }
    }
}

/// The folder `scenarios`.
pub fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// All recorded outcomes.
pub fn recorded_outcomes() -> Vec<Outcome> {
    let text = std::fs::read_to_string(scenarios().join("outcomes.csv")).unwrap_or_default();
    text.lines().filter(|line| *line != COLUMNS).map(Outcome::of_line).collect()
}

/// The recorded outcome of a scenario. `tests/outcomes.rs` compares it with a run.
pub fn recorded(scenario: &str) -> Outcome {
    let found = recorded_outcomes().into_iter().find(|outcome| outcome.scenario == scenario);
    found.unwrap_or_else(|| panic!("scenarios/outcomes.csv has no {scenario}: {RENEW}"))
}

/// Names of the scenarios in a folder of `scenarios`, in order.
pub fn names_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(scenarios().join(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
