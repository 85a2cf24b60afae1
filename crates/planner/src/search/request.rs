//! Requests and answers.

use crate::model::goal::Goal;
use crate::model::outcome::{COST_MAX, Reached, Status};
use crate::model::pose::{Heading, Pose, StateSpace};
use crate::model::successor::{Legality, PoseBlocked};
use crate::search::guide::Guide;
use crate::search::heuristic::Heuristic;
use crate::search::penalties::Penalties;
use std::fmt;
use wheelbase_grid::{BitGrid, CellXY, GridShape, Rect};

/// A goal by area: any pose with its anchor in the area that is open. Which poses are open may change during a
/// search; each is checked when it is taken off the open list.
#[derive(Clone, Copy)]
pub struct GoalArea<'a> {
    /// Allowed anchors; may extend off the map.
    pub area: Rect,
    /// Whether a legal pose may be the goal.
    pub open: &'a (dyn Fn(Pose) -> bool + Sync),
}

impl GoalArea<'_> {
    /// Whether a legal pose is a member of the goal.
    pub fn matches(&self, pose: Pose) -> bool {
        self.area.contains(pose.cell) && (self.open)(pose)
    }

    /// [Distance](GridShape::measure) from a cell to the nearest cell of the area.
    pub fn measure(&self, shape: GridShape, cell: CellXY) -> u64 {
        shape.measure_to(cell, self.area)
    }
}

impl fmt::Debug for GoalArea<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GoalArea({:?})", self.area)
    }
}

/// Behaviour when no member of the goal can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Fallback {
    /// Report failure.
    #[default]
    Fail,
    /// Go to the reachable pose whose anchor is nearest to the named goal, by squared Euclidean distance or, on
    /// hexagonal maps, hexagonal distance. Among equals it is the cheapest to reach, then the least state.
    Nearest,
}

/// A planning request. Start from [`Request::new`] and set further fields: fields may be added.
///
/// ```
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::{Heuristic, HeuristicName};
/// use wheelbase_grid::CellXY;
/// let goal = [GoalMember::any(CellXY::new(9, 9))];
/// let mut request = Request::new(Pose::new(0, 0, Heading(0)), Goal { members: &goal, within: 2 });
/// request.heuristic = Heuristic::Named(HeuristicName::Euclid);
/// request.weight_permille = 1500; // at most 1.5 times the cheapest cost
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Pose of the agent.
    pub start: Pose,
    /// Goal of the agent.
    pub goal: Goal<'a>,
    /// Guides the search; never changes the cost of an exact answer.
    pub heuristic: Heuristic<'a>,
    /// 1000 is exact; the cost is at most `weight_permille / 1000` of the cheapest. At least 1000.
    pub weight_permille: u32,
    /// Maximum number of expansions before the search stops with [`Status::LimitReached`]; `None` for no limit.
    pub expansions_max: Option<u64>,
    /// Whether to return a path to the expanded pose of least heuristic when the limit is reached.
    pub partial: bool,
    /// Behaviour when the goal cannot be reached.
    pub fallback: Fallback,
    /// Rectangle that no move may sweep a cell outside of; does not constrain the start and the goal
    /// themselves.
    pub window: Option<Rect>,
    /// Cells that no move may sweep in addition to what the map blocks, such as resting agents. Same size as
    /// the map.
    pub obstacles: Option<&'a BitGrid>,
    /// Bounds of all obstacles, if known: cells outside are not looked up.
    pub obstacle_area: Option<Rect>,
    /// An area that replaces `goal`. With [`Fallback::Nearest`] the nearest pose must be open too.
    pub area: Option<GoalArea<'a>>,
    /// Additional costs of moves beyond what the map says.
    pub penalties: Option<&'a dyn Penalties>,
}

impl<'a> Request<'a> {
    /// The cheapest path from `start` to `goal`, without limits, with the default heuristic.
    pub fn new(start: Pose, goal: Goal<'a>) -> Self {
        Self {
            start,
            goal,
            heuristic: Heuristic::default(),
            weight_permille: 1000,
            expansions_max: None,
            partial: false,
            fallback: Fallback::Fail,
            window: None,
            obstacles: None,
            obstacle_area: None,
            area: None,
            penalties: None,
        }
    }

    /// [Distance](GridShape::measure) from a cell to the named goal.
    pub(crate) fn measure(&self, shape: GridShape, cell: CellXY) -> u64 {
        self.area.map_or_else(|| self.goal.measure(shape, cell), |area| area.measure(shape, cell))
    }

