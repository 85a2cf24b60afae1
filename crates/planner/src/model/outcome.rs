//! Progress and outcome of a search.

/// Maximum cost of a path in ticks, 2^32 - 2.
pub const COST_MAX: u32 = u32::MAX - 1;

/// Stored in place of a cost where a search does not lead; greater than any cost.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Outcome of a query: the first that applies, in this order (`docs/rules.md` 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Status {
    /// The start is off the map.
    StartOffMap,
    /// No member of the goal has its anchor on the map.
    GoalOffMap,
    /// The start is not a legal pose.
    StartBlocked,
    /// No member of the goal is a legal pose.
    GoalBlocked,
    /// A path was found.
    Found,
    /// No path exists.
    Unreachable,
    /// The limit of expansions was reached first; the search can be resumed.
    LimitReached,
    /// The path would take more than [`COST_MAX`] ticks.
    CostOverflow,
    /// The map has a path, but obstacles block it. No query of the planner ends so: a caller who knows its obstacles
    /// says it of an [unreachable](Self::Unreachable) goal.
    Obstructed,
}

impl Status {
    /// Name in answers: `found`, `start_off_map` ...
    pub fn name(self) -> &'static str {
        match self {
            Self::StartOffMap => "start_off_map",
            Self::GoalOffMap => "goal_off_map",
            Self::StartBlocked => "start_blocked",
            Self::GoalBlocked => "goal_blocked",
            Self::Found => "found",
            Self::Unreachable => "unreachable",
            Self::LimitReached => "limit_reached",
            Self::CostOverflow => "cost_overflow",
            Self::Obstructed => "obstructed",
        }
    }
}

/// Where the path of an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Reached {
    /// At a member of the goal.
    Goal,
    /// At the nearest pose, see [`Fallback::Nearest`](crate::search::Fallback::Nearest).
    Nearest,
    /// At the best pose expanded before the limit.
    Partial,
}

impl Reached {
    /// Name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Nearest => "nearest",
            Self::Partial => "partial",
        }
    }
}

/// Whether a sliced search has finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Progress {
    /// More expansions are needed.
    #[default]
    Running,
    /// [`crate::finish`] returns the answer.
    Done,
}
