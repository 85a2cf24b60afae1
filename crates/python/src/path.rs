//! Answers to requests, one and many.

use crate::buffer::{self, PathRow, Plain};
use crate::error::argument;
use pyo3::prelude::*;
use std::sync::Arc;
use wheelbase_grid::Grid;
use wheelbase_planner::search::{self, QueuedRequest};
use wheelbase_planner::{Legality, Path, Status};

/// The statuses of answers; their numbers in batches.
pub(crate) const STATUSES: [Status; 9] = [
    Status::Found,
    Status::StartOffMap,
    Status::GoalOffMap,
    Status::StartBlocked,
    Status::GoalBlocked,
    Status::Unreachable,
    Status::LimitReached,
    Status::CostOverflow,
    Status::Obstructed,
];

/// The move of the last pose of a path.
pub(crate) const NO_MOVE: u8 = u8::MAX;

/// An answer.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct Answer {
    answer: search::Answer,
    asked: Option<QueuedRequest>,
    path: Arc<Vec<PathRow>>,
    moves: Arc<Vec<u8>>,
}

impl Answer {
    pub(crate) fn new(answer: search::Answer, path: &Path, asked: Option<QueuedRequest>) -> Self {
        let rows = path.poses.iter().map(|pose| PathRow::new(pose.pose, pose.arrival)).collect();
        Self { answer, asked, path: Arc::new(rows), moves: Arc::new(path.moves.clone()) }
    }

    /// Why there is no path; empty if there is one.
    pub(crate) fn reason(&self, legality: &Legality<'_>, grid: &Grid) -> PyResult<String> {
        let Some(asked) = &self.asked else {
            return Err(argument("`answer` is of a world, expected one of these tables"));
        };
        let headings = legality.space().headings();
        let fits = |heading: wheelbase_planner::Heading| heading.0 < headings;
        let all = asked.goal.iter().filter_map(|member| member.heading).all(fits);
        if !all || !fits(asked.start.heading) {
            return Err(argument("`answer` is of tables of another class"));
        }
        let reason = self.answer.reason(legality, &asked.as_request());
        Ok(reason.map_or(String::new(), |reason| reason.describe(legality, grid)))
    }
}

#[pymethods]
impl Answer {
    #[getter]
    fn status(&self) -> &'static str {
        self.answer.status.name()
    }

    #[getter]
    fn found(&self) -> bool {
        self.answer.status == Status::Found
    }

    #[getter]
    fn reached(&self) -> Option<&'static str> {
        self.answer.reached.map(|reached| reached.name())
    }

    #[getter]
    fn cost(&self) -> u32 {
        self.answer.cost
    }

    #[getter]
    fn expansions(&self) -> u64 {
        self.answer.expansions
    }

    #[getter]
    fn guide(&self) -> &'static str {
        self.answer.guide.name()
    }

    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.path, &[self.path.len()])
    }

    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.moves, &[self.moves.len()])
    }

    fn __repr__(&self) -> String {
        let (status, cost, moves) = (self.answer.status.name(), self.answer.cost, self.moves.len());
        if self.path.is_empty() {
            return format!("<Answer {status}>");
        }
        format!("<Answer {status}: cost {cost}, {moves} moves>")
    }
}

/// The answers of a batch, in arrays.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct BatchAnswers {
    status: Arc<Vec<u8>>,
    cost: Arc<Vec<u32>>,
    expansions: Arc<Vec<u64>>,
    offsets: Arc<Vec<u64>>,
    path: Arc<Vec<PathRow>>,
    moves: Arc<Vec<u8>>,
}

impl Default for BatchAnswers {
    fn default() -> Self {
        Self {
            status: Arc::default(),
            cost: Arc::default(),
            expansions: Arc::default(),
            offsets: Arc::new(vec![0]),
            path: Arc::default(),
            moves: Arc::default(),
        }
    }
}

/// The values of an array that nobody else has yet.
fn own<T: Plain>(values: &mut Arc<Vec<T>>) -> &mut Vec<T> {
    Arc::make_mut(values)
}

impl BatchAnswers {
    /// Adds the next answer.
    pub(crate) fn add(&mut self, found: &search::Answer, path: &Path) {
        let number = STATUSES.iter().position(|status| *status == found.status);
        own(&mut self.status).push(number.map_or(u8::MAX, |number| number as u8));
        own(&mut self.cost).push(found.cost);
        own(&mut self.expansions).push(found.expansions);
        own(&mut self.path).extend(path.poses.iter().map(|pose| PathRow::new(pose.pose, pose.arrival)));
        own(&mut self.moves).extend_from_slice(&path.moves);
        if !path.poses.is_empty() {
            own(&mut self.moves).push(NO_MOVE);
        }
        own(&mut self.offsets).push(self.path.len() as u64);
    }
}

#[pymethods]
impl BatchAnswers {
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.status, &[self.status.len()])
    }

    #[getter]
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.cost, &[self.cost.len()])
    }

    #[getter]
    fn expansions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.expansions, &[self.expansions.len()])
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.offsets, &[self.offsets.len()])
    }

    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.path, &[self.path.len()])
    }

    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        buffer::array_of(py, &self.moves, &[self.moves.len()])
    }

    fn __len__(&self) -> usize {
        self.status.len()
    }

    fn __repr__(&self) -> String {
        let found = self.status.iter().filter(|&&status| status == 0).count();
        format!("<BatchAnswers: {found} of {} found>", self.status.len())
    }
}
