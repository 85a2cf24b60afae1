//! What each mechanism of the cooperative rule pays: every scene is run with the usual parameters and with each
//! mechanism left out in turn, with the same seeds.
//!
//! `cargo run --release -p wheelbase-benches --bin mechanisms -- [--seeds N] [--ticks N] [--only MECHANISM]
//! [--scenario SCENE]` (default 4 seeds and 3,000 ticks; names by a part of them). Prints the tables of
//! `docs/traffic.md`. One thread; a hash of all runs comes last, so that two machines can be compared.

#![forbid(unsafe_code)]

mod mechanism;
mod scene;

use mechanism::{MECHANISMS, Mechanism};
use scene::{Outcome, Scene};
use std::process::ExitCode;
use wheelbase_sim::{ReplanParams, TrafficParams};

const USAGE: &str = "usage: mechanisms [--seeds N] [--ticks N] [--only MECHANISM] [--scenario SCENE]; whole numbers \
                     from 1, by default 4 and 3000; only mechanisms and scenes whose name contains the text are run";

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Arguments {
    seeds: u64,
    ticks: u32,
    only: String,
    scenario: String,
}

impl Arguments {
    fn parse(arguments: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut parsed = Self { seeds: 4, ticks: 3_000, only: String::new(), scenario: String::new() };
        let mut arguments = arguments.into_iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next()?;
            match name.as_str() {
                "--seeds" => parsed.seeds = value.parse().ok().filter(|&seeds| seeds > 0)?,
                "--ticks" => parsed.ticks = value.parse().ok().filter(|&ticks| ticks > 0)?,
                "--only" => parsed.only = value,
                "--scenario" => parsed.scenario = value,
                _ => return None,
            }
        }
        Some(parsed)
    }
}

