//! Connected sets of the pose graph of a class.

use crate::pose::State;
use crate::tables::MovementTables;

/// Connected components of the pose graph.
///
/// Two poses in different weak components have no path between them, whatever the direction of the
/// moves: one label a state, 4 bytes each, the least state of its component. Where moves are one-way (no
/// reverse, climb limits) strong components and their order tell more: 4 further bytes a state.
#[derive(Clone, Debug, Default)]
pub struct Components {
    labels: Vec<u32>,
    /// Number of the strong component of each state; a move never leads to a higher number. Empty where
    /// every move can be taken back.
    strong: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// What components tell of a way from one pose to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// There is one.
    Yes,
    /// There is none.
    No,
    /// Only a search can tell.
    Unknown,
}

impl Components {
    /// Labels every state of the tables. Near linear in the number of legal moves (union-find with
    /// path halving; Tarjan 1975 and, for strong components, 1972).
    pub fn of(tables: &MovementTables) -> Self {
        let mut components = Self::default();
        components.relabel(tables);
        components
    }

    /// Labels every state anew, after the tables changed. Where every move can be taken back it
    /// allocates nothing when the size is the same.
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
        self.strong.clear();
        if !tables.is_reversible() {
            self.strong = strong_components(tables);
        }
    }

    /// Whether no state has been labelled yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Label of a state's weak component, or `None` if its pose is not legal.
    pub fn label(&self, state: State) -> Option<u32> {
        let label = self.labels[state.0 as usize];
        (label != NONE).then_some(label)
    }

    /// Whether moves lead from one legal pose to another. `O(1)`.
    pub fn way(&self, from: State, to: State) -> Way {
        if self.label(from).is_none() || self.label(from) != self.label(to) {
            return Way::No;
        }
        let number = |state: State| self.strong.get(state.0 as usize).copied().unwrap_or(0);
        match number(from).cmp(&number(to)) {
            std::cmp::Ordering::Equal => Way::Yes,
            std::cmp::Ordering::Less => Way::No,
            std::cmp::Ordering::Greater => Way::Unknown,
        }
    }
}

/// Strong components in reverse topological order (Tarjan 1972, without recursion).
fn strong_components(tables: &MovementTables) -> Vec<u32> {
    let n_states = tables.space().n_states();
    let n_primitives = tables.class().primitives().len();
    let mut numbers = vec![NONE; n_states];
    // 0 is unvisited.
    let (mut visit, mut low) = (vec![0_u32; n_states], vec![0_u32; n_states]);
    let (mut path, mut calls): (Vec<u32>, Vec<(u32, u8)>) = (Vec::new(), Vec::new());
    let (mut visits, mut components) = (0, 0);
    for root in (0..n_states as u32).filter(|&s| tables.is_legal(State(s))) {
        if visit[root as usize] != 0 {
            continue;
        }
        calls.push((root, 0));
        while let Some((state, looked_at)) = calls.pop() {
            let at = state as usize;
            if visit[at] == 0 {
                visits += 1;
                visit[at] = visits;
                low[at] = visits;
                path.push(state);
            }
            // A move that leads to an unvisited state is looked at again once that one is settled, and
            // takes over its low mark then.
            let called = (looked_at as usize..n_primitives).find_map(|next| {
                tables.move_ticks(State(state), next)?;
                let after = tables.state_after(State(state), next).0 as usize;
                if visit[after] == 0 {
                    return Some((after as u32, next as u8));
                }
                if numbers[after] == NONE {
                    low[at] = low[at].min(low[after]);
                }
                None
            });
            if let Some((after, next)) = called {
                calls.push((state, next));
                calls.push((after, 0));
                continue;
            }
            if low[at] == visit[at] {
                while let Some(member) = path.pop() {
                    numbers[member as usize] = components;
                    if member == state {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    numbers
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
