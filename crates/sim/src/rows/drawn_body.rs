//! The shape to draw for a body between two ticks. It stays within the cells that the move sweeps in full, so bodies
//! drawn like this never overlap where all moves do so.

use crate::rows::agent_row::AgentRow;
use std::f64::consts::TAU;
use wheelbase_grid::{CellXY, GridShape, Lattice, Point};
use wheelbase_planner::{Heading, MovementClass, Pose};

/// What drawing the bodies of a class takes.
///
/// ```
/// use wheelbase_planner::{ClassSpec, Heading, MovementClass, Primitive};
/// use wheelbase_sim::{AgentRow, DrawnClass, DrawnForm};
///
/// // One cell: it turns within its cell, as the disc inscribed in it.
/// let mut spec = ClassSpec::new("scout", 4);
/// spec.primitives = vec![Primitive::turn("left", 1, 10)];
/// let class = DrawnClass::of(&MovementClass::new(spec)?);
/// let row = AgentRow { to_heading: 1, turn: 1, end_tick: 10, ..AgentRow::default() };
/// let body = class.at(&row, 5.0);
/// assert_eq!((body.pivot, body.form), ([0.5, 0.5], DrawnForm::Disc { radius: 0.5 }));
/// let at_rest = DrawnForm::Cells { heading: Heading(1), angle: 0.0 };
/// assert_eq!(class.at(&row, 10.0).form, at_rest);
/// # Ok::<(), wheelbase_planner::model::ClassError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnClass {
    shape: GridShape,
    pivot: Point,
    /// By heading.
    cells: Vec<Vec<Point>>,
    /// Radius of the disc inscribed in the body, if that is a square about the pivot.
    radius: Option<f64>,
    /// Whether the body counts as round: `[start * (2 * headings - 1) + turn + headings - 1]`.
    round: Vec<bool>,
}

/// A body at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnBody {
    /// Position of the pivot, in cell widths: x to the east, y to the south.
    pub pivot: Point,
    /// The drawing there.
    pub form: DrawnForm,
}

/// The form of a body, about its pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawnForm {
    /// The [cells](DrawnClass::cells) covered at a heading, turned about the pivot.
    Cells {
        /// The heading.
        heading: Heading,
        /// The angle by which they are turned from there, in radians, counter-clockwise as seen on the screen.
        angle: f64,
    },
    /// A disc about the pivot: a body that counts as round while it turns, since a turning square sticks out of its
    /// cells.
    Disc {
        /// Its radius, in cell widths.
        radius: f64,
    },
}

impl DrawnClass {
    /// Works out the bodies of a class. Linear in its cells.
    pub fn of(class: &MovementClass) -> Self {
        let lattice = Lattice(class.grid_shape());
        let pivot = lattice.half_steps(class.spec().pivot.forward, class.spec().pivot.right);
        let anchor = CellXY::new(0, 0);
        let [x, y] = lattice.centre(anchor);
        let centre = |cell: CellXY| {
            let [cx, cy] = lattice.centre(cell);
            [cx - x - pivot[0], cy - y - pivot[1]]
        };
        let headings = class.headings();
        let cells_at = |heading| class.cells_at(Pose { cell: anchor, heading: Heading(heading) });
        let cells = |heading| cells_at(heading).iter().map(|by| centre(by.cell_from(anchor))).collect();
        let cells: Vec<Vec<Point>> = (0..headings).map(cells).collect();
        let turns = 1 - i32::from(headings)..i32::from(headings);
        let of_start = |start| turns.clone().map(move |turn| class.is_round_in(Heading(start), turn));
        let round = (0..headings).flat_map(of_start).collect();
        Self {
            shape: class.grid_shape(),
            pivot,
            radius: inscribed(class.grid_shape(), &cells[0]),
            cells,
            round,
        }
    }

