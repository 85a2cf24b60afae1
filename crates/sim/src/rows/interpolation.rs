//! Where an agent is between two ticks, for renderers. Floats begin here and reach no state.

use crate::rows::agent_row::AgentRow;
use std::f64::consts::TAU;
use wheelbase_grid::{CellXY, GridShape, Lattice, Point};
use wheelbase_planner::{Heading, MovementClass, Pose};

/// Times are in ticks, with a fraction. After the step that leads to tick t, a row answers for times from t - 1 to t
/// exactly. For times outside its move it gives the nearer end of the move.
impl AgentRow {
    /// The part of the present or last move that is done at a time: 0 to 1, both reached exactly.
    pub fn part(&self, time: f64) -> f64 {
        let (begin, end) = (f64::from(self.begin_tick), f64::from(self.end_tick));
        if time >= end {
            1.0
        } else if time <= begin {
            0.0
        } else {
            (time - begin) / (end - begin)
        }
    }

    /// The centre of the anchor cell at a time, as the [`Lattice`] of the map places it. In cell widths, x to the east,
    /// y to the south. It moves straight and at a constant speed, and stays put in a turn in place.
    pub fn anchor_at(&self, shape: GridShape, time: f64) -> Point {
        Lattice(shape).between(self.from().cell, self.to().cell, self.part(time))
    }

    /// The heading at a time for a class with `headings` headings, in heading steps counter-clockwise from east: 0 up
    /// to, not including, `headings`. It turns at a constant rate, the way of the primitive, which may be the longer
    /// one.
    pub fn heading_at(&self, headings: u8, time: f64) -> f64 {
        let headings = f64::from(headings);
        let heading = f64::from(self.from_heading) + f64::from(self.turn) * self.part(time);
        let heading = heading.rem_euclid(headings);
        // A number just below 0 is rounded up to `headings`.
        if heading < headings { heading } else { 0.0 }
    }

    /// [`heading_at`](Self::heading_at) in radians. As y grows to the south, a facing of angle a points to
    /// `(cos a, -sin a)`.
    pub fn angle_at(&self, headings: u8, time: f64) -> f64 {
        self.heading_at(headings, time) * TAU / f64::from(headings)
    }
}

/// The body of a class as it moves: pivot and centre. The body turns about its pivot, which keeps its place relative to
/// the anchor cell. A body that lies to one side of its pivot swings round it.
///
/// ```
/// use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
/// use wheelbase_sim::{AgentRow, Body};
///
/// // Two cells; the pivot is in the front one, the anchor.
/// let mut spec = ClassSpec::new("truck", 4);
/// spec.footprint = vec![(0, 0), (-1, 0)];
/// spec.primitives = vec![Primitive::turn("left", 1, 10)];
/// let body = Body::of(&MovementClass::new(spec)?);
/// // From east to north.
/// let row = AgentRow { to_heading: 1, turn: 1, end_tick: 10, ..AgentRow::default() };
/// assert_eq!((body.pivot_at(&row, 5.0), body.centre_at(&row, 0.0)), ([0.5, 0.5], [0.0, 0.5]));
/// let [x, y] = body.centre_at(&row, 10.0);
/// assert!((x - 0.5).abs() < 1e-9 && (y - 1.0).abs() < 1e-9);
/// # Ok::<(), wheelbase_planner::model::ClassError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    shape: GridShape,
    headings: u8,
    /// The pivot relative to the centre of the anchor cell, in cell widths: x to the east, y to the south.
    pub pivot: Point,
    /// The mean of the centres of its cells while it faces east, relative to the pivot.
    pub centre: Point,
}

impl Body {
    /// The body of a class. Linear in its cells.
    pub fn of(class: &MovementClass) -> Self {
        let lattice = Lattice(class.grid_shape());
        let half_steps = class.spec().pivot;
        let pivot = lattice.half_steps(half_steps.forward, half_steps.right);
        let anchor = CellXY::new(0, 0);
        let [x, y] = lattice.centre(anchor);
        let cells = class.cells_at(Pose { cell: anchor, heading: Heading(0) });
        let n = cells.len().max(1) as f64;
        let centres = cells.iter().map(|cell| lattice.centre(cell.cell_from(anchor)));
        let [sum_x, sum_y] = centres.fold([0.0, 0.0], |[sum_x, sum_y], [x, y]| [sum_x + x, sum_y + y]);
        let centre = [sum_x / n - x - pivot[0], sum_y / n - y - pivot[1]];
        Self { shape: class.grid_shape(), headings: class.headings(), pivot, centre }
    }

