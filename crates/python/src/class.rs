//! Movement classes.

use crate::error::{argument, of_load};
use crate::map::{SHAPES, bytes, check_shape};
use crate::value::{cells, choice, parts, pose, shown, whole};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::{Path, PathBuf};
use wheelbase_grid::{CELLS_MAX, CellXY, Grid, MemoryMax};
use wheelbase_planner::model::{ClassError, Climb, Pivot, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, MovementClass, Pose, Primitive, When};
use wheelbase_scenario::load::{load_class_of_bytes, load_planning_problem, read_file};

/// A movement class.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct Class {
    class: MovementClass,
    /// Its file does not say which shape of map it is for, and it has one heading.
    any_shape: bool,
}

const RULES: [(&str, SweepRule); 2] = [("ends", SweepRule::Ends), ("full", SweepRule::Full)];

fn in_class(error: ClassError) -> PyErr {
    argument(format!("the class: {error}"))
}

impl Class {
    pub(crate) fn new(class: MovementClass) -> Self {
        Self { class, any_shape: false }
    }

    /// The class on a map.
    pub(crate) fn on(&self, map: &Grid) -> PyResult<MovementClass> {
        let class = if self.any_shape && map.shape() != self.class.grid_shape() {
            let spec = ClassSpec { shape: map.shape(), ..self.class.spec().clone() };
            MovementClass::new(spec).map_err(in_class)?
        } else {
            self.class.clone()
        };
        check_shape(class.grid_shape(), map.shape())?;
        class.check_fits(map.size()).map_err(in_class)?;
        Ok(class)
    }

    /// The class of a text: of a class file, or `class` of a scenario.
    fn of_text(path: &Path, class: Option<&str>, text: &[u8]) -> PyResult<Self> {
        let spec = load_class_of_bytes(path, class, text).map_err(|error| of_load(&error))?;
        let any_shape = class.is_none() && spec.headings == 1;
        Ok(Self { class: MovementClass::new(spec).map_err(in_class)?, any_shape })
    }
}

