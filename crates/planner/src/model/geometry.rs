//! Exact shapes: the cells touched by a moving or turning body, and the footprint at diagonal headings.
//!
//! All decisions are analytic, never sampled. Translations use integer arithmetic. Turns use floats, and
//! contact no deeper than [`CONTACT`] does not count as touching. Turns are decided once, when a class is made,
//! and no float leaves this module.

use crate::model::offset::{Offset, Pivot};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Maximum depth of overlap that does not count as touching.
const CONTACT: f64 = 1e-9;

/// Cells whose interior is touched by a body of unit squares moving by `step` in a straight line.
///
/// A moving unit square covers the Minkowski sum of the square and the segment. Its separating axes against a
/// cell are x, y and the normal of the step.
pub(crate) fn cells_of_translation(body: &[Offset], step: Offset) -> Vec<Offset> {
    cells_of_square(step).into_iter().flat_map(|near| body.iter().map(move |cell| cell.plus(near))).collect()
}

/// Cells whose interior is touched by one unit square moving by `step`, row-major.
fn cells_of_square(step: Offset) -> Vec<Offset> {
    let (dx, dy) = (i64::from(step.dx), i64::from(step.dy));
    let rows = dy.min(0)..=dy.max(0);
    let all = rows.flat_map(|y| (dx.min(0)..=dx.max(0)).map(move |x| (x, y)));
    let touched = all.filter(|&(x, y)| (x * dy - y * dx).abs() < dx.abs() + dy.abs());
    touched.map(|(x, y)| Offset::new(x as i32, y as i32)).collect()
}

/// Like [`cells_of_translation`], row-major and without repeats, for a body that may have millions of cells: by
/// runs of cells within a row.
pub(crate) fn cells_of_large_translation(
    mut body: Vec<Offset>,
    step: Offset,
    budget: &mut SweepBudget,
) -> Result<Vec<Offset>, SweepTooLarge> {
    body.sort_unstable();
    body.dedup();
    let (body, near) = (runs_of(&body), runs_of(&cells_of_square(step)));
    let cost = (body.len() * near.len()) as u64 * FULL_TEST;
    budget.overlap_tests = budget.overlap_tests.checked_sub(cost).ok_or(SweepTooLarge::OverlapTests)?;
    let sum = |a: Run, b: Run| Run { row: a.row + b.row, from: a.from + b.from, last: a.last + b.last };
    let mut runs: Vec<Run> =
        body.iter().flat_map(|&one| near.iter().map(move |&other| sum(one, other))).collect();
    runs.sort_unstable();
    let mut cells: Vec<Offset> = Vec::new();
    for run in runs {
        let listed = cells.last().filter(|last| last.dy == run.row).map_or(run.from, |last| last.dx + 1);
        cells.extend((run.from.max(listed)..=run.last).map(|dx| Offset::new(dx, run.row)));
        if cells.len() as u64 > budget.cells {
            return Err(SweepTooLarge::Cells(cells.len() as u64));
        }
    }
    Ok(cells)
}

/// Neighbouring cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    row: i32,
    from: i32,
    last: i32,
}

/// The runs of a row-major list of cells without repeats.
fn runs_of(cells: &[Offset]) -> Vec<Run> {
    let runs = cells.chunk_by(|a, b| a.dy == b.dy && a.dx + 1 == b.dx);
    runs.map(|run| Run { row: run[0].dy, from: run[0].dx, last: run[run.len() - 1].dx }).collect()
}

/// Remaining budget for working out the turns of a class; bounds time and memory before they are spent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweepBudget {
    /// Swept cells.
    pub cells: u64,
    /// Overlap tests of a cell against a square of the body; a full test, and a run of cells moved on, counts as
    /// [`FULL_TEST`].
    pub overlap_tests: u64,
}

/// Why the cells of a turn are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SweepTooLarge {
    /// It sweeps at least this many cells, more than the budget.
    Cells(u64),
    /// It needs more overlap tests than the budget.
    OverlapTests,
}

