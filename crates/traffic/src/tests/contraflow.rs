//! Contraflow held against counts of all cells that fade tick by tick.

use super::ground::{Ground, ground};
use super::walks::cells;
use crate::cooperative::contraflow::*;
use crate::cooperative::moves::transition_at;
use crate::flow::DirectionalFlow;
use crate::params::TrafficParams;
use crate::random::Random;
use proptest::prelude::*;
use wheelbase_grid::{Cell, CellXY, GridShape};
use wheelbase_planner::model::{Frame, Offset};
use wheelbase_planner::{ClassSpec, Heading, Pose, Primitive};

/// Directions of a map of hexagons; of squares there are fewer.
const DIRECTIONS_MAX: usize = 6;

/// The sides nearest to a displacement by angle, in floating point.
fn directions_by_angle(shape: GridShape, parity: u8, step: Offset) -> Vec<u8> {
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

/// Counts of every cell by direction, which fade by a twelfth every 64 ticks.
struct Plain {
    width: usize,
    counts: Vec<[u32; DIRECTIONS_MAX]>,
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

/// The direction of a move, as it was compiled.
fn direction(contraflow: &Contraflow, class: usize, frame: Frame, primitive: usize) -> u8 {
    contraflow.probes[class].at(frame, primitive).direction
}

fn check(ground: &Ground, random: &mut Random) -> Result<(), TestCaseError> {
    let (size, shape) = (ground.grid.size(), ground.grid.shape());
    let contraflow = Contraflow::new(ground.tables.iter(), TrafficParams::USUAL);
    let mut flow = DirectionalFlow::new(size, shape, TrafficParams::USUAL);
    let width = size.width() as usize;
    let mut plain = Plain { width, counts: vec![[0; DIRECTIONS_MAX]; size.n_cells()], tick: 0 };
    let n_directions = shape.sides().len() as u8;
    let mut tick = 0;
    for round in 0..200 {
        let before = tick;
        tick += random.below(if round % 50 == 0 { 3000 } else { 20 }) as u32;
        (before + 1..=tick).for_each(|tick| flow.fade(tick));
        plain.to(tick);
        let class = random.below(ground.tables.len());
        let tables = &ground.tables[class];
        let Some(state) = ground.any_state(class, random) else { return Ok(()) };
        let pose = tables.space().pose(state);
        let mut steps = Vec::new();
        tables.for_each_successor(state, |next| steps.push(next));
        for next in &steps {
            let primitive = usize::from(next.primitive);
            let frame = tables.space().frame(pose);
            let of_move = tables.class().shape(frame, primitive);
            let directions = directions_by_angle(shape, shape.parity(pose.cell.y), of_move.step);
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
                    xy == after || cells(transition_at(tables, pose, primitive).end()).contains(&xy)
                );
                let counts = plain.counts[cell as usize];
                with += counts[usize::from(found)];
                against += counts[usize::from((found + n_directions / 2) % n_directions)];
            }
            let share = TrafficParams::USUAL.contraflow_weight * against.saturating_sub(with)
                / (with + against + TrafficParams::USUAL.contraflow_still);
            prop_assert_eq!(extra, u64::from(next.ticks * share / 4));
        }
        let Some(next) = (!steps.is_empty()).then(|| steps[random.below(steps.len())]) else { continue };
        let primitive = usize::from(next.primitive);
        let found = direction(&contraflow, class, tables.space().frame(pose), primitive);
        let step = transition_at(tables, pose, primitive);
        flow.count(pose.cell, step.end().0, cells(step.end()).into_iter());
        if found != STAYS {
            for cell in cells(step.end()) {
                let at = size.cell(cell).map_or(0, |cell| cell.0 as usize);
                let count = &mut plain.counts[at][usize::from(found)];
                *count = (*count + TrafficParams::USUAL.flow_body).min(255);
            }
        }
        for (cell, counts) in plain.counts.iter().enumerate() {
            for (direction, &count) in counts[..usize::from(n_directions)].iter().enumerate() {
                prop_assert_eq!(flow.at(cell, direction), count);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(100), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_fade_and_make_moves_dearer(ground in ground(5), seed in any::<u64>()) {
        let Some(ground) = ground else { return Ok(()) };
        check(&ground, &mut Random::new(seed))?;
    }
}

/// A queue to the north-east makes moves back dearer and moves along it not, on hexagons as on squares.
#[test]
fn moves_against_a_flow_are_dearer_on_hexagons() {
    let mut spec = ClassSpec::hexagonal("a", 6);
    spec.primitives = vec![Primitive::step("ahead", (1, 0), 4)];
    let ground = Ground::new(GridShape::Hex, &["....."; 4], &[spec]).unwrap();
    let tables = &ground.tables[0];
    let contraflow = Contraflow::new([tables].into_iter(), TrafficParams::USUAL);
    let mut flow = DirectionalFlow::new(ground.grid.size(), GridShape::Hex, TrafficParams::USUAL);
    let at = |x, y, heading| Pose::new(x, y, Heading(heading));
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
