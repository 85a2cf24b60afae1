//! The cells that moves sweep, compared with a slow reading of docs/rules.md 2.3 that shares no code with the planner.
//!
//! The reference samples angles densely and refines the best one; where a square only grazes a cell, it says so and
//! either answer is accepted. Displacements it decides exactly, by fractions.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::{FRAC_PI_2, TAU};
use wheelbase_planner::model::{Frame, Pivot, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive, When};

type Cell = (i32, i32);

/// Overlaps deeper or shallower than this are certain.
const CERTAIN: f64 = 1e-6;
const SAMPLES_PER_QUARTER: u32 = 90;

/// Depth by which the unit square centred at `(u, v)`, turned about the origin by `angle`, overlaps that at `(p, q)`;
/// negative if they are apart. y points up. The separating axes belong to both squares.
fn depth((u, v): (f64, f64), (p, q): (f64, f64), angle: f64) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let (dx, dy) = (u * cos - v * sin - p, u * sin + v * cos - q);
    let half = 0.5 + (sin.abs() + cos.abs()) / 2.0;
    let own = (dx * cos + dy * sin, dy * cos - dx * sin);
    let far = [dx, dy, own.0, own.1].into_iter().map(f64::abs).fold(0.0, f64::max);
    half - far
}

/// The greatest depth over the angles of a turn.
fn deepest(square: (f64, f64), cell: (f64, f64), low: f64, high: f64) -> f64 {
    let n = ((high - low) / FRAC_PI_2 * f64::from(SAMPLES_PER_QUARTER)).ceil().max(1.0);
    let at = |k: f64| low + (high - low) * (k / n).clamp(0.0, 1.0);
    let mut best = (f64::NEG_INFINITY, 0.0);
    for k in 0..=n as u32 {
        let found = depth(square, cell, at(f64::from(k)));
        best = if found > best.0 { (found, f64::from(k)) } else { best };
    }
    // Depth is a minimum of waves, so near its best sample it has one crest.
    let (mut from, mut to) = (best.1 - 1.0, best.1 + 1.0);
    for _ in 0..60 {
        let (a, b) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
        let (at_a, at_b) = (depth(square, cell, at(a)), depth(square, cell, at(b)));
        best.0 = best.0.max(at_a).max(at_b);
        if at_a < at_b { from = a } else { to = b }
    }
    best.0
}

/// The offset `(forward, right)` in map axes after quarter turns counter-clockwise.
fn quarter_turned((f, r): Cell, quarters: u8) -> Cell {
    (0..quarters % 4).fold((f, r), |(x, y), _| (y, -x))
}

/// The cells that a square at the origin touches on a straight way, and no others.
fn on_the_way((dx, dy): Cell) -> Vec<Cell> {
    let mut found = Vec::new();
    for x in dx.min(0) - 1..=dx.max(0) + 1 {
        for y in dy.min(0) - 1..=dy.max(0) + 1 {
            // Open interval of the part of the way, in units of 1 / (|dx| |dy|), in which the squares overlap on an
            // axis.
            let scale = i64::from(dx.abs().max(1)) * i64::from(dy.abs().max(1));
            let within = |d: i32, at: i32| -> Option<(i64, i64)> {
                if d == 0 {
                    return (at == 0).then_some((-scale, 2 * scale));
                }
                let unit = scale / i64::from(d.abs());
                let (a, b) = (i64::from(at - 1) * unit, i64::from(at + 1) * unit);
                Some(if d > 0 { (a, b) } else { (-b, -a) })
            };
            let (Some((a, b)), Some((c, d))) = (within(dx, x), within(dy, y)) else { continue };
            let (low, high) = (a.max(c), b.min(d));
            // Open intervals, against the closed one of the whole way.
            if low < high && low < scale && high > 0 {
                found.push((x, y));
            }
        }
    }
    found
}

