//! The agents that many changes of the map would disturb together. Changes that only close the map disturb the same
//! agents as each alone. All changes agree with the legality of every agent under all of them.

use crate::common::{hex_classes, map, square_classes};
use std::sync::Arc;
use wheelbase_grid::{CellXY, Change, GridShape, Rect, SideKind, SplitMix64, TerrainKind};
use wheelbase_planner::model::Climb;
use wheelbase_planner::{Legality, MovementClass};
use wheelbase_sim::{
    AgentId, AgentRow, ClassId, CollisionRule, Command, IfNoRoom, MapEdit, OnAgents, Order, OrderKind,
    Settings, Setup, SpawnGroup, TaskSource, Team, World,
};

const WIDTH: u32 = 24;
const HEIGHT: u32 = 16;
const WATER: TerrainKind = TerrainKind(2);
const WALL: SideKind = SideKind(1);

/// More changes than are looked at for every cell.
const CHANGES_MIN: u32 = 9;

fn all() -> Rect {
    Rect::new(0, 0, WIDTH, HEIGHT)
}

/// Classes that climb a step of the ground, and stand on one.
fn classes(shape: GridShape) -> Vec<MovementClass> {
    let flat = if shape == GridShape::Hex { hex_classes() } else { square_classes() };
    let climbs = |class: MovementClass| {
        let mut spec = class.spec().clone();
        spec.climb = Climb { max_up: Some(1), max_down: Some(2), max_tilt: Some(1), ..Climb::default() };
        MovementClass::new(spec).unwrap()
    };
    flat.into_iter().map(climbs).collect()
}

/// Agents of all classes, under way on a map with lakes, walls and hills.
fn world(shape: GridShape, collision: CollisionRule, random: &mut SplitMix64) -> World {
    let row = |random: &mut SplitMix64| -> String {
        (0..WIDTH).map(|_| if random.chance(80) { 'W' } else { '.' }).collect()
    };
    let rows: Vec<String> = (0..HEIGHT).map(|_| row(random)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let settings = Settings { collision, seed: random.below(1000).into(), ..Settings::named("closings") };
    let classes = classes(shape);
    let n_classes = classes.len() as u8;
    let mut world = World::new(Setup::cooperative(settings, map(&rows, shape), classes)).unwrap();
    let source = Arc::new(TaskSource::Random { area: all() });
    for class in (0..n_classes).map(ClassId) {
        let orders = Arc::new([Order::new(OrderKind::Tasks(Arc::clone(&source), class.0.into()))]);
        let (priority, team) = (0, Team::default());
        world.command(Command::SpawnGroup(SpawnGroup {
            speed_factor: 1000,
            class,
            count: 6,
            area: all(),
            priority,
            team,
            orders,
            anywhere: true,
            if_no_room: IfNoRoom::Drop,
        }));
    }
    world.step();
    let changes = (0..12).map(|_| change(shape, random)).collect();
    world.command(Command::Edit(MapEdit { changes, on_agents: OnAgents::Strand }));
    world
}

fn cell(random: &mut SplitMix64) -> CellXY {
    CellXY::new(random.below(WIDTH) as i32, random.below(HEIGHT) as i32)
}

/// A small area, partly off the map at times.
fn area(random: &mut SplitMix64) -> Rect {
    let CellXY { x, y } = cell(random);
    Rect::new(x - 1, y - 1, 1 + random.below(3), 1 + random.below(2))
}

/// A change that makes nothing legal.
fn closing(shape: GridShape, random: &mut SplitMix64) -> Change {
    if random.chance(600) {
        return Change::Terrain { area: area(random), kind: WATER };
    }
    let sides = shape.sides();
    let side = sides[random.below(sides.len() as u32) as usize];
    Change::Side { cell: cell(random), side, kind: WALL }
}

/// A change of any kind.
fn change(shape: GridShape, random: &mut SplitMix64) -> Change {
    match random.below(6) {
        0..2 => closing(shape, random),
        2 => Change::Terrain { area: area(random), kind: TerrainKind(random.below(2) as u8) },
        3 | 4 => Change::Elevation { area: area(random), height: random.below(3) as i16 },
        _ => Change::Rotate { cell: cell(random), turns: random.between(-2, 3) },
    }
}

/// Calls `check` with worlds in which agents are under way, and changes.
fn for_each_scene(
    draw: impl Fn(GridShape, &mut SplitMix64) -> Change,
    mut check: impl FnMut(&World, &[Change]),
) {
    for seed in 0..24 {
        let mut random = SplitMix64::new(seed);
        let shape = [GridShape::Square, GridShape::Hex][seed as usize % 2];
        let collision = [CollisionRule::Swept, CollisionRule::Discrete][seed as usize / 2 % 2];
        let mut world = world(shape, collision, &mut random);
        for _ in 0..20 {
            world.step();
            world.step();
            // Few change fewer cells than there are agents, many change more.
            let n = CHANGES_MIN + if random.chance(300) { 0 } else { random.below(40) };
            let changes: Vec<Change> = (0..n).map(|_| draw(shape, &mut random)).collect();
            check(&world, &changes);
        }
    }
}

#[test]
fn many_closings_disturb_whoever_one_of_them_does() {
    let (mut n_disturbed, mut n_moving) = (0, 0);
    for_each_scene(closing, |world, changes| {
        let disturbed = world.would_disturb(changes).unwrap();
        let alone = |change: &Change| world.would_disturb(std::slice::from_ref(change)).unwrap();
        let mut union: Vec<AgentId> = changes.iter().flat_map(alone).collect();
        union.sort_unstable();
        union.dedup();
        assert_eq!(disturbed, union, "tick {}: {changes:?}", world.tick());
        n_disturbed += disturbed.len();
        n_moving += disturbed.iter().filter(|&&agent| world.agent(agent).unwrap().is_moving()).count();
    });
    assert!(n_disturbed > 1_000 && n_moving > 300, "{n_disturbed}, {n_moving}");
}

#[test]
fn many_changes_of_all_kinds_disturb_whoever_they_make_illegal() {
    let mut n_disturbed = 0;
    for_each_scene(change, |world, changes| {
        let is_disturbed = |row: &AgentRow| {
            let number = usize::from(row.class);
            let (class, tables) = (&world.classes()[number], &world.tables()[number]);
            let state = tables.space().state(row.pose()).unwrap();
            let after = Legality::after(world.grid(), tables.class(), &class.speeds, changes);
            let primitive = usize::from(row.primitive);
            if row.is_moving() {
                let was_legal = tables.move_ticks(state, primitive).is_some();
                was_legal && after.explain(row.pose(), primitive).is_err()
            } else {
                tables.is_legal(state) && after.check_pose(row.pose()).is_err()
            }
        };
        let disturbed = world.agents().iter().filter(|row| is_disturbed(row)).map(|row| row.agent());
        let disturbed: Vec<AgentId> = disturbed.collect();
        assert_eq!(world.would_disturb(changes).unwrap(), disturbed, "tick {}: {changes:?}", world.tick());
        n_disturbed += disturbed.len();
    });
    assert!(n_disturbed > 500, "{n_disturbed}");
}
