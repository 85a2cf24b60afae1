//! Streams held against counts of all cells that are halved tick by tick.

use super::super::scenes::{self, built, world};
use super::*;
use crate::Simulation;
use crate::random::Random;
use proptest::prelude::*;
use wheelbase_grid::{Cell, CellXY, Side};

/// The side that a displacement leads to: nearest by angle, by floating point; of two as near any.
fn ways_by_angle(shape: GridShape, parity: u8, step: Offset) -> Vec<u8> {
    let plane = |dx: i32, dy: i32| -> (f64, f64) {
        match shape {
            GridShape::Square => (f64::from(dx), f64::from(dy)),
            GridShape::Hex => {
                let shift = |y: i32| f64::from(y & 1) / 2.0;
                let row = i32::from(parity);
                (f64::from(dx) + shift(row + dy) - shift(row), f64::from(dy) * 0.75_f64.sqrt())
            }
        }
    };
    if step == Offset::new(0, 0) {
        return Vec::new();
    }
    let (x, y) = plane(step.dx, step.dy);
    let along: Vec<f64> = shape
        .sides()
        .iter()
        .map(|&side| {
            let (dx, dy) = shape.step(side, parity);
            let (u, v) = plane(dx, dy);
            x * u + y * v
        })
        .collect();
    let most = along.iter().copied().fold(f64::MIN, f64::max);
    (0..along.len()).filter(|&way| along[way] > most - 1e-9).map(|way| way as u8).collect()
}

/// Counts of every cell by way, halved at each half-life.
struct Plain {
    counts: Vec<[u32; WAYS_MAX]>,
    tick: u32,
}

impl Plain {
    fn to(&mut self, tick: u32) {
        while self.tick < tick {
            self.tick += 1;
            if self.tick.is_multiple_of(HALF_LIFE_TICKS) {
                self.counts.iter_mut().flatten().for_each(|count| *count /= 2);
            }
        }
    }
}

/// The way of a move, found again from the streams: the one that it is not held against.
fn way(streams: &Streams, class: usize, frame: Frame, primitive: usize) -> u8 {
    streams.probes[class].at(frame, primitive).way
}

