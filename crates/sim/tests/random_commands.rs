//! Random commands of all kinds, valid and not, at random ticks, on worlds of all kinds. Nothing panics, every tick is
//! checked, and worlds on 1, 2 and 8 threads agree.
//!
//! `WHEELBASE_COMMANDS=100000` gives that many commands in place of a few thousand, `WHEELBASE_SEED=7` other ones.

use crate::common::random_commands::{Generator, Kinds};
use crate::common::{Checked, map, setup_on};
use wheelbase_grid::{Grid, GridShape, SplitMix64};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
use wheelbase_sim::codec::{decode, encode};
use wheelbase_sim::invariant::check;
use wheelbase_sim::{
    AgentSelection, CollisionRule, Command, EventKind, EventRow, Friends, Host, IfNoRoom, PathSource,
    RefusalReason, ReplanParams, Settings, Setup, SetupErrors, Team, Threads, Ticket, World, tune,
};
use wheelbase_traffic::hash::fold;
use wheelbase_traffic::params::{TrafficParams, Tunable};
use wheelbase_traffic::speed::ticks_at_speed;
use wheelbase_traffic::{
    Commanded, Cooperative, Decisions, Leads, Reroute, Start, Traffic, TrafficView, UnitRobots,
};

/// What takes part.
const KINDS: Kinds = Kinds::ALL;

/// Commands of a world, before the next one is made.
const COMMANDS_OF_A_WORLD: usize = 240;

/// Threads of the worlds that get the same commands.
const THREADS: [usize; 3] = [1, 2, 8];

/// What moves the agents and plans their paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driver {
    Planner,
    HostPaths,
    HostMoves,
    /// A rule from outside that decides at random, right or wrong.
    BadRule,
    /// A team of unit robots.
    Robots,
}

/// A kind of world.
#[derive(Clone, Copy, Debug)]
struct Scene {
    shape: GridShape,
    collision: CollisionRule,
    driver: Driver,
}

const fn scene(shape: GridShape, collision: CollisionRule, driver: Driver) -> Scene {
    Scene { shape, collision, driver }
}

const SCENES: [Scene; 11] = [
    scene(GridShape::Square, CollisionRule::Swept, Driver::Planner),
    scene(GridShape::Hex, CollisionRule::Swept, Driver::Planner),
    scene(GridShape::Square, CollisionRule::Discrete, Driver::Planner),
    scene(GridShape::Hex, CollisionRule::Discrete, Driver::Planner),
    scene(GridShape::Square, CollisionRule::Swept, Driver::HostPaths),
    scene(GridShape::Hex, CollisionRule::Discrete, Driver::HostPaths),
    scene(GridShape::Square, CollisionRule::Discrete, Driver::HostMoves),
    scene(GridShape::Hex, CollisionRule::Swept, Driver::HostMoves),
    scene(GridShape::Square, CollisionRule::Swept, Driver::BadRule),
    scene(GridShape::Hex, CollisionRule::Discrete, Driver::BadRule),
    scene(GridShape::Square, CollisionRule::Discrete, Driver::Robots),
];

/// Decides at random.
#[derive(Clone)]
struct BadRule(SplitMix64);

impl BadRule {
    /// A row, perhaps of nobody.
    fn row(&mut self, n: usize) -> u32 {
        if n == 0 || self.0.chance(50) { u32::MAX - self.0.below(2) } else { self.0.below(n as u32) }
    }
}

