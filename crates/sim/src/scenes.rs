//! Worlds for unit tests: maps of glyphs, classes, and groups that are placed at random.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use crate::{
    AgentSelection, CellXY, ClassId, ClassSpec, Command, Grid, GridShape, IfNoRoom, MovementClass, Order,
    OrderKind, Primitive, Random, Rect, Settings, Setup, SideTable, SpawnGroup, TaskSource, Team,
    TerrainTable, USUAL_SPEED_PERMILLE, World,
};
use std::sync::Arc;

/// A map of rows of glyphs: `.` ground, `T` trees, `W` water.
pub(crate) fn map(rows: &[String]) -> Grid {
    Grid::from_rows(rows, TerrainTable::movingai(), SideTable::default()).unwrap()
}

/// Rows of ground, one cell in `per_tree` trees.
pub(crate) fn rows(random: &mut Random, (width, height): (usize, usize), per_tree: usize) -> Vec<String> {
    let mut glyph = || if random.below(per_tree) == 0 { 'T' } else { '.' };
    (0..height).map(|_| (0..width).map(|_| glyph()).collect()).collect()
}

/// A class with a body of these cells, forward and right of its anchor.
pub(crate) fn class(
    mut spec: ClassSpec,
    footprint: &[(i32, i32)],
    primitives: Vec<Primitive>,
) -> MovementClass {
    (spec.footprint, spec.primitives) = (footprint.to_vec(), primitives);
    MovementClass::new(spec).unwrap()
}

/// Moves of a class that drives forward and turns.
pub(crate) fn drive(forward: u32, turn: u32) -> Vec<Primitive> {
    let turned = [Primitive::turn("left", 1, turn), Primitive::turn("right", -1, turn)];
    [vec![Primitive::step("forward", (1, 0), forward)], turned.to_vec()].concat()
}

/// A setup that ends at a tick, of classes on a map without landmarks.
pub(crate) fn setup(ticks: u32, grid: Grid, classes: Vec<MovementClass>) -> Setup {
    let settings = Settings { ticks, ..Settings::named("scene") };
    Setup { landmarks: Some(0), ..Setup::cooperative(settings, grid, classes) }
}

/// A command that places agents at random.
pub(crate) fn group(class: u8, count: u32, area: Rect, orders: impl Into<Arc<[Order]>>) -> SpawnGroup {
    SpawnGroup {
        class: ClassId(class),
        count,
        area,
        priority: 0,
        team: Team(0),
        orders: orders.into(),
        speed_factor: USUAL_SPEED_PERMILLE,
        anywhere: false,
        if_no_room: IfNoRoom::Drop,
    }
}

/// The world of a setup, and of groups that are placed at tick 0.
pub(crate) fn world(mut setup: Setup, groups: impl IntoIterator<Item = SpawnGroup>) -> World {
    setup.scheduled.extend(groups.into_iter().map(|group| (0, Command::SpawnGroup(group))));
    World::new(setup).unwrap()
}

/// Random tasks in an area.
pub(crate) fn tasks(area: Rect, stream: u32) -> Order {
    Order::new(OrderKind::Tasks(Arc::new(TaskSource::Random { area }), stream))
}

/// The order, done near its goal.
pub(crate) fn within(mut order: Order, cells: u32) -> Order {
    if let OrderKind::Goto(trip) | OrderKind::Patrol(trip) = &mut order.kind {
        trip.within = cells;
    }
    order
}

/// An order of any kind to random cells of a map.
pub(crate) fn order(random: &mut Random, (width, height): (usize, usize)) -> Order {
    let mut cell = || CellXY::new(random.below(width) as i32, random.below(height) as i32);
    let (to, from) = (cell(), cell());
    let order = match random.below(5) {
        0 => Order::patrol(&[from, to]).or_nearest(),
        1 => Order::goto_area(Rect::new(to.x, to.y, 6, 5)).or_nearest(),
        2 => Order::goto_group(to).or_nearest(),
        3 => Order::goto(to).or_wait(),
        _ => Order::goto(to).or_nearest(),
    };
    within(order, random.below(3) as u32)
}

/// Agents of three classes that come and go all the time on a small map.
pub(crate) fn coming_and_going(random: &mut Random) -> Setup {
    let size = (6 + random.below(6), 6 + random.below(6));
    let tank = [(0, 0), (-1, 0), (0, 1), (-1, 1)];
    let (shape, specs, walk) = match random.below(2) {
        0 => (GridShape::Square, [1, 4, 4].map(|n| ClassSpec::new("", n)), Primitive::four_directions(2)),
        _ => (GridShape::Hex, [1, 6, 6].map(|n| ClassSpec::hexagonal("", n)), Primitive::six_directions(2)),
    };
    let bodies = [(&tank[..1], walk), (&tank[..2], drive(2, 1)), (&tank[..], Primitive::vehicle(3, 5, 2))];
    let classes = specs.into_iter().zip(bodies).map(|(spec, (body, moves))| class(spec, body, moves));
    let grid = map(&rows(random, size, 9)).with_shape(shape);
    let mut setup = setup(220, grid, classes.collect());
    setup.settings.seed = random.below(1000) as u64;
    let group = |random: &mut Random, area| {
        let orders = [order(random, size), order(random, size)];
        Command::SpawnGroup(group(random.below(3) as u8, 1 + random.below(5) as u32, area, orders))
    };
    let all = Rect::new(0, 0, size.0 as u32, size.1 as u32);
    setup.scheduled.extend((0..5 + random.below(7)).map(|_| (0, group(random, all))));
    for _ in 0..5 + random.below(25) {
        let tick = random.below(150) as u32;
        let mut area = || {
            let side = |random: &mut Random| 3 + random.below(5) as u32;
            Rect::new(random.below(6) as i32, random.below(6) as i32, side(random), side(random))
        };
        let (from, to) = (area(), area());
        setup.scheduled.push((tick, Command::Remove(AgentSelection::Area(from))));
        setup.scheduled.push((tick, group(random, to)));
    }
    setup
}
