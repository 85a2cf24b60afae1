//! A long run of a mixed scene: checked at every tick, with memory and tick times by tenths, to see that they are flat.
//!
//! `cargo run --release -p wheelbase-benches --bin soak -- [AGENT_TICKS [SEED]]` (default 10,000,000 and 1). The five
//! classes of `scenarios/first/12_crowd.toml` with random tasks, on open land with a river and three bridges. One
//! bridge is flooded and built again, agents are removed and placed, some get orders of other kinds, groups gather.
//! Every 5,000 ticks the world is saved and goes on from the snapshot. All runs on one thread.
//!
//! Cost fields are kept up to a limit of 256 MiB, so memory grows until that is reached. Each load leaves holes in
//! the heap of glibc, which then grows with the number of loads. With `MALLOC_MMAP_THRESHOLD_=65536` and
//! `MALLOC_TRIM_THRESHOLD_=131072` in the environment resident memory shows the memory in use.
//!
//! Every tick computes the cells of all agents from their rows and the footprints of the classes, without code of the
//! simulation. Every tenth tick also checks the invariants of the simulation and the sizes of its pools. The first
//! violation ends the run with exit status 1.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;
use wheelbase_benches::{CROWD_CLASSES, SplitMix64, calibration, crowd, timed};
use wheelbase_grid::{CellXY, Change, Rect, TerrainKind};
use wheelbase_planner::{ClassSpec, Pose};
use wheelbase_sim::invariant::{check, check_pools};
use wheelbase_sim::{
    AgentId, AgentRow, ClassId, Command, Host, IfNoRoom, Order, OrderKind, Settings, SpawnGroup, TaskSource,
    Team, World,
};

