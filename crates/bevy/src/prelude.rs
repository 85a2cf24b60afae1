//! The names that games use. No name here is a name of Bevy's prelude, so both can be imported whole.
//!
//! Four names of the simulation are names of Bevy, too. They have others here: [`UnitCommand`], [`UnitSpawn`],
//! [`CellRect`], and the world is [`Wheelbase`].

#[cfg(feature = "gizmos")]
pub use crate::WheelbaseGizmos;
pub use crate::{
    Cursor, CursorPoint, EditMessage, LocalTurn, MapChanged, OffMap, OrderSeries, OrderTicket, Orders, Plane,
    PlayerCommand, Pose2, RemoteCommands, RollbackError, Space, TooLate, Unit, UnitActivity, UnitClass,
    UnitMessage, UnitOrder, UnitRemoved, UnitSpawned, UnitTeam, Units, Waiting, Wheelbase, WheelbasePlugin,
    WheelbaseSystems,
};
pub use wheelbase_sim::{
    Activity, AgentId, CellXY, ClassId, ClassSpec, Command as UnitCommand, Grid, Heading, MovementClass,
    Order, Pose, Primitive, Rect as CellRect, RefusalReason, Settings, Setup, SetupErrors, SideTable,
    Spawn as UnitSpawn, Team, TerrainEntry, TerrainKind, TerrainTable, WaitReason,
};
