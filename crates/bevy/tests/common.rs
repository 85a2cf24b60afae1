//! A field, its classes, and an app that runs one tick per update.

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_wheelbase::prelude::*;

pub const TANK: ClassId = ClassId(0);
pub const SCOUT: ClassId = ClassId(1);
/// The kind of buildings, behind the standard ones.
pub const BUILDING: &str = "building";

/// The number of that kind.
pub fn building(app: &App) -> TerrainKind {
    wheelbase(app).grid().terrain_table().kind_of_name(BUILDING).unwrap()
}

pub fn at(x: i32, y: i32) -> Pose {
    Pose::new(x, y, Heading(0))
}

pub fn cell(x: i32, y: i32) -> CellXY {
    CellXY::new(x, y)
}

/// An open field with tanks of 2 x 1 cells and scouts of one cell. Units have the ids 0, 1, ...
pub fn field(width: usize, height: usize, units: Vec<UnitSpawn>) -> bevy_wheelbase::sim::World {
    let row = ".".repeat(width);
    let kinds = TerrainTable::with_standard(vec![TerrainEntry::new(BUILDING, "#", 0)]).unwrap();
    let grid = Grid::from_rows(&vec![row.as_str(); height], kinds, SideTable::default()).unwrap();
    let mut tank = ClassSpec::new("tank", 4);
    tank.footprint = vec![(0, 0), (-1, 0)];
    tank.primitives = Primitive::vehicle(4, 8, 4);
    let mut scout = ClassSpec::new("scout", 4);
    scout.primitives = Primitive::vehicle(2, 4, 2);
    let classes = [tank, scout].map(|spec| MovementClass::new(spec).unwrap());
    let mut setup = Setup::cooperative(Settings::named("field"), grid, classes.into());
    setup.agents = units;
    bevy_wheelbase::sim::World::new(setup).unwrap()
}

pub fn tank(x: i32, y: i32) -> UnitSpawn {
    UnitSpawn::new(TANK, at(x, y))
}

/// One tick per update.
pub fn app(plugin: WheelbasePlugin) -> App {
    let mut app = App::new();
    app.add_plugins((TimePlugin, plugin)).insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.init_resource::<Seen>().add_systems(Update, see);
    // Startup, and a first update without a tick: time begins with it.
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(0));
    app.update();
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

/// All messages so far.
#[derive(Resource, Default)]
pub struct Seen {
    pub units: Vec<UnitMessage>,
    pub edits: Vec<EditMessage>,
    pub maps: Vec<MapChanged>,
    pub late: Vec<TooLate>,
}

fn see(
    mut seen: ResMut<Seen>,
    mut units: MessageReader<UnitMessage>,
    mut edits: MessageReader<EditMessage>,
    mut maps: MessageReader<MapChanged>,
    mut late: MessageReader<TooLate>,
) {
    seen.units.extend(units.read().copied());
    seen.edits.extend(edits.read().copied());
    seen.maps.extend(maps.read().copied());
    seen.late.extend(late.read().cloned());
}

pub fn messages(app: &App) -> &[UnitMessage] {
    &app.world().resource::<Seen>().units
}

pub fn wheelbase(app: &App) -> &Wheelbase {
    app.world().resource()
}

pub fn entity(app: &App, unit: u32) -> Option<Entity> {
    app.world().resource::<Units>().entity(AgentId(unit))
}

/// Runs a system that gives orders.
pub fn order<R: 'static>(app: &mut App, mut give: impl FnMut(&mut Orders) -> R + Send + Sync + 'static) -> R {
    app.world_mut().run_system_once(move |mut orders: Orders| give(&mut orders)).unwrap()
}

pub use bevy_ecs::system::RunSystemOnce;

pub fn updates(app: &mut App, count: u32) {
    (0..count).for_each(|_| app.update());
}
