//! Two players with rollback: each acts in the tick of the click, and the other hears of it ticks later. A command that
//! comes late rolls the world back, and both end up with one hash. Run it with `cargo run --example rollback`.

mod field;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_wheelbase::prelude::*;
use field::{Outcome, battlefield, send_tanks};

const TICKS: u32 = 200;
/// Ticks that a turn is under way.
const LATENCY: u32 = 6;
/// Longest latency that is not lost.
const ROLLBACK_TICKS: u16 = 12;

/// What the network layer has to send.
#[derive(Resource, Default)]
struct Outbox(Vec<LocalTurn>);

fn post(mut turns: MessageReader<LocalTurn>, mut outbox: ResMut<Outbox>) {
    outbox.0.extend(turns.read().filter(|turn| !turn.commands.is_empty()).cloned());
}

/// A player who clicks now and then.
fn click(me: Res<Me>, wheelbase: Res<Wheelbase>, units: Query<(&Unit, &UnitTeam)>, mut orders: Orders) {
    if wheelbase.tick() % 40 == 5 + u32::from(me.0) * 7 {
        send_tanks(me.0, wheelbase.tick(), &units, &mut orders);
    }
}

#[derive(Resource)]
struct Me(u8);

fn player(number: u8) -> Outcome<App> {
    let mut app = App::new();
    app.add_plugins((
        TimePlugin,
        WheelbasePlugin::new(battlefield()?).ticks_per_second(20.0).player(number).rollback(ROLLBACK_TICKS),
    ))
    // A frame for each tick, whatever the clock says.
    .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
    .insert_resource(Me(number))
    .init_resource::<Outbox>()
    .add_systems(FixedUpdate, click.before(WheelbaseSystems::Commands))
    .add_systems(FixedPostUpdate, post);
    Ok(app)
}

fn main() -> Outcome<()> {
    let mut players = [player(0)?, player(1)?];
    let mut under_way: Vec<(u32, usize, LocalTurn)> = Vec::new();
    let mut late = 0;
    for frame in 0..TICKS {
        for (number, app) in players.iter_mut().enumerate() {
            app.update();
            let sent = std::mem::take(&mut app.world_mut().resource_mut::<Outbox>().0);
            under_way.extend(sent.into_iter().map(|turn| (frame + LATENCY, number, turn)));
        }
        for (_, from, turn) in under_way.extract_if(.., |(arrives, ..)| *arrives <= frame) {
            let to = &mut players[1 - from];
            late += u32::from(turn.tick < to.world().resource::<Wheelbase>().tick());
            to.world_mut().resource_mut::<RemoteCommands>().turn(from as u8, turn.tick, turn.commands);
        }
    }
    let [one, other] = players.each_ref().map(|app| app.world().resource::<Wheelbase>().hash());
    println!("{TICKS} ticks, {late} commands late by {LATENCY}: hashes {one:016x} and {other:016x}");
    if one == other { Ok(()) } else { Err("the machines differ".into()) }
}
