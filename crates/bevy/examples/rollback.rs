//! Two players with rollback: each acts in the tick of the click, and the other hears of it ticks later. A command that
//! comes late rolls the world back, and both end up with one hash. Run it with `cargo run --example rollback`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_wheelbase::prelude::*;

const TICKS: u32 = 200;
/// Ticks that a turn is under way.
const LATENCY: u32 = 6;
/// Longest latency that is not lost.
const ROLLBACK_TICKS: u16 = 12;

/// An open field with a column of tanks for each player.
fn battlefield() -> Result<bevy_wheelbase::sim::World, Box<dyn std::error::Error>> {
    let grid =
        Grid::from_rows(&[".".repeat(60).as_str(); 30], TerrainTable::movingai(), SideTable::default())?;
    let mut tank = ClassSpec::new("tank", 4);
    tank.footprint = vec![(0, 0), (-1, 0)];
    tank.primitives = Primitive::vehicle(4, 10, 5);
    let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::new(tank)?]);
    for y in 0..12 {
        let [left, right] = [(4, 0, 0), (55, 2, 1)].map(|(x, heading, team)| {
            let pose = Pose::new(x, 2 + 2 * y, Heading(heading));
            UnitSpawn { team: Team(team), ..UnitSpawn::new(ClassId(0), pose) }
        });
        setup.agents.extend([left, right]);
    }
    Ok(bevy_wheelbase::sim::World::new(setup)?)
}

/// What the network layer has to send.
#[derive(Resource, Default)]
struct Outbox(Vec<LocalTurn>);

fn post(mut turns: MessageReader<LocalTurn>, mut outbox: ResMut<Outbox>) {
    outbox.0.extend(turns.read().filter(|turn| !turn.commands.is_empty()).cloned());
}

/// A player who clicks now and then: own tanks go to a point that depends on the tick.
fn click(me: Res<Me>, wheelbase: Res<Wheelbase>, units: Query<(&Unit, &UnitTeam)>, mut orders: Orders) {
    let tick = wheelbase.tick();
    if tick % 40 == 5 + u32::from(me.0) * 7 {
        let own = units.iter().filter(|(_, team)| team.0.0 == me.0).map(|(unit, _)| unit.0);
        let mut own: Vec<AgentId> = own.collect();
        own.sort_unstable();
        orders.of(own).goto_group(CellXY::new(10 + tick as i32 % 41, 4 + tick as i32 % 23));
    }
}

#[derive(Resource)]
struct Me(u8);

fn player(number: u8) -> Result<App, Box<dyn std::error::Error>> {
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
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
