//! Body shapes: outlines and facing marks of a class at each heading.

use crate::colours::{OUTLINE_OPACITY, class_colour};
use crate::picture::drawing::{Paint, Shape};
use crate::picture::signs::sign;
use crate::picture::view::View;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use wheelbase_grid::{CellXY, Corner, Lattice, Point, Rgb};
use wheelbase_planner::{Heading, MovementClass, Pose};
use wheelbase_sim::{DrawnClass, DrawnForm};

/// Least scale, in pixels per cell, at which bodies are inset and carry a facing mark.
const SHAPES_FROM: u32 = 4;
/// Least scale at which bodies have an outline and carry the sign of their class.
const OUTLINE_FROM: u32 = 9;
/// Bodies that reach fewer pixels than this from their pivot are small enough to need a ring.
const SMALL: f64 = 16.0;
/// Part of a turn at which no turn of whole heading steps faces east again.
const PART_TURNED: f64 = 0.3;
/// Gap between a body and the border of its cells, in cells.
pub const INSET: f64 = 0.07;

const OUTLINE: Paint = Paint::new([0; 3], OUTLINE_OPACITY);
const MARK: Paint = Paint::new([0; 3], 158);

/// The shapes of a class, relative to the pivot, in cells.
#[derive(Clone, Debug)]
pub struct BodyShape {
    lattice: Lattice,
    /// The pivot, relative to the centre of the anchor cell.
    pub pivot: Point,
    n_headings: u8,
    drawn: DrawnClass,
    /// By heading: a loop of points for each border. Behind them the disc of a body that turns as one.
    pub outlines: Vec<Vec<Vec<Point>>>,
    /// The mark of the facing, at heading 0; none for classes without facing.
    pub mark: Vec<Vec<Point>>,
    /// The sign of the class, at heading 0; empty for the first.
    pub sign: Vec<Vec<Point>>,
    /// Distance from the pivot to the farthest point of an outline.
    pub reach: f64,
    /// Fill colour.
    pub colour: Rgb,
}

/// Where and at what angle a body is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Position of the pivot.
    pub pivot: Point,
    /// Number of the outline that is drawn.
    pub outline: usize,
    /// Rotation of that outline, in radians counter-clockwise.
    pub rotation: f64,
    /// Facing, in radians counter-clockwise from east.
    pub facing: f64,
}

impl BodyShape {
    /// The shapes of a class at the scale of a view, in the colour of the class number.
    pub fn of(class: &MovementClass, number: usize, view: &View) -> Self {
        Self::inset_by(if view.scale >= SHAPES_FROM { INSET } else { 0.0 }, class, number)
    }

    /// The shapes of a class, `inset` cells within the border of their cells, in the colour of the class number.
    pub fn inset_by(inset: f64, class: &MovementClass, number: usize) -> Self {
        let lattice = Lattice(class.grid_shape());
        let pivot = class.spec().pivot;
        let pivot = lattice.half_steps(pivot.forward, pivot.right);
        // Relative positions in the plane do not depend on the anchor's row.
        let anchor = CellXY::new(0, 0);
        let centre = lattice.centre(anchor);
        let from_pivot = |[x, y]: Point| [x - centre[0] - pivot[0], y - centre[1] - pivot[1]];
        let outline = |heading| {
            let cells = class.cells_at(Pose { cell: anchor, heading: Heading(heading) });
            let cells: BTreeSet<CellXY> = cells.iter().map(|cell| CellXY::new(cell.dx, cell.dy)).collect();
            let loops = outline(lattice, &cells, inset).into_iter();
            loops.map(|points| points.into_iter().map(from_pivot).collect()).collect()
        };
        let drawn = DrawnClass::of(class);
        let round = drawn.radius().map(|radius| vec![disc([0.0; 2], radius - inset)]);
        let outlines: Vec<Vec<Vec<Point>>> = (0..class.headings()).map(outline).chain(round).collect();
        let distance = |point: &Point| point[0].hypot(point[1]);
        let reach = outlines.iter().flatten().flatten().map(distance).fold(0.0, f64::max);
        let east = class.cells_at(Pose { cell: anchor, heading: Heading(0) }).iter();
        let east: Vec<Point> =
            east.map(|cell| from_pivot(lattice.centre(CellXY::new(cell.dx, cell.dy)))).collect();
        let n_headings = class.headings();
        let faces = n_headings > 1;
        let mark = if faces { vec![arrow(&east)] } else { Vec::new() };
        let (middle, radius) = if faces { behind_arrow(&east) } else { ([-pivot[0], -pivot[1]], 0.28) };
        let scaled = |[x, y]: Point| [middle[0] + x * radius, middle[1] + y * radius];
        let sign =
            sign(number, faces).into_iter().map(|points| points.into_iter().map(scaled).collect()).collect();
        Self { lattice, pivot, n_headings, drawn, outlines, mark, sign, reach, colour: class_colour(number) }
    }

