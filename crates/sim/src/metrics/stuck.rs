//! Stuck agents: with a reachable goal, but without a move for a long time.

use crate::progress::is_under_way;
use crate::world::World;

/// Ticks without the end of a move after which an agent with a reachable goal is stuck.
pub const STUCK_AFTER_TICKS: u32 = 256;

impl World {
    /// Number of [stuck](World::is_stuck) agents. Linear in agents.
    pub(crate) fn stuck_agents(&self) -> u64 {
        (0..self.agents.len()).filter(|&row| self.is_stuck(row)).count() as u64
    }

    /// Whether the agent in a row rests, has a goal that is not known to be unreachable, and has ended no move for
    /// [`STUCK_AFTER_TICKS`] ticks. The time counts from the start of its trip at the earliest.
    pub(crate) fn is_stuck(&self, row: usize) -> bool {
        let motion = &self.agents.motion[row];
        let orders = self.agents.orders(row);
        let has_trip = self.orders.trip(&orders).is_some();
        let since = self.agents.wait_states[row].moved_at.max(orders.since);
        is_under_way(motion.activity)
            && has_trip
            && motion.at_rest()
            && self.tick.saturating_sub(since) >= STUCK_AFTER_TICKS
    }
}
