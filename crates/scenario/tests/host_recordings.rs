//! Recordings of worlds that a host drives by commands: they are verified, rendered and refused like recordings of
//! scenarios.

use crate::common::on_threads;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::sync::Arc;
use wheelbase_grid::{
    CellXY, Change, Grid, Rect, Side, SideEntry, SideKind, SideTable, TerrainKind, TerrainTable,
};
use wheelbase_planner::{ClassSpec, GoalMember, Heading, MovementClass, MovementTables, Pose, Primitive};
use wheelbase_scenario::recording::{Event, Reader, Recorder, TickRecord, rebuild, verify};
use wheelbase_sim::{
    AgentId, AgentSelection, AtDeadline, ClassId, Command, Counters, Friends, Host, IfNoRoom, MapEdit,
    OnAgents, Order, OrderKind, PathSource, Random, RunState, Settings, Setup, Spawn, SpawnGroup, TaskSource,
    Team, Threads, Ticket, World, invariant,
};
use wheelbase_traffic::{Commanded, Decisions, Start, Traffic, TrafficView};

const WIDTH: usize = 24;
const HEIGHT: usize = 14;

fn classes() -> Vec<MovementClass> {
    let mut cart = ClassSpec::new("cart", 4);
    cart.primitives = Primitive::vehicle(2, 6, 1);
    let mut truck = ClassSpec::new("long truck", 4);
    truck.footprint = vec![(0, 0), (-1, 0)];
    truck.primitives = Primitive::vehicle(3, 9, 3);
    truck.speed = vec![("swamp".to_owned(), 333)];
    let mut walker = ClassSpec::new("walker", 1);
    walker.primitives = Primitive::four_directions(1);
    [cart, truck, walker].map(|spec| MovementClass::new(spec).unwrap()).to_vec()
}

fn grid() -> Grid {
    let rows: Vec<String> = (0..HEIGHT)
        .map(|y| (0..WIDTH).map(|x| if x == 12 && y % 5 != 2 { 'W' } else { '.' }).collect())
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut sides = SideTable::default().entries().to_vec();
    sides.push(SideEntry { name: "hedge".to_owned(), speed: 500 });
    Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::new(sides).unwrap()).unwrap()
}

fn any_goal(x: i32, y: i32) -> GoalMember {
    GoalMember::any(CellXY::new(x, y))
}

/// A setup without usual values.
fn setup(threads: Threads) -> Setup {
    let mut settings = Settings::named("skirmish");
    settings.seed = 11;
    settings.expansions_per_tick = 900;
    settings.search_slots = 5;
    settings.traffic.set("horizon_steps", 12).unwrap();
    settings.replan.set("detour_reach", 9).unwrap();
    let mut setup = Setup::cooperative(settings, grid(), classes());
    let shared: Arc<[Order]> = Arc::new([
        Order::goto_group(CellXY::new(18, 5)),
        Order::patrol(&[CellXY::new(2, 2), CellXY::new(20, 11)]),
    ]);
    for (number, (class, x, y, team)) in
        [(0, 1, 1, 0), (2, 4, 1, 0), (1, 2, 9, 1), (0, 4, 6, 1), (2, 6, 8, 2)].into_iter().enumerate()
    {
        let orders = if number == 3 { Arc::default() } else { Arc::clone(&shared) };
        setup.agents.push(Spawn {
            priority: number as i32 - 2,
            team: Team(team),
            speed_factor: 800 + 200 * team as u16,
            orders,
            number: number as u32,
            ..Spawn::new(ClassId(class), Pose::new(x, y, Heading(0)))
        });
    }
    setup.friends.befriend(Team(0), Team(2));
    setup.landmarks = Some(2);
    setup.eased = vec![Change::Terrain { area: Rect::new(12, 0, 1, 14), kind: TerrainKind(0) }];
    let flood = Change::Terrain { area: Rect::new(3, 3, 2, 2), kind: TerrainKind(2) };
    setup.scheduled = vec![(40, Command::edit(flood)), (90, Command::hold(AgentSelection::One(AgentId(0))))];
    setup.threads = threads;
    setup
}

