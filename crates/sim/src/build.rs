//! What a scenario means: reads its map, compiles its classes, places its agents.

use crate::agents::{Agents, ClassId};
use crate::events::{PendingEdits, TerrainEdit, TimedEdit};
use crate::metrics::Counts;
use crate::orders::{Order, OrderKind, OrderPool, Trip};
use crate::path_pool::PathPool;
use crate::random::Random;
use crate::requests::Requests;
use crate::reservation::{CollisionRule, Reservation};
use crate::scenario::{self, Scenario, ScenarioError, ScenarioErrors};
use crate::traffic::{Decisions, GiveWay};
use crate::world::{Settings, SimClass, Simulation};
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use wheelbase_grid::map_file::movingai;
use wheelbase_grid::{
    CellXY, Grid, GridError, GridSize, MapKind, Rect, Side, SideEntry, SideKind, SideTable, TableError,
    TerrainEntry, TerrainKind, TerrainTable, generate,
};
use wheelbase_planner::{
    ClassError, ClassSpec, Fallback, Goal, GoalMember, Heading, Legality, MovementClass, MovementTables,
    OFFSET_MAX, Pivot, Pose, PoseBlocked, Primitive, SLOPE_FLAT, State, heading_from_name, heading_name,
    move_time,
};

/// Largest file that is read, in bytes: a map of 2^26 cells with room to spare.
const FILE_BYTES_MAX: u64 = 1 << 28;
/// Most names that a message lists.
const NAMES_SHOWN_MAX: usize = 8;

/// Why something could not be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// A file cannot be read.
    File {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// Mistakes in a scenario or class file.
    Scenario(ScenarioErrors),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, why } => write!(f, "{file}: {why}"),
            Self::Scenario(errors) => errors.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<ScenarioErrors> for LoadError {
    fn from(errors: ScenarioErrors) -> Self {
        Self::Scenario(errors)
    }
}

/// Values that take the place of a scenario's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    /// Ticks to run at most.
    pub ticks: Option<u32>,
    /// Seed.
    pub seed: Option<u64>,
    /// Expansions a tick.
    pub expansions_per_tick: Option<u64>,
    /// Tries a tick.
    pub tries_per_tick: Option<u64>,
}

/// A map and a class to plan for.
#[derive(Debug)]
pub struct PlanningProblem {
    /// The map.
    pub grid: Grid,
    /// The class.
    pub class: MovementClass,
}

/// Reads a file of bounded size: the memory it takes does not depend on what is in it.
/// # Errors
/// [`LoadError::File`] if it cannot be read, is a folder, or is larger than 2^28 bytes.
pub fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let complain = |why: String| LoadError::File { file: path.display().to_string(), why };
    let file = std::fs::File::open(path).map_err(|error| complain(format!("cannot be read: {error}")))?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(complain("is a folder, expected a file".to_owned()));
    }
    let mut bytes = Vec::new();
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| complain(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(complain(format!("is larger than {FILE_BYTES_MAX} bytes, the most that is read")));
    }
    Ok(bytes)
}

/// Reads a scenario file without giving it a meaning.
/// # Errors
/// [`LoadError`] with every mistake in it.
pub fn read_scenario(path: &Path) -> Result<Scenario, LoadError> {
    let bytes = read_file(path)?;
    Ok(scenario::parse(&path.display().to_string(), &bytes)?)
}

/// Reads a scenario and makes a simulation of it: map, classes, agents, events.
/// # Errors
/// [`LoadError`] with every mistake that could be told.
pub fn load_simulation(path: &Path, overrides: Overrides) -> Result<Simulation, LoadError> {
    let mut typed = read_scenario(path)?;
    typed.ticks = overrides.ticks.unwrap_or(typed.ticks);
    typed.seed = overrides.seed.unwrap_or(typed.seed);
    typed.expansions_per_tick = overrides.expansions_per_tick.unwrap_or(typed.expansions_per_tick);
    typed.tries_per_tick = overrides.tries_per_tick.unwrap_or(typed.tries_per_tick);
    build_simulation(path, &typed)
}

