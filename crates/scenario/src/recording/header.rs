//! The start of a recording: scenario or setup, map, classes, orders.

use crate::class_text::{class_json, class_of_text};
use crate::load::{AttachedFile, MapObject, Source};
use crate::order_text::order_json;
use crate::recording::host_start::HostStart;
use crate::recording::snapshot_start::SnapshotStart;
use crate::scenario::{CLASSES_MAX, LANDMARKS_MAX, SEARCH_SLOTS_MAX, TICK_MAX};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use wheelbase_grid::{Cell, CellXY, GridShape, GridSize, SIDE_KINDS_MAX, TERRAIN_KINDS_MAX};
use wheelbase_maps::TerrainColours;
use wheelbase_planner::model::heading_name;
use wheelbase_planner::{Heading, MovementClass, Pose};
use wheelbase_sim::{CollisionRule, OrderKind, ReplanParams, World, changed_tunables, tune};
use wheelbase_traffic::TrafficParams;

/// Most cells swept by the moves of all classes together: their shapes take 16 bytes per cell, and more.
pub(super) const SWEPT_CELLS_MAX: u64 = 1 << 25;
/// Name and file of a run without a scenario, where its settings have no name.
const HOST: &str = "host";
/// File of a run that was resumed.
const SNAPSHOT: &str = "snapshot";

/// A scenario file as it was read.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioText<'a> {
    /// Name of the file, without its folder.
    pub file: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// The start of a recording: all that a renderer or a second run needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// Name of the scenario file, without its folder; `host` without a scenario, `snapshot` of a resumed run.
    pub file: String,
    /// The scenario file itself; empty without a scenario.
    pub scenario: String,
    /// The other files that it names, except the map file of a scenario: `map` holds the cells.
    pub attached: Vec<AttachedFile>,
    /// The setup of the world, if it had no scenario.
    pub host: Option<HostStart>,
    /// The snapshot from which the run went on, if it did not begin with its first tick. Map, classes and all else here
    /// describe the world of that moment.
    pub snapshot: Option<SnapshotStart>,
    /// Name of the scenario, or of the settings.
    pub name: String,
    /// Seed of the run.
    pub seed: u64,
    /// Tick at which the run ends at the latest.
    pub ticks: u32,
    /// Expansions of path requests per tick.
    pub expansions_per_tick: u64,
    /// Searches in progress together.
    pub search_slots: u32,
    /// Poses that each agent may expand per tick.
    pub poses_per_agent: u32,
    /// Traffic search budget: tries of the rule for unit robots per tick.
    pub tries_per_tick: u64,
    /// Names and values of the tunables that differ from the usual ones.
    pub tunables: Vec<(String, u32)>,
    /// Collision rule: `swept` or `discrete`.
    pub collision: String,
    /// Shape of the cells: `square` or `hex`.
    pub shape: String,
    /// Terrain kinds, by number.
    pub terrain_kinds: Vec<RecordedKind>,
    /// Red, green and blue of each terrain kind in pictures, by number.
    pub terrain_colours: Vec<[u8; 3]>,
    /// Side kinds, by number; the first is `open`.
    pub side_kinds: Vec<RecordedKind>,
    /// The map before the first tick.
    pub map: MapLayers,
    /// Revision of the map: the number of changes before the first tick.
    pub map_revision: u64,
    /// Objects of the map file: agents in addition to the scenario, and their goals.
    pub objects: Vec<MapObject>,
    /// Classes, by [`ClassId`](wheelbase_sim::ClassId).
    pub classes: Vec<RecordedClass>,
    /// The initial orders as canonical texts, none of a resumed run; events refer to them by number. Later orders are
    /// announced in their ticks, with the numbers that follow.
    pub orders: Vec<String>,
    /// Names of the kinds of orders; events refer to them by number.
    pub order_kinds: Vec<String>,
}

/// A terrain or side kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedKind {
    /// Name.
    pub name: String,
    /// Speed in thousandths, 0 impassable.
    pub speed: u16,
    /// Its glyphs in maps; empty for a side kind.
    pub glyphs: String,
}

/// The layers of a map, each row-major, `[height * width]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MapLayers {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Number of the terrain kind of each cell.
    pub terrain: Vec<u8>,
    /// Kinds of the sides of each cell, four bits per side, the east side lowest, then counter-clockwise;
    /// empty while every side is open.
    pub sides: Vec<u32>,
    /// Height of each cell; empty while all are at 0.
    pub elevation: Vec<i16>,
}

/// A movement class: its text, and the class that it describes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedClass {
    /// Name.
    pub name: String,
    /// The class as its canonical text.
    pub text: String,
    /// Made from the text on reading; `None` until then, which takes no memory that a decoder does not count.
    #[serde(skip)]
    movement: Option<Box<MovementClass>>,
}

