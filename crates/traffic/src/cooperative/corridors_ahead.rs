//! The passages ahead of an agent, and those that it is in.

use crate::cooperative::admission::{Entrance, Entrant};
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::OPEN;
use crate::cooperative::reservations::Reservations;
use crate::params::TrafficParams;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;

/// Passages that an agent can be in at once.
pub const CORRIDORS_MAX: usize = 4;

/// A passage ahead of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    pub corridor: u32,
    /// How it goes through.
    pub entrant: Entrant,
    /// Who keeps it from entering; itself if it is not its turn.
    pub holder: Option<u32>,
    /// Moves to where it enters, and where that is.
    pub moves: u32,
    pub entrance: Entrance,
    /// The passage is busy, and enough others come before it: it stays off the ground before the mouth.
    pub stays_off: bool,
}

/// How far the ground before a mouth reaches, in cells, for bodies of such a shortest and longest side.
pub fn entrance_reach((_, longest): (u32, u32), params: &TrafficParams) -> u32 {
    params.entrance_bodies * longest
}

/// Adds the passages under a body to those given, as many as there is room for.
pub fn note_corridors(
    corridor_control: &CorridorControl,
    reservations: &Reservations,
    (anchor, cells): (CellXY, &[Offset]),
    corridors: &mut [u32; CORRIDORS_MAX],
) {
    for &offset in cells {
        let corridor = corridor_control.map.at(reservations.index(anchor, offset));
        if corridor != OPEN
            && !corridors.contains(&corridor)
            && let Some(key) = corridors.iter_mut().find(|key| **key == OPEN)
        {
            *key = corridor;
        }
    }
}
