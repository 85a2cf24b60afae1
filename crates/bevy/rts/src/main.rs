//! A small strategy game of two teams, drawn by Bevy's own 2D renderer.
//!
//! Drag selects, a right click sends, and with Shift the order comes after the others. Ctrl with a digit keeps a group,
//! and the digit alone calls it. B builds a wall at the mouse, and X razes there. T places a tank. H holds, Delete
//! removes. Space pauses, the arrows and a click on the minimap move the camera, F1 shows paths and jams, F12 takes a
//! screenshot. `--script FOLDER` plays by itself, takes screenshots and ends.

mod battlefield;
mod script;

use bevy::asset::RenderAssetUsages;
use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::sprite::Anchor;
use bevy::window::{PrimaryWindow, WindowResolution};
use bevy_wheelbase::prelude::*;

/// World units per cell.
const CELL: f32 = 16.0;
/// World units per cell of the minimap.
const MINI: f32 = 1.5;
const WINDOW: Vec2 = Vec2::new(1280.0, 720.0);
/// The side of a wall, a square, in cells.
const WALL_CELLS: u32 = 3;

const DIGITS: [KeyCode; 5] =
    [KeyCode::Digit1, KeyCode::Digit2, KeyCode::Digit3, KeyCode::Digit4, KeyCode::Digit5];

/// A unit that the player has selected, with the frame about it.
#[derive(Component)]
struct Selected(Entity);

/// The control group of a unit, by digit.
#[derive(Component)]
struct Group(usize);

/// The pictures of map and minimap: a pixel per cell.
#[derive(Resource)]
struct Pictures {
    ground: Handle<Image>,
    minimap: Handle<Image>,
}

/// Where a drag began, in world units.
#[derive(Resource, Default)]
struct Drag(Option<[f32; 2]>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let window = Window {
        title: "Wheelbase and Bevy".to_owned(),
        resolution: WindowResolution::new(WINDOW.x as u32, WINDOW.y as u32),
        ..Window::default()
    };
    let plugins = DefaultPlugins
        .set(WindowPlugin { primary_window: Some(window), ..WindowPlugin::default() })
        .set(ImagePlugin::default_nearest());
    let space = Space { cell: CELL, ..Space::default() };
    let mut app = App::new();
    app.add_plugins((
        plugins,
        WheelbasePlugin::new(battlefield::world()?).ticks_per_second(20.0).space(space),
    ))
    .insert_gizmo_config(WheelbaseGizmos::default(), GizmoConfig::default())
    .init_resource::<Drag>()
    .add_systems(Startup, (battlefield::armies, scene))
    .add_systems(PreUpdate, point)
    .add_systems(
        Update,
        (
            (dress, redraw, minimap),
            (drag, send, groups, keys).chain(),
            camera,
            show_lines.run_if(input_just_pressed(KeyCode::F1)),
            pause.run_if(input_just_pressed(KeyCode::Space)),
            (|commands: Commands| shoot(commands, "rts.png".into())).run_if(input_just_pressed(KeyCode::F12)),
        ),
    );
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => {}
        [flag, folder] if flag == "--script" => script::add(&mut app, folder.into()),
        _ => return Err("usage: bevy_wheelbase_rts [--script FOLDER]".into()),
    }
    app.run();
    Ok(())
}

