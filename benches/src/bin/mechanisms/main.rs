//! Measures the worth of each mechanism and each tunable of the cooperative rule. All scenarios of a folder are run
//! with the default parameters and with each change in turn, with the same seeds.
//!
//! `cargo run --release -p wheelbase-benches --bin mechanisms --`, then
//! `FOLDER [--seeds N] [--ticks N] [--only NAME] [--tunables]`. The defaults are 2 seeds and the ticks of each
//! scenario; `--ticks` limits the ticks. Prints a table of mechanisms left out, or of tunables at half and at twice
//! their default value. Two runs at a time use two cores, each on one thread. A hash of all runs comes last, so that
//! two machines can be compared.

#![forbid(unsafe_code)]

mod mechanism;
mod scene;

use mechanism::Change;
use scene::{Outcome, Scene};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use wheelbase_sim::{ReplanParams, TrafficParams};

const USAGE: &str = "usage: mechanisms FOLDER [--seeds N] [--ticks N] [--only NAME] [--tunables]; whole numbers from 1, by \
                     default 2 and the ticks of each scenario; only changes whose name contains NAME are run";

/// The request of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Arguments {
    folder: PathBuf,
    seeds: u64,
    ticks: u32,
    only: String,
    tunables: bool,
}

impl Arguments {
    fn parse(arguments: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut arguments = arguments.into_iter();
        let folder = arguments.next().filter(|folder| !folder.starts_with("--"))?.into();
        let mut parsed = Self { folder, seeds: 2, ticks: u32::MAX, only: String::new(), tunables: false };
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--tunables" => parsed.tunables = true,
                "--seeds" => parsed.seeds = arguments.next()?.parse().ok().filter(|&seeds| seeds > 0)?,
                "--ticks" => parsed.ticks = arguments.next()?.parse().ok().filter(|&ticks| ticks > 0)?,
                "--only" => parsed.only = arguments.next()?,
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
    match measure(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let scenes = Scene::all(&arguments.folder)?;
    let mut changes = if arguments.tunables { Change::tunables() } else { Change::mechanisms() };
    changes.retain(|change| change.name.contains(&arguments.only));
    if scenes.is_empty() || changes.is_empty() {
        return Err("no scenario in that folder, or nothing has that in its name".to_owned());
    }
    let with = run_all("as usual", &scenes, arguments, (TrafficParams::USUAL, ReplanParams::USUAL))?;
    print_scenes(&scenes, &with, arguments.seeds as usize);
    println!("\n| left out or changed | by | carried | worst scene | stuck | orders left | CPU |");
    println!("|---|---|---|---|---|---|---|");
    let mut hashes: Vec<u64> = with.iter().map(|run| run.state_hash).collect();
    for change in &changes {
        let without = run_all(&change.name, &scenes, arguments, change.params()?)?;
        hashes.extend(without.iter().map(|run| run.state_hash));
        print_change(change, &scenes, &Pairs { with: with.clone(), without }, arguments.seeds as usize);
    }
    let hash = hashes.iter().fold(0_u64, |hash, run| hash.rotate_left(7) ^ run);
    println!("\nhash of {} runs: {hash:016x}", hashes.len());
    Ok(())
}

/// Runs of all scenes with all seeds, scene by scene; as many in parallel as there are cores.
fn run_all(
    name: &str,
    scenes: &[Scene],
    arguments: &Arguments,
    params: (TrafficParams, ReplanParams),
) -> Result<Vec<Outcome>, String> {
    let seeds = arguments.seeds as usize;
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(vec![None; scenes.len() * seeds]));
    let work = || -> Result<(), String> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(scene) = scenes.get(at / seeds) else { return Ok(()) };
            let seed = 1 + (at % seeds) as u64;
            let run = || scene.run(&arguments.folder, (seed, arguments.ticks), params);
            let outcome = pool.install(run).map_err(|why| format!("{}: {why}", scene.name))?;
            outcomes.lock().map_err(|error| error.to_string())?[at] = Some(outcome);
        }
    };
    let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a run panicked".to_owned())?)
    })?;
    let outcomes: Vec<Outcome> =
        outcomes.into_inner().map_err(|error| error.to_string())?.into_iter().flatten().collect();
    let cpu_s: f64 = outcomes.iter().map(|outcome| outcome.cpu_s).sum();
    eprintln!("{name}: {cpu_s:.1} s");
    Ok(outcomes)
}

/// The same runs as usual and with a change.
struct Pairs {
    with: Vec<Outcome>,
    without: Vec<Outcome>,
}

