//! The scenes on which mechanisms are measured: at most 250 agents each, placed by the seed.

use std::path::{Path, PathBuf};
use wheelbase_benches::crowd_scenario;
use wheelbase_grid::Rect;
use wheelbase_scenario::load;
use wheelbase_scenario::scenario::{self, Scenario};
use wheelbase_sim::{Command, EventKind, ReplanParams, RunResult, RunState, TickTimes, TrafficParams, World};

/// A scene, before its seed, its ticks and its parameters are set.
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: &'static str,
    scenario: Scenario,
    /// Each agent is removed at the tick after its order is done.
    done_leave: bool,
}

/// What a run comes to.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Share of the single-agent bound, in permille.
    pub progress: u64,
    /// No order is left, no edit is pending, and nobody has waited for half of the ticks.
    pub solved: bool,
    pub longest_wait: u32,
    /// Processor time of the steps, in seconds.
    pub cpu_s: f64,
    pub state_hash: u64,
}

impl Scene {
    /// All scenes.
    /// # Errors
    /// A scenario cannot be read, in words.
    pub fn all() -> Result<Vec<Self>, String> {
        let file = |name, file: &str, replaced: Option<(&str, &str)>| -> Result<Self, String> {
            let path = folder().join(file);
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let text = replaced.map_or_else(|| text.clone(), |(from, to)| text.replace(from, to));
            let scenario = scenario::parse(file, text.as_bytes()).map_err(|error| error.to_string())?;
            Ok(Self { name, scenario, done_leave: false })
        };
        let crowd = |name, kind, agents, side| -> Result<Self, String> {
            let scenario = crowd_scenario(kind, agents, side, Rect::new(0, 0, side, side))?;
            Ok(Self { name, scenario, done_leave: false })
        };
        Ok(vec![
            file("bridge 5", "14_bridge_5.toml", None)?,
            file("bridge closes", "17_bridge_closes.toml", None)?,
            file("gate", "6_gate.toml", Some(("count = 60", "count = 40")))?,
            crowd("base", "base", 100, 128)?,
            crowd("rooms", "rooms", 60, 128)?,
            crowd("open crowd", "open", 80, 64)?,
            file("goal on bridge", "12_goal_on_bridge.toml", None)?,
            Self { done_leave: true, ..file("no reverse", "18_no_reverse_open.toml", None)? },
        ])
    }

    /// Runs the scene for some ticks at most, on the present thread.
    /// # Errors
    /// The scenario cannot be built, in words.
    pub fn run(
        &self,
        (seed, ticks): (u64, u32),
        (traffic, replan): (TrafficParams, ReplanParams),
    ) -> Result<Outcome, String> {
        let typed = Scenario { seed, ticks, traffic, replan, ..self.scenario.clone() };
        let mut world = load::build_world(&folder(), &typed).map_err(|error| error.to_string())?;
        let before = cpu_s();
        while world.step() == RunState::Running {
            if self.done_leave {
                remove_done(&mut world);
            }
        }
        let cpu_s = cpu_s() - before;
        let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
        let longest_wait = result.longest_wait_ticks;
        Ok(Outcome {
            progress: result.progress_permille.unwrap_or(0),
            solved: result.orders_left == 0 && result.edits_pending == 0 && longest_wait < ticks / 2,
            longest_wait,
            cpu_s,
            state_hash: world.state_hash(),
        })
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/traffic")
}

/// Removes the agents whose order was done at the last tick.
fn remove_done(world: &mut World) {
    let events = world.events().iter().filter(|event| event.kind() == Some(EventKind::OrderDone));
    let done: Vec<_> = events.filter_map(|event| event.agent()).collect();
    for agent in done {
        world.command(Command::remove(agent));
    }
}

/// Processor time of the present thread in seconds; where the system does not say, 0.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = stat.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    ns.unwrap_or_default() / 1e9
}
