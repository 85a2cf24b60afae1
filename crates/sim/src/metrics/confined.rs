//! Confined agents: their tasks are a step or two away, so they are counted apart.

use crate::tasks::{CONFINED_BELOW_POSES, ReachedPoses};
use crate::world::World;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// The confined agents of a world that have tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Confined {
    /// Their number.
    pub agents: u64,
    /// Their tasks done.
    pub tasks_done: u64,
}

/// Whether an agent can reach fewer than [`CONFINED_BELOW_POSES`] poses.
pub(crate) fn is_confined(tables: &MovementTables, from: State, reached: &mut ReachedPoses) -> bool {
    reached.gather(from, CONFINED_BELOW_POSES, |state, found| {
        tables.for_each_successor(state, |next| found(next.state));
    })
}

impl World {
    /// The agents with tasks that are confined where others of their class are not. Visits up to
    /// [`CONFINED_BELOW_POSES`] poses for each.
    pub(crate) fn confined(&self) -> Confined {
        let mut confined = Confined::default();
        let mut reached = None;
        // Where all are confined, the map is small.
        let is_large =
            |tables: &MovementTables| tables.components().sizes().largest() >= CONFINED_BELOW_POSES as u32;
        let is_large: Vec<bool> = self.tables.iter().map(is_large).collect();
        for (row, motion) in self.agents.motion.iter().enumerate() {
            let class = motion.class.0 as usize;
            let Some((slot, _)) = self.orders.tasks(&self.agents.orders(row)).filter(|_| is_large[class])
            else {
                continue;
            };
            if is_confined(&self.tables[class], motion.state, reached.get_or_insert_default()) {
                confined.agents += 1;
                confined.tasks_done += u64::from(self.agents.statistics(row).finished.min(slot.given()));
            }
        }
        confined
    }
}
