//! Cells, poses, goals, areas and changes as Python gives them, and what they are in Rust.

use crate::error::argument;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use wheelbase_grid::{CellXY, Change, Grid, Rect, Side, SideKind, TerrainKind};
use wheelbase_planner::model::{HEADING_COUNTS, heading_from_name};
use wheelbase_planner::search::{Fallback, HeuristicName};
use wheelbase_planner::{GoalMember, Heading, Pose};

/// A whole number of a range of Rust.
pub(crate) fn whole<T: TryFrom<i64>>(value: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyResult<T> {
    let number = value.extract::<i64>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| argument(format!("`{name}` is {}, expected {expected}", shown(value))))
}

/// A whole number as a parameter. PyO3 puts the name of the parameter before the message of a `TypeError`, and of no
/// other.
#[derive(Clone, Copy)]
pub(crate) struct Whole<T>(pub(crate) T);

impl<'a, 'py, T: TryFrom<i128>> FromPyObject<'a, 'py> for Whole<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let number = given.extract::<i128>().ok().and_then(|number| T::try_from(number).ok());
        number.map(Self).ok_or_else(|| {
            let of = std::any::type_name::<T>();
            let range = match of.split_at(1) {
                ("u", bits) => format!("0 or more, of {} bits", bits.replace("size", "64")),
                (_, bits) => format!("{bits} bits"),
            };
            PyTypeError::new_err(format!("{} is no whole number of {range}", shown(&given)))
        })
    }
}

/// A value in a message: not the whole of a large one.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    const CHARS: usize = 60;
    let text =
        value.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string_lossy().into_owned());
    match text.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// A name among some.
pub(crate) fn choice<T: Copy>(found: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    let chosen = all.iter().find(|(other, _)| *other == found).map(|(_, value)| *value);
    chosen.ok_or_else(|| {
        let names: Vec<String> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        argument(format!("`{name}` is \"{found}\", expected {}", names.join(" or ")))
    })
}

/// The parts of a sequence, at most `most` of them.
pub(crate) fn parts<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    expected: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let wrong = || argument(format!("`{name}` is {}, expected {expected}", shown(value)));
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyDict>() {
        return Err(wrong());
    }
    value.try_iter().and_then(Iterator::collect).map_err(|_| wrong())
}

const I32: &str = "a whole number of 32 bits";

/// `(x, y)`.
pub(crate) fn cell(value: &Bound<'_, PyAny>, name: &str) -> PyResult<CellXY> {
    match &parts(value, name, "a cell (x, y)")?[..] {
        [x, y] => {
            Ok(CellXY::new(whole(x, &format!("{name}[0]"), I32)?, whole(y, &format!("{name}[1]"), I32)?))
        }
        _ => Err(argument(format!("`{name}` is {}, expected a cell (x, y)", shown(value)))),
    }
}

