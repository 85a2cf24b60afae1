//! Priority claims: cells that waiting agents need next, against agents of lower priority among their friends.

use crate::clone_fields::clone_fields;
use crate::hash::fold;
use crate::priority::PriorityKey;
use crate::teams::Team;

/// The claims of all cells. Memory: 16 bytes per cell, and one more once a team other than 0 has claimed.
#[derive(Debug, Default)]
pub(crate) struct PriorityClaims {
    /// By cell: the tick at which the claim ends, and the key of its agent.
    pub(crate) of_cell: Vec<(u32, PriorityKey)>,
    /// By cell: the team of that agent; empty as long as all claims are of team 0.
    pub(crate) teams: Vec<Team>,
    /// Tick from which on there are no claims.
    pub(crate) until: u32,
    /// Hash of all claims made so far, in order.
    pub(crate) claimed_so_far: u64,
}

clone_fields!(PriorityClaims { of_cell, teams, until, claimed_so_far });

impl PriorityClaims {
    /// No claims on a map of `n_cells`.
    pub(crate) fn new(n_cells: usize) -> Self {
        Self {
            of_cell: vec![(0, PriorityKey::FIRST); n_cells],
            teams: Vec::new(),
            until: 0,
            claimed_so_far: 0,
        }
    }

    /// Claims a cell until a tick, for an agent of a team.
    pub(crate) fn claim_cell(&mut self, cell: usize, until: u32, (key, team): (PriorityKey, Team)) {
        let claimed = (cell as u64) << 32 ^ u64::from(until) ^ key.word() ^ u64::from(team.0) << 58;
        self.claimed_so_far = fold(self.claimed_so_far, claimed);
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

    /// Whether an agent of higher priority, of one of some teams, claims a cell at a tick.
    pub(crate) fn is_claimed(&self, cell: usize, tick: u32, (key, teams): (PriorityKey, u32)) -> bool {
        let (until, owner) = self.of_cell[cell];
        until > tick && owner < key && self.teams.get(cell).copied().unwrap_or_default().is_in(teams)
    }

    /// The state on which later ticks depend, for the state hash.
    pub(crate) fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.claimed_so_far);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::AgentId;

    /// A claim binds friends of lower priority alone, also where teams before had none; the last word has the higher
    /// priority, or the later tick.
    #[test]
    fn claims_bind_friends() {
        let key = |since| PriorityKey::of_trip(since, 0, AgentId(since));
        let mut claims = PriorityClaims::new(3);
        claims.claim_cell(0, 9, (key(5), Team(0)));
        assert!(claims.is_claimed(0, 8, (key(6), 1)) && claims.teams.is_empty());
        assert!(!claims.is_claimed(0, 8, (key(6), 0b110)) && !claims.is_claimed(0, 8, (key(4), 1)));
        claims.claim_cell(1, 9, (key(5), Team(31)));
        let friends = 1 << 31 | 1;
        assert!(claims.is_claimed(1, 8, (key(6), friends)) && claims.is_claimed(0, 8, (key(6), friends)));
        assert!(!claims.is_claimed(1, 8, (key(6), 1)) && !claims.is_claimed(1, 9, (key(6), friends)));
        claims.claim_cell(1, 9, (key(3), Team(0)));
        assert!(claims.is_claimed(1, 8, (key(4), 1)) && !claims.is_claimed(1, 8, (key(4), 1 << 31)));
    }
}
