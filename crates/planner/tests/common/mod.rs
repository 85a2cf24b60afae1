//! Random worlds for tests: maps with terrain, sides and walls, and classes of any shape.

#![allow(dead_code, clippy::unwrap_used, reason = "all of it is for tests; each program uses a part of it")]

use proptest::prelude::*;
use std::ops::Range;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::{Answer, PathQueue, Ticket};
use wheelbase_planner::tables::MovementTables;

/// Terrain and side kinds of every random map.
pub fn tables() -> (TerrainTable, SideTable) {
    let kinds =
        [("grass", ".", 1000), ("mud", "m", 400), ("road", "=", 1500), ("bog", "b", 37), ("deep", "~", 0)];
    let entry = |(name, glyphs, speed): (&str, &str, u16)| TerrainEntry {
        name: name.to_owned(),
        glyphs: glyphs.to_owned(),
        speed,
        colour: None,
        sides: [SideKind::OPEN; SIDES_MAX],
    };
    let sides = vec![
        SideEntry { name: "stile".to_owned(), speed: 250 },
        SideEntry { name: "hedge".to_owned(), speed: 0 },
    ];
    (TerrainTable::new(kinds.into_iter().map(entry).collect()).unwrap(), SideTable::new(sides).unwrap())
}

fn kind() -> impl Strategy<Value = u8> {
    prop_oneof![6 => Just(0_u8), 1 => Just(1), 1 => Just(2), 1 => Just(3), 2 => Just(4)]
}

/// A map of 1x1 to 9x9 cells and a class for it.
pub fn world() -> impl Strategy<Value = (Grid, MovementClass)> {
    world_of(1..10)
}

/// Like [`world`], with other side lengths.
pub fn world_of(side: Range<u64>) -> impl Strategy<Value = (Grid, MovementClass)> {
    shape().prop_flat_map(move |shape| (grid_of(shape, side.clone()), class_of(shape)))
}

fn shape() -> impl Strategy<Value = GridShape> {
    prop_oneof![2 => Just(GridShape::Square), 1 => Just(GridShape::Hex)]
}

/// Maps of the given shape and side lengths, some with walls and stiles, some with hills.
pub fn grid_of(shape: GridShape, side: Range<u64>) -> impl Strategy<Value = Grid> {
    (side.clone(), side)
        .prop_flat_map(|(width, height)| {
            let cells = prop::collection::vec(kind(), (width * height) as usize);
            let sides = prop::collection::vec((any::<u16>(), 0_usize..12, 0_u8..4), 0..12);
            let heights = prop::collection::vec(-3_i16..6, (width * height) as usize);
            let heights = prop_oneof![2 => Just(None), 1 => heights.prop_map(Some)];
            (Just((width, height)), cells, prop_oneof![Just(Vec::new()), sides], heights)
        })
        .prop_map(move |((width, height), cells, sides, heights)| {
            let size = GridSize::new(width, height).unwrap();
            let (terrain, side_table) = tables();
            let cells = cells.into_iter().map(TerrainKind).collect();
            let mut grid = Grid::from_terrain(size, cells, terrain, side_table).with_shape(shape);
            for (cell, side, kind) in sides {
                let xy = size.xy(Cell(u32::from(cell) % size.n_cells() as u32));
                grid.set_side(xy, shape.sides()[side % shape.sides().len()], SideKind(kind));
            }
            match heights {
                Some(heights) => grid.with_elevation(heights).unwrap(),
                None => grid,
            }
        })
}

fn footprint() -> impl Strategy<Value = Vec<(i32, i32)>> {
    let rectangle = (1_i32..4, 1_i32..3, 0_i32..3, 0_i32..2).prop_map(|(length, width, f0, r0)| {
        (0..length).flat_map(|f| (0..width).map(move |r| (f - f0, r - r0))).collect()
    });
    let shape =
        prop::collection::btree_set((-2_i32..3, -2_i32..3), 1..5).prop_map(|s| s.into_iter().collect());
    prop_oneof![1 => Just(vec![(0, 0)]), 3 => rectangle, 1 => shape]
}

fn pivot(shape: GridShape) -> impl Strategy<Value = Pivot> {
    let halves = u32::from(shape == GridShape::Square);
    prop_oneof![
        3 => Just(Pivot::default()),
        1 => (-2_i32..3, -2_i32..3).prop_map(|(f, r)| Pivot { forward: 2 * f, right: 2 * r }),
        halves => (-2_i32..2, -2_i32..2).prop_map(|(f, r)| Pivot { forward: 2 * f + 1, right: 2 * r + 1 }),
    ]
}

fn overrides(names: &'static [&'static str]) -> impl Strategy<Value = Vec<(String, u16)>> {
    let speed = prop_oneof![Just(0_u16), Just(333), Just(800), Just(65_535)];
    prop_oneof![
        2 => Just(Vec::new()),
        1 => (prop::sample::select(names), speed).prop_map(|(name, speed)| vec![(name.to_owned(), speed)]),
    ]
}

