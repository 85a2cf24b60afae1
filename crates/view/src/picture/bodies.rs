//! Bodies: what an agent of a class looks like at each heading.

use crate::colours::class_colour;
use crate::picture::drawing::{Paint, Shape};
use crate::picture::lattice::{Corner, Lattice, Point};
use crate::picture::view::View;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use wheelbase_grid::CellXY;
use wheelbase_grid::Rgb;
use wheelbase_planner::{Heading, MovementClass, Pose};

/// Below so many points a cell bodies are plain, without facing.
const SHAPES_FROM: u32 = 4;
/// From so many on they have an outline.
const OUTLINE_FROM: u32 = 9;
/// A body is small that reaches no farther than so many points from its pivot.
const SMALL: f64 = 16.0;
/// By how much a body stays within its cells, in cells.
const INSET: f64 = 0.07;

const OUTLINE: Paint = Paint::new([0; 3], 191);
const MARK: Paint = Paint::new([0; 3], 158);

/// The shapes of a class. Points are about the pivot.
#[derive(Clone, Debug)]
pub struct Body {
    lattice: Lattice,
    /// From the centre of the anchor's cell.
    pivot: Point,
    n_headings: u8,
    /// Loops, by heading.
    outlines: Vec<Vec<Vec<Point>>>,
    /// What shows the facing, at heading 0.
    mark: Vec<Point>,
    /// Its farthest point is no farther from the pivot.
    pub reach: f64,
    /// Its colour.
    pub colour: Rgb,
}

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Of the pivot.
    pub at: Point,
    /// The heading whose shape it has.
    pub heading: Heading,
    /// By how much that is turned, in radians counter-clockwise.
    pub turned: f64,
}

impl Body {
    /// That of a class, in the colour of its number.
    pub fn of(class: &MovementClass, number: usize, view: &View) -> Self {
        let lattice = Lattice(class.grid_shape());
        let pivot = class.spec().pivot;
        let pivot = lattice.half_steps(pivot.forward, pivot.right);
        let inset = if view.scale >= SHAPES_FROM { INSET } else { 0.0 };
        // Cells lie alike in the plane about an anchor in any row.
        let anchor = CellXY::new(0, 0);
        let centre = lattice.centre(anchor);
        let about = |[x, y]: Point| [x - centre[0] - pivot[0], y - centre[1] - pivot[1]];
        let outline = |heading| {
            let cells = class.cells_at(Pose { cell: anchor, heading: Heading(heading) });
            let cells: BTreeSet<CellXY> = cells.iter().map(|cell| CellXY::new(cell.dx, cell.dy)).collect();
            let loops = outline(lattice, &cells, inset).into_iter();
            loops.map(|points| points.into_iter().map(about).collect()).collect()
        };
        let outlines: Vec<Vec<Vec<Point>>> = (0..class.headings()).map(outline).collect();
        let far = |point: &Point| point[0].hypot(point[1]);
        let reach = outlines.iter().flatten().flatten().map(far).fold(0.0, f64::max);
        let east = class.cells_at(Pose { cell: anchor, heading: Heading(0) }).iter();
        let east: Vec<Point> =
            east.map(|cell| about(lattice.centre(CellXY::new(cell.dx, cell.dy)))).collect();
        let mark = if class.headings() > 1 { arrow(&east) } else { disc([-pivot[0], -pivot[1]], 0.2) };
        let n_headings = class.headings();
        Self { lattice, pivot, n_headings, outlines, mark, reach, colour: class_colour(number) }
    }

    /// Where the pivot of a pose is.
    pub fn pivot_at(&self, cell: CellXY) -> Point {
        let [x, y] = self.lattice.centre(cell);
        [x + self.pivot[0], y + self.pivot[1]]
    }

    /// An agent at rest.
    pub fn resting(&self, pose: Pose) -> Place {
        Place { at: self.pivot_at(pose.cell), heading: pose.heading, turned: 0.0 }
    }

    /// An agent on its way from a pose to another, `part` of it done. A turning body is that of its first
    /// heading up to the middle, then that of its second.
    pub fn moving(&self, from: Pose, to: Pose, turn: i32, part: f64) -> Place {
        let ([ax, ay], [bx, by]) = (self.pivot_at(from.cell), self.pivot_at(to.cell));
        let turn = f64::from(turn) * TAU / f64::from(self.n_headings);
        let (heading, turned) =
            if part < 0.5 { (from.heading, turn * part) } else { (to.heading, turn * (part - 1.0)) };
        Place { at: [ax + (bx - ax) * part, ay + (by - ay) * part], heading, turned }
    }

