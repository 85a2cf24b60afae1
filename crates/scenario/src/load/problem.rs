//! Builds the world of a problem of the League of Robot Runners.
//!
//! Its robots are a class of one cell and four headings. A step forward and a quarter turn take a tick each, and the
//! collision rule is the discrete one. A robot starts facing east, and is assigned a task whenever it has none.

use super::error::{LoadError, refused};
use super::files::{AttachedFile, Files};
use super::loaded::{Loaded, Source};
use super::map::relative_to;
use super::map_rows::map_error;
use super::memory_need::{check_file, too_large};
use super::overrides::Overrides;
use crate::scenario::{
    CellList, Diagnostics, ListedCell, Located, Message, Problem, ScenarioError, ScenarioErrors,
    parse_cell_list, parse_problem,
};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wheelbase_grid::{Cell, Grid, MemoryMax, MemoryNeed, SideTable, TerrainTable};
use wheelbase_maps::movingai;
use wheelbase_planner::{ClassSpec, Heading, MovementClass, MovementTables, Pose, Primitive};
use wheelbase_sim::{
    ClassId, CollisionRule, Order, OrderKind, ReplanParams, RouteMode, Settings, Setup, Spawn, TaskSource,
    World, WorldParts,
};
use wheelbase_traffic::{Cooperative, Traffic, UnitRobots};

/// Name of the class of all agents of a problem.
const CLASS_NAME: &str = "robot";
/// Expansions per tick: the default of scenarios.
const EXPANSIONS_PER_TICK: u64 = 200_000;
/// Searches in progress: the default of scenarios.
const SEARCH_SLOTS: usize = 16;
/// Traffic search budget per tick, about 10 ms of work. Teams up to [`TEAM_OF_MANY_TRIES`] get the maximum. Larger
/// teams get less, because they need the time for fields.
const TRIES_PER_TICK: RangeInclusive<u64> = 600..=2400;
const TEAM_OF_MANY_TRIES: u64 = 1000;
/// Memory per byte of a list of cells, whose lines have at least two bytes. It is the file twice, a cell with its line,
/// and a cell alone.
const LIST_BYTES: u64 = 12;
/// Glyphs of blocked cells. All others are free.
const BLOCKED: [u8; 2] = [b'@', b'T'];

/// Whether a file is a problem, by its extension `.json`.
pub fn is_problem(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// A problem with all its files: the common start of the simulation and of the judge of plans.
#[derive(Clone, Debug)]
pub struct LoadedProblem {
    /// The map.
    pub grid: Grid,
    /// Start cells of the agents, by id; free and distinct.
    pub starts: Vec<Cell>,
    /// Goal cells of the tasks, all free. Agent k of n gets task k, task n + k and so on.
    pub tasks: Vec<Cell>,
    /// Mistakes that do no harm.
    pub warnings: Vec<ScenarioError>,
    files: Vec<AttachedFile>,
}

impl LoadedProblem {
    /// Reads a problem and the files that it names.
    /// # Errors
    /// [`LoadError`] with the mistakes in the first file that has any.
    pub fn read(
        path: &Path,
        bytes: &[u8],
        files: Files<'_>,
        memory_max: MemoryMax,
    ) -> Result<Self, LoadError> {
        let problem = parse_problem(&path.display().to_string(), bytes)?;
        let Problem { map_file, agent_file, task_file, team_size } = &problem;
        let mut reader = FileReader { problem: path, files, read: Vec::new() };
        let (map_path, map_bytes) = reader.read(map_file, "mapFile")?;
        check_file(&map_path, MemoryNeed::built(4 * map_bytes.len() as u64), memory_max)?;
        let grid = read_robot_map(&map_path, &map_bytes)?;
        let (agents_path, agents_bytes) = reader.read(agent_file, "agentFile")?;
        check_file(&agents_path, MemoryNeed::built(LIST_BYTES * agents_bytes.len() as u64), memory_max)?;
        let team = team_size.value as usize;
        let listed = parse_cell_list(&agents_path.display().to_string(), &agents_bytes, team)?;
        let starts = free_cells(&grid, &agents_path, &listed)?;
        if starts.len() < team {
            let found = starts.len();
            let message = format!("expected {team} starts, one per agent of the team, found {found}");
            return Err(mistake_in(&agents_path, listed.announced.line, message));
        }
        let mut starts_sorted: Vec<(Cell, usize)> = starts.iter().copied().zip(0..).collect();
        starts_sorted.sort_unstable();
        if let Some(pair) = starts_sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let [first, second] = [pair[0].1, pair[1].1].map(|at| listed.cells[at].line);
            let cell = pair[0].0.0;
            let message =
                format!("cell {cell} is also the start of line {first}; agents need separate cells");
            return Err(mistake_in(&agents_path, second, message));
        }
        let (tasks_path, tasks_bytes) = reader.read(task_file, "taskFile")?;
        check_file(&tasks_path, MemoryNeed::built(LIST_BYTES * tasks_bytes.len() as u64), memory_max)?;
        let listed = parse_cell_list(&tasks_path.display().to_string(), &tasks_bytes, usize::MAX)?;
        let tasks = free_cells(&grid, &tasks_path, &listed)?;
        if tasks.is_empty() {
            return Err(mistake_in(
                &tasks_path,
                listed.announced.line,
                "expected at least one task".to_owned(),
            ));
        }
        let mut warnings = Vec::new();
        let Located { value: announced, line } = listed.announced;
        if announced != tasks.len() as u64 {
            let found = tasks.len();
            let message = format!("expected {announced} tasks, found {found}");
            let file = tasks_path.display().to_string();
            warnings.push(ScenarioError::new(file, line as usize, String::new(), message));
        }
        let files = reader.read;
        Ok(Self { grid, starts, tasks, warnings, files })
    }
}

