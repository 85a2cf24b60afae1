//! Between two ticks: where units are drawn in a frame.

use crate::components::{Pose2, Unit};
use crate::space::Space;
use crate::units::Units;
use crate::wheelbase::Wheelbase;
use bevy_ecs::change_detection::{DetectChangesMut, Res};
use bevy_ecs::query::With;
use bevy_ecs::system::{Local, Query};
use bevy_time::{Fixed, Time};
use wheelbase_sim::AgentRow;

/// Where a unit is drawn at a time in ticks.
pub(crate) fn drawn(wheelbase: &Wheelbase, row: &AgentRow, time: f64, space: &Space) -> Pose2 {
    let class = usize::from(row.class);
    let headings = wheelbase.tables()[class].space().headings();
    let centre = wheelbase.bodies()[class].centre_at(row, time);
    Pose2 { point: space.to_plane(centre), angle: space.angle(row.angle_at(headings, time)) }
}

/// The time in ticks that a frame shows: in the last tick.
pub(crate) fn time_of(wheelbase: &Wheelbase, fixed: &Time<Fixed>) -> f64 {
    // A world that waits for other players stands where its last tick has ended.
    let part = if wheelbase.is_stalled { 1.0 } else { fixed.overstep_fraction_f64().min(1.0) };
    f64::from(wheelbase.tick()) - 1.0 + part
}

/// Draws the units that have moved since they were last drawn, between the last two ticks. Parked units are not
/// touched.
pub(crate) fn interpolate(
    wheelbase: Res<Wheelbase>,
    units: Res<Units>,
    fixed: Res<Time<Fixed>>,
    space: Res<Space>,
    mut last: Local<(u32, u32)>,
    mut poses: Query<&mut Pose2, With<Unit>>,
) {
    let (generation, tick) = (wheelbase.generation, wheelbase.tick());
    // After a load everything may have moved.
    let since = if last.0 == generation { last.1 } else { 0 };
    *last = (generation, tick);
    let time = time_of(&wheelbase, &fixed);
    for (row, known) in wheelbase.agents().iter().zip(&units.known) {
        // At the last frame its move had not ended for certain.
        if (row.is_moving() || row.end_tick >= since)
            && let Ok(mut pose) = poses.get_mut(known.entity)
        {
            pose.set_if_neq(drawn(&wheelbase, row, time, &space));
        }
    }
}

#[cfg(feature = "transform")]
mod transform {
    use super::*;
    use bevy_ecs::query::{Changed, Or};
    use bevy_transform::components::Transform;

    /// The transform of a pose at height 0.
    pub(crate) fn transform_of(pose: &Pose2, space: &Space) -> Transform {
        let translation = space.position(pose.point, 0.0);
        Transform { translation, rotation: space.rotation(pose.angle), ..Transform::default() }
    }

    /// Has transforms follow the poses, also where the game has replaced one. Height and scale are the game's.
    pub(crate) fn place(
        space: Res<Space>,
        mut units: Query<(&Pose2, &mut Transform), Or<(Changed<Pose2>, Changed<Transform>)>>,
    ) {
        for (pose, mut transform) in &mut units {
            let (_, height) = space.split(transform.translation);
            let translation = space.position(pose.point, height);
            let rotation = space.rotation(pose.angle);
            let expected = Transform { translation, rotation, scale: transform.scale };
            transform.set_if_neq(expected);
        }
    }
}
#[cfg(feature = "transform")]
pub(crate) use transform::{place, transform_of};
