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

/// What the components of all units are to say, and what they say.
fn components(app: &mut App) -> [Vec<(AgentId, ClassId, Team, Activity, Option<u32>, u32)>; 2] {
    let rows = wheelbase(app).agents().iter();
    let expected = rows.map(|row| {
        let order = (row.order != u32::MAX).then_some(row.order);
        let (class, team) = (ClassId(row.class), Team(row.team));
        (row.agent(), class, team, row.activity().unwrap(), order, row.waits_since)
    });
    let expected = expected.collect();
    let units: Vec<_> = app.world().resource::<Units>().iter().collect();
    let found = units.into_iter().map(|(unit, entity)| {
        let entity = app.world().entity(entity);
        assert_eq!(entity.get::<Unit>(), Some(&Unit(unit)));
        assert!(entity.contains::<Pose2>() && !entity.contains::<OffMap>());
        let (class, team) = (entity.get::<UnitClass>().unwrap().0, entity.get::<UnitTeam>().unwrap().0);
        let (activity, order) = (entity.get::<UnitActivity>().unwrap().0, entity.get::<UnitOrder>().unwrap());
        let since = entity.get::<Waiting>().map_or(u32::MAX, |waiting| waiting.since);
        (unit, class, team, activity, order.number(), since)
    });
    let found = found.collect();
    let inside: Vec<_> = wheelbase(app).off_map().map(|inside| inside.id).collect();
    let mut marked = app.world_mut().query_filtered::<&Unit, (With<OffMap>, Without<Pose2>)>();
    let mut marked: Vec<_> = marked.iter(app.world()).map(|unit| unit.0).collect();
    marked.sort_unstable();
    assert_eq!(marked, inside);
    let n_entities = app.world_mut().query::<&Unit>().iter(app.world()).count();
    assert_eq!(n_entities, wheelbase(app).agents().len() + inside.len());
    [expected, found]
}

/// Units are placed, driven, removed, taken off the map and put back, also several times between two frames.
#[test]
fn components_say_after_each_frame_what_the_world_says() {
    for ticks_per_frame in [1, 3] {
        let tanks = (0..40).map(|i| tank(2 + 3 * (i % 8), 1 + 2 * (i / 8))).collect();
        let mut app = app(WheelbasePlugin::new(field(28, 14, tanks)).rollback(6));
        app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(ticks_per_frame));
        let mut random = 12_345_u32;
        let mut draw = move |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        let (mut n_inside, mut n_waiting, mut n_placed) = (0, 0, 40);
        for frame in 0..240 {
            for _ in 0..1 + draw(3) {
                let unit = AgentId(draw(n_placed));
                let (x, y) = (1 + draw(26) as i32, 1 + draw(12) as i32);
                let container = AgentId(draw(n_placed));
                match draw(9) {
                    0 => drop(order(&mut app, move |orders| orders.enter(unit, container))),
                    1 | 2 => drop(order(&mut app, move |orders| orders.leave(unit, at(x, y)))),
                    3 if draw(3) == 0 => drop(order(&mut app, move |orders| orders.remove(unit))),
                    4 => {
                        order(&mut app, move |orders| orders.spawn(SCOUT, at(x, y), Team(1)));
                        n_placed += 1;
                    }
                    _ => drop(order(&mut app, move |orders| orders.of(unit).goto(cell(x, y)).ticket())),
                }
            }
            if frame % 17 == 16 {
                let tick = wheelbase(&app).tick() - draw(6);
                app.world_mut().resource_mut::<Wheelbase>().rollback_to(tick).unwrap();
            }
            app.update();
            let [expected, found] = components(&mut app);
            assert_eq!(found, expected, "frame {frame}");
            n_inside += wheelbase(&app).off_map().count();
            n_waiting += found.iter().filter(|unit| unit.5 != u32::MAX).count();
        }
        assert!(n_inside > 100 && n_waiting > 100, "{n_inside} {n_waiting}");
    }
}
