//! What a scenario means: reads its map, compiles its classes, places its agents.

use crate::agents::{Agents, ClassId};
use crate::events::{PendingEdits, TerrainEdit, TimedEdit};
use crate::metrics::Counts;
use crate::orders::{Order, OrderKind, OrderPool, Trip};
use crate::path_pool::PathPool;
use crate::random::Random;
use crate::requests::Requests;
use crate::reservation::Reservation;
use crate::scenario::{self, Scenario, ScenarioError, ScenarioErrors};
use crate::traffic::{Decisions, GiveWay};
use crate::world::{Settings, SimClass, Simulation};
use std::fmt;
use std::io::Read;
use std::path::Path;
use wheelbase_grid::map_file::movingai;
use wheelbase_grid::{CellXY, Grid, Rect, SideEntry, SideKind, SideTable, TerrainEntry, TerrainTable};
use wheelbase_planner::{
    ClassSpec, Fallback, Goal, GoalMember, Heading, Legality, MovementClass, MovementTables, Pivot, Pose,
    Primitive, State, heading_from_name, heading_name, move_time,
};

/// Largest file that is read, in bytes: a map of 2^26 cells with room to spare.
const FILE_BYTES_MAX: u64 = 1 << 28;

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

/// Reads a file of bounded size.
fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let complain = |why: String| LoadError::File { file: path.display().to_string(), why };
    let file = std::fs::File::open(path).map_err(|error| complain(format!("cannot be read: {error}")))?;
    let mut bytes = Vec::new();
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| complain(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(complain(format!(
            "is larger than {FILE_BYTES_MAX} bytes; no map or scenario needs that"
        )));
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
    let grid = build_grid(path, typed, &typed.terrains, &typed.sides)?;
    let mut classes = Vec::new();
    for class in &typed.classes {
        let built = build_class(class, &grid, &mut errors);
        classes.extend(built.map(|built| SimClass {
            name: class.name.clone(),
            tables: MovementTables::compile(&grid, built),
            as_written: class.as_written.clone(),
        }));
    }
    errors.stop_here()?;
    let events = build_events(typed, &grid, &mut errors);
    let mut sim = Simulation {
        settings: Settings {
            name: typed.name.clone(),
            seed: typed.seed,
            ticks: typed.ticks,
            expansions_per_tick: typed.expansions_per_tick,
            search_slots: typed.search_slots as usize,
            tries_per_tick: typed.tries_per_tick,
        },
        classes,
        entities: hecs::World::new(),
        agents: Agents::default(),
        orders: OrderPool::default(),
        paths: PathPool::default(),
        reservation: Reservation::new(grid.size()),
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
        log: None,
        grid,
    };
    place_agents(&mut sim, typed, &mut errors);
    errors.stop_here()?;
    let mut random = Random::new(typed.seed);
    for group in &typed.groups {
        place_group(&mut sim, group, &mut random, &mut errors);
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
    let (class, mut terrains, mut sides, written_in) = match (named, class) {
        (Some(class), _) => (class, Vec::new(), Vec::new(), target),
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
            class_file = scenario::parse_class_file(name, &read_file(file)?)?;
            (&class_file.class, class_file.terrains.clone(), class_file.sides.clone(), file)
        }
        (None, None) if classes.len() > 1 => {
            let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            return Err(complain(format!(
                "has several classes; name one with --class: {}",
                names.join(", ")
            )));
        }
        // The built-in class sweeps its diagonal steps by `sweep = "full"`.
        _ => return Err(complain("not supported yet: class octile; name a class with --class".to_owned())),
    };
    // A class file's kinds replace the scenario's of the same name.
    if let Some(typed) = &typed {
        let kept = typed.terrains.iter().filter(|t| terrains.iter().all(|own| own.name != t.name));
        terrains = kept.cloned().chain(terrains.iter().cloned()).collect();
        let kept = typed.sides.iter().filter(|s| sides.iter().all(|own| own.name != s.name));
        sides = kept.cloned().chain(sides.iter().cloned()).collect();
    }
    let grid = match &typed {
        Some(typed) => build_grid(target, typed, &terrains, &sides)?,
        None => {
            let mut errors = Complaints::new(written_in);
            let side_table = build_sides(&sides, &mut errors);
            let terrain_table = build_terrains(&terrains, &side_table, &mut errors);
            errors.stop_here()?;
            read_map(target, terrain_table, side_table)?.grid
        }
    };
    let mut errors = Complaints::new(written_in);
    let built = build_class(class, &grid, &mut errors);
    errors.stop_here()?;
    built
        .map(|class| PlanningProblem { grid, class })
        .ok_or_else(|| complain("the class could not be built".to_owned()))
}

