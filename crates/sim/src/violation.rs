//! Violations of the invariants.

use std::fmt;
use wheelbase_grid::CellXY;
use wheelbase_traffic::motion::AgentId;

/// A broken invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two agents hold a cell.
    Overlap {
        /// The agent of lower id.
        first: AgentId,
        /// The other.
        second: AgentId,
        /// One of the cells.
        cell: CellXY,
    },
    /// Two agents whose moves ended at one tick have exchanged places (discrete rule).
    Exchange {
        /// The agent of lower id.
        first: AgentId,
        /// The other.
        second: AgentId,
    },
    /// The occupancy names the wrong holder of a cell.
    Occupancy {
        /// The cell.
        cell: CellXY,
        /// The holder that it names.
        found: Option<AgentId>,
        /// The agent whose motion covers the cell.
        expected: Option<AgentId>,
    },
    /// The map of assigned poses names the wrong owner of a cell.
    AssignedPose {
        /// A cell of an assigned pose.
        cell: CellXY,
        /// The owner that it names.
        found: Option<AgentId>,
        /// The agent whose assigned pose covers the cell; of several, that of lowest id.
        expected: Option<AgentId>,
    },
    /// A move in progress has no end in the future.
    Overdue {
        /// The agent.
        agent: AgentId,
        /// Tick at which its move should have ended.
        until: u32,
    },
    /// An agent rests in an illegal pose, though no edit stranded it.
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
            Self::Occupancy { cell, found, expected } => {
                write!(f, "the occupancy says {} holds cell {cell}, but {} does", name(found), name(expected))
            }
            Self::AssignedPose { cell, found, expected } => {
                let (found, expected) = (name(found), name(expected));
                write!(f, "cell {cell} is kept for {found}, but belongs to the assigned pose of {expected}")
            }
            Self::Overdue { agent, until } => {
                write!(f, "the move of agent {} should have ended at tick {until}", agent.0)
            }
            Self::IllegalPose { agent } => write!(f, "agent {} rests in an illegal pose", agent.0),
        }
    }
}
