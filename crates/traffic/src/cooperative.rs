//! The rule for agents of any body: each has a plan of its next moves whose cells are claimed tick by tick,
//! and who cannot get on makes others step aside.
//!
//! A plan is a string of timed moves and then rest; no two plans ever claim one cell at one tick, so all can
//! be carried out, and an agent may look for a better one at any time (windowed cooperative search, Silver
//! 2005). As long as nobody is in its way an agent's plan is the next stretch of its path. Else it searches
//! among the claims of the others for the moves that bring it farthest (see `interval_search`), with the
//! cost-to-go of the poses around its path as the guide (see `window_field`). One that the others cost much
//! has those of lower rank plan anew around it, or any if all come sooner for it (see `lifting`); one that is
//! blocked for long by others at rest has them step aside (see `make_way`). Rank is priority plus the age of
//! the order, then the lower id.

pub mod admission;
pub mod ahead;
pub mod board;
pub mod claims;
pub mod contraflow;
pub mod entering;
pub mod interval_search;
pub mod lifted;
pub mod lifting;
pub mod make_way;
pub mod member;
pub mod narrows;
pub mod passage_map;
pub mod plan;
pub mod planning;
pub mod room;
pub mod state;
pub mod steps;
pub mod tick;
pub mod turns;
pub mod window_field;

pub use member::*;
pub use state::*;
pub use steps::*;
