//! Agents of a class that get poses around one goal together.

use crate::plain;
use serde::{Deserialize, Serialize};
use wheelbase_planner::model::State;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{GoalMember, MovementTables};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// The goal around which poses were chosen for agents of a class: that of the order, or one near it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct GroupCentre {
    pub order: u32,
    #[serde(with = "plain")]
    pub class: ClassId,
    pub goal: GoalMember,
}

/// An agent that waits for its pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnassignedAgent {
    pub agent: AgentId,
    /// State in which it rests, or will rest once its move has ended.
    pub from: State,
    /// Cost from there to the goal; 0 without a field.
    pub cost: u32,
}

/// Agents of one class whose poses are around one goal.
#[derive(Debug)]
pub(super) struct Batch {
    pub centre: GroupCentre,
    pub in_formation: bool,
    /// Whether there is a field to the goal. On a map too large for one, straight distances replace it.
    pub by_field: bool,
    pub agents: Vec<UnassignedAgent>,
}

/// The states in which agents begin: one of all states that reach each other.
pub(super) fn starts_of(tables: &MovementTables, agents: &[UnassignedAgent]) -> Vec<State> {
    let reaches = |from, to| tables.components().reachability(from, to) == Reachability::Yes;
    let mut starts: Vec<State> = Vec::new();
    for &UnassignedAgent { from, .. } in agents {
        if !starts.iter().any(|&start| reaches(start, from) && reaches(from, start)) {
            starts.push(from);
        }
    }
    starts
}