fn moved(cells: &BTreeSet<Cell>, (dx, dy): Cell) -> BTreeSet<Cell> {
    cells.iter().map(|&(x, y)| (x + dx, y + dy)).collect()
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Cells that the move certainly sweeps, and cells that it may sweep besides, because the body grazes them.
struct Expected {
    certain: BTreeSet<Cell>,
    possible: BTreeSet<Cell>,
}

struct Body<'a> {
    spec: &'a ClassSpec,
    /// The cells at each heading, from the class: footprints have separate tests.
    at: Vec<BTreeSet<Cell>>,
}

impl Body<'_> {
    fn in_frame(&self, offset: Cell, heading: u8) -> Cell {
        let headings = self.spec.headings;
        quarter_turned(offset, if headings < 4 { 0 } else { heading / (headings / 4) })
    }

    /// A turn in place, with the rule that the body covering the same cells at all headings is round.
    fn turn(&self, heading: u8, turn: i32) -> Expected {
        let headings = i32::from(self.spec.headings);
        let start = &self.at[heading as usize];
        let passed = (0..=turn.abs()).map(|k| (i32::from(heading) + k * turn.signum()).rem_euclid(headings));
        if passed.map(|heading| &self.at[heading as usize]).all(|cells| cells == start) {
            return Expected { certain: start.clone(), possible: BTreeSet::new() };
        }
        let step = TAU / f64::from(headings);
        let ends = [f64::from(heading) * step, (f64::from(heading) + f64::from(turn)) * step];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let pivot = (f64::from(self.spec.pivot.forward) / 2.0, f64::from(self.spec.pivot.right) / 2.0);
        let from_pivot = |&(x, y): &Cell| (f64::from(x) - pivot.0, pivot.1 - f64::from(y));
        let reach = |&(x, y): &(f64, f64)| x.hypot(y) + 1.5;
        let squares: Vec<(f64, f64)> = self.spec.footprint.iter().map(from_pivot).collect();
        let far = squares.iter().map(reach).fold(0.0, f64::max);
        let range = |middle: f64| (middle - far).floor() as i32..=(middle + far).ceil() as i32;
        let (mut certain, mut possible) = (BTreeSet::new(), BTreeSet::new());
        for cell in range(pivot.1).flat_map(|y| range(pivot.0).map(move |x| (x, y))) {
            let depths = squares.iter().map(|&square| deepest(square, from_pivot(&cell), low, high));
            let depth = depths.fold(f64::NEG_INFINITY, f64::max);
            if depth > CERTAIN {
                certain.insert(cell);
            } else if depth > -CERTAIN {
                possible.insert(cell);
            }
        }
        Expected { certain, possible }
    }

    fn swept(&self, primitive: &Primitive, heading: u8) -> Expected {
        let by = self.in_frame(primitive.by, heading);
        let after = (i32::from(heading) + primitive.turn).rem_euclid(i32::from(self.spec.headings)) as usize;
        let start = &self.at[heading as usize];
        let mut certain: BTreeSet<Cell> = start | &moved(&self.at[after], by);
        certain.extend(primitive.swept.iter().flatten().map(|&offset| self.in_frame(offset, heading)));
        let Sweep { moves, turns } = self.spec.sweep;
        let (full_moves, full_turns) = (moves == SweepRule::Full, turns == SweepRule::Full);
        let mut possible = BTreeSet::new();
        let steps = gcd(primitive.by.0, primitive.by.1);
        match (primitive.by != (0, 0), primitive.turn != 0) {
            (true, false) if full_moves => {
                certain.extend(on_the_way(by).into_iter().flat_map(|near| moved(start, near)));
            }
            (false, true) if full_turns => {
                let turned = self.turn(heading, primitive.turn);
                certain.extend(turned.certain);
                possible = turned.possible;
            }
            (moves, turns) => {
                if moves && turns && primitive.swept.is_none() && (full_moves || full_turns) {
                    let turned = self.turn(heading, primitive.turn);
                    for near in on_the_way(by) {
                        certain.extend(moved(&turned.certain, near));
                        possible.extend(moved(&turned.possible, near));
                    }
                }
                for step in 1..steps {
                    certain.extend(moved(start, (by.0 / steps * step, by.1 / steps * step)));
                }
            }
        }
        Expected { certain, possible }
    }
}