    /// Position of the pivot if the anchor is at `cell`.
    pub fn pivot_at(&self, cell: CellXY) -> Point {
        let [x, y] = self.lattice.centre(cell);
        [x + self.pivot[0], y + self.pivot[1]]
    }

    /// An agent at rest.
    pub fn resting(&self, pose: Pose) -> Placement {
        self.moving(pose, pose, 0, 0.0)
    }

    /// An agent in a move that turns by `turn` heading steps and is `part` done, 0 to 1.
    pub fn moving(&self, from: Pose, to: Pose, turn: i32, part: f64) -> Placement {
        let [x, y] = self.lattice.between(from.cell, to.cell, part);
        let (outline, rotation) = self.number_of(self.drawn.form(from.heading, to.heading, turn, part));
        let facing = (f64::from(from.heading.0) + f64::from(turn) * part) * TAU / f64::from(self.n_headings);
        Placement { pivot: [x + self.pivot[0], y + self.pivot[1]], outline, rotation, facing }
    }

    /// The outline that is drawn in a turn by `turn` heading steps from a heading; `None` if it is the east-facing
    /// body, turned.
    pub fn outline_in(&self, start: Heading, turn: i32) -> Option<usize> {
        let (outline, rotation) = self.number_of(self.drawn.form(start, start, turn, PART_TURNED));
        (rotation == 0.0).then_some(outline)
    }

    fn number_of(&self, form: DrawnForm) -> (usize, f64) {
        match form {
            DrawnForm::Cells { heading, angle } => (heading.0.into(), angle),
            DrawnForm::Disc { .. } => (self.n_headings.into(), 0.0),
        }
    }

    /// The loops of the outline at a placement.
    pub fn outline(&self, placement: Placement) -> Vec<Vec<Point>> {
        let outline = self.outlines.get(placement.outline).map_or(&[][..], Vec::as_slice);
        outline.iter().map(|points| rotated(points, placement.rotation, placement.pivot)).collect()
    }

    /// The titled body and, where the scale shows them, the mark of its facing and the sign of its class.
    pub fn shapes(
        &self,
        view: &View,
        placement: Placement,
        title: String,
    ) -> impl Iterator<Item = Shape> + use<> {
        let mut body = Shape::filled(self.outline(placement), Paint::solid(self.colour)).titled(title);
        if view.scale >= OUTLINE_FROM {
            body = body.with_outline(OUTLINE, view.cells(1.2));
        }
        let mark = self.mark.iter().filter(|_| view.scale >= SHAPES_FROM);
        let sign = self.sign.iter().filter(|_| view.scale >= OUTLINE_FROM);
        let marks: Vec<Vec<Point>> =
            mark.chain(sign).map(|points| rotated(points, placement.facing, placement.pivot)).collect();
        let marks = (!marks.is_empty()).then(|| Shape::filled(marks, MARK));
        [Some(body), marks].into_iter().flatten()
    }

    /// A ring around the body if it is too small to be noticed.
    pub fn ring_if_small(&self, view: &View, placement: Placement, paint: Paint) -> Option<Shape> {
        (self.reach * f64::from(view.scale) < SMALL).then(|| self.ring(view, placement, paint, 2.0))
    }

    /// A ring around the body, `width` pixels wide.
    pub fn ring(&self, view: &View, placement: Placement, paint: Paint, width: f64) -> Shape {
        let radius = self.reach.max(view.cells(6.0));
        Shape::outlines(vec![disc(placement.pivot, radius)], paint, view.cells(width))
    }
}

