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
    /// The agents with tasks that are confined where others of their class are not. Where all are, the map is small.
    /// Linear in agents, with a visit of up to [`CONFINED_BELOW_POSES`] poses for each that is in no set of mutually
    /// reachable poses of that size.
    pub(crate) fn confined(&self) -> Confined {
        let (mut confined, mut reached) = (Confined::default(), None);
        let sizes: Vec<_> = self.tables.iter().map(|tables| tables.components().sizes()).collect();
        let least = CONFINED_BELOW_POSES as u32;
        for (row, motion) in self.agents.motion.iter().enumerate() {
            let (tables, sizes) = (&self.tables[motion.class.0 as usize], &sizes[motion.class.0 as usize]);
            let Some((slot, _)) = self.orders.tasks(&self.agents.orders(row)) else { continue };
            // What an edit has taken from a set is still counted.
            let is_exact = !tables.components().is_stale();
            let is_in_large = is_exact && sizes.set_of(motion.state).is_some_and(|(_, size)| size >= least);
            if is_in_large || sizes.largest() < least {
                continue;
            }
            if is_confined(tables, motion.state, reached.get_or_insert_default()) {
                confined.agents += 1;
                confined.tasks_done += u64::from(self.agents.statistics(row).finished.min(slot.given()));
            }
        }
        confined
    }
}
