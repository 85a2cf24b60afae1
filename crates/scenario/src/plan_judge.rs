//! The judge of plans of the League of Robot Runners, 2023: a small replay by the competition's rules.
//!
//! It shares nothing with the simulation but the reader of problems: neither classes nor tables, nor the
//! reservation, nor tasks. Cells are numbers, headings are counted clockwise from east.

use crate::json_mistake::JsonMistake;
use crate::load::LoadedProblem;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use wheelbase_grid::Cell;

/// Violations that a verdict names; more are only counted.
const VIOLATIONS_KEPT: usize = 20;

/// What of a plan is judged; other keys of the file are not looked at.
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

/// What came of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanVerdict {
    /// Agents of the plan.
    pub agents: usize,
    /// Steps that were replayed.
    pub steps: usize,
    /// Tasks finished.
    pub tasks_finished: u64,
    /// The first violations.
    pub violations: Vec<PlanViolation>,
    /// All violations, those that are not named too.
    pub n_violations: u64,
}

/// Something that a plan must not do or say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanViolation {
    /// A number of the plan is not what it should be.
    Number {
        /// Its key.
        key: &'static str,
        /// What the plan says.
        found: u64,
        /// What would be right.
        right: u64,
    },
    /// An agent does not start where the problem says.
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
        /// Those of the first.
        right: usize,
    },
    /// A step is none of `F`, `R`, `C`, `W`.
    Action {
        /// The agent.
        agent: usize,
        /// The step, from 0.
        step: usize,
        /// What stands there, shortened.
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
        /// The two.
        agents: [usize; 2],
        /// The step, from 0.
        step: usize,
        /// The cell.
        cell: u32,
    },
    /// Two agents exchange their cells in a step.
    Edge {
        /// The two.
        agents: [usize; 2],
        /// The step, from 0.
        step: usize,
    },
}

impl fmt::Display for PlanViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { key, found, right } => write!(f, "{key}: expected {right}, found {found}"),
            Self::Start { agent } => write!(f, "start[{agent}]: not where the problem has agent {agent}"),
            Self::Length { agent, found, right } => {
                write!(f, "actualPaths[{agent}]: expected {right} steps as agent 0 has, found {found}")
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
/// What keeps the text from being a plan at all, and where.
pub fn judge_plan(problem: &LoadedProblem, text: &[u8]) -> Result<PlanVerdict, JsonMistake> {
    let plan: Plan<'_> = serde_json::from_slice(text).map_err(|error| JsonMistake::of(&error))?;
    let mut replay = Replay::new(problem);
    replay.check_head(&plan);
    let paths: Vec<Vec<&str>> = plan.actualPaths.iter().map(|path| steps_of(path)).collect();
    let n_steps = paths.first().map_or(0, Vec::len);
    replay.check_number("makespan", plan.makespan, n_steps as u64);
    for (agent, path) in paths.iter().enumerate().filter(|(_, path)| path.len() != n_steps) {
        replay.add(PlanViolation::Length { agent, found: path.len(), right: n_steps });
    }
    for step in 0..n_steps {
        replay.step(step, &paths);
    }
    let tasks_finished = replay.n_finished;
    replay.check_number("numTaskFinished", plan.numTaskFinished, tasks_finished);
    let Replay { violations, n_violations, .. } = replay;
    Ok(PlanVerdict { agents: paths.len(), steps: n_steps, tasks_finished, violations, n_violations })
}

/// The steps of a path: letters with commas between them; an empty one has none.
fn steps_of(path: &str) -> Vec<&str> {
    if path.is_empty() { Vec::new() } else { path.split(',').collect() }
}

/// A team on its way through a problem.
struct Replay<'a> {
    problem: &'a LoadedProblem,
    cells: Vec<Cell>,
    /// Clockwise from east.
    headings: Vec<u8>,
    /// How many tasks each agent has finished; the next one is its task.
    done: Vec<u64>,
    n_finished: u64,
    violations: Vec<PlanViolation>,
    n_violations: u64,
    /// By cell, who has entered it in this step.
    entered: BTreeMap<Cell, usize>,
    /// Who was in which cell before it.
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

    fn check_number(&mut self, key: &'static str, found: Option<u64>, right: u64) {
        if let Some(found) = found.filter(|&found| found != right) {
            self.add(PlanViolation::Number { key, found, right });
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

    /// Replays a step of all agents. One that may not be done is not: its agent waits.
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
                // A path that is too short or missing has been told.
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

    /// The cell of an agent's present task.
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