/// Cost of a full overlap test of two squares, relative to a test by distance.
const FULL_TEST: u64 = 64;

/// Two overlapping unit squares have centres nearer than the square root of 2, plus a margin for floats.
const REACH: f64 = std::f64::consts::SQRT_2 + 1e-6;

/// Two unit squares with centres nearer than 1 overlap at any angle, because their inscribed circles do. A margin is
/// subtracted, so that they overlap deeper than [`CONTACT`].
const MEETS: f64 = 1.0 - 1e-6;

/// A turn from one heading to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Heading at its start.
    pub start: u8,
    /// Heading steps, counter-clockwise positive.
    pub steps: i32,
    /// Number of headings.
    pub headings: u8,
}

impl Turn {
    /// Lowest and highest angle of the turn.
    fn angles(self) -> (f64, f64) {
        let step = TAU / f64::from(self.headings);
        let start = f64::from(self.start) * step;
        let end = start + f64::from(self.steps) * step;
        (start.min(end), start.max(end))
    }
}

/// Cells touched by the east-facing body `(forward, right)` as it turns about the pivot, from a heading of the
/// first quarter through the steps of `turn`. In map axes, relative to the anchor, unordered. The lattice is
/// invariant under quarter turns, so the cells for the other headings are these, rotated.
///
/// Visits the rings swept by the squares, not all cells around the pivot. Time is linear in the cells swept as long as
/// few squares are equally far from the pivot.
pub(crate) fn cells_of_turn(
    body: &[(i32, i32)],
    pivot: Pivot,
    turn: Turn,
    budget: &mut SweepBudget,
) -> Result<Vec<Offset>, SweepTooLarge> {
    let (low, high) = turn.angles();
    let squares = body.iter().map(|&(f, r)| Point::from_pivot(f, r, pivot));
    let mut arcs: Vec<Arc> = squares.map(|square| Arc::of(square, low, high)).collect();
    arcs.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let least = least_cells(&arcs, high - low);
    if least > budget.cells {
        return Err(SweepTooLarge::Cells(least));
    }
    let mut cells = Vec::new();
    for band in arcs.chunk_by(|a, b| b.distance - a.distance < 2.0 * REACH) {
        let band = Band { arcs: band, low, high };
        for cell in band.cells(pivot) {
            let centre = Point::from_pivot(cell.dx, cell.dy, pivot);
            if band.touches(centre, &mut budget.overlap_tests)? {
                cells.push(cell);
                if cells.len() as u64 > budget.cells {
                    return Err(SweepTooLarge::Cells(cells.len() as u64));
                }
            }
        }
    }
    Ok(cells)
}