    /// Calls `found` with every member pose on the map, or every pose of the area, open or not.
    fn for_each_goal(&self, space: StateSpace, mut found: impl FnMut(Pose)) {
        let Some(area) = self.area else { return self.goal.for_each_pose(space, found) };
        for cell in area.area.intersection(space.size().rect()).cells() {
            (0..space.headings()).for_each(|h| found(Pose { cell, heading: Heading(h) }));
        }
    }
}

/// Result of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Answer {
    /// Outcome.
    pub status: Status,
    /// Where the path ends; `None` without a path.
    pub reached: Option<Reached>,
    /// Cost of the path in ticks, 0 without one.
    pub cost: u32,
    /// Number of expanded poses.
    pub expansions: u64,
    /// The guidance that the search used.
    pub guide: Guide,
}

/// Why a query has no path to its goal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The anchor of the start is off the map.
    StartOffMap(CellXY),
    /// The first named member; no member is on the map.
    GoalOffMap(CellXY),
    /// What blocks the start.
    StartBlocked(PoseBlocked),
    /// What blocks the first member on the map at its first heading; all other members are blocked too.
    GoalBlocked {
        /// The member.
        goal: Pose,
        /// What blocks it.
        blocked: PoseBlocked,
    },
    /// All poses of the area are legal, but none is open.
    NoneOpen,
    /// No sequence of moves leads from the start to the goal.
    Unreachable,
    /// The limit that was reached.
    LimitReached(u64),
    /// The path would exceed the maximum cost.
    CostOverflow,
    /// Obstacles block every path that the map has.
    Obstructed,
}

impl Answer {
    /// The answer of a status without a path, a search or guidance.
    pub const fn ended(status: Status) -> Self {
        Self { status, reached: None, cost: 0, expansions: 0, guide: Guide::Nothing }
    }

    /// The answer with a path to the goal, of a cost in ticks.
    pub const fn at_goal(cost: u32, expansions: u64) -> Self {
        let reached = Some(Reached::Goal);
        Self { status: Status::Found, reached, cost, expansions, guide: Guide::Nothing }
    }

    /// Why the status is not `found`, looked up on the map; `None` if it is.
    pub fn reason(&self, legality: &Legality<'_>, request: &Request<'_>) -> Option<Reason> {
        Some(match self.status {
            Status::Found => return None,
            Status::StartOffMap => Reason::StartOffMap(request.start.cell),
            Status::GoalOffMap => {
                let member = request.goal.members.first().map(|member| member.cell);
                let corner = request.area.map(|area| CellXY::new(area.area.x, area.area.y));
                Reason::GoalOffMap(corner.or(member).unwrap_or(request.start.cell))
            }
            Status::StartBlocked => Reason::StartBlocked(legality.check_pose(request.start).err()?),
            Status::GoalBlocked => {
                let mut first = None;
                request.for_each_goal(legality.space(), |goal| {
                    if first.is_none() {
                        first = legality.check_pose(goal).err().map(|blocked| (goal, blocked));
                    }
                });
                match first {
                    Some((goal, blocked)) => Reason::GoalBlocked { goal, blocked },
                    None => Reason::NoneOpen,
                }
            }
            Status::Unreachable => Reason::Unreachable,
            Status::LimitReached => Reason::LimitReached(request.expansions_max.unwrap_or(self.expansions)),
            Status::CostOverflow => Reason::CostOverflow,
            Status::Obstructed => Reason::Obstructed,
        })
    }
}

impl Reason {
    /// The reason in words, with the map's names of kinds and headings.
    pub fn describe(&self, legality: &Legality<'_>, grid: &wheelbase_grid::Grid) -> String {
        match self {
            Self::StartOffMap(cell) => format!("the start {cell} is off the map of {}", grid.size()),
            Self::GoalOffMap(cell) => {
                format!("no goal is on the map of {}; the first is {cell}", grid.size())
            }
            Self::StartBlocked(blocked) => {
                format!("the start is not a legal pose: {}", blocked.describe(grid))
            }
            Self::GoalBlocked { goal, blocked } => format!(
                "no goal is a legal pose; of {}: {}",
                legality.space().display(*goal),
                blocked.describe(grid)
            ),
            Self::NoneOpen => "no pose of the area is open".to_owned(),
            Self::Unreachable => "no sequence of moves leads from the start to the goal".to_owned(),
            Self::LimitReached(limit) => format!("the limit of {limit} expansions was reached first"),
            Self::Obstructed => "obstacles block every path to the goal".to_owned(),
            Self::CostOverflow => format!("the path would take more than {COST_MAX} ticks"),
        }
    }
}
