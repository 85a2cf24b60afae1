//! Entities come and go with their units, from either side.

use crate::common::*;
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_wheelbase::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);

#[derive(Resource, Default)]
struct Observed(Vec<(Entity, AgentId, &'static str)>);

fn observed() -> App {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])));
    app.init_resource::<Observed>();
    app.add_observer(|event: On<UnitSpawned>, units: Query<&Unit>, mut seen: ResMut<Observed>| {
        assert_eq!(units.get(event.entity).map(|unit| unit.0), Ok(event.unit), "its components are there");
        seen.0.push((event.entity, event.unit, "spawned"));
    });
    app.add_observer(|event: On<UnitRemoved>, units: Query<&Unit>, mut seen: ResMut<Observed>| {
        assert_eq!(
            units.get(event.entity).map(|unit| unit.0),
            Ok(event.unit),
            "its components are still there"
        );
        seen.0.push((event.entity, event.unit, "removed"));
    });
    app
}

#[test]
fn units_of_the_setup_have_entities_at_startup() {
    let mut app = App::new();
    let plugin = WheelbasePlugin::new(field(16, 8, vec![tank(3, 2), tank(3, 4)]));
    app.add_plugins((bevy_time::TimePlugin, plugin)).init_resource::<Observed>();
    // No tick, however long the frames take.
    app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(0));
    app.add_systems(Update, |new: Query<(Entity, &Unit), Added<Unit>>, mut seen: ResMut<Observed>| {
        seen.0.extend(new.iter().map(|(entity, unit)| (entity, unit.0, "added")));
    });
    updates(&mut app, 2);
    let units: Vec<_> =
        app.world().resource::<Units>().iter().map(|(unit, entity)| (entity, unit, "added")).collect();
    assert_eq!((units.len(), wheelbase(&app).tick()), (2, 0));
    assert_eq!(app.world().resource::<Observed>().0, units);
    assert!(app.world().get::<UnitActivity>(units[1].0).is_some());
}

#[test]
fn a_reserved_entity_becomes_the_unit_with_its_components() {
    let mut app = observed();
    let entity = order(&mut app, |orders| orders.spawn(SCOUT, at(8, 4), Team(3)));
    app.world_mut().entity_mut(entity).insert(Health(7));
    assert!(app.world().get::<Unit>(entity).is_none());
    app.update();
    assert_eq!(app.world().get::<Unit>(entity), Some(&Unit(AgentId(1))));
    assert_eq!(app.world().get::<UnitTeam>(entity), Some(&UnitTeam(Team(3))));
    assert_eq!(app.world().get::<UnitClass>(entity), Some(&UnitClass(SCOUT)));
    assert_eq!(app.world().get::<Health>(entity), Some(&Health(7)));
    assert_eq!(app.world().resource::<Observed>().0, [(entity, AgentId(1), "spawned")]);
    assert_eq!(app.world().resource::<Units>().len(), 2);
}

#[test]
fn a_refused_spawn_despawns_the_entity() {
    let mut app = observed();
    let entity = order(&mut app, |orders| orders.spawn(TANK, at(3, 2), Team(0)));
    app.update();
    assert!(app.world().get_entity(entity).is_err());
    assert_eq!(wheelbase(&app).agents().len(), 1);
    let refused = messages(&app).iter().find_map(|message| match *message {
        UnitMessage::Refused { ticket, unit, entity, reason } => Some((ticket, unit, entity, reason)),
        _ => None,
    });
    let ticket = Some(OrderTicket { player: 0, number: 0 });
    assert_eq!(refused, Some((ticket, None, Some(entity), RefusalReason::PoseHeld)));
}

#[test]
fn an_ordered_unit_arrives() {
    let mut app = observed();
    let goal = cell(11, 5);
    let ticket = order(&mut app, move |orders| orders.of(AgentId(0)).goto(goal).then().hold().ticket());
    assert_eq!(ticket, Some(OrderTicket { player: 0, number: 1 }));
    let tank = entity(&app, 0).unwrap();
    app.update();
    assert_eq!(app.world().get::<UnitOrder>(tank).and_then(|order| order.name()), Some("goto"));
    assert_ne!(app.world().get::<UnitActivity>(tank), Some(&UnitActivity(Activity::Idle)));
    updates(&mut app, 120);
    assert_eq!(wheelbase(&app).agent(AgentId(0)).map(|row| row.to().cell), Some(goal));
    assert_eq!(app.world().get::<UnitActivity>(tank), Some(&UnitActivity(Activity::Holding)));
    let done = UnitMessage::OrderDone { unit: AgentId(0), entity: tank, kind: 0 };
    assert_eq!(messages(&app).iter().filter(|&&message| message == done).count(), 1);
}

#[test]
fn queries_and_empty_selections_give_orders() {
    let mut app = observed();
    let ticket = app.world_mut().run_system_once(|units: Query<&Unit>, mut orders: Orders| {
        orders.of(&units).patrol(&[cell(9, 2), cell(9, 6)]).ticket()
    });
    assert!(ticket.unwrap().is_some());
    let none = app.world_mut().run_system_once(|units: Query<&Unit, With<Health>>, mut orders: Orders| {
        orders.of(&units).goto_group(cell(9, 2)).ticket()
    });
    assert!(none.unwrap().is_none());
    app.update();
    let tank = entity(&app, 0).unwrap();
    assert_eq!(app.world().get::<UnitOrder>(tank).and_then(|order| order.name()), Some("patrol"));
}

