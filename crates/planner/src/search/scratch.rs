//! The memory of one search.

use crate::model::outcome::Status;
use crate::model::pose::State;
use crate::open_list::{BucketQueue, HeapQueue, KeyOrder};
use crate::search::guide::Guide;
use crate::search::heuristic::Prepared;
use crate::tables::node::Node;
use wheelbase_grid::Epoch;

/// The memory of one search, one per worker. It grows to the largest map used and is reset without clearing. 8
/// bytes per state that a search may touch (resident only once touched), and 4 per pose on the open list, in
/// blocks of 64.
///
/// A search keeps its state here between [`crate::begin`] and [`crate::finish`].
#[derive(Debug, Default)]
pub struct Scratch {
    /// `[n_states]`, see [`Node`].
    pub(crate) nodes: Vec<u64>,
    /// Stamp of the current search's nodes.
    pub(crate) stamp: Epoch,
    /// States whose node has the goal flag.
    pub(crate) goals: Vec<u32>,
    pub(crate) buckets: BucketQueue,
    pub(crate) heap: HeapQueue,
    /// `[width + height]`: terms of the heuristic by column and by row, if it is a sum of them. Valid for the
    /// current search once [`SearchRun::parts_listed`] is set.
    pub(crate) norm_parts: Vec<u32>,
    /// States to visit when all reachable states are enumerated.
    pub(crate) stack: Vec<u32>,
    pub(crate) run: SearchRun,
}

/// Progress of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchRun {
    pub start: Option<State>,
    pub outcome: Option<Outcome>,
    pub expansions: u64,
    /// Values of the searches that this one repeats for the exact costs.
    pub earlier_expansions: u64,
    /// A path exceeded `COST_MAX` and was not followed.
    pub overflowed: bool,
    pub prepared: Option<Prepared>,
    pub guide: Guide,
    /// Keys never fall, and their range fits the buckets.
    pub in_buckets: bool,
    pub order: KeyOrder,
    /// Otherwise: the least key held in buckets, see [`crate::open_list::NonMonotoneQueue`].
    pub keys_from: u64,
    /// The terms of the heuristic are listed.
    pub parts_listed: bool,
    /// The goal is an area: the state that the search ended at is still on the open list.
    pub by_area: bool,
    /// The goal cannot be reached: the goal states are poses nearest to it that may be.
    pub nearest: Option<NearestRun>,
    /// The expanded pose of least heuristic, then least cost, then least index.
    pub best: Option<(u32, u32, u32)>,
}

/// A search for the nearest pose goes to the cells nearest to the goal one after the other. A bound of the cost to
/// cells on all sides of a goal would guide it nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct NearestRun {
    /// Number of the cell.
    pub at: u32,
    /// The best pose so far: its cost, its index, and the number of its cell. The search goes on up to this cost, in
    /// case that others cost no more.
    pub best: Option<(u32, u32, u32)>,
    /// All cells are done, and the path to the best pose is searched for again.
    pub again: bool,
}

/// End of a search, and of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Outcome {
    AtGoal(State),
    AtNearest(State),
    Without(Status),
}

/// Largest stamp: keeps all nodes below 2^62.
const STAMP_MAX: u32 = (1 << 24) - 1;

/// A clone has the search in progress, or the results of the last one, and separate memory.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        let mut scratch = Self::new();
        scratch.clone_from(self);
        scratch
    }

    /// Reuses memory. Reads the node of every state, and writes the nodes of states that the search has reached.
    fn clone_from(&mut self, other: &Self) {
        self.reset(other.run.start.map_or(0, |_| other.nodes.len()));
        self.run.clone_from(&other.run);
        if self.run.start.is_none() {
            return;
        }
        let stamp = self.stamp.get();
        for (state, node) in other.touched() {
            self.nodes[state as usize] =
                Node::pack(Node::cost(node), stamp, node & Node::FLAGS & !Node::GOAL);
        }
        other.goals.iter().for_each(|&goal| self.mark_goal(State(goal)));
        self.buckets.clone_from(&other.buckets);
        if !self.run.in_buckets {
            self.heap.copy_from(&other.heap);
        }
        if self.run.parts_listed {
            self.norm_parts.clone_from(&other.norm_parts);
        }
    }
}

impl Scratch {
    /// An empty scratch; memory is allocated at the first search.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cost at which the last search expanded a state. `None` if it did not, and after a search that enumerated
    /// all reachable states for [`Fallback::Nearest`](crate::search::Fallback::Nearest). Intended for
    /// visualisation; valid until the next search begins.
    pub fn expanded_cost(&self, state: State) -> Option<u32> {
        let node = *self.nodes.get(state.0 as usize)?;
        let expanded = Node::stamp(node) == self.stamp.get() && node & Node::CLOSED != 0;
        expanded.then(|| Node::cost(node))
    }

    /// Memory reserved from the system in bytes: 8 per state of the largest map used, 256 KiB of buckets, and
    /// the lists. Only pages touched by searches are resident.
    pub fn memory_bytes(&self) -> usize {
        let lists = self.goals.capacity() + self.norm_parts.capacity() + self.stack.capacity();
        let open = self.buckets.allocated_bytes() + self.heap.allocated_bytes();
        8 * self.nodes.capacity() + 4 * lists + open
    }

    /// Releases memory except 8 bytes per state of a map of `n_states` states, and the buckets. Drops a search
    /// in progress and the results of the last one.
    pub fn shrink_to(&mut self, n_states: usize) {
        if self.nodes.len() > n_states {
            // A new array has untouched pages; shortening in place would keep the resident ones.
            (self.nodes, self.stamp) = (vec![0; n_states], Epoch::default());
        } else {
            self.clear_goals();
        }
        let (nodes, stamp) = (std::mem::take(&mut self.nodes), self.stamp);
        *self = Self { nodes, stamp, ..Self::default() };
    }

    /// Marks a state as a goal of the next search.
    pub(crate) fn mark_goal(&mut self, state: State) {
        let node = &mut self.nodes[state.0 as usize];
        if *node & Node::GOAL == 0 {
            *node |= Node::GOAL;
            self.goals.push(state.0);
        }
    }

    /// Prepares for a search over `n_states` states.
    pub(crate) fn reset(&mut self, n_states: usize) {
        self.clear_goals();
        if self.nodes.len() < n_states {
            // Zeroed memory from the system is untouched; growing in place would write it all.
            self.nodes = vec![0; n_states];
            self.stamp = Epoch::default();
        }
        let Self { nodes, stamp, .. } = self;
        stamp.advance(STAMP_MAX, || nodes.fill(0));
        self.run = SearchRun::default();
    }

    /// State and node of every state that the current search has reached, ascending. Linear in the states.
    pub(crate) fn touched(&self) -> impl Iterator<Item = (u32, u64)> {
        let stamp = self.stamp.get();
        let nodes = self.run.start.map_or(&[][..], |_| &self.nodes[..]);
        (0..).zip(nodes.iter().copied()).filter(move |&(_, node)| Node::stamp(node) == stamp)
    }

    fn clear_goals(&mut self) {
        for goal in self.goals.drain(..) {
            self.nodes[goal as usize] &= !Node::GOAL;
        }
    }

    #[cfg(test)]
    pub(crate) fn age_to_last_stamp(&mut self) {
        self.stamp = Epoch::at(STAMP_MAX - 1);
    }
}
