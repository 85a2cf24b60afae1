//! Fields: the costs from all poses to a goal, or from one pose to all.

use crate::buffer;
use crate::error::{argument, busy};
use crate::path::Answer;
use crate::tables::{Compiled, Tables, Triple, rows_of, shape_of, triple};
use crate::value::{Whole, goals, pose, rect, whole};
use pyo3::prelude::*;
use std::sync::Mutex;
use wheelbase_planner::fields::{RepairScratch, SettleTarget};
use wheelbase_planner::model::State;
use wheelbase_planner::search;
use wheelbase_planner::{Distances, Goal, GoalMember, Path, Progress};

/// The cost of a pose from which no way leads.
pub(crate) const NEVER: u32 = u32::MAX;

/// A cost field, with its tables.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct Field {
    tables: Py<Tables>,
    inner: Mutex<Inner>,
}

struct Inner {
    distances: Distances,
    edits: u64,
    repair: RepairScratch,
}

impl Field {
    fn new(tables: Py<Tables>, distances: Distances, edits: u64) -> Self {
        let inner = Mutex::new(Inner { distances, edits, repair: RepairScratch::new() });
        Self { tables, inner }
    }

    /// Does something with a field that has followed all edits of its tables.
    fn with<R>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Distances, &Compiled) -> PyResult<R>,
    ) -> PyResult<R> {
        let compiled = self.tables.bind(py).get().read()?;
        let mut inner = self.inner.try_lock().map_err(|_| busy("Field"))?;
        if inner.edits != compiled.edits {
            return Err(argument("the tables have changed since: call `repair` first"));
        }
        work(&mut inner.distances, &compiled)
    }
}

#[pymethods]
impl Field {
    #[staticmethod]
    #[pyo3(signature = (tables, goal, *, within = None))]
    fn to_goal(
        tables: &Bound<'_, Tables>,
        goal: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let compiled = tables.get().read()?;
        let members = goals(goal, Some(compiled.headings()), "goal")?.0;
        let within = within.map_or(Ok(0), |within| whole(within, "within", "a number of cells"))?;
        let distances = Distances::to_goal(&compiled.tables, &Goal { members: &members, within });
        Ok(Self::new(tables.clone().unbind(), distances, compiled.edits))
    }

    #[staticmethod]
    fn from_pose(tables: &Bound<'_, Tables>, start: &Bound<'_, PyAny>) -> PyResult<Self> {
        let compiled = tables.get().read()?;
        let start = pose(start, compiled.headings(), "start")?;
        let distances = Distances::from_pose(&compiled.tables, start);
        Ok(Self::new(tables.clone().unbind(), distances, compiled.edits))
    }

    #[pyo3(signature = (expansions = None))]
    fn settle(&self, py: Python<'_>, expansions: Option<Whole<u64>>) -> PyResult<bool> {
        self.with(py, |distances, compiled| {
            let budget = expansions.map_or(u64::MAX, |expansions| expansions.0);
            let settled = py.detach(|| distances.settle(&compiled.tables, SettleTarget::All, budget));
            Ok(settled.progress == Progress::Done)
        })
    }

    /// The costs of all poses, by row, column and heading.
    fn costs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.with(py, |distances, compiled| {
            let all = py.detach(|| {
                distances.settle(&compiled.tables, SettleTarget::All, u64::MAX);
                let n_states = compiled.tables.space().n_states() as u32;
                let field = distances.field();
                (0..n_states).map(|state| field.cost(State(state)).unwrap_or(NEVER)).collect::<Vec<u32>>()
            });
            buffer::array(py, all, &shape_of(&compiled.tables))
        })
    }

    fn cost(&self, py: Python<'_>, pose: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        self.with(py, |distances, compiled| {
            let pose = self::pose(pose, compiled.headings(), "pose")?;
            let mut answers = Vec::new();
            py.detach(|| distances.measure(&compiled.tables, &[GoalMember::pose(pose)], &mut answers));
            Ok(answers.first().copied().flatten().map(|found| found.ticks))
        })
    }

    /// The next move of an agent at a pose, and the pose after it.
    fn next(&self, py: Python<'_>, pose: &Bound<'_, PyAny>) -> PyResult<Option<(u8, Triple)>> {
        self.with(py, |distances, compiled| {
            let (tables, pose) = (&compiled.tables, self::pose(pose, compiled.headings(), "pose")?);
            py.detach(|| distances.measure(tables, &[GoalMember::pose(pose)], &mut Vec::new()));
            let Some(state) = tables.space().state(pose) else { return Ok(None) };
            let primitive = distances.next_move(tables, pose);
            Ok(primitive.map(|primitive| {
                let after = tables.space().pose(tables.state_after(state, usize::from(primitive)));
                (primitive, triple(after))
            }))
        })
    }

    fn path(&self, py: Python<'_>, pose: &Bound<'_, PyAny>) -> PyResult<Option<Answer>> {
        self.with(py, |distances, compiled| {
            let pose = self::pose(pose, compiled.headings(), "pose")?;
            let mut path = Path::new();
            let found = py.detach(|| {
                distances.measure(&compiled.tables, &[GoalMember::pose(pose)], &mut Vec::new());
                distances.path(&compiled.tables, pose, &mut path)
            });
            if !found {
                return Ok(None);
            }
            Ok(Some(Answer::new(search::Answer::at_goal(path.cost(), 0), &path, None)))
        })
    }

    /// All poses within some ticks, each with its cost as `arrival`.
    fn within<'py>(&self, py: Python<'py>, ticks: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ticks = whole(ticks, "ticks", "a number of ticks")?;
        self.with(py, |distances, compiled| {
            let rows = py.detach(|| {
                distances.settle(&compiled.tables, SettleTarget::Within(ticks), u64::MAX);
                rows_of(distances.within(ticks))
            });
            buffer::list(py, rows)
        })
    }

    fn repair(&self, py: Python<'_>, changed: &Bound<'_, PyAny>) -> PyResult<()> {
        let changed = rect(changed, "changed")?;
        let compiled = self.tables.bind(py).get().read()?;
        let mut inner = self.inner.try_lock().map_err(|_| busy("Field"))?;
        let Inner { distances, edits, repair } = &mut *inner;
        distances.repair(&compiled.tables, changed, repair);
        *edits = compiled.edits;
        Ok(())
    }

    /// A copy with the same tables.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let inner = self.inner.try_lock().map_err(|_| busy("Field"))?;
        Ok(Self::new(self.tables.clone_ref(py), inner.distances.clone(), inner.edits))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    #[getter]
    fn tables(&self, py: Python<'_>) -> Py<Tables> {
        self.tables.clone_ref(py)
    }
}