/// Makes a simulation of a scenario. `path` is where it was read from: its map file is looked for
/// beside it.
/// # Errors
/// As [`load_simulation`].
pub fn build_simulation(path: &Path, typed: &Scenario) -> Result<Simulation, LoadError> {
    let mut errors = Complaints::new(path);
    let grid = build_grid(path, typed, &Kinds::of(path, &typed.terrains, &typed.sides))?;
    let mut classes = Vec::new();
    for class in &typed.classes {
        let built = build_class(class, Some(grid.size()), &mut errors);
        classes.extend(built.map(|built| SimClass {
            name: class.name.clone(),
            tables: MovementTables::compile(&grid, built),
            as_written: class.as_written.clone(),
        }));
    }
    if uses_octile(typed) {
        classes.push(SimClass {
            name: "octile".to_owned(),
            tables: MovementTables::compile(&grid, MovementClass::octile()),
            // An empty table in a trace stands for the built-in class.
            as_written: serde_json::Value::Object(serde_json::Map::new()),
        });
    }
    errors.stop_here()?;
    let events = build_events(typed, &grid, &mut errors);
    let collision = match typed.collision {
        scenario::Collision::Swept => CollisionRule::Swept,
        scenario::Collision::Discrete => CollisionRule::Discrete,
    };
    let mut sim = Simulation {
        settings: Settings {
            name: typed.name.clone(),
            seed: typed.seed,
            ticks: typed.ticks,
            expansions_per_tick: typed.expansions_per_tick,
            collision,
            search_slots: typed.search_slots as usize,
            tries_per_tick: typed.tries_per_tick,
        },
        classes,
        entities: hecs::World::new(),
        agents: Agents::default(),
        orders: OrderPool::default(),
        paths: PathPool::default(),
        reservation: Reservation::new(grid.size(), collision),
        requests: Requests::new(typed.search_slots as usize, grid.size()),
        traffic: Box::new(GiveWay::default()),
        decisions: Decisions::default(),
        events,
        next_event: 0,
        pending: PendingEdits::default(),
        counts: Counts::default(),
        tick: 0,
        check_invariants: false,
        violation: None,
        ended: Vec::new(),
        log: None,
        grid,
    };
    place_agents(&mut sim, typed, &mut errors);
    let groups: Vec<_> = typed.groups.iter().map(|group| read_group(&mut sim, group, &mut errors)).collect();
    errors.stop_here()?;
    let mut random = Random::new(typed.seed);
    for (group, read) in typed.groups.iter().zip(groups) {
        let Some((class, orders)) = read else { continue };
        place_group(&mut sim, group, class, orders, &mut random, &mut errors);
    }
    errors.stop_here()?;
    Ok(sim)
}

/// Reads a map or scenario and picks the class to plan for: by name or by class file; without one, a
/// scenario's only class.
/// # Errors
/// [`LoadError`] with every mistake that could be told.
pub fn load_problem(target: &Path, class: Option<&str>) -> Result<PlanningProblem, LoadError> {
    let is_scenario = target.extension().is_some_and(|extension| extension == "toml");
    let typed = if is_scenario { Some(read_scenario(target)?) } else { None };
    let classes = typed.as_ref().map_or(&[][..], |typed| &typed.classes);
    let named = match class {
        Some(name) => classes.iter().find(|class| class.name == name),
        None if classes.len() == 1 => classes.first(),
        None => None,
    };
    let complain = |why: String| LoadError::File { file: target.display().to_string(), why };
    let (class_file, file);
    let (class, own, written_in) = match (named, class) {
        (Some(class), _) => (Some(class), None, target),
        (None, Some(name)) if name != "octile" || Path::new(name).exists() => {
            file = Path::new(name);
            if !file.exists() {
                let known: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(complain(format!(
                    "no class and no file named \"{name}\"; classes of {}: {known}",
                    target.display()
                )));
            }
            class_file = read_class_file(file)?;
            (Some(&class_file.class), Some(&class_file), file)
        }
        (None, None) if classes.len() > 1 => {
            let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            return Err(complain(format!(
                "has several classes; name one with --class: {}",
                names.join(", ")
            )));
        }
        // The built-in class.
        _ => (None, None, target),
    };
    let mut kinds = Kinds::default();
    if let Some(typed) = &typed {
        kinds.add(target, &typed.terrains, &typed.sides);
    }
    if let Some(own) = own {
        kinds.add(written_in, &own.terrains, &own.sides);
    }
    let grid = match &typed {
        Some(typed) => build_grid(target, typed, &kinds)?,
        None => {
            let mut errors = Complaints::new(target);
            let (terrain_table, side_table) = kinds.tables(&mut errors);
            errors.stop_here()?;
            read_map(target, terrain_table, side_table)?.grid
        }
    };
    let mut errors = Complaints::new(written_in);
    let built = match class {
        Some(class) => build_class(class, Some(grid.size()), &mut errors),
        None => Some(MovementClass::octile()),
    };
    errors.stop_here()?;
    built
        .map(|class| PlanningProblem { grid, class })
        .ok_or_else(|| complain("the class could not be built".to_owned()))
}

