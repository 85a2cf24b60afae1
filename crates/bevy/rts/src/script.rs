//! A game that plays by itself: the same keys and clicks as a player's, at fixed frames, and screenshots.

use crate::shoot;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput, NativeKey};
use bevy::input::mouse::MouseButtonInput;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::window::PrimaryWindow;
use bevy_wheelbase::prelude::*;
use std::path::PathBuf;

/// What happens at a frame. Points are cells of the map, seen from the first place of the camera.
#[derive(Clone, Copy)]
enum Act {
    Move(f32, f32),
    Mouse(MouseButton, ButtonState),
    Key(KeyCode, ButtonState),
    Shoot(&'static str),
    End,
}
use Act::{End, Move, Shoot};

const DOWN: ButtonState = ButtonState::Pressed;
const UP: ButtonState = ButtonState::Released;

#[derive(Resource)]
struct Script {
    folder: PathBuf,
    frame: u32,
    acts: Vec<(u32, Act)>,
}

pub fn add(app: &mut App, folder: PathBuf) {
    let mut acts = Vec::new();
    let click = |acts: &mut Vec<_>, frame, button, [x, y]: [f32; 2]| {
        acts.extend([
            (frame, Move(x, y)),
            (frame + 1, Act::Mouse(button, DOWN)),
            (frame + 3, Act::Mouse(button, UP)),
        ]);
    };
    let press = |acts: &mut Vec<_>, frame, key| {
        acts.extend([(frame, Act::Key(key, DOWN)), (frame + 2, Act::Key(key, UP))]);
    };
    // A box about the own army becomes group 1, which crosses the northern bridge.
    acts.extend([(10, Move(3.0, 20.0)), (11, Act::Mouse(MouseButton::Left, DOWN)), (14, Move(38.0, 44.5))]);
    acts.extend([(16, Shoot("1-drag")), (20, Act::Mouse(MouseButton::Left, UP))]);
    acts.push((22, Act::Key(KeyCode::ControlLeft, DOWN)));
    press(&mut acts, 23, KeyCode::Digit1);
    acts.push((26, Act::Key(KeyCode::ControlLeft, UP)));
    click(&mut acts, 30, MouseButton::Right, [70.0, 20.0]);
    // Walls narrow the way.
    for (number, y) in [12.0, 15.0, 27.0, 30.0].into_iter().enumerate() {
        acts.push((40 + 4 * number as u32, Move(52.5, y)));
        press(&mut acts, 41 + 4 * number as u32, KeyCode::KeyB);
    }
    press(&mut acts, 250, KeyCode::F1);
    acts.extend([(300, Shoot("2-lines"))]);
    press(&mut acts, 304, KeyCode::F1);
    // One wall is razed; the group is called back by its digit and sent elsewhere, and a tank is placed.
    acts.push((310, Move(52.5, 15.0)));
    press(&mut acts, 311, KeyCode::KeyX);
    click(&mut acts, 320, MouseButton::Left, [2.0, 40.0]);
    acts.push((330, Move(30.0, 40.0)));
    press(&mut acts, 331, KeyCode::KeyT);
    press(&mut acts, 340, KeyCode::Digit1);
    acts.extend([(500, Shoot("3-bridge")), (520, End)]);
    acts.sort_by_key(|(frame, _)| *frame);
    app.insert_resource(Script { folder, frame: 0, acts })
        // A frame is half a tick, whatever the machine does.
        .insert_resource(TimeUpdateStrategy::ManualDuration(std::time::Duration::from_millis(25)))
        .add_systems(First, play);
}

fn play(
    mut script: ResMut<Script>,
    mut commands: Commands,
    window: Single<(Entity, &mut Window), With<PrimaryWindow>>,
    mut clicks: MessageWriter<MouseButtonInput>,
    mut keys: MessageWriter<KeyboardInput>,
    mut exit: MessageWriter<AppExit>,
    wheelbase: Res<Wheelbase>,
    chosen: Query<(), With<crate::Selected>>,
    units: Query<&Unit>,
) {
    let (entity, mut window) = window.into_inner();
    script.frame += 1;
    let frame = script.frame;
    let due = script.acts.iter().filter(|(at, _)| *at == frame).map(|(_, act)| *act);
    for act in due {
        match act {
            Move(x, y) => window.set_cursor_position(Some(Vec2::new(x, y) * crate::CELL)),
            Act::Mouse(button, state) => {
                clicks.write(MouseButtonInput { button, state, window: entity });
            }
            Act::Key(key_code, state) => {
                let logical_key = Key::Unidentified(NativeKey::Unidentified);
                let window = entity;
                keys.write(KeyboardInput { key_code, logical_key, state, text: None, repeat: false, window });
            }
            Shoot(name) => {
                shoot(commands.reborrow(), script.folder.join(name).with_extension("png"));
                let (tick, hash) = (wheelbase.tick(), wheelbase.hash());
                let (n_units, n_chosen) = (units.iter().count(), chosen.iter().count());
                info!("{name}: tick {tick}, {n_units} units, {n_chosen} selected, hash {hash:016x}");
            }
            End => {
                exit.write(AppExit::Success);
            }
        }
    }
}
