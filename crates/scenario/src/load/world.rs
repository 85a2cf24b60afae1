//! Builds a world, or a map and a class to plan for, from a scenario.

use super::agents::{GroupPlacer, PlacedAgents, place_agents, read_group};
use super::classes::{OCTILE_ON_HEX, build_class, names_octile, shape_of_class_file, spec_of};
use super::error::{LoadError, refused};
use super::events::build_events;
use super::files::{Files, nearest_file, read_file};
use super::kinds::TypedKinds;
use super::loaded::{Loaded, Source};
use super::map::{LoadedMap, MapContents, TileTable, load_map, parse_map, read_map};
use super::map_object::agents_of;
use super::memory_need::{self, agents_max};
use super::orders::AgentNames;
use super::overrides::Overrides;
use super::problem::{build_problem, is_problem};
use super::scenario_text::{build_from_text, read_text};
use super::tasks::TaskReader;
use super::teams::Teams;
use super::warnings::{ignored_speeds, warnings};
use crate::scenario::{self, Scenario, ScenarioError, ScenarioErrors};
use crate::scenario::{Diagnostics, Message, locate, nearest_name};
use std::path::{Path, PathBuf};
use wheelbase_grid::{Grid, GridShape, GridSize, MemoryMax, SideTable, TerrainTable};
use wheelbase_maps::MapFileWarning;
use wheelbase_planner::{ClassSpec, MovementClass};
use wheelbase_sim::{
    AgentId, CollisionRule, Command, Random, ReplanParams, Settings, Setup, World, WorldParts,
};
use wheelbase_traffic::Occupancy;

/// A map and a class to plan for.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlanningProblem {
    /// The map.
    pub grid: Grid,
    /// The class.
    pub class: MovementClass,
    /// Files that the map was read from, other than the scenario.
    pub files: Vec<PathBuf>,
}

/// A map alone.
#[derive(Debug)]
#[non_exhaustive]
pub struct LoadedGrid {
    /// The map.
    pub grid: Grid,
    /// Files that it was read from, other than the scenario.
    pub files: Vec<PathBuf>,
}

/// Reads and parses a scenario file.
/// # Errors
/// [`LoadError`] with every mistake in it.
pub fn read_scenario(path: &Path, memory_max: MemoryMax) -> Result<Scenario, LoadError> {
    Ok(scenario::parse(&path.display().to_string(), &read_text(path, memory_max)?)?)
}

/// Checks a scenario: builds its world, and gives the warnings.
/// # Errors
/// [`LoadError`] with every mistake that could be found.
pub fn check_scenario(path: &Path, memory_max: MemoryMax) -> Result<Vec<ScenarioError>, LoadError> {
    check_scenario_of_bytes(path, &read_file(path)?, memory_max)
}

/// As [`check_scenario`], of a scenario that is in memory; `path` is where it would lie.
/// # Errors
/// As [`check_scenario`].
pub fn check_scenario_of_bytes(
    path: &Path,
    bytes: &[u8],
    memory_max: MemoryMax,
) -> Result<Vec<ScenarioError>, LoadError> {
    memory_need::check_text(path, bytes, memory_max)?;
    let mut found = build_from_text(path, bytes, |mut typed| {
        // Loading only searches for the first orders: one slot will do, and landmarks would not pay.
        typed.landmarks = Some(0);
        typed.search_slots = 1;
        let world = build_world_within(path, &typed, Files::Disk, memory_max)?.world;
        Ok(warnings(path, &typed, &world))
    })?;
    locate(&mut found, &path.display().to_string(), bytes);
    Ok(found)
}

/// Reads a scenario and builds its world: map, classes, agents, events.
/// # Errors
/// [`LoadError`] with every mistake that could be found.
pub fn load_world(path: &Path, overrides: Overrides) -> Result<World, LoadError> {
    load_world_and_text(path, overrides).map(|(loaded, _)| loaded.world)
}