fn random_cell(random: &mut Random) -> CellXY {
    // Some are off the map.
    CellXY::new(random.below(WIDTH + 2) as i32 - 1, random.below(HEIGHT + 2) as i32 - 1)
}

fn random_rect(random: &mut Random) -> Rect {
    let CellXY { x, y } = random_cell(random);
    let (width, height) = (random.below(5) as u32, random.below(5) as u32);
    if random.below(40) == 0 { Rect::new(x, y, u32::MAX, u32::MAX) } else { Rect::new(x, y, width, height) }
}

fn random_agent(random: &mut Random, world: &World) -> AgentId {
    let ids = &world.agent_arrays().ids;
    if ids.is_empty() || random.below(12) == 0 {
        return AgentId([u32::MAX, 1 << 20, 999][random.below(3)]);
    }
    ids[random.below(ids.len())]
}

fn random_selection(random: &mut Random, world: &World) -> AgentSelection {
    match random.below(4) {
        0 => AgentSelection::Area(random_rect(random)),
        1 => {
            let n = random.below(6);
            AgentSelection::Named((0..n).map(|_| random_agent(random, world)).collect())
        }
        _ => AgentSelection::One(random_agent(random, world)),
    }
}

fn random_order(random: &mut Random, world: &World) -> Order {
    let cell = random_cell(random);
    match random.below(11) {
        0 => Order::goto_area(random_rect(random)),
        1 => Order::goto_group(cell),
        2 => Order::patrol(&[cell, random_cell(random)]),
        3 => Order::new(OrderKind::Wait(random.below(30) as u32)),
        4 => Order::new(OrderKind::Stop),
        5 => Order::new(OrderKind::Hold),
        6 => {
            let leader = random_agent(random, world);
            Order::new(OrderKind::Follow { leader, within: random.below(4) as u32 })
        }
        7 => Order::goto_any(vec![any_goal(cell.x, cell.y), any_goal(3, 3)], random.below(3) as u32),
        8 => {
            // Headings that some classes lack, and wrong ones.
            let mut order = Order::goto(cell);
            order.headings = [4, 8, 7][random.below(3)];
            if let OrderKind::Goto(trip) = &mut order.kind {
                trip.members[0].heading = Some(Heading(random.below(9) as u8));
            }
            order
        }
        _ => Order::goto(cell),
    }
}

fn random_orders(random: &mut Random, world: &World) -> Arc<[Order]> {
    let n = random.below(4);
    (0..n).map(|_| random_order(random, world)).collect()
}

fn random_change(random: &mut Random) -> Change {
    match random.below(5) {
        0 => Change::Elevation { area: random_rect(random), height: random.below(5) as i16 - 2 },
        1 => {
            let side = [Side::East, Side::North, Side::West, Side::South, Side::NorthEast][random.below(5)];
            Change::Side { cell: random_cell(random), side, kind: SideKind(random.below(4) as u8) }
        }
        2 => Change::Rotate { cell: random_cell(random), turns: random.below(9) as i32 - 4 },
        _ => {
            let kinds = [0, 0, 1, 2, 0, 9];
            Change::Terrain { area: random_rect(random), kind: TerrainKind(kinds[random.below(6)]) }
        }
    }
}