/// Mistakes found while building. `file` is the one that most of them are in.
struct Complaints<'p> {
    file: &'p Path,
    found: Vec<ScenarioError>,
}

impl<'p> Complaints<'p> {
    fn new(file: &'p Path) -> Self {
        Self { file, found: Vec::new() }
    }

    fn add(&mut self, line: u32, key: &str, message: impl fmt::Display) {
        self.add_in(self.file, line, key, message);
    }

    /// Adds a mistake in another file.
    fn add_in(&mut self, file: &Path, line: u32, key: &str, message: impl fmt::Display) {
        let file = file.display().to_string();
        let (line, key) = (line as usize, key.to_owned());
        self.found.push(ScenarioError { file, line, key, message: message.to_string() });
    }

    /// The mistakes so far, in line order.
    fn take(&mut self) -> Vec<ScenarioError> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        found
    }

    fn stop_here(&mut self) -> Result<(), LoadError> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(ScenarioErrors::new(self.take()).into())
    }
}

fn read_map(path: &Path, terrain: TerrainTable, sides: SideTable) -> Result<movingai::MapFile, LoadError> {
    let bytes = read_file(path)?;
    movingai::parse(&bytes, terrain, sides).map_err(|error| LoadError::File {
        file: format!("{}:{}:{}", path.display(), error.line, error.column),
        why: error.kind.to_string(),
    })
}

/// Terrain and side kinds as typed, each with the file it is from.
#[derive(Default)]
struct Kinds<'a> {
    terrains: Vec<(&'a Path, &'a scenario::Terrain)>,
    sides: Vec<(&'a Path, &'a scenario::Side)>,
}

impl<'a> Kinds<'a> {
    fn of(path: &'a Path, terrains: &'a [scenario::Terrain], sides: &'a [scenario::Side]) -> Self {
        let mut kinds = Self::default();
        kinds.add(path, terrains, sides);
        kinds
    }

    /// Adds the kinds of a file; they replace those of the same name.
    fn add(&mut self, path: &'a Path, terrains: &'a [scenario::Terrain], sides: &'a [scenario::Side]) {
        self.terrains.retain(|(_, old)| terrains.iter().all(|new| new.name != old.name));
        self.terrains.extend(terrains.iter().map(|new| (path, new)));
        self.sides.retain(|(_, old)| sides.iter().all(|new| new.name != old.name));
        self.sides.extend(sides.iter().map(|new| (path, new)));
    }

    /// The tables of a map that has these kinds and those of its format.
    fn tables(&self, errors: &mut Complaints<'_>) -> (TerrainTable, SideTable) {
        let sides = self.side_table(errors);
        (self.terrain_table(&sides, errors), sides)
    }

    fn side_table(&self, errors: &mut Complaints<'_>) -> SideTable {
        let entries =
            self.sides.iter().map(|(_, side)| SideEntry { name: side.name.clone(), speed: side.speed });
        SideTable::new(entries.collect()).unwrap_or_else(|error| {
            let message = match error {
                TableError::TooMany { found, max } => {
                    format!("expected at most {max} side kinds, found {found} with open and wall")
                }
                other => other.to_string(),
            };
            if let Some((path, last)) = self.sides.last() {
                errors.add_in(path, last.line, &last.key, message);
            }
            SideTable::default()
        })
    }

