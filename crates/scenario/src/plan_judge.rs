//! Judges plans of the League of Robot Runners, 2023: a small replay by the rules of the competition.
//!
//! Independent of the simulation: it shares the reader of problems, but no classes, tables, occupancy or tasks. Cells
//! are numbers; headings count clockwise from east.

use crate::json_error::JsonError;
use crate::load::LoadedProblem;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use wheelbase_grid::Cell;

/// Violations that a verdict lists; further ones are only counted.
const VIOLATIONS_KEPT: usize = 20;

/// The keys of a plan that are judged; others are ignored.
#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the names are the competition's")]
struct Plan<'a> {
    teamSize: Option<u64>,
    start: Option<Vec<(i64, i64, String)>>,
    numTaskFinished: Option<u64>,
    makespan: Option<u64>,
    #[serde(borrow)]
    actualPaths: Vec<Cow<'a, str>>,
}

/// The verdict on a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlanVerdict {
    /// Agents of the plan.
    pub agents: usize,
    /// Steps replayed.
    pub steps: usize,
    /// Tasks finished.
    pub tasks_finished: u64,
    /// The first violations.
    #[serde(skip)]
    pub violations: Vec<PlanViolation>,
    /// Number of all violations.
    pub n_violations: u64,
}

/// A violation of the rules by a plan, or a false statement of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "violation", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PlanViolation {
    /// A number of the plan is wrong.
    Number {
        /// Its key.
        key: &'static str,
        /// The number in the plan.
        found: u64,
        /// The correct number.
        expected: u64,
    },
    /// An agent does not start at its cell in the problem.
    Start {
        /// The agent.
        agent: usize,
    },
    /// A path is longer or shorter than that of the first agent.
    Length {
        /// The agent.
        agent: usize,
        /// Its steps.
        found: usize,
        /// Steps of the first agent.
        expected: usize,
    },
    /// A step is none of `F`, `R`, `C`, `W`.
    Action {
        /// The agent.
        agent: usize,
        /// The step, from 0.
        step: usize,
        /// The text of the step, shortened.
        found: String,
    },
    /// An agent leaves the map or enters a blocked cell.
    Blocked {
        /// The agent.
        agent: usize,
        /// The step, from 0.
        step: usize,
    },
    /// Two agents are in one cell after a step.
    Vertex {
        /// The agents.
        agents: [usize; 2],
        /// The step, from 0.
        step: usize,
        /// The cell.
        cell: u32,
    },
    /// Two agents exchange their cells in a step.
    Edge {
        /// The agents.
        agents: [usize; 2],
        /// The step, from 0.
        step: usize,
    },
}

impl fmt::Display for PlanViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { key, found, expected } => write!(f, "{key}: expected {expected}, found {found}"),
            Self::Start { agent } => {
                write!(f, "start[{agent}]: expected the start of agent {agent} in the problem")
            }
            Self::Length { agent, found, expected } => {
                write!(f, "actualPaths[{agent}]: expected {expected} steps as for agent 0, found {found}")
            }
            Self::Action { agent, step, found } => {
                write!(f, "actualPaths[{agent}]: step {step}: expected F, R, C or W, found {found:?}")
            }
            Self::Blocked { agent, step } => write!(f, "step {step}: agent {agent} moves off the free cells"),
            Self::Vertex { agents: [a, b], step, cell } => {
                write!(f, "step {step}: agents {a} and {b} both enter cell {cell}")
            }
            Self::Edge { agents: [a, b], step } => {
                write!(f, "step {step}: agents {a} and {b} exchange their cells")
            }
        }
    }
}

/// Judges a plan, the text of a JSON file. Linear in agents times steps.
/// # Errors
/// [`JsonError`] if the text is not a plan.
pub fn judge_plan(problem: &LoadedProblem, text: &[u8]) -> Result<PlanVerdict, JsonError> {
    let plan: Plan<'_> = serde_json::from_slice(text).map_err(|error| JsonError::of(&error))?;
    let mut replay = Replay::new(problem);
    replay.check_head(&plan);
    let paths: Vec<Vec<&str>> = plan.actualPaths.iter().map(|path| steps_of(path)).collect();
    let n_steps = paths.first().map_or(0, Vec::len);
    replay.check_number("makespan", plan.makespan, n_steps as u64);
    for (agent, path) in paths.iter().enumerate().filter(|(_, path)| path.len() != n_steps) {
        replay.add(PlanViolation::Length { agent, found: path.len(), expected: n_steps });
    }
    for step in 0..n_steps {
        replay.step(step, &paths);
    }
    let tasks_finished = replay.n_finished;
    replay.check_number("numTaskFinished", plan.numTaskFinished, tasks_finished);
    let Replay { violations, n_violations, .. } = replay;
    Ok(PlanVerdict { agents: paths.len(), steps: n_steps, tasks_finished, violations, n_violations })
}

/// The actions of each agent of a plan: `F`, `R`, `C` or `W`; any other is a `W`.
/// # Errors
/// [`JsonError`] if the text is not a plan.
pub(crate) fn actions_of(text: &[u8]) -> Result<Vec<Vec<u8>>, JsonError> {
    let plan: Plan<'_> = serde_json::from_slice(text).map_err(|error| JsonError::of(&error))?;
    let action = |step: &str| match step.as_bytes() {
        &[action @ (b'F' | b'R' | b'C')] => action,
        _ => b'W',
    };
    Ok(plan.actualPaths.iter().map(|path| steps_of(path).into_iter().map(action).collect()).collect())
}

