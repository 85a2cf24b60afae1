//! Rollback and lockstep.

use crate::common::*;
use bevy_app::{App, FixedPostUpdate};
use bevy_ecs::prelude::*;
use bevy_wheelbase::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);

/// The turns that an app has sent.
#[derive(Resource, Default)]
struct Sent(Vec<LocalTurn>);

fn playing(plugin: WheelbasePlugin) -> App {
    let mut app = app(plugin);
    app.init_resource::<Sent>();
    app.add_systems(FixedPostUpdate, |mut turns: MessageReader<LocalTurn>, mut sent: ResMut<Sent>| {
        sent.0.extend(turns.read().cloned());
    });
    app
}

fn armies() -> bevy_wheelbase::sim::World {
    field(
        40,
        24,
        (0..10).flat_map(|y| [tank(3, 2 * y), UnitSpawn { team: Team(1), ..tank(36, 2 * y) }]).collect(),
    )
}

/// What a player does at some ticks: cross the field, place a scout, build in the middle.
fn act(app: &mut App, player: u8, tick: u32) {
    let (own, across) =
        (CellRect::new(if player == 0 { 0 } else { 20 }, 0, 20, 24), if player == 0 { 30 } else { 9 });
    let kind = building(app);
    match tick {
        3 => drop(order(app, move |orders| orders.of(own).goto_group(cell(across, 10)).ticket())),
        8 => drop(order(app, move |orders| orders.spawn(SCOUT, at(20, 20), Team(player)))),
        14 => drop(order(app, move |orders| orders.build(CellRect::new(19, 9, 3, 3), kind))),
        25 => drop(order(app, move |orders| orders.of(own).patrol(&[cell(20, 2), cell(20, 22)]).ticket())),
        _ => {}
    }
}

fn send(from: &mut App, player: u8, to: &mut App) {
    for LocalTurn { tick, commands } in std::mem::take(&mut from.world_mut().resource_mut::<Sent>().0) {
        to.world_mut().resource_mut::<RemoteCommands>().turn(player, tick, commands);
    }
}

fn components(app: &mut App) -> Vec<(Unit, UnitClass, UnitTeam, UnitActivity, Pose2)> {
    let mut query = app.world_mut().query::<(&Unit, &UnitClass, &UnitTeam, &UnitActivity, &Pose2)>();
    let mut all: Vec<_> = query.iter(app.world()).map(|(a, b, c, d, e)| (*a, *b, *c, *d, *e)).collect();
    all.sort_by_key(|(unit, ..)| *unit);
    all
}

#[test]
fn two_apps_in_lockstep_stay_equal() {
    let [mut one, mut other] = [0, 1]
        .map(|player| playing(WheelbasePlugin::new(armies()).player(player).lockstep(2).input_delay(3)));
    let start = wheelbase(&one).hash();
    for round in 0..80 {
        let [tick, of_other] = [&one, &other].map(|app| wheelbase(app).tick());
        assert!(tick.abs_diff(of_other) <= 3, "nobody runs ahead");
        act(&mut one, 0, round);
        one.update();
        // The other machine is slow.
        if round % 3 != 2 {
            act(&mut other, 1, round);
            other.update();
        }
        send(&mut one, 0, &mut other);
        send(&mut other, 1, &mut one);
    }
    while wheelbase(&one).tick() != wheelbase(&other).tick() {
        let behind = if wheelbase(&one).tick() < wheelbase(&other).tick() { &mut one } else { &mut other };
        behind.update();
    }
    assert!(wheelbase(&one).tick() > 40 && wheelbase(&one).hash() != start);
    assert_eq!(wheelbase(&one).hash(), wheelbase(&other).hash());
    let [of_one, of_other] = [&mut one, &mut other].map(components);
    assert_eq!(
        of_one.iter().map(|all| (all.0, all.1, all.2, all.3)).collect::<Vec<_>>(),
        of_other.iter().map(|all| (all.0, all.1, all.2, all.3)).collect::<Vec<_>>()
    );
    assert_eq!(of_one.len(), 21, "one of the two scouts was refused");
}

#[test]
fn lockstep_waits_and_is_drawn_at_rest() {
    let mut one = playing(WheelbasePlugin::new(armies()).lockstep(2).input_delay(2));
    updates(&mut one, 5);
    assert!(wheelbase(&one).is_stalled());
    assert_eq!(wheelbase(&one).tick(), 2);
    one.world_mut().resource_mut::<RemoteCommands>().turn(1, 2, []);
    // The turn of a later tick does not help.
    one.world_mut().resource_mut::<RemoteCommands>().turn(1, 4, []);
    updates(&mut one, 5);
    assert_eq!(wheelbase(&one).tick(), 3);
    let sent: Vec<u32> = one.world().resource::<Sent>().0.iter().map(|turn| turn.tick).collect();
    assert_eq!(sent, [2, 3, 4], "each turn once");
}

