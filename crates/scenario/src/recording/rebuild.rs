//! Rebuilds the world that a recording began with.

use crate::load::{
    Files, LoadError, Loaded, LoadedMap, Overrides, Source, agents_max, build_problem, build_world_on,
    build_world_within, changes, is_problem, kind_tables, load_scenario_map,
};
use crate::recording::error::RecordingError;
use crate::recording::header::{Header, RecordedKind};
use crate::recording::host_start::HostStart;
use crate::recording::snapshot_start::SnapshotStart;
use crate::scenario::{self, Elevation, MapSource, Scenario};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use wheelbase_grid::{
    Cell, Grid, GridShape, GridSize, MemoryMax, MemoryNeed, SIDES_MAX, SideEntry, SideKind, SideTable,
    TerrainEntry, TerrainKind, TerrainTable,
};
use wheelbase_planner::MovementTables;
use wheelbase_sim::{CollisionRule, Host, Settings, Setup, World, WorldParts, make_own_rule};
use wheelbase_traffic::view::TrafficView;
use wheelbase_traffic::{
    DecisionFeed, Decisions, OwnRule, RecordedRule, RuleContext, RuleSetting, RuleState, RuleStateError,
    Traffic,
};

/// The world that a recording began with.
#[non_exhaustive]
pub struct Rebuilt {
    /// The world, before the first tick recorded.
    pub world: World,
    /// The sources of its scenario other than the text; empty for a host's world.
    pub source: Source,
    /// Takes the recorded decisions of a traffic rule from outside before each tick.
    pub feed: Option<DecisionFeed>,
}

/// Rebuilds the world that a recording began with, from the recording alone.
/// # Errors
/// [`RecordingError::Scenario`] if its scenario cannot be built, [`RecordingError::Setup`] if its setup cannot.
pub fn rebuild(header: &Header) -> Result<Rebuilt, RecordingError> {
    rebuild_within(header, MemoryMax::NONE)
}

/// As [`rebuild`], within a memory limit.
pub(super) fn rebuild_within(header: &Header, memory_max: MemoryMax) -> Result<Rebuilt, RecordingError> {
    match (&header.snapshot, &header.host) {
        (Some(start), _) => load_snapshot(start, memory_max),
        (None, Some(host)) => rebuild_host(header, host),
        (None, None) => rebuild_scenario(header, memory_max).map(|Loaded { world, source }| Rebuilt {
            world,
            source,
            feed: None,
        }),
    }
}

/// The world of a resumed run. A traffic rule from outside gives way to its recorded decisions.
fn load_snapshot(start: &SnapshotStart, memory_max: MemoryMax) -> Result<Rebuilt, RecordingError> {
    let feed = RefCell::new(None);
    let make_rule = |name: &str, setting: RuleSetting<'_>| {
        if !start.rule_is_outside {
            return make_own_rule(name, setting);
        }
        let (rule, of_rule) = RecordedRule::new(start.needs_paths);
        feed.replace(Some(of_rule));
        Some(Box::new(StandIn(rule)) as Box<dyn Traffic>)
    };
    let loaded = World::load(&start.bytes, Host { traffic: &make_rule, memory_max, ..Host::default() });
    let world = loaded.map_err(|error| RecordingError::Damaged {
        part: "the snapshot that it begins with".to_owned(),
        why: error.to_string(),
    })?;
    if world.tick() != start.tick {
        return Err(damaged(format!("a snapshot of tick {}, expected {}", world.tick(), start.tick)));
    }
    Ok(Rebuilt { world, source: Source::default(), feed: feed.into_inner() })
}

/// Repeats the decisions of a rule whose state means nothing here.
struct StandIn(RecordedRule);

impl Traffic for StandIn {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.0.decide(view, decisions);
    }

    fn needs_paths(&self) -> bool {
        self.0.needs_paths()
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        self.0.clone_box()
    }

    fn restore_state(&mut self, _: &RuleState, _: &RuleContext<'_>) -> Result<(), RuleStateError> {
        Ok(())
    }
}

/// The world of a host: its setup stands in the header.
fn rebuild_host(header: &Header, host: &HostStart) -> Result<Rebuilt, RecordingError> {
    let (traffic, replan) = header.params().map_err(damaged)?;
    let settings = Settings {
        name: host.name.clone(),
        seed: header.seed,
        collision: header.collision_rule(),
        ticks: header.ticks,
        expansions_per_tick: header.expansions_per_tick,
        search_slots: header.search_slots as usize,
        poses_per_agent: header.poses_per_agent,
        tries_per_tick: header.tries_per_tick,
        traffic,
        replan,
    };
    let grid = recorded_cells(header, recorded_kinds(header)?, header.grid_shape())?;
    let grid = with_recorded_heights(header, grid)?;
    let (found, expected) = (host.components.len(), header.classes.len());
    if found != expected {
        return Err(damaged(format!("components of {found} classes, expected {expected}")));
    }
    let compiled = header.classes.iter().zip(&host.components).map(|(class, &has_components)| {
        let mut tables = MovementTables::compile(&grid, class.movement().clone());
        if has_components {
            tables.make_components();
        }
        tables
    });
    let tables: Vec<MovementTables> = compiled.collect();
    let (rule, feed): (Box<dyn Traffic>, _) = if host.rule_is_outside() {
        let (rule, feed) = RecordedRule::new(host.needs_paths);
        (Box::new(rule), Some(feed))
    } else {
        let setting = RuleSetting {
            tables: &tables,
            size: grid.size(),
            collision: settings.collision,
            n_agents: host.agents.len(),
            seed: settings.seed,
            params: settings.traffic,
        };
        let made = OwnRule::from_name(&host.rule).and_then(|rule| rule.make(setting));
        (made.ok_or_else(|| damaged(format!("no traffic rule \"{}\" for its classes", host.rule)))?, None)
    };
    let mut setup = Setup::with_rule(settings, grid, tables, rule);
    host.put_into(&mut setup).map_err(damaged)?;
    let world = World::new(setup).map_err(RecordingError::Setup)?;
    Ok(Rebuilt { world, source: Source::default(), feed })
}