    fn terrain_table(&self, sides: &SideTable, errors: &mut Complaints<'_>) -> TerrainTable {
        let mut entries = Vec::new();
        for (path, terrain) in &self.terrains {
            let mut starts = [SideKind::OPEN; 4];
            for (side, named) in Side::ALL.into_iter().zip(&terrain.sides) {
                let Some(named) = named else { continue };
                match sides.kind_of_name(&named.value) {
                    Some(kind) => starts[side as usize] = kind,
                    None => {
                        let known = listed(sides.entries().iter().map(|e| e.name.as_str()));
                        let key = format!("{}.sides.{}", terrain.key, side.name());
                        let message = format!("no side kind \"{}\", expected {known}", named.value);
                        errors.add_in(path, named.line, &key, message);
                    }
                }
            }
            let glyphs = terrain.glyphs.as_ref().map_or(String::new(), |glyphs| glyphs.value.clone());
            let (name, speed) = (terrain.name.clone(), terrain.speed);
            entries.push(TerrainEntry { name, glyphs, speed, sides: starts });
        }
        TerrainTable::with_standard(entries).unwrap_or_else(|error| {
            self.complain_of_terrains(&error, errors);
            TerrainTable::movingai()
        })
    }

    fn complain_of_terrains(&self, error: &TableError, errors: &mut Complaints<'_>) {
        let named = match error {
            TableError::GlyphTwice { second, .. } => {
                self.terrains.iter().find(|(_, terrain)| terrain.name == *second)
            }
            _ => None,
        };
        let message = match error {
            TableError::TooMany { found, max } => format!(
                "expected at most {max} terrain kinds, found {found} with those of the map format that are not replaced"
            ),
            TableError::GlyphTwice { glyph, first, second } if first == second => {
                format!("expected each glyph once, found {glyph:?} twice")
            }
            other => other.to_string(),
        };
        match (named, self.terrains.last()) {
            (Some((path, terrain)), _) => {
                let line = terrain.glyphs.as_ref().map_or(terrain.line, |glyphs| glyphs.line);
                errors.add_in(path, line, &format!("{}.glyphs", terrain.key), message);
            }
            (None, Some((path, last))) => errors.add_in(path, last.line, &last.key, message),
            (None, None) => {}
        }
    }
}

/// Joins names as in `a, b or c`; of many only the first.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match &names[..] {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] if names.len() <= NAMES_SHOWN_MAX => format!("{} or {last}", most.join(", ")),
        _ => {
            let shown = names[..NAMES_SHOWN_MAX].join(", ");
            format!("{shown} or one of {} more", names.len() - NAMES_SHOWN_MAX)
        }
    }
}

/// The map file of a scenario, looked for beside it.
fn beside(path: &Path, file: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(file)
}

