//! Maps and their edits.

use crate::buffer;
use crate::error::{argument, busy, in_rows, of_load};
use crate::frame;
use crate::value::{PyRect, Whole, changes, choice, numbers, rect, shown, terrain_kind, whole};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use wheelbase_grid::{
    Change, Grid, GridError, GridShape, GridSize, MemoryMax, SideTable, TerrainEntry, TerrainKind,
    TerrainTable,
};
use wheelbase_maps::{MapKind, generate};
use wheelbase_scenario::load::{AttachedFile, Files, load_grid, load_grid_of_bytes};

/// A map.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct Map(RwLock<Grid>);

/// The shapes of maps by name.
pub(crate) const SHAPES: [(&str, GridShape); 2] = [("square", GridShape::Square), ("hex", GridShape::Hex)];

impl Map {
    pub(crate) fn new(grid: Grid) -> Self {
        Self(RwLock::new(grid))
    }

    /// To read.
    pub(crate) fn grid(&self) -> PyResult<RwLockReadGuard<'_, Grid>> {
        self.0.try_read().map_err(|_| busy("Map"))
    }

    fn grid_mut(&self) -> PyResult<RwLockWriteGuard<'_, Grid>> {
        self.0.try_write().map_err(|_| busy("Map"))
    }
}

fn size(width: u64, height: u64) -> PyResult<GridSize> {
    GridSize::new(width, height).map_err(|error| argument(error.to_string()))
}

/// Files by name.
pub(crate) fn files(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<AttachedFile>> {
    let mut files = Vec::new();
    for (name, content) in given.into_iter().flatten() {
        let wrong = |what: &Bound<'_, PyAny>| {
            argument(format!("`files` holds {}, expected names and bytes", shown(what)))
        };
        let name: String = name.extract().map_err(|_| wrong(&name))?;
        files.push(AttachedFile { name, bytes: bytes(&content, "files")? });
    }
    Ok(files)
}

/// Bytes, or a text as bytes.
pub(crate) fn bytes(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u8>> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text.into_bytes());
    }
    let numbers = value.extract::<Vec<u8>>();
    numbers.map_err(|_| argument(format!("`{name}` is {}, expected bytes or a str", shown(value))))
}

/// Terrain kinds as `(name, speed)` or `(name, speed, characters)`.
fn terrain_table(given: &Bound<'_, PyAny>) -> PyResult<TerrainTable> {
    let mut entries = Vec::new();
    for (number, one) in
        crate::value::parts(given, "terrains", "a list of (name, speed, characters)")?.iter().enumerate()
    {
        let wrong = || {
            let expected = "(name, speed) or (name, speed, characters)";
            argument(format!("`terrains[{number}]` is {}, expected {expected}", shown(one)))
        };
        let (name, speed, characters): (String, u16, String) = match one.extract::<(String, u16)>() {
            Ok((name, speed)) => (name, speed, String::new()),
            Err(_) => one.extract().map_err(|_| wrong())?,
        };
        entries.push(TerrainEntry::new(&name, &characters, speed));
    }
    TerrainTable::with_standard(entries).map_err(|error| argument(format!("`terrains`: {error}")))
}

#[pymethods]
impl Map {
    /// A map of one terrain kind.
    #[new]
    #[pyo3(signature = (width, height, *, shape = "square", terrain = None))]
    fn filled(
        width: &Bound<'_, PyAny>,
        height: &Bound<'_, PyAny>,
        shape: &str,
        terrain: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let side = "a number of cells";
        let size = size(whole(width, "width", side)?, whole(height, "height", side)?)?;
        let shape = choice(shape, "shape", &SHAPES)?;
        let table = TerrainTable::movingai();
        let blank = Grid::filled(size, TerrainKind(0), table.clone(), SideTable::default());
        let kind = terrain.map_or(Ok(TerrainKind(0)), |kind| terrain_kind(kind, &blank, "terrain"))?;
        if usize::from(kind.0) >= table.entries().len() {
            return Err(argument(format!(
                "`terrain` is {}, expected less than {}",
                kind.0,
                table.entries().len()
            )));
        }
        Ok(Self::new(Grid::filled(size, kind, table, SideTable::default()).with_shape(shape)))
    }