fn random_command(random: &mut Random, world: &World) -> Command {
    let pose = |random: &mut Random| {
        let CellXY { x, y } = random_cell(random);
        Pose::new(x, y, Heading(random.below(5) as u8))
    };
    let agents = random_selection(random, world);
    match random.below(13) {
        0 | 1 => Command::Spawn(Spawn {
            priority: random.below(7) as i32 - 3,
            team: Team([0, 0, 1, 2, 31, 32][random.below(6)]),
            speed_factor: [1000, 1000, 500, 3000, 1, 0][random.below(6)],
            orders: random_orders(random, world),
            ..Spawn::new(ClassId(random.below(4) as u8), pose(random))
        }),
        2 => Command::SpawnGroup(SpawnGroup {
            class: ClassId(random.below(4) as u8),
            count: random.below(4) as u32,
            area: random_rect(random),
            priority: 1,
            team: Team(random.below(3) as u8),
            orders: random_orders(random, world),
            speed_factor: [1000, 1000, 600, 1700][random.below(4)],
            anywhere: random.below(2) == 0,
            if_no_room: IfNoRoom::Drop,
        }),
        3 if random.below(3) == 0 => Command::Remove(agents),
        4 => {
            let area = random_rect(random);
            let goals: Arc<[GoalMember]> = Arc::new([any_goal(1, 1), any_goal(20, 9)]);
            let source = match random.below(3) {
                0 => TaskSource::Random { area },
                1 => TaskSource::List { goals, of_agent: Arc::new([(0, 2), (1, 1)]), headings: 4 },
                _ => TaskSource::RoundRobin {
                    cells: Arc::new([CellXY::new(5, 5), CellXY::new(20, 3)]),
                    team: 2,
                },
            };
            Command::Tasks { agents, source: Arc::new(source), stream: random.below(9) as u32 }
        }
        5 => Command::Priority { agents, priority: random.below(9) as i32 },
        6 => {
            let agent = random_agent(random, world);
            let pose = (random.below(3) == 0).then(|| pose(random));
            Command::Class { agent, class: ClassId(random.below(4) as u8), pose }
        }
        7 => Command::Team { agents, team: Team([0, 1, 2, 40][random.below(4)]) },
        8 => Command::SpeedFactor { agents, permille: [0, 1, 700, 1000, 2500, u16::MAX][random.below(6)] },
        9 => Command::Edit(MapEdit {
            changes: (0..random.below(4)).map(|_| random_change(random)).collect(),
            on_agents: [
                OnAgents::Wait,
                OnAgents::Strand,
                OnAgents::Remove,
                OnAgents::WaitUntil { deadline: 6, then: AtDeadline::Strand },
                OnAgents::WaitUntil { deadline: 15, then: AtDeadline::Remove },
            ][random.below(5)],
        }),
        10 if random.below(4) == 0 => {
            let moves = (0..random.below(4)).map(|_| random.below(5) as u8).collect();
            Command::PathAnswer { agent: random_agent(random, world), moves: Some(moves) }
        }
        _ => Command::Order { agents, orders: random_orders(random, world), append: random.below(3) == 0 },
    }
}

/// Records some ticks of a world; `drive` gives commands before each. Returns the file and the last hash.
fn record(world: &mut World, n_ticks: u32, drive: impl FnMut(&mut World)) -> (Vec<u8>, u64) {
    let recorder = Recorder::begin_host(world, Vec::new()).unwrap();
    record_on(recorder, world, n_ticks, drive)
}

fn record_on(
    mut recorder: Recorder<Vec<u8>>,
    world: &mut World,
    n_ticks: u32,
    mut drive: impl FnMut(&mut World),
) -> (Vec<u8>, u64) {
    for _ in 0..n_ticks {
        drive(world);
        let tick = world.tick();
        let step = world.step();
        assert_eq!(invariant::check(world), [], "tick {tick}");
        recorder.tick(world, tick, step).unwrap();
        world.clear_log();
        if step == RunState::Ended {
            break;
        }
    }
    // Given, but of no tick any more.
    drive(world);
    let file = recorder.finish(world).unwrap();
    (file, world.state_hash())
}

fn record_random(seed: u64, threads: Threads, n_ticks: u32) -> (Vec<u8>, u64) {
    let mut random = Random::new(seed);
    record(&mut World::new(setup(threads)).unwrap(), n_ticks, |world| give_some(&mut random, world))
}

/// Up to three random commands.
fn give_some(random: &mut Random, world: &mut World) {
    for _ in 0..random.below(4) {
        let command = random_command(random, world);
        if random.below(9) == 0 {
            world.command_at(world.tick() + random.below(20) as u32, command);
        } else {
            world.command(command);
        }
    }
}

