//! Exact shapes: which cells a moving or turning body touches, and the footprint at diagonal headings.
//!
//! All is decided analytically, never by sampling. Translations are whole-number arithmetic. A turn uses
//! floats, with contact no deeper than [`CONTACT`] not counted as touching; it is decided once, when a
//! class is made, and no float goes further than that.

use crate::footprint::{Offset, Pivot};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Overlap no deeper than this is not touching.
const CONTACT: f64 = 1e-9;

/// Cells whose open square is touched by a body of unit squares that moves by `step` in a straight line.
///
/// A unit square that moves covers the Minkowski sum of the square and the segment; its separating axes
/// against a cell are x, y and the normal of the step.
pub(crate) fn cells_of_translation(body: &[Offset], step: Offset) -> Vec<Offset> {
    let (dx, dy) = (i64::from(step.dx), i64::from(step.dy));
    let mut cells = Vec::new();
    for x in dx.min(0)..=dx.max(0) {
        for y in dy.min(0)..=dy.max(0) {
            if (x * dy - y * dx).abs() < dx.abs() + dy.abs() {
                let near = Offset::new(x as i32, y as i32);
                cells.extend(body.iter().map(|cell| cell.plus(near)));
            }
        }
    }
    cells
}

/// Cells touched by the east-facing body `(forward, right)` as it turns about the pivot, from the angle of
/// a heading through `turn` heading steps. In map axes, from the anchor.
pub(crate) fn cells_of_turn(
    body: &[(i32, i32)],
    pivot: Pivot,
    heading: u8,
    turn: i32,
    headings: u8,
) -> Vec<Offset> {
    // The lattice looks the same after a quarter turn, so the answer is worked out in the first quadrant
    // and turned: all four are then the same to the last bit.
    let per_quarter = headings / 4;
    let step = TAU / f64::from(headings);
    let start = f64::from(heading % per_quarter) * step;
    let end = start + f64::from(turn) * step;
    let (low, high) = (start.min(end), start.max(end));
    let squares: Vec<Point> = body.iter().map(|&(f, r)| Point::from_pivot(f, r, pivot)).collect();
    let mut cells = Vec::new();
    for cell in cells_about(body, pivot) {
        let centre = Point::from_pivot(cell.dx, cell.dy, pivot);
        if squares.iter().any(|&square| turning_square_meets(square, centre, low, high)) {
            cells.push(pivot.turn(cell, heading / per_quarter));
        }
    }
    cells
}

/// The footprint at the first diagonal heading (NE): cells of which the east-facing body, turned by 45
/// degrees about the pivot, covers at least half.
pub(crate) fn diagonal_footprint(body: &[(i32, i32)], pivot: Pivot) -> Vec<Offset> {
    let mut cells = cells_about(body, pivot);
    cells.retain(|cell| {
        let centre = Point::from_pivot(cell.dx, cell.dy, pivot);
        let squares = body.iter().map(|&(f, r)| Point::from_pivot(f, r, pivot));
        // Exactly half does occur: an edge of the body through the middle of a cell.
        squares.map(|square| overlap_at_45(square, centre)).sum::<f64>() >= 0.5 - CONTACT
    });
    cells
}

/// A point relative to the pivot; y grows to the north, so that angles are counter-clockwise.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    fn from_pivot(forward: i32, right: i32, pivot: Pivot) -> Self {
        let half = |doubled: i32| f64::from(doubled) / 2.0;
        Self { x: half(2 * forward - pivot.forward), y: half(pivot.right - 2 * right) }
    }
}

/// All cells that the body can reach by turning about the pivot, and some more; row-major.
fn cells_about(body: &[(i32, i32)], pivot: Pivot) -> Vec<Offset> {
    let reach = body.iter().map(|&(f, r)| {
        let centre = Point::from_pivot(f, r, pivot);
        centre.x.hypot(centre.y)
    });
    // Half a diagonal of the body's square and half of the cell's.
    let reach = reach.fold(0.0, f64::max) + 1.5;
    let middle = (f64::from(pivot.forward) / 2.0, f64::from(pivot.right) / 2.0);
    let range = |middle: f64| (middle - reach).floor() as i32..=(middle + reach).ceil() as i32;
    range(middle.1).flat_map(|dy| range(middle.0).map(move |dx| Offset::new(dx, dy))).collect()
}