fn build_grid(path: &Path, typed: &Scenario, kinds: &Kinds<'_>) -> Result<Grid, LoadError> {
    let mut errors = Complaints::new(path);
    let (terrain_table, side_table) = kinds.tables(&mut errors);
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

/// Makes a class; with `size`, one that fits on a map of that size.
fn build_class(
    class: &scenario::Class,
    size: Option<GridSize>,
    errors: &mut Complaints<'_>,
) -> Option<MovementClass> {
    let [forward, right] = class.pivot.value;
    let Some(pivot) = Pivot::from_cells(forward, right) else {
        let message = format!(
            "expected two multiples of a half within {OFFSET_MAX} cells, both whole or both not, found [{forward}, {right}]"
        );
        errors.add(class.pivot.line, &format!("{}.pivot", class.key), message);
        return None;
    };
    let pair = |&[a, b]: &[i32; 2]| (a, b);
    let speeds = |of: &[scenario::SpeedOverride]| of.iter().map(|o| (o.name.clone(), o.speed)).collect();
    let primitive = |one: &scenario::Move| Primitive {
        name: one.name.clone(),
        by: pair(&one.by),
        turn: one.turn,
        time: u32::from(one.time),
        swept: one.swept.as_ref().map(|swept| swept.iter().map(pair).collect()),
        when: one.when,
    };
    let spec = ClassSpec {
        name: class.name.clone(),
        headings: class.headings.value,
        footprint: class.footprint.value.iter().map(pair).collect(),
        footprint_diagonal: class.footprint_diagonal.as_ref().map(|cells| cells.iter().map(pair).collect()),
        pivot,
        sweep: class.sweep,
        climb: class.climb,
        speed: speeds(&class.speed),
        side_speed: speeds(&class.side_speed),
        primitives: class.moves.iter().map(primitive).collect(),
    };
    let built = MovementClass::new(spec)
        .and_then(|built| size.map_or(Ok(()), |size| built.check_fits(size)).map(|()| built));
    built
        .map_err(|error| {
            let (line, key) = place_in_class(class, &error);
            let message = match error {
                ClassError::FootprintTwice((forward, right)) => {
                    format!("expected each cell once, found [{forward}, {right}] twice")
                }
                other => other.to_string(),
            };
            errors.add(line, &key, message);
        })
        .ok()
}

/// Line and key path of what is wrong with a class.
fn place_in_class(class: &scenario::Class, error: &ClassError) -> (u32, String) {
    let footprint = || (class.footprint.line, format!("{}.footprint", class.key));
    match error {
        ClassError::FootprintSize(_) | ClassError::FootprintTwice(_) | ClassError::LargerThanMap { .. } => {
            footprint()
        }
        ClassError::OffsetTooFar((forward, right)) => {
            let cell = [*forward, *right];
            let sweeps =
                class.moves.iter().find(|one| one.swept.iter().flatten().any(|swept| *swept == cell));
            let of_move = sweeps.map(|one| (one.line, format!("{}.swept", one.key)));
            if class.footprint.value.contains(&cell) {
                footprint()
            } else {
                of_move.unwrap_or_else(footprint)
            }
        }
        ClassError::TurnTooFar { name, .. }
        | ClassError::TooFar { name, .. }
        | ClassError::Time { name, .. }
        | ClassError::NoEffect(name) => class
            .moves
            .iter()
            .find(|one| one.name == *name)
            .map_or_else(|| (class.line, class.key.clone()), |one| (one.line, one.key.clone())),
        _ => (class.line, class.key.clone()),
    }
}

fn build_events(typed: &Scenario, grid: &Grid, errors: &mut Complaints<'_>) -> Vec<TimedEdit> {
    let mut events = Vec::new();
    for event in &typed.events {
        let scenario::EventAction::SetTerrain { area, kind, on_agents } = &event.action;
        let Some(kind) = grid.terrain_table().kind_of_name(&kind.value) else {
            let known = listed(grid.terrain_table().entries().iter().map(|e| e.name.as_str()));
            let message = format!("no terrain \"{}\", expected {known}", kind.value);
            errors.add(kind.line, &format!("{}.set_terrain.kind", event.key), message);
            continue;
        };
        let edit = TerrainEdit { area: area_rect(area), kind, on_agents: *on_agents };
        events.push(TimedEdit { tick: event.tick, edit });
    }
    // Stable: events of one tick apply in the order of the file.
    events.sort_by_key(|event| event.tick);
    events
}

fn area_rect(area: &scenario::Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

/// Whether an agent is of the built-in class, and none of its name takes its place.
fn uses_octile(typed: &Scenario) -> bool {
    let mut named =
        typed.agents.iter().map(|agent| &agent.class).chain(typed.groups.iter().map(|g| &g.class));
    named.any(|name| name.value == "octile") && typed.classes.iter().all(|class| class.name != "octile")
}

fn class_named(
    sim: &Simulation,
    name: &scenario::Located<String>,
    key: &str,
    errors: &mut Complaints<'_>,
) -> Option<ClassId> {
    let at = sim.classes.iter().position(|class| class.name == name.value);
    if at.is_none() {
        let known = listed(sim.classes.iter().map(|class| class.name.as_str()));
        let message = format!("no class \"{}\", expected {known}", name.value);
        errors.add(name.line, &format!("{key}.class"), message);
    }
    at.map(|at| ClassId(at as u8))
}

fn place_agents(sim: &mut Simulation, typed: &Scenario, errors: &mut Complaints<'_>) {
    // The agents that were placed, by number of their ids.
    let mut placed: Vec<&scenario::Agent> = Vec::new();
    for agent in &typed.agents {
        let Some(class) = class_named(sim, &agent.class, &agent.key, errors) else { continue };
        let orders = build_orders(sim, class, &agent.orders, errors);
        match start_of(sim, agent, class, &placed) {
            Ok(state) => {
                let orders = sim.orders.add(&orders);
                sim.place(class, state, agent.priority, orders);
                placed.push(agent);
            }
            Err(message) => {
                let name = agent.name.as_ref().map(|name| format!("agent \"{}\": ", name.value));
                let message = name.unwrap_or_default() + &message;
                errors.add(agent.at.line, &format!("{}.at", agent.key), message);
            }
        }
    }
}

/// Where an agent is to stand, or why it cannot.
fn start_of(
    sim: &Simulation,
    agent: &scenario::Agent,
    class: ClassId,
    placed: &[&scenario::Agent],
) -> Result<State, String> {
    let tables = &sim.classes[class.0 as usize].tables;
    let headings = tables.space().headings();
    let heading = match &agent.at.heading {
        None if headings == 1 => Some(Heading(0)),
        None => None,
        Some(name) => heading_from_name(headings, name),
    };
    let heading = heading.ok_or_else(|| {
        let found = agent.at.heading.as_ref().map_or("none".to_owned(), |name| format!("{name:?}"));
        format!(
            "expected heading {} of class \"{}\", found {found}",
            heading_list(headings),
            agent.class.value
        )
    })?;
    let pose = Pose::new(agent.at.x, agent.at.y, heading);
    let legality = Legality::new(&sim.grid, tables.class());
    legality.check_pose(pose).map_err(|blocked| {
        format!("{}; {}", blocked.describe(&sim.grid), needs(sim, &agent.class.value, &legality, blocked))
    })?;
    for &offset in tables.class().footprint().at(heading) {
        let cell = CellXY::new(pose.cell.x + offset.dx, pose.cell.y + offset.dy);
        if let Some(other) = sim.reservation.holder_at(cell).and_then(|id| placed.get(id.0 as usize)) {
            let name = other.name.as_ref().map(|name| format!("agent \"{}\"", name.value));
            let name = name.unwrap_or_else(|| other.key.clone());
            return Err(format!(
                "cell {cell} is held by {name} (line {}); agents need cells of their own",
                other.line
            ));
        }
    }
    tables.space().state(pose).ok_or_else(|| format!("{} is no pose", pose.cell))
}

/// What a class needs where a pose is blocked.
fn needs(sim: &Simulation, class: &str, legality: &Legality<'_>, blocked: PoseBlocked) -> String {
    match blocked {
        PoseBlocked::Terrain { .. } => {
            let kinds = sim.grid.terrain_table().entries().iter().zip(legality.terrain_speeds());
            let passable = kinds.filter(|(_, speed)| **speed > 0).map(|(entry, _)| entry.name.as_str());
            format!("class \"{class}\" needs {}", listed(passable))
        }
        PoseBlocked::OffMap { .. } => {
            format!("class \"{class}\" needs its body on {}", cells_of_map(sim.grid.size()))
        }
        _ => format!("class \"{class}\" needs it open"),
    }
}

/// The cells of a map in words.
fn cells_of_map(size: GridSize) -> String {
    format!("columns 0 to {} and rows 0 to {}", size.width() - 1, size.height() - 1)
}

fn heading_list(headings: u8) -> String {
    listed((0..headings).map(|h| heading_name(headings, Heading(h))))
}

/// Class of a group and its orders in the pool.
fn read_group(
    sim: &mut Simulation,
    group: &scenario::Group,
    errors: &mut Complaints<'_>,
) -> Option<(ClassId, (u32, u32))> {
    let class = class_named(sim, &group.class, &group.key, errors)?;
    let orders = build_orders(sim, class, &group.orders, errors);
    Some((class, sim.orders.add(&orders)))
}

/// Places a group at random: its legal poses are drawn without putting back, and those that are free
/// are taken.
fn place_group(
    sim: &mut Simulation,
    group: &scenario::Group,
    class: ClassId,
    orders: (u32, u32),
    random: &mut Random,
    errors: &mut Complaints<'_>,
) {
    let space = sim.classes[class.0 as usize].tables.space();
    let mut poses: Vec<State> = Vec::new();
    for cell in area_rect(&group.area).intersection(sim.grid.size().rect()).cells() {
        let at = |h| space.state(Pose { cell, heading: Heading(h) });
        let tables = &sim.classes[class.0 as usize].tables;
        poses.extend((0..space.headings()).filter_map(at).filter(|&state| tables.is_legal(state)));
    }
    let n_poses = poses.len();
    for placed in 0..group.count {
        let free = loop {
            if poses.is_empty() {
                break None;
            }
            let state = poses.swap_remove(random.below(poses.len()));
            let pose = space.pose(state);
            let cells = sim.classes[class.0 as usize].tables.class().footprint().at(pose.heading);
            let nobody = crate::agents::AgentId(u32::MAX);
            if sim.reservation.blocker(nobody, pose.cell, cells).is_none() {
                break Some(state);
            }
        };
        let Some(state) = free else {
            let message = format!(
                "found room for {placed} of {} agents; the area has {n_poses} legal poses of class \"{}\" and no free one is left",
                group.count, group.class.value
            );
            errors.add(group.line, &group.key, message);
            return;
        };
        sim.place(class, state, group.priority, orders);
    }
}

fn build_orders(
    sim: &Simulation,
    class: ClassId,
    typed: &[scenario::Order],
    errors: &mut Complaints<'_>,
) -> Vec<Order> {
    let space = sim.classes[class.0 as usize].tables.space();
    let mut orders = Vec::with_capacity(typed.len());
    for order in typed {
        let kind = match &order.kind {
            scenario::OrderKind::Wait { ticks } => OrderKind::Wait(*ticks),
            scenario::OrderKind::Goto { goals, reach } => {
                let trip = build_trip(space.headings(), order, goals, reach, errors);
                check_on_map(sim, order, &trip, &trip.members, errors);
                OrderKind::Goto(trip)
            }
            scenario::OrderKind::Patrol { stops, reach } => {
                let trip = build_trip(space.headings(), order, stops, reach, errors);
                for station in &trip.members {
                    check_on_map(sim, order, &trip, std::slice::from_ref(station), errors);
                }
                OrderKind::Patrol(trip)
            }
        };
        orders.push(Order { kind, as_written: order.as_written.clone() });
    }
    orders
}

fn build_trip(
    headings: u8,
    order: &scenario::Order,
    poses: &[scenario::WrittenPose],
    reach: &scenario::Reach,
    errors: &mut Complaints<'_>,
) -> Trip {
    let mut members = Vec::with_capacity(poses.len());
    for pose in poses {
        let heading = match pose.heading.as_deref() {
            None | Some("any") => None,
            Some(name) => {
                let heading = heading_from_name(headings, name);
                if heading.is_none() {
                    let known = heading_list(headings);
                    let message = format!("expected heading any, {known}, found {name:?}");
                    errors.add(pose.line, &order.key, message);
                }
                heading
            }
        };
        members.push(GoalMember { cell: CellXY::new(pose.x, pose.y), heading });
    }
    let fallback = match reach.fallback {
        scenario::Fallback::Fail => Fallback::Fail,
        scenario::Fallback::Nearest => Fallback::Nearest,
    };
    Trip { members, within: u32::from(reach.within), fallback, if_unreachable: reach.if_unreachable }
}

/// A goal of which no member is on the map can never be reached, whatever is edited.
fn check_on_map(
    sim: &Simulation,
    order: &scenario::Order,
    trip: &Trip,
    members: &[GoalMember],
    errors: &mut Complaints<'_>,
) {
    let size = sim.grid.size();
    let goal = Goal { members, within: trip.within };
    let reach = u64::from(trip.within).pow(2);
    let inside = |cell: CellXY| {
        CellXY::new(cell.x.clamp(0, size.width() as i32 - 1), cell.y.clamp(0, size.height() as i32 - 1))
    };
    let on_map = goal.members.iter().any(|member| member.cell.distance_squared(inside(member.cell)) <= reach);
    if !on_map && trip.fallback == Fallback::Fail {
        let cell = members.first().map_or(CellXY::new(0, 0), |member| member.cell);
        let message = format!("goal {cell} is off the map of {size}; expected {}", cells_of_map(size));
        errors.add(order.line, &order.key, message);
    }
}

/// What looks wrong in a scenario that can be run: text after the last row of its map, overrides of
/// kinds that the map lacks, speeds that change no time, first orders that cannot be done on the map as
/// it starts, edits off the map.
pub fn warnings(path: &Path, typed: &Scenario, sim: &Simulation) -> Vec<ScenarioError> {
    let mut found = Complaints::new(path);
    warn_of_map(path, typed, sim, &mut found);
    for class in &typed.classes {
        let terrain = sim.grid.terrain_table();
        for over in class.speed.iter().filter(|over| terrain.kind_of_name(&over.name).is_none()) {
            found.add(over.line, &over.key, format!("the map has no terrain \"{}\"; ignored", over.name));
        }
        let sides = sim.grid.side_table();
        for over in class.side_speed.iter().filter(|over| sides.kind_of_name(&over.name).is_none()) {
            found.add(over.line, &over.key, format!("the map has no side kind \"{}\"; ignored", over.name));
        }
    }
    for (class, typed_class) in sim.classes.iter().zip(&typed.classes) {
        let legality = Legality::new(&sim.grid, class.tables.class());
        for (entry, &speed) in sim.grid.terrain_table().entries().iter().zip(legality.terrain_speeds()) {
            let same = |p: &Primitive| move_time(p.time, SLOPE_FLAT, speed) == p.time;
            if speed > 0 && speed != 1000 && class.tables.class().primitives().iter().all(same) {
                let message = format!(
                    "terrain \"{}\" at speed {speed} takes as long as at 1000: the base times are too small to tell",
                    entry.name
                );
                found.add(typed_class.line, &typed_class.key, message);
            }
        }
    }
    warn_of_goals(typed, sim, &mut found);
    for event in &typed.events {
        let scenario::EventAction::SetTerrain { area, .. } = &event.action;
        if area_rect(area).intersection(sim.grid.size().rect()).is_empty() {
            let message = format!("no cell is on the map of {}; ignored", sim.grid.size());
            found.add(area.line, &format!("{}.set_terrain.area", event.key), message);
        }
    }
    found.take()
}

/// The map was read without its warnings, which only `check` asks for.
fn warn_of_map(path: &Path, typed: &Scenario, sim: &Simulation, found: &mut Complaints<'_>) {
    let scenario::MapSource::File(file) = &typed.map.source else { return };
    let map = beside(path, &file.value);
    let (terrain, sides) = (sim.grid.terrain_table().clone(), sim.grid.side_table().clone());
    for warning in read_map(&map, terrain, sides).map(|read| read.warnings).unwrap_or_default() {
        found.add_in(&map, warning.line as u32, "", warning.kind);
    }
}

fn warn_of_goals(typed: &Scenario, sim: &Simulation, found: &mut Complaints<'_>) {
    use wheelbase_planner::{Path, Request, Scratch, Status, plan};
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for (row, agent) in typed.agents.iter().enumerate() {
        let Some(order) = sim.orders.current(&sim.agents.orders[row]) else { continue };
        let Some(trip) = order.kind.trip() else { continue };
        let class = &sim.classes[sim.agents.motion[row].class.0 as usize];
        // Each stop of a patrol is a goal of its own.
        let goals: Vec<&[GoalMember]> = match &order.kind {
            OrderKind::Patrol(_) => trip.members.chunks(1).collect(),
            _ => vec![&trip.members],
        };
        for members in goals {
            let goal = Goal { members, within: trip.within };
            let request = Request { fallback: trip.fallback, ..Request::new(sim.pose(row), goal) };
            let answer = plan(&class.tables, &request, &mut scratch, &mut path);
            if answer.status != Status::Found {
                let legality = Legality::new(&sim.grid, class.tables.class());
                let why = answer.reason(&legality, &request);
                let why = why.map(|reason| reason.describe(&legality, &sim.grid));
                let line = agent.orders.first().map_or(agent.line, |order| order.line);
                let key = agent.orders.first().map_or(&agent.key, |order| &order.key);
                found.add(line, key, format!("as the map starts, {}", why.unwrap_or_default()));
                break;
            }
        }
    }
}

/// Warnings of a map file: text after the last row.
/// # Errors
/// [`LoadError`] if it cannot be read.
pub fn check_map(path: &Path) -> Result<Vec<String>, LoadError> {
    let map = read_map(path, TerrainTable::movingai(), SideTable::default())?;
    let file = path.display();
    Ok(map.warnings.iter().map(|warning| format!("{file}:{}: {}", warning.line, warning.kind)).collect())
}

/// Reads a class file without giving it a meaning.
/// # Errors
/// [`LoadError`] with every mistake in it.
pub fn read_class_file(path: &Path) -> Result<scenario::ClassFile, LoadError> {
    Ok(scenario::parse_class_file(&path.display().to_string(), &read_file(path)?)?)
}

/// Reads a class file and makes its kinds and its class, as far as that can be done without a map.
/// # Errors
/// [`LoadError`] with every mistake that could be told.
pub fn check_class_file(path: &Path) -> Result<(), LoadError> {
    let typed = read_class_file(path)?;
    let mut errors = Complaints::new(path);
    Kinds::of(path, &typed.terrains, &typed.sides).tables(&mut errors);
    build_class(&typed.class, None, &mut errors);
    errors.stop_here()
}
