//! Where an order, a station of a patrol or a task leads.

use wheelbase_planner::GoalMember;
use wheelbase_planner::search::Fallback;

/// Where to go and what to do if there is no way.
#[derive(Clone, Debug, PartialEq)]
pub struct Trip {
    /// Members of the goal, or the stations of a patrol. Empty for a class that has none of the headings
    /// asked for: such a goal cannot be reached.
    pub members: Vec<GoalMember>,
    /// Radius around each, in cells.
    pub within: u32,
    /// What to do when the goal cannot be reached.
    pub fallback: Fallback,
    /// What to do when that does not help.
    pub if_unreachable: IfUnreachable,
}

/// What becomes of an order whose goal cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfUnreachable {
    /// `"drop"`: reported, and the next order begins.
    #[default]
    Drop,
    /// `"wait"`: reported once, kept, asked again after an edit that may help.
    Wait,
}
