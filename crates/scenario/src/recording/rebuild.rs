//! Rebuilds the world that a recording began with.

use crate::load::{
    Files, LoadError, Loaded, LoadedMap, Overrides, agents_max, build_classes, build_problem, build_world_of,
    build_world_on, is_problem, kind_tables, load_scenario_map, problem_class,
};
use crate::recording::error::RecordingError;
use crate::recording::header::{Header, RecordedClass, RecordedKind};
use crate::scenario::{self, Elevation, MapSource, Scenario};
use std::path::{Path, PathBuf};
use wheelbase_grid::{
    Cell, Grid, GridShape, GridSize, MemoryMax, SIDES_MAX, SideEntry, SideKind, SideTable, TerrainEntry,
    TerrainKind, TerrainTable,
};
use wheelbase_planner::MovementClass;
use wheelbase_sim::{CollisionRule, ReplanParams, WorldParts};
use wheelbase_traffic::TrafficParams;

/// Rebuilds the world that a recording began with, from the recording alone.
/// # Errors
/// [`RecordingError::Scenario`] if its scenario cannot be built.
pub fn rebuild(header: &Header) -> Result<Loaded, RecordingError> {
    let (path, files) = (Path::new(&header.file), Files::Attached(&header.attached));
    if is_problem(path) {
        let built = build_problem(path, header.scenario.as_bytes(), overrides(header), files);
        return built.map_err(RecordingError::Scenario);
    }
    let mut typed = typed_scenario(header)?;
    // Map and heights are recorded: their files may have changed or gone.
    let from_file = matches!(typed.map.elevation, Some(Elevation::File(_)));
    let build = match &typed.map.source {
        MapSource::File(file) => {
            let map = recorded_map(header, &typed, is_tiled(&file.value))?;
            build_world_on(path, &typed, map, files, MemoryMax::NONE)
        }
        _ if from_file => {
            typed.map.elevation = None;
            let map = load_scenario_map(path, &typed, MemoryMax::NONE).map_err(RecordingError::Scenario)?;
            build_world_on(path, &typed, with_recorded_heights(header, map)?, files, MemoryMax::NONE)
        }
        _ => build_world_of(path, &typed, files),
    };
    build.map_err(RecordingError::Scenario)
}

/// Checks that the world of [`rebuild`] fits in memory, without building it.
/// # Errors
/// [`RecordingError::Scenario`] if it does not, or cannot be built.
pub fn check_memory(header: &Header, memory_max: MemoryMax) -> Result<(), RecordingError> {
    let classes = scenario_classes(header)?;
    let grid = recorded_cells(header, recorded_kinds(header)?, header.grid_shape())?;
    let mut parts = WorldParts {
        grid: &grid,
        classes: classes.iter().collect(),
        collision: CollisionRule::Discrete,
        search_slots: 0,
        agents: 0,
        landmarks: 0,
        fields: WorldParts::FIELDS,
    };
    if !is_problem(Path::new(&header.file)) {
        let typed = typed_scenario(header)?;
        parts.search_slots = typed.search_slots.into();
        parts.agents = agents_max(&typed, header.objects.len());
    }
    let too_large = |error| LoadError::Memory { file: header.file.clone(), error };
    parts.check(memory_max).map_err(too_large).map_err(RecordingError::Scenario)
}

/// Whether a map file defines its own kinds.
fn is_tiled(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == "tmx")
}

/// The movement classes of a recording, by [`ClassId`](wheelbase_sim::ClassId), built from its scenario.
/// # Errors
/// [`RecordingError::Scenario`] if they cannot be built, [`RecordingError::Damaged`] if the header describes other
/// classes.
pub fn movement_classes(header: &Header) -> Result<Vec<MovementClass>, RecordingError> {
    let classes = scenario_classes(header)?;
    let (found, recorded) = (classes.len(), header.classes.len());
    let shown = |(class, recorded): (&MovementClass, &RecordedClass)| {
        *recorded == RecordedClass { text: recorded.text.clone(), ..RecordedClass::of(class) }
    };
    if found == recorded && classes.iter().zip(&header.classes).all(shown) {
        return Ok(classes);
    }
    Err(damaged("its classes are not those of the scenario in it".to_owned()))
}

fn scenario_classes(header: &Header) -> Result<Vec<MovementClass>, RecordingError> {
    if is_problem(Path::new(&header.file)) {
        return Ok(vec![problem_class()]);
    }
    let typed = typed_scenario(header)?;
    let (width, height) = (header.map.width.into(), header.map.height.into());
    // Cannot fail: the reader has checked the size.
    let size = GridSize::new(width, height).map_err(|error| damaged(error.to_string()))?;
    build_classes(Path::new(&header.file), &typed, &header.objects, (header.grid_shape(), size))
        .map_err(RecordingError::Scenario)
}

