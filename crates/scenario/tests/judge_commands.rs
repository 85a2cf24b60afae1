//! Runs that a host drives, and random scenarios with teams, holds, followers and deadlines, judged by the independent
//! judge from their traces alone.

use crate::common::{OTHERS, TRUCK, build_world, record};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;
use wheelbase_grid::{CellXY, Change, Grid, GridShape, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
use wheelbase_scenario::recording::{Reader, verify};
use wheelbase_scenario::trace::{write_end, write_header, write_log};
use wheelbase_sim::{
    AgentId, AgentSelection, AtDeadline, ClassId, CollisionRule, Command, MapEdit, OnAgents, Order,
    OrderKind, Random, RunResult, RunState, Settings, Setup, Spawn, Team, TickTimes, World,
};

const SIDE: i32 = 26;

/// Draws what a host does. Orders of one agent and tick are given in one command, as the judge cannot tell apart what
/// replaces what within a tick.
struct Host {
    random: Random,
    headings: [u8; 3],
}

impl Host {
    fn below(&mut self, n: i32) -> i32 {
        self.random.below(n as usize) as i32
    }

    fn cell(&mut self) -> CellXY {
        CellXY::new(self.below(SIDE), self.below(SIDE))
    }

    fn area(&mut self) -> Rect {
        let CellXY { x, y } = self.cell();
        Rect::new(x, y, 1 + self.below(6) as u32, 1 + self.below(6) as u32)
    }

    fn spawn(&mut self) -> Spawn {
        let class = self.below(3);
        let heading = Heading(self.below(self.headings[class as usize].into()) as u8);
        let pose = Pose { cell: self.cell(), heading };
        let speed_factor = [1000, 1000, 700, 1900][self.below(4) as usize];
        Spawn { team: Team(self.below(2) as u8), speed_factor, ..Spawn::new(ClassId(class as u8), pose) }
    }

    fn order(&mut self, world: &World) -> Order {
        match self.below(9) {
            0 => Order::goto_area(self.area()),
            1 => Order::patrol(&[self.cell(), self.cell()]),
            2 => Order::new(OrderKind::Wait(self.below(20) as u32)),
            3 => Order::new(OrderKind::Hold),
            4 => Order::new(OrderKind::Stop),
            5 => {
                let ids = &world.agent_arrays().ids;
                let leader = ids[self.below(ids.len() as i32) as usize];
                Order::new(OrderKind::Follow { leader, within: 2 + self.below(4) as u32 })
            }
            _ => Order::goto(self.cell()),
        }
    }

    fn edit(&mut self) -> MapEdit {
        let kinds = [TerrainKind(0), TerrainKind(0), TerrainKind(2)];
        let changes: Vec<Change> = (0..1 + self.below(3))
            .map(|_| Change::Terrain { area: self.area(), kind: kinds[self.below(3) as usize] })
            .collect();
        let then = [AtDeadline::Strand, AtDeadline::Remove][self.below(2) as usize];
        let until = OnAgents::WaitUntil { deadline: self.below(40) as u32, then };
        let on_agents = [OnAgents::Wait, OnAgents::Strand, OnAgents::Remove, until][self.below(4) as usize];
        MapEdit { on_agents, ..MapEdit::of(changes) }
    }

    /// The commands of a tick.
    fn commands(&mut self, world: &World) -> Vec<Command> {
        let mut commands = Vec::new();
        if self.below(4) == 0 {
            commands.push(Command::Spawn(self.spawn()));
        }
        let ids = world.agent_arrays().ids.clone();
        if ids.is_empty() {
            return commands;
        }
        let mut ordered: Vec<AgentId> = Vec::new();
        for _ in 0..self.below(3) {
            let agent = ids[self.below(ids.len() as i32) as usize];
            let selection = AgentSelection::One(agent);
            match self.below(12) {
                0 => commands.push(Command::Priority { agents: selection, priority: self.below(9) - 4 }),
                1 => commands.push(Command::Team { agents: selection, team: Team(self.below(3) as u8) }),
                2 => {
                    let permille = [500, 1000, 3000][self.below(3) as usize];
                    commands.push(Command::SpeedFactor { agents: selection, permille });
                }
                3 => commands.push(Command::Class { agent, class: ClassId(self.below(3) as u8), pose: None }),
                4 if ids.len() > 12 => commands.push(Command::Remove(selection)),
                _ if !ordered.contains(&agent) => {
                    ordered.push(agent);
                    let append = self.below(3) == 0;
                    let orders: Vec<Order> = (0..1 + self.below(2)).map(|_| self.order(world)).collect();
                    commands.push(Command::Order { agents: selection, orders: Arc::from(orders), append });
                }
                _ => {}
            }
        }
        if self.below(40) == 0 {
            commands.push(Command::Edit(self.edit()));
        }
        if self.below(50) == 0 {
            let group: Vec<AgentId> =
                ids.into_iter().filter(|agent| !ordered.contains(agent)).take(6).collect();
            commands.push(Command::order(group, Order::goto_group(self.cell())));
        }
        commands
    }
}

/// A world with three classes on a map with some trees, of squares or hexagons.
fn world(seed: u64, shape: GridShape, collision: CollisionRule) -> (World, [u8; 3]) {
    let mut random = Random::new(seed);
    let mut row = || -> String { (0..SIDE).map(|_| if random.below(14) == 0 { 'T' } else { '.' }).collect() };
    let rows: Vec<String> = (0..SIDE).map(|_| row()).collect();
    let table = TerrainTable::movingai();
    let grid = Grid::from_rows(&rows, table, SideTable::default()).unwrap().with_shape(shape);
    let hex = shape == GridShape::Hex;
    let headings = if hex { [1, 6, 6] } else { [1, 4, 4] };
    let footprints = [vec![(0, 0)], vec![(0, 0), (-1, 0)], vec![(0, 0), (-1, 0), (-2, 0)]];
    let class = |number: usize| {
        let name = ["scout", "truck", "train"][number];
        let mut spec = if hex {
            ClassSpec::hexagonal(name, headings[number])
        } else {
            ClassSpec::new(name, headings[number])
        };
        spec.footprint = footprints[number].clone();
        spec.primitives = match headings[number] {
            1 if hex => Primitive::six_directions(3),
            1 => Primitive::four_directions(3),
            _ => vec![
                Primitive::step("forward", (1, 0), 2),
                Primitive::step("reverse", (-1, 0), 6),
                Primitive::turn("left", 1, 3),
                Primitive::turn("right", -1, 3),
            ],
        };
        MovementClass::new(spec).unwrap()
    };
    let settings = Settings { seed, collision, ..Settings::named("host") };
    let mut setup = Setup::cooperative(settings, grid, (0..3).map(class).collect());
    setup.friends.befriend(Team(0), Team(2));
    (World::new(setup).unwrap(), headings)
}

/// Runs a host for some ticks and writes the trace.
fn write_trace(path: &Path, seed: u64, shape: GridShape, collision: CollisionRule) -> u64 {
    let (mut world, headings) = world(seed, shape, collision);
    let mut host = Host { random: Random::new(seed ^ 77), headings };
    let mut out = BufWriter::new(File::create(path).unwrap());
    write_header(&world, &mut out).unwrap();
    world.keep_log();
    world.check_invariants();
    for _ in 0..30 {
        let spawn = host.spawn();
        world.command(Command::Spawn(spawn));
    }
    for tick in 0..400 {
        for command in host.commands(&world) {
            world.command(command);
        }
        world.step();
        write_log(&world, tick, &mut out).unwrap();
        world.clear_log();
        assert_eq!(world.violation(), None, "seed {seed}");
    }
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    write_end(&result, &mut out).unwrap();
    out.flush().unwrap();
    world.counts().moves
}

/// Has the judge read a trace.
fn judge(path: &Path) {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/judge/judge_trace.py");
    let judged = Process::new("python3").arg(&judge).arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{}: {said}", path.display());
}

#[test]
#[ignore = "needs ../shared"]
fn the_judge_finds_nothing_wrong_in_what_hosts_do() {
    let mut moves = 0;
    for seed in 0..12 {
        let shape = if seed % 3 == 2 { GridShape::Hex } else { GridShape::Square };
        let collision = if seed % 2 == 0 { CollisionRule::Swept } else { CollisionRule::Discrete };
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host_{seed}.jsonl"));
        moves += write_trace(&path, seed, shape, collision);
        judge(&path);
    }
    assert!(moves > 20_000, "{moves}");
}

/// Writes scenarios. The judge cannot tell which event replaces which within a tick. So no two events share a tick, and
/// none has tick 0, at which agents get their first orders.
struct Author {
    random: Random,
}

impl Author {
    fn below(&mut self, n: i32) -> i32 {
        self.random.below(n as usize) as i32
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as i32) as usize]
    }

    fn cell(&mut self) -> String {
        format!("[{}, {}]", self.below(SIDE), self.below(SIDE))
    }

    fn area(&mut self, most: i32) -> String {
        let [x, y] = [self.below(SIDE), self.below(SIDE)];
        format!("[{x}, {y}, {}, {}]", 1 + self.below(most), 1 + self.below(most))
    }

    /// Orders; some follow the agents of these numbers.
    fn orders(&mut self, leaders: &[i32]) -> String {
        let orders: Vec<String> = (0..1 + self.below(3)).map(|_| self.order(leaders)).collect();
        format!("[{}]", orders.join(", "))
    }

    fn order(&mut self, leaders: &[i32]) -> String {
        match self.below(10) {
            0 => format!("{{ goto_area = {} }}", self.area(8)),
            1 => format!("{{ patrol = [{}, {}] }}", self.cell(), self.cell()),
            2 => format!("{{ wait = {} }}", self.below(30)),
            3 => "{ hold = true }".to_owned(),
            4 => "{ stop = true }".to_owned(),
            5 | 6 => format!("{{ follow = \"a{}\", within = {} }}", self.pick(leaders), 2 + self.below(4)),
            _ => {
                format!("{{ goto = {}, if_unreachable = \"{}\" }}", self.cell(), self.pick(&["drop", "wait"]))
            }
        }
    }

    /// Keys of an agent or a group: class, team, speed factor, priority.
    fn keys(&mut self) -> String {
        let team = self.pick(&["", "team = \"red\"", "team = \"blue\"", "team = \"green\""]);
        let comma = if team.is_empty() { "" } else { ", " };
        let (class, factor) = (self.pick(&["walker", "truck", "tank"]), self.pick(&[1000, 1000, 600, 1700]));
        format!("class = \"{class}\", {team}{comma}speed_factor = {factor}, priority = {}", self.below(5) - 2)
    }

    fn event(&mut self) -> String {
        let on_agents = match self.below(8) {
            0 => "on_agents = \"strand\"".to_owned(),
            1 => "on_agents = \"remove\"".to_owned(),
            2 => "on_agents = \"wait\"".to_owned(),
            _ => format!(
                "deadline = {}, at_deadline = \"{}\"",
                self.below(60),
                self.pick(&["strand", "remove"])
            ),
        };
        match self.below(9) {
            0 => format!(
                "add_agents = {{ {}, count = 2, area = {}, orders = {} }}",
                self.keys(),
                self.area(9),
                self.orders(&[0, 1, 2])
            ),
            1 => format!("remove_agents = {{ names = [\"a{}\"] }}", self.below(4)),
            2 => {
                format!("give_orders = {{ area = {}, orders = {} }}", self.area(14), self.orders(&[0, 1, 2]))
            }
            3 => format!("give_orders = {{ names = [\"a0\", \"a3\"], orders = {} }}", self.orders(&[1, 2])),
            4 => {
                let side = self.pick(&["E", "N", "W", "S"]);
                format!(
                    "set_side = {{ cell = {}, side = \"{side}\", kind = \"wall\", {on_agents} }}",
                    self.cell()
                )
            }
            _ => {
                let kind = self.pick(&["water", "trees", "ground", "swamp"]);
                format!("set_terrain = {{ area = {}, kind = \"{kind}\", {on_agents} }}", self.area(6))
            }
        }
    }

    fn scenario(&mut self, seed: u64) -> String {
        let mut row =
            || -> String { (0..SIDE).map(|_| if self.below(16) == 0 { 'T' } else { '.' }).collect() };
        let rows: Vec<String> = (0..SIDE - 2).map(|_| format!("\"{}\"", row())).collect();
        let free = format!("\"{}\"", ".".repeat(SIDE as usize));
        let collision = self.pick(&["swept", "discrete"]);
        let mut text = format!(
            "name = \"random\"\nseed = {seed}\nticks = 400\ncollision = \"{collision}\"\nagents = [\n",
        );
        for number in 0..4 {
            let leaders: Vec<i32> = (0..4).filter(|&leader| leader != number).collect();
            // Four to a row without trees, with room for each.
            let keys = self.keys();
            let heading = if keys.contains("walker") { "-" } else { "E" };
            let orders = self.orders(&leaders);
            text += &format!(
                "{{ name = \"a{number}\", {keys}, at = [{}, 0, \"{heading}\"], orders = {orders} }},\n",
                3 + 5 * number
            );
        }
        text += "]\ngroups = [\n";
        for _ in 0..6 {
            let (keys, orders) = (self.keys(), self.orders(&[0, 1, 2, 3]));
            text += &format!("{{ {keys}, count = 4, area = [0, 2, {SIDE}, {SIDE}], orders = {orders} }},\n");
        }
        text += "]\nevents = [\n";
        for number in 0..30 {
            text += &format!("{{ tick = {}, {} }},\n", 9 * number + 1 + self.below(8), self.event());
        }
        text += &format!(
            "]\n[map]\nrows = [{free}, {free}, {}]\n[side.hedge]\nspeed = 0\n{TRUCK}{OTHERS}",
            rows.join(", ")
        );
        if ["red", "green"].iter().all(|team| text.contains(&format!("team = \"{team}\""))) {
            text += "[teams]\nfriends = [[\"green\", \"red\"]]\n";
        }
        text
    }
}