    /// The loops of its outline at a place.
    pub fn outline(&self, place: Place) -> Vec<Vec<Point>> {
        let outline = self.outlines.get(usize::from(place.heading.0)).map_or(&[][..], Vec::as_slice);
        outline.iter().map(|points| turned(points, place.at, place.turned)).collect()
    }

    /// What is drawn of it at a place: the body with its title, and the mark of its facing.
    pub fn shapes(&self, view: &View, place: Place, title: String) -> impl Iterator<Item = Shape> + use<> {
        let mut body = Shape::filled(self.outline(place), Paint::solid(self.colour)).titled(title);
        if view.scale >= OUTLINE_FROM {
            body = body.with_outline(OUTLINE, view.points(1.2));
        }
        let facing = f64::from(place.heading.0) * TAU / f64::from(self.n_headings);
        let mark = (view.scale >= SHAPES_FROM)
            .then(|| Shape::filled(vec![turned(&self.mark, place.at, facing + place.turned)], MARK));
        [Some(body), mark].into_iter().flatten()
    }

    /// A ring around it where it is too small to be found.
    pub fn ring_if_small(&self, view: &View, place: Place, paint: Paint) -> Option<Shape> {
        (self.reach * f64::from(view.scale) < SMALL).then(|| self.ring(view, place, paint, 2.0))
    }

    /// A ring around it.
    pub fn ring(&self, view: &View, place: Place, paint: Paint, points: f64) -> Shape {
        let radius = self.reach.max(view.points(6.0));
        Shape::outlines(vec![disc(place.at, radius)], paint, view.points(points))
    }
}

/// Points turned counter-clockwise, as seen on the screen, and moved.
fn turned(points: &[Point], [x, y]: Point, angle: f64) -> Vec<Point> {
    let (sin, cos) = angle.sin_cos();
    points.iter().map(|[px, py]| [x + px * cos + py * sin, y + py * cos - px * sin]).collect()
}

/// A circle.
pub fn disc([x, y]: Point, radius: f64) -> Vec<Point> {
    const CORNERS: u32 = 24;
    let corner = |number| {
        let angle = f64::from(number) * TAU / f64::from(CORNERS);
        [x + radius * angle.cos(), y + radius * angle.sin()]
    };
    (0..CORNERS).map(corner).collect()
}

/// A triangle in the foremost of cells that face east, given by their centres.
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

/// The outline of cells, drawn in by `inset`: a loop for each border.
fn outline(lattice: Lattice, cells: &BTreeSet<CellXY>, inset: f64) -> Vec<Vec<Point>> {
    // Sides beyond which no cell follows, by the corner in which they begin.
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
        loops.push(drawn_in(&points, inset));
    }
    loops
}

/// A loop of corners moved to its left by `inset`, without those in straight lines.
fn drawn_in(points: &[Point], inset: f64) -> Vec<Point> {
    let n = points.len();
    let direction = |number: usize| {
        let ([ax, ay], [bx, by]) = (points[number % n], points[(number + 1) % n]);
        let length = (bx - ax).hypot(by - ay);
        [(bx - ax) / length, (by - ay) / length]
    };
    let corner = |number: usize| {
        let ([ax, ay], [bx, by]) = (direction(number + n - 1), direction(number));
        let along = ax * bx + ay * by;
        // Sides run counter-clockwise on the screen, so the inside is to their left: (y, -x).
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
            // Two that touch in a corner alone.
            (square, vec![(0, 0), (1, 1)], 1, 1.0),
            // A ring: its hole is a loop too.
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
    fn a_single_cell_is_drawn_in_evenly() {
        let cells = BTreeSet::from([CellXY::new(3, 2)]);
        let mut points = outline(Lattice(GridShape::Square), &cells, 0.1).remove(0);
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let expected = [[3.1, 2.1], [3.1, 2.9], [3.9, 2.1], [3.9, 2.9]];
        for (point, expected) in points.iter().zip(expected) {
            assert!((point[0] - expected[0]).abs() + (point[1] - expected[1]).abs() < 1e-9, "{points:?}");
        }
    }
}
