//! Movement tables: a class compiled against a map, and paths on them.

use crate::buffer::{self, PathRow};
use crate::class::Class;
use crate::error::{argument, busy};
use crate::map::{Map, check_shape};
use crate::path::{Answer, BatchAnswers};
use crate::pool::pool;
use crate::value::{Whole, cell, fallback, goals, heuristic, numbers, pose, rect, whole};
use pyo3::prelude::*;
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use wheelbase_grid::{Grid, SideTable, TerrainTable};
use wheelbase_planner::model::State;
use wheelbase_planner::search::QueuedRequest;
use wheelbase_planner::search::batch::{BatchScratch, plan_all};
use wheelbase_planner::tables::{MovesError, Reachability};
use wheelbase_planner::{Heading, Legality, MovementTables, Path, Pose, Request, Scratch, plan};

/// Movement tables.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct Tables {
    inner: RwLock<Compiled>,
    /// Memory of searches. A thread that finds it in use allocates separate memory.
    memory: Mutex<Memory>,
}

/// The tables, and what of their map they keep.
#[derive(Clone)]
pub(crate) struct Compiled {
    pub(crate) tables: MovementTables,
    /// Counts the edits that they have followed.
    pub(crate) edits: u64,
    terrain: TerrainTable,
    sides: SideTable,
}

#[derive(Default)]
struct Memory {
    scratch: Scratch,
    path: Path,
    batch: BatchScratch,
}

impl Compiled {
    pub(crate) fn headings(&self) -> u8 {
        self.tables.class().headings()
    }

    /// Whether they were compiled for this map, edits aside.
    pub(crate) fn check_map(&self, map: &Grid) -> PyResult<()> {
        let size = self.tables.space().size();
        check_shape(self.tables.class().grid_shape(), map.shape())?;
        if map.size() != size {
            return Err(argument(format!("the map is of {} cells, the tables of {size}", map.size())));
        }
        if *map.terrain_table() != self.terrain || *map.side_table() != self.sides {
            return Err(argument(
                "the map has other terrain or side kinds than the one the tables were compiled for",
            ));
        }
        Ok(())
    }
}

impl Tables {
    pub(crate) fn new(tables: MovementTables, map: &Grid) -> Self {
        let (terrain, sides) = (map.terrain_table().clone(), map.side_table().clone());
        let inner = RwLock::new(Compiled { tables, edits: 0, terrain, sides });
        Self { inner, memory: Mutex::default() }
    }

    /// To read.
    pub(crate) fn read(&self) -> PyResult<RwLockReadGuard<'_, Compiled>> {
        self.inner.try_read().map_err(|_| busy("Tables"))
    }

    fn write(&self) -> PyResult<RwLockWriteGuard<'_, Compiled>> {
        self.inner.try_write().map_err(|_| busy("Tables"))
    }
}

/// What all requests of a call have in common.
fn request_of(
    within: Option<&Bound<'_, PyAny>>,
    heuristic: Option<&str>,
    weight: Option<&Bound<'_, PyAny>>,
    expansions_max: Option<Whole<u64>>,
    fallback: &str,
) -> PyResult<QueuedRequest> {
    let mut asked = QueuedRequest::new(0, Pose::new(0, 0, Heading(0)), Vec::new());
    asked.within = within.map_or(Ok(0), |within| whole(within, "within", "a number of cells"))?;
    asked.heuristic = self::heuristic(heuristic)?;
    asked.weight_permille =
        weight.map_or(Ok(1000), |weight| whole(weight, "weight", "thousandths from 1000"))?;
    if asked.weight_permille < 1000 {
        return Err(argument(format!(
            "`weight` is {}, expected thousandths from 1000",
            asked.weight_permille
        )));
    }
    asked.expansions_max = expansions_max.map(|most| most.0);
    asked.fallback = self::fallback(fallback)?;
    Ok(asked)
}