fn primitives(shape: GridShape, headings: u8) -> impl Strategy<Value = Vec<Primitive>> {
    let time = prop_oneof![8 => 1_u32..13, 1 => 900_u32..1100, 1 => Just(65_535_u32)];
    let turn = 1 - i32::from(headings)..i32::from(headings);
    let listed = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec((-1_i32..2, -1_i32..2), 1..3)];
    let random = ((-2_i32..3, -2_i32..3), turn, time.clone(), prop::option::of(listed), any::<bool>());
    let vehicle =
        (time.clone(), time.clone(), time).prop_map(move |(forward, reverse, turn)| match headings {
            1 if shape == GridShape::Hex => Primitive::six_directions(forward),
            1 => Primitive::four_directions(forward),
            4 | 6 => Primitive::vehicle(forward, reverse, turn),
            _ => vehicle_of_8(forward, reverse, turn),
        });
    (vehicle, 0_usize..7, prop::collection::vec(random, 0..10)).prop_map(
        move |(mut vehicle, kept, random)| {
            vehicle.truncate(kept);
            for (number, (by, turn, time, swept, straight)) in random.into_iter().enumerate() {
                let framed = headings == 8 && (by != (0, 0) || swept.is_some());
                let when = match (framed, straight) {
                    (false, _) => When::Any,
                    (true, true) => When::Straight,
                    (true, false) => When::Diagonal,
                };
                if by != (0, 0) || turn != 0 {
                    vehicle.push(Primitive { name: format!("m{number}"), by, turn, time, swept, when });
                }
            }
            vehicle
        },
    )
}

/// The usual moves of a vehicle with 8 headings.
pub fn vehicle_of_8(forward: u32, reverse: u32, turn: u32) -> Vec<Primitive> {
    let longer = |time: u32| (time * 1414).div_ceil(1000).min(65_535);
    let step = |name: &str, by, time, when| Primitive { when, ..Primitive::step(name, by, time) };
    vec![
        step("forward", (1, 0), forward, When::Straight),
        step("forward", (1, -1), longer(forward), When::Diagonal),
        Primitive::turn("left", 1, turn),
        Primitive::turn("right", -1, turn),
        step("reverse", (-1, 0), reverse, When::Straight),
        step("reverse", (-1, 1), longer(reverse), When::Diagonal),
    ]
}

fn sweep(shape: GridShape) -> impl Strategy<Value = Sweep> {
    let full = u32::from(shape == GridShape::Square);
    let rule = move || prop_oneof![2 => Just(SweepRule::Ends), full => Just(SweepRule::Full)];
    (rule(), rule()).prop_map(|(moves, turns)| Sweep { moves, turns })
}

fn climb() -> impl Strategy<Value = Climb> {
    let limit = || prop::option::of(0_u32..4);
    let steep = (0_u32..400, -300_i32..400, limit(), limit(), limit())
        .prop_map(|(up, down, max_up, max_down, max_tilt)| Climb { up, down, max_up, max_down, max_tilt });
    prop_oneof![1 => Just(Climb::default()), 2 => steep]
}

/// Classes for maps of a shape, with any footprint, pivot, headings, sweep, climb and moves.
pub fn class_of(shape: GridShape) -> impl Strategy<Value = MovementClass> {
    let headings = match shape {
        GridShape::Square => prop_oneof![1 => Just(1_u8), 3 => Just(4), 3 => Just(8)].boxed(),
        GridShape::Hex => prop_oneof![1 => Just(1_u8), 3 => Just(6)].boxed(),
    };
    headings
        .prop_flat_map(move |headings| {
            let speed = overrides(&["mud", "deep", "road", "nowhere"]);
            let side_speed = overrides(&["open", "wall", "stile", "hedge"]);
            let diagonal = prop::option::of(footprint());
            let body = (footprint(), diagonal, pivot(shape), sweep(shape), climb());
            (Just(headings), body, speed, side_speed, primitives(shape, headings))
        })
        .prop_map(move |(headings, body, speed, side_speed, primitives)| {
            let (footprint, diagonal, pivot, sweep, climb) = body;
            let mut spec = ClassSpec {
                name: "any".to_owned(),
                shape,
                headings,
                footprint,
                footprint_diagonal: diagonal.filter(|_| headings == 8),
                pivot,
                sweep,
                climb,
                speed,
                side_speed,
                primitives,
            };
            MovementClass::new(spec.clone()).unwrap_or_else(|error| {
                // A thin body may cover no cell by at least half.
                assert_eq!(error, ClassError::DiagonalEmpty, "{spec:?}");
                spec.footprint_diagonal = Some(vec![(0, 0)]);
                MovementClass::new(spec).unwrap()
            })
        })
}

