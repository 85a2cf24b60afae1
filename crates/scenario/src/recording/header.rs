//! The start of a recording: scenario, map, classes, orders.

use crate::class_text::{canonical_class, class_json};
use crate::load::{AttachedFile, MapObject, Source};
use crate::order_text::{canonical_order, order_json};
use crate::scenario::{CLASSES_MAX, FOOTPRINT_CELLS_MAX, TICK_MAX};
use serde::{Deserialize, Serialize};
use wheelbase_grid::{CELLS_MAX, Cell, CellXY, GridShape, GridSize, Rect, SIDE_KINDS_MAX, TERRAIN_KINDS_MAX};
use wheelbase_maps::TerrainColours;
use wheelbase_planner::model::{PRIMITIVES_MAX, TIME_MAX, heading_name};
use wheelbase_planner::{Heading, MovementClass, Pose};
use wheelbase_sim::{CollisionRule, OrderKind, World};

/// Possible numbers of headings of a class.
const HEADINGS: [u8; 4] = [1, 4, 6, 8];
/// Most cells of a footprint at any heading: at diagonal headings a body can cover more than while it faces east.
const BODY_CELLS_MAX: usize = 4 * FOOTPRINT_CELLS_MAX;

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
    /// Name of the scenario file, without its folder.
    pub file: String,
    /// The scenario file itself.
    pub scenario: String,
    /// The other files that it names, except the map file of a scenario: `map` holds the cells.
    pub attached: Vec<AttachedFile>,
    /// Name of the scenario.
    pub name: String,
    /// Seed of the run.
    pub seed: u64,
    /// Tick at which the run ends at the latest.
    pub ticks: u32,
    /// Expansions of path requests per tick.
    pub expansions_per_tick: u64,
    /// Poses that the traffic rule tries per tick.
    pub tries_per_tick: u64,
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
    /// Objects of the map file: agents in addition to those of the scenario, and their goals.
    pub objects: Vec<MapObject>,
    /// Classes, by [`ClassId`](wheelbase_sim::ClassId).
    pub classes: Vec<RecordedClass>,
    /// Every order of the scenario as its canonical text; events refer to it by number.
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
    /// Speed in permille, 0 impassable.
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

/// A movement class as a renderer needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedClass {
    /// Name.
    pub name: String,
    /// The class as its canonical text.
    pub text: String,
    /// Number of headings.
    pub headings: u8,
    /// Its primitives, by number.
    pub primitives: Vec<RecordedPrimitive>,
    /// `[x, y]` offsets of the covered cells from the anchor, at [`RecordedClass::pose_index`].
    pub footprints: Vec<Vec<[i32; 2]>>,
}

