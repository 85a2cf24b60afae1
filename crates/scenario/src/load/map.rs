//! Reads or generates the map of a scenario.

use super::error::LoadError;
use super::files::{Files, read_file};
use super::kinds::TypedKinds;
use super::map_object::MapObject;
use super::map_rows::{map_errors, row_errors};
use super::memory_need::{check_file, check_generated};
use crate::scenario::{self, Elevation, MapSource, Scenario, ScenarioErrors, TileKind};
use crate::scenario::{Diagnostics, Message, listed, nearest_name};
use std::path::{Path, PathBuf};
use wheelbase_grid::{
    Cell, Grid, GridError, GridShape, GridSize, MemoryMax, MemoryNeed, SideTable, TerrainKind, TerrainTable,
};
#[cfg(feature = "png")]
use wheelbase_maps::png;
use wheelbase_maps::{MapFileWarning, MapKind, generate, movingai};

/// A map and its objects.
#[derive(Debug)]
pub(crate) struct LoadedMap {
    /// The map.
    pub(crate) grid: Grid,
    /// The objects of its file, if the format has any.
    pub(crate) objects: Vec<MapObject>,
    /// The map file; empty if there is none.
    pub(crate) file: PathBuf,
    /// All files that were read.
    pub(crate) files: Vec<PathBuf>,
}

/// The contents of a map file.
pub(super) struct MapContents {
    pub(super) grid: Grid,
    pub(super) objects: Vec<MapObject>,
    pub(super) warnings: Vec<MapFileWarning>,
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
}

impl MapContents {
    /// Of a format with cells alone.
    fn of_grid(grid: Grid, path: &Path) -> Self {
        Self { grid, objects: Vec::new(), warnings: Vec::new(), files: vec![path.to_owned()] }
    }
}

/// The entries of `map.tiles` and the scenario that has them.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "without the feature `tiled` no format has tiles")]
pub(super) struct TileTable<'s> {
    scenario: &'s Path,
    entries: &'s [TileKind],
}

impl<'s> TileTable<'s> {
    /// Without entries, of a map alone.
    pub(super) fn none(map: &'s Path) -> Self {
        Self { scenario: map, entries: &[] }
    }
}

/// Reads a map file that a user names.
pub(super) fn read_map(
    path: &Path,
    terrain: TerrainTable,
    sides: SideTable,
    memory_max: MemoryMax,
) -> Result<MapContents, LoadError> {
    parse_map(path, &read_file(path)?, (terrain, sides), TileTable::none(path), Files::Disk, memory_max)
}

/// Parses a map file in the format of its extension: Tiled, PNG, else MovingAI.
pub(super) fn parse_map(
    path: &Path,
    bytes: &[u8],
    (terrain, sides): (TerrainTable, SideTable),
    tiles: TileTable<'_>,
    files: Files<'_>,
    memory_max: MemoryMax,
) -> Result<MapContents, LoadError> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("tmx") => parse_tiled(path, bytes, (&terrain, sides), tiles, files, memory_max),
        Some("png") => parse_picture(path, bytes, terrain, sides, memory_max),
        _ => {
            // Checked before any cell is built.
            check_file(path, MemoryNeed::built(2 * bytes.len() as u64), memory_max)?;
            let glyphs = terrain.clone();
            let read = movingai::parse(bytes, terrain, sides)
                .map_err(|error| map_errors(path, (&error, bytes), &glyphs))?;
            Ok(MapContents { warnings: read.warnings, ..MapContents::of_grid(read.grid, path) })
        }
    }
}

