//! Equal components are not touched.

use crate::common::*;
use bevy_app::{App, Last};
use bevy_ecs::prelude::*;
use bevy_wheelbase::prelude::*;

#[derive(Resource, Default, Debug, PartialEq)]
struct Changes {
    units: usize,
    activities: usize,
    orders: usize,
    others: usize,
    poses: usize,
    transforms: usize,
}

#[cfg(feature = "transform")]
type Transform = bevy_transform::components::Transform;
#[cfg(not(feature = "transform"))]
type Transform = Pose2;

fn count(
    mut changes: ResMut<Changes>,
    units: Query<(), Changed<Unit>>,
    activities: Query<(), Changed<UnitActivity>>,
    orders: Query<(), Changed<UnitOrder>>,
    others: Query<(), Or<(Changed<UnitClass>, Changed<UnitTeam>, Changed<Waiting>)>>,
    poses: Query<(), Changed<Pose2>>,
    transforms: Query<(), Changed<Transform>>,
) {
    changes.units += units.iter().count();
    changes.activities += activities.iter().count();
    changes.orders += orders.iter().count();
    changes.others += others.iter().count();
    changes.poses += poses.iter().count();
    changes.transforms += transforms.iter().count();
}

/// An app with tanks in rows, after their first frame.
fn parked(n: i32) -> App {
    let tanks = (0..n).map(|i| tank(1 + 3 * (i % 100), i / 100 * 2)).collect();
    let mut app = app(WheelbasePlugin::new(field(310, n as usize / 100 * 2 + 4, tanks)));
    app.init_resource::<Changes>().add_systems(Last, count);
    updates(&mut app, 2);
    app.insert_resource(Changes::default());
    app
}

#[test]
fn parked_tanks_trigger_no_change_detection() {
    let mut app = parked(5_000);
    assert_eq!(wheelbase(&app).agents().len(), 5_000);
    updates(&mut app, 20);
    assert_eq!(*app.world().resource::<Changes>(), Changes::default());
}

#[test]
fn a_drive_changes_the_unit_that_drives() {
    let mut app = parked(300);
    let goal = cell(298, 7);
    order(&mut app, move |orders| orders.of(AgentId(299)).goto(goal).ticket());
    updates(&mut app, 100);
    let arrived = wheelbase(&app).agent(AgentId(299)).map(|row| (row.to().cell, row.is_moving()));
    assert_eq!(arrived, Some((goal, false)));
    let changes = app.world().resource::<Changes>();
    assert_eq!((changes.units, changes.orders), (0, 2), "given and done");
    // Awaits a path, follows it, arrives, is idle: less or more of them in one tick.
    assert!((2..=4).contains(&changes.activities), "{changes:?}");
    assert!((20..=60).contains(&changes.poses), "a frame for each tick of its moves: {changes:?}");
    assert_eq!(changes.transforms, changes.poses);
    app.insert_resource(Changes::default());
    updates(&mut app, 10);
    assert_eq!(*app.world().resource::<Changes>(), Changes::default());
}

#[test]
fn waiting_comes_and_goes() {
    // Two tanks in a lane: the second cannot pass the first, which is slow.
    let slow = UnitSpawn { speed_factor: 100, ..tank(8, 0) };
    let mut app = app(WheelbasePlugin::new(field(24, 1, vec![slow, tank(3, 0)])));
    order(&mut app, |orders| {
        orders.of(AgentId(0)).goto(cell(22, 0));
        orders.of(AgentId(1)).goto(cell(18, 0)).ticket()
    });
    let follower = entity(&app, 1).unwrap();
    let mut waits = Vec::new();
    for _ in 0..700 {
        app.update();
        let row = *wheelbase(&app).agent(AgentId(1)).unwrap();
        let waiting = app.world().get::<Waiting>(follower);
        assert_eq!(waiting.map_or(u32::MAX, |waiting| waiting.since), row.waits_since);
        waits.push(waiting.map(|waiting| waiting.why.rule()));
    }
    assert!(waits.iter().flatten().count() > 10, "{waits:?}");
    assert_eq!(waits.last(), Some(&None), "{waits:?}");
    assert_eq!(wheelbase(&app).agent(AgentId(1)).map(|row| row.to().cell), Some(cell(18, 0)));
}