/// The poses of an array of rows `x, y, heading`; the heading may be left out where there is one.
fn starts_of(given: &Bound<'_, PyAny>, headings: u8) -> PyResult<Vec<Pose>> {
    let (all, shape) = numbers(given, "starts")?;
    let columns = match shape[..] {
        [0] | [0, _] => return Ok(Vec::new()),
        [_, 2] if headings == 1 => 2,
        [_, 3] => 3,
        _ => return Err(argument(format!("`starts` is of shape {shape:?}, expected rows of x, y, heading"))),
    };
    let one = |(at, row): (usize, &[i64])| {
        let number = |column: usize| i32::try_from(row[column]).ok();
        let facing = if columns == 2 {
            Some(0)
        } else {
            u8::try_from(row[2]).ok().filter(|facing| *facing < headings)
        };
        match (number(0), number(1), facing) {
            (Some(x), Some(y), Some(facing)) => Ok(Pose::new(x, y, Heading(facing))),
            _ => Err(argument(format!(
                "`starts[{at}]` is {row:?}, expected x, y and a heading less than {headings}"
            ))),
        }
    };
    all.chunks(columns).enumerate().map(one).collect()
}

#[pymethods]
impl Tables {
    #[new]
    fn compile(py: Python<'_>, map: &Bound<'_, Map>, class_: &Bound<'_, Class>) -> PyResult<Self> {
        let grid = map.get().grid()?;
        let class = class_.get().on(&grid)?;
        let grid = &*grid;
        let tables = py.detach(|| {
            let mut tables = MovementTables::compile(grid, class);
            tables.make_components();
            tables
        });
        Ok(Self::new(tables, grid))
    }

    #[getter(class_)]
    fn class(&self) -> PyResult<Class> {
        Ok(Class::new(self.read()?.tables.class().clone()))
    }

    /// Height, width, headings: the shape of the arrays over all poses.
    #[getter]
    fn shape(&self) -> PyResult<(usize, usize, usize)> {
        let [height, width, headings] = shape_of(&self.read()?.tables);
        Ok((height, width, headings))
    }

