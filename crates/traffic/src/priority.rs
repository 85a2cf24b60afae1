//! Who comes first where agents want the same.

use crate::motion::AgentId;

/// A place in the order of priority: the least comes first.
///
/// The layout, from the highest bit of `rank` down, is
/// - bit 63: outside of every corridor, behind all others;
/// - bit 62: entering a busy corridor or just come out of one, behind those that are in one;
/// - bits 0 to 61: tick since which the agent is on its trip, less its priority, plus 2^32; of those that enter, the tick
///   at which they got the right to;
///
/// and behind it the whole id, so that no two agents share a place.
// Packed to 12 bytes: a cell keeps one beside a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C, packed(4))]
pub struct PriorityKey {
    rank: u64,
    id: u32,
}

const OUTSIDE: u64 = 1 << 63;
const ENTERING: u64 = 1 << 62;

impl PriorityKey {
    /// Before all agents.
    pub const FIRST: Self = Self { rank: 0, id: 0 };
    /// Behind all agents; that of an agent without an order.
    pub const LAST: Self = Self { rank: u64::MAX, id: u32::MAX };

    /// By priority and age of the trip, then the lower id.
    pub fn of_trip(since: u32, priority: i32, agent: AgentId) -> Self {
        let rank = i64::from(since) - i64::from(priority) + (1 << 32);
        Self { rank: rank as u64, id: agent.0 }
    }

    /// Of an agent that got the right to enter a busy corridor at a tick.
    pub fn of_entering(admitted_at: u32, agent: AgentId) -> Self {
        Self { rank: ENTERING | u64::from(admitted_at), id: agent.0 }
    }

    /// The same behind all that are in a corridor.
    #[must_use]
    pub fn outside(self) -> Self {
        Self { rank: self.rank | OUTSIDE, ..self }
    }

    /// One word for state hashes: equal keys give equal words.
    pub fn word(self) -> u64 {
        let flags = self.rank & (OUTSIDE | ENTERING);
        let rank = self.rank & !(OUTSIDE | ENTERING);
        match self {
            Self::LAST => u64::MAX,
            _ if self.rank & ENTERING != 0 => flags | rank << 30 | u64::from(self.id),
            _ => flags | (rank << 20).wrapping_add(u64::from(self.id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_by_corridor_then_age_and_priority_then_id() {
        let trip = |since, priority, id| PriorityKey::of_trip(since, priority, AgentId(id));
        let rising = [
            PriorityKey::FIRST,
            trip(0, i32::MAX, 7),
            trip(10, 5, 1),
            trip(5, 0, 2),
            trip(5, 0, 1 << 30),
            trip(5, 0, u32::MAX),
            trip(6, 0, 0),
            trip(u32::MAX, i32::MIN, 3),
            PriorityKey::of_entering(0, AgentId(9)),
            PriorityKey::of_entering(4, AgentId(u32::MAX)),
            trip(0, i32::MAX, 7).outside(),
            trip(6, 0, 0).outside(),
            PriorityKey::LAST,
        ];
        assert!(rising.is_sorted_by(|one, other| one < other), "{rising:?}");
        assert_eq!(PriorityKey::LAST.outside(), PriorityKey::LAST);
    }
}