/// Equal texts describe equal classes.
impl PartialEq for RecordedClass {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.text) == (&other.name, &other.text)
    }
}

impl Eq for RecordedClass {}

impl MapLayers {
    /// The layers of a map. Linear in its cells.
    pub fn of(grid: &wheelbase_grid::Grid) -> Self {
        let size = grid.size();
        let packed = |cell| {
            let bits = |(number, &side)| u32::from(grid.side_of(cell, side).0) << (4 * number);
            grid.shape().sides().iter().enumerate().map(bits).sum()
        };
        let cells = if grid.all_sides_open() { 0 } else { size.n_cells() as u32 };
        Self {
            width: size.width(),
            height: size.height(),
            terrain: grid.terrain().iter().map(|kind| kind.0).collect(),
            sides: (0..cells).map(|cell| packed(Cell(cell))).collect(),
            elevation: grid.elevation().map(<[i16]>::to_vec).unwrap_or_default(),
        }
    }

    /// Index of a cell in the layers, or `None` off the map.
    pub fn index(&self, cell: CellXY) -> Option<usize> {
        let (x, y) = (u32::try_from(cell.x).ok()?, u32::try_from(cell.y).ok()?);
        (x < self.width && y < self.height).then(|| y as usize * self.width as usize + x as usize)
    }

    /// Kind of one side of a cell, sides numbered counter-clockwise from east.
    pub fn side(&self, index: usize, side: u8) -> u8 {
        self.sides.get(index).map_or(0, |packed| (packed >> (4 * u32::from(side)) & 15) as u8)
    }

    /// Height of a cell.
    pub fn height_of(&self, index: usize) -> i16 {
        self.elevation.get(index).copied().unwrap_or(0)
    }
}

impl RecordedClass {
    /// The class as recorded.
    fn of(movement: &MovementClass) -> Self {
        let spec = movement.spec();
        let (name, text) = (spec.name.clone(), class_json(spec).to_string());
        Self { name, text, movement: None }
    }

    /// The class.
    pub fn movement(&self) -> &MovementClass {
        static NONE: LazyLock<MovementClass> = LazyLock::new(MovementClass::octile);
        self.movement.as_deref().unwrap_or(&NONE)
    }

    /// The cells covered at a pose; none if the class lacks its heading.
    pub fn cells(&self, pose: Pose) -> impl Iterator<Item = CellXY> {
        let known = pose.heading.0 < self.movement().headings();
        let offsets = if known { self.movement().cells_at(pose) } else { &[] };
        let moved = |at: i32, by: i32| at.wrapping_add(by);
        offsets.iter().map(move |by| CellXY::new(moved(pose.cell.x, by.dx), moved(pose.cell.y, by.dy)))
    }

    /// Where a primitive leads from a pose, or `None` if it does not start there.
    pub fn after(&self, pose: Pose, primitive: u8) -> Option<Pose> {
        let (movement, primitive) = (self.movement(), usize::from(primitive));
        if pose.heading.0 >= movement.headings() || primitive >= movement.primitives().len() {
            return None;
        }
        let shape = movement.shape_at(pose, primitive);
        let (x, y) = (pose.cell.x.checked_add(shape.step.dx)?, pose.cell.y.checked_add(shape.step.dy)?);
        shape.applies.then(|| Pose::new(x, y, shape.heading_after))
    }

    /// Name of a heading.
    pub fn heading_name(&self, heading: Heading) -> &'static str {
        let headings = self.movement().headings();
        if heading.0 < headings { heading_name(headings, heading) } else { "?" }
    }

    /// The least number of cells that a body of the class covers.
    pub(super) fn cells_min(&self) -> usize {
        let covered = |frame| self.movement().footprint().at(frame).len();
        self.movement().frames().map(covered).min().unwrap_or(0)
    }
}

impl Header {
    /// The header of a world that has not stepped. `scenario` and `source` are its sources.
    /// # Errors
    /// The reason why the world cannot be recorded.
    pub fn of(world: &World, source: &Source, scenario: ScenarioText<'_>) -> Result<Self, String> {
        let mut header = Self::of_world(world)?;
        header.file = scenario.file.to_owned();
        header.scenario = scenario.text.to_owned();
        header.attached = source.attached.clone();
        header.objects = source.map_objects.clone();
        Ok(header)
    }

    /// The header of a world that was made of a [`Setup`](wheelbase_sim::Setup) and has not stepped.
    /// # Errors
    /// The reason why the world cannot be recorded.
    pub fn of_host(world: &World) -> Result<Self, String> {
        let mut header = Self::of_world(world)?;
        header.file = HOST.to_owned();
        if header.name.is_empty() {
            header.name = HOST.to_owned();
        }
        header.host = Some(HostStart::of(world));
        match header.mistake() {
            Some(mistake) => Err(mistake),
            None => Ok(header),
        }
    }

