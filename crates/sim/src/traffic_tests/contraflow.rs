//! Contraflow held against counts of all cells that fade tick by tick.

use super::scenes::{self, built, scene};
use crate::World;
use proptest::prelude::*;
use wheelbase_grid::{Cell, CellXY, GridShape};
use wheelbase_planner::model::{Frame, Offset};
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::cooperative::contraflow::*;
use wheelbase_traffic::cooperative::transition_at;
use wheelbase_traffic::flow::{BODY, DirectionalFlow};
use wheelbase_traffic::random::Random;

/// Ways of a map of hexagons; of squares there are fewer.
const WAYS_MAX: usize = 6;

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
    (0..along.len())
        .filter(|&direction| along[direction] > most - 1e-9)
        .map(|direction| direction as u8)
        .collect()
}

/// Counts of every cell by way, which fade by a twelfth every 64 ticks.
struct Plain {
    width: usize,
    counts: Vec<[u32; WAYS_MAX]>,
    tick: u32,
}

impl Plain {
    fn to(&mut self, tick: u32) {
        while self.tick < tick {
            self.tick += 1;
            for (cell, counts) in self.counts.iter_mut().enumerate() {
                if (cell / self.width) as u32 % 64 == self.tick % 64 {
                    counts.iter_mut().for_each(|count| *count -= count.div_ceil(12));
                }
            }
        }
    }
}

/// The way of a move, found again: the one that it is not held against.
fn direction(contraflow: &Contraflow, class: usize, frame: Frame, primitive: usize) -> u8 {
    contraflow.probes[class].at(frame, primitive).direction
}

fn check(world: &World, random: &mut Random) -> Result<(), TestCaseError> {
    let (size, shape) = (world.grid().size(), world.grid().shape());
    let contraflow = Contraflow::new(world.tables().iter(), TrafficParams::USUAL);
    let mut flow = DirectionalFlow::new(size, shape);
    let width = size.width() as usize;
    let mut plain = Plain { width, counts: vec![[0; WAYS_MAX]; size.n_cells()], tick: 0 };
    let n_ways = shape.sides().len() as u8;
    let mut tick = 0;
    for round in 0..200 {
        let before = tick;
        tick += random.below(if round % 50 == 0 { 3000 } else { 20 }) as u32;
        (before + 1..=tick).for_each(|tick| flow.fade(tick));
        plain.to(tick);
        let class = random.below(world.classes().len());
        let tables = &world.tables()[class];
        let Some(state) = scenes::any_state(world, class, random) else { return Ok(()) };
        let pose = tables.space().pose(state);
        let mut steps = Vec::new();
        tables.for_each_successor(state, |next| steps.push(next));
        for next in &steps {
            let primitive = usize::from(next.primitive);
            let frame = tables.space().frame(pose);
            let of_move = tables.class().shape(frame, primitive);
            let directions = ways_by_angle(shape, shape.parity(pose.cell.y), of_move.step);
            let found = direction(&contraflow, class, frame, primitive);
            let right = if directions.is_empty() { found == STAYS } else { directions.contains(&found) };
            prop_assert!(right, "{} of {:?}", found, directions);
            let extra = contraflow.extra(&flow, class, state, primitive, next.ticks);
            if directions.is_empty() {
                prop_assert_eq!(extra, 0);
                continue;
            }
            let (mut with, mut against) = (0, 0);
            let after = CellXY::new(pose.cell.x + of_move.step.dx, pose.cell.y + of_move.step.dy);
            for offset in contraflow.probes[class].at(frame, primitive).cells {
                let Some(anchor) = size.cell(pose.cell) else { continue };
                let cell = anchor.0.wrapping_add_signed(offset);
                // It ends on all of them but for the anchor, which may lie beside the body.
                let xy = size.xy(Cell(cell));
                prop_assert!(
                    xy == after || scenes::cells(transition_at(tables, pose, primitive).end()).contains(&xy)
                );
                let counts = plain.counts[cell as usize];
                with += counts[usize::from(found)];
                against += counts[usize::from((found + n_ways / 2) % n_ways)];
            }
            let share = TrafficParams::USUAL.contraflow_weight * against.saturating_sub(with)
                / (with + against + TrafficParams::USUAL.contraflow_still);
            prop_assert_eq!(extra, u64::from(next.ticks * share / 4));
        }
        let Some(next) = (!steps.is_empty()).then(|| steps[random.below(steps.len())]) else { continue };
        let primitive = usize::from(next.primitive);
        let found = direction(&contraflow, class, tables.space().frame(pose), primitive);
        let step = transition_at(tables, pose, primitive);
        flow.count(pose.cell, step.end().0, scenes::cells(step.end()).into_iter());
        if found != STAYS {
            for cell in scenes::cells(step.end()) {
                let at = size.cell(cell).map_or(0, |cell| cell.0 as usize);
                let count = &mut plain.counts[at][usize::from(found)];
                *count = (*count + u32::from(BODY)).min(255);
            }
        }
        for (cell, counts) in plain.counts.iter().enumerate() {
            for (direction, &count) in counts[..usize::from(n_ways)].iter().enumerate() {
                prop_assert_eq!(flow.at(cell, direction), count);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_fade_and_make_moves_dearer(text in scene(5), seed in any::<u64>()) {
        let Some(world) = built(&text) else { return Ok(()) };
        check(&world, &mut Random::new(seed))?;
    }
}

/// A queue that goes north-east makes the way back dearer than the way along it, on hexagons as on squares.
#[test]
fn the_way_back_is_dearer_on_hexagons() {
    let text = "name = \"hex\"\nticks = 9\n[map]\nshape = \"hex\"\nrows = [\".....\", \".....\", \".....\", \".....\"]\n\
        [class.a]\nheadings = 6\nmoves = [{ name = \"ahead\", by = [1, 0], time = 4 }]\n";
    let world = built(text).unwrap();
    let tables = &world.tables()[0];
    let contraflow = Contraflow::new([tables].into_iter(), TrafficParams::USUAL);
    let mut flow = DirectionalFlow::new(world.grid().size(), world.grid().shape());
    let at = |x, y, heading| wheelbase_planner::Pose::new(x, y, wheelbase_planner::Heading(heading));
    let state = |pose| tables.space().state(pose).unwrap();
    // (1, 3) to (2, 2) and on to (2, 1).
    for _ in 0..8 {
        for (from, to) in [((1, 3), (2, 2)), ((2, 2), (2, 1))] {
            let (from, to) = (CellXY::new(from.0, from.1), CellXY::new(to.0, to.1));
            flow.count(from, to, std::iter::once(to));
        }
    }
    let extra = |pose| contraflow.extra(&flow, 0, state(pose), 0, 4);
    // Back to where they came through, along with them, and across.
    assert!(extra(at(2, 1, 4)) > 0);
    assert_eq!([0, 1, 2, 3, 5].map(|heading| extra(at(2, 1, heading))), [0; 5]);
}
