//! Priority keys: the order in which agents get what several of them need.

use crate::motion::AgentId;
use crate::saved::saved;

/// The priority of an agent among all: the least key comes first.
///
/// Layout, from the highest bit of `rank` down:
/// - bit 63: outside of every corridor, after all agents that are in one;
/// - bit 62: entering a busy corridor or just out of one, after the agents that are in one;
/// - bits 0 to 61: begin of the agent's trip less its given priority, plus 2^32. Of an agent that enters a busy
///   corridor, the tick of its admission;
///
/// and after the rank the whole id, so that no two agents have equal keys.
// Packed to 12 bytes: each cell keeps one with a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C, packed(4))]
pub struct PriorityKey {
    rank: u64,
    id: u32,
}

const _: () = assert!(size_of::<PriorityKey>() == 12);

saved!(PriorityKey { rank, id });

const OUTSIDE: u64 = 1 << 63;
const ENTERING: u64 = 1 << 62;

impl PriorityKey {
    /// Before all agents.
    pub const FIRST: Self = Self { rank: 0, id: 0 };
    /// After all agents; the key of an agent without an order.
    pub const LAST: Self = Self { rank: u64::MAX, id: u32::MAX };

    /// By given priority and age of the trip, then by id.
    pub fn of_trip(since: u32, priority: i32, agent: AgentId) -> Self {
        let rank = i64::from(since) - i64::from(priority) + (1 << 32);
        Self { rank: rank as u64, id: agent.0 }
    }

    /// Of an agent that was admitted to a busy corridor at a tick.
    pub fn of_entering(admitted_at: u32, agent: AgentId) -> Self {
        Self { rank: ENTERING | u64::from(admitted_at), id: agent.0 }
    }

    /// The same, after all agents that are in a corridor.
    #[must_use]
    pub fn outside(self) -> Self {
        Self { rank: self.rank | OUTSIDE, ..self }
    }

    /// The agent.
    pub(crate) fn agent(self) -> AgentId {
        AgentId(self.id)
    }

    /// One word for state hashes. It is packed differently from the key: flags in bits 62 and 63. The tick of
    /// admission from bit 30 up, or else the rank from bit 20 up; the id below.
    ///
    /// The layout dates from keys with 20 bits of the id; it stays so that state hashes stay. Equal keys give equal
    /// words. From id 2^20 on (2^30 with an admission) different keys can collide. That is harmless: words are
    /// hashed, never compared, and a hash that misses one difference between two worlds sees the ones that follow
    /// from it.
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
    use std::collections::BTreeSet;

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

    /// Words differ where keys do as long as ids are below 2^20. Recorded state hashes depend on these values.
    #[test]
    fn words_for_hashes_keep_their_layout() {
        let trip = |since, priority, id| PriorityKey::of_trip(since, priority, AgentId(id));
        let entering = |at, id| PriorityKey::of_entering(at, AgentId(id));
        assert_eq!(trip(7, 2, 5).word(), (5 + (1 << 32)) << 20 | 5);
        assert_eq!(trip(7, 2, 5).outside().word(), 1 << 63 | (5 + (1 << 32)) << 20 | 5);
        assert_eq!(entering(7, 5).word(), 1 << 62 | 7 << 30 | 5);
        assert_eq!(PriorityKey::LAST.word(), u64::MAX);
        let ids = [0, 1, 77, (1 << 20) - 1];
        let ticks = [0, 1, 4_000_000_000, u32::MAX];
        let trips = || ticks.into_iter().flat_map(move |tick| ids.map(|id| (tick, id)));
        let keys = trips().flat_map(|(tick, id)| {
            let trips = [i32::MIN, -1, 0, 3, i32::MAX].map(|priority| trip(tick, priority, id));
            trips.into_iter().flat_map(|key| [key, key.outside()]).chain([entering(tick, id)])
        });
        let keys: BTreeSet<PriorityKey> = keys.collect();
        assert_eq!(keys.iter().map(|key| key.word()).collect::<BTreeSet<u64>>().len(), keys.len());
    }
}