#[cfg(feature = "tiled")]
fn parse_tiled(
    path: &Path,
    bytes: &[u8],
    (terrain, sides): (&TerrainTable, SideTable),
    tiles: TileTable<'_>,
    sources: Files<'_>,
    memory_max: MemoryMax,
) -> Result<MapContents, LoadError> {
    use wheelbase_maps::tiled;
    let mut kinds = tiled::TileKinds::default();
    let mut errors = Diagnostics::new(tiles.scenario);
    for TileKind { name, kind, line, key } in tiles.entries {
        if let Err(expected) = kinds.insert(name, kind) {
            errors.add(*line, key, Message::from(format!("expected {expected}")).of_key());
        }
    }
    errors.stop_if_any()?;
    let mut files = vec![path.to_owned()];
    let tileset = |name: &str| {
        let file = relative_to(path, name);
        files.push(file.clone());
        sources.read(&file, name).map_err(|error| match error {
            LoadError::File { message, .. } => message.line(),
            other => other.to_string(),
        })
    };
    check_file(path, tiled::need(bytes), memory_max)?;
    let read = tiled::parse(bytes, terrain, sides, &kinds, tileset).map_err(|error| {
        let file = error.tileset.as_ref().map_or(path.to_owned(), |tileset| relative_to(path, tileset));
        let file = file.display().to_string();
        ScenarioErrors::from(scenario::ScenarioError::new(
            file,
            error.line as usize,
            String::new(),
            error.kind,
        ))
    })?;
    let object = |object: tiled::TiledObject| MapObject {
        line: object.line,
        id: object.id,
        name: object.name,
        class: object.class,
        cells: ([object.area.x, object.area.y], [object.area.width, object.area.height]),
        properties: object.properties.into_iter().map(|p| (p.name, p.value, p.is_object)).collect(),
    };
    let objects = read.objects.into_iter().map(object).collect();
    for TileKind { name, line, key, .. } in tiles.entries {
        let tiles_named = tiled::TileKinds::name_of(name);
        if !read.names.contains(tiles_named) {
            let known = read.names.iter().map(String::as_str);
            let message = Message::unknown_name("no tileset, layer or class of tiles", tiles_named, known);
            errors.add(*line, key, message.of_key());
        }
    }
    errors.stop_if_any()?;
    Ok(MapContents { grid: read.grid, objects, warnings: Vec::new(), files })
}

#[cfg(not(feature = "tiled"))]
fn parse_tiled(
    path: &Path,
    _: &[u8],
    _: (&TerrainTable, SideTable),
    _: TileTable<'_>,
    _: Files<'_>,
    _: MemoryMax,
) -> Result<MapContents, LoadError> {
    Err(left_out(path, "maps of Tiled (feature \"tiled\")"))
}

#[cfg(feature = "png")]
fn parse_picture(
    path: &Path,
    bytes: &[u8],
    terrain: TerrainTable,
    sides: SideTable,
    memory_max: MemoryMax,
) -> Result<MapContents, LoadError> {
    check_file(path, png::need(bytes), memory_max)?;
    let read = png::parse(bytes, terrain, sides);
    let grid = read.map_err(|error| LoadError::in_file(path, error))?;
    Ok(MapContents::of_grid(grid, path))
}

#[cfg(not(feature = "png"))]
fn parse_picture(
    path: &Path,
    _: &[u8],
    _: TerrainTable,
    _: SideTable,
    _: MemoryMax,
) -> Result<MapContents, LoadError> {
    Err(left_out(path, "pictures (feature \"png\")"))
}

/// The size and the heights of a greyscale picture.
#[cfg(feature = "png")]
fn parse_height_picture(
    path: &Path,
    bytes: &[u8],
    memory_max: MemoryMax,
) -> Result<(GridSize, Vec<i16>), LoadError> {
    check_file(path, png::need(bytes), memory_max)?;
    let read = png::parse_heights(bytes);
    read.map_err(|error| LoadError::in_file(path, error))
}

#[cfg(not(feature = "png"))]
fn parse_height_picture(path: &Path, _: &[u8], _: MemoryMax) -> Result<(GridSize, Vec<i16>), LoadError> {
    Err(left_out(path, "pictures (feature \"png\")"))
}

/// The error for a format that this build does not read.
#[cfg(not(all(feature = "png", feature = "tiled")))]
fn left_out(path: &Path, what: &str) -> LoadError {
    LoadError::in_file(path, format!("this program was built without {what}"))
}

/// The path of a file that the file at `path` names.
pub(crate) fn relative_to(path: &Path, file: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(file)
}