    #[pyo3(signature = (
        start, goal, *, within = None, heuristic = None, weight = None, expansions_max = None, partial = false,
        fallback = "fail", window = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn plan(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
        heuristic: Option<&str>,
        weight: Option<&Bound<'_, PyAny>>,
        expansions_max: Option<Whole<u64>>,
        partial: bool,
        fallback: &str,
        window: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Answer> {
        let compiled = self.read()?;
        let headings = compiled.headings();
        let mut asked = request_of(within, heuristic, weight, expansions_max, fallback)?;
        asked.start = pose(start, headings, "start")?;
        asked.goal = goals(goal, Some(headings), "goal")?.0;
        asked.partial = partial;
        asked.window = window.map(|window| rect(window, "window")).transpose()?;
        let mut kept = self.memory.try_lock();
        let mut own = Memory::default();
        let Memory { scratch, path, .. } = kept.as_deref_mut().unwrap_or(&mut own);
        let tables = &compiled.tables;
        let found = py.detach(|| plan(tables, &asked.as_request(), scratch, path));
        Ok(Answer::new(found, path, Some(asked)))
    }

    #[pyo3(signature = (
        starts, goals, *, within = None, heuristic = None, weight = None, expansions_max = None, fallback = "fail",
        threads = Whole(1)
    ))]
    #[allow(clippy::too_many_arguments)]
    fn plan_batch(
        &self,
        py: Python<'_>,
        starts: &Bound<'_, PyAny>,
        goals: &Bound<'_, PyAny>,
        within: Option<&Bound<'_, PyAny>>,
        heuristic: Option<&str>,
        weight: Option<&Bound<'_, PyAny>>,
        expansions_max: Option<Whole<u64>>,
        fallback: &str,
        threads: Whole<u32>,
    ) -> PyResult<BatchAnswers> {
        let compiled = self.read()?;
        let headings = compiled.headings();
        let usual = request_of(within, heuristic, weight, expansions_max, fallback)?;
        let starts = starts_of(starts, headings)?;
        let (to, shape) = numbers(goals, "goals")?;
        let columns = match shape[..] {
            [0] | [0, _] => 2,
            [_, columns @ (2 | 3)] => columns,
            _ => {
                return Err(argument(format!(
                    "`goals` is of shape {shape:?}, expected rows of x, y or x, y, heading"
                )));
            }
        };
        if to.len() != starts.len() * columns {
            let (n, m) = (to.len() / columns, starts.len());
            return Err(argument(format!("`goals` has {n} rows, expected {m}, as `starts` has")));
        }
        let mut asked = Vec::with_capacity(starts.len());
        for (at, (start, row)) in starts.into_iter().zip(to.chunks(columns)).enumerate() {
            let number = |column: usize| i32::try_from(row[column]).ok();
            let facing = match row.get(2) {
                None | Some(-1) => Some(None),
                Some(facing) => u8::try_from(*facing).ok().filter(|facing| *facing < headings).map(Some),
            };
            let (Some(x), Some(y), Some(facing)) = (number(0), number(1), facing) else {
                let expected = format!("x, y and a heading less than {headings}, or -1 for any");
                return Err(argument(format!("`goals[{at}]` is {row:?}, expected {expected}")));
            };
            let cell = wheelbase_grid::CellXY::new(x, y);
            let goal = vec![wheelbase_planner::GoalMember { cell, heading: facing.map(Heading) }];
            asked.push(QueuedRequest { start, goal, ..usual.clone() });
        }
        let pool = pool(py, threads.0)?;
        let mut kept = self.memory.try_lock();
        let mut own = Memory::default();
        let Memory { scratch, path, batch } = kept.as_deref_mut().unwrap_or(&mut own);
        let tables = &compiled.tables;
        Ok(py.detach(|| {
            let mut answers = BatchAnswers::default();
            let requests: Vec<Request<'_>> = asked.iter().map(QueuedRequest::as_request).collect();
            match pool {
                Some(pool) => {
                    pool.install(|| {
                        plan_all(tables, &requests, batch, |_, found, path| answers.add(found, path))
                    });
                }
                None => {
                    for request in &requests {
                        let found = plan(tables, request, scratch, path);
                        answers.add(&found, path);
                    }
                }
            }
            answers
        }))
    }

    fn explain(&self, map: &Bound<'_, Map>, answer: &Bound<'_, Answer>) -> PyResult<String> {
        let (compiled, grid) = (self.read()?, map.get().grid()?);
        compiled.check_map(&grid)?;
        answer.get().reason(&Legality::new(&grid, compiled.tables.class()), &grid)
    }

    fn explain_pose(&self, map: &Bound<'_, Map>, pose: &Bound<'_, PyAny>) -> PyResult<String> {
        let (compiled, grid) = (self.read()?, map.get().grid()?);
        compiled.check_map(&grid)?;
        let pose = self::pose(pose, compiled.headings(), "pose")?;
        let blocked = Legality::new(&grid, compiled.tables.class()).check_pose(pose).err();
        Ok(blocked.map_or(String::new(), |blocked| blocked.describe(&grid)))
    }

    fn explain_move(
        &self,
        map: &Bound<'_, Map>,
        pose: &Bound<'_, PyAny>,
        primitive: &Bound<'_, PyAny>,
    ) -> PyResult<String> {
        let (compiled, grid) = (self.read()?, map.get().grid()?);
        compiled.check_map(&grid)?;
        let pose = self::pose(pose, compiled.headings(), "pose")?;
        let primitive = primitive_of(primitive, &compiled.tables)?;
        let blocked = Legality::new(&grid, compiled.tables.class()).explain(pose, primitive).err();
        Ok(blocked.map_or(String::new(), |blocked| blocked.describe(&grid)))
    }

    fn is_legal(&self, pose: &Bound<'_, PyAny>) -> PyResult<bool> {
        let compiled = self.read()?;
        Ok(compiled.tables.is_legal_pose(self::pose(pose, compiled.headings(), "pose")?))
    }

    /// 1 for each legal pose.
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let compiled = self.read()?;
        let tables = &compiled.tables;
        let all = (0..tables.space().n_states() as u32).map(|state| u8::from(tables.is_legal(State(state))));
        buffer::array(py, all.collect::<Vec<u8>>(), &shape_of(tables))
    }

    #[pyo3(name = "move")]
    fn move_(
        &self,
        pose: &Bound<'_, PyAny>,
        primitive: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(Triple, u32)>> {
        let compiled = self.read()?;
        let pose = self::pose(pose, compiled.headings(), "pose")?;
        let (tables, primitive) = (&compiled.tables, primitive_of(primitive, &compiled.tables)?);
        Ok(tables.space().state(pose).and_then(|state| {
            let ticks = tables.move_ticks(state, primitive)?;
            Some((triple(tables.space().pose(tables.state_after(state, primitive))), ticks))
        }))
    }

    /// How many of the moves are legal one after the other, the pose after these, and the ticks they take.
    fn check_moves(
        &self,
        start: &Bound<'_, PyAny>,
        moves: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, (i32, i32, u8), u32)> {
        let compiled = self.read()?;
        let start = pose(start, compiled.headings(), "start")?;
        let moves = crate::value::list_of::<u8>(moves, "moves", "the number of a primitive")?;
        let tables = &compiled.tables;
        let nothing = (0, triple(start), 0);
        let Some(state) = tables.space().state(start) else { return Ok(nothing) };
        let legal = match tables.check_moves(state, &moves) {
            Ok(_) => moves.len(),
            Err(
                MovesError::NoSuchPrimitive { at, .. }
                | MovesError::Illegal { at, .. }
                | MovesError::CostOverflow { at },
            ) => at,
            Err(_) => return Ok(nothing),
        };
        let end = tables.check_moves(state, &moves[..legal]);
        Ok(end.map_or(nothing, |end| (legal, triple(tables.space().pose(end.state)), end.ticks)))
    }

    /// Whether a way leads from one cell to another: `None` where only a search can tell.
    fn connected(&self, from_: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
        let compiled = self.read()?;
        Ok(match compiled.tables.connects(cell(from_, "from_")?, cell(to, "to")?) {
            Reachability::Yes => Some(true),
            Reachability::No => Some(false),
            Reachability::Unknown => None,
        })
    }

    fn update(&self, map: &Bound<'_, Map>, changed: &Bound<'_, PyAny>) -> PyResult<(bool, bool)> {
        let (mut compiled, grid) = (self.write()?, map.get().grid()?);
        compiled.check_map(&grid)?;
        let changed = rect(changed, "changed")?;
        let update = compiled.tables.update(&grid, changed);
        compiled.tables.renew_components();
        compiled.edits += 1;
        Ok((update.changed, update.eased))
    }

    #[getter]
    fn memory_bytes(&self) -> PyResult<usize> {
        Ok(self.read()?.tables.memory_bytes())
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(Self { inner: RwLock::new(self.read()?.clone()), memory: Mutex::default() })
    }

    fn __copy__(&self) -> PyResult<Self> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy()
    }

    fn __repr__(&self) -> PyResult<String> {
        let compiled = self.read()?;
        let (class, size) = (&compiled.tables.class().spec().name, compiled.tables.space().size());
        Ok(format!("<Tables of {class} on {size} cells>"))
    }
}