/// `constant + cosine * cos(angle) + sine * sin(angle)`.
#[derive(Clone, Copy, Debug)]
struct Wave {
    constant: f64,
    cosine: f64,
    sine: f64,
}

impl Wave {
    fn at(&self, angle: f64) -> f64 {
        self.constant + self.cosine * angle.cos() + self.sine * angle.sin()
    }

    /// Adds the angles in `low..high` at which it equals [`CONTACT`].
    fn crossings(&self, low: f64, high: f64, found: &mut Vec<f64>) {
        let radius = self.cosine.hypot(self.sine);
        let level = (CONTACT - self.constant) / radius;
        if radius == 0.0 || level.abs() > 1.0 {
            return;
        }
        let (crest, half) = (self.sine.atan2(self.cosine), level.acos());
        for angle in [crest - half, crest + half] {
            // Brought into one turn from `low`; the range is never wider than two turns.
            let first = low + (angle - low).rem_euclid(TAU);
            found.extend([first, first + TAU].into_iter().filter(|&angle| angle < high));
        }
    }
}

/// Whether a unit square, centred at `square` and turned about the origin by some angle from `low` to
/// `high`, overlaps the unit square of a cell.
///
/// Two squares overlap when their shadows do on the axes of both. The depth on an axis is half the one
/// plus half the other less the distance of the centres: within a quadrant, two waves an axis. Between
/// two neighbouring angles at which one of the eight crosses the level of contact nothing changes, so
/// the middle decides.
fn turning_square_meets(square: Point, cell: Point, low: f64, high: f64) -> bool {
    let distance = (square.x.hypot(square.y) - cell.x.hypot(cell.y)).abs();
    if distance >= std::f64::consts::SQRT_2 {
        return false;
    }
    let mut angles = Vec::new();
    let first = (low / FRAC_PI_2 - CONTACT).floor() as i32;
    let last = (high / FRAC_PI_2 + CONTACT).ceil() as i32;
    for quadrant in first..last {
        let from = low.max(f64::from(quadrant) * FRAC_PI_2);
        let to = high.min(f64::from(quadrant + 1) * FRAC_PI_2);
        if from >= to {
            continue;
        }
        let waves = depths(square, cell, quadrant.rem_euclid(4));
        angles.clear();
        angles.extend([from, to]);
        for wave in &waves {
            wave.crossings(from, to, &mut angles);
        }
        angles.sort_unstable_by(f64::total_cmp);
        let overlaps = |pair: &[f64]| {
            let middle = pair[0] + (pair[1] - pair[0]) / 2.0;
            waves.iter().all(|wave| wave.at(middle) > CONTACT)
        };
        if angles.windows(2).any(|pair| pair[0] < pair[1] && overlaps(pair)) {
            return true;
        }
    }
    false
}

/// Depth of the overlap along the four axes, each as the lesser of two waves, for angles in a quadrant.
fn depths(square: Point, cell: Point, quadrant: i32) -> [Wave; 8] {
    // Half the shadow of the turned square on x or y is (|cos| + |sin|) / 2, as is half the shadow of
    // the cell on the square's own axes.
    let cosine = if matches!(quadrant, 0 | 3) { 0.5 } else { -0.5 };
    let sine = if matches!(quadrant, 0 | 1) { 0.5 } else { -0.5 };
    let pair = |distance: Wave| {
        let depth = |sign: f64| Wave {
            constant: 0.5 + sign * distance.constant,
            cosine: cosine + sign * distance.cosine,
            sine: sine + sign * distance.sine,
        };
        [depth(1.0), depth(-1.0)]
    };
    let wave = |constant, cosine, sine| Wave { constant, cosine, sine };
    let [a, b] = pair(wave(-cell.x, square.x, -square.y));
    let [c, d] = pair(wave(-cell.y, square.y, square.x));
    let [e, f] = pair(wave(-square.x, cell.x, cell.y));
    let [g, h] = pair(wave(-square.y, cell.y, -cell.x));
    [a, b, c, d, e, f, g, h]
}

