//! The classes of the scenes.

use wheelbase_planner::model::{Climb, Pivot, Sweep};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive, When};

/// Move times of the vehicles in ticks: forward, reverse, quarter turn.
pub const MOVE_TICKS: (u32, u32, u32) = (2, 6, 2);

/// A vehicle on four headings that turns about its anchor, with the moves of [`MOVE_TICKS`].
///
/// # Panics
/// If the footprint breaks a limit of the planner.
pub fn vehicle(name: &str, footprint: Vec<(i32, i32)>) -> MovementClass {
    let (forward, reverse, turn) = MOVE_TICKS;
    let mut spec = ClassSpec::new(name, 4);
    spec.footprint = footprint;
    spec.primitives = Primitive::vehicle(forward, reverse, turn);
    class(spec)
}

/// The 1x2 vehicle of most scenes.
pub fn truck() -> MovementClass {
    vehicle("truck", vec![(0, 0), (-1, 0)])
}

/// One cell, with a truck's moves.
pub fn cart() -> MovementClass {
    vehicle("cart", vec![(0, 0)])
}

/// 3 x 9 cells around the anchor, with a truck's moves.
pub fn carrier() -> MovementClass {
    vehicle("carrier", (-4..=4).flat_map(|f| (-1..=1).map(move |r| (f, r))).collect())
}

/// The truck on a map whose cells are divided into `times` x `times`. The body is `times` times as long and wide in
/// cells, and a step takes 1 / `times` of the time. `times` is 1, 2 or 4, so that the ticks are whole; they are 4 times
/// the ticks of [`truck`].
///
/// # Panics
/// If `times` is another number.
pub fn truck_at_resolution(times: u32) -> MovementClass {
    assert!([1, 2, 4].contains(&times), "{times} is not 1, 2 or 4");
    let (forward, reverse, turn) = MOVE_TICKS;
    let side = times as i32;
    let mut spec = ClassSpec::new("truck", 4);
    spec.footprint = (-side..side).flat_map(|f| (0..side).map(move |r| (f, r))).collect();
    // The centre of the block that replaces the anchor cell.
    spec.pivot = Pivot { forward: side - 1, right: side - 1 };
    spec.primitives = Primitive::vehicle(4 * forward / times, 4 * reverse / times, 4 * turn);
    class(spec)
}

/// [`MovementClass::octile`] with corner cutting: a diagonal step only needs a free end cell.
///
/// # Panics
/// Never: the class is valid.
pub fn octile_past_corners() -> MovementClass {
    let mut spec = MovementClass::octile().spec().clone();
    spec.name = "octile past corners".to_owned();
    spec.sweep = Sweep::default();
    class(spec)
}

/// A point that steps to its four neighbours in one tick each.
///
/// # Panics
/// Never: the class is valid.
pub fn four_neighbours() -> MovementClass {
    let mut spec = ClassSpec::new("four ways", 1);
    spec.primitives = Primitive::four_directions(1);
    class(spec)
}

/// A 1x2 on 8 headings with 16 moves, the most of a class, and costs of slopes: it needs the planner's general table
/// layout. Diagonal steps take 1.414 times as long.
///
/// # Panics
/// Never: the class is valid.
pub fn general() -> MovementClass {
    let diagonal = |ticks: u32| (ticks * 1414).div_ceil(1000);
    let step = |name: &str, by, time, when| Primitive { when, ..Primitive::step(name, by, time) };
    let mut moves = vec![
        step("forward", (1, 0), 20, When::Straight),
        step("forward", (1, -1), diagonal(20), When::Diagonal),
        step("reverse", (-1, 0), 60, When::Straight),
        step("reverse", (-1, 1), diagonal(60), When::Diagonal),
        step("slide left", (0, -1), 50, When::Straight),
        step("slide right", (0, 1), 50, When::Straight),
        step("dash", (2, 0), 35, When::Straight),
        step("dash", (2, -2), diagonal(35), When::Diagonal),
        Primitive::turn("left", 1, 10),
        Primitive::turn("right", -1, 10),
        Primitive::turn("quarter", 2, 18),
        Primitive::turn("about", 4, 30),
    ];
    for (name, turn) in [("arc left", 1), ("arc right", -1)] {
        moves.push(Primitive { turn, ..step(name, (1, 0), 25, When::Straight) });
        moves.push(Primitive { turn, ..step(name, (1, -1), diagonal(25), When::Diagonal) });
    }
    let mut spec = ClassSpec::new("general", 8);
    spec.footprint = vec![(0, 0), (-1, 0)];
    spec.climb = Climb { up: 100, down: 50, ..Climb::default() };
    spec.primitives = moves;
    class(spec)
}

fn class(spec: ClassSpec) -> MovementClass {
    let name = spec.name.clone();
    MovementClass::new(spec).unwrap_or_else(|error| panic!("class {name}: {error}"))
}
