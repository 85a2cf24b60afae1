//! Picking without a mouse.

use crate::common::*;
use bevy_wheelbase::prelude::*;

#[test]
fn units_are_picked_by_footprint() {
    let space = Space { cell: 10.0, origin: [5.0, 0.0], ..Space::default() };
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2), tank(8, 5)])).space(space));
    let (first, second) = (entity(&app, 0).unwrap(), entity(&app, 1).unwrap());
    // The rear of the first tank, a cell beside it, and points off the map.
    let points =
        [(Some([26.0, -25.0]), Some(cell(2, 2)), Some(first)), (Some([26.0, -15.0]), Some(cell(2, 1)), None)];
    let off =
        [None, Some([4.0, -1.0]), Some([50.0, 1.0]), Some([f32::NAN, 0.0])].map(|point| (point, None, None));
    for (point, cell, unit) in points.into_iter().chain(off) {
        app.insert_resource(CursorPoint(point));
        let found = app.world_mut().run_system_once(|cursor: Cursor| (cursor.cell(), cursor.unit())).unwrap();
        assert_eq!(found, (cell, unit), "{point:?}");
    }
    let boxes = app.world_mut().run_system_once(|cursor: Cursor| {
        let all = cursor.cells_between([0.0, -80.0], [200.0, 5.0]);
        let few = cursor.cells_between([95.0, -65.0], [75.0, -45.0]);
        (all, cursor.units_in(all), few, cursor.units_in(few))
    });
    let (all, both, few, one) = boxes.unwrap();
    assert_eq!((all, both), (CellRect::new(0, 0, 16, 8), vec![first, second]));
    assert_eq!((few, one), (CellRect::new(7, 4, 3, 3), vec![second]));
}

/// Each name of the prelude, used beside the names of Bevy: an ambiguous one would not compile.
#[test]
fn no_name_of_the_prelude_is_one_of_bevy() {
    use bevy_app::prelude::*;
    #[cfg(feature = "transform")]
    use bevy_math::prelude::*;
    use bevy_time::prelude::*;
    #[cfg(feature = "transform")]
    use bevy_transform::prelude::*;
    fn named<T: ?Sized>() -> usize {
        size_of::<&T>()
    }
    let _ = (named::<App>(), named::<Time>());
    #[cfg(feature = "transform")]
    let _ = (named::<Transform>(), named::<Rect>(), named::<Vec2>());
    let ours = [
        named::<(Cursor, CursorPoint, EditMessage, LocalTurn, MapChanged, OffMap, OrderSeries, OrderTicket)>(
        ),
        named::<(Orders, Plane, PlayerCommand, Pose2, RemoteCommands, RollbackError, Space, TooLate)>(),
        named::<(Unit, UnitActivity, UnitClass, UnitMessage, UnitOrder, UnitRemoved, UnitSpawned, UnitTeam)>(
        ),
        named::<(Units, Waiting, Wheelbase, WheelbasePlugin, WheelbaseSystems, Activity, AgentId, CellXY)>(),
        named::<(ClassId, ClassSpec, UnitCommand, Grid, Heading, MovementClass, Order, Pose, Primitive)>(),
        named::<(CellRect, RefusalReason, Settings, Setup, SetupErrors, SideTable, UnitSpawn, Team)>(),
        named::<(TerrainEntry, TerrainKind, TerrainTable, WaitReason)>(),
    ];
    assert_eq!(ours, [size_of::<usize>(); 7]);
}

/// A ray of a pointer, as bevy_picking makes it from a window and a camera.
#[cfg(feature = "picking")]
#[test]
fn the_pointer_finds_units() {
    use bevy_camera::Camera;
    use bevy_math::{Dir3, Ray3d, Vec3};
    use bevy_picking::backend::PointerHits;
    use bevy_picking::backend::ray::{RayId, RayMap};
    use bevy_picking::pointer::PointerId;
    for (plane, y_up, from, to) in [
        (Plane::Xy, true, Vec3::new(26.0, -25.0, 50.0), Vec3::NEG_Z),
        (Plane::Xz, false, Vec3::new(26.0, 50.0, 25.0 + 50.0), Vec3::new(0.0, -1.0, -1.0)),
    ] {
        let space = Space { cell: 10.0, y_up, plane, origin: [5.0, 0.0] };
        let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])).space(space));
        app.init_resource::<RayMap>().add_message::<PointerHits>();
        let camera = app.world_mut().spawn(Camera::default()).id();
        let ray = Ray3d::new(from, Dir3::new(to).unwrap());
        app.world_mut().resource_mut::<RayMap>().map.insert(RayId::new(camera, PointerId::Mouse), ray);
        app.update();
        let hits = app.world().resource::<bevy_ecs::message::Messages<PointerHits>>();
        let hit: Vec<_> = hits.iter_current_update_messages().flat_map(|hits| &hits.picks).collect();
        assert_eq!(hit.iter().map(|(entity, _)| Some(*entity)).collect::<Vec<_>>(), [entity(&app, 0)]);
        let found = app.world_mut().run_system_once(|cursor: Cursor| (cursor.cell(), cursor.unit())).unwrap();
        assert_eq!(found, (Some(cell(2, 2)), entity(&app, 0)));
        app.world_mut().resource_mut::<RayMap>().map.clear();
        app.update();
        assert_eq!(*app.world().resource::<CursorPoint>(), CursorPoint(None));
    }
}