    /// Centres of the cells covered at a heading, relative to the pivot, in cell widths: x to the east, y to the south.
    /// None if the class lacks the heading.
    pub fn cells(&self, heading: Heading) -> &[Point] {
        self.cells.get(usize::from(heading.0)).map_or(&[], Vec::as_slice)
    }

    /// Radius of the disc as which the body is drawn where it counts as round. `None` of bodies that are no square
    /// about their pivot: they keep their cells.
    pub fn radius(&self) -> Option<f64> {
        self.radius
    }

    /// The form during a move from a heading to another by `turn` heading steps, of which `part`, 0 to 1, is done.
    /// A turning body is the east-facing one, turned about its pivot at a constant rate.
    pub fn form(&self, from: Heading, to: Heading, turn: i32, part: f64) -> DrawnForm {
        let n_headings = self.cells.len() as i32;
        let at_rest = |heading| DrawnForm::Cells { heading, angle: 0.0 };
        if turn == 0 || part <= 0.0 {
            return at_rest(from);
        } else if part >= 1.0 {
            return at_rest(to);
        }
        let number = i32::from(from.0) * (2 * n_headings - 1) + turn + n_headings - 1;
        match (usize::try_from(number).ok().and_then(|number| self.round.get(number)), self.radius) {
            (Some(true), Some(radius)) => DrawnForm::Disc { radius },
            (Some(true), None) => at_rest(from),
            _ => {
                let steps = f64::from(from.0) + f64::from(turn) * part;
                DrawnForm::Cells { heading: Heading(0), angle: steps * TAU / f64::from(n_headings) }
            }
        }
    }

    /// The body of an agent of the class at a time in ticks, with a fraction.
    pub fn at(&self, row: &AgentRow, time: f64) -> DrawnBody {
        let [x, y] = row.anchor_at(self.shape, time);
        let (from, to) = (row.from().heading, row.to().heading);
        DrawnBody {
            pivot: [x + self.pivot[0], y + self.pivot[1]],
            form: self.form(from, to, row.turn.into(), row.part(time)),
        }
    }
}