fn main() -> ExitCode {
    let Some(arguments) = Arguments::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    match pool.install(|| measure(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let scenes = Scene::all()?;
    let scenes: Vec<Scene> =
        scenes.into_iter().filter(|scene| scene.name.contains(&arguments.scenario)).collect();
    let mechanisms = MECHANISMS.iter().filter(|mechanism| mechanism.name.contains(&arguments.only));
    let mechanisms: Vec<Mechanism> = mechanisms.copied().collect();
    if scenes.is_empty() || mechanisms.is_empty() {
        return Err("no scene, or no mechanism, has that in its name".to_owned());
    }
    let with = run_all("all", &scenes, arguments, (TrafficParams::USUAL, ReplanParams::USUAL))?;
    print_scenes(&scenes, &with, arguments.seeds as usize);
    println!(
        "\n| mechanism | left out by | progress, permille | solved only with, without | longest wait | CPU |"
    );
    println!("|---|---|---|---|---|---|");
    let mut pairs = Vec::new();
    for mechanism in &mechanisms {
        let without = run_all(mechanism.name, &scenes, arguments, mechanism.left_out()?)?;
        pairs.push(Pairs { with: with.clone(), without });
        print_gains(mechanism, &pairs[pairs.len() - 1]);
    }
    print_gains_by_scene(&scenes, &mechanisms, &pairs, arguments.seeds as usize);
    let runs = with.iter().chain(pairs.iter().flat_map(|pairs| &pairs.without));
    let hash = runs.fold(0_u64, |hash, run| hash.rotate_left(7) ^ run.state_hash);
    println!("\nhash of {} runs: {hash:016x}", with.len() * (1 + pairs.len()));
    Ok(())
}

/// Runs of all scenes with all seeds, scene by scene.
fn run_all(
    name: &str,
    scenes: &[Scene],
    arguments: &Arguments,
    params: (TrafficParams, ReplanParams),
) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for scene in scenes {
        for seed in 1..=arguments.seeds {
            outcomes.push(scene.run((seed, arguments.ticks), params)?);
        }
    }
    let cpu_s: f64 = outcomes.iter().map(|outcome| outcome.cpu_s).sum();
    eprintln!("{name}: {cpu_s:.1} s");
    Ok(outcomes)
}

/// The same runs with and without a mechanism.
struct Pairs {
    with: Vec<Outcome>,
    without: Vec<Outcome>,
}

impl Pairs {
    /// What the mechanism adds to a figure, pair by pair.
    fn gains(&self, of: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        self.with.iter().zip(&self.without).map(|(with, without)| of(with) - of(without)).collect()
    }

    fn progress_gains(&self) -> Vec<f64> {
        self.gains(|outcome| outcome.progress as f64)
    }

    /// Pairs of which only the run with the mechanism is solved, and only the one without.
    fn solved_by_one(&self) -> [usize; 2] {
        let solved =
            || self.with.iter().zip(&self.without).map(|(with, without)| (with.solved, without.solved));
        [(true, false), (false, true)].map(|one| solved().filter(|&pair| pair == one).count())
    }

    /// Processor time with the mechanism for one second without.
    fn cpu_ratio(&self) -> f64 {
        let total = |runs: &[Outcome]| runs.iter().map(|run| run.cpu_s).sum::<f64>();
        total(&self.with) / total(&self.without)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard error of the mean; 0 of a single value.
fn standard_error(values: &[f64]) -> f64 {
    let (mean, n) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 }
}

/// The scenes with all mechanisms.
fn print_scenes(scenes: &[Scene], with: &[Outcome], seeds: usize) {
    println!("| scene | progress, permille | solved | longest wait | CPU s a run |");
    println!("|---|---|---|---|---|");
    for (scene, runs) in scenes.iter().zip(with.chunks(seeds)) {
        let of = |of: fn(&Outcome) -> f64| mean(&runs.iter().map(of).collect::<Vec<_>>());
        let n_solved = runs.iter().filter(|run| run.solved).count();
        let longest_wait = runs.iter().map(|run| run.longest_wait).max().unwrap_or(0);
        println!(
            "| {} | {:.0} | {n_solved} of {seeds} | {longest_wait} | {:.2} |",
            scene.name,
            of(|run| run.progress as f64),
            of(|run| run.cpu_s)
        );
    }
}

/// A row of the table of mechanisms.
fn print_gains(mechanism: &Mechanism, pairs: &Pairs) {
    let progress = pairs.progress_gains();
    let [only_with, only_without] = pairs.solved_by_one();
    println!(
        "| {} | {} | {:+.1} ± {:.1} | {only_with}, {only_without} | {:+.0} | {:.2} |",
        mechanism.name,
        mechanism.tuned(),
        mean(&progress),
        standard_error(&progress),
        mean(&pairs.gains(|outcome| f64::from(outcome.longest_wait))),
        pairs.cpu_ratio()
    );
}

fn print_gains_by_scene(scenes: &[Scene], mechanisms: &[Mechanism], pairs: &[Pairs], seeds: usize) {
    let names: Vec<&str> = scenes.iter().map(|scene| scene.name).collect();
    println!("\n| progress by scene | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for (mechanism, pairs) in mechanisms.iter().zip(pairs) {
        let gains = pairs.progress_gains();
        let cells =
            gains.chunks(seeds).map(|gains| format!("{:+.0} ± {:.0}", mean(gains), standard_error(gains)));
        println!("| {} | {} |", mechanism.name, cells.collect::<Vec<_>>().join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<Arguments> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read() {
        let given = parsed("--seeds 2 --only LNS --ticks 50 --scenario base").unwrap();
        let expected = Arguments { seeds: 2, ticks: 50, only: "LNS".to_owned(), scenario: "base".to_owned() };
        assert_eq!(given, expected);
        for wrong in ["--seeds 0", "--ticks", "--ticks many", "4", "--seed 3"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    /// Each is left out by values of its own, and a run with the usual ones is the same each time.
    #[test]
    fn every_mechanism_is_left_out_on_every_scene() {
        let usual = (TrafficParams::USUAL, ReplanParams::USUAL);
        for (at, mechanism) in MECHANISMS.iter().enumerate() {
            let left_out = mechanism.left_out().unwrap();
            assert_ne!(left_out, usual, "{}", mechanism.name);
            for other in &MECHANISMS[..at] {
                assert_ne!(other.left_out().unwrap(), left_out, "{}, {}", other.name, mechanism.name);
            }
        }
        for scene in Scene::all().unwrap() {
            let hash = |params| scene.run((1, 60), params).unwrap().state_hash;
            assert_eq!(hash(usual), hash(usual), "{}", scene.name);
        }
    }

    #[test]
    fn gains_are_those_with_less_those_without() {
        let run = |progress, solved| Outcome { progress, solved, longest_wait: 7, cpu_s: 2.0, state_hash: 0 };
        let pairs = Pairs {
            with: vec![run(500, true), run(510, true), run(520, false)],
            without: vec![run(499, true), run(508, false), run(517, true)],
        };
        assert_eq!(pairs.progress_gains(), [1.0, 2.0, 3.0]);
        assert_eq!((mean(&pairs.progress_gains()), pairs.solved_by_one()), (2.0, [1, 1]));
        assert!((standard_error(&pairs.progress_gains()) - 3_f64.sqrt().recip()).abs() < 1e-12);
        assert!((pairs.cpu_ratio() - 1.0).abs() < 1e-12);
    }
}