#[test]
#[ignore = "needs ../shared"]
fn the_judge_finds_nothing_wrong_in_scenarios_with_teams_holds_followers_and_deadlines() {
    let (mut moves, mut traces) = (0, String::new());
    for seed in 0..24 {
        let text = Author { random: Random::new(seed ^ 0x7ea) }.scenario(seed);
        let mut world = build_world(&text);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenario_{seed}.jsonl"));
        let mut out = Vec::new();
        write_header(&world, &mut out).unwrap();
        world.keep_log();
        world.check_invariants();
        loop {
            let (tick, step) = (world.tick(), world.step());
            write_log(&world, tick, &mut out).unwrap();
            world.clear_log();
            assert_eq!(world.violation(), None, "seed {seed}");
            if step == RunState::Ended {
                break;
            }
        }
        write_end(&RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0), &mut out).unwrap();
        std::fs::write(&path, &out).unwrap();
        judge(&path);
        (moves, traces) = (moves + world.counts().moves, traces + &String::from_utf8(out).unwrap());
        let file = record(&mut build_world(&text), "test.toml", &text);
        let mut reader = Reader::open(std::io::Cursor::new(file)).unwrap();
        assert_eq!(verify(&mut reader, |_| true).unwrap().difference, None, "seed {seed}");
    }
    assert!(moves > 10_000, "{moves}");
    for (said, at_least) in [
        (r#""team":3"#, 16),
        (r#""speed_factor":600"#, 16),
        (r#""order":{"hold":true}"#, 30),
        (r#""order":{"stop":true}"#, 30),
        (r#""order":{"follow":"#, 100),
        (r#""done":"follow""#, 10),
        (r#""refused":"#, 5),
        (r#""on_agents":"strand","asked":"#, 20),
        (r#","deadline":"#, 20),
    ] {
        let found = traces.matches(said).count();
        assert!(found >= at_least, "{said}: {found}");
    }
}
