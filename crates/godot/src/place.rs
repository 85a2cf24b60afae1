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

/// Where the map lies: width of a cell, height of the map relative to a map of regular cells, and its north-west
/// corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) cell_size: f64,
    pub(crate) stretch: f64,
    pub(crate) origin: [f64; 2],
}

impl Place {
    /// The point of the plane for a point in cell widths.
    pub(crate) fn to_plane(self, [x, y]: Point) -> [f64; 2] {
        [self.origin[0] + x * self.cell_size, self.origin[1] + y * self.cell_size * self.stretch]
    }

    /// The point in cell widths for a point of the plane.
    pub(crate) fn to_map(self, [x, y]: [f64; 2]) -> Point {
        [(x - self.origin[0]) / self.cell_size, (y - self.origin[1]) / (self.cell_size * self.stretch)]
    }

    /// The angle in the plane of an angle on the map. Both are in radians, counter-clockwise from east.
    pub(crate) fn angle(self, on_map: f64) -> f64 {
        stretched(on_map, self.stretch)
    }

    /// The angle on the map of an angle in the plane.
    pub(crate) fn angle_on_map(self, angle: f64) -> f64 {
        stretched(angle, 1.0 / self.stretch)
    }
}

/// The direction of a vector whose y is stretched.
fn stretched(angle: f64, stretch: f64) -> f64 {
    let (sin, cos) = angle.sin_cos();
    if stretch == 1.0 { angle } else { (sin * stretch).atan2(cos) }
}

/// The tiles of a tile set, as far as a map needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    /// The shape of the cells.
    pub(crate) shape: GridShape,
    /// Width and height of a tile.
    pub(crate) size: [i32; 2],
    /// Whether rows with an even number lie half a tile further east, and not the odd ones.
    pub(crate) shifts_even_rows: bool,
}

impl Tiles {
    /// The tiles of a tile set, by its properties `tile_shape`, `tile_layout` and `tile_offset_axis`.
    /// # Errors
    /// The property that no map has, and what would be right.
    pub(crate) fn new(size: [i32; 2], [shape, layout, axis]: [i32; 3]) -> Result<Self, String> {
        /// Constants of Godot's `TileSet`, by value.
        const SHAPES: [&str; 4] = ["SQUARE", "ISOMETRIC", "HALF_OFFSET_SQUARE", "HEXAGON"];
        const LAYOUTS: [&str; 6] =
            ["STACKED", "STACKED_OFFSET", "STAIRS_RIGHT", "STAIRS_DOWN", "DIAMOND_RIGHT", "DIAMOND_DOWN"];
        let name = |names: &[&'static str], value: i32| {
            let name = usize::try_from(value).ok().and_then(|value| names.get(value));
            name.copied().unwrap_or("unknown")
        };
        let (shape, layout) = (name(&SHAPES, shape), name(&LAYOUTS, layout));
        let tiles = |shape| Self { shape, size, shifts_even_rows: layout == "STACKED_OFFSET" };
        match shape {
            "SQUARE" if size[0] == size[1] => Ok(tiles(GridShape::Square)),
            "SQUARE" => Err(format!("tile_size is {} x {}, expected squares", size[0], size[1])),
            "HEXAGON" if axis != 0 => Err("tile_offset_axis is TILE_OFFSET_AXIS_VERTICAL, expected \
                                           TILE_OFFSET_AXIS_HORIZONTAL: hexagons with a corner to the north"
                .to_owned()),
            "HEXAGON" if layout.starts_with("STACKED") => Ok(tiles(GridShape::Hex)),
            "HEXAGON" => Err(format!(
                "tile_layout is TILE_LAYOUT_{layout}, expected TILE_LAYOUT_STACKED or TILE_LAYOUT_STACKED_OFFSET"
            )),
            _ => Err(format!(
                "tile_shape is TILE_SHAPE_{shape}, expected TILE_SHAPE_SQUARE or TILE_SHAPE_HEXAGON"
            )),
        }
    }

    /// The row of tiles that becomes row 0 of the map, if the first row in use is `first`. It is a row of hexagons that
    /// is not shifted.
    pub(crate) fn first_row(self, first: i32) -> i32 {
        let is_shifted = self.shape == GridShape::Hex && (first & 1 == 0) == self.shifts_even_rows;
        first - i32::from(is_shifted)
    }

