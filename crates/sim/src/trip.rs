//! Where an order, a waypoint of a patrol or a task leads.

use serde::{Deserialize, Serialize};
use wheelbase_planner::GoalMember;
use wheelbase_planner::search::Fallback;

/// A goal, and what to do if it cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trip {
    /// Members of the goal, or the waypoints of a patrol. Empty for a class with none of the headings asked for: such
    /// a goal cannot be reached.
    pub members: Vec<GoalMember>,
    /// Radius around each member in cells.
    pub within: u32,
    /// What the search does if the goal cannot be reached.
    pub fallback: Fallback,
    /// What happens to the order if that does not help.
    pub if_unreachable: IfUnreachable,
    /// Ticks to stand at each waypoint of a patrol. Means nothing for other orders.
    pub dwell: u32,
    /// The members of an order to a group keep their layout and the pace of the slowest. Other orders with it are
    /// refused.
    pub formation: bool,
}

impl Trip {
    /// To some members exactly. If none can be reached the order is dropped.
    pub fn to(members: Vec<GoalMember>) -> Self {
        Self {
            members,
            within: 0,
            fallback: Fallback::Fail,
            if_unreachable: IfUnreachable::Drop,
            dwell: 0,
            formation: false,
        }
    }
}

/// What happens to an order whose goal cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IfUnreachable {
    /// `"drop"`: it is reported, and the next order begins.
    #[default]
    Drop,
    /// `"wait"`: it is reported once, kept, and tried again after an edit that could help. Where agents obstruct it, it
    /// is tried again when one of them has left.
    Wait,
}
