//! The corridors on the path of an agent, and under its body.

use crate::cooperative::admission::{Entrance, Entrant};
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::fixed::ENTRANCE_BODIES;
use crate::cooperative::reservations::Reservations;
use crate::motion::AgentSlot;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;

/// Corridors that one agent can be in, at most.
pub(crate) const CORRIDORS_MAX: usize = 4;

/// Why an agent may not enter a corridor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// An agent is inside or goes first.
    Held(AgentSlot),
    /// The agents at the other end have their turn.
    Turn,
    /// A batch that goes the same way comes first, while others want to come the other way.
    Queue,
}

/// A corridor on the path of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorridorAhead {
    pub(crate) corridor: u32,
    /// How it goes through.
    pub(crate) entrant: Entrant,
    /// Why it may not enter; `None` if it may.
    pub(crate) refusal: Option<Refusal>,
    /// Moves to its entrance.
    pub(crate) moves: u32,
    pub(crate) entrance: Entrance,
    /// The corridor is busy and enough others come first: it keeps off the ground before the entrance.
    pub(crate) keeps_off: bool,
}

/// Reach of the ground before an entrance, in cells, for a body of some shortest and longest side.
pub(crate) fn entrance_reach((_, longest): (u32, u32)) -> u32 {
    ENTRANCE_BODIES * longest
}

/// Adds the corridors under a body to a list, as long as it has room.
pub(crate) fn note_corridors(
    corridor_control: &CorridorControl,
    reservations: &Reservations,
    (anchor, cells): (CellXY, &[Offset]),
    corridors: &mut [u32; CORRIDORS_MAX],
) {
    for &offset in cells {
        let corridor = corridor_control.map.at(reservations.index(anchor, offset));
        if corridor != NO_CORRIDOR
            && !corridors.contains(&corridor)
            && let Some(free) = corridors.iter_mut().find(|free| **free == NO_CORRIDOR)
        {
            *free = corridor;
        }
    }
}
