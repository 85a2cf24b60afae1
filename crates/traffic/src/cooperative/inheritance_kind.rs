//! The two kinds of priority inheritance, and when an agent tries each again.

use crate::cooperative::fixed::{
    INHERITANCE_RETRY_DOUBLINGS_MAX, INHERITANCE_STEPS, INHERITANCE_STEPS_AGAIN, LNS_RETRY_DOUBLINGS_MAX,
    LNS_STEPS, LNS_STEPS_AGAIN,
};

use crate::saved::saved;

/// Which agents yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InheritanceKind {
    /// Agents of lower priority, whatever it costs them (PIBT).
    LowerPriority,
    /// Any agents, if all plans together cost less (large neighbourhood search).
    Neighbourhood,
}

impl InheritanceKind {
    /// In the order in which they are tried.
    pub(crate) const ALL: [Self; 2] = [Self::LowerPriority, Self::Neighbourhood];

    /// Steps in which a yielding agent is assumed to clear a cell: tried one after the other.
    pub(crate) fn steps_to_clear(self) -> [u32; 2] {
        match self {
            Self::LowerPriority => [INHERITANCE_STEPS, INHERITANCE_STEPS_AGAIN],
            Self::Neighbourhood => [LNS_STEPS, LNS_STEPS_AGAIN],
        }
    }

    /// Failures in a row after which the time to the next try is no longer doubled.
    pub(crate) fn failures_max(self) -> u8 {
        match self {
            Self::LowerPriority => INHERITANCE_RETRY_DOUBLINGS_MAX as u8,
            Self::Neighbourhood => LNS_RETRY_DOUBLINGS_MAX as u8,
        }
    }
}

/// When an agent tries one [`InheritanceKind`] again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    pub(crate) again_at: u32,
    /// Failures in a row.
    pub(crate) failures: u8,
}

saved!(Retry { again_at, failures });

impl Retry {
    /// Of an agent that has not tried yet, by kind.
    pub(crate) const NEW: [Self; 2] = [Self { again_at: 0, failures: 0 }; 2];

    /// Everything that a later tick depends on, for the state hash.
    pub(crate) fn word(self) -> u64 {
        u64::from(self.again_at) << 8 | u64::from(self.failures)
    }
}
