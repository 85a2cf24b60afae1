//! Traffic rules and planners written in Python.
//!
//! A step with one of them keeps the lock of the interpreter and runs on one thread. What Python raises inside is
//! noted, the agents wait at that tick, and the call that stepped raises it.

use crate::buffer::{self, RuleRow};
use crate::error::argument;
use crate::tables::triple;
use crate::value::{list_of, numbers, shown, whole};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use wheelbase_planner::search::QueuedRequest;
use wheelbase_sim::traffic::{
    Commanded, CommandedMove, Decisions, RuleContext, RuleState, RuleStateError, StateReader, StateVisitor,
    Traffic, TrafficView, motion,
};
use wheelbase_sim::{AgentId, AgentRow, Command};

thread_local! {
    /// The first exception of a rule in the call in progress.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Notes an exception that has nowhere to go.
fn note(error: PyErr) {
    RAISED.with_borrow_mut(|raised| {
        raised.get_or_insert(error);
    });
}

/// The exception that a rule has raised since the last call.
pub(crate) fn raised() -> PyResult<()> {
    RAISED.with_borrow_mut(Option::take).map_or(Ok(()), Err)
}

/// The name of the one part of a rule's state.
const PART: &str = "python";

/// A rule in Python.
pub(crate) struct PyRule {
    rule: Py<PyAny>,
    needs_paths: bool,
    name: Option<&'static str>,
}

/// A name for as long as the process runs. There are as many as there are classes of rules.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.push(name);
    name
}

impl PyRule {
    pub(crate) fn new(rule: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !rule.hasattr("decide")? {
            return Err(argument(format!(
                "`rule` is {}, expected the name of a rule or a Traffic",
                shown(rule)
            )));
        }
        let needs_paths = rule.getattr("needs_paths")?.is_truthy()?;
        let name: Option<String> = rule.getattr("saved_name")?.extract()?;
        Ok(Self { rule: rule.clone().unbind(), needs_paths, name: name.map(kept) })
    }

    /// The moves that the rule names for the agents of a view.
    fn moves(&self, py: Python<'_>, view: &TrafficView<'_>) -> PyResult<Vec<CommandedMove>> {
        let n = view.agents.len();
        let given = self.rule.bind(py).call_method1("decide", (View::of(py, view)?,))?;
        let what = "a primitive for each row of the view, 255 to wait, or pairs of a row and a primitive";
        if given.is_none() {
            return Ok(Vec::new());
        }
        let (all, shape) = numbers(&given, "decide()")?;
        let wrong =
            |at: usize| argument(format!("`decide()[{at}]` is no move of {n} agents, expected {what}"));
        let one = |at: usize, row: i64, primitive: i64| -> PyResult<CommandedMove> {
            let row = u32::try_from(row).ok().filter(|row| (*row as usize) < n).ok_or_else(|| wrong(at))?;
            Ok(CommandedMove { row, primitive: u8::try_from(primitive).map_err(|_| wrong(at))? })
        };
        match shape[..] {
            [length] if length == n => {
                let begins = all.iter().enumerate().filter(|(_, primitive)| !matches!(primitive, -1 | 255));
                begins.map(|(row, primitive)| one(row, row as i64, *primitive)).collect()
            }
            [0] | [0, _] => Ok(Vec::new()),
            [_, 2] => all.chunks(2).enumerate().map(|(at, pair)| one(at, pair[0], pair[1])).collect(),
            _ => Err(argument(format!("`decide()` is of shape {shape:?} for {n} agents, expected {what}"))),
        }
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self { rule: deep_copy(self.rule.bind(py))?, needs_paths: self.needs_paths, name: self.name })
    }
}

/// What `copy.deepcopy` makes of an object.
pub(crate) fn deep_copy(of: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    Ok(of.py().import("copy")?.call_method1("deepcopy", (of,))?.unbind())
}

impl Traffic for PyRule {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        match Python::attach(|py| self.moves(py, view)) {
            // Which of them are legal, and how long they take, is judged as for commanded moves.
            Ok(moves) => Commanded.decide(&TrafficView { commanded: &moves, ..*view }, decisions),
            Err(error) => note(error),
        }
    }

    fn needs_paths(&self) -> bool {
        self.needs_paths
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Python::attach(|py| match self.copy(py) {
            Ok(copy) => Box::new(copy),
            Err(error) => {
                note(error);
                Box::new(Self {
                    rule: self.rule.clone_ref(py),
                    needs_paths: self.needs_paths,
                    name: self.name,
                })
            }
        })
    }

    fn saved_name(&self) -> Option<&'static str> {
        self.name
    }

    fn visit_state(&self, visitor: &mut dyn StateVisitor) {
        let words = Python::attach(|py| {
            let given = self.rule.bind(py).call_method0("save_state")?;
            given.try_iter()?.map(|word| word?.extract::<u64>()).collect::<PyResult<Vec<u64>>>()
        });
        match words {
            Ok(words) => visitor.part(PART, &mut words.into_iter()),
            Err(error) => note(error),
        }
    }

    fn restore_state(&mut self, state: &RuleState, _: &RuleContext<'_>) -> Result<(), RuleStateError> {
        let mut reader = StateReader::new(state);
        let words: Vec<u64> = reader.list(PART)?;
        reader.finish()?;
        let restored =
            Python::attach(|py| self.rule.bind(py).call_method1("restore_state", (words,)).map(|_| ()));
        restored.map_err(|error| {
            let found = error.to_string();
            note(error);
            RuleStateError::of_part(PART, found, "a state that `restore_state` takes")
        })
    }
}

