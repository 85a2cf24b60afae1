//! The rule for agents of any body: each has a plan of its next moves whose cells are claimed tick by tick,
//! and who cannot get on makes others step aside.
//!
//! A plan is a string of timed moves and then rest; no two plans ever claim one cell at one tick, so all can
//! be carried out, and an agent may look for a better one at any time (windowed cooperative search, Silver
//! 2005). As long as nobody is in its way an agent's plan is the next stretch of its path. Else it searches
//! among the claims of the others for the moves that bring it farthest (see `sipp`), with the
//! cost-to-go of the poses around its path as the guide (see `local_field`). One that the others cost much
//! has those of lower rank plan anew around it, or any if all come sooner for it (see `displacement`); one that is
//! blocked for long by others at rest has them step aside (see `pushing`). Rank is priority plus the age of
//! the order, then the lower id.

pub mod admission;
pub mod contraflow;
pub mod corridor_control;
pub mod corridor_entry;
pub mod corridor_map;
pub mod corridors_ahead;
pub mod displaced;
pub mod displacement;
pub mod local_field;
pub mod plan;
pub mod plan_head;
pub mod plan_table;
pub mod planning;
pub mod prioritized;
pub mod pushing;
pub mod reservations;
pub mod retreat;
pub mod sipp;
pub mod state;
pub mod steps;
pub mod tick;

pub use plan_head::*;
pub use state::*;
pub use steps::*;