/// Mistakes found while building, with the file they are in.
struct Complaints {
    file: String,
    found: Vec<ScenarioError>,
}

impl Complaints {
    fn new(path: &Path) -> Self {
        Self { file: path.display().to_string(), found: Vec::new() }
    }

    fn add(&mut self, line: u32, key: &str, message: impl fmt::Display) {
        let file = self.file.clone();
        let (line, key) = (line as usize, key.to_owned());
        self.found.push(ScenarioError { file, line, key, message: message.to_string() });
    }

    fn stop_here(&mut self) -> Result<(), LoadError> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(ScenarioErrors::new(std::mem::take(&mut self.found)).into())
    }
}

fn read_map(path: &Path, terrain: TerrainTable, sides: SideTable) -> Result<movingai::MapFile, LoadError> {
    let bytes = read_file(path)?;
    movingai::parse(&bytes, terrain, sides)
        .map_err(|error| LoadError::File { file: path.display().to_string(), why: error.to_string() })
}

fn build_sides(sides: &[scenario::Side], errors: &mut Complaints) -> SideTable {
    let entries = sides.iter().map(|side| SideEntry { name: side.name.clone(), speed: side.speed });
    SideTable::new(entries.collect()).unwrap_or_else(|error| {
        let (line, key) = sides.last().map_or((1, "side"), |side| (side.line, &side.key[..]));
        errors.add(line, key, error);
        SideTable::default()
    })
}

fn build_terrains(
    terrains: &[scenario::Terrain],
    sides: &SideTable,
    errors: &mut Complaints,
) -> TerrainTable {
    let mut entries = Vec::new();
    for terrain in terrains {
        let mut starts = [SideKind::OPEN; 4];
        for (start, named) in starts.iter_mut().zip(&terrain.sides) {
            let Some(named) = named else { continue };
            match sides.kind_of_name(&named.value) {
                Some(kind) => *start = kind,
                None => {
                    let known: Vec<&str> = sides.entries().iter().map(|e| e.name.as_str()).collect();
                    let message =
                        format!("no side kind \"{}\"; expected one of {}", named.value, known.join(", "));
                    errors.add(named.line, &format!("{}.sides", terrain.key), message);
                }
            }
        }
        let glyphs = terrain.glyphs.as_ref().map_or(String::new(), |glyphs| glyphs.value.clone());
        entries.push(TerrainEntry {
            name: terrain.name.clone(),
            glyphs,
            speed: terrain.speed,
            sides: starts,
        });
    }
    TerrainTable::with_standard(entries).unwrap_or_else(|error| {
        let (line, key) = terrains.last().map_or((1, "terrain"), |t| (t.line, &t.key[..]));
        errors.add(line, key, error);
        TerrainTable::movingai()
    })
}

fn build_grid(
    path: &Path,
    typed: &Scenario,
    terrains: &[scenario::Terrain],
    sides: &[scenario::Side],
) -> Result<Grid, LoadError> {
    let mut errors = Complaints::new(path);
    let side_table = build_sides(sides, &mut errors);
    let terrain_table = build_terrains(terrains, &side_table, &mut errors);
    errors.stop_here()?;
    let mut grid = match &typed.map.source {
        scenario::MapSource::File(file) => {
            let beside = path.parent().unwrap_or(Path::new("")).join(&file.value);
            read_map(&beside, terrain_table, side_table)?.grid
        }
        scenario::MapSource::Rows(rows) => {
            let texts: Vec<&str> = rows.iter().map(|row| row.value.as_str()).collect();
            Grid::from_rows(&texts, terrain_table, side_table).map_err(|error| {
                let row = match &error {
                    wheelbase_grid::GridError::RaggedRow { row, .. } => *row,
                    wheelbase_grid::GridError::UnknownGlyph { cell, .. } => cell.y as usize,
                    _ => 0,
                };
                errors.add(rows.get(row).map_or(typed.map.line, |row| row.line), "map.rows", error);
                ScenarioErrors::new(std::mem::take(&mut errors.found))
            })?
        }
    };
    for wall in &typed.map.walls {
        if let Err(error) = grid.add_wall(wall.corners.map(i64::from)) {
            errors.add(wall.line, &wall.key, error);
        }
    }
    errors.stop_here()?;
    Ok(grid)
}

