//! Why an agent is not moving on.

use serde::Serialize;
use std::fmt;
use wheelbase_grid::CellXY;
use wheelbase_traffic::Reason;
use wheelbase_traffic::motion::AgentId;

/// Why an agent is not moving on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// Nothing is left for it to do.
    None,
    /// It is in mid-move.
    Moves,
    /// It rests as its order says: for a `wait`, or near the agent that it follows.
    Dwelling,
    /// It is on hold.
    Holding,
    /// Its path request has no answer yet, or it asks for a path at the next tick.
    Path,
    /// It has let another agent pass.
    Yielding,
    /// Another agent is in the way of its next move.
    Agent {
        /// The other.
        by: AgentId,
        /// A cell that both need.
        at: CellXY,
    },
    /// Another agent is in the way that cannot make way, and no way around it is known.
    Roadblock {
        /// The other.
        by: AgentId,
        /// A cell that both need.
        at: CellXY,
    },
    /// An edit waits for cells of its next move.
    Edit,
    /// Its goal cannot be reached for now.
    Unreachable,
    /// An edit has made its pose illegal.
    Stranded,
    /// The traffic rule holds it back: the cells of its next move are free, but others pass first, or the space beyond
    /// is full.
    Traffic(Reason),
    /// A traffic rule from outside holds it back, and does not say why.
    OutsideRule,
}

/// A reason as results print it, without the fields that do not belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedReason {
    /// Name of the rule.
    pub rule: &'static str,
    /// The agent that holds the needed cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<u32>,
    /// The cell `[x, y]` that is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[i32; 2]>,
    /// Number of the corridor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corridor: Option<u32>,
    /// The first of its cells, row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corridor_at: Option<[i32; 2]>,
    /// The side of the corridor that has its turn, or that of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// Agents nearer to the corridor that go the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<u32>,
    /// All of it in words.
    pub text: String,
}

impl WaitReason {
    /// Name in outputs.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::None => "nothing_to_do",
            Self::Moves => "moves",
            Self::Dwelling => "dwelling",
            Self::Holding => "hold",
            Self::Path => "path",
            Self::Yielding => "yielding",
            Self::Agent { .. } => "agent",
            Self::Roadblock { .. } => "roadblock",
            Self::Edit => "edit",
            Self::Unreachable => "unreachable",
            Self::Stranded => "stranded",
            Self::Traffic(reason) => reason.rule(),
            Self::OutsideRule => "outside_rule",
        }
    }

    /// It in words, and in parts.
    pub fn named(&self) -> NamedReason {
        let (holder, at, traffic) = match self {
            Self::Agent { by, at } | Self::Roadblock { by, at } => (Some(*by), Some(*at), None),
            Self::Traffic(reason) => (reason.holder(), reason.at(), Some(reason)),
            _ => (None, None, None),
        };
        let pair = |cell: CellXY| [cell.x, cell.y];
        let corridor = traffic.and_then(Reason::corridor);
        let queue = traffic.and_then(Reason::queue);
        NamedReason {
            rule: self.rule(),
            holder: holder.map(|agent| agent.0),
            at: at.map(pair),
            corridor: corridor.map(|corridor| corridor.number),
            corridor_at: corridor.map(|corridor| pair(corridor.cell)),
            side: queue.and_then(|(side, _)| side).map(|side| side.name()),
            ahead: queue.map(|(_, ahead)| ahead),
            text: self.to_string(),
        }
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "nothing is left for it to do",
            Self::Moves => "it moves",
            Self::Dwelling => "it rests as its order says",
            Self::Holding => "it is on hold",
            Self::Path => "its path request has no answer yet",
            Self::Yielding => "it has let another agent pass",
            Self::Agent { by, at } => return write!(f, "{} is in the way at {at}", by.0),
            Self::Roadblock { by, at } => return write!(f, "{} is at {at} and cannot make way", by.0),
            Self::Edit => "an edit waits for cells of its next move",
            Self::Unreachable => "its goal cannot be reached for now",
            Self::Stranded => "an edit has made its pose illegal",
            Self::Traffic(reason) => return reason.fmt(f),
            Self::OutsideRule => "held by a rule of traffic from outside",
        })
    }
}