fn scene(mut commands: Commands, mut images: ResMut<Assets<Image>>, wheelbase: Res<Wheelbase>) {
    let size = wheelbase.grid().size();
    let extent = Extent3d { width: size.width(), height: size.height(), depth_or_array_layers: 1 };
    let picture = || {
        let format = TextureFormat::Rgba8UnormSrgb;
        Image::new_fill(extent, TextureDimension::D2, &[0, 0, 0, 255], format, RenderAssetUsages::all())
    };
    let pictures = Pictures { ground: images.add(picture()), minimap: images.add(picture()) };
    let cells = Vec2::new(size.width() as f32, size.height() as f32);
    let sprite = |image: &Handle<Image>, scale: f32| Sprite {
        image: image.clone(),
        custom_size: Some(cells * scale),
        ..Sprite::default()
    };
    commands.spawn((sprite(&pictures.ground, CELL), Anchor::TOP_LEFT, Transform::from_xyz(0.0, 0.0, -10.0)));
    let corner = Vec2::new(-WINDOW.x, WINDOW.y) / 2.0 + Vec2::new(12.0, -12.0);
    commands.spawn((Camera2d, Transform::from_xyz(WINDOW.x / 2.0, -WINDOW.y / 2.0, 100.0))).with_child((
        sprite(&pictures.minimap, MINI),
        Anchor::TOP_LEFT,
        Transform::from_translation(corner.extend(-20.0)),
    ));
    commands.insert_resource(pictures);
}

/// The colour of a cell of the map.
fn colour(wheelbase: &Wheelbase, cell: CellXY) -> [u8; 4] {
    let grid = wheelbase.grid();
    let Some(index) = grid.size().cell(cell) else { return [0, 0, 0, 255] };
    let (x, y) = (cell.x as u8 & 1, cell.y as u8 & 1);
    let kind = grid.terrain()[index.0 as usize];
    match grid.terrain_table().entries()[usize::from(kind.0)].name.as_str() {
        "water" => [38, 70 + 3 * x, 110, 255],
        "trees" => [38, 78 + 6 * y, 40, 255],
        battlefield::WALL => [125 + 8 * (x ^ y), 118, 108, 255],
        _ => [70, 84 + 2 * (x ^ y), 58, 255],
    }
}

/// Draws the parts of the map that have changed.
fn redraw(
    mut changes: MessageReader<MapChanged>,
    wheelbase: Res<Wheelbase>,
    pictures: Res<Pictures>,
    mut images: ResMut<Assets<Image>>,
) {
    for MapChanged { area, .. } in changes.read() {
        let Some(mut image) = images.get_mut(&pictures.ground) else { continue };
        for cell in area.cells() {
            if let Ok(pixel) = image.pixel_bytes_mut(UVec3::new(cell.x as u32, cell.y as u32, 0)) {
                pixel.copy_from_slice(&colour(&wheelbase, cell));
            }
        }
    }
}

/// The map, and a dot for each unit, after each tick.
fn minimap(
    mut drawn: Local<u32>,
    wheelbase: Res<Wheelbase>,
    pictures: Res<Pictures>,
    mut images: ResMut<Assets<Image>>,
) {
    if std::mem::replace(&mut *drawn, wheelbase.tick() + 1) == wheelbase.tick() + 1 {
        return;
    }
    let Some(ground) = images.get(&pictures.ground).and_then(|image| image.data.clone()) else { return };
    let Some(mut image) = images.get_mut(&pictures.minimap) else { return };
    let width = wheelbase.grid().size().width() as usize;
    let Some(data) = &mut image.data else { return };
    data.clone_from(&ground);
    for row in wheelbase.agents() {
        let CellXY { x, y } = row.pose().cell;
        let at = (y as usize * width + x as usize) * 4;
        let dot = if row.team == 0 { [120, 190, 255, 255] } else { [255, 120, 90, 255] };
        for at in [at, at + 4] {
            if let Some(pixel) = data.get_mut(at..at + 4) {
                pixel.copy_from_slice(&dot);
            }
        }
    }
}

/// Gives a new unit its look: a hull, and a gun that shows where it faces.
fn dress(mut commands: Commands, new: Query<(Entity, &UnitClass, &UnitTeam), Added<Unit>>) {
    for (entity, class, team) in &new {
        let colour =
            if team.0 == Team(0) { Color::srgb(0.35, 0.55, 0.85) } else { Color::srgb(0.85, 0.4, 0.3) };
        let (hull, gun) = if class.0 == battlefield::TANK {
            (Vec2::new(1.8, 1.7), (Vec2::new(1.3, 0.3), 0.6))
        } else {
            (Vec2::new(2.8, 0.8), (Vec2::new(0.5, 0.7), 1.0))
        };
        commands.entity(entity).insert(Sprite::from_color(colour, hull * CELL)).with_child((
            Sprite::from_color(Color::srgb(0.12, 0.13, 0.15), gun.0 * CELL),
            Transform::from_xyz(gun.1 * CELL, 0.0, 1.0),
        ));
    }
}