fn assert_equals_reference(spec: ClassSpec) {
    let Ok(class) = MovementClass::new(spec) else { return };
    let cells_of = |offsets: &[wheelbase_planner::model::Offset]| -> BTreeSet<Cell> {
        offsets.iter().map(|o| (o.dx, o.dy)).collect()
    };
    let headings = class.headings();
    let at = (0..headings).map(|heading| cells_of(class.footprint().at(Frame(heading)))).collect();
    let body = Body { spec: class.spec(), at };
    for (heading, (number, primitive)) in
        (0..headings).flat_map(|heading| class.primitives().iter().enumerate().map(move |one| (heading, one)))
    {
        let shape = class.shape(Frame(heading), number);
        if !shape.applies {
            continue;
        }
        let found = cells_of(&shape.swept);
        let Expected { certain, possible } = body.swept(primitive, heading);
        let missing: Vec<_> = certain.difference(&found).collect();
        assert!(missing.is_empty(), "{:?} at {heading}: lacks {missing:?}", class.spec());
        let extra: Vec<_> = found.difference(&certain).filter(|cell| !possible.contains(cell)).collect();
        assert!(extra.is_empty(), "{:?} at {heading}: has {extra:?}", class.spec());
        assert!(found.len() == shape.swept.len() && shape.swept.is_sorted());
    }
}

fn rule() -> impl Strategy<Value = SweepRule> {
    prop_oneof![3 => Just(SweepRule::Full), 1 => Just(SweepRule::Ends)]
}

