//! Where the map lies in Bevy's space.

use bevy_ecs::resource::Resource;
use wheelbase_sim::grid::{Lattice, Point};
use wheelbase_sim::{CellXY, GridShape};

/// Where the map lies: how long a cell is, where its corner is, and which plane it covers. Give it to
/// [`WheelbasePlugin::space`](crate::WheelbasePlugin::space); later it is a resource.
///
/// Points of the plane are `[x, y]` in [`Plane::Xy`] and `[x, z]` in [`Plane::Xz`], in world units.
///
/// ```
/// use bevy_wheelbase::{Plane, Space};
/// use bevy_wheelbase::sim::{CellXY, GridShape};
/// let space = Space { cell: 32.0, y_up: true, ..Space::default() };
/// // The centre of cell (1, 0): to the east, and below the corner, as y grows upwards.
/// assert_eq!(space.to_plane([1.5, 0.5]), [48.0, -16.0]);
/// assert_eq!(space.cell_at(GridShape::Square, [48.0, -16.0]), CellXY::new(1, 0));
/// ```
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Width of a cell in world units, above 0.
    pub cell: f32,
    /// Whether the second axis of the plane grows to the north. Rows of the map grow to the south.
    pub y_up: bool,
    /// The plane.
    pub plane: Plane,
    /// The north-west corner of the map, a point of the plane.
    pub origin: [f32; 2],
}

/// The plane of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plane {
    /// x and y, seen from +z: two dimensions.
    #[default]
    Xy,
    /// x and z, seen from +y: the ground of three dimensions. North is -z unless [`Space::y_up`].
    Xz,
}

impl Default for Space {
    /// Cells of one unit in the plane of x and y, with y upwards, and the corner at 0.
    fn default() -> Self {
        Self { cell: 1.0, y_up: true, plane: Plane::Xy, origin: [0.0; 2] }
    }
}

impl Space {
    fn sign(&self) -> f64 {
        if self.y_up { -1.0 } else { 1.0 }
    }

    /// The point of the plane for a point of the map in cells: x to the east, y to the south.
    pub fn to_plane(&self, [x, y]: Point) -> [f32; 2] {
        let scale = f64::from(self.cell);
        let [left, top] = self.origin.map(f64::from);
        [(left + x * scale) as f32, (top + self.sign() * y * scale) as f32]
    }

    /// The point of the map, in cells, for a point of the plane.
    pub fn to_map(&self, point: [f32; 2]) -> Point {
        let scale = f64::from(self.cell);
        let [x, y] = [0, 1].map(|axis| (f64::from(point[axis]) - f64::from(self.origin[axis])) / scale);
        [x, self.sign() * y]
    }

    /// The cell at a point of the plane; it may be off the map.
    pub fn cell_at(&self, shape: GridShape, point: [f32; 2]) -> CellXY {
        Lattice(shape).cell_at(self.to_map(point))
    }

    /// The angle in the plane, from its first axis towards its second, of an angle on the map (radians,
    /// counter-clockwise from east).
    pub fn angle(&self, on_map: f64) -> f32 {
        (-self.sign() * on_map) as f32
    }
}

#[cfg(feature = "transform")]
impl Space {
    /// The position of a point of the plane. `height` is its third coordinate.
    pub fn position(&self, [a, b]: [f32; 2], height: f32) -> bevy_math::Vec3 {
        match self.plane {
            Plane::Xy => bevy_math::Vec3::new(a, b, height),
            Plane::Xz => bevy_math::Vec3::new(a, height, b),
        }
    }

    /// The point of the plane below a position, and its height above it.
    pub fn split(&self, position: bevy_math::Vec3) -> ([f32; 2], f32) {
        match self.plane {
            Plane::Xy => ([position.x, position.y], position.z),
            Plane::Xz => ([position.x, position.z], position.y),
        }
    }

    /// The rotation by an angle in the plane, as [`Space::angle`] gives it.
    pub fn rotation(&self, angle: f32) -> bevy_math::Quat {
        match self.plane {
            Plane::Xy => bevy_math::Quat::from_rotation_z(angle),
            // From x towards z is clockwise about y.
            Plane::Xz => bevy_math::Quat::from_rotation_y(-angle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_in_each_space() {
        for (cell, y_up, origin) in
            [(1.0, true, [0.0; 2]), (32.0, false, [-7.0, 12.0]), (0.5, true, [3.0, 4.0])]
        {
            let space = Space { cell, y_up, origin, ..Space::default() };
            for point in [[0.5, 0.5], [12.25, 3.5], [-1.0, 8.0]] {
                assert_eq!(space.to_map(space.to_plane(point)), point);
            }
        }
    }

    #[cfg(feature = "transform")]
    #[test]
    fn facings_point_to_the_next_cell() {
        for plane in [Plane::Xy, Plane::Xz] {
            for y_up in [false, true] {
                let space = Space { y_up, plane, ..Space::default() };
                // North on the map: a quarter turn, and a row less.
                let north = space.rotation(space.angle(std::f64::consts::FRAC_PI_2)) * bevy_math::Vec3::X;
                let [from, to] = [[0.0, 0.0], [0.0, -1.0]].map(|at| space.position(space.to_plane(at), 0.0));
                assert!(north.distance(to - from) < 1e-6, "{space:?}: {north}");
            }
        }
    }
}