/// Builds the world of a problem. Problems have no number of ticks: [`Overrides::ticks`] gives it.
/// # Errors
/// [`LoadError`]; also if there is no number of ticks.
pub fn build_problem(
    path: &Path,
    bytes: &[u8],
    overrides: Overrides,
    files: Files<'_>,
) -> Result<Loaded, LoadError> {
    let Some(ticks) = overrides.ticks else {
        return Err(LoadError::in_file(
            path,
            "a problem does not say how many ticks to run; expected --ticks N",
        ));
    };
    if overrides.poses_per_agent.is_some() {
        return Err(LoadError::in_file(
            path,
            "only a scenario has poses_per_agent; expected tries_per_tick (--tries-per-tick N)",
        ));
    }
    let problem = LoadedProblem::read(path, bytes, files, overrides.memory_max)?;
    let settings = Settings {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        seed: overrides.seed.unwrap_or(0),
        ticks,
        collision: CollisionRule::Discrete,
        expansions_per_tick: overrides.expansions_per_tick.unwrap_or(EXPANSIONS_PER_TICK),
        search_slots: SEARCH_SLOTS,
        tries_per_tick: overrides.tries_per_tick.unwrap_or_else(|| tries_of_team(problem.starts.len())),
        traffic: overrides.traffic,
        replan: ReplanParams { routes: overrides.routes_of(RouteMode::default()) as u32, ..overrides.replan },
        ..Settings::named("")
    };
    let robot = problem_class();
    let parts = WorldParts {
        grid: &problem.grid,
        classes: vec![&robot],
        collision: settings.collision,
        search_slots: SEARCH_SLOTS as u64,
        agents: problem.starts.len() as u64,
        changes: 0,
        landmarks: 0,
        routes: settings.replan.route_mode(),
        fields: UnitRobots::FIELDS_NEED,
    };
    parts.check(overrides.memory_max).map_err(|error| too_large(path, error))?;
    let mut tables = MovementTables::compile(&problem.grid, robot);
    tables.make_components();
    let LoadedProblem { grid, starts, tasks, files, .. } = problem;
    let size = grid.size();
    let traffic: Box<dyn Traffic> =
        match UnitRobots::new(&tables, settings.collision, starts.len(), settings.seed, settings.traffic) {
            Some(rule) => Box::new(rule),
            None => Box::new(Cooperative::new(
                std::slice::from_ref(&tables),
                size,
                settings.collision,
                settings.traffic,
            )),
        };
    let mut setup = Setup::with_rule(settings, grid, vec![tables], traffic);
    let team = starts.len() as u32;
    let source = TaskSource::RoundRobin { cells: tasks.iter().map(|&cell| size.xy(cell)).collect(), team };
    let orders: Arc<[Order]> = Arc::new([Order::new(OrderKind::Tasks(Arc::new(source), 0))]);
    for (number, &start) in (0..).zip(&starts) {
        let pose = Pose { cell: size.xy(start), heading: Heading(0) };
        setup.agents.push(Spawn { orders: Arc::clone(&orders), number, ..Spawn::new(ClassId(0), pose) });
    }
    // Problems have no landmarks: their rule finds paths itself.
    setup.landmarks = Some(0);
    let world = World::new(setup).map_err(|error| refused(path, error))?;
    Ok(Loaded { world, source: Source { attached: files, ..Source::default() } })
}

