//! Units in transports.

use crate::common::*;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_wheelbase::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Cargo(u32);

const SCOUT_ID: AgentId = AgentId(0);
const TRANSPORT: AgentId = AgentId(1);
const INSIDE: OffMap = OffMap { container: Some(TRANSPORT) };

/// A scout that a transport can take, a tank in the east, and the scout's entity.
fn port(rollback: u16) -> (App, Entity) {
    let units = vec![UnitSpawn::new(SCOUT, at(4, 4)), tank(8, 4), tank(20, 4)];
    let mut app = app(WheelbasePlugin::new(field(32, 9, units)).rollback(rollback));
    let scout = entity(&app, 0).unwrap();
    app.world_mut().entity_mut(scout).insert(Cargo(5));
    (app, scout)
}

fn enter(app: &mut App) {
    order(app, |orders| orders.enter(SCOUT_ID, TRANSPORT));
    app.update();
}

fn is_drawn(app: &App, entity: Entity) -> bool {
    app.world().get::<Pose2>(entity).is_some()
}

fn entered(app: &App, entity: Entity) -> usize {
    let container = INSIDE.container;
    let message = UnitMessage::Entered { unit: SCOUT_ID, entity, container };
    messages(app).iter().filter(|&&found| found == message).count()
}

fn left(app: &App, entity: Entity) -> usize {
    let message = UnitMessage::Left { unit: SCOUT_ID, entity };
    messages(app).iter().filter(|&&found| found == message).count()
}

#[test]
fn a_unit_inside_keeps_its_entity_and_is_not_found_on_the_map() {
    let (mut app, scout) = port(0);
    let pick = |app: &mut App| {
        app.world_mut()
            .run_system_once(|cursor: Cursor| {
                let all = CellRect::new(0, 0, 32, 9);
                (cursor.unit_at([4.5, -4.5]), cursor.units_in(all).len())
            })
            .unwrap()
    };
    order(&mut app, |orders| orders.of(SCOUT_ID).hold().ticket());
    app.update();
    assert_eq!(pick(&mut app), (Some(scout), 3));
    enter(&mut app);
    assert_eq!(app.world().get::<OffMap>(scout), Some(&INSIDE));
    assert_eq!(app.world().get::<Cargo>(scout), Some(&Cargo(5)));
    assert_eq!(app.world().get::<Unit>(scout), Some(&Unit(SCOUT_ID)));
    assert_eq!(app.world().get::<UnitActivity>(scout), Some(&UnitActivity(Activity::Idle)));
    assert_eq!(app.world().get::<UnitOrder>(scout).and_then(|order| order.name()), Some("hold"));
    assert!(!is_drawn(&app, scout));
    assert_eq!(pick(&mut app), (None, 2));
    assert_eq!((entered(&app, scout), left(&app, scout)), (1, 0));
    let units = app.world().resource::<Units>();
    assert_eq!((units.entity(SCOUT_ID), units.len()), (Some(scout), 2));
    assert_eq!(units.off_map().collect::<Vec<_>>(), [(SCOUT_ID, scout)]);
    updates(&mut app, 3);
    assert_eq!(entered(&app, scout), 1, "told once");
    // Into nothing, and into a unit that is not there.
    order(&mut app, |orders| {
        orders.enter(AgentId(2), None);
        orders.enter(TRANSPORT, AgentId(99))
    });
    app.update();
    let tank = entity(&app, 2).unwrap();
    assert_eq!(app.world().get::<OffMap>(tank), Some(&OffMap { container: None }));
    let refused = messages(&app).last().copied();
    let is_right = matches!(
        refused,
        Some(UnitMessage::Refused { unit: Some(TRANSPORT), reason: RefusalReason::UnknownAgent, .. })
    );
    assert!(is_right, "{refused:?}");
}

#[test]
fn a_unit_that_leaves_is_drawn_there_in_the_same_frame() {
    let (mut app, scout) = port(0);
    order(&mut app, |orders| orders.of(SCOUT_ID).goto(cell(28, 1)).ticket());
    enter(&mut app);
    updates(&mut app, 10);
    order(&mut app, |orders| orders.leave(SCOUT_ID, at(24, 7)));
    app.update();
    assert_eq!(app.world().get::<Pose2>(scout).unwrap().point(), [24.5, -7.5], "no slide");
    assert!(app.world().get::<OffMap>(scout).is_none());
    assert_eq!(app.world().get::<Cargo>(scout), Some(&Cargo(5)));
    assert_eq!((entity(&app, 0), left(&app, scout)), (Some(scout), 1));
    updates(&mut app, 60);
    assert_eq!(wheelbase(&app).agent(SCOUT_ID).map(|row| row.to().cell), Some(cell(28, 1)), "its old order");
    // Out and in and out again in one tick.
    order(&mut app, |orders| {
        orders.enter(SCOUT_ID, TRANSPORT);
        orders.leave(SCOUT_ID, at(2, 7))
    });
    app.update();
    assert_eq!(app.world().get::<Pose2>(scout).unwrap().point(), [2.5, -7.5]);
    assert_eq!((entered(&app, scout), left(&app, scout)), (1, 1), "it was never seen off the map");
}