impl Traffic for BadRule {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let n = view.agents.ids.len();
        for (row, motion) in view.agents.motion.iter().enumerate() {
            let tables = &view.tables[usize::from(motion.class.0)];
            let next = view.paths.moves(view.agents.paths[row]).first().copied();
            let primitive = next.filter(|_| self.0.chance(900)).unwrap_or(self.0.below(5) as u8);
            let known = usize::from(primitive) < tables.class().primitives().len();
            let ticks = if known { tables.move_ticks(motion.state, usize::from(primitive)) } else { None };
            let ticks = ticks_at_speed(ticks.unwrap_or(1), view.agents.speed_factors[row]);
            let ticks = if self.0.chance(20) { self.0.below(4) } else { ticks };
            if self.0.chance(700) {
                decisions.starts.push(Start { row: row as u32, primitive, ticks });
            }
        }
        if self.0.chance(100) {
            decisions.starts.push(Start { row: self.row(n), primitive: 255, ticks: u32::MAX });
        }
        for _ in 0..2 {
            decisions.replan.extend(Some(self.row(n)).filter(|_| self.0.chance(100)));
            decisions.unreachable.extend(Some(self.row(n)).filter(|_| self.0.chance(30)));
            decisions.around.extend(Some(self.row(n)).filter(|_| self.0.chance(100)));
            decisions.give_up.extend(Some(self.row(n)).filter(|_| self.0.chance(100)));
            let first = decisions.reroute_moves.len() as u32;
            let count = self.0.below(4);
            decisions.reroute_moves.extend((0..count).map(|_| self.0.below(4) as u8));
            let leads = [Leads::On, Leads::Off, Leads::Aside][self.0.below(3) as usize];
            let (row, count) = (self.row(n), if self.0.chance(30) { u32::MAX } else { count });
            if self.0.chance(200) {
                decisions.reroutes.push(Reroute { row, first, count, leads });
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }
}

/// Rooms behind doors of one and two cells, and lanes.
const ROOMS: [&str; 11] = [
    "......W........",
    "......W........",
    "...............",
    "......W........",
    "WW.WWWWWWW..WWW",
    "......W........",
    "......W........",
    "......W........",
    "...............",
    "WWWWWWWWWWW.WWW",
    "...............",
];

const ROWS: [&str; 12] = [
    "..................",
    "..................",
    "....WWWW..........",
    "....W....SS..W....",
    "....W....SS..W....",
    "....W........W....",
    ".............W....",
    "..WWWWWW..........",
    ".......W..........",
    ".......W...WWWW...",
    "..................",
    "..................",
];

fn grid_of(scene: Scene, seed: u64) -> Grid {
    if seed / 22 % 2 == 1 || scene.driver == Driver::Robots {
        map(&ROOMS, scene.shape)
    } else {
        map(&ROWS, scene.shape)
    }
}

fn world_of(scene: Scene, seed: u64, threads: usize) -> World {
    let Setup { mut settings, grid, tables, .. } = match scene.driver {
        Driver::Robots => {
            let mut robot = ClassSpec::new("robot", 4);
            robot.primitives = Primitive::vehicle(1, 1, 1);
            robot.primitives.remove(1);
            let settings = Settings { tries_per_tick: 100, ..Settings::named("robots") };
            let classes = vec![MovementClass::new(robot).unwrap()];
            Setup::cooperative(settings, grid_of(scene, seed), classes)
        }
        _ => setup_on(grid_of(scene, seed)),
    };
    settings = Settings { collision: scene.collision, seed, ..settings };
    // So little that searches go on for some ticks and requests wait.
    (settings.expansions_per_tick, settings.search_slots) =
        [(2_000, 4), (150, 2), (40_000, 16), (1, 1), (1 << 40, 1024)][seed as usize % 5];
    if scene.driver != Driver::Robots {
        settings.poses_per_agent = [16, 1, u32::MAX, 5][seed as usize % 4];
    }
    if seed.is_multiple_of(3) {
        tune_at_random(&mut settings, seed);
    }
    let traffic: Box<dyn Traffic> = match scene.driver {
        Driver::HostMoves => Box::new(Commanded),
        Driver::Robots => {
            let params = settings.traffic;
            Box::new(UnitRobots::new(&tables[0], settings.collision, 40, seed, params).unwrap())
        }
        Driver::BadRule => Box::new(BadRule(SplitMix64::new(seed))),
        _ => Box::new(Cooperative::new(&tables, grid.size(), settings.collision, settings.traffic)),
    };
    let mut setup = Setup::with_rule(settings, grid, tables, traffic);
    setup.threads = Threads::Own(threads);
    setup.friends = Friends::default();
    setup.friends.befriend(Team(0), Team(1));
    if scene.driver == Driver::HostPaths {
        setup.paths = PathSource::Host;
    }
    World::new(setup).unwrap()
}

/// Sets some tunables to the ends of their ranges, or between.
fn tune_at_random(settings: &mut Settings, seed: u64) {
    let mut random = SplitMix64::new(seed);
    for Tunable { name, range, .. } in TrafficParams::tunables().into_iter().chain(ReplanParams::tunables()) {
        if random.chance(150) {
            let near = (range.start().saturating_add(random.below(20))).min(*range.end());
            let value = [*range.start(), *range.end(), near][random.below(3) as usize];
            tune(&mut settings.traffic, &mut settings.replan, name, value).unwrap();
        }
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = |change: fn(&mut Setup)| {
        let mut setup = setup_on(map(&ROOMS, GridShape::Square));
        change(&mut setup);
        let SetupErrors(errors) = World::new(setup).err().unwrap();
        errors.len()
    };
    assert_eq!(refused(|setup| setup.settings.search_slots = 0), 1);
    assert_eq!(refused(|setup| setup.settings.search_slots = usize::MAX), 1);
    assert_eq!(refused(|setup| setup.settings.expansions_per_tick = u64::MAX), 1);
    assert_eq!(refused(|setup| setup.settings.replan.pause_doublings = 40), 1);
    assert_eq!(refused(|setup| setup.landmarks = Some(usize::MAX)), 1);
    let twice = |setup: &mut Setup| {
        (setup.settings.replan.detour_reach, setup.settings.search_slots) = (u32::MAX, 0);
    };
    assert_eq!(refused(twice), 2);
}

/// Names a run that panics.
struct Naming(String);

impl Drop for Naming {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in {}", self.0);
        }
    }
}

