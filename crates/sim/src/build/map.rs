//! The map of a scenario.

use super::complaints::{Complaints, listed};
use super::kinds::Kinds;
use super::{LoadError, read_file};
use crate::scenario::{self, Scenario, ScenarioErrors};
use std::path::{Path, PathBuf};
use wheelbase_grid::map_file::movingai;
use wheelbase_grid::{Grid, GridError, GridSize, MapKind, SideTable, TerrainKind, TerrainTable, generate};

pub(super) fn read_map(
    path: &Path,
    terrain: TerrainTable,
    sides: SideTable,
) -> Result<movingai::MapFile, LoadError> {
    let bytes = read_file(path)?;
    movingai::parse(&bytes, terrain, sides).map_err(|error| map_error(path, &error))
}

/// What is wrong in a map file, with its place.
pub(super) fn map_error(path: &Path, error: &movingai::MapFileError) -> LoadError {
    LoadError::File {
        file: format!("{}:{}:{}", path.display(), error.line, error.column),
        why: error.kind.to_string(),
    }
}

/// The map file of a scenario, looked for beside it.
pub(super) fn beside(path: &Path, file: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(file)
}

pub(super) fn build_grid(path: &Path, typed: &Scenario, kinds: &Kinds<'_>) -> Result<Grid, LoadError> {
    let mut errors = Complaints::new(path);
    let shape = typed.map.shape;
    let (terrain_table, side_table) = kinds.tables(shape, &mut errors);
    errors.stop_here()?;
    let mut grid = match &typed.map.source {
        scenario::MapSource::File(file) => {
            let map = beside(path, &file.value);
            // What is wrong in the map has a line of its own; a map that is not there has none.
            if let Err(error) = std::fs::metadata(&map) {
                errors.add(file.line, "map.file", format!("{}: cannot be read: {error}", map.display()));
                errors.stop_here()?;
            }
            read_map(&map, terrain_table, side_table)?.grid
        }
        scenario::MapSource::Generate { kind, size, seed } => {
            let Some(map_kind) = MapKind::from_name(&kind.value) else {
                let known = listed(MapKind::ALL.iter().map(|kind| kind.name()));
                errors.add(
                    kind.line,
                    "map.generate.kind",
                    format!("expected {known}, found \"{}\"", kind.value),
                );
                return Err(ScenarioErrors::new(errors.take()).into());
            };
            let size = GridSize::new(u64::from(size[0]), u64::from(size[1])).map_err(|error| {
                errors.add(kind.line, "map.generate.size", error);
                ScenarioErrors::new(errors.take())
            })?;
            let made = generate(map_kind, size, *seed);
            // The scenario's kinds take the place of those of the generated map, by glyph.
            let texts: Vec<String> =
                made.terrain().chunks(size.width() as usize).map(|row| glyph_row(&made, row)).collect();
            Grid::from_rows(&texts, terrain_table, side_table).map_err(|error| {
                errors.add(kind.line, "map.generate", error);
                ScenarioErrors::new(errors.take())
            })?
        }
        scenario::MapSource::Rows(rows) => {
            let texts: Vec<&str> = rows.iter().map(|row| row.value.as_str()).collect();
            Grid::from_rows(&texts, terrain_table, side_table).map_err(|error| {
                let row = match &error {
                    GridError::RaggedRow { row, .. } => *row,
                    GridError::UnknownGlyph { cell, .. } => cell.y as usize,
                    _ => 0,
                };
                let line = rows.get(row).map_or(typed.map.line, |row| row.line);
                errors.add(line, &format!("map.rows[{row}]"), error);
                ScenarioErrors::new(errors.take())
            })?
        }
    };
    grid = grid.with_shape(shape);
    if let Some(rows) = &typed.map.elevation {
        let heights = read_heights(&grid, rows, typed.map.line, &mut errors);
        errors.stop_here()?;
        grid = grid.with_elevation(heights).map_err(|error| {
            errors.add(typed.map.line, "map.elevation", error);
            ScenarioErrors::new(errors.take())
        })?;
    }
    for wall in &typed.map.walls {
        if let Err(error) = grid.add_wall(wall.corners.map(i64::from)) {
            errors.add(wall.line, &wall.key, error);
        }
    }
    errors.stop_here()?;
    Ok(grid)
}

/// A row of a generated map as glyphs.
fn glyph_row(made: &Grid, row: &[TerrainKind]) -> String {
    row.iter().filter_map(|&kind| made.terrain_table()[kind].glyphs.chars().next()).collect()
}

/// The heights of a map, row-major; complains of rows that do not match it.
fn read_heights(
    grid: &Grid,
    rows: &[scenario::Located<Vec<i16>>],
    line: u32,
    errors: &mut Complaints<'_>,
) -> Vec<i16> {
    let (width, height) = (grid.size().width() as usize, grid.size().height() as usize);
    if rows.len() != height {
        let message =
            format!("expected {height} rows of heights, one a row of the map, found {}", rows.len());
        errors.add(rows.first().map_or(line, |row| row.line), "map.elevation", message);
    }
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.value.len() != width) {
        let message = format!("expected {width} heights, one a cell of the row, found {}", row.value.len());
        errors.add(row.line, &format!("map.elevation[{number}]"), message);
    }
    rows.iter().flat_map(|row| row.value.iter().copied()).collect()
}
