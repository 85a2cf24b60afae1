//! Who plans anew around whom, as far as a try has come.

use crate::cooperative::plan::Plan;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;

/// Who gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Those of lower rank, whatever it costs them.
    OfRank,
    /// Anyone, if all plans together cost less.
    ForAll,
}

impl Aim {
    /// In the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::OfRank, Self::ForAll];

    /// Steps in which one that is lifted is thought to clear a cell: tried one after the other.
    pub fn steps_to_clear(self, params: &TrafficParams) -> [u32; 2] {
        match self {
            Self::OfRank => [params.lift_steps_of_rank, params.lift_steps_of_rank_again],
            Self::ForAll => [params.lift_steps_for_all, params.lift_steps_for_all_again],
        }
    }

    /// Failures in a row after which the time to the next try is doubled no more.
    pub fn failures_max(self) -> u8 {
        match self {
            Self::OfRank => 4,
            Self::ForAll => 1,
        }
    }
}

/// When one tries again to have others plan around it, for one [`Aim`].
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
pub struct Lifted {
    pub row: u32,
    pub before: Plan,
    /// When it was last touched before.
    pub touched_at: u32,
}

/// Scratch memory.
#[derive(Debug, Default)]
pub struct Lifting {
    /// All that are given another plan, in the order in which they were lifted.
    pub log: Vec<Lifted>,
    /// Those of them that have none yet.
    pub pending: Vec<Pending>,
    pub met: Vec<u32>,
    /// Expansions left for plans that cost less together.
    pub left_for_all: u64,
}

/// One that has no plan yet.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    pub place: PriorityKey,
    pub row: u32,
    /// What its best plan cost as long as it, and all that were met with it, stood.
    pub cost: u32,
}

impl Lifting {
    /// A tick begins.
    pub fn begin_tick(&mut self, params: &TrafficParams) {
        self.left_for_all = u64::from(params.lift_expansions_for_all);
    }
}

/// Index of the one first in the order of rank.
pub fn least(pending: &[Pending]) -> Option<usize> {
    pending.iter().enumerate().min_by_key(|(_, pending)| (pending.place, pending.row)).map(|(at, _)| at)
}