/// A primitive of the class, by number or by name.
fn primitive_of(given: &Bound<'_, PyAny>, tables: &MovementTables) -> PyResult<usize> {
    let all = tables.class().primitives();
    if let Ok(name) = given.extract::<String>() {
        return all.iter().position(|primitive| primitive.name == name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|primitive| &primitive.name[..]).collect();
            argument(format!("`primitive` is \"{name}\", expected one of {}", names.join(", ")))
        });
    }
    let expected = format!("less than {}", all.len());
    let number: usize = whole(given, "primitive", &expected)?;
    if number < all.len() {
        return Ok(number);
    }
    Err(argument(format!("`primitive` is {number}, expected {expected}")))
}

/// A pose as numbers: column, row, heading.
pub(crate) type Triple = (i32, i32, u8);

/// A pose as numbers.
pub(crate) fn triple(pose: Pose) -> Triple {
    (pose.cell.x, pose.cell.y, pose.heading.0)
}

/// Height, width and headings: a state is an index into an array of this shape.
pub(crate) fn shape_of(tables: &MovementTables) -> [usize; 3] {
    let (size, headings) = (tables.space().size(), tables.space().headings());
    [size.height() as usize, size.width() as usize, usize::from(headings)]
}

/// The rows of poses with their arrivals.
pub(crate) fn rows_of(poses: impl Iterator<Item = (Pose, u32)>) -> Vec<PathRow> {
    poses.map(|(pose, arrival)| PathRow::new(pose, arrival)).collect()
}