/// A motion primitive: where it leads, not what it costs on the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedPrimitive {
    /// Name.
    pub name: String,
    /// Its base time in ticks, 1 to 65,535.
    pub ticks: u32,
    /// `[x, y, heading]`: offset of the anchor and heading afterwards, at [`RecordedClass::pose_index`];
    /// `None` where it does not apply.
    pub steps: Vec<Option<[i32; 3]>>,
}

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
    /// Index of a pose in `footprints` and `steps`: by heading, then by the parity of the row, on which offsets depend
    /// on hexagonal maps.
    pub fn pose_index(pose: Pose) -> usize {
        usize::from(pose.heading.0) * 2 + (pose.cell.y & 1) as usize
    }

    /// The cells covered at a pose.
    pub fn cells(&self, pose: Pose) -> impl Iterator<Item = CellXY> {
        let offsets = self.footprints.get(Self::pose_index(pose)).map_or(&[][..], Vec::as_slice);
        let moved = |at: i32, by: i32| at.wrapping_add(by);
        offsets.iter().map(move |&[dx, dy]| CellXY::new(moved(pose.cell.x, dx), moved(pose.cell.y, dy)))
    }

    /// Where a primitive leads from a pose, or `None` if it does not start there.
    pub fn after(&self, pose: Pose, primitive: u8) -> Option<Pose> {
        let steps = &self.primitives.get(usize::from(primitive))?.steps;
        let [dx, dy, heading] = (*steps.get(Self::pose_index(pose))?)?;
        Some(Pose::new(
            pose.cell.x.checked_add(dx)?,
            pose.cell.y.checked_add(dy)?,
            Heading(u8::try_from(heading).ok()?),
        ))
    }

    /// Name of a heading.
    pub fn heading_name(&self, heading: Heading) -> &'static str {
        if heading.0 < self.headings { heading_name(self.headings, heading) } else { "?" }
    }

    /// The class as recorded.
    pub(super) fn of(movement: &MovementClass) -> Self {
        let poses = || (0..movement.headings()).flat_map(|heading| [(heading, 0), (heading, 1)]);
        let offset = |o: &wheelbase_planner::model::Offset| [o.dx, o.dy];
        let frame = move |(heading, row)| movement.frame(Pose::new(0, row, Heading(heading)));
        let footprint = |at| movement.footprint().at(frame(at)).iter().map(offset).collect();
        let steps = |primitive| {
            let step = |at| {
                let shape = movement.shape(frame(at), primitive);
                shape.applies.then(|| [shape.step.dx, shape.step.dy, i32::from(shape.heading_after.0)])
            };
            poses().map(step).collect()
        };
        let primitives = movement.primitives().iter().enumerate();
        Self {
            name: movement.spec().name.clone(),
            text: class_json(movement.spec()).to_string(),
            headings: movement.headings(),
            primitives: primitives
                .map(|(number, primitive)| RecordedPrimitive {
                    name: primitive.name.clone(),
                    ticks: primitive.time,
                    steps: steps(number),
                })
                .collect(),
            footprints: poses().map(footprint).collect(),
        }
    }

    /// The least number of cells that a body of the class covers.
    pub(super) fn cells_min(&self) -> usize {
        self.footprints.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The first mistake in a class that was read.
    fn mistake(&self) -> Option<String> {
        let n_poses = usize::from(self.headings) * 2;
        let bad_offset = |offset: &i32| offset.unsigned_abs() as u64 > CELLS_MAX;
        if !HEADINGS.contains(&self.headings) {
            return Some(format!("{} headings, expected 1, 4, 6 or 8", self.headings));
        }
        if self.footprints.len() != n_poses {
            return Some(format!("{} footprints, expected {n_poses}", self.footprints.len()));
        }
        for footprint in &self.footprints {
            if !(1..=BODY_CELLS_MAX).contains(&footprint.len()) {
                let (found, most) = (footprint.len(), BODY_CELLS_MAX);
                return Some(format!("a footprint of {found} cells, expected 1 to {most}"));
            }
            if footprint.iter().flatten().any(bad_offset) {
                return Some("a footprint beyond all maps".to_owned());
            }
        }
        if self.primitives.len() > PRIMITIVES_MAX {
            return Some(format!("{} primitives, expected at most {PRIMITIVES_MAX}", self.primitives.len()));
        }
        self.primitives.iter().find_map(|primitive| {
            let bad_step = |&[dx, dy, heading]: &[i32; 3]| {
                bad_offset(&dx) || bad_offset(&dy) || !(0..i32::from(self.headings)).contains(&heading)
            };
            let what = if primitive.steps.len() != n_poses {
                format!("{} steps, expected {n_poses}", primitive.steps.len())
            } else if primitive.steps.iter().flatten().any(bad_step) {
                "a step that leads nowhere".to_owned()
            } else if !(1..=TIME_MAX).contains(&primitive.ticks) {
                format!("{} ticks, expected 1 to {TIME_MAX}", primitive.ticks)
            } else {
                return None;
            };
            Some(format!("primitive \"{}\": {what}", primitive.name))
        })
    }
}

impl Header {
    /// The header of a world that has not stepped. `scenario` and `source` are what it was built from.
    pub fn of(world: &World, source: &Source, scenario: ScenarioText<'_>) -> Self {
        let (settings, grid, orders) = (world.settings(), world.grid(), world.orders().all());
        let terrain = grid.terrain_table().entries().iter();
        let sides = grid.side_table().entries().iter();
        Self {
            file: scenario.file.to_owned(),
            scenario: scenario.text.to_owned(),
            attached: source.attached.clone(),
            name: settings.name.clone(),
            seed: settings.seed,
            ticks: settings.ticks,
            expansions_per_tick: settings.expansions_per_tick,
            tries_per_tick: settings.tries_per_tick,
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
            objects: source.map_objects.clone(),
            classes: world.tables().iter().map(|tables| RecordedClass::of(tables.class())).collect(),
            orders: orders.iter().map(|order| order_json(order, world.orders()).to_string()).collect(),
            order_kinds: OrderKind::NAMES.map(str::to_owned).to_vec(),
        }
    }

    /// The scenario file.
    pub(super) fn scenario_text(&self) -> ScenarioText<'_> {
        ScenarioText { file: &self.file, text: &self.scenario }
    }

    /// Takes over the texts of classes and orders of another header that mean the same: earlier releases recorded
    /// them as written in the scenario.
    pub(super) fn take_texts_of(&mut self, other: &Self) {
        let shape = self.grid_shape();
        for (class, theirs) in self.classes.iter_mut().zip(&other.classes) {
            if class.text != theirs.text
                && canonical_class(&theirs.text, &class.name, shape).as_ref() == Some(&class.text)
            {
                class.text.clone_from(&theirs.text);
            }
        }
        let map = Rect::new(0, 0, self.map.width, self.map.height);
        for (order, theirs) in self.orders.iter_mut().zip(&other.orders) {
            if order != theirs && canonical_order(theirs, map).as_ref() == Some(order) {
                order.clone_from(theirs);
            }
        }
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
        if self.ticks > TICK_MAX {
            return Some(format!("{} ticks, expected at most {TICK_MAX}", self.ticks));
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
        let in_class = |class: &RecordedClass| {
            class.mistake().map(|mistake| format!("class \"{}\": {mistake}", class.name))
        };
        self.map_mistake().or_else(|| self.classes.iter().find_map(in_class))
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
