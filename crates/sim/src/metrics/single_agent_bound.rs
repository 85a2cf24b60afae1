//! The single-agent bound: what each agent would do if it were alone on the map, as a bound for traffic rules.
//!
//! A single agent begins a task at the tick at which it is given and arrives exactly the cost of a cheapest path
//! later. So the bound follows from the planner alone, without running a tick.

use crate::agents::Agents;
use crate::class::WorldClass;
use crate::metrics::confined::is_confined;
use crate::order_pool::{OrderPool, OrderState};
use crate::tasks::{ReachedPoses, TaskSlot, TaskSource};
use crate::world::World;
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use wheelbase_planner::model::State;
use wheelbase_planner::search::cost_lower_bound;
use wheelbase_planner::{
    Goal, MovementTables, Path, Progress, Request, Scratch, Status, advance, begin, finish,
};
use wheelbase_traffic::motion::ClassId;

/// Expansions between two checks whether a path can still be short enough.
const EXPANSIONS_PER_CHECK: u64 = 4096;

/// Single-agent bound of one agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SingleAgentBound {
    /// Tasks done by the end of the run.
    pub tasks_done: u64,
    /// Whether it can reach fewer than [`crate::CONFINED_BELOW_POSES`] poses.
    pub confined: bool,
}

/// Why there is no single-agent bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSingleAgentBound {
    /// No agent has tasks.
    NoTasks,
    /// The run has begun: agents have met others.
    Begun {
        /// The current tick.
        tick: u32,
    },
    /// Events change the map, the agents or their orders.
    Events {
        /// Number of events.
        count: usize,
    },
    /// An agent has orders before its tasks.
    Orders {
        /// Its row.
        row: usize,
    },
    /// Tasks are handed out in turn by the rules of a problem, where an agent keeps an unreachable one.
    RoundRobin,
}

impl fmt::Display for NoSingleAgentBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTasks => write!(f, "no agent has tasks"),
            Self::Begun { tick } => write!(f, "the run is at tick {tick}; expected a run that has not begun"),
            Self::Events { count } => write!(f, "the scenario has {count} events; expected none"),
            Self::Orders { row } => write!(f, "agent {row} has orders; expected tasks alone"),
            Self::RoundRobin => {
                write!(f, "tasks are handed out in turn; expected each agent to have its own")
            }
        }
    }
}

impl std::error::Error for NoSingleAgentBound {}

/// The work of each agent if it were alone, by row: its tasks in turn until the run ends. Each begins at the tick at
/// which it is given, as with an unlimited budget of expansions. Agents without tasks do nothing. With one-way moves it
/// is a bound as well. But the tasks can differ from a run, which finds out as it goes which goals are unreachable.
///
/// Runs on the current rayon pool, with equal results for any number of threads. Asks `go_on` between tasks, and
/// returns `None` once that says no. Takes a search for each task, and the memory of a search for each worker.
/// # Errors
/// [`NoSingleAgentBound`] where there is no such bound.
pub fn single_agent_bounds(
    world: &World,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Option<Vec<SingleAgentBound>>, NoSingleAgentBound> {
    single_agent_bounds_observed(world, go_on, &|_, _| {})
}

/// [`single_agent_bounds`] that passes the path of each task done to `observe`, in no order; confined agents are left
/// out.
/// # Errors
/// [`NoSingleAgentBound`] where there is no such bound.
pub fn single_agent_bounds_observed(
    world: &World,
    go_on: &(impl Fn() -> bool + Sync),
    observe: &(impl Fn(&MovementTables, &Path) + Sync),
) -> Result<Option<Vec<SingleAgentBound>>, NoSingleAgentBound> {
    check(world)?;
    let World { agents, classes, tables, orders, settings, .. } = world;
    let inputs = BoundInputs { agents, classes, tables, orders, ticks: settings.ticks };
    let n_agents = agents.len();
    let next = AtomicUsize::new(0);
    // Workers claim agents one by one from a counter; the results are then put in order.
    let work = |_| {
        let mut worker = Worker {
            inputs: &inputs,
            scratch: Scratch::new(),
            path: Path::new(),
            reached: ReachedPoses::default(),
            found: Vec::new(),
        };
        loop {
            let row = next.fetch_add(1, Ordering::Relaxed);
            if row >= n_agents || !go_on() {
                return worker.found;
            }
            let agent = worker.run(row, go_on, observe);
            worker.found.push((row, agent));
        }
    };
    let workers = rayon::current_num_threads().max(1);
    let found: Vec<Vec<(usize, SingleAgentBound)>> =
        (0..workers).into_par_iter().with_max_len(1).map(work).collect();
    let mut alone = vec![SingleAgentBound::default(); n_agents];
    for (row, agent) in found.into_iter().flatten() {
        alone[row] = agent;
    }
    Ok(go_on().then_some(alone))
}

/// Whether there is a single-agent bound.
fn check(world: &World) -> Result<(), NoSingleAgentBound> {
    if world.tick > 0 {
        return Err(NoSingleAgentBound::Begun { tick: world.tick });
    }
    let n_commands = world.commands.later().len() + world.commands.next().len();
    if n_commands > 0 {
        return Err(NoSingleAgentBound::Events { count: n_commands });
    }
    let mut any = false;
    for row in 0..world.agents.len() {
        let state = &world.agents.orders(row);
        match world.orders.tasks(state) {
            None if world.orders.current(state).is_none() => {}
            None => return Err(NoSingleAgentBound::Orders { row }),
            Some((_, TaskSource::RoundRobin { .. })) => return Err(NoSingleAgentBound::RoundRobin),
            Some(_) => any = true,
        }
    }
    if any { Ok(()) } else { Err(NoSingleAgentBound::NoTasks) }
}

/// What the workers read of a world.
struct BoundInputs<'a> {
    agents: &'a Agents,
    classes: &'a [WorldClass],
    tables: &'a [MovementTables],
    orders: &'a OrderPool,
    ticks: u32,
}