/// Area that a unit square, centred at `square` and turned by 45 degrees about the origin, has in common
/// with the unit square of a cell.
fn overlap_at_45(square: Point, cell: Point) -> f64 {
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let centre = Point { x: (square.x - square.y) * root - cell.x, y: (square.x + square.y) * root - cell.y };
    let corner = |x: f64, y: f64| Point { x: centre.x + x, y: centre.y + y };
    // A unit square on its tip.
    let mut shape = vec![corner(root, 0.0), corner(0.0, root), corner(-root, 0.0), corner(0.0, -root)];
    type Depth = fn(Point) -> f64;
    let borders: [Depth; 4] = [|p| 0.5 - p.x, |p| 0.5 + p.x, |p| 0.5 - p.y, |p| 0.5 + p.y];
    for depth in borders {
        shape = cut(&shape, depth);
    }
    let next = shape.iter().cycle().skip(1);
    shape.iter().zip(next).map(|(a, b)| a.x * b.y - a.y * b.x).sum::<f64>().abs() / 2.0
}

/// The part of a convex polygon where `depth` is not negative (Sutherland and Hodgman 1974).
fn cut(shape: &[Point], depth: impl Fn(Point) -> f64) -> Vec<Point> {
    let mut kept = Vec::with_capacity(shape.len() + 1);
    for (&here, &next) in shape.iter().zip(shape.iter().cycle().skip(1)) {
        let (d_here, d_next) = (depth(here), depth(next));
        if d_here >= 0.0 {
            kept.push(here);
        }
        if (d_here >= 0.0) != (d_next >= 0.0) {
            let share = d_here / (d_here - d_next);
            kept.push(Point { x: here.x + (next.x - here.x) * share, y: here.y + (next.y - here.y) * share });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut cells: Vec<Offset>) -> Vec<(i32, i32)> {
        cells.sort_unstable();
        cells.dedup();
        cells.into_iter().map(|o| (o.dx, o.dy)).collect()
    }

    #[test]
    fn a_diagonal_step_touches_both_corners() {
        let point = [Offset::default()];
        assert_eq!(
            sorted(cells_of_translation(&point, Offset::new(1, -1))),
            [(0, -1), (1, -1), (0, 0), (1, 0)]
        );
        assert_eq!(sorted(cells_of_translation(&point, Offset::new(2, 0))), [(0, 0), (1, 0), (2, 0)]);
        // A knight's move touches the whole rectangle.
        let knight = sorted(cells_of_translation(&point, Offset::new(2, 1)));
        assert_eq!(knight, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
    }

    #[test]
    fn a_cell_that_turns_in_place_touches_its_four_neighbours() {
        let turned = sorted(cells_of_turn(&[(0, 0)], Pivot::default(), 0, 1, 4));
        assert_eq!(turned, [(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]);
        // A square about its own middle needs more than its four cells too.
        let pivot = Pivot { forward: -1, right: 1 };
        let square = [(0, 0), (-1, 0), (0, 1), (-1, 1)];
        assert_eq!(sorted(cells_of_turn(&square, pivot, 0, 1, 4)).len(), 12);
    }

    #[test]
    fn a_turn_sweeps_the_quarter_it_turns_through() {
        // A rod of three cells from the anchor: east to north stays clear of the south-west.
        let rod = [(0, 0), (1, 0), (2, 0)];
        let left = sorted(cells_of_turn(&rod, Pivot::default(), 0, 1, 4));
        assert!(left.contains(&(1, -1)) && left.contains(&(2, -2)) && left.contains(&(1, -2)));
        assert!(!left.contains(&(2, 1)) && !left.contains(&(-1, 1)) && !left.contains(&(-1, -1)));
        let right = sorted(cells_of_turn(&rod, Pivot::default(), 0, -1, 4));
        let mirrored: Vec<Offset> = left.iter().map(|&(x, y)| Offset::new(x, -y)).collect();
        assert_eq!(right, sorted(mirrored));
        // All the way round is four quarters.
        let round = sorted(cells_of_turn(&rod, Pivot::default(), 0, 3, 4));
        assert!(round.contains(&(-2, -1)) && round.contains(&(-1, 2)));
    }

    #[test]
    fn half_of_a_cell_is_enough_for_a_diagonal_footprint() {
        let single = sorted(diagonal_footprint(&[(0, 0)], Pivot::default()));
        assert_eq!(single, [(0, 0)]);
        let rod = sorted(diagonal_footprint(&[(0, 0), (-1, 0)], Pivot::default()));
        assert!(rod.contains(&(0, 0)) && rod.contains(&(-1, 1)), "{rod:?}");
    }
}