fn check(sim: &Simulation, random: &mut Random) -> Result<(), TestCaseError> {
    let (size, shape) = (sim.grid().size(), sim.grid().shape());
    let mut streams = Streams::new(size, sim.classes().iter().map(|class| &class.tables));
    let mut plain = Plain { counts: vec![[0; WAYS_MAX]; size.n_cells()], tick: 0 };
    let n_ways = shape.sides().len() as u8;
    let mut tick = 0;
    for round in 0..200 {
        tick += random.below(if round % 50 == 0 { 3000 } else { 20 }) as u32;
        plain.to(tick);
        let class = random.below(sim.classes().len());
        let tables = &sim.classes()[class].tables;
        let Some(state) = scenes::any_state(sim, class, random) else { return Ok(()) };
        let pose = tables.space().pose(state);
        let mut steps = Vec::new();
        tables.for_each_successor(state, |next| steps.push(next));
        for next in &steps {
            let primitive = usize::from(next.primitive);
            let frame = tables.space().frame(pose);
            let of_move = tables.class().shape(frame, primitive);
            let ways = ways_by_angle(shape, shape.parity(pose.cell.y), of_move.step);
            let found = way(&streams, class, frame, primitive);
            let right = if ways.is_empty() { found == STAYS } else { ways.contains(&found) };
            prop_assert!(right, "{} of {:?}", found, ways);
            let extra = streams.extra(class, state, primitive, next.ticks, tick);
            if ways.is_empty() {
                prop_assert_eq!(extra, 0);
                continue;
            }
            let (mut with, mut against) = (0, 0);
            let after = CellXY::new(pose.cell.x + of_move.step.dx, pose.cell.y + of_move.step.dy);
            for offset in streams.probes[class].at(frame, primitive).cells {
                let Some(anchor) = size.cell(pose.cell) else { continue };
                let cell = anchor.0.wrapping_add_signed(offset);
                // It ends on all of them but for the anchor, which may lie beside the body.
                let xy = size.xy(Cell(cell));
                prop_assert!(
                    xy == after || scenes::cells(step_at(tables, pose, primitive).end()).contains(&xy)
                );
                let counts = plain.counts[cell as usize];
                with += counts[usize::from(found)];
                against += counts[usize::from((found + n_ways / 2) % n_ways)];
            }
            let share = WEIGHT_QUARTERS * against.saturating_sub(with) / (with + against + STILL);
            prop_assert_eq!(extra, u64::from(next.ticks * share / 4));
        }
        let Some(next) = (!steps.is_empty()).then(|| steps[random.below(steps.len())]) else { continue };
        let primitive = usize::from(next.primitive);
        let found = way(&streams, class, tables.space().frame(pose), primitive);
        streams.count((class, tables), state, primitive, tick);
        if found != STAYS {
            let step = step_at(tables, pose, primitive);
            for cell in scenes::cells(step.end()) {
                let at = size.cell(cell).map_or(0, |cell| cell.0 as usize);
                plain.counts[at][usize::from(found)] += u32::from(MOVE);
            }
        }
        for (cell, counts) in plain.counts.iter().enumerate() {
            let counted = &streams.counted[cell];
            prop_assert_eq!(std::array::from_fn(|way| now(counted, way as u8, tick)), *counts);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_fade_and_make_moves_dearer(text in world(5), seed in any::<u64>()) {
        let Some(sim) = built(&text) else { return Ok(()) };
        check(&sim, &mut Random::new(seed))?;
    }
}

/// One step to each side is a way of its own, and its opposite the one that leads back, from even and odd rows.
#[test]
fn each_side_is_a_way() {
    for shape in [GridShape::Square, GridShape::Hex] {
        for (number, &side) in shape.sides().iter().enumerate() {
            for parity in 0..shape.n_parities() {
                let (dx, dy) = shape.step(side, parity);
                let found = axis_and_way(shape, vector(shape, parity, Offset::new(dx, dy)));
                assert_eq!(found.map(|(_, way)| usize::from(way)), Some(number), "{shape:?} {side:?}");
            }
        }
    }
    // Two rows down a hexagonal map lies as near to both sides; and from there up to the opposite ones.
    let south = axis_and_way(GridShape::Hex, vector(GridShape::Hex, 0, Offset::new(0, 2)));
    let north = axis_and_way(GridShape::Hex, vector(GridShape::Hex, 0, Offset::new(0, -2)));
    assert_eq!((south, north), (Some((1, 4)), Some((1, 1))));
    let sides = GridShape::Hex.sides();
    assert_eq!((sides[4], sides[1]), (Side::SouthWest, Side::NorthEast));
}

/// A queue that goes north-east makes the way back dearer than the way along it, on hexagons as on squares.
#[test]
fn the_way_back_is_dearer_on_hexagons() {
    let text = "name = \"hex\"\nticks = 9\n[map]\nshape = \"hex\"\nrows = [\".....\", \".....\", \".....\", \".....\"]\n\
        [class.a]\nheadings = 6\nmoves = [{ name = \"ahead\", by = [1, 0], time = 4 }]\n";
    let sim = built(text).unwrap();
    let tables = &sim.classes()[0].tables;
    let mut streams = Streams::new(sim.grid().size(), [tables].into_iter());
    let at = |x, y, heading| wheelbase_planner::Pose::new(x, y, wheelbase_planner::Heading(heading));
    let state = |pose| tables.space().state(pose).unwrap();
    // (1, 3) to (2, 2) and on to (2, 1).
    for _ in 0..8 {
        streams.count((0, tables), state(at(1, 3, 1)), 0, 5);
        streams.count((0, tables), state(at(2, 2, 1)), 0, 5);
    }
    let extra = |pose| streams.extra(0, state(pose), 0, 4, 5);
    // Back to where they came through, along with them, and across.
    assert!(extra(at(2, 1, 4)) > 0);
    assert_eq!([0, 1, 2, 3, 5].map(|heading| extra(at(2, 1, heading))), [0; 5]);
}