/// As [`load_world`], and gives the sources of the world and the text of the scenario. Reads the file once, as a pipe
/// requires.
/// # Errors
/// As [`load_world`].
pub fn load_world_and_text(path: &Path, overrides: Overrides) -> Result<(Loaded, String), LoadError> {
    let bytes = read_file(path)?;
    let loaded = load_world_of_bytes(path, &bytes, Files::Disk, overrides)?;
    // Lossless: anything but UTF-8 was refused above.
    Ok((loaded, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Builds the world of a scenario or problem that is in memory. `path` is where it would lie, which is in all messages
/// and tells the two apart by its extension. The files that it names come from `files`.
///
/// ```
/// use std::path::Path;
/// use wheelbase_scenario::load::{AttachedFile, Files, Overrides, load_world_of_bytes};
/// let text = br#"
/// name = "lane"
/// ticks = 40_000
/// [map]
/// file = "lane.map"
/// [[agents]]
/// class = "octile"
/// at = [0, 0]
/// orders = [{ goto = [3, 0] }]
/// "#;
/// let map = b"type octile\nheight 1\nwidth 4\nmap\n....\n".to_vec();
/// let files = [AttachedFile { name: "lane.map".to_owned(), bytes: map }];
/// let path = Path::new("lane.toml");
/// let mut world = load_world_of_bytes(path, text, Files::Memory(&files), Overrides::default())?.world;
/// world.run();
/// assert_eq!(world.counts().orders_done, 1);
/// let missing = load_world_of_bytes(path, text, Files::Memory(&[]), Overrides::default());
/// assert!(missing.is_err_and(|error| error.to_string().contains("lane.map")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// As [`load_world`].
pub fn load_world_of_bytes(
    path: &Path,
    bytes: &[u8],
    files: Files<'_>,
    overrides: Overrides,
) -> Result<Loaded, LoadError> {
    if is_problem(path) {
        return build_problem(path, bytes, overrides, files);
    }
    if overrides.tries_per_tick.is_some() {
        return Err(LoadError::in_file(
            path,
            "only a problem (.json) has tries_per_tick; expected poses_per_agent (--poses-per-agent N), the poses \
             that each agent may expand per tick",
        ));
    }
    memory_need::check_text(path, bytes, overrides.memory_max)?;
    build_from_text(path, bytes, |mut typed| {
        overrides.apply(&mut typed);
        build_world_within(path, &typed, files, overrides.memory_max)
    })
}

/// Builds the world of a scenario. `path` is the path of its file, to which the paths in it are relative.
/// # Errors
/// As [`load_world`].
pub fn build_world(path: &Path, typed: &Scenario) -> Result<World, LoadError> {
    build_world_of(path, typed, Files::Disk).map(|loaded| loaded.world)
}

/// As [`build_world`], with the files that the scenario names from `files`, and gives the sources of the world.
/// # Errors
/// As [`load_world`].
pub fn build_world_of(path: &Path, typed: &Scenario, files: Files<'_>) -> Result<Loaded, LoadError> {
    build_world_within(path, typed, files, MemoryMax::NONE)
}

/// As [`build_world_of`], within a memory limit: the need is estimated before anything is built.
/// # Errors
/// As [`load_world`], and [`LoadError::Memory`].
pub fn build_world_within(
    path: &Path,
    typed: &Scenario,
    files: Files<'_>,
    memory_max: MemoryMax,
) -> Result<Loaded, LoadError> {
    let map = load_scenario_map(path, typed, files, memory_max)
        .map_err(|error| with_mistakes_of_classes(path, typed, error))?;
    build_world_on(path, typed, map, files, memory_max)
}

/// The mistakes in a map, and those in the classes that can be found without one.
fn with_mistakes_of_classes(path: &Path, typed: &Scenario, error: LoadError) -> LoadError {
    let LoadError::Scenario(of_map) = error else { return error };
    let mut errors = Diagnostics::new(path);
    for class in &typed.classes {
        build_class(class, typed.map.shape, None, &mut errors);
    }
    errors.extend(of_map.into_vec());
    ScenarioErrors::new(errors.take()).into()
}

/// As [`build_world_within`], on a map that is loaded already.
/// # Errors
/// As [`load_world`].
pub(crate) fn build_world_on(
    path: &Path,
    typed: &Scenario,
    map: LoadedMap,
    files: Files<'_>,
    memory_max: MemoryMax,
) -> Result<Loaded, LoadError> {
    let ignored = ignored_speeds(path, typed, &map.grid);
    build_world_of_map(path, typed, map, files, memory_max).map_err(|error| match error {
        LoadError::Scenario(errors) => {
            let mut all = Diagnostics::new(path);
            all.extend(errors.into_vec());
            all.extend(ignored);
            ScenarioErrors::new(all.take()).into()
        }
        other => other,
    })
}

fn build_world_of_map(
    path: &Path,
    typed: &Scenario,
    LoadedMap { grid, objects, file, files: map_files }: LoadedMap,
    files: Files<'_>,
    memory_max: MemoryMax,
) -> Result<Loaded, LoadError> {
    let mut errors = Diagnostics::new(path);
    let mut map_errors = Diagnostics::new(&file);
    let on_map = agents_of(&objects, typed, &mut map_errors);
    let built = movement_classes(typed, &on_map, (grid.shape(), grid.size()), &mut errors);
    errors.extend(map_errors.take());
    errors.stop_if_any()?;
    let collision = match typed.collision {
        scenario::Collision::Swept => CollisionRule::Swept,
        scenario::Collision::Discrete => CollisionRule::Discrete,
    };
    let agents = agents_max(typed, on_map.len());
    let parts = WorldParts {
        grid: &grid,
        classes: built.iter().collect(),
        collision,
        search_slots: typed.search_slots.into(),
        agents,
        changes: memory_need::changes(typed),
        landmarks: WorldParts::landmarks_expected(
            typed.landmarks.map(|number| number as usize),
            memory_need::agents_with_tasks(typed),
        ),
        routes: typed.routes,
        fields: WorldParts::FIELDS,
    };
    parts.check(memory_max).map_err(|error| memory_need::too_large(path, error))?;
    let settings = Settings {
        name: typed.name.clone(),
        seed: typed.seed,
        ticks: typed.ticks,
        expansions_per_tick: typed.expansions_per_tick,
        collision,
        search_slots: typed.search_slots as usize,
        poses_per_agent: typed.poses_per_agent,
        traffic: typed.traffic,
        replan: ReplanParams { routes: typed.routes as u32, ..typed.replan },
        ..Settings::named("")
    };
    let mut setup = Setup::cooperative(settings, grid, built);
    let teams = Teams::of(typed, &mut errors);
    setup.friends = teams.friends;
    let on_file = typed.agents.iter().chain(&on_map).zip(0..);
    let names: AgentNames<'_> =
        on_file.filter_map(|(agent, id)| Some((agent.name.as_ref()?.value.as_str(), AgentId(id)))).collect();
    let lookup = (&names, &teams);
    let (mut placed, mut occupancy) = (PlacedAgents::default(), Occupancy::new(setup.grid.size(), collision));
    place_agents(&mut setup, &typed.agents, lookup, &mut placed, &mut occupancy, &mut errors);
    place_agents(&mut setup, &on_map, lookup, &mut placed, &mut occupancy, &mut map_errors);
    errors.extend(map_errors.take());
    let mut tasks = TaskReader::new(files);
    let read = |group| read_group(&setup, group, lookup, &mut tasks, &mut errors);
    let groups: Vec<_> = typed.groups.iter().map(read).collect();
    let commands = build_events(&setup, typed, lookup, &placed.names, &mut tasks, &mut errors);
    errors.stop_if_any()?;
    let mut random = Random::new(typed.seed);
    let mut placer = GroupPlacer::default();
    for (group, read) in typed.groups.iter().zip(groups) {
        let Some(read) = read else { continue };
        placer.place((&mut setup, &mut occupancy), group, read, &mut random, &mut errors);
    }
    errors.stop_if_any()?;
    setup.landmarks = typed.landmarks.map(|number| number as usize);
    let edits = commands.iter().filter_map(|(_, command)| match command {
        Command::Edit(edit) => Some(&edit.changes),
        _ => None,
    });
    setup.eased = edits.flat_map(|changes| changes.iter().copied()).collect();
    setup.scheduled = commands;
    let mut world = World::new(setup).map_err(|error| refused(path, error))?;
    for (name, &agent) in &placed.names {
        world.name_agent(agent, name);
    }
    Ok(Loaded { world, source: Source { attached: tasks.attached, map_objects: objects, map_files } })
}

/// Reads or generates the map of a scenario at `path`.
/// # Errors
/// As [`load_world`].
pub(crate) fn load_scenario_map(
    path: &Path,
    typed: &Scenario,
    files: Files<'_>,
    memory_max: MemoryMax,
) -> Result<LoadedMap, LoadError> {
    load_map(path, typed, &TypedKinds::of(path, &typed.terrains, &typed.sides), files, memory_max)
}

/// The kinds of the map of a scenario, unless the map file defines its own.
/// # Errors
/// [`LoadError`] with every mistake in them.
pub(crate) fn kind_tables(path: &Path, typed: &Scenario) -> Result<(TerrainTable, SideTable), LoadError> {
    let mut errors = Diagnostics::new(path);
    let tables = TypedKinds::of(path, &typed.terrains, &typed.sides).tables(typed.map.shape, &mut errors);
    errors.stop_if_any()?;
    Ok(tables)
}

/// The classes of a scenario that can be built, then `octile` if an agent has it.
fn movement_classes(
    typed: &Scenario,
    on_map: &[scenario::Agent],
    (shape, size): (GridShape, GridSize),
    errors: &mut Diagnostics<'_>,
) -> Vec<MovementClass> {
    let mut classes = Vec::new();
    for class in &typed.classes {
        classes.extend(build_class(class, shape, Some(size), errors));
    }
    let octile_named = names_octile(typed, on_map);
    if let (GridShape::Hex, Some((line, key))) = (shape, &octile_named) {
        errors.add(*line, key, OCTILE_ON_HEX);
    } else if octile_named.is_some() {
        classes.push(MovementClass::octile());
    }
    classes
}

/// The class in the text of a class file, for maps of a shape; `None` if it cannot be read.
pub(crate) fn read_class_spec(text: &str, shape: GridShape) -> Option<ClassSpec> {
    let file = scenario::parse_class_file("", text.as_bytes()).ok()?;
    spec_of(&file.class, shape, &mut Diagnostics::new(Path::new("")))
}

/// Reads a map or a scenario, and the class to plan for. The class is given by its name or by a class file, or is the
/// only class of the scenario.
/// # Errors
/// [`LoadError`] with every mistake that could be found.
pub fn load_planning_problem(
    target: &Path,
    class: Option<&str>,
    memory_max: MemoryMax,
) -> Result<PlanningProblem, LoadError> {
    if target.extension().is_none_or(|extension| extension != "toml") {
        return planning_problem(target, None, class, memory_max);
    }
    let bytes = read_text(target, memory_max)?;
    build_from_text(target, &bytes, |typed| planning_problem(target, Some(&typed), class, memory_max))
}

/// The map of a scenario or file, and the class to plan for.
fn planning_problem(
    target: &Path,
    typed: Option<&Scenario>,
    class: Option<&str>,
    memory_max: MemoryMax,
) -> Result<PlanningProblem, LoadError> {
    let classes = typed.map_or(&[][..], |typed| &typed.classes);
    let named = match class {
        Some(name) => classes.iter().find(|class| class.name == name),
        None if classes.len() == 1 => classes.first(),
        None => None,
    };
    let report = |why: String| LoadError::in_file(target, why);
    let (read, file, text);
    let (class, class_file, class_path) = match (named, class) {
        (Some(class), _) => (Some(class), None, target),
        (None, Some(name)) if name != "octile" || Path::new(name).exists() => {
            file = Path::new(name);
            if !file.exists() {
                return Err(no_class(target, name, classes));
            }
            text = read_text(file, memory_max)?;
            read = scenario::parse_class_file(&file.display().to_string(), &text)?;
            (Some(&read.class), Some(&read), file)
        }
        (None, None) if classes.len() > 1 => {
            let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            return Err(report(format!("has several classes; name one with --class: {}", names.join(", "))));
        }
        // The built-in class.
        _ => (None, None, target),
    };
    let mut kinds = TypedKinds::default();
    if let Some(typed) = typed {
        kinds.add(target, &typed.terrains, &typed.sides);
    }
    if let Some(file) = class_file {
        kinds.add(class_path, &file.terrains, &file.sides);
    }
    let (grid, files) = match typed {
        Some(typed) => {
            let LoadedMap { grid, files, .. } = load_map(target, typed, &kinds, Files::Disk, memory_max)?;
            (grid, files)
        }
        None => {
            let mut errors = Diagnostics::new(target);
            let shape = class_file.map_or(GridShape::Square, shape_of_class_file);
            let (terrain_table, side_table) = kinds.tables(shape, &mut errors);
            errors.stop_if_any()?;
            let MapContents { grid, files, .. } = read_map(target, terrain_table, side_table, memory_max)?;
            (grid, files)
        }
    };
    let mut errors = Diagnostics::new(class_path);
    let built = match class {
        Some(class) => build_class(class, grid.shape(), Some(grid.size()), &mut errors),
        None if grid.shape() == GridShape::Hex => return Err(report(OCTILE_ON_HEX.to_owned())),
        None => Some(MovementClass::octile()),
    };
    errors.stop_if_any()?;
    built
        .map(|class| PlanningProblem { grid, class, files })
        .ok_or_else(|| report("the class could not be built".to_owned()))
}

/// The error on a `--class` that is neither a class of the scenario nor a file.
fn no_class(target: &Path, name: &str, classes: &[scenario::Class]) -> LoadError {
    let names = || classes.iter().map(|class| class.name.as_str());
    let known: Vec<&str> = names().collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let text = format!("no class and no file named \"{name}\"; classes of {}: {known}", target.display());
    let near = nearest_name(name, names()).map(|near| format!("{near:?}"));
    let nearest = near.or_else(|| nearest_file(Path::new(name)).map(|near| format!("{near:?}")));
    LoadError::in_file(target, Message::from(text).with_nearest(nearest))
}

/// Warnings about a map file: text after the last row.
/// # Errors
/// [`LoadError`] if it cannot be read.
pub fn check_map(path: &Path, memory_max: MemoryMax) -> Result<Vec<ScenarioError>, LoadError> {
    let map = read_map(path, TerrainTable::movingai(), SideTable::default(), memory_max)?;
    let file = path.display();
    let error = |warning: &MapFileWarning| {
        ScenarioError::new(file.to_string(), warning.line, String::new(), &warning.kind)
    };
    Ok(map.warnings.iter().map(error).collect())
}

/// Reads a map alone: a map file of any format, or the map of a scenario.
/// # Errors
/// [`LoadError`] if it cannot be read.
pub fn load_grid(target: &Path, memory_max: MemoryMax) -> Result<LoadedGrid, LoadError> {
    if target.extension().is_some_and(|extension| extension == "toml") {
        let bytes = read_text(target, memory_max)?;
        return build_from_text(target, &bytes, |typed| {
            let LoadedMap { grid, files, .. } = load_scenario_map(target, &typed, Files::Disk, memory_max)?;
            Ok(LoadedGrid { grid, files })
        });
    }
    let MapContents { grid, files, .. } =
        read_map(target, TerrainTable::movingai(), SideTable::default(), memory_max)?;
    Ok(LoadedGrid { grid, files })
}

/// As [`load_grid`], of bytes at hand, for hosts whose files lie in an archive. The bytes are of a map file in the
/// format that the extension of `target` names, or of a scenario (`toml`). Files that these name are read from `files`.
/// # Errors
/// As [`load_grid`].
pub fn load_grid_of_bytes(
    target: &Path,
    bytes: &[u8],
    files: Files<'_>,
    memory_max: MemoryMax,
) -> Result<Grid, LoadError> {
    if target.extension().is_some_and(|extension| extension == "toml") {
        memory_need::check_text(target, bytes, memory_max)?;
        return build_from_text(target, bytes, |typed| {
            Ok(load_scenario_map(target, &typed, files, memory_max)?.grid)
        });
    }
    let kinds = (TerrainTable::movingai(), SideTable::default());
    Ok(parse_map(target, bytes, kinds, TileTable::none(target), files, memory_max)?.grid)
}

/// The specification of a class, of text at hand: of a class file, or of the class named `class` of a scenario. A class
/// file does not say for which shape of cells a class with one heading is: it is given as one for squares.
/// # Errors
/// [`LoadError`] with every mistake that could be found; the class is checked as far as that is possible without a map.
pub fn load_class_of_bytes(path: &Path, class: Option<&str>, bytes: &[u8]) -> Result<ClassSpec, LoadError> {
    memory_need::check_text(path, bytes, MemoryMax::NONE)?;
    let built = |typed: &scenario::Class, shape| {
        let mut errors = Diagnostics::new(path);
        let built = build_class(typed, shape, None, &mut errors);
        errors.stop_if_any().map_err(|errors| LoadError::from(errors).located(path, bytes))?;
        built.map(|class| class.spec().clone()).ok_or_else(|| LoadError::in_file(path, "has no class"))
    };
    let Some(name) = class else {
        let file = scenario::parse_class_file(&path.display().to_string(), bytes)?;
        return built(&file.class, shape_of_class_file(&file));
    };
    build_from_text(path, bytes, |typed| {
        let found = typed.classes.iter().find(|class| class.name == name);
        let none = || no_class(path, name, &typed.classes);
        built(found.ok_or_else(none)?, typed.map.shape)
    })
}

/// Reads and parses a class file.
/// # Errors
/// [`LoadError`] with every mistake in it.
pub fn read_class_file(path: &Path, memory_max: MemoryMax) -> Result<scenario::ClassFile, LoadError> {
    Ok(scenario::parse_class_file(&path.display().to_string(), &read_text(path, memory_max)?)?)
}

/// Checks a class file as far as possible without a map: its kinds and its class.
/// # Errors
/// [`LoadError`] with every mistake that could be found.
pub fn check_class_file(path: &Path, memory_max: MemoryMax) -> Result<(), LoadError> {
    let bytes = read_text(path, memory_max)?;
    let typed = scenario::parse_class_file(&path.display().to_string(), &bytes)?;
    let mut errors = Diagnostics::new(path);
    let shape = shape_of_class_file(&typed);
    TypedKinds::of(path, &typed.terrains, &typed.sides).tables(shape, &mut errors);
    build_class(&typed.class, shape, None, &mut errors);
    errors.stop_if_any().map_err(|errors| LoadError::from(errors).located(path, &bytes))
}
