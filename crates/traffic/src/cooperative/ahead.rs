//! The passages ahead of an agent, and those that it is in.

use crate::cooperative::admission::{Mouth, Passer};
use crate::cooperative::claims::Claims;
use crate::cooperative::narrows::Narrows;
use crate::cooperative::passage_map::OPEN;
use crate::params::TrafficParams;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::Offset;

/// Passages that an agent can be in at once.
pub const PASSAGES_MAX: usize = 4;

/// A passage ahead of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    pub passage: u32,
    /// How it goes through.
    pub passer: Passer,
    /// Who keeps it from entering; itself if it is not its turn.
    pub keeper: Option<u32>,
    /// Moves to where it enters, and where that is.
    pub moves: u32,
    pub mouth: Mouth,
    /// The passage is busy, and enough others come before it: it stays off the ground before the mouth.
    pub stays_off: bool,
}

/// How far the ground before a mouth reaches, in cells, for bodies of such a shortest and longest side.
pub fn mouth_reach((_, longest): (u32, u32), params: &TrafficParams) -> u32 {
    params.entrance_bodies * longest
}

/// Adds the passages under a body to those given, as many as there is room for.
pub fn note_passages(
    narrows: &Narrows,
    claims: &Claims,
    (anchor, cells): (CellXY, &[Offset]),
    passages: &mut [u32; PASSAGES_MAX],
) {
    for &offset in cells {
        let passage = narrows.map.at(claims.index(anchor, offset));
        if passage != OPEN
            && !passages.contains(&passage)
            && let Some(place) = passages.iter_mut().find(|place| **place == OPEN)
        {
            *place = passage;
        }
    }
}