    /// The height of the map relative to a map of regular cells. Godot's rows of hexagons are three quarters of a tile
    /// apart, whatever its height.
    pub(crate) fn stretch(self) -> f64 {
        let [width, height] = self.size.map(f64::from);
        match self.shape {
            GridShape::Square => height / width,
            GridShape::Hex => 0.75 * height / (width * Lattice(self.shape).pitch()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_sim::planner::model::Sweep;
    use wheelbase_sim::{ClassSpec, MovementClass, Primitive};

    #[test]
    fn the_pose_drawn_at_a_place_is_the_nearest_one_there() {
        let (square, hex) = (GridShape::Square, GridShape::Hex);
        for (shape, headings, footprint) in [
            (square, 4, vec![(0, 0), (-1, 0)]),
            (square, 4, vec![(0, 0), (-1, 0), (-2, 0), (0, 1), (-1, 1), (-2, 1)]),
            (square, 8, vec![(0, 0), (-1, 0)]),
            (square, 1, vec![(0, 0)]),
            (hex, 6, vec![(0, 0), (-1, 0)]),
        ] {
            let mut spec = ClassSpec::new("body", headings);
            (spec.shape, spec.sweep) = (shape, Sweep::usual(shape));
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
                    let found = body.nearest_pose(shape, [x + nudge, y - nudge / 2.0], angle + nudge / 4.0);
                    assert_eq!(found, pose, "{headings} headings, nudge {nudge}");
                }
            }
        }
    }

    #[test]
    fn points_come_back() {
        let place = Place { cell_size: 16.0, stretch: 0.5, origin: [-32.0, 8.0] };
        assert_eq!(place.to_plane([2.5, 0.5]), [8.0, 12.0]);
        assert_eq!(place.to_map([8.0, 12.0]), [2.5, 0.5]);
        // The diagonal of a square becomes the diagonal of a flat rectangle.
        assert!((place.angle(std::f64::consts::FRAC_PI_4) - 0.5_f64.atan()).abs() < 1e-12);
        for sixth in -2..=2 {
            let angle = f64::from(sixth) * std::f64::consts::FRAC_PI_3;
            assert!((place.angle_on_map(place.angle(angle)) - angle).abs() < 1e-12, "{angle}");
        }
    }

    /// `TileSet::map_to_local` of Godot 4.4 to 4.6, in `scene/resources/2d/tile_set.cpp`, for stacked hexagons.
    fn map_to_local([x, y]: [i32; 2], shifts_even_rows: bool, [width, height]: [i32; 2]) -> [f64; 2] {
        let is_shifted = (y.rem_euclid(2) == 0) == shifts_even_rows;
        let column = f64::from(x) + if is_shifted { 0.5 } else { 0.0 };
        [(column + 0.5) * f64::from(width), (f64::from(y) * 0.75 + 0.5) * f64::from(height)]
    }

    #[test]
    fn hexagons_lie_where_the_engine_has_them() {
        for (layout, shifts_even_rows) in [(0, false), (1, true)] {
            for size in [[110, 127], [64, 64], [120, 80], [16, 19]] {
                let tiles = Tiles::new(size, [3, layout, 0]).unwrap();
                assert_eq!((tiles.shape, tiles.shifts_even_rows), (GridShape::Hex, shifts_even_rows));
                for first in [[-3, -4], [-3, -3], [0, 0], [5, 1]] {
                    let corner_row = tiles.first_row(first[1]);
                    assert!((0..2).contains(&(first[1] - corner_row)));
                    let centre = map_to_local([first[0], corner_row], shifts_even_rows, size);
                    let origin = [0, 1].map(|axis| centre[axis] - f64::from(size[axis]) / 2.0);
                    let place = Place { cell_size: f64::from(size[0]), stretch: tiles.stretch(), origin };
                    let lattice = Lattice(tiles.shape);
                    for cell in wheelbase_grid::Rect::new(0, 0, 7, 6).cells() {
                        let tile = [first[0] + cell.x, corner_row + cell.y];
                        let expected = map_to_local(tile, shifts_even_rows, size);
                        let found = place.to_plane(lattice.centre(cell));
                        let off = (found[0] - expected[0]).abs() + (found[1] - expected[1]).abs();
                        assert!(off < 1e-9, "{tiles:?} {tile:?}: {found:?}, expected {expected:?}");
                        // Points that its outline of the engine contains: corners at a quarter of the height.
                        for [x, y] in [[0.0, 0.0], [0.49, 0.2], [-0.49, -0.2], [0.02, 0.47], [0.24, -0.36]] {
                            let point =
                                [expected[0] + x * f64::from(size[0]), expected[1] + y * f64::from(size[1])];
                            assert_eq!(lattice.cell_at(place.to_map(point)), cell, "{tiles:?} {x} {y}");
                        }
                        // Each heading leads to the neighbour that it points at.
                        for (number, _, next) in lattice.neighbours(cell) {
                            let to = map_to_local(
                                [first[0] + next.x, corner_row + next.y],
                                shifts_even_rows,
                                size,
                            );
                            let points_at = (expected[1] - to[1]).atan2(to[0] - expected[0]);
                            let angle = place.angle(number as f64 * std::f64::consts::FRAC_PI_3);
                            let turns = (angle - points_at) / std::f64::consts::TAU;
                            assert!((turns - turns.round()).abs() < 1e-9, "{tiles:?} side {number}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn layouts_without_a_map_are_refused_by_the_property() {
        let refused = |size, properties| Tiles::new(size, properties).unwrap_err();
        assert!(Tiles::new([16, 16], [0, 5, 1]).is_ok(), "squares have no layout");
        assert_eq!(refused([16, 8], [0, 0, 0]), "tile_size is 16 x 8, expected squares");
        for (shape, name) in [(1, "ISOMETRIC"), (2, "HALF_OFFSET_SQUARE"), (9, "unknown")] {
            let error = refused([16, 16], [shape, 0, 0]);
            let expected = "expected TILE_SHAPE_SQUARE or TILE_SHAPE_HEXAGON";
            assert_eq!(error, format!("tile_shape is TILE_SHAPE_{name}, {expected}"));
        }
        for layout in 2..6 {
            let error = refused([16, 16], [3, layout, 0]);
            assert!(
                error.starts_with("tile_layout is TILE_LAYOUT_")
                    && error.contains("or TILE_LAYOUT_STACKED_OFFSET")
            );
        }
        let error = refused([16, 16], [3, 0, 1]);
        assert!(error.starts_with(
            "tile_offset_axis is TILE_OFFSET_AXIS_VERTICAL, expected TILE_OFFSET_AXIS_HORIZONTAL"
        ));
    }
}
