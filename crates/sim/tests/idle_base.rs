//! Idle friends make way for good: loaders drive across a base where idle tanks stand everywhere.

use crate::common::{map, pose};
use std::collections::BTreeMap;
use wheelbase_grid::{CellXY, GridShape, Rect};
use wheelbase_planner::model::{Pivot, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
use wheelbase_sim::{ClassId, Command, EventKind, Order, Random, Settings, Setup, Spawn, World};

const WIDTH: usize = 44;
const HEIGHT: usize = 26;
const TANKS: usize = 50;

/// A body two cells wide that turns about the middle of its rear.
fn class(name: &str, length: i32, sweep: Sweep) -> MovementClass {
    let [forward, reverse, turn] = if length == 2 { [12, 36, 12] } else { [15, 45, 20] };
    let mut spec = ClassSpec::new(name, 4);
    spec.footprint = (2 - length..2).flat_map(|f| [(f - 1, 0), (f - 1, 1)]).collect();
    spec.pivot = Pivot { forward: -1, right: 1 };
    spec.primitives = Primitive::vehicle(forward, reverse, turn);
    spec.sweep = sweep;
    MovementClass::new(spec).unwrap()
}

/// A map with tanks, class 0, and loaders, class 1.
fn world_of(seed: u64, rows: &[&str], sweep: Sweep) -> World {
    let classes = vec![class("tank", 2, sweep), class("loader", 3, sweep)];
    let settings = Settings { seed, ..Settings::named("base") };
    World::new(Setup::cooperative(settings, map(rows, GridShape::Square), classes)).unwrap()
}

/// A base: buildings, idle tanks at random between them, and loaders that drive from corner to corner.
fn base(seed: u64, n_drivers: usize) -> World {
    let mut random = Random::of_stream(seed, 54);
    let mut rows = vec![vec![b'.'; WIDTH]; HEIGHT];
    for (column, row) in (0..5).flat_map(|column| (0..3).map(move |row| (column, row))) {
        let (x, y) = (4 + 8 * column + random.below(2) as i32, 4 + 7 * row);
        for cell in Rect::new(x, y, 2 + random.below(3) as u32, 2 + random.below(2) as u32).cells() {
            rows[cell.y as usize][cell.x as usize] = b'@';
        }
    }
    let rows: Vec<&str> = rows.iter().map(|row| std::str::from_utf8(row).unwrap()).collect();
    let mut world = world_of(seed, &rows, Sweep::default());
    let corners = [(4, 2), (40, 2), (4, 23), (40, 23)].map(|(x, y)| CellXY::new(x, y));
    while world.agents().len() < TANKS + n_drivers {
        let number = world.agents().len();
        let spawn = if number < n_drivers {
            let to = |n: usize| Order::goto(corners[(number + n) % 4]);
            let at = corners[number % 4];
            Spawn::new(ClassId(1), pose(at.x, at.y, 0)).with_orders([to(3), to(1), to(2), to(0)])
        } else {
            let (x, y) = (random.below(WIDTH) as i32, random.below(HEIGHT) as i32);
            Spawn::new(ClassId(0), pose(x, y, random.below(4) as u8))
        };
        world.command(Command::Spawn(spawn));
        world.step();
    }
    world
}

/// Most events of a sorted list within 1,000 ticks.
fn most_in_1000_ticks(ticks: &[u32]) -> usize {
    let from = |at: usize| ticks[at..].iter().take_while(|&&tick| tick < ticks[at] + 1000).count();
    (0..ticks.len()).map(from).max().unwrap_or(0)
}

/// All loaders do all their orders. For one loader, an idle tank is sent aside at most 3 times in 1,000 ticks. For four
/// that meet, it is at most 6 times.
#[test]
fn idle_tanks_make_way_for_good() {
    for (n_drivers, sent_max) in [(1, 3), (4, 6)] {
        for seed in 0..8 {
            let mut world = base(seed, n_drivers);
            let (begin, mut sent) = (world.tick(), BTreeMap::<u32, Vec<u32>>::new());
            let at_work = |world: &World| world.agents()[..n_drivers].iter().any(|row| row.order != u32::MAX);
            while at_work(&world) {
                assert!(world.tick() < begin + 6_500, "{n_drivers} loaders, seed {seed}");
                world.step();
                for event in world.events() {
                    // A path of an agent without an order leads aside.
                    if event.kind() == Some(EventKind::PathFound) && event.agent >= n_drivers as u32 {
                        sent.entry(event.agent).or_default().push(event.tick);
                    }
                }
            }
            let counts = world.counts();
            assert_eq!((counts.orders_done, counts.orders_unreachable), (4 * n_drivers as u64, 0));
            let most = sent.values().map(|ticks| most_in_1000_ticks(ticks)).max();
            assert!(most.is_some_and(|most| most <= sent_max), "{n_drivers} loaders, seed {seed}: {most:?}");
        }
    }
}

/// Runs until a loader, which starts in a corner, has gone to a cell past idle tanks.
fn loader_arrives(rows: &[&str], (from, to): (CellXY, CellXY), tanks: [(i32, i32, u8); 3]) {
    let mut world = world_of(1, rows, Sweep::both(SweepRule::Ends));
    let loader = Spawn::new(ClassId(1), pose(from.x, from.y, 0)).with_orders([Order::goto(to)]);
    let tanks = tanks.map(|(x, y, heading)| Spawn::new(ClassId(0), pose(x, y, heading)));
    for spawn in std::iter::once(loader).chain(tanks) {
        world.command(Command::Spawn(spawn));
    }
    world.step();
    assert_eq!(world.agents().len(), 4);
    while world.counts().orders_done == 0 {
        assert!(world.tick() < 1_000);
        world.step();
    }
}

/// A loader goes through a lane three wide in which a tank stands idle. Two others stand behind it. The tank leaves the
/// lane over the place of one of them, which goes first. Alone the loader takes 245 ticks.
#[test]
fn idle_tanks_leave_a_lane_one_after_the_other() {
    let (open, lane) = ("........", "@@@@@...");
    let rows = [open, open, open, lane, lane, lane, open, open, open, open];
    let way = (CellXY::new(6, 0), CellXY::new(5, 8));
    loader_arrives(&rows, way, [(5, 7, 1), (7, 7, 0), (6, 4, 3)]);
}

/// The tank in the lane is farther from the loader than a push usually looks ahead. It leaves the lane at the far end,
/// and does not only step back within it.
#[test]
fn an_idle_tank_leaves_a_lane_at_its_far_end() {
    let (open, lane) = (".......", "@@@@...");
    let rows = [open, open, open, open, lane, lane, lane, lane, lane, open, open, open];
    let way = (CellXY::new(5, 1), CellXY::new(5, 10));
    loader_arrives(&rows, way, [(5, 5, 0), (6, 10, 1), (3, 10, 2)]);
}