    /// The header of a world that goes on from a snapshot, which is the world as it is now.
    /// # Errors
    /// The reason why the world cannot be recorded.
    pub fn of_resumed(world: &World) -> Result<Self, String> {
        let start = SnapshotStart::of(world).map_err(|error| error.to_string())?;
        Self::of_resumed_from(world, start)
    }

    /// The header of a world that was loaded from a snapshot.
    pub(super) fn of_resumed_from(world: &World, start: SnapshotStart) -> Result<Self, String> {
        let mut header = Self::of_any_world(world, Vec::new())?;
        header.file = SNAPSHOT.to_owned();
        if header.name.is_empty() {
            header.name = SNAPSHOT.to_owned();
        }
        header.snapshot = Some(start);
        match header.mistake() {
            Some(mistake) => Err(mistake),
            None => Ok(header),
        }
    }

    /// The parts that all headers of worlds have that have not stepped.
    fn of_world(world: &World) -> Result<Self, String> {
        let orders = world.orders();
        let texts = orders.lists().flat_map(|(_, list)| list).map(|order| order_json(order).to_string());
        let texts: Vec<String> = texts.collect();
        if world.tick() > 0 || orders.next_number() as usize != texts.len() {
            return Err("its world has stepped".to_owned());
        }
        if world.setup_classes() < world.tables().len() {
            return Err("classes were added to its setup: begin with a snapshot".to_owned());
        }
        Self::of_any_world(world, texts)
    }

    /// The parts that all headers have.
    fn of_any_world(world: &World, orders: Vec<String>) -> Result<Self, String> {
        let (settings, grid) = (world.settings(), world.grid());
        let terrain = grid.terrain_table().entries().iter();
        let sides = grid.side_table().entries().iter();
        let mut header = Self {
            file: String::new(),
            scenario: String::new(),
            attached: Vec::new(),
            host: None,
            snapshot: None,
            name: settings.name.clone(),
            seed: settings.seed,
            ticks: settings.ticks,
            expansions_per_tick: settings.expansions_per_tick,
            search_slots: u32::try_from(settings.search_slots).unwrap_or(u32::MAX),
            poses_per_agent: settings.poses_per_agent,
            tries_per_tick: settings.tries_per_tick,
            tunables: changed_tunables(&settings.traffic, &settings.replan),
            collision: settings.collision.name().to_owned(),
            shape: grid.shape().name().to_owned(),
            terrain_kinds: terrain
                .map(|e| RecordedKind { name: e.name.clone(), speed: e.speed, glyphs: e.glyphs.clone() })
                .collect(),
            terrain_colours: TerrainColours::of(grid.terrain_table()).all().to_vec(),
            side_kinds: sides
                .map(|e| RecordedKind { name: e.name.clone(), speed: e.speed, glyphs: String::new() })
                .collect(),
            map: MapLayers::of(grid),
            map_revision: grid.revision(),
            objects: Vec::new(),
            classes: world.tables().iter().map(|tables| RecordedClass::of(tables.class())).collect(),
            orders,
            order_kinds: OrderKind::NAMES.map(str::to_owned).to_vec(),
        };
        header.make_classes(SWEPT_CELLS_MAX)?;
        Ok(header)
    }

    /// Makes the classes from their texts.
    /// # Errors
    /// The first class without a canonical text, or classes that sweep more than `swept_cells_max` cells.
    pub(super) fn make_classes(&mut self, swept_cells_max: u64) -> Result<(), String> {
        let (shape, mut n_swept) = (self.grid_shape(), 0);
        for class in &mut self.classes {
            let made = class_of_text(&class.text, &class.name, shape);
            let made = made.ok_or_else(|| format!("class \"{}\" has no canonical text", class.name))?;
            n_swept += made.n_swept_cells();
            if n_swept > swept_cells_max {
                return Err(format!("classes that sweep more than {swept_cells_max} cells"));
            }
            class.movement = Some(Box::new(made));
        }
        Ok(())
    }

    /// The tunables of the run.
    /// # Errors
    /// One of them is unknown, or its value out of range.
    pub(super) fn params(&self) -> Result<(TrafficParams, ReplanParams), String> {
        let (mut traffic, mut replan) = (TrafficParams::USUAL, ReplanParams::USUAL);
        for (name, value) in &self.tunables {
            tune(&mut traffic, &mut replan, name, *value).map_err(|error| error.to_string())?;
        }
        Ok((traffic, replan))
    }

