//! Goals: sets of target poses.

use crate::model::pose::{Heading, Pose, StateSpace};
use wheelbase_grid::{CellXY, GridShape};

/// A member of a goal: an anchor cell with one heading or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoalMember {
    /// Cell of the anchor; may lie off the map.
    pub cell: CellXY,
    /// The arrival heading, or `None` for any.
    pub heading: Option<Heading>,
}

impl GoalMember {
    /// A cell with any heading.
    pub const fn any(cell: CellXY) -> Self {
        Self { cell, heading: None }
    }

    /// One pose.
    pub const fn pose(pose: Pose) -> Self {
        Self { cell: pose.cell, heading: Some(pose.heading) }
    }
}

/// A goal: a set of members, each extended by a radius.
#[derive(Clone, Copy, Debug)]
pub struct Goal<'a> {
    /// The named members.
    pub members: &'a [GoalMember],
    /// Radius in cells. Every anchor within this distance of a named member is a member, too, with the named member's
    /// heading. The squared Euclidean distance is at most the radius squared; hexagonal maps use the hexagonal
    /// distance.
    pub within: u32,
}

impl<'a> Goal<'a> {
    /// The named members, with radius 0.
    pub const fn of(members: &'a [GoalMember]) -> Self {
        Self { members, within: 0 }
    }

    /// Whether a pose on a map of the given shape is a member.
    pub fn matches(&self, shape: GridShape, pose: Pose) -> bool {
        let reach = shape.measure_of(self.within);
        self.members.iter().any(|member| {
            member.heading.is_none_or(|h| h == pose.heading) && shape.measure(member.cell, pose.cell) <= reach
        })
    }

    /// [Distance](GridShape::measure) from a cell to the nearest named member, ignoring `within`.
    pub fn measure(&self, shape: GridShape, cell: CellXY) -> u64 {
        self.members.iter().map(|m| shape.measure(m.cell, cell)).min().unwrap_or(u64::MAX)
    }

    /// Calls `found` with every member pose on the map, in order of the named members, then row-major. Poses
    /// near several named members occur repeatedly.
    pub fn for_each_pose(&self, space: StateSpace, mut found: impl FnMut(Pose)) {
        let (width, height) = (i64::from(space.size().width()), i64::from(space.size().height()));
        let reach = i64::from(self.within);
        for member in self.members {
            let y = i64::from(member.cell.y);
            for row in (y - reach).max(0)..(y + reach + 1).min(height) {
                let columns = space.shape().columns_within(member.cell, self.within, row as i32);
                let Some((first, last)) = columns else { continue };
                for column in first.max(0)..(last + 1).min(width) {
                    let cell = CellXY::new(column as i32, row as i32);
                    match member.heading {
                        Some(heading) => found(Pose { cell, heading }),
                        None => (0..space.headings()).for_each(|h| found(Pose { cell, heading: Heading(h) })),
                    }
                }
            }
        }
    }
}