/// The mouse in world units.
fn point(
    window: Single<&Window, With<PrimaryWindow>>,
    view: Single<(&Camera, &GlobalTransform)>,
    mut cursor: ResMut<CursorPoint>,
) {
    let (camera, at) = *view;
    let point = window.cursor_position().and_then(|point| camera.viewport_to_world_2d(at, point).ok());
    cursor.set_if_neq(CursorPoint(point.map(|point| point.to_array())));
}

/// The point of the map below a point of the minimap; `None` beside the minimap.
fn below_minimap(window: &Window, wheelbase: &Wheelbase) -> Option<Vec2> {
    let cells = (window.cursor_position()? - Vec2::splat(12.0)) / MINI;
    let size = wheelbase.grid().size();
    let is_on =
        cells.cmpge(Vec2::ZERO).all() && cells.x < size.width() as f32 && cells.y < size.height() as f32;
    is_on.then_some(Vec2::new(cells.x, -cells.y) * CELL)
}

fn drag(
    mouse: Res<ButtonInput<MouseButton>>,
    window: Single<&Window, With<PrimaryWindow>>,
    wheelbase: Res<Wheelbase>,
    cursor: Cursor,
    point: Res<CursorPoint>,
    mut drag: ResMut<Drag>,
    old: Query<(Entity, &Selected)>,
    teams: Query<(&UnitTeam, &Sprite)>,
    mut commands: Commands,
    mut gizmos: Gizmos,
) {
    let Some(to) = point.0 else { return };
    if mouse.just_pressed(MouseButton::Left) && below_minimap(&window, &wheelbase).is_none() {
        drag.0 = Some(to);
    }
    let Some(from) = drag.0 else { return };
    let (one, other) = (Vec2::from(from), Vec2::from(to));
    gizmos.rect_2d((one + other) / 2.0, (one - other).abs(), Color::WHITE);
    if mouse.just_released(MouseButton::Left) {
        drag.0 = None;
        deselect(&old, &mut commands);
        for entity in cursor.units_in(cursor.cells_between(from, to)) {
            select(entity, &teams, &mut commands);
        }
    }
}

fn deselect(old: &Query<(Entity, &Selected)>, commands: &mut Commands) {
    for (entity, Selected(frame)) in old {
        commands.entity(entity).try_remove::<Selected>();
        commands.entity(*frame).try_despawn();
    }
}

/// Selects a unit of the player, with a frame below its hull.
fn select(entity: Entity, teams: &Query<(&UnitTeam, &Sprite)>, commands: &mut Commands) {
    if let Ok((team, sprite)) = teams.get(entity)
        && team.0 == Team(0)
    {
        let size = sprite.custom_size.unwrap_or_default() + Vec2::splat(5.0);
        let frame = (Sprite::from_color(Color::WHITE, size), Transform::from_xyz(0.0, 0.0, -1.0));
        let frame = commands.spawn((frame, ChildOf(entity))).id();
        commands.entity(entity).insert(Selected(frame));
    }
}

fn send(
    mouse: Res<ButtonInput<MouseButton>>,
    held: Res<ButtonInput<KeyCode>>,
    cursor: Cursor,
    chosen: Query<&Unit, With<Selected>>,
    mut orders: Orders,
) {
    if mouse.just_pressed(MouseButton::Right)
        && let Some(cell) = cursor.cell()
    {
        let series = orders.of(&chosen);
        let series = if held.pressed(KeyCode::ShiftLeft) { series.then() } else { series };
        series.goto_group(cell);
    }
}