/// Cells, as pairs of numbers.
pub(crate) fn cells(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<CellXY>> {
    let all = parts(value, name, "a list of cells (x, y)")?;
    all.iter().enumerate().map(|(number, one)| cell(one, &format!("{name}[{number}]"))).collect()
}

/// A heading by number or by name. Without `headings` a name counts in the first of 4, 8 and 6 headings that has it.
pub(crate) fn heading(value: &Bound<'_, PyAny>, headings: Option<u8>, name: &str) -> PyResult<(Heading, u8)> {
    if let Ok(text) = value.extract::<String>() {
        let counts = [4, 8, 6, 1];
        debug_assert!(HEADING_COUNTS.iter().all(|count| counts.contains(count)));
        let named = |count: u8| heading_from_name(count, &text).map(|heading| (heading, count));
        let found = match headings {
            Some(count) => named(count),
            None => counts.into_iter().find_map(named),
        };
        return found.ok_or_else(|| {
            let of = headings.map_or(String::new(), |count| format!(" of {count}"));
            argument(format!("`{name}` is \"{text}\", expected the name of a heading{of}"))
        });
    }
    let count = headings.unwrap_or(u8::MAX);
    let expected = format!("a heading, by name or as a number less than {count}");
    let number: u8 = whole(value, name, &expected)?;
    if number < count {
        return Ok((Heading(number), headings.unwrap_or(1)));
    }
    Err(argument(format!("`{name}` is {number}, expected {expected}")))
}

/// `(x, y, heading)`; with one heading `(x, y)` will do.
pub(crate) fn pose(value: &Bound<'_, PyAny>, headings: u8, name: &str) -> PyResult<Pose> {
    let wrong = || argument(format!("`{name}` is {}, expected a pose (x, y, heading)", shown(value)));
    let all = parts(value, name, "a pose (x, y, heading)")?;
    let (x, y, facing) = match &all[..] {
        [x, y] if headings == 1 => (x, y, Heading(0)),
        [x, y, facing] => (x, y, heading(facing, Some(headings), &format!("{name}[2]"))?.0),
        _ => return Err(wrong()),
    };
    Ok(Pose::new(whole(x, &format!("{name}[0]"), I32)?, whole(y, &format!("{name}[1]"), I32)?, facing))
}

/// A goal `(x, y)` or `(x, y, heading)`, where the heading may be `None` or `"any"`. Also returns how many headings its
/// number counts in.
pub(crate) fn goal(value: &Bound<'_, PyAny>, headings: Option<u8>, name: &str) -> PyResult<(GoalMember, u8)> {
    let expected = "a goal (x, y) or (x, y, heading)";
    let all = parts(value, name, expected)?;
    let at = |x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>| -> PyResult<CellXY> {
        Ok(CellXY::new(whole(x, &format!("{name}[0]"), I32)?, whole(y, &format!("{name}[1]"), I32)?))
    };
    match &all[..] {
        [x, y] => Ok((GoalMember::any(at(x, y)?), 1)),
        [x, y, any] if any.is_none() || any.extract::<String>().is_ok_and(|text| text == "any") => {
            Ok((GoalMember::any(at(x, y)?), 1))
        }
        [x, y, facing] => {
            let (heading, count) = heading(facing, headings, &format!("{name}[2]"))?;
            Ok((GoalMember { cell: at(x, y)?, heading: Some(heading) }, count))
        }
        _ => Err(argument(format!("`{name}` is {}, expected {expected}", shown(value)))),
    }
}

/// One goal or a list of goals. Also returns how many headings their numbers count in.
pub(crate) fn goals(
    value: &Bound<'_, PyAny>,
    headings: Option<u8>,
    name: &str,
) -> PyResult<(Vec<GoalMember>, u8)> {
    let expected = "a goal (x, y) or (x, y, heading), or a list of goals";
    let all = parts(value, name, expected)?;
    if all.first().is_some_and(|first| first.extract::<i64>().is_ok()) {
        return goal(value, headings, name).map(|(member, count)| (vec![member], count));
    }
    let (mut members, mut most) = (Vec::with_capacity(all.len()), 1);
    for (number, one) in all.iter().enumerate() {
        let (member, count) = goal(one, headings, &format!("{name}[{number}]"))?;
        members.push(member);
        most = most.max(count);
    }
    if members.is_empty() {
        return Err(argument(format!("`{name}` is empty, expected {expected}")));
    }
    Ok((members, most))
}

/// A rectangle of cells.
#[pyclass(frozen, eq, hash, skip_from_py_object, module = "wheelbase", name = "Rect")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyRect {
    /// Column of its western cells.
    #[pyo3(get)]
    x: i32,
    /// Row of its northern cells.
    #[pyo3(get)]
    y: i32,
    /// Columns.
    #[pyo3(get)]
    width: u32,
    /// Rows.
    #[pyo3(get)]
    height: u32,
}

#[pymethods]
impl PyRect {
    #[new]
    fn new(
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        width: &Bound<'_, PyAny>,
        height: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let side = "a number of cells";
        Ok(Self {
            x: whole(x, "x", I32)?,
            y: whole(y, "y", I32)?,
            width: whole(width, "width", side)?,
            height: whole(height, "height", side)?,
        })
    }

    fn __repr__(&self) -> String {
        format!("Rect({}, {}, {}, {})", self.x, self.y, self.width, self.height)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
        (self.x, self.y, self.width, self.height).into_pyobject(py)?.try_iter()
    }

    fn __len__(&self) -> usize {
        4
    }
}

impl From<Rect> for PyRect {
    fn from(area: Rect) -> Self {
        Self { x: area.x, y: area.y, width: area.width, height: area.height }
    }
}

impl PyRect {
    /// The area.
    pub(crate) fn area(&self) -> Rect {
        Rect::new(self.x, self.y, self.width, self.height)
    }
}