    #[staticmethod]
    fn from_rows(rows: Vec<String>) -> PyResult<Self> {
        let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default());
        grid.map(Self::new).map_err(|error| {
            let (line, column) = match &error {
                GridError::RaggedRow { row, .. } => (row + 1, 0),
                GridError::UnknownGlyph { cell, .. } => (cell.y as usize + 1, cell.x as usize + 1),
                _ => (0, 0),
            };
            let place = match (line, column) {
                (0, _) => "rows: ".to_owned(),
                (line, 0) => format!("rows:{line}: "),
                _ => format!("rows:{line}:{column}: "),
            };
            in_rows(format!("{place}{error}"), line, column)
        })
    }

    #[staticmethod]
    #[pyo3(signature = (cells, terrains, *, shape = "square"))]
    fn from_cells(cells: &Bound<'_, PyAny>, terrains: &Bound<'_, PyAny>, shape: &str) -> PyResult<Self> {
        let (kinds, sides) = numbers(cells, "cells")?;
        let [height, width] = sides[..] else {
            return Err(argument(format!(
                "`cells` has {} dimensions, expected 2: rows of cells",
                sides.len()
            )));
        };
        let (size, table) = (size(width as u64, height as u64)?, terrain_table(terrains)?);
        let n_kinds = table.entries().len();
        let kind = |(at, kind): (usize, &i64)| {
            let known = u8::try_from(*kind).ok().filter(|kind| usize::from(*kind) < n_kinds);
            known.map(TerrainKind).ok_or_else(|| {
                let (x, y) = (at % width, at / width);
                argument(format!("`cells[{y}, {x}]` is {kind}, expected a terrain kind less than {n_kinds}"))
            })
        };
        let kinds = kinds.iter().enumerate().map(kind).collect::<PyResult<_>>()?;
        let shape = choice(shape, "shape", &SHAPES)?;
        Ok(Self::new(Grid::from_terrain(size, kinds, table, SideTable::default()).with_shape(shape)))
    }

    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let loaded = py.detach(|| load_grid(&path, MemoryMax::NONE));
        loaded.map(|loaded| Self::new(loaded.grid)).map_err(|error| of_load(&error))
    }

    #[staticmethod]
    #[pyo3(signature = (name, content, files = None))]
    fn parse(
        py: Python<'_>,
        name: &str,
        content: &Bound<'_, PyAny>,
        files: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (content, files) = (bytes(content, "content")?, self::files(files)?);
        let load = || load_grid_of_bytes(Path::new(name), &content, Files::Memory(&files), MemoryMax::NONE);
        py.detach(load).map(Self::new).map_err(|error| of_load(&error))
    }

    #[staticmethod]
    fn generate(
        py: Python<'_>,
        kind: &str,
        width: &Bound<'_, PyAny>,
        height: &Bound<'_, PyAny>,
        seed: Whole<u64>,
    ) -> PyResult<Self> {
        let side = "a number of cells";
        let size = size(whole(width, "width", side)?, whole(height, "height", side)?)?;
        let kind = choice(kind, "kind", &MapKind::ALL.map(|kind| (kind.name(), kind)))?;
        Ok(Self::new(py.detach(|| generate(kind, size, seed.0))))
    }

    #[getter]
    fn width(&self) -> PyResult<u32> {
        Ok(self.grid()?.size().width())
    }

    #[getter]
    fn height(&self) -> PyResult<u32> {
        Ok(self.grid()?.size().height())
    }

    #[getter]
    fn shape(&self) -> PyResult<&'static str> {
        Ok(self.grid()?.shape().name())
    }

    #[getter]
    fn revision(&self) -> PyResult<u64> {
        Ok(self.grid()?.revision())
    }

    #[getter]
    fn terrain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        terrain_array(py, &*self.grid()?)
    }

    #[getter]
    fn terrain_names(&self) -> PyResult<Vec<String>> {
        Ok(self.grid()?.terrain_table().entries().iter().map(|kind| kind.name.clone()).collect())
    }

    #[getter]
    fn side_names(&self) -> PyResult<Vec<String>> {
        Ok(self.grid()?.side_table().entries().iter().map(|kind| kind.name.clone()).collect())
    }

    fn edit(&self, changes: &Bound<'_, PyAny>) -> PyResult<PyRect> {
        let mut grid = self.grid_mut()?;
        let changes = self::changes(changes, &grid, "changes")?;
        for (number, change) in changes.iter().enumerate() {
            change.check(&grid).map_err(|error| argument(format!("`changes[{number}]`: {error}")))?;
        }
        Ok(Change::apply_all(&changes, &mut grid).changed.into())
    }

    #[pyo3(signature = (*, area = None, scale = None))]
    fn frame<'py>(
        &self,
        py: Python<'py>,
        area: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let area = area.map(|area| rect(area, "area")).transpose()?;
        let scale = scale.map(|scale| whole(scale, "scale", "a number of pixels a cell")).transpose()?;
        let grid = self.grid()?;
        let view = frame::view_of(&grid, area, scale)?;
        let grid = &*grid;
        frame::array(py, &py.detach(|| frame::of_map(grid, view)))
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(Self::new(self.grid()?.clone()))
    }

    fn __copy__(&self) -> PyResult<Self> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy()
    }

    fn __repr__(&self) -> PyResult<String> {
        let grid = self.grid()?;
        Ok(format!("<Map of {} cells, {}>", grid.size(), grid.shape().name()))
    }
}

/// The terrain kinds of a map, a row for each row of cells.
pub(crate) fn terrain_array<'py>(py: Python<'py>, grid: &Grid) -> PyResult<Bound<'py, PyAny>> {
    let (width, height) = (grid.size().width() as usize, grid.size().height() as usize);
    buffer::array(py, grid.terrain().iter().map(|kind| kind.0).collect::<Vec<u8>>(), &[height, width])
}

/// Whether a class or tables of a shape fit a map.
pub(crate) fn check_shape(class: GridShape, map: GridShape) -> PyResult<()> {
    if class == map {
        return Ok(());
    }
    let (class, map) = (class.name(), map.name());
    Err(argument(format!("the class is for maps of shape \"{class}\", this map is \"{map}\"")))
}