/// Reads or generates the map of a scenario.
pub(super) fn load_map(
    path: &Path,
    typed: &Scenario,
    kinds: &TypedKinds<'_>,
    sources: Files<'_>,
    memory_max: MemoryMax,
) -> Result<LoadedMap, LoadError> {
    let mut errors = Diagnostics::new(path);
    let (mut objects, mut map_file, mut files) = (Vec::new(), PathBuf::new(), Vec::new());
    let shape = typed.map.shape;
    let (terrain_table, side_table) = kinds.tables(shape, &mut errors);
    check_tiles_have_a_map(typed, &mut errors);
    errors.stop_if_any()?;
    let mut grid = match &typed.map.source {
        MapSource::File(file) => {
            let map = relative_to(path, &file.value);
            // A mistake in the map has its own line; a map that cannot be read has none.
            let bytes = sources.read(&map, &file.value).map_err(|error| {
                errors.add(file.line, "map.file", error.into_message());
                ScenarioErrors::new(errors.take())
            })?;
            let tiles = TileTable { scenario: path, entries: &typed.map.tiles };
            let read = parse_map(&map, &bytes, (terrain_table, side_table), tiles, sources, memory_max)?;
            if read.grid.shape() != GridShape::Square && shape != read.grid.shape() {
                let message =
                    format!("{} has cells of shape \"hex\", expected shape = \"hex\"", map.display());
                errors.add(typed.map.line, "map.shape", message);
                errors.stop_if_any()?;
            }
            if is_tiled(&map) && shape != read.grid.shape() {
                let message = format!("{} has square cells, expected shape = \"square\"", map.display());
                errors.add(typed.map.line, "map.shape", message);
                errors.stop_if_any()?;
            }
            (objects, map_file, files) = (read.objects, map, read.files);
            read.grid
        }
        MapSource::Generate { kind, size, seed } => {
            let Some(map_kind) = MapKind::from_name(&kind.value) else {
                let known = || MapKind::ALL.iter().map(|kind| kind.name());
                let nearest = nearest_name(&kind.value, known()).map(|near| format!("{near:?}"));
                let message = Message::unexpected(listed(known()), format!("\"{}\"", kind.value));
                errors.add(kind.line, "map.generate.kind", message.with_nearest(nearest));
                return Err(ScenarioErrors::new(errors.take()).into());
            };
            let size = GridSize::new(u64::from(size[0]), u64::from(size[1])).map_err(|error| {
                errors.add(kind.line, "map.generate.size", error);
                ScenarioErrors::new(errors.take())
            })?;
            check_generated(path, size, memory_max)?;
            let generated = generate(map_kind, size, *seed);
            with_kinds(&generated, terrain_table, side_table).map_err(|error| {
                errors.add(kind.line, "map.generate", error);
                ScenarioErrors::new(errors.take())
            })?
        }
        MapSource::Rows(rows) => {
            let texts: Vec<&str> = rows.iter().map(|row| row.value.as_str()).collect();
            let glyphs = terrain_table.clone();
            Grid::from_rows(&texts, terrain_table, side_table).map_err(|error| {
                row_errors(rows, &glyphs, &mut errors);
                // The size of the map, or the number of its kinds.
                if errors.is_empty() {
                    let line = rows.first().map_or(typed.map.line, |row| row.line);
                    errors.add(line, "map.rows[0]", error);
                }
                ScenarioErrors::new(errors.take())
            })?
        }
    };
    if grid.shape() != shape {
        // Not for a format that knows its shape: this resets the sides.
        grid = grid.with_shape(shape);
    }
    if let Some(elevation) = &typed.map.elevation {
        let heights = match elevation {
            Elevation::Rows(rows) => read_heights(&grid, rows, typed.map.line, &mut errors),
            Elevation::File(file) => {
                files.push(relative_to(path, &file.value));
                heights_of_picture(&grid, (path, file), sources, memory_max, &mut errors)?
            }
        };
        errors.stop_if_any()?;
        grid = grid.with_elevation(heights).map_err(|error| {
            errors.add(typed.map.line, "map.elevation", error);
            ScenarioErrors::new(errors.take())
        })?;
    }
    for wall in &typed.map.walls {
        if let Err(error) = grid.check_wall(wall.corners.map(i64::from)) {
            errors.add(wall.line, &wall.key, error);
        }
    }
    errors.stop_if_any()?;
    let walls: Vec<_> = typed.map.walls.iter().map(|wall| wall.corners.map(i64::from)).collect();
    grid.add_walls(&walls).map_err(|error| {
        errors.add(typed.map.line, "map.walls", error);
        ScenarioErrors::new(errors.take())
    })?;
    Ok(LoadedMap { grid, objects, file: map_file, files })
}