/// The footprint at the first diagonal heading (NE): the cells that the east-facing body, turned by 45 degrees
/// about the pivot, covers at least half. Row-major.
pub(crate) fn diagonal_footprint(body: &[(i32, i32)], pivot: Pivot) -> Vec<Offset> {
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let mut areas: Vec<(Offset, usize, f64)> = Vec::new();
    for (number, &(f, r)) in body.iter().enumerate() {
        let square = Point::from_pivot(f, r, pivot);
        let (x, y) = ((square.x - square.y) * root, (square.x + square.y) * root);
        let east = (x + f64::from(pivot.forward) / 2.0).round() as i32;
        let south = (f64::from(pivot.right) / 2.0 - y).round() as i32;
        // A turned square extends less than one and a half cells from its centre along an axis.
        for (dy, dx) in (-2..=2).flat_map(|dy| (-2..=2).map(move |dx| (dy, dx))) {
            let cell = Offset::new(east + dx, south + dy);
            let area = overlap_at_45(square, Point::from_pivot(cell.dx, cell.dy, pivot));
            areas.push((cell, number, area));
        }
    }
    // Summed in the order of the body, so that sums are bit-identical wherever the body lies.
    areas.sort_unstable_by_key(|&(cell, number, _)| (cell, number));
    // Exactly half does occur: an edge of the body through the middle of a cell.
    let half = |areas: &&[(Offset, usize, f64)]| areas.iter().map(|a| a.2).sum::<f64>() >= 0.5 - CONTACT;
    areas.chunk_by(|a, b| a.0 == b.0).filter(half).map(|areas| areas[0].0).collect()
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

/// The path of the centre of a square of the body.
#[derive(Clone, Copy, Debug)]
struct Arc {
    /// Position of the square while the body faces east.
    square: Point,
    /// Distance of its centre from the pivot.
    distance: f64,
    /// Start angle, counter-clockwise.
    begins: f64,
    ends: [Point; 2],
}

impl Arc {
    fn of(square: Point, low: f64, high: f64) -> Self {
        let turned = |angle: f64| {
            let (sine, cosine) = angle.sin_cos();
            Point { x: square.x * cosine - square.y * sine, y: square.x * sine + square.y * cosine }
        };
        Self {
            square,
            distance: square.x.hypot(square.y),
            begins: square.y.atan2(square.x) + low,
            ends: [turned(low), turned(high)],
        }
    }

    /// South-west and north-east corner of the bounding rectangle of the arc.
    fn bounds(&self, span: f64) -> (Point, Point) {
        let [a, b] = self.ends;
        let mut low = Point { x: a.x.min(b.x), y: a.y.min(b.y) };
        let mut high = Point { x: a.x.max(b.x), y: a.y.max(b.y) };
        let passes = |angle: f64| (angle - self.begins).rem_euclid(TAU) <= span;
        let d = self.distance;
        high.x = if passes(0.0) { d } else { high.x };
        high.y = if passes(FRAC_PI_2) { d } else { high.y };
        low.x = if passes(PI) { -d } else { low.x };
        low.y = if passes(-FRAC_PI_2) { -d } else { low.y };
        (low, high)
    }
}

/// Lower bound of the cells touched by arcs of angle `span`, sorted by distance. A square sweeps an area of at
/// least its distance times the angle, and arcs farther apart than the threshold share no cells.
fn least_cells(arcs: &[Arc], span: f64) -> u64 {
    let (mut least, mut last) = (0.0, f64::NEG_INFINITY);
    for arc in arcs.iter().filter(|arc| arc.distance >= 0.5) {
        if arc.distance - last >= 2.0 * REACH {
            least += arc.distance * span;
            last = arc.distance;
        }
    }
    least as u64
}

/// Arcs, sorted by distance, whose rings of cells overlap.
struct Band<'a> {
    arcs: &'a [Arc],
    low: f64,
    high: f64,
}

