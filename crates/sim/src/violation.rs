//! What must never be, found by the check of invariants.

use std::fmt;
use wheelbase_grid::CellXY;
use wheelbase_traffic::motion::AgentId;

/// Something that must never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two agents hold a cell.
    Overlap {
        /// The one of lower id.
        first: AgentId,
        /// The other.
        second: AgentId,
        /// One of the cells.
        cell: CellXY,
    },
    /// Two agents whose moves ended at one tick have exchanged places (discrete rule).
    Exchange {
        /// The one of lower id.
        first: AgentId,
        /// The other.
        second: AgentId,
    },
    /// The reservation does not say who holds a cell.
    Reservation {
        /// The cell.
        cell: CellXY,
        /// Who it says.
        kept: Option<AgentId>,
        /// Who does.
        right: Option<AgentId>,
    },
    /// What is kept of the poses that have been given is not what the agents have.
    Given {
        /// A cell of a given pose.
        cell: CellXY,
        /// Who it is kept for.
        kept: Option<AgentId>,
        /// Who has been given it; of several the one of lowest id.
        right: Option<AgentId>,
    },
    /// A move in progress has no end in the future.
    Overdue {
        /// The agent.
        agent: AgentId,
        /// Tick at which its move ended or should have.
        until: u32,
    },
    /// An agent rests in a pose that is not legal, though no edit stranded it.
    IllegalPose {
        /// The agent.
        agent: AgentId,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            |agent: &Option<AgentId>| agent.map_or("nobody".to_owned(), |id| format!("agent {}", id.0));
        match self {
            Self::Overlap { first, second, cell } => {
                write!(f, "agents {} and {} both hold cell {cell}", first.0, second.0)
            }
            Self::Exchange { first, second } => {
                write!(f, "agents {} and {} exchange places", first.0, second.0)
            }
            Self::Reservation { cell, kept, right } => {
                write!(f, "cell {cell} is reserved for {}, but {} holds it", name(kept), name(right))
            }
            Self::Given { cell, kept, right } => {
                write!(f, "cell {cell} is given to {}, but kept for {}", name(right), name(kept))
            }
            Self::Overdue { agent, until } => {
                write!(f, "the move of agent {} should have ended at tick {until}", agent.0)
            }
            Self::IllegalPose { agent } => write!(f, "agent {} rests in a pose that is not legal", agent.0),
        }
    }
}