/// Agents kept present, cells along each side of the map, columns of the river, and the rows of its bridges.
const AGENTS: usize = 300;
const SIDE: u32 = 160;
const RIVER: (i32, u32) = (76, 8);
const BRIDGES: [(i32, u32); 3] = [(16, 24), (68, 24), (120, 24)];
/// Ticks between saves, and between checks by the simulation itself.
const SAVE_TICKS: u32 = 5_000;
const CHECK_TICKS: u32 = 10;
const TENTHS: u64 = 10;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let given = (arguments.next(), arguments.next(), arguments.next());
    let (agent_ticks, seed) = match given {
        (None, ..) => (10_000_000, 1),
        (Some(Ok(agent_ticks @ 1..)), None, _) => (agent_ticks, 1),
        (Some(Ok(agent_ticks @ 1..)), Some(Ok(seed)), None) => (agent_ticks, seed),
        _ => {
            eprintln!("usage: soak [AGENT_TICKS [SEED]]; whole numbers, by default 10000000 and 1");
            return ExitCode::from(2);
        }
    };
    println!("calibration: {}", calibration());
    match Soak::new(seed).and_then(|mut soak| soak.run(agent_ticks)) {
        Ok(()) => {
            println!("calibration: {}", calibration());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

struct Soak {
    world: World,
    random: SplitMix64,
    water: TerrainKind,
    ground: TerrainKind,
    /// The number of the holder of each cell plus one, and the tick of the entry.
    holders: Vec<(u32, u32)>,
    /// Footprints of each class at each of its headings, as offsets in cells.
    footprints: Vec<Vec<Vec<(i32, i32)>>>,
}

impl Soak {
    fn new(seed: u64) -> Result<Self, String> {
        // West of the river, which is dug at the first tick.
        let mut world = crowd(AGENTS, SIDE, Rect::new(0, 0, RIVER.0 as u32 - 2, SIDE))?;
        world.set_ticks(Settings::ENDLESS);
        let table = world.grid().terrain_table();
        let kind = |name| table.kind_of_name(name).ok_or_else(|| format!("no terrain {name}"));
        let (water, ground) = (kind("water")?, kind("ground")?);
        let size = world.grid().size();
        let footprints = world.tables().iter().map(|tables| footprints(tables.class().spec())).collect();
        let holders = vec![(0, u32::MAX); size.n_cells()];
        let river = Rect::new(RIVER.0, 0, RIVER.1, SIDE);
        world.command(Command::edit(Change::Terrain { area: river, kind: water }));
        for at in BRIDGES {
            world.command(Command::edit(Change::Terrain { area: bridge(at), kind: ground }));
        }
        Ok(Self { world, random: SplitMix64::new(seed), water, ground, holders, footprints })
    }

    fn run(&mut self, agent_ticks: u64) -> Result<(), String> {
        println!(
            "{:>9}{:>13}{:>8}{:>8}{:>8}{:>11}{:>11}{:>11}{:>11}{:>9}{:>9}{:>11}{:>10}{:>9}{:>10}{:>11}",
            "tick",
            "agent-ticks",
            "agents",
            "RSS MiB",
            "fields",
            "fields MiB",
            "median us",
            "99 % us",
            "max us",
            "waiting",
            "at most",
            "snapshot B",
            "save ms",
            "load ms",
            "tasks",
            "overlaps"
        );
        let mut done = 0;
        let mut saves = (0.0, 0.0, 0);
        for tenth in 1..=TENTHS {
            let mut times = Vec::new();
            let mut most_waiting = 0;
            while done < agent_ticks * tenth / TENTHS {
                self.give_commands();
                times.push(timed(|| self.world.step()).1 * 1e3);
                done += self.world.agents().len() as u64;
                most_waiting = most_waiting.max(self.world.requests().open());
                self.check()?;
                if self.world.tick().is_multiple_of(SAVE_TICKS) {
                    saves = self.save_and_load()?;
                }
            }
            times.sort_unstable_by(f64::total_cmp);
            let quantile = |permille: usize| times[(times.len() - 1) * permille / 1000];
            let bytes = self.world.save().map_err(|error| error.to_string())?.len();
            let (world, counts) = (&self.world, self.world.counts());
            println!(
                "{:>9}{done:>13}{:>8}{:>8.1}{:>8}{:>11.1}{:>11.0}{:>11.0}{:>11.0}{:>9}{most_waiting:>9}{bytes:>11}{:>10.1}{:>9.1}{:>10}{:>11}",
                world.tick(),
                world.agents().len(),
                resident_mib(),
                world.memory().fields,
                world.memory().field_bytes as f64 / (1 << 20) as f64,
                quantile(500),
                quantile(990),
                quantile(1000),
                world.requests().open(),
                saves.0,
                saves.1,
                counts.tasks_done,
                counts.moves_overlapping,
            );
        }
        let counts = self.world.counts();
        println!("state_hash {:016x}", self.world.state_hash());
        println!("{counts:?}");
        Ok(())
    }

    fn area(&mut self, side: u32) -> Rect {
        let mut at = || self.random.below(SIDE - side) as i32;
        Rect::new(at(), at(), side, side)
    }

    fn cell(&mut self) -> CellXY {
        let mut at = || self.random.below(SIDE) as i32;
        CellXY::new(at(), at())
    }

    fn some_agent(&mut self) -> Option<AgentId> {
        let agents = self.world.agents();
        let n = agents.len() as u32;
        (n > 0).then(|| agents[self.random.below(n) as usize].agent())
    }

    /// The commands of a tick.
    fn give_commands(&mut self) {
        let tick = self.world.tick();
        if tick == 0 {
            return;
        }
        if tick.is_multiple_of(50) {
            for _ in 0..self.random.below(5) {
                if let Some(agent) = self.some_agent() {
                    self.world.command(Command::remove(agent));
                }
            }
            self.place_missing();
        }
        if tick.is_multiple_of(40) {
            self.give_other_orders();
        }
        if tick.is_multiple_of(500) {
            // A group gathers, then goes back to its tasks.
            let (area, to) = (self.area(24), self.cell());
            let tasks = tasks(self.random.below(1 << 30));
            let gather = [Order::goto_group(to).or_nearest(), Order::wait(40), tasks];
            self.world.command(Command::orders(area, gather));
        }
        if tick.is_multiple_of(400) {
            let kind = if tick.is_multiple_of(800) { self.ground } else { self.water };
            let change = Change::Terrain { area: bridge(BRIDGES[0]), kind };
            self.world.command(Command::edit(change));
        }
    }

    /// Places agents for the removed ones. Without room they are placed another time.
    fn place_missing(&mut self) {
        let missing = AGENTS.saturating_sub(self.world.agents().len());
        for _ in 0..missing.min(8) {
            let class = ClassId(self.random.below(CROWD_CLASSES.len() as u32) as u8);
            let orders = Arc::new([tasks(self.random.below(1 << 30))]);
            let area = Rect::new(0, 0, SIDE, SIDE);
            let group = SpawnGroup {
                class,
                count: 1,
                area,
                priority: 0,
                team: Team(0),
                orders,
                speed_factor: [1000, 700, 1400][self.random.below(3) as usize],
                anywhere: false,
                if_no_room: IfNoRoom::Drop,
            };
            self.world.command(Command::SpawnGroup(group));
        }
    }

    /// One agent has something else to do before its tasks.
    fn give_other_orders(&mut self) {
        let (Some(agent), Some(leader)) = (self.some_agent(), self.some_agent()) else { return };
        let (to, other, area) = (self.cell(), self.cell(), self.area(12));
        let tasks = tasks(self.random.below(1 << 30));
        let orders = match self.random.below(6) {
            0 => vec![Order::goto(to).or_nearest(), Order::wait(100), tasks],
            1 => vec![Order::goto_area(area), tasks],
            2 => vec![Order::patrol(&[to, other]).or_nearest()],
            3 if leader != agent => vec![Order::follow(leader, 6), tasks],
            4 => vec![Order::goto(to), Order::goto(other), tasks],
            _ => vec![tasks],
        };
        self.world.command(Command::orders(agent, orders));
    }

    /// Goes on from a snapshot. Returns the times of saving and loading in milliseconds, and the bytes.
    fn save_and_load(&mut self) -> Result<(f64, f64, usize), String> {
        let (saved, save_ms) = timed(|| self.world.save());
        let bytes = saved.map_err(|error| error.to_string())?;
        let (loaded, load_ms) = timed(|| World::load(&bytes, Host::default()));
        let loaded = loaded.map_err(|error| format!("tick {}: {error}", self.world.tick()))?;
        if loaded.state_hash() != self.world.state_hash() {
            return Err(format!("tick {}: another state hash after loading", self.world.tick()));
        }
        self.world = loaded;
        Ok((save_ms, load_ms, bytes.len()))
    }

    /// No cell is held by two agents.
    fn check(&mut self) -> Result<(), String> {
        let (world, tick) = (&self.world, self.world.tick());
        let side = SIDE as i32;
        for row in world.agents() {
            let footprints = &self.footprints[usize::from(row.class)];
            let held = |pose: Pose| {
                let cells = footprints[usize::from(pose.heading.0)].iter();
                cells.map(move |(dx, dy)| (pose.cell.x + dx, pose.cell.y + dy))
            };
            let (from, to) = ends(row);
            for (x, y) in held(from).chain(held(to)) {
                if !(0..side).contains(&x) || !(0..side).contains(&y) {
                    return Err(format!("tick {tick}: agent {} is off the map at ({x}, {y})", row.id));
                }
                let holder = &mut self.holders[(y * side + x) as usize];
                if holder.1 == tick && holder.0 != row.id {
                    return Err(format!("tick {tick}: agents {} and {} at ({x}, {y})", holder.0, row.id));
                }
                *holder = (row.id, tick);
            }
        }
        if tick.is_multiple_of(CHECK_TICKS) {
            if let Some(violation) = check(world).first() {
                return Err(format!("tick {tick}: {violation:?}"));
            }
            check_pools(world).map_err(|why| format!("tick {tick}: {why:?}"))?;
        }
        Ok(())
    }
}

/// The poses whose cells an agent holds: the poses of its move, or the pose in which it rests.
fn ends(row: &AgentRow) -> (Pose, Pose) {
    let to = row.to();
    (if row.is_moving() { row.from() } else { to }, to)
}

fn bridge((first, rows): (i32, u32)) -> Rect {
    Rect::new(RIVER.0, first, RIVER.1, rows)
}

fn tasks(stream: u32) -> Order {
    let area = Rect::new(0, 0, SIDE, SIDE);
    Order::new(OrderKind::Tasks(Arc::new(TaskSource::Random { area }), stream))
}

/// Footprints of a class of four headings at east, north, west and south: turned about the pivot, which stays.
fn footprints(spec: &ClassSpec) -> Vec<Vec<(i32, i32)>> {
    let pivot = (spec.pivot.forward, spec.pivot.right);
    let turned = |heading: usize, (forward, right): (i32, i32)| {
        // In halves of a cell, as the pivot is.
        let (x, y) = (2 * forward - pivot.0, 2 * right - pivot.1);
        let (x, y) = [(x, y), (y, -x), (-x, -y), (-y, x)][heading];
        ((pivot.0 + x) / 2, (pivot.1 + y) / 2)
    };
    (0..4).map(|heading| spec.footprint.iter().map(|&cell| turned(heading, cell)).collect()).collect()
}

/// Resident memory of this process; 0 where the system does not say.
fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kib = line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}