fn spec() -> impl Strategy<Value = ClassSpec> {
    let block = (1_i32..4, 1_i32..4, -1_i32..3, -1_i32..3).prop_map(|(length, width, f0, r0)| {
        (0..length).flat_map(|f| (0..width).map(move |r| (f - f0, r - r0))).collect::<Vec<Cell>>()
    });
    let loose =
        prop::collection::btree_set((-2_i32..3, -2_i32..3), 1..5).prop_map(|s| s.into_iter().collect());
    // The point about which the body covers the same cells at all headings, or any.
    let pivot = (any::<bool>(), -2_i32..3, -2_i32..3, any::<bool>());
    let primitive = (
        (-3_i32..4, -3_i32..4),
        -7_i32..8,
        prop::option::of(prop::collection::vec((-1_i32..2, -1_i32..2), 0..3)),
        any::<bool>(),
    );
    let primitives = prop::collection::vec(primitive, 1..4);
    let headings = prop::sample::select(&[1_u8, 4, 4, 8]);
    (headings, prop_oneof![3 => block, 1 => loose], pivot, (rule(), rule()), primitives).prop_map(
        |(headings, footprint, (centred, f, r, half), (moves, turns), primitives)| {
            let mut spec = ClassSpec::new("body", headings);
            let span = |of: &dyn Fn(&Cell) -> i32| {
                let low = footprint.iter().map(of).min().unwrap_or(0);
                low + footprint.iter().map(of).max().unwrap_or(0)
            };
            let centre = Pivot { forward: span(&|cell| cell.0), right: span(&|cell| cell.1) };
            let half = i32::from(half);
            spec.pivot = match centred && (centre.forward - centre.right) % 2 == 0 {
                true => centre,
                false => Pivot { forward: 2 * f + half, right: 2 * r + half },
            };
            spec.footprint = footprint;
            spec.sweep = Sweep { moves, turns };
            for (number, (by, turn, swept, straight)) in primitives.into_iter().enumerate() {
                let turn = turn % i32::from(headings);
                let by = if (by, turn) == ((0, 0), 0) { (1, 0) } else { by };
                let framed = headings == 8 && (by != (0, 0) || swept.is_some());
                let when = match (framed, straight) {
                    (false, _) => When::Any,
                    (true, true) => When::Straight,
                    (true, false) => When::Diagonal,
                };
                let time = 1;
                spec.primitives.push(Primitive { name: format!("m{number}"), by, turn, time, swept, when });
            }
            spec
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]
    #[test]
    fn all_moves_sweep_what_the_rules_say(spec in spec()) {
        assert_equals_reference(spec);
    }
}

fn swept(spec: &ClassSpec, primitive: Primitive) -> Vec<Cell> {
    let spec = ClassSpec { primitives: vec![primitive], ..spec.clone() };
    let class = MovementClass::new(spec).unwrap();
    class.shape(Frame(0), 0).swept.iter().map(|o| (o.dx, o.dy)).collect()
}

#[test]
fn round_bodies_turn_within_their_cells() {
    let left = || Primitive::turn("left", 1, 1);
    for headings in [4, 8] {
        let mut spec = ClassSpec::new("body", headings);
        assert_eq!(swept(&spec, left()), [(0, 0)]);
        spec.footprint = vec![(0, 0), (-1, 0), (0, 1), (-1, 1)];
        spec.pivot = Pivot { forward: -1, right: 1 };
        assert_eq!(swept(&spec, left()).len(), 4);
        // About its anchor it swings.
        spec.pivot = Pivot::default();
        assert!(swept(&spec, left()).len() > 6);
        spec.footprint = (-1..2).flat_map(|f| (-1..2).map(move |r| (f, r))).collect();
        assert_eq!(swept(&spec, left()).len(), 9);
        // A body that is not square: a turn by a half ends on the same cells, but it passes others.
        spec.footprint = vec![(-1, 0), (0, 0), (1, 0)];
        assert_eq!(swept(&spec, Primitive::turn("half", i32::from(headings) / 2, 1)).len(), 13);
    }
    // Further cells are swept all the same.
    let spec = ClassSpec::new("body", 4);
    assert_eq!(swept(&spec, Primitive { swept: Some(vec![(1, 0)]), ..left() }), [(0, 0), (1, 0)]);
}

#[test]
fn an_arc_without_a_list_sweeps_all_angles_along_its_way() {
    let arc = |swept| Primitive { turn: 1, swept, ..Primitive::step("arc", (1, 1), 1) };
    // A single cell is round: the arc sweeps what a diagonal step sweeps.
    let one = ClassSpec::new("one", 4);
    assert_eq!(swept(&one, arc(None)), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    let mut truck = ClassSpec::new("truck", 4);
    truck.footprint = vec![(0, 0), (-1, 0)];
    let turned = swept(&truck, Primitive::turn("left", 1, 1));
    let all = swept(&truck, arc(None));
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        assert!(turned.iter().all(|(x, y)| all.contains(&(x + dx, y + dy))));
    }
    // A list, even an empty one, replaces it by the footprints at both ends.
    assert_eq!(swept(&truck, arc(Some(Vec::new()))), [(-1, 0), (0, 0), (1, 1), (1, 2)]);
    let ends = ClassSpec { sweep: Sweep::both(SweepRule::Ends), ..truck.clone() };
    assert_eq!(swept(&ends, arc(None)), [(-1, 0), (0, 0), (1, 1), (1, 2)]);
    // One rule is enough.
    for sweep in [
        Sweep { moves: SweepRule::Full, turns: SweepRule::Ends },
        Sweep { moves: SweepRule::Ends, turns: SweepRule::Full },
    ] {
        assert_eq!(swept(&ClassSpec { sweep, ..truck.clone() }, arc(None)), all);
    }
}

#[test]
fn a_long_arc_of_a_large_body_is_bounded() {
    let mut spec = ClassSpec::new("block", 4);
    spec.footprint = (0..32).flat_map(|f| (0..32).map(move |r| (f, r))).collect();
    let arc = |by| Primitive { turn: 1, ..Primitive::step("arc", by, 1) };
    assert!(swept(&spec, arc((255, 255))).len() > 20_000);
    spec.footprint = vec![(0, 0), (50_000, 0)];
    spec.primitives = vec![arc((255, 255))];
    let refused = MovementClass::new(spec).unwrap_err();
    assert!(refused.to_string().contains("move \"arc\""), "{refused}");
}

#[test]
fn the_default_is_full_on_square_maps_and_ends_on_hexagonal_maps() {
    assert_eq!(ClassSpec::new("one", 4).sweep, Sweep::both(SweepRule::Full));
    assert_eq!(ClassSpec::hexagonal("one", 6).sweep, Sweep::both(SweepRule::Ends));
}
