//! Runs that a host drives, judged by the independent judge from their traces alone.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;
use wheelbase_grid::{CellXY, Change, Grid, GridShape, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
use wheelbase_scenario::trace::{write_end, write_header, write_log};
use wheelbase_sim::{
    AgentId, AgentSelection, ClassId, CollisionRule, Command, MapEdit, OnAgents, Order, OrderKind, Random,
    RunResult, Settings, Setup, Spawn, Team, TickTimes, World,
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
        let on_agents = [OnAgents::Wait, OnAgents::Strand, OnAgents::Remove][self.below(3) as usize];
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

#[test]
#[ignore = "needs ../shared"]
fn the_judge_finds_nothing_wrong_in_what_hosts_do() {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/judge/judge_trace.py");
    let mut moves = 0;
    for seed in 0..12 {
        let shape = if seed % 3 == 2 { GridShape::Hex } else { GridShape::Square };
        let collision = if seed % 2 == 0 { CollisionRule::Swept } else { CollisionRule::Discrete };
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host_{seed}.jsonl"));
        moves += write_trace(&path, seed, shape, collision);
        let judged = Process::new("python3").arg(&judge).arg(&path).output().unwrap();
        let said = String::from_utf8_lossy(&judged.stdout);
        assert!(judged.status.success(), "seed {seed}, {}: {said}", path.display());
    }
    assert!(moves > 20_000, "{moves}");
}