/// The steps of a path: letters separated by commas; none if the path is empty.
fn steps_of(path: &str) -> Vec<&str> {
    if path.is_empty() { Vec::new() } else { path.split(',').collect() }
}

/// A replay of a plan.
struct Replay<'a> {
    problem: &'a LoadedProblem,
    cells: Vec<Cell>,
    /// Clockwise from east.
    headings: Vec<u8>,
    /// Number of tasks that each agent has finished; its current task is the next one.
    done: Vec<u64>,
    n_finished: u64,
    violations: Vec<PlanViolation>,
    n_violations: u64,
    /// The agent that has entered each cell in this step.
    entered: BTreeMap<Cell, usize>,
    /// The agent in each cell before the step.
    left: BTreeMap<Cell, usize>,
}

impl<'a> Replay<'a> {
    fn new(problem: &'a LoadedProblem) -> Self {
        let n = problem.starts.len();
        Self {
            problem,
            cells: problem.starts.clone(),
            headings: vec![0; n],
            done: vec![0; n],
            n_finished: 0,
            violations: Vec::new(),
            n_violations: 0,
            entered: BTreeMap::new(),
            left: BTreeMap::new(),
        }
    }

    fn add(&mut self, violation: PlanViolation) {
        self.n_violations += 1;
        if self.violations.len() < VIOLATIONS_KEPT {
            self.violations.push(violation);
        }
    }

    fn check_number(&mut self, key: &'static str, found: Option<u64>, expected: u64) {
        if let Some(found) = found.filter(|&found| found != expected) {
            self.add(PlanViolation::Number { key, found, expected });
        }
    }

    fn check_head(&mut self, plan: &Plan<'_>) {
        let team = self.cells.len() as u64;
        self.check_number("teamSize", plan.teamSize, team);
        self.check_number("actualPaths", Some(plan.actualPaths.len() as u64), team);
        let width = i64::from(self.problem.grid.size().width());
        let Some(starts) = &plan.start else { return };
        self.check_number("start", Some(starts.len() as u64), team);
        for (agent, (row, column, heading)) in starts.iter().enumerate().take(self.cells.len()) {
            let cell = i64::from(self.cells[agent].0);
            if (*row, *column) != (cell / width, cell % width) || heading != "E" {
                self.add(PlanViolation::Start { agent });
            }
        }
    }

    /// Replays a step of all agents. The agent of an illegal action waits.
    fn step(&mut self, step: usize, paths: &[Vec<&str>]) {
        let before = self.cells.clone();
        for agent in 0..self.cells.len() {
            match paths.get(agent).and_then(|path| path.get(step)).copied() {
                Some("F") => match self.ahead(agent) {
                    Some(cell) => self.cells[agent] = cell,
                    None => self.add(PlanViolation::Blocked { agent, step }),
                },
                Some("R") => self.headings[agent] = (self.headings[agent] + 1) % 4,
                Some("C") => self.headings[agent] = (self.headings[agent] + 3) % 4,
                // A path that is too short or missing has been reported.
                Some("W") | None => {}
                Some(other) => {
                    let found = other.chars().take(20).collect();
                    self.add(PlanViolation::Action { agent, step, found });
                }
            }
        }
        self.find_collisions(step, &before);
        for agent in 0..self.cells.len() {
            if self.cells[agent] == self.task_of(agent) {
                self.done[agent] += 1;
                self.n_finished += 1;
            }
        }
    }

    /// The free cell ahead of an agent.
    fn ahead(&self, agent: usize) -> Option<Cell> {
        let grid = &self.problem.grid;
        let (width, height) = (grid.size().width(), grid.size().height());
        let Cell(cell) = self.cells[agent];
        let (column, row) = (cell % width, cell / width);
        let ahead = match self.headings[agent] {
            0 => (column + 1 < width).then(|| cell + 1),
            1 => (row + 1 < height).then(|| cell + width),
            2 => (column > 0).then(|| cell - 1),
            _ => (row > 0).then(|| cell - width),
        }?;
        let kind = grid.terrain()[ahead as usize];
        (grid.terrain_table()[kind].speed > 0).then_some(Cell(ahead))
    }

    /// The cell of an agent's current task.
    fn task_of(&self, agent: usize) -> Cell {
        let tasks = &self.problem.tasks;
        let at = self.done[agent] * self.cells.len() as u64 + agent as u64;
        tasks[(at % tasks.len() as u64) as usize]
    }

    fn find_collisions(&mut self, step: usize, before: &[Cell]) {
        self.left = before.iter().copied().zip(0..).collect();
        self.entered.clear();
        for (agent, &was_at) in before.iter().enumerate() {
            let cell = self.cells[agent];
            if let Some(first) = self.entered.insert(cell, agent) {
                self.add(PlanViolation::Vertex { agents: [first, agent], step, cell: cell.0 });
            }
            let other = self.left.get(&cell).copied().filter(|&other| other < agent && was_at != cell);
            if let Some(other) = other.filter(|&other| self.cells[other] == was_at) {
                self.add(PlanViolation::Edge { agents: [other, agent], step });
            }
        }
    }
}