/// An ordinary class: 1x2, forward 2, reverse 6, turn 2; swept by its ends, so that narrow maps have room for it.
pub fn truck() -> MovementClass {
    let mut spec = ClassSpec::new("truck", 4);
    spec.sweep = Sweep::both(SweepRule::Ends);
    spec.footprint = vec![(0, 0), (-1, 0)];
    spec.primitives = Primitive::vehicle(2, 6, 2);
    MovementClass::new(spec).unwrap()
}

/// A goal near the map: some members off it, some with a heading.
pub fn goal() -> impl Strategy<Value = (Vec<GoalMember>, u32)> {
    let member = (-2_i32..11, -2_i32..11, prop::option::of(0_u8..8));
    let member = member
        .prop_map(|(x, y, heading)| GoalMember { cell: CellXY::new(x, y), heading: heading.map(Heading) });
    (prop::collection::vec(member, 1..4), prop_oneof![3 => Just(0_u32), 1 => 0_u32..4])
}

/// An edit of any layer near or on the map.
pub fn edit() -> impl Strategy<Value = (i32, i32, u32, u32, u8, usize)> {
    (-2_i32..40, -2_i32..40, 0_u32..5, 0_u32..5, 0_u8..5, 0_usize..12)
}

/// One of the sides of the map's cells.
pub fn side_of(grid: &Grid, number: usize, draw: i32) -> Side {
    let sides = grid.shape().sides();
    sides[(number + draw.unsigned_abs() as usize) % sides.len()]
}

/// Makes an edit; returns the rectangle of changed cells.
pub fn apply(grid: &mut Grid, (x, y, width, height, kind, what): (i32, i32, u32, u32, u8, usize)) -> Rect {
    let size = grid.size();
    let inside = CellXY::new(x.rem_euclid(size.width() as i32), y.rem_euclid(size.height() as i32));
    let area = match x < size.width() as i32 && y < size.height() as i32 {
        true => Rect::new(x, y, width, height),
        false => Rect::new(inside.x, inside.y, width, height),
    };
    let edit = match what {
        number @ 0..4 => grid.set_side(inside, side_of(grid, number, x), SideKind(kind % 4)),
        4 => grid.set_elevation(area, i16::from(kind) * 7 - 9),
        5 => grid.rotate(inside, i32::from(kind) - 2),
        6..9 => grid.set_terrain(area, TerrainKind(kind)),
        // Buildings put up and removed.
        _ => grid.set_terrain(area, TerrainKind(kind % 2 * 4)),
    };
    edit.changed
}

/// The numbers, lists and options of a value, each by its place in a walk over all of them.
#[cfg(feature = "serde")]
fn walk(
    value: &mut serde_json::Value,
    left: &mut usize,
    change: &mut impl FnMut(&mut serde_json::Value),
) -> bool {
    use serde_json::Value;
    if *left == 0 {
        change(value);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(list) => list.iter_mut().any(|value| walk(value, left, change)),
        Value::Object(fields) => fields.values_mut().any(|value| walk(value, left, change)),
        _ => false,
    }
}

/// Cases of a run of the tests with saved or forged state; others by `WHEELBASE_FORGED`.
pub fn saved_cases(of_tests: u32) -> u32 {
    std::env::var("WHEELBASE_FORGED").ok().and_then(|n| n.parse().ok()).unwrap_or(of_tests)
}

/// Changes the value at a place.
#[cfg(feature = "serde")]
pub fn forge(value: &mut serde_json::Value, place: u32, draw: i64) {
    use serde_json::Value;
    let mut n = usize::MAX;
    walk(value, &mut n, &mut |_| {});
    let mut place = place as usize % (usize::MAX - n);
    walk(value, &mut place, &mut |value| match value {
        Value::Array(list) if draw % 2 == 0 => drop(list.pop()),
        Value::Array(list) => {
            let last = list.last().cloned().unwrap_or(Value::from(draw.unsigned_abs()));
            list.push(last);
        }
        Value::Bool(is) => *is = !*is,
        Value::Number(number) => {
            let known = number.as_i64().unwrap_or(0);
            *value = match draw % 5 {
                0 => Value::from(known.wrapping_add(1)),
                1 => Value::from(known.wrapping_sub(1)),
                2 => Value::from(draw.unsigned_abs() % 70),
                3 => Value::from(u32::MAX),
                _ => Value::from(draw),
            };
        }
        Value::Null => *value = Value::from(draw.unsigned_abs() % 70),
        _ => *value = Value::Null,
    });
}

/// Runs a queue until it is empty; gives frame, ticket, answer and path of each answer, in the order given.
pub fn drain(
    queue: &mut PathQueue,
    tables: &[MovementTables],
    budget: u64,
) -> Vec<(u32, Ticket, Answer, Path)> {
    let mut found = Vec::new();
    while queue.open() > 0 {
        let frame = queue.frame();
        assert!(frame < 1_000_000, "the queue does not end");
        queue.advance(tables, budget);
        found.extend(queue.answers().map(|one| (frame, one.ticket, one.answer, one.path.clone())));
    }
    found
}
