//! Where units lie in the plane: x to the east, y to the south, as in Godot's 2D and on its ground in 3D.

use wheelbase_grid::{GridShape, Lattice, Point};
use wheelbase_sim::{AgentRow, Body, CellXY, Heading, Pose};

/// The bodies of a class, and its headings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassBody {
    pub(crate) body: Body,
    pub(crate) headings: u8,
}

impl ClassBody {
    /// Centre of a unit in cell widths, and its angle in radians, counter-clockwise from east, at a time in ticks.
    pub(crate) fn at(&self, row: &AgentRow, time: f64) -> (Point, f64) {
        (self.body.centre_at(row, time), row.angle_at(self.headings, time))
    }

    /// The pose whose body is nearest to a centre and an angle as in [`ClassBody::at`].
    pub(crate) fn nearest_pose(&self, shape: GridShape, [x, y]: Point, angle: f64) -> Pose {
        let headings = f64::from(self.headings);
        let heading = (angle / std::f64::consts::TAU * headings).round().rem_euclid(headings);
        let heading = Heading(heading as u8);
        let row = AgentRow { from_heading: heading.0, to_heading: heading.0, ..AgentRow::default() };
        let [from_x, from_y] = Lattice(shape).centre(CellXY::new(0, 0));
        let [to_x, to_y] = self.body.centre_at(&row, 0.0);
        let cell = Lattice(shape).cell_at([x - (to_x - from_x), y - (to_y - from_y)]);
        Pose { cell, heading }
    }
}

/// Where the map lies: width of a cell, and the north-west corner of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) cell_size: f64,
    pub(crate) origin: [f64; 2],
}

impl Place {
    /// The point of the plane for a point in cell widths.
    pub(crate) fn to_plane(self, [x, y]: Point) -> [f64; 2] {
        [self.origin[0] + x * self.cell_size, self.origin[1] + y * self.cell_size]
    }

    /// The point in cell widths for a point of the plane.
    pub(crate) fn to_map(self, [x, y]: [f64; 2]) -> Point {
        [(x - self.origin[0]) / self.cell_size, (y - self.origin[1]) / self.cell_size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_sim::{ClassSpec, MovementClass, Primitive};

    #[test]
    fn the_pose_drawn_at_a_place_is_the_nearest_one_there() {
        for (headings, footprint) in [
            (4, vec![(0, 0), (-1, 0)]),
            (4, vec![(0, 0), (-1, 0), (-2, 0), (0, 1), (-1, 1), (-2, 1)]),
            (8, vec![(0, 0), (-1, 0)]),
            (1, vec![(0, 0)]),
        ] {
            let mut spec = ClassSpec::new("body", headings);
            spec.footprint = footprint;
            spec.primitives = match headings {
                1 => Primitive::four_directions(4),
                _ => vec![Primitive::turn("left", 1, 4)],
            };
            let class = MovementClass::new(spec).unwrap();
            let body = ClassBody { body: Body::of(&class), headings };
            for heading in 0..headings {
                let pose = Pose::new(5, 7, Heading(heading));
                let row = AgentRow {
                    from_x: 5,
                    from_y: 7,
                    to_x: 5,
                    to_y: 7,
                    from_heading: heading,
                    to_heading: heading,
                    ..AgentRow::default()
                };
                let ([x, y], angle) = body.at(&row, 0.0);
                for nudge in [-0.4, 0.0, 0.4] {
                    let found =
                        body.nearest_pose(GridShape::Square, [x + nudge, y - nudge], angle + nudge / 4.0);
                    assert_eq!(found, pose, "{headings} headings, nudge {nudge}");
                }
            }
        }
    }

    #[test]
    fn points_come_back() {
        let place = Place { cell_size: 16.0, origin: [-32.0, 8.0] };
        assert_eq!(place.to_plane([2.5, 0.5]), [8.0, 16.0]);
        assert_eq!(place.to_map([8.0, 16.0]), [2.5, 0.5]);
    }
}
