//! Soft reservations: cells that waiting agents need next. They bind friends of lower priority alone.

use crate::clone_fields::clone_fields;
use crate::hash::fold;
use crate::priority::PriorityKey;
use crate::teams::Team;

/// The soft reservations of all cells. Memory: 16 bytes per cell, and one more once a team other than 0 has one.
#[derive(Debug, Default)]
pub(crate) struct SoftReservations {
    /// By cell: the tick at which the reservation ends, and the key of its agent.
    pub(crate) of_cell: Vec<(u32, PriorityKey)>,
    /// By cell: the team of that agent; empty as long as all reservations are of team 0.
    pub(crate) teams: Vec<Team>,
    /// Tick from which on there are none.
    pub(crate) until: u32,
    /// Hash of all reservations made so far, in order.
    pub(crate) reserved_so_far: u64,
}

clone_fields!(SoftReservations { of_cell, teams, until, reserved_so_far });

impl SoftReservations {
    /// None on a map of `n_cells`.
    pub(crate) fn new(n_cells: usize) -> Self {
        Self {
            of_cell: vec![(0, PriorityKey::FIRST); n_cells],
            teams: Vec::new(),
            until: 0,
            reserved_so_far: 0,
        }
    }

    /// Reserves a cell softly until a tick, for an agent of a team.
    pub(crate) fn reserve(&mut self, cell: usize, until: u32, (key, team): (PriorityKey, Team)) {
        let reserved = (cell as u64) << 32 ^ u64::from(until) ^ key.word() ^ u64::from(team.0) << 58;
        self.reserved_so_far = fold(self.reserved_so_far, reserved);
        let (ends, owner) = &mut self.of_cell[cell];
        if *ends < until || key < *owner {
            (*ends, *owner) = (until, key);
            if team != Team(0) && self.teams.is_empty() {
                self.teams.resize(self.of_cell.len(), Team(0));
            }
            if let Some(of_owner) = self.teams.get_mut(cell) {
                *of_owner = team;
            }
        }
        self.until = self.until.max(until);
    }

    /// Whether an agent of higher priority, of one of some teams, has reserved a cell at a tick.
    pub(crate) fn is_reserved(&self, cell: usize, tick: u32, (key, teams): (PriorityKey, u32)) -> bool {
        let (until, owner) = self.of_cell[cell];
        until > tick && owner < key && self.teams.get(cell).copied().unwrap_or_default().is_in(teams)
    }

    /// The state on which later ticks depend, for the state hash.
    pub(crate) fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.reserved_so_far);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::AgentId;

    /// A soft reservation binds friends of lower priority alone, also where teams before had none. The last word has
    /// the higher priority, or the later tick.
    #[test]
    fn soft_reservations_bind_friends() {
        let key = |since| PriorityKey::of_trip(since, 0, AgentId(since));
        let mut soft = SoftReservations::new(3);
        soft.reserve(0, 9, (key(5), Team(0)));
        assert!(soft.is_reserved(0, 8, (key(6), 1)) && soft.teams.is_empty());
        assert!(!soft.is_reserved(0, 8, (key(6), 0b110)) && !soft.is_reserved(0, 8, (key(4), 1)));
        soft.reserve(1, 9, (key(5), Team(31)));
        let friends = 1 << 31 | 1;
        assert!(soft.is_reserved(1, 8, (key(6), friends)) && soft.is_reserved(0, 8, (key(6), friends)));
        assert!(!soft.is_reserved(1, 8, (key(6), 1)) && !soft.is_reserved(1, 9, (key(6), friends)));
        soft.reserve(1, 9, (key(3), Team(0)));
        assert!(soft.is_reserved(1, 8, (key(4), 1)) && !soft.is_reserved(1, 8, (key(4), 1 << 31)));
    }
}
