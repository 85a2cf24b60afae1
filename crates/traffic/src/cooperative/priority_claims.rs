//! Priority claims: cells that waiting agents need next, against agents of lower priority.

use crate::hash::fold;
use crate::priority::PriorityKey;

/// The claims of all cells. Memory: 16 bytes a cell.
#[derive(Debug, Default)]
pub(crate) struct PriorityClaims {
    /// By cell: the tick at which the claim ends, and the key of its agent.
    of_cell: Vec<(u32, PriorityKey)>,
    /// Tick from which on there are no claims.
    pub(crate) until: u32,
    /// Hash of all claims made so far, in order.
    claimed_so_far: u64,
}

impl PriorityClaims {
    /// No claims on a map of `n_cells`.
    pub(crate) fn new(n_cells: usize) -> Self {
        Self { of_cell: vec![(0, PriorityKey::FIRST); n_cells], until: 0, claimed_so_far: 0 }
    }

    /// Claims a cell until a tick.
    pub(crate) fn claim_cell(&mut self, cell: usize, until: u32, key: PriorityKey) {
        let claimed = (cell as u64) << 32 ^ u64::from(until) ^ key.word();
        self.claimed_so_far = fold(self.claimed_so_far, claimed);
        let (ends, owner) = &mut self.of_cell[cell];
        if *ends < until || key < *owner {
            (*ends, *owner) = (until, key);
        }
        self.until = self.until.max(until);
    }

    /// Whether an agent of higher priority claims a cell at a tick.
    pub(crate) fn is_claimed(&self, cell: usize, tick: u32, key: PriorityKey) -> bool {
        let (until, owner) = self.of_cell[cell];
        until > tick && owner < key
    }

    /// The state on which later ticks depend, for the state hash.
    pub(crate) fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.claimed_so_far);
    }
}