fn open(file: &[u8]) -> Reader<Cursor<&[u8]>> {
    Reader::open(Cursor::new(file)).unwrap()
}

fn read_all(file: &[u8]) -> Vec<TickRecord> {
    let (mut reader, mut ticks, mut tick) = (open(file), Vec::new(), TickRecord::default());
    while reader.next_tick(&mut tick).unwrap() {
        ticks.push(tick.clone());
    }
    reader.check_end().unwrap();
    ticks
}

/// Verifies a recording on one thread and on two.
fn assert_verified(file: &[u8], n_ticks: u32) {
    for threads in [1, 2] {
        let verified = on_threads(threads, || verify(&mut open(file), |_| true)).unwrap();
        let difference = verified.difference.map(|difference| difference.to_string());
        assert_eq!((difference, verified.n_ticks), (None, n_ticks), "{threads} threads");
    }
}

#[test]
fn a_random_host_is_verified_with_any_number_of_threads() {
    let mut kinds = BTreeSet::new();
    for seed in 0..12 {
        let (file, hash) = record_random(seed, Threads::Caller, 300);
        assert!(file == record_random(seed, Threads::Own(2), 300).0, "seed {seed}");
        assert_verified(&file, 300);
        let reader = open(&file);
        assert_eq!(reader.header().name, "skirmish");
        let end = reader.end().unwrap();
        assert_eq!((end.state_hash, end.interrupted, end.tick), (hash, true, 300));
        for tick in read_all(&file) {
            let name = |event: &Event| format!("{event:?}").split([' ', '(']).next().unwrap().to_owned();
            kinds.extend(tick.events.iter().map(name));
        }
    }
    let all = "Class Current Done Edit Move Order Path Priority Refused Remove Spawn SpeedFactor Task TaskDone \
               TasksReplaced Team Unreachable Wait";
    assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), all);
}

#[test]
fn a_recording_of_a_host_agrees_with_the_run_from_any_key_frame_on() {
    let (file, _) = record_random(3, Threads::Caller, 400);
    let ticks = read_all(&file);
    let mut reader = open(&file);
    assert!(reader.chunks().len() > 3);
    for target in [399, 0, 250, 130] {
        let first = reader.seek(target).unwrap();
        let mut tick = TickRecord::default();
        for expected in &ticks[first as usize..] {
            assert!(reader.next_tick(&mut tick).unwrap());
            assert_eq!(&tick, expected);
            // Each chunk alone knows the texts of all orders in it.
            let agents = reader.agents();
            for order in agents.orders.iter().filter(|order| **order != u32::MAX) {
                assert!(reader.order_text(*order).unwrap().starts_with('{'));
            }
        }
    }
    let header = open(&file).header().clone();
    let mut world = rebuild(&header).unwrap().world;
    world.keep_log();
    let (mut reader, mut tick) = (open(&file), TickRecord::default());
    let mut texts = Vec::new();
    while reader.next_tick(&mut tick).unwrap() {
        for given in &tick.commands {
            let ticket = match given.tick {
                Some(tick) => world.command_at(tick, given.command.clone()),
                None => world.command(given.command.clone()),
            };
            assert_eq!(ticket, given.ticket);
        }
        world.step();
        world.clear_log();
        assert_eq!((tick.state_hash, tick.counters), (world.state_hash(), Counters::of(&world)));
        texts.extend(tick.new_orders.iter().map(|(_, text)| text.clone()));
        let terrain = world.grid().terrain().iter().map(|kind| kind.0);
        assert!(terrain.eq(reader.map().unwrap().terrain.iter().copied()));
    }
    for kind in ["stop", "hold", "follow", "goto", "goto_area", "goto_group", "patrol", "wait", "task"] {
        assert!(texts.iter().any(|text| text.starts_with(&format!("{{\"{kind}\":"))), "{kind}");
    }
}