/// Points rotated about the origin, counter-clockwise as seen on the screen, then moved by `pivot`.
fn rotated(points: &[Point], angle: f64, pivot: Point) -> Vec<Point> {
    let (sin, cos) = angle.sin_cos();
    let [x, y] = pivot;
    points.iter().map(|[px, py]| [x + px * cos + py * sin, y + py * cos - px * sin]).collect()
}

/// A circle as a polygon.
pub fn disc([x, y]: Point, radius: f64) -> Vec<Point> {
    const CORNERS: u32 = 24;
    let corner = |number| {
        let angle = f64::from(number) * TAU / f64::from(CORNERS);
        [x + radius * angle.cos(), y + radius * angle.sin()]
    };
    (0..CORNERS).map(corner).collect()
}

/// A triangle in the foremost cells of an east-facing body, given by the centres of its cells.
fn arrow(cells: &[Point]) -> Vec<Point> {
    let front = cells.iter().map(|cell| cell[0]).fold(f64::NEG_INFINITY, f64::max);
    let foremost = cells.iter().filter(|cell| cell[0] > front - 0.25).map(|cell| cell[1]);
    let (low, high) =
        foremost.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    let (tip, middle) = (front + 0.5 - 2.0 * INSET, (low + high) / 2.0);
    let wide = ((high - low + 1.0) / 2.0 * 0.75).min(0.9);
    let long = (0.3 + wide * 0.4).min(0.55);
    vec![[tip, middle], [tip - long, middle - wide], [tip - long, middle + wide]]
}

/// Centre and radius of the place for a sign on an east-facing body, given by the centres of its cells. It is in the
/// rear, or behind the arrow if the body is one cell long.
fn behind_arrow(cells: &[Point]) -> (Point, f64) {
    let front = cells.iter().map(|cell| cell[0]).fold(f64::NEG_INFINITY, f64::max);
    let rear = cells.iter().map(|cell| cell[0]).fold(f64::INFINITY, f64::min);
    let column = if front - rear < 0.75 { front } else { rear };
    let ys: Vec<f64> =
        cells.iter().filter(|cell| (cell[0] - column).abs() < 0.25).map(|cell| cell[1]).collect();
    let mean = ys.iter().sum::<f64>() / ys.len().max(1) as f64;
    let nearest = ys.iter().copied().min_by(|a, b| (a - mean).abs().total_cmp(&(b - mean).abs()));
    // Between two cells that touch there is room as well.
    let y = nearest.filter(|y| (y - mean).abs() > 0.5 + 1e-9).unwrap_or(mean);
    if column == front { ([front - 0.27, y], 0.13) } else { ([rear, y], 0.22) }
}

/// The outline of a set of cells, moved inward by `inset`: a loop for each border, holes included.
fn outline(lattice: Lattice, cells: &BTreeSet<CellXY>, inset: f64) -> Vec<Vec<Point>> {
    // Sides on the border of the set, by their first corner.
    let mut sides: BTreeMap<Corner, Vec<Corner>> = BTreeMap::new();
    for &cell in cells {
        for (number, _, next) in lattice.neighbours(cell) {
            if !cells.contains(&next) {
                let [from, to] = lattice.side(cell, number);
                sides.entry(from).or_default().push(to);
            }
        }
    }
    let mut loops = Vec::new();
    while let Some((&first, _)) = sides.first_key_value() {
        let (mut corners, mut at) = (Vec::new(), first);
        while let Some(ends) = sides.get_mut(&at) {
            let Some(end) = ends.pop() else { break };
            if ends.is_empty() {
                sides.remove(&at);
            }
            corners.push(at);
            at = end;
        }
        let points: Vec<Point> = corners.into_iter().map(|corner| lattice.point(corner)).collect();
        loops.push(inset_loop(&points, inset));
    }
    loops
}