fn offsets(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(i32, i32)>> {
    Ok(cells(given, name)?.into_iter().map(|CellXY { x, y }| (x, y)).collect())
}

fn speeds(given: Option<&Bound<'_, PyDict>>, name: &str) -> PyResult<Vec<(String, u16)>> {
    let mut speeds = Vec::new();
    for (kind, speed) in given.into_iter().flatten() {
        let kind: String = kind
            .extract()
            .map_err(|_| argument(format!("`{name}` holds {}, expected names of kinds", shown(&kind))))?;
        let speed = whole(&speed, &format!("{name}[\"{kind}\"]"), "a speed of 0 to 65535 thousandths")?;
        speeds.push((kind, speed));
    }
    Ok(speeds)
}

/// Rejects the keys of a dict that are not known.
fn check_keys(given: &Bound<'_, PyDict>, name: &str, known: &[&str]) -> PyResult<()> {
    for key in given.keys() {
        if !key.extract::<String>().is_ok_and(|key| known.contains(&&key[..])) {
            return Err(argument(format!(
                "`{name}` has the key {}, expected {}",
                shown(&key),
                known.join(", ")
            )));
        }
    }
    Ok(())
}

fn primitive(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Primitive> {
    let given = given.cast::<PyDict>().map_err(|_| {
        argument(format!(
            "`{name}` is {}, expected a dict with name, by, turn, time, when, swept",
            shown(given)
        ))
    })?;
    check_keys(given, name, &["name", "by", "turn", "time", "when", "swept"])?;
    let missing = |key: &str| argument(format!("`{name}.{key}` is missing"));
    let called = given.get_item("name")?.ok_or_else(|| missing("name"))?;
    let called: String = called
        .extract()
        .map_err(|_| argument(format!("`{name}.name` is {}, expected a str", shown(&called))))?;
    let time = given.get_item("time")?.ok_or_else(|| missing("time"))?;
    let time = whole(&time, &format!("{name}.time"), "a time of 1 to 65535 ticks")?;
    let by = match given.get_item("by")? {
        Some(by) => {
            let CellXY { x, y } = crate::value::cell(&by, &format!("{name}.by"))?;
            (x, y)
        }
        None => (0, 0),
    };
    let mut made = Primitive::step(&called, by, time);
    if let Some(turn) = given.get_item("turn")? {
        made.turn = whole(&turn, &format!("{name}.turn"), "a number of heading steps")?;
    }
    if let Some(swept) = given.get_item("swept")?.filter(|swept| !swept.is_none()) {
        made.swept = Some(offsets(&swept, &format!("{name}.swept"))?);
    }
    if let Some(when) = given.get_item("when")? {
        let text: String = when
            .extract()
            .map_err(|_| argument(format!("`{name}.when` is {}, expected a str", shown(&when))))?;
        let all = [("any", When::Any), ("straight", When::Straight), ("diagonal", When::Diagonal)];
        made.when = choice(&text, &format!("{name}.when"), &all)?;
    }
    Ok(made)
}

/// The rules given; `usual` where a dict leaves one out.
fn sweep_of(given: &Bound<'_, PyAny>, usual: Sweep) -> PyResult<Sweep> {
    if let Ok(text) = given.cast::<PyString>() {
        return choice(&text.to_string_lossy(), "sweep", &RULES).map(Sweep::both);
    }
    let of = |part: &str, usual: SweepRule| -> PyResult<SweepRule> {
        let found = given.cast::<PyDict>().ok().map(|dict| dict.get_item(part)).transpose()?.flatten();
        match found.map(|found| found.extract::<String>()) {
            Some(Ok(text)) => choice(&text, &format!("sweep.{part}"), &RULES),
            None if given.is_instance_of::<PyDict>() => Ok(usual),
            _ => Err(argument(format!(
                "`sweep` is {}, expected \"ends\", \"full\" or a dict with moves and turns",
                shown(given)
            ))),
        }
    };
    Ok(Sweep { moves: of("moves", usual.moves)?, turns: of("turns", usual.turns)? })
}

fn climb_of(given: &Bound<'_, PyDict>) -> PyResult<Climb> {
    check_keys(given, "climb", &["up", "down", "max_up", "max_down", "max_tilt"])?;
    let limit = |key: &str| -> PyResult<Option<u32>> {
        let found = given.get_item(key)?.filter(|found| !found.is_none());
        found.map(|found| whole(&found, &format!("climb.{key}"), "a number of units of height")).transpose()
    };
    let down = given
        .get_item("down")?
        .map(|down| whole(&down, "climb.down", "thousandths of the time"))
        .transpose()?;
    Ok(Climb {
        up: limit("up")?.unwrap_or(0),
        down: down.unwrap_or(0),
        max_up: limit("max_up")?,
        max_down: limit("max_down")?,
        max_tilt: limit("max_tilt")?,
    })
}

#[pymethods]
impl Class {
    #[new]
    #[pyo3(signature = (
        name, primitives, *, headings = None, shape = "square", footprint = None, diagonal = None, pivot = None,
        sweep = None, speeds = None, side_speeds = None, climb = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn of_parts(
        name: &str,
        primitives: &Bound<'_, PyAny>,
        headings: Option<&Bound<'_, PyAny>>,
        shape: &str,
        footprint: Option<&Bound<'_, PyAny>>,
        diagonal: Option<&Bound<'_, PyAny>>,
        pivot: Option<&Bound<'_, PyAny>>,
        sweep: Option<&Bound<'_, PyAny>>,
        speeds: Option<&Bound<'_, PyDict>>,
        side_speeds: Option<&Bound<'_, PyDict>>,
        climb: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let headings = headings.map_or(Ok(4), |headings| whole(headings, "headings", "1, 4, 6 or 8"))?;
        let mut spec = ClassSpec::new(name, headings);
        spec.shape = choice(shape, "shape", &SHAPES)?;
        spec.sweep = Sweep::usual(spec.shape);
        if let Some(footprint) = footprint {
            spec.footprint = offsets(footprint, "footprint")?;
        }
        spec.footprint_diagonal = diagonal.map(|diagonal| offsets(diagonal, "diagonal")).transpose()?;
        if let Some(pivot) = pivot {
            let of = pivot
                .extract::<(f64, f64)>()
                .ok()
                .and_then(|(forward, right)| Pivot::from_cells(forward, right));
            let wrong = || argument(format!("`pivot` is {}, expected two multiples of a half", shown(pivot)));
            spec.pivot = of.ok_or_else(wrong)?;
        }
        if let Some(sweep) = sweep {
            spec.sweep = sweep_of(sweep, spec.sweep)?;
        }
        if let Some(climb) = climb {
            spec.climb = climb_of(climb)?;
        }
        spec.speed = self::speeds(speeds, "speeds")?;
        spec.side_speed = self::speeds(side_speeds, "side_speeds")?;
        for (number, one) in parts(primitives, "primitives", "a list of dicts")?.iter().enumerate() {
            spec.primitives.push(primitive(one, &format!("primitives[{number}]"))?);
        }
        MovementClass::new(spec).map(Self::new).map_err(in_class)
    }

    #[staticmethod]
    fn octile() -> Self {
        Self::new(MovementClass::octile())
    }

    #[staticmethod]
    #[pyo3(signature = (name, text, class_name = None))]
    fn parse(name: &str, text: &Bound<'_, PyAny>, class_name: Option<&str>) -> PyResult<Self> {
        Self::of_text(Path::new(name), class_name, &bytes(text, "text")?)
    }

    #[staticmethod]
    #[pyo3(signature = (path, class_name = None))]
    fn open(py: Python<'_>, path: PathBuf, class_name: Option<&str>) -> PyResult<Self> {
        if class_name.is_some() {
            let load = || load_planning_problem(&path, class_name, MemoryMax::NONE);
            return py.detach(load).map(|found| Self::new(found.class)).map_err(|error| of_load(&error));
        }
        let text = read_file(&path).map_err(|error| of_load(&error))?;
        Self::of_text(&path, None, &text)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.class.spec().name
    }

    #[getter]
    fn headings(&self) -> u8 {
        self.class.headings()
    }

    #[getter]
    fn shape(&self) -> &'static str {
        self.class.grid_shape().name()
    }

    #[getter]
    fn primitives(&self) -> Vec<&str> {
        self.class.primitives().iter().map(|primitive| &primitive.name[..]).collect()
    }

    fn cells(&self, pose: &Bound<'_, PyAny>) -> PyResult<Vec<(i32, i32)>> {
        covered(&self.class, self::pose(pose, self.class.headings(), "pose")?)
    }

    /// It never changes.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let spec = self.class.spec();
        format!("<Class {}: {} cells, {} headings>", spec.name, spec.footprint.len(), spec.headings)
    }
}

/// The cells that a class covers at a pose; they may lie off the map.
pub(crate) fn covered(class: &MovementClass, pose: Pose) -> PyResult<Vec<(i32, i32)>> {
    let near = -(CELLS_MAX as i32)..=CELLS_MAX as i32;
    if !near.contains(&pose.cell.x) || !near.contains(&pose.cell.y) {
        return Err(argument(format!("`pose` is at {}, farther than any map extends", pose.cell)));
    }
    let cell = |offset: &wheelbase_planner::model::Offset| {
        let CellXY { x, y } = offset.cell_from(pose.cell);
        (x, y)
    };
    Ok(class.cells_at(pose).iter().map(cell).collect())
}
