//! The scenes on which mechanisms are measured: all scenarios of a folder.

use std::path::Path;
use wheelbase_scenario::load;
use wheelbase_scenario::scenario::{self, Scenario};
use wheelbase_sim::{ReplanParams, RunResult, RunState, TickTimes, TrafficParams};

/// A scenario with its name, before its seed, its ticks and its parameters are set.
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: String,
    scenario: Scenario,
}

/// What a run comes to.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Lone time of all finished trips, in thousandths of agents times ticks. In a scene that ends, half is the share
    /// of orders done and half the ticks left, in thousandths.
    pub carried: u64,
    pub stuck: u64,
    pub left: u64,
    pub longest_wait: u32,
    /// Processor time of the steps, in seconds.
    pub cpu_s: f64,
    pub state_hash: u64,
}

impl Scene {
    /// All scenarios of a folder, by name.
    /// # Errors
    /// The folder or one of them cannot be read, in words.
    pub fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let at = |error: std::io::Error| format!("{}: {error}", folder.display());
        let files = std::fs::read_dir(folder).map_err(at)?.collect::<Result<Vec<_>, _>>().map_err(at)?;
        let mut files: Vec<_> = files.into_iter().map(|file| file.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
        files.sort();
        let scene = |file: &std::path::PathBuf| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let scenario = scenario::parse(&name, &text).map_err(|error| error.to_string())?;
            Ok(Self { name, scenario })
        };
        files.iter().map(scene).collect()
    }

    /// Runs the scene for its ticks, or as many at most, on the present thread.
    /// # Errors
    /// The scenario cannot be built, in words.
    pub fn run(
        &self,
        folder: &Path,
        (seed, ticks): (u64, u32),
        (traffic, replan): (TrafficParams, ReplanParams),
    ) -> Result<Outcome, String> {
        let ticks = self.scenario.ticks.min(ticks);
        let typed = Scenario { seed, ticks, traffic, replan, ..self.scenario.clone() };
        let mut world = load::build_world(folder, &typed).map_err(|error| error.to_string())?;
        let before = cpu_s();
        while world.step() == RunState::Running {}
        let cpu_s = cpu_s() - before;
        let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
        let (done, left) = (result.orders_done, result.orders_left);
        // A run that ends early leaves the rest of its ticks over.
        let carried = match done + left {
            0 => result.carried_permille.unwrap_or(0),
            orders => 500 * done / orders + u64::from(500 * (ticks - result.ticks) / ticks.max(1)),
        };
        Ok(Outcome {
            carried,
            stuck: result.stuck_agents,
            left,
            longest_wait: result.longest_wait_ticks,
            cpu_s,
            state_hash: world.state_hash(),
        })
    }
}

/// Processor time of the present thread in seconds; where the system does not say, 0.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = stat.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    ns.unwrap_or_default() / 1e9
}