fn from_env(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The reason to refuse a command in any world.
fn always_refused(command: &Command, placed: u64) -> Option<RefusalReason> {
    match command {
        Command::Team { team, .. } if !team.is_known() => Some(RefusalReason::UnknownTeam),
        Command::SpeedFactor { permille: 0, .. } => Some(RefusalReason::WrongSpeedFactor),
        Command::Class { class, .. } if class.0 > 3 => Some(RefusalReason::UnknownClass),
        Command::Remove(AgentSelection::One(agent)) if u64::from(agent.0) > placed + 1000 => {
            Some(RefusalReason::UnknownAgent)
        }
        _ => None,
    }
}

/// Checks the events of a tick about a command that took effect at it.
fn check_outcome(command: &Command, ticket: Ticket, placed: u64, events: &[EventRow]) {
    let told = |kind| events.iter().filter(move |row| row.ticket == ticket.0 && row.kind() == Some(kind));
    let refused: Vec<_> = told(EventKind::Refused).collect();
    if let Some(reason) = always_refused(command, placed) {
        assert!(refused.iter().any(|row| row.a == reason as u32), "{command:?}: {refused:?}");
    }
    match command {
        Command::Spawn(_) => assert_eq!(told(EventKind::Spawned).count() + refused.len(), 1),
        Command::SpawnGroup(group) => {
            let n_placed = told(EventKind::Spawned).count();
            // The others of a group that waits for room come later.
            let is_right = match group.if_no_room {
                IfNoRoom::Wait { .. } => refused.is_empty() || n_placed == 0,
                IfNoRoom::Drop => refused.is_empty() == (n_placed == group.count as usize),
            };
            assert!(is_right || group.count == 0);
        }
        _ => assert_eq!(told(EventKind::Spawned).count(), 0),
    }
}

/// What happened in some worlds.
#[derive(Clone, Debug, Default)]
struct Told {
    /// Events by kind, and refusals by reason.
    kinds: [usize; EventKind::ALL.len()],
    reasons: [usize; RefusalReason::ALL.len()],
    moves: u64,
    ticks: u32,
    /// The hashes of the last states, folded: equal in debug and release builds.
    hash: u64,
}

impl Told {
    fn read(&mut self, events: &[EventRow]) {
        for row in events {
            let kind = row.kind().unwrap();
            self.kinds[kind as usize] += 1;
            if kind == EventKind::Refused {
                self.reasons[row.a as usize] += 1;
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.kinds.iter_mut().zip(other.kinds).for_each(|(sum, n)| *sum += n);
        self.reasons.iter_mut().zip(other.reasons).for_each(|(sum, n)| *sum += n);
        self.moves += other.moves;
        self.ticks += other.ticks;
        self.hash = fold(self.hash, other.hash);
    }
}

/// Gives a world of each number of threads the same commands, and checks every tick.
fn run(scene: Scene, seed: u64, commands: usize) -> Told {
    let mut naming = Naming(String::new());
    let mut first = Checked::new(world_of(scene, seed, THREADS[0]));
    let mut others: Vec<World> = THREADS[1..].iter().map(|&threads| world_of(scene, seed, threads)).collect();
    let mut generator = Generator::new(seed, KINDS);
    let (mut left, mut told) = (commands, Told::default());
    let mut later: Vec<(u32, Ticket, Command)> = Vec::new();
    // Groups that wait for room may wait without end.
    let waits = |command: &Command| matches!(command, Command::SpawnGroup(group) if group.if_no_room != IfNoRoom::Drop);
    while left > 0 || first.world.scheduled_commands().any(|(.., command)| !waits(command)) {
        let tick = first.world.tick();
        naming.0 = format!("{scene:?}, WHEELBASE_SEED={seed}, tick {tick}");
        // In every other world there is time for orders to be done.
        let rests = seed / 11 % 2 == 1 && generator.chance(900);
        let burst = if rests { 0 } else { [0, 0, 0, 1, 1, 2, 3, 12][generator.below(8) as usize] };
        let mut given = Vec::new();
        for _ in 0..burst.min(left) {
            given.push((generator.command(&first.world), generator.chance(100).then(|| generator.below(30))));
            left -= 1;
        }
        if scene.driver == Driver::HostPaths {
            given.extend(generator.answers(&first.world).into_iter().map(|answer| (answer, None)));
        }
        if scene.driver == Driver::HostMoves {
            given.push((generator.decisions(&first.world), None));
        }
        for (command, delay) in given {
            let at = delay.map(|delay| if delay == 0 { 0 } else { tick + delay });
            // The others get the commands through bytes, as from a network or a file.
            let sent = through_bytes(&command);
            assert_eq!(sent, command);
            let tickets = others.iter_mut().map(|world| give(world, at, sent.clone()));
            let agree: Vec<Ticket> = tickets.collect();
            let ticket = give(&mut first.world, at, command.clone());
            assert!(agree.iter().all(|&other| other == ticket));
            later.push((at.unwrap_or(0).max(tick), ticket, command));
        }
        save_and_load(&mut others, tick);
        let placed = first.world.counts().placed;
        first.step();
        for other in &mut others {
            other.step();
        }
        let events = first.world.events();
        later.retain(|(at, ticket, command)| {
            if *at == tick {
                check_outcome(command, *ticket, placed, events);
            }
            *at > tick
        });
        told.read(events);
        assert_eq!(first.world.counts().commands_refused as usize, told.kinds[EventKind::Refused as usize]);
        for other in &others {
            assert_eq!(other.state_hash(), first.world.state_hash(), "after tick {tick}");
            assert_eq!((other.agents(), other.events()), (first.world.agents(), events), "after tick {tick}");
        }
    }
    // The remaining work is done, or waits.
    for _ in 0..100 {
        first.step();
    }
    for other in &mut others {
        for _ in 0..100 {
            other.step();
        }
        assert_eq!(other.state_hash(), first.world.state_hash());
        assert_eq!(check(other), []);
    }
    (told.moves, told.ticks) = (first.world.counts().moves, first.world.tick());
    told.hash = first.world.state_hash();
    told
}

/// At some ticks, after the commands of the tick, replaces one of the worlds by itself: loaded from its snapshot, or
/// copied into another world.
fn save_and_load(worlds: &mut [World], tick: u32) {
    let [.., last] = worlds else { return };
    match tick % 16 {
        3 => *last = last.clone(),
        7 => {
            let mut copy = last.clone();
            copy.step();
            copy.clone_from(last);
            *last = copy;
        }
        11 => {
            // A rule from outside without a name cannot be saved.
            let Ok(bytes) = last.save() else { return };
            let host = Host { threads: Threads::Own(THREADS[2]), ..Host::default() };
            let loaded = World::load(&bytes, host).unwrap();
            assert!(loaded.save().unwrap() == bytes, "saved again at tick {tick}");
            *last = loaded;
        }
        _ => {}
    }
}

fn through_bytes(command: &Command) -> Command {
    let mut bytes = Vec::new();
    encode(command, &mut bytes).unwrap();
    decode(&bytes, &mut (1 << 30)).unwrap()
}

fn give(world: &mut World, at: Option<u32>, command: Command) -> Ticket {
    match at {
        Some(at) => world.command_at(at, command),
        None => world.command(command),
    }
}

#[test]
fn random_commands_do_what_they_may() {
    let usual = if std::env::var_os("WHEELBASE_LONG").is_some() { 6_000 } else { 3_500 };
    let commands = from_env("WHEELBASE_COMMANDS", usual) as usize;
    let first = from_env("WHEELBASE_SEED", 1);
    let n_worlds = commands.div_ceil(COMMANDS_OF_A_WORLD);
    let (mut told, mut failed) = (Told::default(), Vec::new());
    for seed in first..first + n_worlds as u64 {
        let scene = SCENES[seed as usize % SCENES.len()];
        match std::panic::catch_unwind(|| run(scene, seed, COMMANDS_OF_A_WORLD)) {
            Ok(of_world) => told.add(&of_world),
            Err(_) => failed.push(seed),
        }
    }
    println!(
        "{commands} commands in {n_worlds} worlds, {} moves in {} ticks, hash {:016x}",
        told.moves, told.ticks, told.hash
    );
    for kind in EventKind::ALL {
        println!("{:8} {kind:?}", told.kinds[kind as usize]);
    }
    for reason in RefusalReason::ALL {
        println!("{:8} refused: {reason}", told.reasons[reason as usize]);
    }
    assert!(failed.is_empty(), "seeds of worlds that failed: {failed:?}");
    // Every event and refusal occurs, except for too many agents.
    assert!(told.kinds.iter().all(|&n| n > 0), "{told:?}");
    let all_but_one = told.reasons.iter().filter(|&&n| n > 0).count() >= RefusalReason::ALL.len() - 1;
    assert!(all_but_one, "{told:?}");
}