/// Damage in the header.
fn damaged(why: String) -> RecordingError {
    RecordingError::Damaged { part: "the start".to_owned(), why }
}

/// The scenario of a recording with its overrides.
fn typed_scenario(header: &Header) -> Result<Scenario, RecordingError> {
    let mut typed = scenario::parse(&header.file, header.scenario.as_bytes())
        .map_err(|errors| RecordingError::Scenario(errors.into()))?;
    overrides(header).apply(&mut typed);
    Ok(typed)
}

/// The overrides of a recording: the effective values of its run.
fn overrides(header: &Header) -> Overrides {
    Overrides {
        ticks: Some(header.ticks),
        seed: Some(header.seed),
        expansions_per_tick: Some(header.expansions_per_tick),
        tries_per_tick: Some(header.tries_per_tick),
        traffic: TrafficParams::USUAL,
        replan: ReplanParams::USUAL,
        memory_max: MemoryMax::NONE,
    }
}

/// The map of a recording before the first tick, with its objects. Kinds are those of the scenario, unless the map
/// file defines its own.
fn recorded_map(header: &Header, typed: &Scenario, tiled: bool) -> Result<LoadedMap, RecordingError> {
    let (tables, shape) = if tiled {
        (recorded_kinds(header)?, header.grid_shape())
    } else {
        let tables = kind_tables(Path::new(&header.file), typed).map_err(RecordingError::Scenario)?;
        (tables, typed.map.shape)
    };
    let map = LoadedMap {
        grid: recorded_cells(header, tables, shape)?,
        objects: header.objects.clone(),
        file: PathBuf::from(&header.file),
        files: Vec::new(),
    };
    with_recorded_heights(header, map)
}

/// The recorded cells and sides, with tables of their kinds.
fn recorded_cells(
    header: &Header,
    (terrain, sides): (TerrainTable, SideTable),
    shape: GridShape,
) -> Result<Grid, RecordingError> {
    let map = &header.map;
    let size = GridSize::new(u64::from(map.width), u64::from(map.height));
    let size = size.map_err(|error| damaged(error.to_string()))?;
    let (n_terrain, n_sides) = (terrain.entries().len(), sides.entries().len());
    if let Some(kind) = map.terrain.iter().find(|&&kind| usize::from(kind) >= n_terrain) {
        return Err(damaged(format!("terrain kind {kind}, expected one of {n_terrain}")));
    }
    let kinds_of = |packed: u32| (0..SIDES_MAX).map(move |side| (packed >> (4 * side) & 15) as usize);
    if map.sides.iter().any(|&packed| packed != 0 && kinds_of(packed).any(|kind| kind >= n_sides)) {
        return Err(damaged(format!("a side of a kind that is none of {n_sides}")));
    }
    let kinds = map.terrain.iter().map(|&kind| TerrainKind(kind)).collect();
    let sides_of = |cell: Cell| std::array::from_fn(|side| SideKind(map.side(cell.0 as usize, side as u8)));
    Ok(Grid::from_terrain(size, kinds, terrain, sides).with_shape(shape).with_sides(sides_of))
}

/// A map with the recorded heights and revision.
fn with_recorded_heights(header: &Header, map: LoadedMap) -> Result<LoadedMap, RecordingError> {
    let LoadedMap { mut grid, objects, file, files } = map;
    if !header.map.elevation.is_empty() {
        let heights = header.map.elevation.clone();
        grid = grid.with_elevation(heights).map_err(|error| damaged(error.to_string()))?;
    }
    Ok(LoadedMap { grid: grid.at_revision(header.map_revision), objects, file, files })
}

/// The recorded kinds.
fn recorded_kinds(header: &Header) -> Result<(TerrainTable, SideTable), RecordingError> {
    let entry = |(kind, colour): (&RecordedKind, &[u8; 3])| TerrainEntry {
        name: kind.name.clone(),
        glyphs: kind.glyphs.clone(),
        speed: kind.speed,
        colour: Some(*colour),
        // Not needed: the recorded layer holds the sides of all cells.
        sides: [SideKind::OPEN; SIDES_MAX],
    };
    let terrain = header.terrain_kinds.iter().zip(&header.terrain_colours).map(entry).collect();
    let terrain = TerrainTable::new(terrain).map_err(|error| damaged(error.to_string()))?;
    let side = |kind: &RecordedKind| SideEntry { name: kind.name.clone(), speed: kind.speed };
    let sides = SideTable::new(header.side_kinds.iter().map(side).collect());
    Ok((terrain, sides.map_err(|error| damaged(error.to_string()))?))
}
