//! The cost of a command: the tick at which it takes effect, beside a tick without one, at 100 and at 100,000 resting
//! agents. Also the time from one click to the first move of the first and of the last unit of a group.

// Criterion's macros write functions without documentation.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::time::{Duration, Instant};
use wheelbase_benches::calibration;
use wheelbase_grid::{CellXY, Change, Grid, Rect, SideTable, TerrainKind, TerrainTable};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
use wheelbase_sim::{AgentId, AgentSelection, ClassId, Command, Order, Settings, Setup, Spawn, World};

/// Ticks until a group must have set out.
const TICKS_MAX: u32 = 20_000;
/// Terrain kinds of the map.
const GROUND: TerrainKind = TerrainKind(0);
const WATER: TerrainKind = TerrainKind(2);

/// A world of carts that rest, a cell in three of each row and column from a corner on.
fn carts(agents: u32, side: u32) -> World {
    let row = ".".repeat(side as usize);
    let rows = vec![row.as_str(); side as usize];
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default());
    let mut spec = ClassSpec::new("cart", 4);
    spec.primitives = Primitive::vehicle(4, 8, 3);
    let class = MovementClass::new(spec);
    let (Ok(grid), Ok(class)) = (grid, class) else { unreachable!("map and class are right") };
    let mut setup = Setup::cooperative(Settings::named("commands"), grid, vec![class]);
    setup.landmarks = Some(0);
    let columns = agents.isqrt().max(1) as i32;
    let cell = |number: i32| CellXY::new(2 + number % columns * 3, 2 + number / columns * 3);
    let spawn = |number| Spawn::new(ClassId(0), Pose { cell: cell(number), heading: Heading(0) });
    setup.agents = (0..agents as i32).map(spawn).collect();
    World::new(setup).unwrap_or_else(|errors| unreachable!("agents fit: {errors}"))
}

/// The kinds of commands that are timed.
const KINDS: [&str; 6] = ["order", "spawn", "remove", "edit", "priority", "class"];

/// A command of a kind that can be given to a world of carts at rest again and again.
fn command(kind: &str, world: &World, round: u64) -> Command {
    let rows = world.agents();
    let row = &rows[(round * 7919 % rows.len() as u64) as usize];
    let agent = row.agent();
    // Between the agents.
    let beside = CellXY::new(row.to_x + 1, row.to_y + 1);
    match kind {
        "order" => Command::order(agent, Order::goto(beside)),
        "spawn" => Command::Spawn(Spawn::new(ClassId(0), Pose { cell: beside, heading: Heading(0) })),
        "remove" => Command::remove(agent),
        "edit" => {
            let terrain = if world.grid().terrain_at(beside) == Some(GROUND) { WATER } else { GROUND };
            Command::edit(Change::Terrain { area: Rect::new(beside.x, beside.y, 1, 1), kind: terrain })
        }
        "priority" => Command::Priority { agents: AgentSelection::One(agent), priority: round as i32 },
        _ => Command::Class { agent, class: ClassId(0), pose: None },
    }
}

/// Time of a tick with a command of a kind, and of one without right before it. The world then comes to rest again.
fn tick_with(kind: &str, world: &mut World, round: u64) -> [Duration; 2] {
    let begun = Instant::now();
    world.step();
    let without = begun.elapsed();
    let given = command(kind, world, round);
    let begun = Instant::now();
    world.command(given);
    world.step();
    let with = begun.elapsed();
    for _ in 0..100 {
        if world.nothing_left() {
            break;
        }
        world.step();
    }
    [without, with]
}

fn median_us(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Prints the medians of all kinds.
fn print_costs(world: &mut World, rounds: u64) {
    for kind in KINDS {
        let [mut without, mut with] = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            let [one, other] = tick_with(kind, world, round);
            without.push(one);
            with.push(other);
        }
        println!(
            "{kind:9} at {:6} agents: a tick with it {:9.1} us, without {:9.1} us",
            world.agents().len(),
            median_us(with),
            median_us(without)
        );
    }
}

/// Sends a group to a goal by one command, and prints when its first and its last unit set out.
fn print_click(agents: u32) {
    let side = agents.isqrt() * 3 * 3;
    let mut world = carts(agents, side);
    world.step();
    let ids: Vec<AgentId> = world.agents().iter().map(|row| row.agent()).collect();
    let clicked_at = world.tick();
    let mut has_moved = vec![false; ids.len()];
    let (mut left, mut first) = (ids.len(), None);
    let goal = CellXY::new(side as i32 * 2 / 3, side as i32 * 2 / 3);
    let begun = Instant::now();
    world.command(Command::order(ids, Order::goto_group(goal)));
    let mut longest = Duration::ZERO;
    while left > 0 && world.tick() < TICKS_MAX {
        let tick = Instant::now();
        world.step();
        longest = longest.max(tick.elapsed());
        for (row, has_moved) in world.agents().iter().zip(&mut has_moved) {
            if row.is_moving() && !std::mem::replace(has_moved, true) {
                left -= 1;
            }
        }
        let at = (world.tick() - clicked_at, begun.elapsed().as_secs_f64() * 1e3);
        first = first.or((left < has_moved.len()).then_some(at));
    }
    let (first, first_ms) = first.unwrap_or_default();
    println!(
        "group of {agents}: first move after {first} ticks and {first_ms:.1} ms, last one's after {} ticks and {:.1} ms \
         ({left} never); longest tick {:.1} ms, hash {:016x}",
        world.tick() - clicked_at,
        begun.elapsed().as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3,
        world.state_hash()
    );
}

fn commands(criterion: &mut Criterion) {
    println!("calibration: {}", calibration());
    // Under `cargo test` and `cargo bench -- --test` each bench runs once, and only on small crowds.
    let once = !std::env::args().any(|arg| arg == "--bench") || std::env::args().any(|arg| arg == "--test");
    for agents in if once { [20, 60] } else { [500, 5_000] } {
        print_click(agents);
    }
    let mut group = criterion.benchmark_group("commands");
    for agents in if once { [10, 100] } else { [100, 100_000] } {
        let mut world = carts(agents, agents.isqrt() * 3 + 8);
        for _ in 0..3 {
            world.step();
        }
        print_costs(&mut world, if once { 1 } else { 101 });
        for kind in ["order", "spawn", "edit"] {
            let id = BenchmarkId::new(kind, agents);
            group.bench_function(id, |bencher| {
                let mut round = 0;
                bencher.iter_custom(|times| {
                    let mut sum = Duration::ZERO;
                    for _ in 0..times {
                        let [without, with] = tick_with(kind, &mut world, round);
                        sum += with.saturating_sub(without);
                        round += 1;
                    }
                    sum
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = commands
}
criterion_main!(benches);