impl Pairs {
    /// What the change adds to a figure, pair by pair.
    fn gains(&self, of: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        self.with.iter().zip(&self.without).map(|(with, without)| of(without) - of(with)).collect()
    }

    /// Processor time with the change for one second as usual.
    fn cpu_ratio(&self) -> f64 {
        let total = |runs: &[Outcome]| runs.iter().map(|run| run.cpu_s).sum::<f64>();
        total(&self.without) / total(&self.with)
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

/// The scenes with the usual parameters.
fn print_scenes(scenes: &[Scene], with: &[Outcome], seeds: usize) {
    println!("| scene | carried | stuck | orders left | longest wait | CPU s a run |");
    println!("|---|---|---|---|---|---|");
    for (scene, runs) in scenes.iter().zip(with.chunks(seeds)) {
        let of = |of: fn(&Outcome) -> f64| mean(&runs.iter().map(of).collect::<Vec<_>>());
        let longest_wait = runs.iter().map(|run| run.longest_wait).max().unwrap_or(0);
        println!(
            "| {} | {:.0} | {:.0} | {:.0} | {longest_wait} | {:.2} |",
            scene.name,
            of(|run| run.carried as f64),
            of(|run| run.stuck as f64),
            of(|run| run.left as f64),
            of(|run| run.cpu_s)
        );
    }
}

/// A row of the table of changes.
fn print_change(change: &Change, scenes: &[Scene], pairs: &Pairs, seeds: usize) {
    let carried = pairs.gains(|run| run.carried as f64);
    let by_scene = scenes.iter().zip(carried.chunks(seeds).map(mean));
    let worst = by_scene.min_by(|one, other| one.1.total_cmp(&other.1));
    let worst = worst.map_or(String::new(), |(scene, gain)| format!("{} {gain:+.0}", scene.name));
    println!(
        "| {} | {} | {:+.1} ± {:.1} | {worst} | {:+.1} | {:+.1} | {:.2} |",
        change.name,
        change.tuned(),
        mean(&carried),
        standard_error(&carried),
        mean(&pairs.gains(|run| run.stuck as f64)),
        mean(&pairs.gains(|run| run.left as f64)),
        pairs.cpu_ratio()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<Arguments> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read() {
        let given = parsed("scenes --seeds 3 --only LNS --ticks 50 --tunables").unwrap();
        let (folder, only) = ("scenes".into(), "LNS".to_owned());
        assert_eq!(given, Arguments { folder, seeds: 3, ticks: 50, only, tunables: true });
        for wrong in ["", "--seeds 1", "a --seeds 0", "a --ticks", "a --ticks many", "a b", "a --seed 3"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    /// The changes have distinct values, and each tunable of the rule is in one of them.
    #[test]
    fn every_change_is_one() {
        let changes = [Change::mechanisms(), Change::tunables()].concat();
        let usual = (TrafficParams::USUAL, ReplanParams::USUAL);
        for change in &changes {
            assert_ne!(change.params().unwrap(), usual, "{}", change.name);
        }
        for tunable in TrafficParams::tunables().iter().filter(|tunable| !tunable.name.starts_with("robot_"))
        {
            assert!(changes.iter().any(|change| change.name == tunable.name), "{}", tunable.name);
        }
    }

    #[test]
    fn a_folder_is_run_alike_each_time() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenarios/traffic");
        let mut scenes = Scene::all(&folder).unwrap();
        assert!(scenes.len() > 10);
        scenes.truncate(3);
        let arguments = Arguments { folder, seeds: 2, ticks: 60, only: String::new(), tunables: false };
        let hashes = || {
            let runs = run_all("", &scenes, &arguments, (TrafficParams::USUAL, ReplanParams::USUAL)).unwrap();
            runs.iter().map(|run| run.state_hash).collect::<Vec<_>>()
        };
        assert_eq!(hashes(), hashes());
    }

    #[test]
    fn gains_are_those_with_the_change_less_those_as_usual() {
        let run =
            |carried| Outcome { carried, stuck: 0, left: 0, longest_wait: 7, cpu_s: 2.0, state_hash: 0 };
        let pairs =
            Pairs { with: vec![run(499), run(508), run(517)], without: vec![run(500), run(510), run(520)] };
        let gains = pairs.gains(|run| run.carried as f64);
        assert_eq!((mean(&gains), gains.as_slice()), (2.0, &[1.0, 2.0, 3.0][..]));
        assert!((standard_error(&gains) - 3_f64.sqrt().recip()).abs() < 1e-12);
        assert!((pairs.cpu_ratio() - 1.0).abs() < 1e-12);
    }
}