/// Radius of the disc inscribed in a body that is a square about the origin, or one hexagon; given by the centres of
/// its cells.
fn inscribed(shape: GridShape, cells: &[Point]) -> Option<f64> {
    let side = (1..).find(|side| side * side >= cells.len())?;
    let half = (side as f64 - 1.0) / 2.0;
    let within = |&[x, y]: &Point| x.abs() <= half + 1e-9 && y.abs() <= half + 1e-9;
    let is_square = side * side == cells.len() && cells.iter().all(within);
    (is_square && (shape == GridShape::Square || side == 1)).then_some(half + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wheelbase_planner::model::Pivot;
    use wheelbase_planner::{ClassSpec, Primitive, When};

    fn spec() -> impl Strategy<Value = ClassSpec> {
        let body = (1_i32..4, 1_i32..4, -1_i32..2, any::<bool>());
        let motion = ((-2_i32..3, -2_i32..3), -7_i32..8);
        (prop::sample::select(&[4_u8, 8]), body, motion).prop_map(
            |(headings, (length, width, off, half), (by, turn))| {
                let mut spec = ClassSpec::new("body", headings);
                spec.footprint = (0..length).flat_map(|f| (0..width).map(move |r| (f, r))).collect();
                // The middle where the body has one, so that squares are round.
                let (forward, right) = (length - 1 + 2 * off, width - 1);
                let half = i32::from(half);
                let odd = (forward - right) % 2 != 0;
                spec.pivot = Pivot { forward, right: if odd { right + 1 - 2 * half } else { right } };
                let turn = turn % i32::from(headings);
                let by = if turn == 0 && by == (0, 0) { (1, 1) } else { by };
                let framed = headings == 8 && by != (0, 0);
                let primitive = |when| Primitive { turn, when, ..Primitive::step("m", by, 8) };
                spec.primitives = match framed {
                    true => vec![primitive(When::Straight), primitive(When::Diagonal)],
                    false => vec![primitive(When::Any)],
                };
                spec
            },
        )
    }

    /// Whether a unit square, its centre and angle given, reaches farther than `by` into that of a cell.
    fn reaches([x, y]: Point, angle: f64, [cx, cy]: Point, by: f64) -> bool {
        let (sin, cos) = angle.sin_cos();
        let (dx, dy) = (x - cx, y - cy);
        let half = 0.5 + (sin.abs() + cos.abs()) / 2.0;
        let axes = [dx, dy, dx * cos - dy * sin, dx * sin + dy * cos];
        axes.into_iter().all(|distance| half - distance.abs() > by)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn a_drawn_body_stays_within_the_swept_cells(spec in spec()) {
            let Ok(class) = MovementClass::new(spec) else { return Ok(()) };
            let drawn = DrawnClass::of(&class);
            let anchor = CellXY::new(0, 0);
            for heading in (0..class.headings()).map(Heading) {
                for (number, primitive) in class.primitives().iter().enumerate() {
                    let shape = class.shape_at(Pose { cell: anchor, heading }, number);
                    if !shape.applies {
                        continue;
                    }
                    let row = AgentRow {
                        to_x: shape.step.dx,
                        to_y: shape.step.dy,
                        from_heading: heading.0,
                        to_heading: shape.heading_after.0,
                        turn: primitive.turn as i8,
                        end_tick: 40,
                        ..AgentRow::default()
                    };
                    for time in 0..=40 {
                        let body = drawn.at(&row, f64::from(time));
                        let [px, py] = body.pivot;
                        for cell in (-12..13).flat_map(|y| (-12..13).map(move |x| CellXY::new(x, y))) {
                            let centre = Lattice(GridShape::Square).centre(cell);
                            let touched = match body.form {
                                DrawnForm::Disc { radius } => {
                                    let far = |at: f64, from: f64| ((at - from).abs() - 0.5).max(0.0);
                                    far(centre[0], px).hypot(far(centre[1], py)) < radius - 1e-6
                                }
                                DrawnForm::Cells { heading, angle } => {
                                    let (sin, cos) = angle.sin_cos();
                                    let turned = |[x, y]: Point| [px + x * cos + y * sin, py + y * cos - x * sin];
                                    let squares = drawn.cells(heading).iter();
                                    squares.copied().any(|at| reaches(turned(at), angle, centre, 1e-6))
                                }
                            };
                            let swept = shape.swept.iter().any(|by| by.cell_from(anchor) == cell);
                            prop_assert!(swept || !touched, "{:?} {heading:?} {time} {cell:?}", class.spec());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn square_bodies_about_their_pivot_turn_as_discs() {
        let drawn = |cells: Vec<(i32, i32)>, pivot, headings| {
            let mut spec = ClassSpec::new("body", headings);
            (spec.footprint, spec.pivot) = (cells, pivot);
            spec.primitives = vec![Primitive::turn("left", 1, 8)];
            let drawn = DrawnClass::of(&MovementClass::new(spec).unwrap());
            drawn.form(Heading(0), Heading(1), 1, 0.5)
        };
        let block = |n: i32| (0..n).flat_map(|f| (0..n).map(move |r| (f, r))).collect::<Vec<_>>();
        for headings in [4, 8] {
            for n in 1..4 {
                let middle = Pivot { forward: n - 1, right: n - 1 };
                let disc = DrawnForm::Disc { radius: f64::from(n) / 2.0 };
                assert_eq!(drawn(block(n), middle, headings), disc, "{n}");
            }
            let angle = TAU / f64::from(headings) / 2.0;
            let turned = DrawnForm::Cells { heading: Heading(0), angle };
            assert_eq!(drawn(block(2), Pivot::default(), headings), turned);
        }
        // A cross covers the same cells at all four headings, but no disc is inscribed in a square of them.
        let cross = vec![(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)];
        let still = DrawnForm::Cells { heading: Heading(0), angle: 0.0 };
        assert_eq!(drawn(cross, Pivot::default(), 4), still);
    }
}
