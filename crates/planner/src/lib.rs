//! Exact path planning for oriented units that cover more than one cell.
//!
//! There are three objects. [`MovementTables`] are a [`MovementClass`] compiled against a map, shared by all agents of
//! that class. [`Scratch`] is the memory of one search, one per worker. The caller owns each [`Request`]. Answers are
//! written to the caller's [`Path`]. [`plan()`] plans in one call; [`begin`], [`advance`] and [`finish`] split a search
//! into slices that fit a frame.
//!
//! ```
//! use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
//! use wheelbase_planner::*;
//!
//! let rows = [".......", ".......", "...W...", "......."];
//! let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
//! // A truck of two cells that reverses at a third of its speed.
//! let mut spec = ClassSpec::new("truck", 4);
//! spec.footprint = vec![(0, 0), (-1, 0)];
//! spec.primitives = vec![
//!     Primitive::step("forward", (1, 0), 2),
//!     Primitive::step("reverse", (-1, 0), 6),
//!     Primitive::turn("left", 1, 2),
//!     Primitive::turn("right", -1, 2),
//! ];
//! let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
//! let goal = [GoalMember::any(CellXY::new(5, 2))];
//! let request = Request::new(Pose::new(1, 1, Heading(0)), Goal::of(&goal));
//! let (mut scratch, mut path) = (Scratch::new(), Path::new());
//! let answer = plan(&tables, &request, &mut scratch, &mut path);
//! // A turn to the south would swing its load over the border: it turns north and backs down, 4 x 2 + 2 + 6 ticks.
//! assert_eq!((answer.status, answer.cost), (Status::Found, 16));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod abstraction;
pub mod fields;
pub mod graph;
pub mod model;
mod open_list;
mod restore_error;
mod saved_queue;
pub mod search;
pub mod tables;

// Re-exports for examples and first programs; everything else by its module.
pub use fields::{Distances, RepairScratch, SavedField, SavedFields, SettleTarget};
pub use model::{
    ClassSpec, Goal, GoalMember, Heading, Legality, MovementClass, Path, PathPose, Pose, Primitive, Progress,
    Status, When,
};
pub use restore_error::RestoreError;
pub use search::{Request, SavedSearch, Scratch, advance, begin, finish, plan};
pub use tables::{MovementTables, SavedTables, tables_need};
