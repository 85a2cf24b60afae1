//! Hard cases of traffic, each run with eight seeds, and bounds on the worst and on the median of the eight.

use crate::common::on_threads;
use crate::recorded_outcomes::scenarios;
use wheelbase_scenario::{load, scenario};
use wheelbase_sim::{Command, EventKind, RunResult, RunState, TickTimes, World, invariant};

/// Ticks between two checks that no agents overlap. `tests/outcomes.rs` checks the seeds of the files at every tick.
const CHECK_TICKS: u32 = 50;

/// One case: a scenario, how long it runs, and whether agents leave.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the file in `scenarios/traffic`, for its folder and for messages.
    pub name: String,
    pub text: String,
    /// Takes the place of the ticks of the file.
    pub ticks: u32,
    /// Each agent is removed at the tick after its order is done.
    pub done_leave: bool,
}

impl Case {
    /// The case of a file, run for as long as the file says.
    pub fn of(name: &str) -> Self {
        let text = std::fs::read_to_string(scenarios().join("traffic").join(name)).unwrap();
        let ticks = scenario::parse(name, text.as_bytes()).unwrap().ticks;
        Self { name: name.to_owned(), text, ticks, done_leave: false }
    }

    #[must_use]
    pub fn ticks(self, ticks: u32) -> Self {
        Self { ticks, ..self }
    }

    #[must_use]
    pub fn done_leave(self) -> Self {
        Self { done_leave: true, ..self }
    }

    /// Runs the case with seeds 1 to 8 and holds what comes out to bounds. Prints the figures, for `-- --nocapture`.
    pub fn holds(&self, bounds: &Bounds) {
        let results: Vec<RunResult> = (1..=8).map(|seed| on_threads(1, || self.run(seed))).collect();
        let figure = |of: fn(&RunResult) -> u64| results.iter().map(of).collect::<Vec<_>>();
        let done = figure(|result| result.tasks_done + result.orders_done);
        let wait = figure(|result| result.longest_wait_ticks.into());
        let left = figure(|result| result.orders_left);
        let pending = figure(|result| result.edits_pending);
        let ticks = figure(|result| result.ticks.into());
        println!(
            "{} | {} | {} | {} | {} | {}",
            self.name,
            least(&done),
            most(&wait),
            most(&left),
            most(&ticks),
            most(&pending).worst
        );
        let Self { name, .. } = self;
        assert!(least(&done).is_at_least(bounds.done), "{name}: done {done:?}, at least {}", bounds.done);
        assert!(most(&wait).is_at_most(bounds.wait), "{name}: waits {wait:?}, at most {}", bounds.wait);
        assert!(most(&left).is_at_most(bounds.left), "{name}: left {left:?}, at most {}", bounds.left);
        assert!(most(&ticks).is_at_most(bounds.ticks), "{name}: ticks {ticks:?}, at most {}", bounds.ticks);
        assert_eq!(pending, [0; 8], "{name}: edits pending");
    }

    fn run(&self, seed: u64) -> RunResult {
        let path = scenarios().join("traffic").join(&self.name);
        let mut typed = scenario::parse(&self.name, self.text.as_bytes()).unwrap();
        (typed.seed, typed.ticks) = (seed, self.ticks);
        let mut world = load::build_world(&path, &typed).unwrap();
        loop {
            let step = world.step();
            if self.done_leave {
                remove_done(&mut world);
            }
            if step == RunState::Ended || world.tick().is_multiple_of(CHECK_TICKS) {
                assert_eq!(invariant::check(&world), [], "{}, seed {seed}, tick {}", self.name, world.tick());
            }
            if step == RunState::Ended {
                return RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
            }
        }
    }
}

/// Removes the agents whose order was done at the last tick.
fn remove_done(world: &mut World) {
    let events = world.events().iter().filter(|event| event.kind() == Some(EventKind::OrderDone));
    let done: Vec<_> = events.filter_map(|event| event.agent()).collect();
    for agent in done {
        world.command(Command::remove(agent));
    }
}

/// The worst of eight figures, and their median: of the two in the middle the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfEight {
    pub worst: u64,
    pub median: u64,
}

impl std::fmt::Display for OfEight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.worst, self.median)
    }
}

impl OfEight {
    fn is_at_least(self, bound: Self) -> bool {
        self.worst >= bound.worst && self.median >= bound.median
    }

    fn is_at_most(self, bound: Self) -> bool {
        self.worst <= bound.worst && self.median <= bound.median
    }
}

/// Worst and median.
pub const fn of_eight(worst: u64, median: u64) -> OfEight {
    OfEight { worst, median }
}

/// Of figures of which more are better.
fn least(figures: &[u64]) -> OfEight {
    let sorted = sorted(figures);
    of_eight(sorted[0], sorted[3])
}

/// Of figures of which fewer are better.
fn most(figures: &[u64]) -> OfEight {
    let sorted = sorted(figures);
    of_eight(sorted[7], sorted[4])
}

fn sorted(figures: &[u64]) -> [u64; 8] {
    let mut sorted: [u64; 8] = figures.try_into().unwrap();
    sorted.sort_unstable();
    sorted
}

/// Bounds on the eight runs of a case; no edit may be pending at the end of any.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Tasks and orders done, at least.
    pub done: OfEight,
    /// Longest wait in ticks, at most.
    pub wait: OfEight,
    /// Orders left, at most.
    pub left: OfEight,
    /// Ticks until nothing is left to do, at most.
    pub ticks: OfEight,
}

impl Bounds {
    /// Of tasks without end.
    pub const fn of_tasks(done: OfEight, wait: OfEight) -> Self {
        let never = of_eight(u64::MAX, u64::MAX);
        Self { done, wait, left: of_eight(0, 0), ticks: never }
    }
}
