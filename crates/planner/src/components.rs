//! Connected sets of the pose graph of a class, kept true under edits.

mod cell_shapes;
mod nearby;

use crate::pose::State;
use crate::tables::{MoveWord, MovementTables, STEPS_STRIDE, lanes_of, with_layout};
use cell_shapes::CellShapes;
use nearby::Nearby;
use wheelbase_grid::Rect;

/// Connected components of the pose graph.
///
/// Two poses in different weak components have no path between them, whatever the direction of the
/// moves. Where moves are one-way (no reverse, climb limits) strong components and their order tell more.
///
/// Memory: 4 bytes a state, and 4 more where moves are one-way. After an edit that takes moves away it is
/// first looked whether the poses that lost one are still connected close by, round the building. If not,
/// floods begin from what is apart, all at once, until but one of them can still grow: the cost is that of
/// the smaller parts (after the dynamic connectivity of Even and Shiloach 1981), and never much more than
/// that of labelling all anew. Moves that are added join two sets (union-find, Tarjan 1975).
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// Number of each state's set, `NONE` where the pose is not legal.
    labels: Vec<u32>,
    sets: Sets,
    /// Number of the strong component of each state; a move never leads to a higher number. Empty where
    /// every move can be taken back; `NONE` for poses that were not legal when they were numbered.
    strong: Vec<u32>,
    /// Since they were numbered, moves were lost, or won.
    strong_lost: bool,
    strong_won: bool,
    flood: Flood,
    nearby: Nearby,
    shapes: CellShapes,
}

/// Where the parts into which an edit may have split a set grow to more than one state in so many of all, all
/// are labelled anew.
const FLOODED_SHARE: usize = 8;

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

/// What an edit did to the pose graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphChange {
    /// States whose poses the edit may have made legal or illegal.
    pub states: Vec<u32>,
    /// States that lost a move out of them or into them; some come more than once.
    pub rim: Vec<u32>,
    /// Moves that became legal, by the states they lead from and to; one of two that take each other back.
    pub won: Vec<(u32, u32)>,
    /// Whether some move was lost.
    pub lost: bool,
}

impl GraphChange {
    pub fn clear(&mut self) {
        self.states.clear();
        self.rim.clear();
        self.won.clear();
        self.lost = false;
    }
}

/// Disjoint sets by number, a forest with union by rank.
#[derive(Clone, Debug, Default)]
struct Sets {
    parents: Vec<u32>,
    ranks: Vec<u8>,
    /// New numbers by old ones, while they change.
    numbers: Vec<u32>,
}

impl Sets {
    fn clear(&mut self) {
        self.parents.clear();
        self.ranks.clear();
    }

    /// Takes room for so many sets, unless it is there.
    fn reserve(&mut self, n_sets: usize) {
        let missing = n_sets.saturating_sub(self.parents.len());
        self.parents.reserve(missing);
        self.ranks.reserve(missing);
        self.numbers.reserve(n_sets.saturating_sub(self.numbers.len()));
    }

    fn add(&mut self) -> u32 {
        let number = self.parents.len() as u32;
        self.parents.push(number);
        self.ranks.push(0);
        number
    }

    /// Looks only, so it needs no `&mut`: ranks keep the ways short.
    fn root(&self, mut set: u32) -> u32 {
        while self.parents[set as usize] != set {
            set = self.parents[set as usize];
        }
        set
    }

    /// Hangs every set under its root.
    fn flatten(&mut self) {
        for set in 0..self.parents.len() {
            self.parents[set] = self.root(self.parents[set]);
        }
    }

    /// Joins two roots and says which one is the root now.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let (low, high) = (a.min(b), a.max(b));
        let (high_rank, low_rank) = (self.ranks[high as usize], self.ranks[low as usize]);
        let (root, other) = if high_rank > low_rank { (high, low) } else { (low, high) };
        self.ranks[root as usize] += u8::from(high_rank == low_rank);
        self.parents[other as usize] = root;
        root
    }
}