#[test]
fn flipped_bits_and_cuts_are_reported() {
    let (file, _) = record_random(5, Threads::Caller, 300);
    let refused = |file: &[u8]| {
        let mut reader = match Reader::open(Cursor::new(file)) {
            Ok(reader) => reader,
            Err(error) => return Some(error.to_string()),
        };
        let mut tick = TickRecord::default();
        loop {
            match reader.next_tick(&mut tick) {
                Ok(true) => {}
                Ok(false) => return reader.truncation().map(str::to_owned),
                Err(error) => return Some(error.to_string()),
            }
        }
    };
    assert_eq!(refused(&file), None);
    for at in (0..file.len()).step_by(13) {
        let mut damaged = file.clone();
        damaged[at] ^= 1 << (at % 8);
        let why = refused(&damaged).unwrap();
        assert!(why.contains("damaged") || why == "is not a recording", "byte {at}: {why}");
        assert!(refused(&file[..at]).is_some(), "cut at {at}");
    }
    for chunk in open(&file).chunks() {
        for at in [chunk.offset as usize, chunk.offset as usize + 1, chunk.end() as usize - 1] {
            assert!(refused(&file[..at]).unwrap().starts_with("cut off"), "cut at {at}");
        }
    }
}

#[test]
fn commands_before_the_recording_begins_belong_to_its_first_tick() {
    let mut world = World::new(setup(Threads::Caller)).unwrap();
    world.command(Command::order(AgentId(3), Order::goto(CellXY::new(9, 9))));
    world.command_at(7, Command::stop(AgentSelection::One(AgentId(3))));
    let (file, _) = record(&mut world, 30, |_| {});
    let ticks = read_all(&file);
    let given: Vec<_> = ticks[0].commands.iter().map(|given| (given.ticket, given.tick)).collect();
    assert_eq!(given, [(Ticket(2), None), (Ticket(3), Some(7))]);
    assert_verified(&file, 30);
}

#[test]
fn a_world_that_has_stepped_cannot_be_recorded() {
    let mut world = World::new(setup(Threads::Caller)).unwrap();
    world.step();
    let error = Recorder::begin_host(&mut world, Vec::new()).unwrap_err().to_string();
    assert_eq!(error, "the run cannot be recorded: its world has stepped");
}

/// A recording has the classes of its beginning. A later recording has the added class.
#[test]
fn a_class_added_during_a_recording_needs_another_one() {
    let mut world = World::new(setup(Threads::Caller)).unwrap();
    let mut recorder = Recorder::begin_host(&mut world, Vec::new()).unwrap();
    let step = world.step();
    recorder.tick(&world, 0, step).unwrap();
    world.clear_log();
    let mut raft = ClassSpec::new("raft", 1);
    raft.primitives = Primitive::four_directions(2);
    let raft = MovementClass::new(raft).unwrap();
    let class = world.add_class(raft.clone()).unwrap();
    let step = world.step();
    let refused = recorder.tick(&world, 1, step).unwrap_err().to_string();
    assert_eq!(refused, "class \"raft\" was added since: begin another recording");
    assert_eq!(read_all(&recorder.finish_without_end().unwrap()).len(), 1);

    world.command(Command::Spawn(Spawn::new(class, Pose::new(9, 9, Heading(0)))));
    let mut recorder = Recorder::begin_resumed(&mut world, Vec::new()).unwrap();
    for tick in world.tick()..world.tick() + 50 {
        let step = world.step();
        recorder.tick(&world, tick, step).unwrap();
        world.clear_log();
    }
    assert_verified(&recorder.finish(&world).unwrap(), 50);

    let mut world = World::new(setup(Threads::Caller)).unwrap();
    world.add_class(raft).unwrap();
    let refused = Recorder::begin_host(&mut world, Vec::new()).unwrap_err().to_string();
    let why = "classes were added to its setup: begin with a snapshot";
    assert_eq!(refused, format!("the run cannot be recorded: {why}"));
}