/// Refuses `map.tiles` with a map of another format.
fn check_tiles_have_a_map(typed: &Scenario, errors: &mut Diagnostics<'_>) {
    let of_tiled = matches!(&typed.map.source, MapSource::File(file) if is_tiled(Path::new(&file.value)));
    if let Some(first) = typed.map.tiles.first().filter(|_| !of_tiled) {
        errors.add(first.line, "map.tiles", "expected a map of the Tiled editor: file = \"NAME.tmx\"");
    }
}

/// Whether a map file is a Tiled map, by its extension.
pub(super) fn is_tiled(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "tmx")
}

/// The heights of a picture that the scenario names, which must have the size of the map.
fn heights_of_picture(
    grid: &Grid,
    (path, file): (&Path, &scenario::Located<String>),
    sources: Files<'_>,
    memory_max: MemoryMax,
    errors: &mut Diagnostics<'_>,
) -> Result<Vec<i16>, LoadError> {
    let picture = relative_to(path, &file.value);
    let bytes = match sources.read(&picture, &file.value) {
        Ok(bytes) => bytes,
        Err(error) => {
            errors.add(file.line, "map.elevation", error.into_message());
            return Ok(Vec::new());
        }
    };
    let (size, heights) = parse_height_picture(&picture, &bytes, memory_max)?;
    if size != grid.size() {
        let message = format!(
            "{} is a picture of {size} pixels, expected {}, one per cell",
            picture.display(),
            grid.size()
        );
        errors.add(file.line, "map.elevation", message);
    }
    Ok(heights)
}

/// A generated map with the kinds of a scenario in place of the generator's, by glyph.
fn with_kinds(
    generated: &Grid,
    terrain_table: TerrainTable,
    side_table: SideTable,
) -> Result<Grid, GridError> {
    let entries = generated.terrain_table().entries().iter();
    let glyphs: Vec<char> = entries.map(|entry| entry.glyphs.chars().next().unwrap_or_default()).collect();
    let kinds: Vec<Option<TerrainKind>> =
        glyphs.iter().map(|&glyph| terrain_table.kind_of_glyph(glyph)).collect();
    let mut terrain = Vec::with_capacity(generated.size().n_cells());
    for &kind in generated.terrain() {
        terrain.push(kinds[usize::from(kind.0)].ok_or_else(|| GridError::UnknownGlyph {
            cell: generated.size().xy(Cell(terrain.len() as u32)),
            glyph: glyphs[usize::from(kind.0)],
            known: terrain_table.entries().iter().map(|entry| entry.glyphs.as_str()).collect(),
        })?);
    }
    Ok(Grid::from_terrain(generated.size(), terrain, terrain_table, side_table))
}

/// The heights of a map, row-major. Reports rows that do not match it.
fn read_heights(
    grid: &Grid,
    rows: &[scenario::Located<Vec<i16>>],
    line: u32,
    errors: &mut Diagnostics<'_>,
) -> Vec<i16> {
    let (width, height) = (grid.size().width() as usize, grid.size().height() as usize);
    if rows.len() != height {
        let message =
            format!("expected {height} rows of heights, one per row of the map, found {}", rows.len());
        errors.add(rows.first().map_or(line, |row| row.line), "map.elevation", message);
    }
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.value.len() != width) {
        let message = format!("expected {width} heights, one per cell of the row, found {}", row.value.len());
        errors.add(row.line, &format!("map.elevation[{number}]"), message);
    }
    rows.iter().flat_map(|row| row.value.iter().copied()).collect()
}
