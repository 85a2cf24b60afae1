//! Units larger than a tile for Bevy: thousands of them turn, reverse and never overlap. A [`Wheelbase`] resource steps
//! in `FixedUpdate`, and entities follow it.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_time::{TimePlugin, TimeUpdateStrategy};
//! use bevy_wheelbase::prelude::*;
//!
//! let grid = Grid::from_rows(&["......", "......"], TerrainTable::movingai(), SideTable::default())?;
//! let mut tank = ClassSpec::new("tank", 4);
//! tank.footprint = vec![(0, 0), (-1, 0)];
//! tank.primitives = Primitive::vehicle(4, 10, 5); // ticks of forward, of reverse, of a turn
//! let setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::new(tank)?]);
//! let world = bevy_wheelbase::sim::World::new(setup)?;
//!
//! fn spawn(mut orders: Orders) {
//!     orders.spawn(ClassId(0), Pose::new(1, 0, Heading(0)), Team(0)); // an entity, yours from now on
//! }
//! fn send(new: Query<&Unit, Added<Unit>>, mut orders: Orders) {
//!     orders.of(&new).goto(CellXY::new(5, 0));
//! }
//! let mut app = App::new();
//! app.add_plugins((TimePlugin, WheelbasePlugin::new(world)))
//!     .insert_resource(TimeUpdateStrategy::FixedTimesteps(1)) // a test: one tick per update
//!     .add_systems(Startup, spawn)
//!     .add_systems(Update, send);
//! for _ in 0..24 {
//!     app.update();
//! }
//! assert_eq!(app.world().resource::<Wheelbase>().agents()[0].to().cell, CellXY::new(5, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The README has the overview, `docs/bevy.md` a tutorial, and `examples/` lockstep and rollback.

#![forbid(unsafe_code)]

mod command_queue;
mod components;
mod cursor;
#[cfg(feature = "gizmos")]
mod gizmos;
mod interpolate;
mod messages;
mod off_map;
mod orders;
#[cfg(feature = "picking")]
mod picking;
mod player_command;
mod plugin;
pub mod prelude;
mod remote_commands;
mod space;
mod sync;
mod units;
mod wheelbase;

pub use command_queue::CommandQueue;
pub use components::{Pose2, Unit, UnitActivity, UnitClass, UnitOrder, UnitTeam, Waiting};
pub use cursor::{Cursor, CursorPoint};
#[cfg(feature = "gizmos")]
pub use gizmos::WheelbaseGizmos;
pub use messages::{EditMessage, LocalTurn, MapChanged, TooLate, UnitMessage, UnitRemoved, UnitSpawned};
pub use off_map::OffMap;
pub use orders::{OrderSeries, Orders, SelectUnits};
pub use player_command::{OrderTicket, PlayerAct, PlayerCommand};
pub use plugin::{WheelbasePlugin, WheelbaseSystems};
pub use remote_commands::RemoteCommands;
pub use space::{Plane, Space};
pub use units::Units;
pub use wheelbase::{RollbackError, Wheelbase};
/// The simulation, with all its names.
pub use wheelbase_sim as sim;

/// The programs of the page compile, and run where they end.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/bevy.md")]
mod page {}