/// Traffic search budget of a team per tick.
fn tries_of_team(robots: usize) -> u64 {
    let (least, most) = TRIES_PER_TICK.into_inner();
    (most * TEAM_OF_MANY_TRIES / (robots as u64).max(1)).clamp(least, most)
}

/// The class of all agents of a problem: the robot of the competition.
fn problem_class() -> MovementClass {
    let mut spec = ClassSpec::new(CLASS_NAME, 4);
    spec.primitives = vec![
        Primitive::step("forward", (1, 0), 1),
        Primitive::turn("left", 1, 1),
        Primitive::turn("right", -1, 1),
    ];
    MovementClass::new(spec).unwrap_or_else(|_| unreachable!("three moves of one cell"))
}

/// Reads the files that a problem names, and keeps them.
struct FileReader<'a> {
    problem: &'a Path,
    files: Files<'a>,
    read: Vec<AttachedFile>,
}

impl FileReader<'_> {
    fn read(&mut self, file: &Located<String>, key: &str) -> Result<(PathBuf, Vec<u8>), LoadError> {
        let path = relative_to(self.problem, &file.value);
        let bytes = self.files.read(&path, &file.value).map_err(|error| {
            let problem = self.problem.display().to_string();
            ScenarioErrors::from(ScenarioError::new(
                problem,
                file.line as usize,
                key.to_owned(),
                error.into_message(),
            ))
        })?;
        self.read.push(AttachedFile { name: file.value.clone(), bytes: bytes.clone() });
        Ok((path, bytes))
    }
}

fn mistake_in(file: &Path, line: u32, message: String) -> LoadError {
    let file = file.display().to_string();
    ScenarioErrors::from(ScenarioError::new(file, line as usize, String::new(), message)).into()
}

/// The map of a problem: `@` and `T` are blocked, all other glyphs are free.
fn read_robot_map(path: &Path, bytes: &[u8]) -> Result<Grid, LoadError> {
    let mut bytes = bytes.to_vec();
    let mut in_rows = false;
    for line in bytes.split_mut(|&byte| byte == b'\n') {
        if in_rows {
            line.iter_mut()
                .filter(|glyph| glyph.is_ascii_graphic() && !BLOCKED.contains(glyph))
                .for_each(|glyph| *glyph = b'.');
        }
        in_rows |= line.trim_ascii() == b"map";
    }
    let parsed = movingai::parse(&bytes, TerrainTable::movingai(), SideTable::default());
    Ok(parsed.map_err(|error| map_error(path, &error))?.grid)
}

/// The cells of a list, which must be free cells of the map.
fn free_cells(grid: &Grid, path: &Path, listed: &CellList) -> Result<Vec<Cell>, LoadError> {
    let n_cells = grid.size().n_cells();
    let mut cells = Vec::with_capacity(listed.cells.len());
    let mut errors = Diagnostics::new(path);
    for &ListedCell { cell, line } in &listed.cells {
        if cell as usize >= n_cells {
            let range = format!("a cell from 0 to {}", n_cells - 1);
            errors.add(line, "", Message::unexpected(range, cell.to_string()));
            continue;
        }
        let kind = grid.terrain()[cell as usize];
        if grid.terrain_table()[kind].speed == 0 {
            errors.add(line, "", Message::wrong(format!("cell {cell} is blocked"), "a free one"));
        }
        cells.push(Cell(cell));
    }
    errors.stop_if_any()?;
    Ok(cells)
}