/// Ctrl with a digit keeps the selection as a group; the digit alone selects the group.
fn groups(
    held: Res<ButtonInput<KeyCode>>,
    chosen: Query<Entity, With<Selected>>,
    old: Query<(Entity, &Selected)>,
    members: Query<(Entity, &Group)>,
    teams: Query<(&UnitTeam, &Sprite)>,
    mut commands: Commands,
) {
    let Some(digit) = DIGITS.iter().position(|&digit| held.just_pressed(digit)) else { return };
    let of_group = members.iter().filter(|(_, group)| group.0 == digit).map(|(entity, _)| entity);
    if held.pressed(KeyCode::ControlLeft) {
        for entity in of_group {
            commands.entity(entity).remove::<Group>();
        }
        for entity in &chosen {
            commands.entity(entity).insert(Group(digit));
        }
    } else {
        deselect(&old, &mut commands);
        of_group.for_each(|entity| select(entity, &teams, &mut commands));
    }
}

fn keys(
    held: Res<ButtonInput<KeyCode>>,
    cursor: Cursor,
    chosen: Query<&Unit, With<Selected>>,
    wheelbase: Res<Wheelbase>,
    mut orders: Orders,
) {
    if held.just_pressed(KeyCode::KeyH) {
        orders.of(&chosen).hold();
    }
    if held.just_pressed(KeyCode::Delete) {
        orders.remove(&chosen);
    }
    let Some(CellXY { x, y }) = cursor.cell() else { return };
    let area = CellRect::new(x - 1, y - 1, WALL_CELLS, WALL_CELLS);
    let area = area.intersection(wheelbase.grid().size().rect());
    for (key, name) in [(KeyCode::KeyB, battlefield::WALL), (KeyCode::KeyX, battlefield::GROUND)] {
        if held.just_pressed(key)
            && let Some(kind) = wheelbase.grid().terrain_table().kind_of_name(name)
        {
            orders.build(area, kind);
        }
    }
    if held.just_pressed(KeyCode::KeyT) {
        orders.spawn(battlefield::TANK, Pose::new(x, y, Heading(0)), Team(0));
    }
}

fn camera(
    time: Res<Time<Real>>,
    held: Res<ButtonInput<KeyCode>>,
    mouse: Res<ButtonInput<MouseButton>>,
    window: Single<&Window, With<PrimaryWindow>>,
    wheelbase: Res<Wheelbase>,
    mut view: Single<&mut Transform, With<Camera2d>>,
) {
    let arrows = [
        (KeyCode::ArrowLeft, Vec2::NEG_X),
        (KeyCode::ArrowRight, Vec2::X),
        (KeyCode::ArrowUp, Vec2::Y),
        (KeyCode::ArrowDown, Vec2::NEG_Y),
    ];
    let by: Vec2 = arrows.iter().filter(|(key, _)| held.pressed(*key)).map(|(_, by)| *by).sum();
    if by != Vec2::ZERO {
        view.translation += (by * 900.0 * time.delta_secs()).extend(0.0);
    }
    if mouse.pressed(MouseButton::Left)
        && let Some(at) = below_minimap(&window, &wheelbase)
    {
        view.translation = at.extend(view.translation.z);
    }
}

fn show_lines(mut store: ResMut<GizmoConfigStore>) {
    let (_, show) = store.config_mut::<WheelbaseGizmos>();
    *show = if *show == WheelbaseGizmos::all() { WheelbaseGizmos::default() } else { WheelbaseGizmos::all() };
}

fn pause(mut time: ResMut<Time<Virtual>>) {
    if time.is_paused() { time.unpause() } else { time.pause() }
}

/// Takes a screenshot.
fn shoot(mut commands: Commands, to: std::path::PathBuf) {
    commands.spawn(Screenshot::primary_window()).observe(save_to_disk(to));
}