#[test]
fn paths_from_the_host_are_recorded() {
    let mut setup = setup(Threads::Caller);
    setup.paths = PathSource::Host;
    let mut n_found = 0;
    let mut random = Random::new(8);
    let (file, _) = record(&mut World::new(setup).unwrap(), 200, |world| {
        let open: Vec<AgentId> = world.requests().queued().iter().map(|request| request.agent).collect();
        for agent in open {
            // Steps at random: few of them lead to the goal.
            let moves: Arc<[u8]> = (0..random.below(6)).map(|_| random.below(4) as u8).collect();
            let moves = (random.below(40) > 0).then_some(moves);
            world.command(Command::PathAnswer { agent, moves });
        }
        if world.tick() % 8 == 0 {
            let agent = AgentId(random.below(5) as u32);
            let row = agent.0 as usize;
            let CellXY { x, y } = world.pose(row).cell;
            let cell = CellXY::new(x + random.below(3) as i32 - 1, y);
            world.command(Command::order(agent, Order::goto(cell)));
        }
        n_found += world.counts().orders_done;
    });
    assert!(n_found > 0);
    assert_verified(&file, 200);
}

/// A rule from outside: agents step at random, some of them impossibly, and ask for nonsense.
#[derive(Clone)]
struct Restless {
    random: Random,
    needs_paths: bool,
}

impl Traffic for Restless {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let random = &mut self.random;
        for row in 0..view.agents.len() as u32 + 2 {
            let next = view.agents.paths.get(row as usize).and_then(|path| view.paths.moves(*path).first());
            let primitive = next.copied().unwrap_or(random.below(5) as u8);
            let ticks = view.agents.motion.get(row as usize).and_then(|motion| {
                let tables: &MovementTables = &view.tables[usize::from(motion.class.0)];
                let known = usize::from(primitive) < tables.class().primitives().len();
                let ticks = tables.move_ticks(motion.state, usize::from(primitive)).filter(|_| known)?;
                Some(wheelbase_traffic::speed::ticks_at_speed(ticks, view.agents.speed_factors[row as usize]))
            });
            match random.below(8) {
                0 => {}
                1 => decisions.starts.push(Start { row, primitive: random.below(256) as u8, ticks: 1 }),
                _ => decisions.starts.push(Start { row, primitive, ticks: ticks.unwrap_or(3) }),
            }
        }
        let Decisions { replan, unreachable, around, give_up, reroutes, reroute_moves, .. } = decisions;
        for rows in [replan, unreachable, around, give_up] {
            if random.below(6) == 0 {
                rows.push(random.below(view.agents.len() + 3) as u32);
            }
        }
        for _ in 0..random.below(3) {
            let first = reroute_moves.len() as u32;
            reroute_moves.extend((0..random.below(3)).map(|_| random.below(4) as u8));
            reroutes.push(wheelbase_traffic::Reroute {
                row: random.below(view.agents.len() + 1) as u32,
                first,
                count: if random.below(9) == 0 { u32::MAX } else { reroute_moves.len() as u32 - first },
                leads: [
                    wheelbase_traffic::Leads::On,
                    wheelbase_traffic::Leads::Off,
                    wheelbase_traffic::Leads::Aside,
                ][random.below(3)],
            });
        }
    }

    fn needs_paths(&self) -> bool {
        self.needs_paths
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn is_yielding(&self, _: AgentId) -> bool {
        true
    }

    /// Its state is of no use to a reader: the decisions are recorded.
    fn saved_name(&self) -> Option<&'static str> {
        Some("restless")
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.random.clone().below(1 << 30) as u64);
    }
}

fn with_rule(rule: impl Traffic) -> Setup {
    let mut setup = setup(Threads::Caller);
    setup.traffic = Box::new(rule);
    setup
}

#[test]
fn a_run_under_a_rule_from_outside_is_verified_without_it() {
    for (seed, needs_paths) in [(1, true), (2, false), (3, true)] {
        let mut random = Random::new(seed);
        let rule = Restless { random: Random::new(seed), needs_paths };
        let (file, _) = record(&mut World::new(with_rule(rule)).unwrap(), 200, |world| {
            if random.below(3) == 0 {
                let command = random_command(&mut random, world);
                world.command(command);
            }
        });
        let reader = open(&file);
        let host = reader.header().host.as_ref().unwrap();
        assert!(host.rule_is_outside() && host.needs_paths == needs_paths);
        let ticks = read_all(&file);
        assert!(ticks.iter().map(|tick| tick.decisions.starts.len()).sum::<usize>() > 500);
        let is_move = |event: &&Event| matches!(event, Event::Move { .. });
        assert!(ticks.iter().flat_map(|tick| &tick.events).filter(is_move).count() > 50);
        assert_verified(&file, 200);
    }
}

