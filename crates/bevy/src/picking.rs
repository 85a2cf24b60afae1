//! The mouse of `bevy_picking`: it moves the cursor, and its events arrive at the entities of units.

use crate::cursor::CursorPoint;
use crate::space::{Plane, Space};
use crate::units::Units;
use crate::wheelbase::Wheelbase;
use bevy_app::{App, PreUpdate};
use bevy_camera::Camera;
use bevy_ecs::change_detection::{DetectChangesMut, Res, ResMut};
use bevy_ecs::message::MessageWriter;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::system::Query;
use bevy_math::{Ray3d, Vec3};
use bevy_picking::PickingSystems;
use bevy_picking::backend::ray::RayMap;
use bevy_picking::backend::{HitData, PointerHits};
use bevy_picking::pointer::PointerId;

pub(crate) fn build(app: &mut App) {
    // Without the plugins of bevy_picking there is no mouse.
    app.add_systems(PreUpdate, pick.in_set(PickingSystems::Backend).run_if(resource_exists::<RayMap>));
}

/// Where a ray meets the plane of the map, and how far that is; `None` if it does not.
fn meets(space: &Space, ray: Ray3d) -> Option<(Vec3, f32)> {
    let normal = match space.plane {
        Plane::Xy => Vec3::Z,
        Plane::Xz => Vec3::Y,
    };
    let distance = -ray.origin.dot(normal) / ray.direction.dot(normal);
    (distance.is_finite() && distance >= 0.0).then(|| (ray.origin + *ray.direction * distance, distance))
}

fn pick(
    rays: Res<RayMap>,
    cameras: Query<&Camera>,
    space: Res<Space>,
    wheelbase: Res<Wheelbase>,
    units: Res<Units>,
    mut cursor: ResMut<CursorPoint>,
    mut hits: MessageWriter<PointerHits>,
) {
    // The camera that is drawn last is on top.
    let mut on_top = None;
    for (ray_id, &ray) in rays.iter() {
        let (Some((position, depth)), Ok(camera)) = (meets(&space, ray), cameras.get(ray_id.camera)) else {
            continue;
        };
        let (point, _) = space.split(position);
        if ray_id.pointer == PointerId::Mouse && on_top.is_none_or(|(order, _)| camera.order > order) {
            on_top = Some((camera.order, point));
        }
        let cell = space.cell_at(wheelbase.grid().shape(), point);
        if let Some(entity) = wheelbase.agent_at(cell).and_then(|unit| units.entity(unit)) {
            let hit = HitData::new(ray_id.camera, depth, Some(position), None);
            hits.write(PointerHits::new(ray_id.pointer, vec![(entity, hit)], camera.order as f32));
        }
    }
    cursor.set_if_neq(CursorPoint(on_top.map(|(_, point)| point)));
}