impl Band<'_> {
    /// A superset of the touched cells.
    fn cells(&self, pivot: Pivot) -> impl Iterator<Item = Offset> {
        let all = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        let bounds = self.arcs.iter().map(|arc| arc.bounds(self.high - self.low));
        let (west, south, east, north) = bounds.fold(all, |(west, south, east, north), (low, high)| {
            (west.min(low.x), south.min(low.y), east.max(high.x), north.max(high.y))
        });
        let (first, last) = (self.arcs[0].distance, self.arcs[self.arcs.len() - 1].distance);
        let (near, far) = ((first - REACH).max(0.0), last + REACH);
        let middle = (f64::from(pivot.forward) / 2.0, f64::from(pivot.right) / 2.0);
        // Columns of the cells between two positions on the x axis.
        let columns = move |from: f64, to: f64| {
            let (from, to) = (from.max(west - REACH), to.min(east + REACH));
            (from + middle.0).floor() as i32..=(to + middle.0).ceil() as i32
        };
        let rows = (middle.1 - north - REACH).floor() as i32..=(middle.1 - south + REACH).ceil() as i32;
        rows.flat_map(move |dy| {
            let y = middle.1 - f64::from(dy);
            let outer = (far * far - y * y).max(0.0).sqrt();
            let inner = (near * near - y * y).max(0.0).sqrt();
            // Near the middle the two parts of a ring merge.
            let parts = match inner < 2.0 {
                true => [Some((-outer, outer)), None],
                false => [Some((-outer, -inner)), Some((inner, outer))],
            };
            parts
                .into_iter()
                .flatten()
                .flat_map(move |(from, to)| columns(from, to))
                .map(move |dx| Offset::new(dx, dy))
        })
    }

    /// Whether a square on one of the arcs touches the cell with the given centre.
    fn touches(&self, centre: Point, overlap_tests: &mut u64) -> Result<bool, SweepTooLarge> {
        let (distance, angle) = (centre.x.hypot(centre.y), centre.y.atan2(centre.x));
        let span = self.high - self.low;
        let first = self.arcs.partition_point(|arc| arc.distance <= distance - REACH);
        let arcs = self.arcs[first..].iter().take_while(|arc| arc.distance < distance + REACH);
        let mut spend = |n: u64| {
            *overlap_tests = overlap_tests.checked_sub(n).ok_or(SweepTooLarge::OverlapTests)?;
            Ok(())
        };
        for arc in arcs {
            spend(1)?;
            // Minimum distance between the moving centre of the square and that of the cell.
            let nearest = if (angle - arc.begins).rem_euclid(TAU) <= span {
                (arc.distance - distance).abs()
            } else {
                let [a, b] = arc.ends.map(|end| (end.x - centre.x).hypot(end.y - centre.y));
                a.min(b)
            };
            if nearest <= MEETS {
                return Ok(true);
            }
            if nearest < REACH {
                spend(FULL_TEST)?;
                if turning_square_meets(arc.square, centre, self.low, self.high) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
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
            // Normalised to one turn from `low`; the range is at most two turns.
            let first = low + (angle - low).rem_euclid(TAU);
            found.extend([first, first + TAU].into_iter().filter(|&angle| angle < high));
        }
    }
}

/// Whether a unit square overlaps the unit square of a cell. It is centred at `square` and turned about the origin by
/// some angle from `low` to `high`.
///
/// Two squares overlap when their projections do on the axes of both. The depth on an axis is half of each
/// projection less the distance of the centres: within a quadrant, two waves per axis. Between neighbouring
/// angles at which one of the eight waves crosses the contact level nothing changes, so the midpoint decides.
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