fn rebuild_scenario(header: &Header, memory_max: MemoryMax) -> Result<Loaded, RecordingError> {
    let (path, files) = (Path::new(&header.file), Files::Attached(&header.attached));
    if is_problem(path) {
        let overrides = Overrides { memory_max, ..overrides(header)? };
        let built = build_problem(path, header.scenario.as_bytes(), overrides, files);
        return built.map_err(RecordingError::Scenario);
    }
    let mut typed = typed_scenario(header)?;
    // Map and heights are recorded: their files may have changed or gone.
    let from_file = matches!(typed.map.elevation, Some(Elevation::File(_)));
    let build = match &typed.map.source {
        MapSource::File(file) => {
            let map = recorded_map(header, &typed, is_tiled(&file.value))?;
            build_world_on(path, &typed, map, files, memory_max)
        }
        _ if from_file => {
            typed.map.elevation = None;
            let map = load_scenario_map(path, &typed, files, memory_max).map_err(RecordingError::Scenario)?;
            let grid = with_recorded_heights(header, map.grid)?;
            build_world_on(path, &typed, LoadedMap { grid, ..map }, files, memory_max)
        }
        _ => build_world_within(path, &typed, files, memory_max),
    };
    build.map_err(RecordingError::Scenario)
}

/// Checks that the world of [`rebuild`] fits in memory, without building it. Gives its need.
/// # Errors
/// [`RecordingError::Scenario`] if it does not, or cannot be built.
pub(super) fn check_memory(header: &Header, memory_max: MemoryMax) -> Result<MemoryNeed, RecordingError> {
    let grid = recorded_cells(header, recorded_kinds(header)?, header.grid_shape())?;
    let (_, replan) = header.params().map_err(damaged)?;
    let mut parts = WorldParts {
        grid: &grid,
        classes: header.classes.iter().map(|class| class.movement()).collect(),
        collision: CollisionRule::Discrete,
        search_slots: header.search_slots.into(),
        agents: 0,
        changes: 0,
        landmarks: 0,
        routes: replan.route_mode(),
        fields: WorldParts::FIELDS,
    };
    if let Some(start) = &header.snapshot {
        parts.collision = header.collision_rule();
        parts.agents = start.agents.into();
    } else if let Some(host) = &header.host {
        parts.collision = header.collision_rule();
        parts.agents = host.agents.len() as u64;
        parts.changes = host.n_changes();
        parts.landmarks = host.landmarks.unwrap_or(0) as usize;
    } else if !is_problem(Path::new(&header.file)) {
        let typed = typed_scenario(header)?;
        parts.agents = agents_max(&typed, header.objects.len());
        parts.changes = changes(&typed);
    }
    let too_large = |error| LoadError::Memory { file: header.file.clone(), error };
    parts.check(memory_max).map_err(too_large).map_err(RecordingError::Scenario)?;
    Ok(parts.need())
}

/// Whether a map file defines its own kinds.
fn is_tiled(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == "tmx")
}

/// Damage in the header.
fn damaged(why: String) -> RecordingError {
    RecordingError::Damaged { part: "the start".to_owned(), why }
}

/// The scenario of a recording with its overrides.
fn typed_scenario(header: &Header) -> Result<Scenario, RecordingError> {
    let mut typed = scenario::parse(&header.file, header.scenario.as_bytes())
        .map_err(|errors| RecordingError::Scenario(errors.into()))?;
    overrides(header)?.apply(&mut typed);
    Ok(typed)
}

/// The overrides of a recording: the effective values of its run.
fn overrides(header: &Header) -> Result<Overrides, RecordingError> {
    let (traffic, replan) = header.params().map_err(damaged)?;
    let of_problem = is_problem(Path::new(&header.file));
    Ok(Overrides {
        ticks: Some(header.ticks),
        seed: Some(header.seed),
        expansions_per_tick: Some(header.expansions_per_tick),
        routes: Some(replan.route_mode()),
        poses_per_agent: (!of_problem).then_some(header.poses_per_agent),
        tries_per_tick: of_problem.then_some(header.tries_per_tick),
        traffic,
        replan,
        memory_max: MemoryMax::NONE,
    })
}

/// The map of a recording before the first tick, with its objects. The kinds come from the scenario, unless the map
/// file defines its own.
fn recorded_map(header: &Header, typed: &Scenario, tiled: bool) -> Result<LoadedMap, RecordingError> {
    let (tables, shape) = if tiled {
        (recorded_kinds(header)?, header.grid_shape())
    } else {
        let tables = kind_tables(Path::new(&header.file), typed).map_err(RecordingError::Scenario)?;
        (tables, typed.map.shape)
    };
    Ok(LoadedMap {
        grid: with_recorded_heights(header, recorded_cells(header, tables, shape)?)?,
        objects: header.objects.clone(),
        file: PathBuf::from(&header.file),
        files: Vec::new(),
    })
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
fn with_recorded_heights(header: &Header, mut grid: Grid) -> Result<Grid, RecordingError> {
    if !header.map.elevation.is_empty() {
        let heights = header.map.elevation.clone();
        grid = grid.with_elevation(heights).map_err(|error| damaged(error.to_string()))?;
    }
    Ok(grid.at_revision(header.map_revision))
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