#[test]
fn a_removed_unit_takes_its_entity_along() {
    let mut app = observed();
    let tank = entity(&app, 0).unwrap();
    order(&mut app, |orders| orders.remove(AgentId(0)));
    app.update();
    assert!(app.world().get_entity(tank).is_err() && app.world().resource::<Units>().is_empty());
    assert_eq!(app.world().resource::<Observed>().0, [(tank, AgentId(0), "removed")]);
    assert!(messages(&app).contains(&UnitMessage::Removed { unit: AgentId(0), entity: tank }));
    // Nothing asks for it a second time.
    app.update();
    assert!(!messages(&app).iter().any(|message| matches!(message, UnitMessage::Refused { .. })));
}

#[test]
fn a_despawned_entity_takes_its_unit_along() {
    let mut app = observed();
    let tank = entity(&app, 0).unwrap();
    app.world_mut().despawn(tank);
    app.update();
    assert!(wheelbase(&app).agents().is_empty() && app.world().resource::<Units>().is_empty());
    assert!(messages(&app).contains(&UnitMessage::Removed { unit: AgentId(0), entity: tank }));
}

#[test]
fn an_entity_despawned_before_its_unit_is_placed_leaves_no_unit() {
    let mut app = observed();
    let entity = order(&mut app, |orders| orders.spawn(SCOUT, at(8, 4), Team(0)));
    app.world_mut().despawn(entity);
    updates(&mut app, 3);
    assert_eq!(wheelbase(&app).agents().len(), 1);
    assert_eq!(app.world_mut().query::<&Unit>().iter(app.world()).count(), 1);
}

#[test]
fn a_unit_that_is_placed_and_removed_in_one_tick_leaves_no_entity() {
    let mut app = observed();
    let entity = order(&mut app, |orders| {
        let entity = orders.spawn(SCOUT, at(8, 4), Team(0));
        orders.remove(AgentId(1));
        entity
    });
    app.update();
    assert!(app.world().get_entity(entity).is_err());
    assert!(messages(&app).contains(&UnitMessage::Removed { unit: AgentId(1), entity }));
}

#[test]
fn classes_and_teams_follow() {
    let mut app = observed();
    let tank = entity(&app, 0).unwrap();
    order(&mut app, |orders| {
        orders.give(UnitCommand::Class { agent: AgentId(0), class: SCOUT, pose: None });
        orders.give(UnitCommand::Team { agents: AgentId(0).into(), team: Team(2) })
    });
    app.update();
    assert_eq!(app.world().get::<UnitClass>(tank), Some(&UnitClass(SCOUT)));
    assert_eq!(app.world().get::<UnitTeam>(tank), Some(&UnitTeam(Team(2))));
}

#[test]
fn a_loaded_game_keeps_the_components_of_units_by_id() {
    let mut app = observed();
    let tank = entity(&app, 0).unwrap();
    app.world_mut().entity_mut(tank).insert(Health(5));
    let saved = wheelbase(&app).save().unwrap();
    let hash = wheelbase(&app).hash();
    let scout = order(&mut app, |orders| orders.spawn(SCOUT, at(8, 4), Team(0)));
    order(&mut app, |orders| orders.of(AgentId(0)).goto(cell(11, 5)).ticket());
    updates(&mut app, 10);
    assert_ne!(wheelbase(&app).hash(), hash);
    app.world_mut().resource_mut::<Wheelbase>().load(&saved, Default::default()).unwrap();
    assert_eq!(wheelbase(&app).hash(), hash);
    // Entities follow while time stands still.
    app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(0));
    app.update();
    assert_eq!(app.world().get::<Health>(tank), Some(&Health(5)));
    assert!(app.world().get_entity(scout).is_err());
    assert_eq!(entity(&app, 0), Some(tank));
    let grid = wheelbase(&app).grid();
    let whole = MapChanged { area: grid.size().rect(), revision: grid.revision() };
    app.update();
    assert_eq!(app.world().resource::<Seen>().maps.last(), Some(&whole));
}

#[test]
fn damaged_games_are_errors_and_change_nothing() {
    let mut app = observed();
    let kind = building(&app);
    order(&mut app, move |orders| orders.build(CellRect::new(9, 1, 1, 1), kind));
    app.update();
    let (saved, hash) = (wheelbase(&app).save().unwrap(), wheelbase(&app).hash());
    let mut wheelbase = app.world_mut().resource_mut::<Wheelbase>();
    for length in (0..40).chain([saved.len() / 2, saved.len() - 1]) {
        assert!(wheelbase.load(&saved[..length], Default::default()).is_err(), "{length}");
    }
    let mut forged = saved.clone();
    forged[17..21].fill(u8::MAX);
    assert!(wheelbase.load(&forged, Default::default()).is_err());
    assert_eq!(wheelbase.hash(), hash);
    wheelbase.load(&saved, Default::default()).unwrap();
    // A snapshot of another host has no names of edits.
    let snapshot = (**wheelbase).save().unwrap();
    wheelbase.load(&snapshot, Default::default()).unwrap();
    assert_eq!(wheelbase.hash(), hash);
}