#[test]
fn a_refused_unit_stays_inside() {
    let (mut app, scout) = port(0);
    enter(&mut app);
    let ticket = order(&mut app, |orders| {
        orders.give(UnitCommand::Leave { agent: SCOUT_ID, pose: at(20, 4), or_nearest: false })
    });
    app.update();
    let reason = RefusalReason::PoseHeld;
    let refused = UnitMessage::Refused { ticket: Some(ticket), unit: Some(SCOUT_ID), entity: None, reason };
    assert_eq!(messages(&app).last(), Some(&refused));
    assert_eq!(app.world().get::<OffMap>(scout), Some(&INSIDE));
    // The nearest free pose will do.
    order(&mut app, |orders| orders.leave(SCOUT_ID, at(20, 4)));
    app.update();
    let row = *wheelbase(&app).agent(SCOUT_ID).unwrap();
    assert_eq!((row.to().cell.x - 20).abs().max((row.to().cell.y - 4).abs()), 1, "{row:?}");
    assert!(is_drawn(&app, scout));
}

#[test]
fn a_unit_inside_is_removed_from_either_side() {
    for by_entity in [false, true] {
        let (mut app, scout) = port(0);
        app.add_observer(|event: On<UnitRemoved>, mut commands: Commands| {
            assert_eq!((event.unit, event.pose), (SCOUT_ID, None));
            commands.spawn(Cargo(77));
        });
        enter(&mut app);
        if by_entity {
            app.world_mut().despawn(scout);
        } else {
            order(&mut app, |orders| orders.remove(SCOUT_ID));
        }
        app.update();
        assert!(app.world().get_entity(scout).is_err() && entity(&app, 0).is_none());
        assert_eq!(wheelbase(&app).off_map().count(), 0);
        assert!(messages(&app).contains(&UnitMessage::Removed { unit: SCOUT_ID, entity: scout }));
        let n_observed = app.world_mut().query::<&Cargo>().iter(app.world()).count();
        assert_eq!(n_observed, usize::from(!by_entity), "an observer needs the entity");
    }
}

#[test]
fn a_unit_that_is_placed_and_enters_in_one_tick_has_its_entity() {
    let (mut app, _) = port(0);
    let new = order(&mut app, |orders| {
        let new = orders.spawn(SCOUT, at(12, 1), Team(2));
        orders.enter(AgentId(3), TRANSPORT);
        new
    });
    app.world_mut().entity_mut(new).insert(Cargo(1));
    app.update();
    assert_eq!(app.world().get::<OffMap>(new), Some(&INSIDE));
    assert_eq!(app.world().get::<UnitTeam>(new), Some(&UnitTeam(Team(2))));
    assert!(!is_drawn(&app, new) && entity(&app, 3) == Some(new));
    order(&mut app, |orders| orders.leave(AgentId(3), at(12, 1)));
    app.update();
    assert!(is_drawn(&app, new) && app.world().get::<Cargo>(new) == Some(&Cargo(1)));
    assert_eq!(app.world().get::<UnitClass>(new), Some(&UnitClass(SCOUT)));
}

#[test]
fn a_rollback_over_an_enter_takes_it_back_and_brings_it() {
    let (mut app, scout) = port(16);
    updates(&mut app, 3);
    let before = (wheelbase(&app).tick(), wheelbase(&app).hash());
    enter(&mut app);
    updates(&mut app, 4);
    app.world_mut().resource_mut::<Wheelbase>().rollback_to(before.0).unwrap();
    assert_eq!(wheelbase(&app).hash(), before.1);
    app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(0));
    app.update();
    assert!(is_drawn(&app, scout) && app.world().get::<OffMap>(scout).is_none());
    app.update();
    assert_eq!((entered(&app, scout), left(&app, scout)), (1, 1));
    // The command comes late, from another player: the world runs from its tick again.
    app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(1));
    updates(&mut app, 5);
    let act = bevy_wheelbase::PlayerAct::Command(UnitCommand::enter(SCOUT_ID, TRANSPORT));
    let late = PlayerCommand { ticket: OrderTicket { player: 1, number: 0 }, act };
    app.world_mut().resource_mut::<RemoteCommands>().at(before.0, late);
    app.update();
    assert_eq!(app.world().get::<OffMap>(scout), Some(&INSIDE));
    assert_eq!(app.world().get::<Cargo>(scout), Some(&Cargo(5)));
    assert!(!is_drawn(&app, scout) && entered(&app, scout) == 2);
}

#[test]
fn a_loaded_game_has_the_units_inside() {
    let (mut app, scout) = port(0);
    let outside = wheelbase(&app).save().unwrap();
    enter(&mut app);
    let inside = wheelbase(&app).save().unwrap();
    let load = |app: &mut App, saved: &[u8]| {
        app.world_mut().resource_mut::<Wheelbase>().load(saved, Default::default()).unwrap();
        app.update();
    };
    load(&mut app, &outside);
    assert!(is_drawn(&app, scout) && app.world().get::<OffMap>(scout).is_none());
    load(&mut app, &inside);
    assert!(!is_drawn(&app, scout) && app.world().get::<OffMap>(scout) == Some(&INSIDE));
    assert_eq!(app.world().get::<Cargo>(scout), Some(&Cargo(5)));
    // Another app has no entity for it yet.
    let mut other = app_of_nothing();
    load(&mut other, &inside);
    let scout = entity(&other, 0).unwrap();
    assert_eq!(other.world().get::<OffMap>(scout), Some(&INSIDE));
    assert_eq!(other.world().get::<UnitClass>(scout), Some(&UnitClass(SCOUT)));
    order(&mut other, |orders| orders.leave(SCOUT_ID, at(6, 1)));
    other.update();
    assert_eq!(other.world().get::<Pose2>(scout).unwrap().point(), [6.5, -1.5]);
}

fn app_of_nothing() -> App {
    app(WheelbasePlugin::new(field(8, 8, Vec::new())))
}