impl Components {
    /// Labels every state of the tables. Near linear in the number of legal moves (union-find, Tarjan
    /// 1975; strong components Tarjan 1972).
    pub fn of(tables: &MovementTables) -> Self {
        let mut components = Self::default();
        components.relabel(tables);
        components
    }

    /// Whether the states were labelled at all.
    pub fn are_known(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Labels every state anew.
    pub(crate) fn relabel(&mut self, tables: &MovementTables) {
        self.label_all(tables);
        self.strong.clear();
        if !tables.is_reversible() {
            self.strong = strong_components(tables);
        }
        (self.strong_lost, self.strong_won) = (false, false);
    }

    /// Labels every state with the number of its weak component.
    fn label_all(&mut self, tables: &MovementTables) {
        self.labels.clear();
        self.sets.clear();
        with_layout!(&tables.layouts, layout => match tables.is_reversible() {
            true => self.shapes.label(tables, &layout.words, &mut self.labels, &mut self.sets),
            false => {
                self.labels.resize(tables.space().n_states(), NONE);
                label_states(tables, &layout.words, &mut self.labels, &mut self.sets);
            }
        });
        self.sets.flatten();
    }

    /// Numbers the sets anew without gaps, each label being a root.
    fn compact(&mut self) {
        let Sets { parents, ranks, numbers } = &mut self.sets;
        let mut n_sets = 0;
        numbers.clear();
        numbers.resize(parents.len(), NONE);
        for label in self.labels.iter_mut().filter(|label| **label != NONE) {
            let mut root = *label;
            while parents[root as usize] != root {
                root = parents[root as usize];
            }
            parents[*label as usize] = root;
            let number = &mut numbers[root as usize];
            if *number == NONE {
                *number = n_sets;
                n_sets += 1;
            }
            *label = *number;
        }
        parents.clear();
        parents.extend(0..n_sets);
        ranks.clear();
        ranks.resize(n_sets as usize, 0);
    }

    /// Follows an edit of which the moves lie about `anchors`: the tables are the new ones already.
    pub(crate) fn follow(&mut self, tables: &MovementTables, change: &GraphChange, anchors: Rect) {
        if !self.strong.is_empty() {
            self.strong_lost |= change.lost;
            self.strong_won |= !change.won.is_empty();
        }
        // So many sets come only of very many edits. Room for all is taken at the first.
        let sets_max = self.labels.len() / 2 + (1 << 16);
        if self.sets.parents.len() > sets_max {
            self.compact();
        }
        let n_new = change.states.len() + change.won.len() + change.rim.len();
        self.sets.reserve(sets_max + n_new.next_multiple_of(1 << 12));
        self.label_changed(tables, change);
        let mut rim = std::mem::take(&mut self.flood.rim);
        rim.clear();
        let labelled = change.rim.iter().map(|&state| (self.labels[state as usize], state));
        rim.extend(
            labelled.filter(|(label, _)| *label != NONE).map(|(label, state)| (self.sets.root(label), state)),
        );
        if !tables.is_reversible() {
            rim.sort_unstable();
            rim.dedup();
        } else if rim.windows(2).any(|two| two[0].0 != two[1].0) {
            rim.sort_unstable();
        }
        for of_one_set in rim.chunk_by(|a, b| a.0 == b.0).filter(|states| states.len() > 1) {
            self.nearby.find_groups(tables, of_one_set, anchors);
            if self.nearby.groups.len() > 1 && !self.split(tables, of_one_set[0].0) {
                self.label_all(tables);
                break;
            }
        }
        self.flood.rim = rim;
    }

    /// Labels what became legal, joins what moves won connect, and takes labels from what became illegal.
    fn label_changed(&mut self, tables: &MovementTables, change: &GraphChange) {
        let Self { labels, sets, .. } = self;
        let is_legal = |state: u32| tables.is_legal(State(state));
        for &state in change.states.iter().filter(|&&state| !is_legal(state)) {
            labels[state as usize] = NONE;
        }
        for &(from, to) in &change.won {
            let [a, b] = [from, to].map(|state| labels[state as usize]);
            let label = match (a == NONE, b == NONE) {
                (true, true) => sets.add(),
                (true, false) => b,
                (false, true) => a,
                (false, false) if a == b => continue,
                (false, false) => sets.join(sets.root(a), sets.root(b)),
            };
            (labels[from as usize], labels[to as usize]) = (label, label);
        }
        for &state in &change.states {
            let label = &mut labels[state as usize];
            if *label == NONE && is_legal(state) {
                *label = sets.add();
            }
        }
    }

    /// Finds out into which parts a set has fallen, of which the edit left these groups.
    ///
    /// Each begins a part of its own. The parts grow in turn, a state each, and are joined where they meet,
    /// until but one can grow any further: that one keeps the rest of the set. Gives up, and leaves labels
    /// that mean nothing, where they grow so large that all states are labelled anew sooner.
    fn split(&mut self, tables: &MovementTables, whole: u32) -> bool {
        let Self { labels, sets, flood, nearby, .. } = self;
        let first = sets.parents.len() as u32;
        flood.clear();
        for &state in &nearby.groups {
            labels[state as usize] = sets.add();
            flood.begin_part(state);
        }
        let done = with_layout!(&tables.layouts, layout => match tables.is_reversible() {
            true => {
                let steps = &tables.steps;
                let space = tables.space();
                flood.grow(labels, sets, first, |state, found| {
                    let steps = &steps[space.frame_of(State(state)).0 as usize * STEPS_STRIDE..];
                    for lane in lanes_of(layout.words[state as usize].lanes()) {
                        found(state.wrapping_add_signed(steps[lane].delta));
                    }
                })
            }
            false => flood.grow(labels, sets, first, |state, found| {
                tables.for_each_neighbour(State(state), |next| found(next.0));
            }),
        });
        if let Some(&last) = flood.growing.first() {
            sets.join(first + last, whole);
        }
        done
    }

    /// Label of a state's weak component, or `None` if its pose is not legal or no state is labelled. Only
    /// whether two are equal means anything, and only until the next edit.
    pub fn label(&self, state: State) -> Option<u32> {
        let label = self.labels.get(state.0 as usize).copied().unwrap_or(NONE);
        (label != NONE).then(|| self.sets.root(label))
    }

    /// What is equal for two states between which moves lead both ways, as far as is known; `None` as for
    /// [`Components::label`].
    pub(crate) fn strong_label(&self, state: State) -> Option<(u32, u32)> {
        let strong = self.strong.get(state.0 as usize).copied().unwrap_or(0);
        self.label(state).map(|label| (label, strong))
    }

    /// Whether moves lead from one legal pose to another. `O(log n)` after many edits, else `O(1)`.
    pub fn way(&self, from: State, to: State) -> Way {
        if !self.are_known() {
            return Way::Unknown;
        }
        let label = self.label(from);
        if label.is_none() || label != self.label(to) {
            return Way::No;
        }
        if self.strong.is_empty() || from == to {
            return Way::Yes;
        }
        let [from, to] = [from, to].map(|state| self.strong[state.0 as usize]);
        match from.cmp(&to) {
            _ if from == NONE || to == NONE => Way::Unknown,
            std::cmp::Ordering::Equal if !self.strong_lost => Way::Yes,
            std::cmp::Ordering::Less if !self.strong_won => Way::No,
            _ => Way::Unknown,
        }
    }

    /// Whether strong components are left as they were before an edit, so that [`Components::way`] answers
    /// [`Way::Unknown`] more often than it would have to.
    pub fn is_stale(&self) -> bool {
        self.strong_lost || self.strong_won
    }

    /// Numbers the strong components anew. Linear in the number of legal moves.
    pub(crate) fn renew_strong(&mut self, tables: &MovementTables) {
        self.strong = strong_components(tables);
        (self.strong_lost, self.strong_won) = (false, false);
    }
}

/// Labels every legal state with the number of a set, and joins the sets that moves connect.
fn label_states<W: MoveWord>(tables: &MovementTables, words: &[W], labels: &mut [u32], sets: &mut Sets) {
    let space = tables.space();
    for (state, word) in words.iter().enumerate() {
        let mut label = labels[state];
        if label == NONE {
            if *word == W::default() && !tables.is_legal(State(state as u32)) {
                continue;
            }
            label = sets.add();
        }
        label = sets.root(label);
        labels[state] = label;
        let steps = &tables.steps[space.frame_of(State(state as u32)).0 as usize * STEPS_STRIDE..];
        for lane in lanes_of(word.lanes()) {
            let next = &mut labels[(state as u32).wrapping_add_signed(steps[lane].delta) as usize];
            if *next == NONE {
                *next = label;
            } else if *next != label {
                label = sets.join(label, sets.root(*next));
                *next = label;
            }
        }
    }
}

/// Parts of a set that grow, each with the states it has yet to look at.
#[derive(Clone, Debug, Default)]
struct Flood {
    /// Root and state of those that lost a move.
    rim: Vec<(u32, u32)>,
    /// Parts that can still grow.
    growing: Vec<u32>,
    /// Where each part stands in `growing`.
    places: Vec<u32>,
    /// First and last entry of each part's list in `entries`, `NONE` where it is empty.
    lists: Vec<(u32, u32)>,
    /// A state and the next entry of its list.
    entries: Vec<(u32, u32)>,
}

impl Flood {
    fn clear(&mut self) {
        self.growing.clear();
        self.places.clear();
        self.lists.clear();
        self.entries.clear();
    }