#[test]
fn late_commands_roll_back_to_the_same_state() {
    let [mut one, mut other, mut judge] =
        [0, 1, 0].map(|player| playing(WheelbasePlugin::new(armies()).player(player).rollback(16)));
    let mut in_flight: Vec<(u32, u8, LocalTurn)> = Vec::new();
    let mut rollbacks = 0;
    for round in 0..90 {
        for (player, app) in [(0, &mut one), (1, &mut other)] {
            act(app, player, round);
            app.update();
            let sent = std::mem::take(&mut app.world_mut().resource_mut::<Sent>().0);
            // 3 to 12 ticks on the way, so that turns overtake each other.
            in_flight.extend(sent.into_iter().map(|turn| (round + 3 + turn.tick * 7 % 10, player, turn)));
        }
        in_flight.retain(|(arrives, player, turn)| {
            if *arrives > round {
                return true;
            }
            let to = if *player == 0 { &mut other } else { &mut one };
            rollbacks += usize::from(!turn.commands.is_empty());
            to.world_mut().resource_mut::<RemoteCommands>().turn(*player, turn.tick, turn.commands.clone());
            // The judge gets each command before its tick: it has not begun.
            judge.world_mut().resource_mut::<RemoteCommands>().turn(
                *player,
                turn.tick,
                turn.commands.clone(),
            );
            false
        });
    }
    updates(&mut one, 12);
    updates(&mut other, 12);
    updates(&mut judge, 102);
    assert!(in_flight.iter().all(|(_, _, turn)| turn.commands.is_empty()));
    assert!(rollbacks >= 8 && one.world().resource::<Seen>().late.is_empty());
    let hashes = [&one, &other, &judge].map(|app| (wheelbase(app).tick(), wheelbase(app).hash()));
    assert_eq!(hashes, [hashes[2]; 3]);
    let [of_one, of_other, of_judge] = [&mut one, &mut other, &mut judge].map(components);
    assert_eq!(of_one, of_judge);
    assert_eq!(of_other, of_judge);
}

#[test]
fn a_rollback_gives_an_entity_to_the_unit_of_its_command() {
    let mut app = playing(WheelbasePlugin::new(armies()).player(1).rollback(16));
    let mine = order(&mut app, |orders| orders.spawn(SCOUT, at(20, 20), Team(1)));
    app.world_mut().entity_mut(mine).insert(Health(9));
    let placed_at = wheelbase(&app).tick();
    updates(&mut app, 5);
    assert_eq!(app.world().get::<Unit>(mine), Some(&Unit(AgentId(20))));
    // Player 0 has placed a tank at the same tick, and comes first: the ids shift.
    let act = bevy_wheelbase::PlayerAct::Command(UnitCommand::Spawn(tank(20, 10)));
    let theirs = PlayerCommand { ticket: OrderTicket { player: 0, number: 0 }, act };
    app.world_mut().resource_mut::<RemoteCommands>().at(placed_at, theirs);
    app.update();
    assert_eq!(app.world().get::<Unit>(mine), Some(&Unit(AgentId(21))));
    assert_eq!(app.world().get::<UnitClass>(mine), Some(&UnitClass(SCOUT)));
    assert_eq!(app.world().get::<Health>(mine), Some(&Health(9)));
    let theirs = entity(&app, 20).unwrap();
    assert_eq!(app.world().get::<UnitClass>(theirs), Some(&UnitClass(TANK)));
    assert!(app.world().get::<Health>(theirs).is_none());
    assert_eq!(app.world_mut().query::<&Unit>().iter(app.world()).count(), 22);
    // A later command in its way: refused after all.
    let act = bevy_wheelbase::PlayerAct::Command(UnitCommand::Spawn(tank(20, 20)));
    let blocker = PlayerCommand { ticket: OrderTicket { player: 0, number: 1 }, act };
    app.world_mut().resource_mut::<RemoteCommands>().at(placed_at, blocker);
    app.update();
    assert!(app.world().get_entity(mine).is_err());
    assert_eq!(app.world().get::<UnitClass>(entity(&app, 21).unwrap()), Some(&UnitClass(TANK)));
    assert_eq!(app.world_mut().query::<&Unit>().iter(app.world()).count(), 22);
}

#[test]
fn a_game_goes_back_and_plays_differently() {
    let mut app = playing(WheelbasePlugin::new(armies()).rollback(8));
    updates(&mut app, 10);
    let hash = wheelbase(&app).hash();
    let tank = entity(&app, 0).unwrap();
    order(&mut app, |orders| orders.remove(AgentId(0)));
    updates(&mut app, 6);
    assert!(app.world().get_entity(tank).is_err());
    let undone = app.world_mut().resource_mut::<Wheelbase>().rollback_to(10).unwrap();
    assert_eq!((undone.len(), undone[0].0), (1, 10));
    assert_eq!(wheelbase(&app).hash(), hash);
    app.update();
    assert!(entity(&app, 0).is_some_and(|again| again != tank), "it is back, without your components");
    let mut wheelbase = app.world_mut().resource_mut::<Wheelbase>();
    assert_eq!(wheelbase.rollback_to(11), Ok(Vec::new()));
    assert!(wheelbase.rollback_to(2).is_err() && wheelbase.rollback_to(12).is_err());
    assert_eq!(wheelbase.tick(), 11);
}

#[test]
fn commands_that_are_too_late_are_reported() {
    let mut app = playing(WheelbasePlugin::new(armies()).rollback(4));
    updates(&mut app, 10);
    let act = bevy_wheelbase::PlayerAct::Command(UnitCommand::remove(AgentId(3)));
    let command = PlayerCommand { ticket: OrderTicket { player: 1, number: 0 }, act };
    app.world_mut().resource_mut::<RemoteCommands>().at(5, command.clone());
    app.update();
    assert_eq!(app.world().resource::<Seen>().late, [TooLate { tick: 5, command: command.clone() }]);
    assert!(wheelbase(&app).agent(AgentId(3)).is_some());
    app.world_mut().resource_mut::<RemoteCommands>().at(7, command);
    app.update();
    assert!(wheelbase(&app).agent(AgentId(3)).is_none());
}