/// Depth of overlap along the four axes, each the lesser of two waves, for angles in a quadrant.
fn depths(square: Point, cell: Point, quadrant: i32) -> [Wave; 8] {
    // Half the projection of the turned square on x or y is (|cos| + |sin|) / 2. So is half the projection of the cell
    // on the axes of the square.
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

/// Area of intersection of a unit square, centred at `square` and turned by 45 degrees about the origin, with
/// the unit square of a cell.
fn overlap_at_45(square: Point, cell: Point) -> f64 {
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let centre = Point { x: (square.x - square.y) * root - cell.x, y: (square.x + square.y) * root - cell.y };
    let corner = |x: f64, y: f64| Point { x: centre.x + x, y: centre.y + y };
    // A unit square standing on a corner.
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

    use crate::model::swept_cells::{OVERLAP_TESTS_MAX, SWEPT_CELLS_MAX};
    use proptest::prelude::*;

    const BUDGET: SweepBudget = SweepBudget { cells: SWEPT_CELLS_MAX, overlap_tests: OVERLAP_TESTS_MAX };

    /// A superset of the cells that the body can reach by turning about the pivot; row-major.
    fn square_about(body: &[(i32, i32)], pivot: Pivot) -> Vec<Offset> {
        let reach = body.iter().map(|&(f, r)| {
            let centre = Point::from_pivot(f, r, pivot);
            centre.x.hypot(centre.y)
        });
        // Half a diagonal of the body's square plus half a diagonal of the cell.
        let reach = reach.fold(0.0, f64::max) + 1.5;
        let middle = (f64::from(pivot.forward) / 2.0, f64::from(pivot.right) / 2.0);
        let range = |middle: f64| (middle - reach).floor() as i32..=(middle + reach).ceil() as i32;
        range(middle.1).flat_map(|dy| range(middle.0).map(move |dx| Offset::new(dx, dy))).collect()
    }

    /// Reference implementation: every cell of the square around the pivot against every square of the body.
    fn reference_turn(body: &[(i32, i32)], pivot: Pivot, turn: Turn) -> Vec<Offset> {
        let (low, high) = turn.angles();
        let squares: Vec<Point> = body.iter().map(|&(f, r)| Point::from_pivot(f, r, pivot)).collect();
        let mut cells = square_about(body, pivot);
        cells.retain(|cell| {
            let centre = Point::from_pivot(cell.dx, cell.dy, pivot);
            squares.iter().any(|&square| turning_square_meets(square, centre, low, high))
        });
        cells
    }

    /// Reference implementation: every cell of the square around the pivot.
    fn reference_diagonal(body: &[(i32, i32)], pivot: Pivot) -> Vec<Offset> {
        let mut cells = square_about(body, pivot);
        cells.retain(|cell| {
            let centre = Point::from_pivot(cell.dx, cell.dy, pivot);
            let squares = body.iter().map(|&(f, r)| Point::from_pivot(f, r, pivot));
            squares.map(|square| overlap_at_45(square, centre)).sum::<f64>() >= 0.5 - CONTACT
        });
        cells
    }

    /// Cells in a cluster around a position, and a pivot.
    fn bodies() -> impl Strategy<Value = (Vec<(i32, i32)>, Pivot)> {
        let cells = prop::collection::btree_set((-6..=6_i32, -3..=3_i32), 1..14);
        let far = prop_oneof![Just((0, 0)), (-24..=24_i32, -24..=24_i32)];
        (cells, far, (-9..=9_i32, -9..=9_i32, any::<bool>())).prop_map(|(cells, far, (f, r, odd))| {
            let body = cells.into_iter().map(|(f, r)| (f + far.0, r + far.1)).collect();
            let odd = i32::from(odd);
            (body, Pivot { forward: 2 * f + odd, right: 2 * r + odd })
        })
    }

    fn assert_turn_equals_reference(body: &[(i32, i32)], pivot: Pivot, turn: Turn) {
        let mut fast = cells_of_turn(body, pivot, turn, &mut BUDGET.clone()).unwrap();
        fast.sort_unstable();
        assert_eq!(fast, reference_turn(body, pivot, turn), "{body:?} {pivot:?} {turn:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn turns_equal_the_reference(
            (body, pivot) in bodies(),
            (start, turn, headings) in prop_oneof![
                (Just(0_u8), 1..=3_i32, Just(4_u8)),
                (0..=1_u8, 1..=7_i32, Just(8_u8)),
            ],
            left in any::<bool>(),
        ) {
            assert_turn_equals_reference(&body, pivot, Turn { start, steps: if left { turn } else { -turn }, headings });
        }

        #[test]
        fn diagonal_footprints_equal_the_reference((body, pivot) in bodies()) {
            prop_assert_eq!(diagonal_footprint(&body, pivot), reference_diagonal(&body, pivot));
        }
    }

    #[test]
    fn typical_bodies_turn_as_in_the_reference() {
        let block = |w: i32, h: i32| -> Vec<_> { (0..w).flat_map(|f| (0..h).map(move |r| (f, r))).collect() };
        for (w, h) in [(1, 1), (2, 1), (2, 2), (3, 3), (9, 3), (1, 20), (60, 1)] {
            for (forward, right) in [(0, 0), (w - 1, h - 1), (2 * w - 2, 0), (1, -1)] {
                let Some(pivot) = Pivot::from_cells(f64::from(forward) / 2.0, f64::from(right) / 2.0) else {
                    continue;
                };
                let body = block(w, h);
                assert_eq!(
                    diagonal_footprint(&body, pivot),
                    reference_diagonal(&body, pivot),
                    "{w}x{h} {pivot:?}"
                );
                for turn in [1, -1, 2, 3] {
                    assert_turn_equals_reference(&body, pivot, Turn { start: 0, steps: turn, headings: 4 });
                    assert_turn_equals_reference(&body, pivot, Turn { start: 1, steps: turn, headings: 8 });
                }
            }
        }
    }

    #[test]
    fn a_distant_turn_costs_its_ring_not_its_bounding_square() {
        let mut budget = BUDGET;
        let cells = cells_of_turn(
            &[(0, 0), (50_000, 0)],
            Pivot::default(),
            Turn { start: 0, steps: 1, headings: 4 },
            &mut budget,
        )
        .unwrap();
        // A quarter of a ring, between its area and the area of the cells around it.
        assert!((79_000..240_000).contains(&cells.len()), "{}", cells.len());
        assert!(BUDGET.overlap_tests - budget.overlap_tests < 20_000_000);
        let mut budget = SweepBudget { cells: 70_000, ..BUDGET };
        let refused = cells_of_turn(
            &[(50_000, 0)],
            Pivot::default(),
            Turn { start: 0, steps: 1, headings: 4 },
            &mut budget,
        );
        assert_eq!(refused.unwrap_err(), SweepTooLarge::Cells(78_539));
        assert_eq!(budget.overlap_tests, BUDGET.overlap_tests);
        // Many squares equally far from the pivot.
        let ring = (0..1024).map(|n| f64::from(n) / 1024.0 * TAU);
        let ring: Vec<_> = ring.map(|a| ((60_000.0 * a.cos()) as i32, (60_000.0 * a.sin()) as i32)).collect();
        let mut budget = SweepBudget { overlap_tests: 1 << 20, ..BUDGET };
        let refused =
            cells_of_turn(&ring, Pivot::default(), Turn { start: 0, steps: 7, headings: 8 }, &mut budget);
        assert_eq!(refused.unwrap_err(), SweepTooLarge::OverlapTests);
    }

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
        let turned = sorted(
            cells_of_turn(
                &[(0, 0)],
                Pivot::default(),
                Turn { start: 0, steps: 1, headings: 4 },
                &mut BUDGET.clone(),
            )
            .unwrap(),
        );
        assert_eq!(turned, [(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]);
        // A square about its own centre needs more than its four cells too.
        let pivot = Pivot { forward: -1, right: 1 };
        let square = [(0, 0), (-1, 0), (0, 1), (-1, 1)];
        assert_eq!(
            sorted(
                cells_of_turn(&square, pivot, Turn { start: 0, steps: 1, headings: 4 }, &mut BUDGET.clone())
                    .unwrap()
            )
            .len(),
            12
        );
    }

    #[test]
    fn a_turn_sweeps_the_quarter_it_turns_through() {
        // A rod of three cells from the anchor: turning from east to north stays clear of the south-west.
        let rod = [(0, 0), (1, 0), (2, 0)];
        let left = sorted(
            cells_of_turn(
                &rod,
                Pivot::default(),
                Turn { start: 0, steps: 1, headings: 4 },
                &mut BUDGET.clone(),
            )
            .unwrap(),
        );
        assert!(left.contains(&(1, -1)) && left.contains(&(2, -2)) && left.contains(&(1, -2)));
        assert!(!left.contains(&(2, 1)) && !left.contains(&(-1, 1)) && !left.contains(&(-1, -1)));
        let right = sorted(
            cells_of_turn(
                &rod,
                Pivot::default(),
                Turn { start: 0, steps: -1, headings: 4 },
                &mut BUDGET.clone(),
            )
            .unwrap(),
        );
        let mirrored: Vec<Offset> = left.iter().map(|&(x, y)| Offset::new(x, -y)).collect();
        assert_eq!(right, sorted(mirrored));
        // A full turn is four quarters.
        let round = sorted(
            cells_of_turn(
                &rod,
                Pivot::default(),
                Turn { start: 0, steps: 3, headings: 4 },
                &mut BUDGET.clone(),
            )
            .unwrap(),
        );
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