    fn begin_part(&mut self, state: u32) {
        let part = self.lists.len() as u32;
        self.places.push(self.growing.len() as u32);
        self.growing.push(part);
        self.lists.push((NONE, NONE));
        self.push(part, state);
    }

    /// Puts a state at the end of a part's list.
    fn push(&mut self, part: u32, state: u32) {
        let entry = self.entries.len() as u32;
        self.entries.push((state, NONE));
        let list = &mut self.lists[part as usize];
        match list.1 {
            NONE => list.0 = entry,
            last => self.entries[last as usize].1 = entry,
        }
        list.1 = entry;
    }

    fn pop(&mut self, part: u32) -> Option<u32> {
        let list = &mut self.lists[part as usize];
        if list.0 == NONE {
            return None;
        }
        let (state, next) = self.entries[list.0 as usize];
        list.0 = next;
        if next == NONE {
            list.1 = NONE;
        }
        Some(state)
    }

    /// Grows the parts, of which the sets are numbered from `first` on, until but one of them can grow; false
    /// if that takes too long.
    fn grow(
        &mut self,
        labels: &mut [u32],
        sets: &mut Sets,
        first: u32,
        neighbours: impl Fn(u32, &mut dyn FnMut(u32)),
    ) -> bool {
        let entries_max = labels.len() / FLOODED_SHARE + self.entries.len();
        let mut turn = 0;
        while self.growing.len() > 1 {
            if self.entries.len() > entries_max {
                return false;
            }
            turn = if turn < self.growing.len() { turn } else { 0 };
            let mut part = self.growing[turn];
            let Some(state) = self.pop(part) else {
                self.stop(turn);
                continue;
            };
            neighbours(state, &mut |next| {
                let label = &mut labels[next as usize];
                if *label < first {
                    *label = first + part;
                    self.push(part, next);
                    return;
                }
                let other = sets.root(*label) - first;
                if other != part {
                    let root = sets.join(first + part, first + other) - first;
                    self.join(root, if root == part { other } else { part });
                    part = root;
                }
            });
            turn += 1;
        }
        true
    }

    /// Joins a part to another one.
    fn join(&mut self, to: u32, part: u32) {
        let (first, last) = std::mem::replace(&mut self.lists[part as usize], (NONE, NONE));
        if first != NONE {
            let list = &mut self.lists[to as usize];
            match list.1 {
                NONE => list.0 = first,
                end => self.entries[end as usize].1 = first,
            }
            list.1 = last;
        }
        self.stop(self.places[part as usize] as usize);
    }

    /// Takes the part at a place out of those that grow.
    fn stop(&mut self, place: usize) {
        self.growing.swap_remove(place);
        if let Some(&moved) = self.growing.get(place) {
            self.places[moved as usize] = place as u32;
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
