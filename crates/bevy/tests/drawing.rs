//! Frames between ticks.

use crate::common::*;
use bevy_app::App;
use bevy_time::{Fixed, Time, TimeUpdateStrategy, Virtual};
use bevy_wheelbase::prelude::*;
use std::time::Duration;

/// A frame of a part of a tick of 50 ms.
fn frame(app: &mut App, part_of_tick: f64) {
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(part_of_tick / 20.0)));
    app.update();
}

fn driving(space: Space) -> App {
    let plugin = WheelbasePlugin::new(field(32, 9, vec![tank(3, 4)])).ticks_per_second(20.0).space(space);
    let mut app = app(plugin);
    order(&mut app, |orders| orders.of(AgentId(0)).goto(cell(12, 4)).ticket());
    app
}

fn pose(app: &App) -> Pose2 {
    *app.world().get::<Pose2>(entity(app, 0).unwrap()).unwrap()
}

#[test]
fn a_unit_moves_in_every_frame() {
    let mut app = driving(Space { cell: 32.0, ..Space::default() });
    assert_eq!(app.world().resource::<Time<Fixed>>().timestep(), Duration::from_millis(50));
    assert_eq!((pose(&app).point(), pose(&app).angle()), ([96.0, -144.0], 0.0), "between its two cells");
    updates(&mut app, 10);
    // A cell of 32 units takes 4 ticks of 8 frames.
    let mut x = pose(&app).point()[0];
    for number in 0..64 {
        frame(&mut app, 0.125);
        let [next, y] = pose(&app).point();
        assert!((next - x - 1.0).abs() < 1e-3 && y == -144.0, "frame {number}: from {x} to {next}");
        x = next;
    }
}

#[test]
fn frames_longer_than_ticks_end_where_the_unit_rests() {
    let mut app = driving(Space::default());
    // The most that Bevy lets pass in a frame.
    (0..20).for_each(|_| frame(&mut app, 5.0));
    assert_eq!(wheelbase(&app).agent(AgentId(0)).map(|row| row.is_moving()), Some(false));
    assert_eq!(pose(&app).point(), [12.0, -4.5]);
}

#[test]
fn a_pause_stands_still() {
    let mut app = driving(Space::default());
    updates(&mut app, 10);
    frame(&mut app, 0.5);
    let before = (pose(&app), wheelbase(&app).tick());
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    (0..5).for_each(|_| frame(&mut app, 3.0));
    assert_eq!((pose(&app), wheelbase(&app).tick()), before);
}

#[test]
fn turns_go_the_way_of_their_primitive() {
    let space = Space { y_up: false, ..Space::default() };
    let plugin = WheelbasePlugin::new(field(32, 9, vec![tank(3, 4)])).ticks_per_second(20.0);
    let mut app = app(plugin.space(space));
    order(&mut app, |orders| {
        let north = Pose::new(3, 4, Heading(1));
        orders.of(AgentId(0)).order(Order::goto_pose(north, 4)).ticket()
    });
    let mut angles = Vec::new();
    for _ in 0..80 {
        frame(&mut app, 0.25);
        angles.push(pose(&app).angle());
    }
    // To the left on the map, which is a negative angle where y grows to the south.
    assert!(angles.is_sorted_by(|one, other| one >= other), "{angles:?}");
    assert_eq!(angles.last(), Some(&-std::f32::consts::FRAC_PI_2));
    assert!(angles.iter().filter(|&&angle| angle < 0.0 && angle > -1.5).count() >= 8, "{angles:?}");
}

#[cfg(feature = "transform")]
#[test]
fn transforms_follow_and_keep_height_and_scale() {
    use bevy_math::Vec3;
    use bevy_transform::components::Transform;
    for (plane, y_up) in [(Plane::Xy, true), (Plane::Xz, false)] {
        let space = Space { cell: 2.0, y_up, plane, origin: [100.0, 0.0] };
        let mut app = driving(space);
        let tank = entity(&app, 0).unwrap();
        let found = app.world().get::<Transform>(tank).unwrap().translation;
        let expected = match plane {
            Plane::Xy => Vec3::new(106.0, -9.0, 0.0),
            Plane::Xz => Vec3::new(106.0, 0.0, 9.0),
        };
        assert_eq!(found, expected);
        // A sprite that comes with another transform, as `Added<Unit>` invites to.
        let own = Transform::from_translation(Vec3::splat(5.0)).with_scale(Vec3::splat(3.0));
        app.world_mut().entity_mut(tank).insert(own);
        app.update();
        let found = *app.world().get::<Transform>(tank).unwrap();
        let expected = match plane {
            Plane::Xy => expected.with_z(5.0),
            Plane::Xz => expected.with_y(5.0),
        };
        assert_eq!((found.translation, found.scale), (expected, Vec3::splat(3.0)));
    }
}
