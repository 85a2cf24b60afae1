//! Class changes that wait for the end of a move.

use crate::commands::Ticket;
use wheelbase_planner::Pose;
use wheelbase_traffic::motion::{AgentId, ClassId};

/// A class change that was asked for and has not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassChange {
    /// Ticket of its command.
    pub ticket: Ticket,
    /// The agent.
    pub agent: AgentId,
    /// Its new class.
    pub class: ClassId,
    /// Its new pose; `None` to keep the present one.
    pub pose: Option<Pose>,
}
