//! Why orders were dropped, and how often.

use crate::names::variants;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Why an order was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreachableReason {
    /// No member of the goal is on the map.
    GoalOffMap,
    /// The class has none of the headings that the order names.
    NoSuchHeading,
    /// No pose of the goal is legal.
    GoalBlocked,
    /// No sequence of moves leads from the agent to the goal.
    Unreachable,
    /// The map has a way, but agents on hold, or resting agents of other teams, block it.
    Obstructed,
    /// All poses in the area, or near the group's goal, are taken.
    NoRoom,
    /// The path would take more than 2^32 - 2 ticks.
    CostOverflow,
}

impl UnreachableReason {
    /// By number: the reason, its name, and its words about a goal.
    const TABLE: [(Self, (&'static str, &'static str)); 7] = [
        (Self::GoalOffMap, ("goal_off_map", "the goal is off the map")),
        (Self::NoSuchHeading, ("no_such_heading", "the class has none of the headings asked for")),
        (Self::GoalBlocked, ("goal_blocked", "no pose of the goal is free of walls")),
        (Self::Unreachable, ("unreachable", "no sequence of moves leads to the goal")),
        (Self::Obstructed, ("obstructed", "agents on hold or of other teams are in the way")),
        (Self::NoRoom, ("no_room", "all poses of the goal are taken")),
        (Self::CostOverflow, ("cost_overflow", "the path would take more than 2^32 - 2 ticks")),
    ];

    /// All reasons, in their order in results.
    pub const ALL: [Self; 7] = variants(&Self::TABLE);

    /// Name in results: that of the planner's status, if it has one.
    pub fn name(self) -> &'static str {
        Self::TABLE[self as usize].1.0
    }
}

/// In words, of a goal.
impl fmt::Display for UnreachableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::TABLE[*self as usize].1.1)
    }
}

/// Number of orders dropped for each reason. As JSON an object with the reasons that occurred, in the order of
/// [`UnreachableReason::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreachableReasons([u64; UnreachableReason::ALL.len()]);

impl UnreachableReasons {
    /// Counts one more order.
    pub(crate) fn count(&mut self, reason: UnreachableReason) {
        self.0[reason as usize] += 1;
    }

    /// The reasons that occurred, with the number of orders.
    pub fn iter(&self) -> impl Iterator<Item = (UnreachableReason, u64)> {
        UnreachableReason::ALL.into_iter().zip(self.0).filter(|&(_, count)| count > 0)
    }
}

impl Serialize for UnreachableReasons {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.iter().try_for_each(|(reason, count)| map.serialize_entry(reason.name(), &count))?;
        map.end()
    }
}

/// Serde for the counts of all reasons as a list, in order.
pub(crate) mod numbers {
    use super::UnreachableReasons;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(reasons: &UnreachableReasons, to: S) -> Result<S::Ok, S::Error> {
        reasons.0.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<UnreachableReasons, D::Error> {
        Deserialize::deserialize(from).map(UnreachableReasons)
    }
}

/// As text: `20 goal_blocked, 4 no_room`; empty if no order was dropped.
impl fmt::Display for UnreachableReasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (reason, count)) in self.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{count} {}", reason.name())?;
        }
        Ok(())
    }
}