    /// The pivot of an agent of the class at a time in ticks.
    pub fn pivot_at(&self, row: &AgentRow, time: f64) -> Point {
        let [x, y] = row.anchor_at(self.shape, time);
        [x + self.pivot[0], y + self.pivot[1]]
    }

    /// The centre of the body of an agent of the class at a time in ticks. At a diagonal heading it belongs to the
    /// turned body, which the cells of the footprint only approximate.
    pub fn centre_at(&self, row: &AgentRow, time: f64) -> Point {
        self.point_at(row, self.centre, time)
    }

    /// Position of a point of the body at a time in ticks. The point is relative to the pivot of the east-facing body.
    pub fn point_at(&self, row: &AgentRow, [right, down]: Point, time: f64) -> Point {
        let [x, y] = self.pivot_at(row, time);
        let (sin, cos) = row.angle_at(self.headings, time).sin_cos();
        [x + right * cos + down * sin, y + down * cos - right * sin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wheelbase_planner::model::{Pivot, Sweep};
    use wheelbase_planner::{ClassSpec, Primitive};

    /// A body of 1 to 6 cells in a row or two on the lattice of 4 or 8 headings, or of 6 on hexagons.
    fn body() -> impl Strategy<Value = MovementClass> {
        let headings = prop::sample::select(&[4_u8, 8, 6]);
        let pivot = (-2_i32..3, -2_i32..3, any::<bool>());
        let parts = (headings, 1_i32..4, 1_i32..3, pivot);
        // A small body far from its pivot can cover no half of a cell at a diagonal heading.
        parts.prop_filter_map("a body", |(headings, length, width, (forward, right, half))| {
            let mut spec = ClassSpec::new("body", headings);
            spec.shape = if headings == 6 { GridShape::Hex } else { GridShape::Square };
            spec.sweep = Sweep::usual(spec.shape);
            spec.footprint = (0..length).flat_map(|f| (0..width).map(move |r| (f, r))).collect();
            let half = i32::from(half && headings != 6);
            spec.pivot = Pivot { forward: 2 * forward + half, right: 2 * right + half };
            spec.primitives = vec![Primitive::turn("left", 1, 8)];
            MovementClass::new(spec).ok()
        })
    }

    /// A move with its class: from a pose, by cells and heading steps, from a tick for some ticks.
    fn moves() -> impl Strategy<Value = (MovementClass, AgentRow)> {
        let numbers = (0_i32..20, 0_i32..20, -3_i32..4, -3_i32..4);
        (body(), numbers, any::<u8>(), -7_i32..8, 0_u32..1000, 1_u32..30).prop_map(
            |(class, (x, y, dx, dy), from, turn, begin_tick, ticks)| {
                let headings = i32::from(class.headings());
                let (from, turn) = (i32::from(from) % headings, turn % headings);
                let row = AgentRow {
                    primitive: 0,
                    from_x: x,
                    from_y: y,
                    to_x: x + dx,
                    to_y: y + dy,
                    from_heading: from as u8,
                    to_heading: (from + turn).rem_euclid(headings) as u8,
                    turn: turn as i8,
                    begin_tick,
                    end_tick: begin_tick + ticks,
                    ..AgentRow::default()
                };
                (class, row)
            },
        )
    }

    fn is_near([ax, ay]: Point, [bx, by]: Point) -> bool {
        (ax - bx).abs() < 1e-9 && (ay - by).abs() < 1e-9
    }

    /// Mean of the centres of the cells that a class covers at a pose.
    fn centre_of_cells(class: &MovementClass, pose: Pose) -> Point {
        let lattice = Lattice(class.grid_shape());
        let cells = class.cells_at(pose);
        let centres = || cells.iter().map(|cell| lattice.centre(cell.cell_from(pose.cell)));
        let n = cells.len() as f64;
        [centres().map(|[x, _]| x).sum::<f64>() / n, centres().map(|[_, y]| y).sum::<f64>() / n]
    }

    proptest! {
        #[test]
        fn ends_are_the_poses_exactly((class, row) in moves()) {
            let (shape, headings, body) = (class.grid_shape(), class.headings(), Body::of(&class));
            let (begin, end) = (f64::from(row.begin_tick), f64::from(row.end_tick));
            for (pose, times) in [(row.from(), [begin, begin - 0.5]), (row.to(), [end, end + 3.0])] {
                for time in times {
                    prop_assert_eq!(row.anchor_at(shape, time), Lattice(shape).centre(pose.cell));
                    prop_assert_eq!(row.heading_at(headings, time), f64::from(pose.heading.0));
                    // Diagonal footprints are not the body turned.
                    if headings != 8 || pose.heading.0.is_multiple_of(2) {
                        let (found, expected) = (body.centre_at(&row, time), centre_of_cells(&class, pose));
                        prop_assert!(is_near(found, expected), "{found:?} {expected:?}");
                    }
                }
            }
        }

        #[test]
        fn a_turn_lies_on_its_arc((class, row) in moves(), part in 0.0..1.0_f64) {
            let (headings, body) = (class.headings(), Body::of(&class));
            let time = f64::from(row.begin_tick) + part * f64::from(row.end_tick - row.begin_tick);
            let ([px, py], [x, y]) = (body.pivot_at(&row, time), body.centre_at(&row, time));
            let (dx, dy) = (x - px, y - py);
            let [right, down] = body.centre;
            prop_assert!((dx.hypot(dy) - right.hypot(down)).abs() < 1e-9);
            // Turned from where it began by the part of the turn, in the direction of its sign.
            let began = f64::from(row.from_heading);
            let steps = began + f64::from(row.turn) * part;
            let angle = steps * TAU / f64::from(headings);
            let expected = [right * angle.cos() + down * angle.sin(), down * angle.cos() - right * angle.sin()];
            prop_assert!(is_near([dx, dy], expected));
            let heading = row.heading_at(headings, time);
            prop_assert!((0.0..f64::from(headings)).contains(&heading));
            let turns = (heading - steps) / f64::from(headings);
            prop_assert!((turns - turns.round()).abs() < 1e-9);
        }
    }

    #[test]
    fn the_way_of_a_turn_is_that_of_the_primitive() {
        let turned = |headings: u8, from: u8, turn: i8| {
            let to_heading = (i32::from(from) + i32::from(turn)).rem_euclid(headings.into()) as u8;
            let row = AgentRow { from_heading: from, to_heading, turn, end_tick: 8, ..AgentRow::default() };
            (to_heading, row.heading_at(headings, 4.0))
        };
        // An eighth to the left, and seven eighths to the right, from east to north-east.
        assert_eq!((turned(8, 0, 1), turned(8, 0, -7)), ((1, 0.5), (1, 4.5)));
        assert_eq!((turned(4, 3, 1), turned(4, 3, -3)), ((0, 3.5), (0, 1.5)));
        assert_eq!((turned(6, 0, -1), turned(6, 0, 5)), ((5, 5.5), (5, 2.5)));
        // A half turn goes either way.
        assert_eq!((turned(4, 0, 2), turned(4, 0, -2)), ((2, 1.0), (2, 3.0)));
    }

    #[test]
    fn a_point_in_front_of_a_turning_hexagon_swings_round() {
        let mut spec = ClassSpec::hexagonal("two", 6);
        spec.footprint = vec![(0, 0), (1, 0)];
        spec.primitives = vec![Primitive::turn("left", 1, 8)];
        let body = Body::of(&MovementClass::new(spec).unwrap());
        // From east to north-east, halfway: half a cell to the east, turned by 30 degrees.
        let row = AgentRow { to_heading: 1, turn: 1, end_tick: 8, ..AgentRow::default() };
        let [x, y] = body.pivot_at(&row, 4.0);
        assert!(is_near(body.centre_at(&row, 4.0), [x + 0.75_f64.sqrt() / 2.0, y - 0.25]));
    }
}
