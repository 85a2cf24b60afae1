//! The map, the classes and the first agents.

use std::fmt;
use wheelbase_sim::grid::{GridError, SideEntry, TableError};
use wheelbase_sim::planner::When;
use wheelbase_sim::planner::model::{ClassError, Climb, Pivot, Sweep, SweepRule};
use wheelbase_sim::{
    ClassId, ClassSpec, Command, Grid, GridSize, IfNoRoom, LoadError, MovementClass, Primitive, Rect,
    SaveError, Settings, Setup, SetupErrors, SideTable, SpawnGroup, Team, TerrainEntry, TerrainKind,
    TerrainTable, Threads, USUAL_SPEED_PERMILLE, World,
};

/// Ticks of the scene.
pub const TICKS: u32 = 600;
/// The tick before which the world is saved and loaded.
pub const SAVED_AT: u32 = 300;
/// Agents that the first tick places.
pub const AGENTS_AT_START: u32 = 150;

/// Width and height of the map.
pub(crate) const SIZE: (u32, u32) = (80, 56);
/// The rows of the river.
pub(crate) const RIVER: (i32, u32) = (26, 4);
/// The bridges, which are rows of ground over the river.
pub(crate) const BRIDGES: [Rect; 3] = [
    Rect::new(10, RIVER.0, 5, RIVER.1),
    Rect::new(40, RIVER.0, 3, RIVER.1),
    Rect::new(66, RIVER.0, 6, RIVER.1),
];

/// Passable for all.
pub(crate) const GROUND: TerrainKind = TerrainKind(0);
/// Fast.
pub(crate) const ROAD: TerrainKind = TerrainKind(1);
/// Slow.
pub(crate) const MUD: TerrainKind = TerrainKind(2);
/// Passable for the ferry alone.
pub(crate) const WATER: TerrainKind = TerrainKind(3);

/// 1x1, no facing.
pub(crate) const SCOUT: ClassId = ClassId(0);
/// 1x1, 4 headings; cannot reverse.
pub(crate) const CART: ClassId = ClassId(1);
/// 1x2, 4 headings; slow in reverse, minds slopes, crosses no hedge.
pub(crate) const TRUCK: ClassId = ClassId(2);
/// 2x3, 8 headings, swept in full; breaks through hedges.
pub(crate) const TANK: ClassId = ClassId(3);
/// 2x2, 4 headings, turns about its middle; swims.
pub(crate) const FERRY: ClassId = ClassId(4);

