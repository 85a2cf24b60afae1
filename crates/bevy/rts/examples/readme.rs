//! The program of crates/bevy/README.md.

use bevy::prelude::*;
use bevy_wheelbase::prelude::*; // no name of it is a name of Bevy's prelude: the world is `Wheelbase`

fn main() -> Result<(), Box<dyn std::error::Error>> {
    App::new()
        .add_plugins((
            DefaultPlugins,
            WheelbasePlugin::new(battlefield()?)
                .ticks_per_second(20.0)
                .space(Space { cell: 32.0, ..Space::default() }),
        ))
        .add_systems(Startup, camera)
        .add_systems(Update, (click, dress, boom))
        .run();
    Ok(())
}

/// A field with a tank of two cells: the turret, and the hull behind it.
fn battlefield() -> Result<bevy_wheelbase::sim::World, Box<dyn std::error::Error>> {
    let rows = ["..............", "......WW......", "......WW......", ".............."];
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
    let mut tank = ClassSpec::new("tank", 4); // four headings
    tank.footprint = vec![(0, 0), (-1, 0)];
    tank.primitives = Primitive::vehicle(4, 10, 5); // ticks of forward, of reverse, of a turn
    let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::new(tank)?]);
    setup.agents.push(UnitSpawn::new(ClassId(0), Pose::new(2, 1, Heading(0))));
    Ok(bevy_wheelbase::sim::World::new(setup)?)
}

#[derive(Component)]
struct Selected;

fn camera(mut commands: Commands) {
    commands.spawn((Camera2d, Transform::from_xyz(224.0, -64.0, 0.0)));
}

/// An entity comes with each unit, `Added<Unit>` when it is placed: give it a look.
fn dress(mut commands: Commands, new: Query<(Entity, &UnitTeam), Added<Unit>>) {
    for (entity, team) in &new {
        let colour = if team.0 == Team(0) { Color::srgb(0.3, 0.5, 0.9) } else { Color::srgb(0.9, 0.4, 0.3) };
        commands.entity(entity).insert((Sprite::from_color(colour, Vec2::new(60.0, 28.0)), Selected));
    }
}

/// A click: the command takes effect at the next tick, on every machine the same.
fn click(
    mouse: Res<ButtonInput<MouseButton>>,
    cursor: Cursor,
    chosen: Query<&Unit, With<Selected>>,
    mut orders: Orders,
) {
    if mouse.just_pressed(MouseButton::Right)
        && let Some(cell) = cursor.cell()
    {
        orders.of(&chosen).goto_group(cell); // .hold(), .then().patrol(..), .ticket()
    }
}

/// Messages say what happened; or take an observer, `On<UnitRemoved>` on the unit's entity.
fn boom(mut done: MessageReader<UnitMessage>) {
    for message in done.read() {
        if let UnitMessage::Removed { unit, .. } = message {
            info!("unit {} is lost", unit.0);
        }
    }
}