/// Compares a run from some tick on with the same run saved there, loaded and recorded. Moves in progress, half-done
/// orders and earlier commands are equal in both.
#[test]
fn a_resumed_run_is_recorded_like_the_straight_one() {
    for (seed, at) in [(1, 1), (2, 57), (3, 130), (4, 200), (5, 299), (6, 90), (7, 33), (8, 150)] {
        let straight = read_all(&record_random(seed, Threads::Caller, 300).0);
        let (mut random, mut world) = (Random::new(seed), World::new(setup(Threads::Caller)).unwrap());
        for tick in 0..=at {
            give_some(&mut random, &mut world);
            if tick < at {
                world.step();
            }
        }
        let mut world = World::load(&world.save().unwrap(), Host::default()).unwrap();
        let recorder = Recorder::begin_resumed(&mut world, Vec::new()).unwrap();
        let mut is_first = true;
        let (file, hash) = record_on(recorder, &mut world, 300 - at, |world| {
            if !std::mem::take(&mut is_first) {
                give_some(&mut random, world);
            }
        });
        let mut resumed = read_all(&file);
        // Commands given before are part of the snapshot.
        assert!(resumed[0].commands.is_empty());
        resumed[0].commands.clone_from(&straight[at as usize].commands);
        assert!(resumed == straight[at as usize..], "seed {seed}, resumed at tick {at}");
        assert_verified(&file, 300 - at);
        let mut reader = open(&file);
        assert_eq!((reader.first_tick(), reader.n_ticks(), reader.ticks_run()), (at, 300 - at, 300 - at));
        assert_eq!(reader.end().map(|end| (end.tick, end.state_hash)), Some((300, hash)));
        assert_eq!(reader.header().file, "snapshot");
        // Any tick can be sought.
        let sought = reader.seek(299).unwrap();
        assert!((at..300).contains(&sought), "{sought}");
    }
}

/// Names of agents are in snapshots but in no setup, and so in no outcome of its recording.
#[test]
fn names_of_agents_do_not_tell_the_second_run_from_the_first() {
    let mut world = World::new(setup(Threads::Caller)).unwrap();
    for agent in world.agent_arrays().ids.clone() {
        world.name_agent(agent, "anna");
    }
    let (file, _) = record(&mut world, 30, |_| {});
    assert!(!world.orders_left_by().is_empty());
    assert_verified(&file, 30);
    let recorder = Recorder::begin_resumed(&mut world, Vec::new()).unwrap();
    assert_verified(&record_on(recorder, &mut world, 30, |_| {}).0, 30);
}

#[test]
fn a_resumed_run_under_a_rule_from_outside_is_verified_without_it() {
    for (seed, needs_paths) in [(1, true), (2, false)] {
        let mut random = Random::new(seed);
        let rule = Restless { random: Random::new(seed), needs_paths };
        let mut world = World::new(with_rule(rule)).unwrap();
        for _ in 0..70 {
            give_some(&mut random, &mut world);
            world.step();
        }
        let recorder = Recorder::begin_resumed(&mut world, Vec::new()).unwrap();
        let (file, _) = record_on(recorder, &mut world, 150, |world| give_some(&mut random, world));
        assert_verified(&file, 150);
    }
}

