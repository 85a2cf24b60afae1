//! The buffer of a MultiMesh: one instance for each unit.

use crate::place::{ClassBody, Place};
use wheelbase_sim::AgentRow;

/// What each instance of a MultiMesh has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// A transform of two dimensions, of 8 numbers; else one of three, of 12.
    pub(crate) is_2d: bool,
    /// Whether a colour of 4 numbers follows.
    pub(crate) colours: bool,
    /// Whether 4 numbers for shaders follow.
    pub(crate) custom_data: bool,
}

impl Layout {
    /// Numbers of an instance.
    pub(crate) fn stride(self) -> usize {
        (if self.is_2d { 8 } else { 12 }) + 4 * usize::from(self.colours) + 4 * usize::from(self.custom_data)
    }
}

/// How the instances are drawn.
pub(crate) struct Look<'a> {
    pub(crate) layout: Layout,
    pub(crate) place: Place,
    /// y of all instances in three dimensions.
    pub(crate) height: f32,
    /// The class drawn; `None` for all.
    pub(crate) class: Option<u8>,
    /// By team; teams without one are white.
    pub(crate) colours: &'a [[f32; 4]],
}

/// Writes an instance for each unit at a time in ticks, in order of the rows. Returns their number. Linear in the rows.
///
/// Numbers for shaders are the id, the class, the team and the number of the activity.
pub(crate) fn write_instances(
    rows: &[AgentRow],
    bodies: &[ClassBody],
    time: f64,
    look: &Look<'_>,
    buffer: &mut Vec<f32>,
) -> usize {
    buffer.clear();
    for row in rows.iter().filter(|row| look.class.is_none_or(|class| class == row.class)) {
        let (centre, angle) = bodies[usize::from(row.class)].at(row, time);
        let [x, y] = look.place.to_plane(centre).map(|axis| axis as f32);
        let (sin, cos) = (look.place.angle(angle) as f32).sin_cos();
        // As RenderingServer.multimesh_set_buffer wants it: rows of the matrix, each with its part of the origin.
        if look.layout.is_2d {
            // y grows downwards, so a turn to the left is a negative angle.
            buffer.extend([cos, sin, 0.0, x, -sin, cos, 0.0, y]);
        } else {
            buffer.extend([cos, 0.0, sin, x, 0.0, 1.0, 0.0, look.height, -sin, 0.0, cos, y]);
        }
        if look.layout.colours {
            buffer.extend(look.colours.get(usize::from(row.team)).unwrap_or(&[1.0; 4]));
        }
        if look.layout.custom_data {
            buffer.extend([
                row.id as f32,
                f32::from(row.class),
                f32::from(row.team),
                f32::from(row.activity),
            ]);
        }
    }
    buffer.len() / look.layout.stride()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_sim::{Body, ClassSpec, MovementClass, Primitive};

    #[test]
    fn instances_lie_where_their_units_are() {
        let mut spec = ClassSpec::new("tank", 4);
        spec.footprint = vec![(0, 0), (-1, 0)];
        spec.primitives = Primitive::vehicle(4, 10, 5);
        let body = ClassBody { body: Body::of(&MovementClass::new(spec).unwrap()), headings: 4 };
        // The second faces north.
        let east = AgentRow { to_x: 3, from_x: 3, ..AgentRow::default() };
        let north =
            AgentRow { id: 1, class: 1, team: 1, from_heading: 1, to_heading: 1, ..AgentRow::default() };
        let place = Place { cell_size: 10.0, stretch: 1.0, origin: [100.0, 0.0] };
        let colours = [[0.5, 0.5, 0.5, 1.0]];
        let mut buffer = vec![7.0];
        let mut look = Look {
            layout: Layout { is_2d: true, colours: true, custom_data: true },
            place,
            height: 2.0,
            class: None,
            colours: &colours,
        };
        let n = write_instances(&[east, north], &[body; 2], 0.0, &look, &mut buffer);
        assert_eq!((n, buffer.len()), (2, 32));
        // Its front cell is (3, 0), the other one (2, 0).
        assert_eq!(buffer[..12], [1.0, 0.0, 0.0, 130.0, 0.0, 1.0, 0.0, 5.0, 0.5, 0.5, 0.5, 1.0]);
        // The x axis of the instance, in the first column, points upwards.
        assert!((buffer[16].abs(), buffer[20]) < (1e-6, -0.999), "{buffer:?}");
        assert_eq!(buffer[24..], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);

        look.layout = Layout { is_2d: false, colours: false, custom_data: false };
        look.class = Some(1);
        let n = write_instances(&[east, north], &[body; 2], 0.0, &look, &mut buffer);
        assert_eq!((n, buffer.len()), (1, 12));
        assert_eq!([buffer[3], buffer[7], buffer[11]], [105.0, 2.0, 10.0]);
        // North is -z.
        assert!((buffer[0].abs(), buffer[8]) < (1e-6, -0.999), "{buffer:?}");
    }
}