    /// The collision rule.
    pub(super) fn collision_rule(&self) -> CollisionRule {
        let is_discrete = self.collision == CollisionRule::Discrete.name();
        if is_discrete { CollisionRule::Discrete } else { CollisionRule::Swept }
    }

    /// Whether the ticks hold the decisions of the traffic rule.
    pub(super) fn rule_is_outside(&self) -> bool {
        self.host.as_ref().is_some_and(HostStart::rule_is_outside)
            || self.snapshot.as_ref().is_some_and(|start| start.rule_is_outside)
    }

    /// The first tick recorded.
    pub fn first_tick(&self) -> u32 {
        self.snapshot.as_ref().map_or(0, |start| start.tick)
    }

    /// The scenario file.
    pub(super) fn scenario_text(&self) -> ScenarioText<'_> {
        ScenarioText { file: &self.file, text: &self.scenario }
    }

    /// Shape of the cells.
    pub fn grid_shape(&self) -> GridShape {
        if self.shape == GridShape::Hex.name() { GridShape::Hex } else { GridShape::Square }
    }

    /// The first mistake in a header that was read. All other code relies on matching sizes, numbers in range and
    /// known names.
    pub(super) fn mistake(&self) -> Option<String> {
        let too_many = |what: &str, found: usize, most: usize| {
            (found > most).then(|| format!("{found} {what}, expected at most {most}"))
        };
        if self.file.contains('/') {
            return Some("the name of its scenario file has a folder".to_owned());
        }
        if self.ticks > TICK_MAX && self.host.is_none() && self.snapshot.is_none() {
            return Some(format!("{} ticks, expected at most {TICK_MAX}", self.ticks));
        }
        if self.search_slots > SEARCH_SLOTS_MAX {
            return Some(format!("{} search slots, expected at most {SEARCH_SLOTS_MAX}", self.search_slots));
        }
        if self.poses_per_agent == 0 {
            return Some("0 poses per agent, expected at least 1".to_owned());
        }
        if let Some(landmarks) = self.host.as_ref().and_then(|host| host.landmarks)
            && landmarks > LANDMARKS_MAX
        {
            return Some(format!("{landmarks} landmarks, expected at most {LANDMARKS_MAX}"));
        }
        if ![CollisionRule::Swept, CollisionRule::Discrete]
            .map(CollisionRule::name)
            .contains(&&*self.collision)
        {
            return Some(format!("unknown collision rule \"{}\"", self.collision));
        }
        if ![GridShape::Square, GridShape::Hex].map(GridShape::name).contains(&&*self.shape) {
            return Some(format!("unknown shape of cells \"{}\"", self.shape));
        }
        let counts = too_many("terrain kinds", self.terrain_kinds.len(), TERRAIN_KINDS_MAX)
            .or_else(|| too_many("side kinds", self.side_kinds.len(), SIDE_KINDS_MAX))
            .or_else(|| too_many("classes", self.classes.len(), CLASSES_MAX))
            .or_else(|| too_many("kinds of orders", self.order_kinds.len(), OrderKind::NAMES.len()));
        if counts.is_some() {
            return counts;
        }
        if self.terrain_colours.len() != self.terrain_kinds.len() {
            let (found, expected) = (self.terrain_colours.len(), self.terrain_kinds.len());
            return Some(format!("{found} colours, expected {expected}, one a terrain kind"));
        }
        self.map_mistake()
    }

    fn map_mistake(&self) -> Option<String> {
        let MapLayers { width, height, terrain, sides, elevation } = &self.map;
        let size = match GridSize::new(u64::from(*width), u64::from(*height)) {
            Ok(size) => size.n_cells(),
            Err(error) => return Some(error.to_string()),
        };
        for (layer, len, may_be_empty) in [
            ("terrain", terrain.len(), false),
            ("sides", sides.len(), true),
            ("elevation", elevation.len(), true),
        ] {
            if len != size && !(may_be_empty && len == 0) {
                return Some(format!("{layer} of {len} cells, expected {size}"));
            }
        }
        if let Some(kind) = terrain.iter().find(|&&kind| usize::from(kind) >= self.terrain_kinds.len()) {
            return Some(format!("terrain kind {kind}, expected one of {}", self.terrain_kinds.len()));
        }
        let n_sides = self.grid_shape().sides().len() as u32;
        // Equal cells are adjacent: few need a check.
        let known = |packed: u32| {
            let kinds = (0..n_sides).map(|side| packed >> (4 * side) & 15);
            packed >> (4 * n_sides) == 0 && kinds.max() < Some(self.side_kinds.len() as u32)
        };
        let mut checked = None;
        for &packed in sides {
            if checked != Some(packed) && !known(packed) {
                return Some(format!("a side of a kind that is none of {}", self.side_kinds.len()));
            }
            checked = Some(packed);
        }
        None
    }
}