#[test]
fn a_recording_without_end_is_whole_up_to_its_last_tick() {
    let mut world = World::new(setup(Threads::Caller)).unwrap();
    let mut recorder = Recorder::begin_host(&mut world, Vec::new()).unwrap();
    for tick in 0..150 {
        let step = world.step();
        recorder.tick(&world, tick, step).unwrap();
        world.clear_log();
    }
    let file = recorder.finish_without_end().unwrap();
    let reader = open(&file);
    assert_eq!((reader.n_ticks(), reader.end(), reader.truncation().is_some()), (150, None, true));
    assert_verified(&file, 150);
}

#[test]
fn commanded_moves_are_recorded() {
    let mut random = Random::new(2);
    let (file, _) = record(&mut World::new(with_rule(Commanded)).unwrap(), 150, |world| {
        let ids = world.agent_arrays().ids.clone();
        let decided = ids.iter().map(|&agent| (agent, random.below(5) as u8)).collect();
        world.command(Command::Decisions(decided));
    });
    assert_eq!(open(&file).header().host.as_ref().unwrap().rule, "commanded");
    assert_verified(&file, 150);
}

#[test]
fn unit_robots_are_made_again() {
    let mut settings = Settings::named("");
    settings.collision = wheelbase_sim::CollisionRule::Discrete;
    settings.ticks = 90;
    let mut spec = ClassSpec::new("robot", 4);
    spec.primitives = vec![
        Primitive::step("forward", (1, 0), 1),
        Primitive::turn("left", 1, 1),
        Primitive::turn("right", -1, 1),
    ];
    let mut tables = MovementTables::compile(&grid(), MovementClass::new(spec).unwrap());
    tables.make_components();
    let (collision, params) = (settings.collision, settings.traffic);
    let rule = wheelbase_traffic::UnitRobots::new(&tables, collision, 3, 0, params).unwrap();
    let mut setup = Setup::with_rule(settings, grid(), vec![tables], Box::new(rule));
    let cells = Arc::new([CellXY::new(3, 3), CellXY::new(20, 3), CellXY::new(5, 12)]);
    let source = Arc::new(TaskSource::RoundRobin { cells, team: 3 });
    let orders: Arc<[Order]> = Arc::new([Order::new(OrderKind::Tasks(source, 0))]);
    for number in 0..3 {
        let pose = Pose::new(2 + 2 * number, 2, Heading(0));
        let orders = Arc::clone(&orders);
        setup.agents.push(Spawn { orders, number: number as u32, ..Spawn::new(ClassId(0), pose) });
    }
    let (file, _) = record(&mut World::new(setup).unwrap(), 200, |_| {});
    let reader = open(&file);
    assert_eq!((reader.header().name.as_str(), reader.header().file.as_str()), ("host", "host"));
    assert_eq!(reader.header().host.as_ref().unwrap().rule, "unit_robots");
    assert!(!reader.end().unwrap().interrupted);
    assert_verified(&file, 91);
}

#[test]
fn friends_stay_friends() {
    let (file, _) = record(&mut World::new(setup(Threads::Caller)).unwrap(), 3, |_| {});
    let world = rebuild(open(&file).header()).unwrap().world;
    let mut expected = Friends::default();
    expected.befriend(Team(0), Team(2));
    assert_eq!(*world.friends(), expected);
    assert_eq!(world.settings().traffic.horizon_steps, 12);
}

#[test]
fn a_setup_that_could_not_be_read_again_is_not_recorded() {
    let rows = vec![".".repeat(300); 300];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let recorded = |n_orders: usize| {
        let mut setup = Setup::cooperative(Settings::named("many"), grid.clone(), classes());
        let cells = Rect::new(0, 0, 300, 100).cells();
        setup.agents = cells
            .map(|CellXY { x, y }| Spawn {
                orders: vec![Order::goto(CellXY::new(x, 299)); n_orders].into(),
                ..Spawn::new(ClassId(2), Pose::new(x, y, Heading(0)))
            })
            .collect();
        let mut world = World::new(setup).unwrap();
        Recorder::begin_host(&mut world, std::io::sink()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(recorded(1), Ok(()));
    let refused = recorded(120).unwrap_err();
    assert_eq!(
        refused,
        "the run cannot be recorded: its setup: it takes more than 1073741824 bytes of memory"
    );
}