/// Why the scene cannot be played.
#[derive(Debug)]
pub enum SceneError {
    /// A table of kinds is wrong.
    Table(TableError),
    /// The map is wrong.
    Grid(GridError),
    /// A class is wrong.
    Class(ClassError),
    /// The setup is wrong.
    Setup(SetupErrors),
    /// The world cannot be saved.
    Save(SaveError),
    /// The world cannot be loaded.
    Load(LoadError),
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => error.fmt(f),
            Self::Grid(error) => error.fmt(f),
            Self::Class(error) => error.fmt(f),
            Self::Setup(error) => error.fmt(f),
            Self::Save(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SceneError {}

impl From<TableError> for SceneError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl From<GridError> for SceneError {
    fn from(error: GridError) -> Self {
        Self::Grid(error)
    }
}

impl From<ClassError> for SceneError {
    fn from(error: ClassError) -> Self {
        Self::Class(error)
    }
}

impl From<SetupErrors> for SceneError {
    fn from(error: SetupErrors) -> Self {
        Self::Setup(error)
    }
}

impl From<SaveError> for SceneError {
    fn from(error: SaveError) -> Self {
        Self::Save(error)
    }
}

impl From<LoadError> for SceneError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

/// A number of threads; one is that of the caller.
pub fn threads(n_threads: usize) -> Threads {
    if n_threads > 1 { Threads::Own(n_threads) } else { Threads::Caller }
}

/// The world before tick 0.
/// # Errors
/// [`SceneError`], if the scene and the library no longer fit together.
pub fn world(n_threads: usize) -> Result<World, SceneError> {
    // Little budget: searches wait for one another and go on from tick to tick.
    let settings =
        Settings { seed: 29, expansions_per_tick: 6_000, search_slots: 6, ..Settings::named("golden") };
    let mut setup = Setup::cooperative(settings, map()?, classes()?);
    setup.threads = threads(n_threads);
    setup.landmarks = Some(4);
    setup.friends.befriend(Team(0), Team(1));
    setup.scheduled = groups().map(|group| (0, Command::SpawnGroup(group))).collect();
    Ok(World::new(setup)?)
}

/// Hills and mud, a river with three bridges, walls with gates, and a hedge.
fn map() -> Result<Grid, SceneError> {
    let kinds = [("ground", 1000), ("road", 1600), ("mud", 450), ("water", 0)];
    let kinds = kinds.map(|(name, speed)| TerrainEntry::new(name, "", speed));
    let hedge = SideEntry { name: "hedge".to_owned(), speed: 0 };
    let (width, height) = SIZE;
    let size = GridSize::new(width.into(), height.into()).map_err(GridError::from)?;
    let mut grid =
        Grid::filled(size, GROUND, TerrainTable::new(kinds.to_vec())?, SideTable::new(vec![hedge])?);
    grid.set_terrain(Rect::new(0, RIVER.0, width, RIVER.1), WATER);
    for bridge in BRIDGES {
        grid.set_terrain(bridge, GROUND);
    }
    let mut random = wheelbase_sim::grid::SplitMix64::new(4);
    for number in 0..36 {
        let (x, y) = (random.between(0, width as i32 - 4), random.between(0, height as i32 - 4));
        let area = Rect::new(x, y, 1 + random.below(3), 1 + random.below(3));
        // What stands in the river or on a bridge would change the rest.
        if y + 3 < RIVER.0 || y >= RIVER.0 + RIVER.1 as i32 {
            grid.set_terrain(area, if number % 3 == 0 { WATER } else { MUD });
        }
    }
    grid.set_terrain(Rect::new(11, 0, 2, RIVER.0 as u32), ROAD);
    grid.add_walls(&[
        [24, 6, 24, 14],
        [24, 18, 24, 24],
        [56, 34, 56, 42],
        [56, 46, 56, 54],
        [30, 44, 50, 44],
    ])?;
    Ok(grid.with_elevation(heights())?)
}

/// Two hills: one with steps that a truck climbs, one too steep for it.
fn heights() -> Vec<i16> {
    let height = |x: i32, y: i32| {
        let far = |(cx, cy): (i32, i32)| (x - cx).abs().max((y - cy).abs());
        let gentle = (8 - far((50, 12))).max(0) / 2;
        let steep = (6 - far((20, 42))).max(0) * 2;
        (gentle + steep) as i16
    };
    (0..SIZE.1 as i32).flat_map(|y| (0..SIZE.0 as i32).map(move |x| height(x, y))).collect()
}

fn classes() -> Result<Vec<MovementClass>, SceneError> {
    let mut scout = ClassSpec::new("scout", 1);
    scout.primitives = Primitive::four_directions(2);
    let mut cart = ClassSpec::new("cart", 4);
    cart.primitives = vec![
        Primitive::step("forward", (1, 0), 2),
        Primitive::turn("left", 1, 1),
        Primitive::turn("right", -1, 1),
    ];
    let mut truck = ClassSpec::new("truck", 4);
    truck.footprint = vec![(0, 0), (-1, 0)];
    truck.primitives = Primitive::vehicle(3, 7, 2);
    truck.climb = Climb { up: 300, down: -100, max_up: Some(2), max_down: Some(2), max_tilt: Some(2) };
    let mut tank = ClassSpec::new("tank", 8);
    tank.footprint = (-1..=1).flat_map(|forward| [(forward, 0), (forward, 1)]).collect();
    tank.sweep = Sweep::both(SweepRule::Full);
    tank.climb = Climb { up: 120, ..Climb::default() };
    tank.side_speed = vec![("hedge".to_owned(), 500)];
    let step = |name, by, time, when| Primitive { when, ..Primitive::step(name, by, time) };
    tank.primitives = vec![
        step("forward", (1, 0), 3, When::Straight),
        step("reverse", (-1, 0), 5, When::Straight),
        step("diagonal", (1, -1), 4, When::Diagonal),
        step("diagonal reverse", (-1, 1), 7, When::Diagonal),
        Primitive::turn("left", 1, 2),
        Primitive::turn("right", -1, 2),
    ];
    let mut ferry = ClassSpec::new("ferry", 4);
    ferry.footprint = vec![(0, 0), (-1, 0), (0, 1), (-1, 1)];
    ferry.pivot = Pivot { forward: -1, right: 1 };
    ferry.speed = vec![("water".to_owned(), 800)];
    ferry.primitives = Primitive::vehicle(3, 4, 2);
    let made = [scout, cart, truck, tank, ferry].map(MovementClass::new);
    Ok(made.into_iter().collect::<Result<_, _>>()?)
}

/// The first agents, [`AGENTS_AT_START`] in all.
fn groups() -> impl Iterator<Item = SpawnGroup> {
    let all = Rect::new(0, 0, SIZE.0, SIZE.1);
    let north = Rect::new(0, 0, SIZE.0, RIVER.0 as u32);
    let south = Rect::new(0, RIVER.0 + RIVER.1 as i32, SIZE.0, SIZE.1 - RIVER.1 - RIVER.0 as u32);
    let group = |class, count, area, team, speed_factor| SpawnGroup {
        class,
        count,
        area,
        priority: i32::from(team == 2),
        team: Team(team),
        orders: Default::default(),
        speed_factor,
        anywhere: false,
        if_no_room: IfNoRoom::Drop,
    };
    [
        group(TANK, 12, north, 0, USUAL_SPEED_PERMILLE),
        group(TANK, 8, south, 1, 1200),
        group(FERRY, 14, all, 0, USUAL_SPEED_PERMILLE),
        group(TRUCK, 36, all, 1, 900),
        group(CART, 40, all, 0, USUAL_SPEED_PERMILLE),
        group(SCOUT, 30, all, 1, USUAL_SPEED_PERMILLE),
        group(SCOUT, 10, south, 2, 700),
    ]
    .into_iter()
}
