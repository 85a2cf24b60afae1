//! Lockstep: two worlds on two threads exchange nothing but commands, as bytes, and agree in the hash of every tick. A
//! third one joins late by a snapshot.

use crate::common::{CART, TANK, TRUCK, WALKER, cell, map, setup_on};
use std::sync::mpsc::{Receiver, Sender, channel};
use wheelbase_grid::{Change, GridShape, Rect, SplitMix64, TerrainKind};
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::codec::{decode, encode};
use wheelbase_sim::{
    AgentId, AgentSelection, AtDeadline, ClassId, Command, EventKind, Host, MapEdit, OnAgents, Order,
    OrderKind, Spawn, Team, Threads, World,
};

const TICKS: u32 = 10_000;
/// Tick at which a third world joins.
const LATE: u32 = 3_333;
/// Most units of a player.
const UNITS: usize = 14;

const ROWS: [&str; 14] = [
    "........................",
    "........................",
    "....WW..........WW......",
    "....WW..........WW......",
    "...........S............",
    "..........SSS...........",
    "WWWWW....SSSSS....WWWWWW",
    "..........SSS...........",
    "...........S............",
    "....WW..........WW......",
    "....WW..........WW......",
    "........................",
    "........................",
    "........................",
];

/// A player, who sees the world and gives commands to units of the same team.
struct Player {
    team: Team,
    random: SplitMix64,
}

impl Player {
    fn new(number: u8) -> Self {
        Self { team: Team(number), random: SplitMix64::new(77 + u64::from(number)) }
    }

    fn cell(&mut self, world: &World) -> wheelbase_grid::CellXY {
        let size = world.grid().size();
        cell(self.random.below(size.width()) as i32, self.random.below(size.height()) as i32)
    }

    fn spawn(&mut self, world: &World) -> Command {
        let class: ClassId = [WALKER, WALKER, CART, TRUCK, TANK][self.random.below(5) as usize];
        let headings = world.tables()[usize::from(class.0)].space().headings();
        let pose =
            Pose { cell: self.cell(world), heading: Heading(self.random.below(headings.into()) as u8) };
        Command::Spawn(Spawn {
            team: self.team,
            speed_factor: [1000, 800, 1500][self.random.below(3) as usize],
            ..Spawn::new(class, pose)
        })
    }

    fn order(&mut self, world: &World, agent: AgentId) -> Command {
        let to = self.cell(world);
        match self.random.below(8) {
            0 => Command::order(agent, Order::patrol(&[to, self.cell(world)])),
            1 => Command::append(agent, Order::goto(to)),
            2 => Command::order(agent, Order::new(OrderKind::Hold)),
            3 => Command::stop(AgentSelection::One(agent)),
            4 => {
                let leader = world.agents()[self.random.below(world.agents().len() as u32) as usize].agent();
                Command::order(agent, Order::new(OrderKind::Follow { leader, within: 2 }))
            }
            _ => Command::order(agent, Order::goto(to)),
        }
    }

    /// A building, or its end.
    fn edit(&mut self, world: &World) -> Command {
        let at = self.cell(world);
        let built = self.random.chance(400);
        let kind = TerrainKind(if built { 2 } else { 0 });
        let (width, height) = if built { (2, 1) } else { (4, 3) };
        let change = Change::Terrain { area: Rect::new(at.x, at.y, width, height), kind };
        let until = OnAgents::WaitUntil { deadline: 20, then: AtDeadline::Remove };
        let on_agents = [OnAgents::Wait, OnAgents::Strand, until][self.random.below(3) as usize];
        Command::Edit(MapEdit { changes: std::sync::Arc::new([change]), on_agents })
    }

    /// The commands of a tick.
    fn play(&mut self, world: &World) -> Vec<Command> {
        let mine: Vec<AgentId> =
            world.agents().iter().filter(|row| row.team == self.team.0).map(|row| row.agent()).collect();
        let mut commands = Vec::new();
        if mine.len() < UNITS && self.random.chance(50) {
            commands.push(self.spawn(world));
        }
        if mine.is_empty() {
            return commands;
        }
        let one = mine[self.random.below(mine.len() as u32) as usize];
        if self.random.chance(40) {
            commands.push(self.order(world, one));
        }
        if self.random.chance(4) {
            commands.push(Command::order(mine, Order::goto_group(self.cell(world))));
        }
        if self.random.chance(4) {
            commands.push(self.edit(world));
        }
        if self.random.chance(3) {
            commands.push(Command::Remove(AgentSelection::One(one)));
        }
        if self.random.chance(5) {
            let class = ClassId(self.random.below(4) as u8);
            commands.push(Command::Class { agent: one, class, pose: None });
        }
        commands
    }
}

