//! Connected sets of the pose graph of a class.

use crate::pose::State;
use crate::tables::MovementTables;

/// Weakly connected components of the pose graph: two poses in different ones have no path between
/// them, whatever the direction of the moves.
///
/// One label a state, 4 bytes each: the least state of its component, or `u32::MAX` where no pose is
/// legal.
#[derive(Clone, Debug, Default)]
pub struct Components {
    labels: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Components {
    /// Labels every state of the tables. Near linear in the number of legal moves (union-find with
    /// path halving; Tarjan 1975).
    pub fn of(tables: &MovementTables) -> Self {
        let mut components = Self::default();
        components.relabel(tables);
        components
    }

    /// Labels every state anew, after the tables changed. Allocates nothing when the size is the same.
    pub(crate) fn relabel(&mut self, tables: &MovementTables) {
        let labels = &mut self.labels;
        labels.clear();
        let states = 0..tables.space().n_states() as u32;
        labels.extend(states.clone().map(|s| if tables.is_legal(State(s)) { s } else { NONE }));
        for state in states.clone().filter(|&s| tables.is_legal(State(s))) {
            let mut root = find(labels, state);
            tables.for_each_successor(State(state), |next| {
                let other = find(labels, next.state.0);
                // The lesser root wins, so a label is the least state of its component.
                let (low, high) = (root.min(other), root.max(other));
                labels[high as usize] = low;
                root = low;
            });
        }
        for state in states {
            if labels[state as usize] != NONE {
                labels[state as usize] = find(labels, state);
            }
        }
    }

    /// Label of a state's component, or `None` if its pose is not legal.
    pub fn label(&self, state: State) -> Option<u32> {
        let label = self.labels[state.0 as usize];
        (label != NONE).then_some(label)
    }

    /// Whether two legal poses are in one component. If not, neither can reach the other.
    pub fn joined(&self, a: State, b: State) -> bool {
        self.label(a).is_some() && self.label(a) == self.label(b)
    }
}

fn find(labels: &mut [u32], mut state: u32) -> u32 {
    loop {
        let parent = labels[state as usize];
        if parent == state {
            return state;
        }
        let above = labels[parent as usize];
        labels[state as usize] = above;
        state = above;
    }
}
