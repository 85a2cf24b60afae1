//! Units and their abilities: poses, bodies, moves, goals and paths; the legal move and its time.

pub(crate) mod class_spec;
pub(crate) mod footprint;
pub(crate) mod geometry;
pub(crate) mod goal;
pub(crate) mod movement;
pub(crate) mod offset;
pub(crate) mod outcome;
pub(crate) mod path;
pub(crate) mod pose;
pub(crate) mod primitive;
pub(crate) mod state_indexing;
pub(crate) mod successor;
pub(crate) mod swept_cells;

pub use class_spec::{ClassSpec, Climb};
pub use footprint::{FOOTPRINT_CELLS_MAX, Footprint};
pub use goal::{Goal, GoalMember};
pub use movement::{ClassError, MoveShape, MovementClass};
pub use offset::{OFFSET_MAX, Offset, Pivot};
pub use outcome::{COST_MAX, Progress, Reached, Status};
pub use path::{Path, PathError, PathPose, check_path};
pub use pose::{Frame, HEADING_COUNTS, Heading, Pose, State, StateSpace, heading_from_name, heading_name};
pub use primitive::{DISPLACEMENT_MAX, PRIMITIVES_MAX, Primitive, Sweep, SweepRule, TIME_MAX, When};
pub use successor::{ClassSpeeds, Legality, MoveBlocked, PoseBlocked, SLOPE_FLAT, move_time};
pub use swept_cells::SWEPT_CELLS_MAX;