/// A loop of corners moved to its left by `inset`. Drops corners within straight lines.
fn inset_loop(points: &[Point], inset: f64) -> Vec<Point> {
    let n = points.len();
    let direction = |number: usize| {
        let ([ax, ay], [bx, by]) = (points[number % n], points[(number + 1) % n]);
        let length = (bx - ax).hypot(by - ay);
        [(bx - ax) / length, (by - ay) / length]
    };
    let corner = |number: usize| {
        let ([ax, ay], [bx, by]) = (direction(number + n - 1), direction(number));
        let along = ax * bx + ay * by;
        // Sides run counter-clockwise on the screen, so the inside is to the left: (y, -x).
        let part = inset / (1.0 + along);
        let [x, y] = points[number];
        (along < 1.0 - 1e-9).then_some([x + (ay + by) * part, y - (ax + bx) * part])
    };
    (0..n).filter_map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::GridShape;

    fn area(points: &[Point]) -> f64 {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|([ax, ay], [bx, by])| (ax * by - bx * ay) / 2.0).sum::<f64>().abs()
    }

    #[test]
    fn an_outline_encloses_its_cells() {
        let square = Lattice(GridShape::Square);
        let hex = Lattice(GridShape::Hex);
        for (lattice, cells, n_loops, area_of_cell) in [
            (square, vec![(0, 0), (1, 0), (1, 1)], 1, 1.0),
            // Two cells that share only a corner.
            (square, vec![(0, 0), (1, 1)], 1, 1.0),
            // A ring: the hole is a separate loop.
            (square, (0..9).filter(|&at| at != 4).map(|at| (at % 3, at / 3)).collect(), 2, 1.0),
            (hex, vec![(0, 0), (-1, 0), (0, 1)], 1, 3_f64.sqrt() / 2.0),
        ] {
            let cells: BTreeSet<CellXY> = cells.into_iter().map(|(x, y)| CellXY::new(x, y)).collect();
            let loops = outline(lattice, &cells, 0.0);
            assert!(loops.len() >= n_loops, "{loops:?}");
            let sum: f64 = loops.iter().map(|points| area(points)).sum();
            let hole = if n_loops == 2 { 2.0 } else { 0.0 };
            assert!((sum - hole - cells.len() as f64 * area_of_cell).abs() < 1e-9, "{loops:?}");
            let inside: f64 = outline(lattice, &cells, 0.1).iter().map(|points| area(points)).sum();
            assert!(n_loops == 2 || inside < sum - 0.1, "{inside} {sum}");
        }
    }

    #[test]
    fn a_body_that_turns_within_its_cells_has_an_outline_for_it() {
        let body = |cells: Vec<(i32, i32)>| {
            let mut spec = wheelbase_planner::ClassSpec::new("body", 4);
            (spec.footprint, spec.primitives) = (cells, wheelbase_planner::Primitive::vehicle(1, 1, 1));
            BodyShape::inset_by(INSET, &MovementClass::new(spec).unwrap(), 0)
        };
        let (round, truck) = (body(vec![(0, 0)]), body(vec![(0, 0), (-1, 0)]));
        // The disc stands behind the outlines of the headings.
        assert_eq!((round.outlines.len(), truck.outlines.len()), (5, 4));
        assert_eq!((round.outline_in(Heading(2), 1), truck.outline_in(Heading(2), -1)), (Some(4), None));
        assert_eq!((round.outline_in(Heading(2), 0), truck.outline_in(Heading(2), 0)), (Some(2), Some(2)));
        let to = Pose::new(3, 2, Heading(1));
        let placed = round.moving(Pose { heading: Heading(0), ..to }, to, 1, 0.5);
        let facing = TAU / 8.0;
        assert_eq!(placed, Placement { pivot: [3.5, 2.5], outline: 4, rotation: 0.0, facing });
        let radius = 0.5 - INSET;
        let far = |point: &Point| (point[0] - 3.5).hypot(point[1] - 2.5);
        assert!(round.outline(placed)[0].iter().all(|point| (far(point) - radius).abs() < 1e-9));
        let placed = truck.moving(Pose { heading: Heading(0), ..to }, to, 1, 0.5);
        assert_eq!((placed.outline, placed.rotation), (0, facing));
        assert_eq!(
            truck.resting(to),
            Placement { pivot: [3.5, 2.5], outline: 1, rotation: 0.0, facing: TAU / 4.0 }
        );
    }

    #[test]
    fn a_single_cell_is_inset_evenly() {
        let cells = BTreeSet::from([CellXY::new(3, 2)]);
        let mut points = outline(Lattice(GridShape::Square), &cells, 0.1).remove(0);
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let expected = [[3.1, 2.1], [3.1, 2.9], [3.9, 2.1], [3.9, 2.9]];
        for (point, expected) in points.iter().zip(expected) {
            assert!((point[0] - expected[0]).abs() + (point[1] - expected[1]).abs() < 1e-9, "{points:?}");
        }
    }
}