/// A worker: its memory, and its results by row.
struct Worker<'a> {
    inputs: &'a BoundInputs<'a>,
    scratch: Scratch,
    path: Path,
    reached: ReachedPoses,
    found: Vec<(usize, SingleAgentBound)>,
}

impl Worker<'_> {
    /// The bound of an agent.
    fn run(
        &mut self,
        row: usize,
        go_on: &impl Fn() -> bool,
        observe: &impl Fn(&MovementTables, &Path),
    ) -> SingleAgentBound {
        let BoundInputs { agents, tables, orders, ticks, .. } = *self.inputs;
        let Some((mut slot, source)) = tasks_of(orders, &agents.orders(row)) else {
            return SingleAgentBound::default();
        };
        let motion = agents.motion[row];
        let tables = &tables[motion.class.0 as usize];
        let confined = is_confined(tables, motion.state, &mut self.reached);
        let mut bound = SingleAgentBound { tasks_done: 0, confined };
        let (mut state, mut tick) = (motion.state, 0);
        while tick < ticks && go_on() {
            if slot.give(source, tables, state, &mut self.reached).is_none() {
                break;
            }
            let goal = Goal { members: &slot.trip().members, within: 0 };
            match self.go(motion.class, state, goal, ticks - tick) {
                TaskResult::Done { ticks: took, end } => {
                    tick += took;
                    state = end;
                    bound.tasks_done += 1;
                    if !confined {
                        observe(tables, &self.path);
                    }
                }
                TaskResult::Unreachable => tick += 1,
                TaskResult::TooLong => break,
            }
            slot.close();
        }
        bound
    }

    /// The path from a pose to a goal within `ticks_max` ticks.
    fn go(&mut self, class: ClassId, from: State, goal: Goal<'_>, ticks_max: u32) -> TaskResult {
        let BoundInputs { classes, tables, .. } = *self.inputs;
        let (class, tables) = (&classes[usize::from(class.0)], &tables[usize::from(class.0)]);
        let start = tables.space().pose(from);
        if goal.matches(tables.class().grid_shape(), start) {
            // A task given at one tick is done at the next.
            self.path.poses.clear();
            self.path.moves.clear();
            return TaskResult::Done { ticks: 1, end: from };
        }
        let request = Request { heuristic: class.heuristic(), ..Request::new(start, goal) };
        let Self { scratch, path, .. } = self;
        let mut progress = begin(tables, &request, scratch);
        while progress == Progress::Running {
            if cost_lower_bound(scratch) > ticks_max {
                return TaskResult::TooLong;
            }
            progress = advance(tables, &request, scratch, EXPANSIONS_PER_CHECK);
        }
        let answer = finish(tables, &request, scratch, path);
        let end = path.poses.last().and_then(|end| tables.space().state(end.pose));
        match (answer.status, end) {
            (Status::Found, Some(end)) if answer.cost <= ticks_max => {
                TaskResult::Done { ticks: answer.cost, end }
            }
            (Status::Found, _) => TaskResult::TooLong,
            _ => TaskResult::Unreachable,
        }
    }
}

/// Result of a task.
enum TaskResult {
    Done {
        ticks: u32,
        end: State,
    },
    /// Its goal cannot be reached.
    Unreachable,
    /// The run ends before it is done.
    TooLong,
}

/// The tasks of an agent before the first one is given, and their source.
fn tasks_of<'a>(orders: &'a OrderPool, state: &OrderState) -> Option<(TaskSlot, &'a TaskSource)> {
    let (slot, source) = orders.tasks(state)?;
    Some((slot.clone(), source))
}
