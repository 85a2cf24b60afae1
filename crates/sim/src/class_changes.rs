//! Class changes that wait for the end of a move.

use crate::commands::Ticket;
use crate::plain;
use serde::{Deserialize, Serialize};
use wheelbase_planner::Pose;
use wheelbase_traffic::motion::{AgentId, ClassId};

/// A class change that was asked for and has not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClassChange {
    /// Ticket of its command.
    pub ticket: Ticket,
    /// The agent.
    #[serde(with = "plain")]
    pub agent: AgentId,
    /// Its new class.
    #[serde(with = "plain")]
    pub class: ClassId,
    /// Its new pose; `None` to keep the present one.
    pub pose: Option<Pose>,
}
