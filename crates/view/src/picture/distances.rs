//! Distances from a pose as a picture: darker with distance, with contour lines.

use crate::colours::mixed;
use crate::picture::bodies::{BodyShape, disc};
use crate::picture::drawing::{Cells, Item, Paint, Picture, Shape};
use crate::picture::ground;
use crate::picture::view::View;
use crate::round_numbers::least_round;
use wheelbase_grid::{CellXY, Grid, Rgb};
use wheelbase_planner::{Distances, GoalMember, MovementTables, Pose};

/// Colours from near to far.
const RAMP: [Rgb; 6] =
    [[253, 231, 37], [122, 209, 81], [34, 168, 132], [42, 120, 142], [65, 68, 135], [68, 1, 84]];
/// Opacity of the colours, of 255: some terrain shows through.
const OPACITY: u8 = 200;
/// Cells out of reach.
const OUT_OF_REACH: Paint = Paint::new([0; 3], 110);
const CONTOUR: Paint = Paint::new([0; 3], 200);
const TARGET: Paint = Paint::solid([255; 3]);

/// Most contour lines.
const CONTOURS_MAX: u32 = 12;

/// A distance query and its result.
pub struct DistanceQuery<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// Movement tables of the class on this map.
    pub tables: &'a MovementTables,
    /// The pose from which distances are measured.
    pub start: Pose,
    /// Targets to mark.
    pub targets: &'a [GoalMember],
    /// The settled distances.
    pub distances: &'a Distances,
    /// Greatest distance shown, in ticks.
    pub within: Option<u32>,
}

/// A picture of distances, and the spacing of its contour lines in ticks.
pub fn picture(view: View, query: &DistanceQuery<'_>) -> (Picture, u32) {
    let DistanceQuery { grid, tables, start, targets, distances, within } = *query;
    let size = grid.size();
    // The least over all headings of each cell.
    let mut costs: Vec<Option<u32>> = vec![None; size.n_cells()];
    let mut farthest = 0;
    let settled = distances.field().settled();
    for (pose, cost) in settled.filter(|(_, cost)| within.is_none_or(|within| *cost <= within)) {
        let Some(cell) = size.cell(pose.cell) else { continue };
        let least = &mut costs[cell.0 as usize];
        *least = Some(least.map_or(cost, |least| least.min(cost)));
        farthest = farthest.max(cost);
    }
    let cost = |cell: CellXY| size.cell(cell).and_then(|cell| costs[cell.0 as usize]);
    let step = spacing(farthest);
    let paint = |cell| cost(cell).map_or(OUT_OF_REACH, |cost| Paint::new(colour(cost, farthest), OPACITY));
    let mut items = ground::of_grid(&view, grid);
    items.push(Item::Cells(Cells::of(&view, paint)));
    // Contours run between neighbouring cells on either side of a multiple of the step.
    let mut lines = Vec::new();
    for cell in view.area.cells() {
        let Some(here) = cost(cell) else { continue };
        for (number, _, next) in view.lattice.neighbours(cell) {
            let later = (next.y, next.x) > (cell.y, cell.x);
            if later && cost(next).is_some_and(|there| there / step != here / step) {
                lines.push(view.lattice.side(cell, number).map(|corner| view.lattice.point(corner)).to_vec());
            }
        }
    }
    items.push(Shape::lines(lines, CONTOUR, view.cells(1.5)).titled("contour lines".to_owned()).into());
    let body = BodyShape::of(tables.class(), 0, &view);
    items.extend(body.shapes(&view, body.resting(start), "start".to_owned()).map(Item::from));
    items.extend(body.ring_if_small(&view, body.resting(start), TARGET).map(Item::from));
    for target in targets {
        let ring = |radius: f64, width: f64, paint| {
            Shape::outlines(vec![disc(view.lattice.centre(target.cell), radius)], paint, view.cells(width))
        };
        let radius = view.cells(5.0).max(0.35);
        items.push(ring(radius, 5.0, Paint::solid([0; 3])).into());
        items.push(ring(radius, 2.5, TARGET).titled(format!("target {}", target.cell)).into());
    }
    let title = format!("distances of {}: contour lines every {step} ticks", tables.class().spec().name);
    (Picture { view, title, items }, step)
}

/// The colour of a distance, on a ramp that ends at `farthest`.
fn colour(cost: u32, farthest: u32) -> Rgb {
    let at = f64::from(cost) / f64::from(farthest.max(1)) * (RAMP.len() - 1) as f64;
    let (low, part) = ((at as usize).min(RAMP.len() - 2), at - (at as usize).min(RAMP.len() - 2) as f64);
    mixed(RAMP[low], RAMP[low + 1], part)
}

/// A round number of ticks between contour lines that keeps them few.
fn spacing(farthest: u32) -> u32 {
    least_round(|step| farthest / step <= CONTOURS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_few_contour_lines() {
        for (farthest, expected) in
            [(0, 1), (12, 1), (13, 2), (24, 2), (26, 5), (64, 5), (130, 20), (u32::MAX - 1, 500_000_000)]
        {
            assert_eq!(spacing(farthest), expected, "{farthest}");
        }
        assert_eq!((colour(0, 10), colour(10, 10), colour(0, 0)), (RAMP[0], RAMP[5], RAMP[0]));
    }
}
