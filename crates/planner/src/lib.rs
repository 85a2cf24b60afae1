//! Exact path planning for oriented units that cover more than one cell.
//!
//! Three objects: [`MovementTables`] (a [`MovementClass`] compiled against a map, shared by all
//! agents of that class), [`Scratch`] (the memory of one search, one a worker) and [`Request`] (the
//! caller's). Answers go into the caller's [`Path`]. [`plan`] does it in one call;
//! [`begin`], [`advance`] and [`finish`] slice it to fit a frame.
//!
//! ```
//! use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
//! use wheelbase_planner::*;
//!
//! let grid = Grid::from_rows(&["......", "..WW..", "......"], TerrainTable::movingai(), SideTable::default())?;
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
//! let request = Request::new(Pose::new(1, 0, Heading(0)), Goal::of(&goal));
//! let (mut scratch, mut path) = (Scratch::new(), Path::new());
//! let answer = plan(&tables, &request, &mut scratch, &mut path);
//! // It cannot turn south at the border: it turns north and backs down, 4 x 2 + 2 + 2 x 6 ticks.
//! assert_eq!((answer.status, answer.cost), (Status::Found, 22));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

#[cfg(feature = "rayon")]
pub mod batch;
mod class_spec;
mod components;
mod connection;
mod cost_field;
mod delays;
mod distances;
mod estimate;
mod footprint;
mod geometry;
mod goal;
pub mod graph;
mod guide;
mod heuristic;
mod landmarks;
mod lattice;
mod learned_costs;
mod make_landmarks;
mod memory;
mod movement;
mod node;
mod offset;
mod open_list;
mod outcome;
mod path;
mod pose;
mod primitive;
pub mod reference;
mod replan;
mod request;
mod scratch;
mod search;
mod successor;
mod swept_cells;
mod tables;

pub use class_spec::{ClassSpec, Climb};
pub use components::{Components, Way};
pub use connection::Connections;
pub use cost_field::support::Direction;
pub use cost_field::{CostField, CostFields, FieldScratch, Repaired, Settled, Until};
pub use delays::Delays;
pub use distances::{Distance, Distances};
pub use footprint::{FOOTPRINT_CELLS_MAX, Footprint};
pub use goal::{Goal, GoalMember};
pub use guide::{Guide, HeuristicName};
pub use heuristic::Heuristic;
pub use landmarks::Landmarks;
pub use learned_costs::LearnedCosts;
pub use memory::{TablesNeed, field_need, landmarks_need, search_need, tables_need};
pub use movement::{ClassError, MoveShape, MovementClass};
pub use offset::{OFFSET_MAX, Offset, Pivot};
pub use outcome::{COST_MAX, Progress, Reached, Status};
pub use path::{Path, PathError, PathPose, check_path};
pub use pose::{Frame, Heading, Pose, State, StateSpace, heading_from_name, heading_name};
pub use primitive::{DISPLACEMENT_MAX, PRIMITIVES_MAX, Primitive, Sweep, SweepRule, TIME_MAX, When};
pub use replan::BackTraces;
pub use request::{Answer, Fallback, GoalArea, Reason, Request};
pub use scratch::Scratch;
pub use search::{advance, begin, finish, least_cost, least_cost_of, pass_goal, plan};
pub use successor::{ClassSpeeds, Legality, MoveBlocked, PoseBlocked, SLOPE_FLAT, move_time};
pub use swept_cells::SWEPT_CELLS_MAX;
pub use tables::MovementTables;
pub use tables::steps::{Successor, Update};
