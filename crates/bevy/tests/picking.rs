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
        named::<(Cursor, CursorPoint, EditMessage, LocalTurn, MapChanged, OrderSeries, OrderTicket)>(),
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