/// A [`PyRect`], or `(x, y, width, height)`.
pub(crate) fn rect(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Rect> {
    if let Ok(area) = value.cast::<PyRect>() {
        return Ok(area.get().area());
    }
    match &parts(value, name, "an area (x, y, width, height)")?[..] {
        [x, y, width, height] => {
            let (of, side) = (|number| format!("{name}[{number}]"), "a number of cells");
            let (width, height) = (whole(width, &of(2), side)?, whole(height, &of(3), side)?);
            Ok(Rect::new(whole(x, &of(0), I32)?, whole(y, &of(1), I32)?, width, height))
        }
        _ => Err(argument(format!("`{name}` is {}, expected an area (x, y, width, height)", shown(value)))),
    }
}

/// Changes of a map: `("terrain", area, kind)`, `("elevation", area, height)`, `("side", cell, side, kind)`,
/// `("rotate", cell, turns)`. A kind is a number, or its name on the map.
pub(crate) fn changes(value: &Bound<'_, PyAny>, grid: &Grid, name: &str) -> PyResult<Vec<Change>> {
    let expected =
        "a list of changes, each a tuple that begins with \"terrain\", \"elevation\", \"side\" or \"rotate\"";
    let all = parts(value, name, expected)?;
    let one = |(number, given): (usize, &Bound<'_, PyAny>)| {
        let name = format!("{name}[{number}]");
        change(given, grid, &name)?.map_or_else(
            || {
                Err(argument(format!(
                    "`{name}` is {}, expected a change as in `changes`: {expected}",
                    shown(given)
                )))
            },
            Ok,
        )
    };
    all.iter().enumerate().map(one).collect()
}

fn change(given: &Bound<'_, PyAny>, grid: &Grid, name: &str) -> PyResult<Option<Change>> {
    let Ok(given) = given.cast::<PyTuple>() else { return Ok(None) };
    let all: Vec<Bound<'_, PyAny>> = given.iter().collect();
    let Some(Ok(what)) = all.first().map(|what| what.extract::<String>()) else { return Ok(None) };
    let at = |number| format!("{name}[{number}]");
    Ok(Some(match (&what[..], &all[1..]) {
        ("terrain", [area, kind]) => {
            Change::Terrain { area: rect(area, &at(1))?, kind: terrain_kind(kind, grid, &at(2))? }
        }
        ("elevation", [area, height]) => {
            let height = whole(height, &at(2), "a height of -32768 to 32767")?;
            Change::Elevation { area: rect(area, &at(1))?, height }
        }
        ("side", [of, side, kind]) => {
            let text: String = side.extract().unwrap_or_default();
            let side = Side::from_name(&text).ok_or_else(|| {
                argument(format!("`{}` is {}, expected the name of a side such as \"E\"", at(2), shown(side)))
            })?;
            Change::Side { cell: cell(of, &at(1))?, side, kind: side_kind(kind, grid, &at(3))? }
        }
        ("rotate", [of, turns]) => {
            Change::Rotate { cell: cell(of, &at(1))?, turns: whole(turns, &at(2), I32)? }
        }
        _ => return Ok(None),
    }))
}

/// A terrain kind by number or by name.
pub(crate) fn terrain_kind(value: &Bound<'_, PyAny>, grid: &Grid, name: &str) -> PyResult<TerrainKind> {
    let Ok(text) = value.extract::<String>() else {
        return whole(value, name, "a terrain kind, by number or by name").map(TerrainKind);
    };
    grid.terrain_table().kind_of_name(&text).ok_or_else(|| {
        let known = grid.terrain_table().entries().iter().map(|kind| kind.name.as_str());
        argument(format!("`{name}` is \"{text}\", expected one of {}", known.collect::<Vec<_>>().join(", ")))
    })
}

fn side_kind(value: &Bound<'_, PyAny>, grid: &Grid, name: &str) -> PyResult<SideKind> {
    let Ok(text) = value.extract::<String>() else {
        return whole(value, name, "a side kind, by number or by name").map(SideKind);
    };
    grid.side_table().kind_of_name(&text).ok_or_else(|| {
        let known = grid.side_table().entries().iter().map(|kind| kind.name.as_str());
        argument(format!("`{name}` is \"{text}\", expected one of {}", known.collect::<Vec<_>>().join(", ")))
    })
}

/// The whole numbers of an array or a sequence of any shape, row by row, and the shape.
pub(crate) fn numbers(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<i64>, Vec<usize>)> {
    let py = value.py();
    let wrong = || argument(format!("`{name}` is {}, expected an array of whole numbers", shown(value)));
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|_| wrong())?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape.contains(&0) {
        return Ok((Vec::new(), shape));
    }
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(&kind[..], "i" | "u" | "b") {
        return Err(wrong());
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    let numbers = PyBuffer::<i64>::get(&array)?.to_vec(py)?;
    Ok((numbers, shape))
}

/// A list of whole numbers of a range of Rust.
pub(crate) fn list_of<T: TryFrom<i64>>(
    value: &Bound<'_, PyAny>,
    name: &str,
    expected: &str,
) -> PyResult<Vec<T>> {
    let (all, shape) = numbers(value, name)?;
    if shape.len() != 1 {
        return Err(argument(format!("`{name}` has {} dimensions, expected 1: {expected}", shape.len())));
    }
    let wrong = |at: usize, number: i64| argument(format!("`{name}[{at}]` is {number}, expected {expected}"));
    all.into_iter()
        .enumerate()
        .map(|(at, number)| T::try_from(number).map_err(|_| wrong(at, number)))
        .collect()
}

/// The fallback of a request.
pub(crate) fn fallback(name: &str) -> PyResult<Fallback> {
    choice(name, "fallback", &[("fail", Fallback::Fail), ("nearest", Fallback::Nearest)])
}

/// A heuristic by name.
pub(crate) fn heuristic(name: Option<&str>) -> PyResult<Option<HeuristicName>> {
    let all = HeuristicName::ALL.map(|one| (one.name(), one));
    name.map(|name| choice(name, "heuristic", &all)).transpose()
}