/// What one machine has seen.
#[derive(Debug, PartialEq)]
struct Seen {
    hashes: Vec<u64>,
    kinds: [usize; EventKind::ALL.len()],
    moves: u64,
}

/// The game on the machine of a player, which plans on some threads.
fn machine(
    number: u8,
    threads: usize,
    ticks: u32,
    to_other: Sender<Vec<u8>>,
    from_other: Receiver<Vec<u8>>,
) -> Seen {
    let mut setup = setup_on(map(&ROWS, GridShape::Square));
    setup.threads = Threads::Own(threads);
    setup.settings.expansions_per_tick = 3_000;
    let mut world = World::new(setup).unwrap();
    let mut player = Player::new(number);
    let mut seen =
        Seen { hashes: Vec::with_capacity(ticks as usize), kinds: [0; EventKind::ALL.len()], moves: 0 };
    let mut late: Option<World> = None;
    for tick in 0..ticks {
        if number == 1 && tick == LATE {
            let host = Host { threads: Threads::Own(2), ..Host::default() };
            late = Some(World::load(&world.save().unwrap(), host).unwrap());
        }
        let mine = player.play(&world);
        let mut bytes = Vec::new();
        encode(&mine, &mut bytes).unwrap();
        to_other.send(bytes).unwrap();
        let theirs: Vec<Command> = decode(&from_other.recv().unwrap(), &mut (1 << 20)).unwrap();
        // Both machines give the commands in the same order: the first player's come first.
        let (first, second) = if number == 0 { (mine, theirs) } else { (theirs, mine) };
        for command in first.into_iter().chain(second) {
            if let Some(late) = &mut late {
                late.command(command.clone());
            }
            world.command(command);
        }
        world.step();
        seen.hashes.push(world.state_hash());
        if let Some(late) = &mut late {
            late.step();
            assert_eq!(late.state_hash(), world.state_hash(), "joined at tick {LATE}, after tick {tick}");
            assert_eq!((late.agents(), late.events()), (world.agents(), world.events()), "after tick {tick}");
        }
        for event in world.events() {
            seen.kinds[event.kind as usize] += 1;
        }
    }
    seen.moves = world.counts().moves;
    seen
}

/// Both machines, each with its number of threads.
fn play(threads: [usize; 2], ticks: u32) -> [Seen; 2] {
    let ((to_second, from_first), (to_first, from_second)) = (channel(), channel());
    std::thread::scope(|scope| {
        let first = scope.spawn(move || machine(0, threads[0], ticks, to_second, from_second));
        let second = scope.spawn(move || machine(1, threads[1], ticks, to_first, from_first));
        [first.join().unwrap(), second.join().unwrap()]
    })
}

#[test]
fn two_machines_agree_in_every_tick() {
    let [first, second] = play([1, 4], TICKS);
    assert_eq!(first.hashes.len(), TICKS as usize);
    assert!(first == second, "they differ from tick {:?} on", differs(&first, &second));
    println!("{} moves, events {:?}", first.moves, first.kinds);
    assert!(first.moves > 10_000, "{}", first.moves);
    for kind in [EventKind::Spawned, EventKind::Removed, EventKind::OrderDone, EventKind::EditDone] {
        assert!(first.kinds[kind as usize] > 20, "{kind:?}: {:?}", first.kinds);
    }
    // The other way round, of which a quarter is played unless `.ci/run --all` runs this.
    let ticks = if std::env::var_os("WHEELBASE_LONG").is_some() { TICKS } else { TICKS / 4 };
    for other in play([4, 1], ticks) {
        assert_eq!(other.hashes.len(), ticks as usize);
        let at = differs(&first, &other);
        assert!(at.is_none(), "they differ from tick {at:?} on");
        assert!(ticks < TICKS || first == other);
    }
}

fn differs(one: &Seen, other: &Seen) -> Option<usize> {
    one.hashes.iter().zip(&other.hashes).position(|(one, other)| one != other)
}