/// What a rule in Python sees at a tick.
#[pyclass(frozen, module = "wheelbase", name = "TrafficView")]
pub(crate) struct View {
    #[pyo3(get)]
    tick: u32,
    #[pyo3(get)]
    rows: Py<PyAny>,
    #[pyo3(get)]
    move_ticks: Py<PyAny>,
}

impl View {
    fn of(py: Python<'_>, view: &TrafficView<'_>) -> PyResult<Self> {
        let (agents, n) = (&view.agents, view.agents.len());
        let primitives = |tables: &wheelbase_planner::MovementTables| tables.class().primitives().len();
        let columns = view.tables.iter().map(primitives).max().unwrap_or(0);
        let mut rows = Vec::with_capacity(n);
        let mut ticks = vec![0; n * columns];
        for row in 0..n {
            let moving = &agents.motion[row];
            let tables = &view.tables[usize::from(moving.class.0)];
            let at_rest = moving.at_rest();
            let pose = tables.space().pose(motion::end_state(tables, moving));
            let goal = agents.goals.get(row).copied().flatten();
            let goal = goal.or_else(|| path_end(view, row));
            rows.push(RuleRow {
                id: agents.ids[row].0,
                x: pose.cell.x,
                y: pose.cell.y,
                goal_x: goal.map_or(pose.cell.x, |goal| goal.x),
                goal_y: goal.map_or(pose.cell.y, |goal| goal.y),
                until: if at_rest { view.tick } else { moving.until },
                heading: pose.heading.0,
                class: moving.class.0,
                activity: moving.activity as u8,
                team: agents.teams[row].0,
                primitive: if at_rest { AgentRow::AT_REST } else { moving.primitive },
                next: view.paths.moves(agents.paths[row]).first().copied().unwrap_or(AgentRow::AT_REST),
                has_goal: u8::from(goal.is_some()),
                refused: u8::from(view.refused.contains(&(row as u32))),
            });
            if at_rest {
                for (primitive, ticks) in
                    ticks[row * columns..].iter_mut().take(primitives(tables)).enumerate()
                {
                    *ticks = tables.move_ticks(moving.state, primitive).unwrap_or(0);
                }
            }
        }
        let rows = buffer::list(py, rows)?.unbind();
        Ok(Self { tick: view.tick, rows, move_ticks: buffer::array(py, ticks, &[n, columns])?.unbind() })
    }
}

/// The cell to which the path of an agent leads.
fn path_end(view: &TrafficView<'_>, row: usize) -> Option<wheelbase_grid::CellXY> {
    let moves = view.paths.moves(view.agents.paths[row]);
    let moving = &view.agents.motion[row];
    let tables = &view.tables[usize::from(moving.class.0)];
    let end = tables.follow_moves(motion::end_state(tables, moving), moves).ok()?;
    (!moves.is_empty()).then(|| tables.space().pose(end.state).cell)
}

/// A path for a planner to find.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct PathRequest {
    #[pyo3(get)]
    agent: u32,
    #[pyo3(get)]
    class_: u16,
    #[pyo3(get)]
    start: (i32, i32, u8),
    /// Goals; the heading is `None` for any.
    #[pyo3(get)]
    goals: Vec<(i32, i32, Option<u8>)>,
    #[pyo3(get)]
    within: u32,
    #[pyo3(get)]
    priority: i32,
}

impl PathRequest {
    pub(crate) fn new(agent: AgentId, asked: &QueuedRequest) -> Self {
        let goals = asked.goal.iter();
        Self {
            agent: agent.0,
            class_: asked.class,
            start: triple(asked.start),
            goals: goals
                .map(|goal| (goal.cell.x, goal.cell.y, goal.heading.map(|heading| heading.0)))
                .collect(),
            within: asked.within,
            priority: asked.priority,
        }
    }
}

/// What a planner answers, as a command.
pub(crate) fn answer_of(
    planner: &Bound<'_, PyAny>,
    agent: AgentId,
    asked: &QueuedRequest,
) -> PyResult<Command> {
    let found = planner.call_method1("plan", (PathRequest::new(agent, asked),))?;
    path_answer(agent, &found, "plan()")
}

/// The answer to a path request: the numbers of primitives, or `None` without a path.
pub(crate) fn path_answer(agent: AgentId, moves: &Bound<'_, PyAny>, name: &str) -> PyResult<Command> {
    let moves =
        if moves.is_none() { None } else { Some(list_of::<u8>(moves, name, "the number of a primitive")?) };
    Ok(Command::PathAnswer { agent, moves: moves.map(Arc::from) })
}

/// The id of an agent.
pub(crate) fn agent_id(given: &Bound<'_, PyAny>) -> PyResult<AgentId> {
    whole(given, "agent", "the id of an agent").map(AgentId)
}
