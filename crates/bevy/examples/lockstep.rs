//! Two machines in lockstep over TCP. Only commands cross the wire; each machine compares the hash of the other. Run it
//! with `cargo run --example lockstep`: both machines are threads of one process here.

mod field;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_wheelbase::prelude::*;
use field::{Outcome, battlefield, send_tanks};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

const TICKS: u32 = 300;
/// Ticks between a click and its effect: longer than a message is under way.
const INPUT_DELAY: u32 = 4;

/// A turn on the wire, as a line of JSON.
#[derive(Serialize, Deserialize)]
struct Packet {
    tick: u32,
    commands: Vec<PlayerCommand>,
    /// The sender's tick and its hash, after the step.
    hash: (u32, u64),
}

/// The wire, and the hashes of both machines by tick.
#[derive(Resource)]
struct Peer {
    me: u8,
    /// Packets that the thread of the wire has read.
    inbox: Arc<Mutex<Vec<Packet>>>,
    writer: TcpStream,
    own: Vec<(u32, u64)>,
    theirs: Vec<(u32, u64)>,
}

/// Takes what has come. A stalled world waits for it.
fn receive(mut peer: ResMut<Peer>, mut remote: ResMut<RemoteCommands>) {
    let packets = std::mem::take(&mut *peer.inbox.lock().unwrap_or_else(PoisonError::into_inner));
    for Packet { tick, commands, hash } in packets {
        remote.turn(1 - peer.me, tick, commands);
        peer.theirs.push(hash);
    }
}

/// Sends the turn of this tick, also if it is empty: the other machine waits for it.
fn send(
    mut turns: MessageReader<LocalTurn>,
    wheelbase: Res<Wheelbase>,
    mut peer: ResMut<Peer>,
) -> Result<(), BevyError> {
    for turn in turns.read() {
        let hash = (wheelbase.tick(), wheelbase.hash());
        peer.own.push(hash);
        let mut line =
            serde_json::to_string(&Packet { tick: turn.tick, commands: turn.commands.clone(), hash })?;
        line.push('\n');
        peer.writer.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// A player who clicks now and then.
fn click(peer: Res<Peer>, wheelbase: Res<Wheelbase>, units: Query<(&Unit, &UnitTeam)>, mut orders: Orders) {
    if !wheelbase.is_stalled() && wheelbase.tick() % 50 == 5 + u32::from(peer.me) * 9 {
        send_tanks(peer.me, wheelbase.tick(), &units, &mut orders);
    }
}

/// Plays to the last tick. Returns how many hashes were compared, and how many frames the machine had to wait.
fn play(me: u8, stream: TcpStream) -> Outcome<(usize, u32)> {
    stream.set_nodelay(true)?;
    let (writer, inbox) = (stream.try_clone()?, Arc::new(Mutex::new(Vec::new())));
    let packets = inbox.clone();
    let reader = std::thread::spawn(move || -> Outcome<()> {
        for line in BufReader::new(stream).lines() {
            let packet = serde_json::from_str(&line?)?;
            packets.lock().unwrap_or_else(PoisonError::into_inner).push(packet);
        }
        Ok(())
    });
    let mut app = App::new();
    app.add_plugins((
        TimePlugin,
        WheelbasePlugin::new(battlefield()?).player(me).lockstep(2).input_delay(INPUT_DELAY),
    ))
    // As fast as it goes: a game has `ticks_per_second` instead.
    .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
    .insert_resource(Peer { me, inbox, writer, own: Vec::new(), theirs: Vec::new() })
    .add_systems(FixedPreUpdate, receive)
    .add_systems(FixedUpdate, click.before(WheelbaseSystems::Commands))
    .add_systems(FixedPostUpdate, send);
    let mut waited = 0;
    while app.world().resource::<Wheelbase>().tick() < TICKS {
        app.update();
        waited += u32::from(app.world().resource::<Wheelbase>().is_stalled());
    }
    // The other machine may not be there yet: it is heard to its end.
    app.world().resource::<Peer>().writer.shutdown(Shutdown::Write)?;
    reader.join().map_err(|_| "the reader panicked")??;
    app.world_mut().run_system_once(receive).map_err(|error| error.to_string())?;
    let peer = app.world().resource::<Peer>();
    let n_compared = peer.own.len().min(peer.theirs.len());
    if peer.own[..n_compared] != peer.theirs[..n_compared] {
        return Err("the machines differ".into());
    }
    Ok((n_compared, waited))
}

fn main() -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let guest = std::thread::spawn(move || play(1, TcpStream::connect(address)?));
    let host = play(0, listener.accept()?.0);
    let guest = guest.join().map_err(|_| "the guest panicked")?;
    for (name, (compared, waited)) in [("host", host?), ("guest", guest?)] {
        println!("{name}: {TICKS} ticks, {compared} hashes equal, {waited} frames of waiting");
    }
    Ok(())
}
