//! Who plans anew around whom, as far as a try has come.

use crate::cooperative::plan::Plan;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;

/// Who gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplacementKind {
    /// Those of lower rank, whatever it costs them.
    LowerPriority,
    /// Anyone, if all plans together cost less.
    Neighbourhood,
}

impl DisplacementKind {
    /// In the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::LowerPriority, Self::Neighbourhood];

    /// Steps in which one that is lifted is thought to clear a cell: tried one after the other.
    pub fn steps_to_clear(self, params: &TrafficParams) -> [u32; 2] {
        match self {
            Self::LowerPriority => [params.displace_steps, params.displace_steps_again],
            Self::Neighbourhood => [params.lns_steps, params.lns_steps_again],
        }
    }

    /// Failures in a row after which the time to the next try is doubled no more.
    pub fn failures_max(self) -> u8 {
        match self {
            Self::LowerPriority => 4,
            Self::Neighbourhood => 1,
        }
    }
}

/// When one tries again to have others plan around it, for one [`DisplacementKind`].
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    pub again_at: u32,
    /// Times in a row that it was in vain.
    pub failures: u8,
}

impl Retry {
    pub const NEW: [Self; 2] = [Self { again_at: 0, failures: 0 }; 2];

    /// Everything that a later tick depends on, for the state hash.
    pub fn word(self) -> u64 {
        u64::from(self.again_at) << 8 | u64::from(self.failures)
    }
}

/// A plan as it stood before.
#[derive(Clone, Copy, Debug)]
pub struct Displaced {
    pub row: u32,
    pub before: Plan,
    /// When it was last touched before.
    pub touched_at: u32,
}

/// Scratch memory.
#[derive(Debug, Default)]
pub struct Displacement {
    /// All that are given another plan, in the order in which they were lifted.
    pub log: Vec<Displaced>,
    /// Those of them that have none yet.
    pub pending: Vec<Pending>,
    pub met: Vec<u32>,
    /// Expansions left for plans that cost less together.
    pub lns_expansions_left: u64,
}

/// One that has no plan yet.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    pub key: PriorityKey,
    pub row: u32,
    /// What its best plan cost as long as it, and all that were met with it, stood.
    pub cost: u32,
}

impl Displacement {
    /// A tick begins.
    pub fn begin_tick(&mut self, params: &TrafficParams) {
        self.lns_expansions_left = u64::from(params.lns_expansions);
    }
}

/// Index of the one first in the order of rank.
pub fn least(pending: &[Pending]) -> Option<usize> {
    pending.iter().enumerate().min_by_key(|(_, pending)| (pending.key, pending.row)).map(|(at, _)| at)
}
