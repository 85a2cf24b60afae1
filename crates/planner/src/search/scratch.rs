//! The memory of one search.

use crate::model::outcome::Status;
use crate::model::pose::State;
use crate::search::guide::Guide;
use crate::search::heuristic::Prepared;
use crate::search::open_list::{BucketQueue, HeapQueue, KeyOrder};
use crate::tables::node::Node;

/// The memory of one search, one a worker; it grows to the largest map it has met and is reset without
/// clearing. 8 bytes a state that a search may touch (taken from the system page by page as it does),
/// and 4 a pose on the open list, in blocks of 64.
///
/// A search leaves its state here between [`crate::begin`] and [`crate::finish`].
#[derive(Debug, Default)]
pub struct Scratch {
    /// `[n_states]`, see [`Node`].
    pub(crate) nodes: Vec<u64>,
    pub(crate) stamp: u32,
    /// States whose node has the flag of a goal.
    pub(crate) goals: Vec<u32>,
    pub(crate) buckets: BucketQueue,
    pub(crate) heap: HeapQueue,
    /// `[width + height]`: parts of the heuristic by column and by row, where it is a sum of them; of this
    /// search once it says [`Run::parts_listed`].
    pub(crate) norm_parts: Vec<u32>,
    /// States still to be visited when the reachable ones are gone through.
    pub(crate) stack: Vec<u32>,
    pub(crate) run: Run,
}

/// Where a search stands.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub start: Option<State>,
    pub ended: Option<Ended>,
    pub expansions: u64,
    /// Some path grew longer than `COST_MAX` and was not followed.
    pub overflowed: bool,
    pub prepared: Option<Prepared>,
    pub guide: Guide,
    /// Sums never fall, and keys fit into buckets.
    pub in_buckets: bool,
    pub order: KeyOrder,
    /// Where they do not: the key from which on there are buckets for them, see
    /// [`crate::search::open_list::FallingQueue`].
    pub keys_from: u64,
    /// The parts of the heuristic are listed.
    pub parts_listed: bool,
    /// The goal is an area: the state that it ended at is still on the open list.
    pub by_area: bool,
    /// The expanded pose of least heuristic, then least cost, then least index.
    pub best: Option<(u32, u32, u32)>,
}

/// How a search ended, and where its path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    AtGoal(State),
    AtNearest(State),
    Without(Status),
}

/// All nodes are below 2^62.
const STAMPS: u32 = 1 << 24;

impl Scratch {
    /// An empty scratch; memory is taken at the first search.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cost at which the last search expanded a state, `None` if it did not, nor after a search that had to
    /// go through all that can be reached for [`Fallback::Nearest`](crate::search::Fallback::Nearest). For pictures
    /// of a search; holds until the next one begins.
    pub fn expanded_cost(&self, state: State) -> Option<u32> {
        let node = *self.nodes.get(state.0 as usize)?;
        let expanded = Node::stamp(node) == self.stamp && node & Node::CLOSED != 0;
        expanded.then(|| Node::cost(node))
    }

    /// Memory in bytes as it was asked of the system: 8 a state of the largest map met, 256 KiB of buckets, and
    /// what the lists have grown to. The system hands out the pages of it that searches have touched.
    pub fn memory_bytes(&self) -> usize {
        let lists = self.goals.capacity() + self.norm_parts.capacity() + self.stack.capacity();
        let open = self.buckets.allocated_bytes() + self.heap.allocated_bytes();
        8 * self.nodes.capacity() + 4 * lists + open
    }

    /// Gives memory back: all but the 8 bytes a state for maps of so many states, and the buckets. A search
    /// under way is dropped, and nothing is told of the last one any more.
    pub fn shrink_to(&mut self, n_states: usize) {
        if self.nodes.len() > n_states {
            // Untouched pages again: a shorter array in place would keep those that searches have touched.
            (self.nodes, self.stamp) = (vec![0; n_states], 0);
        } else {
            self.take_goals_back();
        }
        let (nodes, stamp) = (std::mem::take(&mut self.nodes), self.stamp);
        *self = Self { nodes, stamp, ..Self::default() };
    }

    /// Makes a state a goal of the search to come.
    pub(crate) fn mark_goal(&mut self, state: State) {
        let node = &mut self.nodes[state.0 as usize];
        if *node & Node::GOAL == 0 {
            *node |= Node::GOAL;
            self.goals.push(state.0);
        }
    }

    /// Readies it for a search over so many states.
    pub(crate) fn reset(&mut self, n_states: usize) {
        self.take_goals_back();
        if self.nodes.len() < n_states {
            // Zeroed memory comes from the system untouched; growing in place would write it all.
            self.nodes = vec![0; n_states];
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.stamp == STAMPS {
            // The stamps begin anew: nodes of long ago must not look like today's.
            self.nodes.fill(0);
            self.stamp = 1;
        }
        self.run = Run::default();
    }

    fn take_goals_back(&mut self) {
        for goal in self.goals.drain(..) {
            self.nodes[goal as usize] &= !Node::GOAL;
        }
    }

    #[cfg(test)]
    pub(crate) fn age_to_last_stamp(&mut self) {
        self.stamp = STAMPS - 2;
    }
}