fn build_class(class: &scenario::Class, grid: &Grid, errors: &mut Complaints) -> Option<MovementClass> {
    let [forward, right] = class.pivot.value;
    let Some(pivot) = Pivot::from_cells(forward, right) else {
        let message =
            format!("expected two multiples of a half, both whole or both not, found [{forward}, {right}]");
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
        swept: one.swept.iter().map(pair).collect(),
    };
    let spec = ClassSpec {
        name: class.name.clone(),
        headings: class.headings.value,
        footprint: class.footprint.value.iter().map(pair).collect(),
        pivot,
        speed: speeds(&class.speed),
        side_speed: speeds(&class.side_speed),
        primitives: class.moves.iter().map(primitive).collect(),
    };
    let built = MovementClass::new(spec).and_then(|built| built.check_fits(grid.size()).map(|()| built));
    built.map_err(|error| errors.add(class.line, &class.key, error)).ok()
}

fn build_events(typed: &Scenario, grid: &Grid, errors: &mut Complaints) -> Vec<TimedEdit> {
    let mut events = Vec::new();
    for event in &typed.events {
        let scenario::EventAction::SetTerrain { area, kind, on_agents } = &event.action;
        let Some(kind) = grid.terrain_table().kind_of_name(&kind.value) else {
            let known: Vec<&str> = grid.terrain_table().entries().iter().map(|e| e.name.as_str()).collect();
            let message = format!("no terrain \"{}\"; expected one of {}", kind.value, known.join(", "));
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

fn class_named(
    sim: &Simulation,
    name: &scenario::Located<String>,
    key: &str,
    errors: &mut Complaints,
) -> Option<ClassId> {
    let at = sim.classes.iter().position(|class| class.name == name.value);
    if at.is_none() {
        let known: Vec<&str> = sim.classes.iter().map(|class| class.name.as_str()).collect();
        let message = match name.value.as_str() {
            "octile" => "not supported yet: class octile".to_owned(),
            other => format!("no class \"{other}\"; expected one of {}", known.join(", ")),
        };
        errors.add(name.line, &format!("{key}.class"), message);
    }
    at.map(|at| ClassId(at as u8))
}

fn place_agents(sim: &mut Simulation, typed: &Scenario, errors: &mut Complaints) {
    for agent in &typed.agents {
        let Some(class) = class_named(sim, &agent.class, &agent.key, errors) else { continue };
        let orders = build_orders(sim, class, &agent.orders, errors);
        let tables = &sim.classes[class.0 as usize].tables;
        let headings = tables.space().headings();
        let at_key = format!("{}.at", agent.key);
        let heading = match &agent.at.heading {
            None if headings == 1 => Some(Heading(0)),
            None => None,
            Some(name) => heading_from_name(headings, name),
        };
        let Some(heading) = heading else {
            let found = agent.at.heading.as_deref().unwrap_or("none");
            let message =
                format!("heading {found}: class \"{}\" has {}", agent.class.value, heading_list(headings));
            errors.add(agent.at.line, &at_key, message);
            continue;
        };
        let pose = Pose::new(agent.at.x, agent.at.y, heading);
        let name = agent.name.as_ref().map_or(String::new(), |name| format!("agent \"{}\": ", name.value));
        if let Err(blocked) = Legality::new(&sim.grid, tables.class()).check_pose(pose) {
            let why = blocked.describe(&sim.grid);
            let message = format!("{name}{why}; class \"{}\" cannot stand there", agent.class.value);
            errors.add(agent.at.line, &at_key, message);
            continue;
        }
        let cells = tables.class().footprint().at(heading);
        let nobody = crate::agents::AgentId(u32::MAX);
        if let Some(other) = sim.reservation.blocker(nobody, pose.cell, cells) {
            let message = format!("{name}overlaps agent {}; agents need cells of their own", other.0);
            errors.add(agent.at.line, &at_key, message);
            continue;
        }
        if let Some(state) = tables.space().state(pose) {
            let orders = sim.orders.add(&orders);
            sim.place(class, state, agent.priority, orders);
        }
    }
}

fn heading_list(headings: u8) -> String {
    let names: Vec<&str> = (0..headings).map(|h| heading_name(headings, Heading(h))).collect();
    format!("headings {}", names.join(", "))
}

/// Places a group at random: its legal poses are drawn without putting back, and those that are free
/// are taken.
fn place_group(sim: &mut Simulation, group: &scenario::Group, random: &mut Random, errors: &mut Complaints) {
    let Some(class) = class_named(sim, &group.class, &group.key, errors) else { return };
    let orders = build_orders(sim, class, &group.orders, errors);
    if !errors.found.is_empty() {
        return;
    }
    let orders = sim.orders.add(&orders);
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
                "room for {placed} of {} agents; the area has {n_poses} legal poses of class \"{}\" and no free one is left",
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
    errors: &mut Complaints,
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
    errors: &mut Complaints,
) -> Trip {
    let mut members = Vec::with_capacity(poses.len());
    for pose in poses {
        let heading = match pose.heading.as_deref() {
            None | Some("any") => None,
            Some(name) => {
                let heading = heading_from_name(headings, name);
                if heading.is_none() {
                    let message =
                        format!("heading {name}: the class has {} and \"any\"", heading_list(headings));
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
    errors: &mut Complaints,
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
        let message = format!("goal {cell} is off the map of {size}; columns go from 0, rows from 0");
        errors.add(order.line, &order.key, message);
    }
}

/// What looks wrong in a scenario that can be run: overrides of kinds that the map lacks, speeds that
/// change no time, first orders that cannot be done on the map as it starts.
pub fn warnings(path: &Path, typed: &Scenario, sim: &Simulation) -> Vec<ScenarioError> {
    let mut found = Complaints::new(path);
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
            let same = |p: &Primitive| move_time(p.time, speed) == p.time;
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
    found.found
}

fn warn_of_goals(typed: &Scenario, sim: &Simulation, found: &mut Complaints) {
    use wheelbase_planner::{Path, Request, Scratch, Status, plan};
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    for (row, agent) in typed.agents.iter().enumerate() {
        let Some(order) = sim.orders.current(&sim.agents.orders[row]) else { continue };
        let Some(trip) = order.kind.trip() else { continue };
        let class = &sim.classes[sim.agents.motion[row].class.0 as usize];
        let goal = Goal { members: &trip.members, within: trip.within };
        let request = Request { fallback: trip.fallback, ..Request::new(sim.pose(row), goal) };
        let answer = plan(&class.tables, &request, &mut scratch, &mut path);
        if answer.status != Status::Found {
            let legality = Legality::new(&sim.grid, class.tables.class());
            let why = answer.reason(&legality, &request).map(|reason| reason.describe(&legality, &sim.grid));
            let line = agent.orders.first().map_or(agent.line, |order| order.line);
            let key = agent.orders.first().map_or(&agent.key, |order| &order.key);
            found.add(line, key, format!("as the map starts, {}", why.unwrap_or_default()));
        }
    }
}

/// Warnings of a map file: text after the last row.
/// # Errors
/// [`LoadError`] if it cannot be read.
pub fn check_map(path: &Path) -> Result<Vec<String>, LoadError> {
    let map = read_map(path, TerrainTable::movingai(), SideTable::default())?;
    Ok(map.warnings.iter().map(|warning| format!("{}: {warning}", path.display())).collect())
}

/// Reads a class file without giving it a meaning.
/// # Errors
/// [`LoadError`] with every mistake in it.
pub fn read_class_file(path: &Path) -> Result<scenario::ClassFile, LoadError> {
    Ok(scenario::parse_class_file(&path.display().to_string(), &read_file(path)?)?)
}
