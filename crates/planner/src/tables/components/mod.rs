//! Connected components of the pose graph of a class, maintained under edits.

pub(crate) mod cell_patterns;
pub(crate) mod disjoint_sets;
pub(crate) mod labels;
pub(crate) mod local_connectivity;
pub(crate) mod saved_components;

use crate::model::pose::State;
use crate::tables::components::disjoint_sets::{DisjointSets, NO_LABEL};
use crate::tables::graph_change::GraphChange;
use crate::tables::layouts::with_layout;
use crate::tables::moves::FRAME_STRIDE;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::{MoveWord, slots_of};
use cell_patterns::CellPatterns;
use labels::{BLOCK, Labels};
use local_connectivity::LocalConnectivity;
use wheelbase_grid::Rect;

/// Connected components of the pose graph.
///
/// No path exists between poses of different weak components, regardless of the direction of moves. For one-way
/// moves (no reverse, climb limits), strong components and their order give more precise answers.
///
/// Created by [`make_components`](crate::MovementTables::make_components), whose documentation describes
/// searches without them.
///
/// Memory: 0.2 bytes per state. Interleaved sets need more: 0.7 bytes with up to 4 sets in the same 64 states, 1.7 with
/// up to 16, and 4.2 with more. One-way moves need the same amount again. After an edit that removes moves, a local
/// search comes first. It checks whether the poses that lost a move are still connected nearby, for example around a
/// building. If not, floods start from the separated groups in lockstep until at most one can still grow. The cost is
/// proportional to the smaller parts, and never much more than relabelling everything. (After the dynamic connectivity
/// of Even and Shiloach 1981.) Added moves join two sets (union-find, Tarjan 1975).
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// Set of each legal state.
    labels: Labels,
    sets: DisjointSets,
    /// Number of sets beyond which they are renumbered.
    sets_max: usize,
    /// Strong component of each state that was legal when they were computed; a move never leads to a higher
    /// number. Empty for reversible classes.
    strong: Labels,
    /// Whether moves were removed, or added, since strong components were computed.
    strong_removed: bool,
    strong_added: bool,
    flood: Flood,
    local: LocalConnectivity,
    patterns: CellPatterns,
}

/// Everything is relabelled once the parts of a split set have grown to more than one in `FLOODED_SHARE` of all
/// states.
const FLOODED_SHARE: usize = 8;

/// Minimum room for new sets beyond one per block of states.
const SETS_LEAST: usize = 1 << 12;

/// Whether components prove that a path between two poses exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reachability {
    /// A path exists.
    Yes,
    /// No path exists.
    No,
    /// Only a search can decide.
    Unknown,
}

impl Components {
    /// Labels every state of the tables.
    pub(crate) fn of(tables: &PoseGraph) -> Self {
        let mut components = Self::default();
        components.relabel(tables);
        components.labels.shrink();
        components.sets.shrink();
        components.patterns = CellPatterns::default();
        components
    }

    /// Memory in bytes. The first edits add a little: 0.2 bytes per state, and the size of the largest flood so
    /// far.
    pub fn memory_bytes(&self) -> usize {
        let labels = self.labels.memory_bytes() + self.strong.memory_bytes();
        let work = self.flood.memory_bytes() + self.local.memory_bytes() + self.patterns.memory_bytes();
        labels + self.sets.memory_bytes() + work
    }

    /// Whether the states have been labelled.
    pub fn are_known(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Labels every state from scratch.
    pub(crate) fn relabel(&mut self, tables: &PoseGraph) {
        self.label_all(tables);
        self.renew_strong(tables);
    }

    /// Labels every state with its weak component.
    fn label_all(&mut self, tables: &PoseGraph) {
        let Self { labels, sets, patterns, .. } = self;
        labels.reset(tables.space().n_states());
        sets.clear();
        with_layout!(&tables.layouts, layout => match tables.is_reversible() {
            true => patterns.label(tables, &layout.words, labels, sets),
            false => label_states(tables, &layout.words, labels, sets),
        });
        self.compact();
    }

    /// Renumbers the sets without gaps.
    fn compact(&mut self) {
        let Self { labels, sets, .. } = self;
        let mut numbers = std::mem::take(&mut sets.numbers);
        let mut n_sets = 0;
        numbers.clear();
        numbers.resize(sets.parents.len(), NO_LABEL);
        labels.renumber(|label| {
            let number = &mut numbers[sets.find(label) as usize];
            if *number == NO_LABEL {
                *number = n_sets;
                n_sets += 1;
            }
            *number
        });
        sets.numbers = numbers;
        let DisjointSets { parents, ranks, .. } = sets;
        parents.clear();
        parents.extend(0..n_sets);
        ranks.clear();
        ranks.resize(n_sets as usize, 0);
        self.sets_max = n_sets as usize + self.labels.n_blocks() + SETS_LEAST;
    }

    /// Follows an edit whose moves start at `anchors`. The tables must already be updated.
    pub(crate) fn follow(&mut self, tables: &PoseGraph, change: &GraphChange, anchors: Rect) {
        if !tables.is_reversible() {
            self.strong_removed |= change.removed;
            self.strong_added |= !change.added.is_empty();
        }
        // Only many edits produce this many sets. Room for all is reserved at the first.
        if self.sets.parents.len() > self.sets_max {
            self.compact();
        }
        let n_new = change.states.len() + change.added.len() + change.removed_ends.len();
        self.sets.reserve(self.sets_max + n_new.next_multiple_of(SETS_LEAST));
        self.label_changed(tables, change);
        let mut removed_ends = std::mem::take(&mut self.flood.removed_ends);
        removed_ends.clear();
        let labelled = change.removed_ends.iter().map(|&state| (self.labels.get(state), state));
        removed_ends.extend(
            labelled
                .filter(|(label, _)| *label != NO_LABEL)
                .map(|(label, state)| (self.sets.root(label), state)),
        );
        if !tables.is_reversible() {
            removed_ends.sort_unstable();
            removed_ends.dedup();
        } else if removed_ends.windows(2).any(|two| two[0].0 != two[1].0) {
            removed_ends.sort_unstable();
        }
        for of_one_set in removed_ends.chunk_by(|a, b| a.0 == b.0).filter(|states| states.len() > 1) {
            self.local.find_groups(tables, of_one_set, anchors);
            if self.local.groups.len() > 1 && !self.split(tables, of_one_set[0].0) {
                self.label_all(tables);
                break;
            }
        }
        self.flood.removed_ends = removed_ends;
    }

    /// Labels new legal poses, joins sets connected by added moves, and clears the labels of illegal poses.
    fn label_changed(&mut self, tables: &PoseGraph, change: &GraphChange) {
        let Self { labels, sets, .. } = self;
        let is_legal = |state: u32| tables.is_legal(State(state));
        for &state in change.states.iter().filter(|&&state| !is_legal(state)) {
            labels.clear(state);
        }
        for &(from, to) in &change.added {
            match (labels.get(from), labels.get(to)) {
                (NO_LABEL, NO_LABEL) => {
                    let label = sets.add();
                    labels.set(from, label, sets);
                    labels.set(to, label, sets);
                }
                (NO_LABEL, label) => labels.set(from, label, sets),
                (label, NO_LABEL) => labels.set(to, label, sets),
                (a, b) if a == b => {}
                (a, b) => {
                    sets.join(sets.root(a), sets.root(b));
                }
            }
        }
        for &state in &change.states {
            if labels.get(state) == NO_LABEL && is_legal(state) {
                labels.set(state, sets.add(), sets);
            }
        }
    }

    /// Determines the parts of set `whole` after an edit that separated it locally into groups.
    ///
    /// Each group starts a part. The parts grow in turn, one state each, and merge where they meet, until at most one
    /// can still grow. That part keeps the rest of the set. Gives up, leaving labels invalid, once the parts are so
    /// large that relabelling everything is faster.
    fn split(&mut self, tables: &PoseGraph, whole: u32) -> bool {
        let Self { labels, sets, flood, local, .. } = self;
        let first = sets.parents.len() as u32;
        flood.clear(labels.n_blocks());
        for &state in &local.groups {
            sets.add();
            flood.begin_part(state);
        }
        let done = with_layout!(&tables.layouts, layout => match tables.is_reversible() {
            true => {
                let move_deltas = &tables.move_deltas;
                let space = tables.space();
                flood.grow(sets, first, |state, found| {
                    let move_deltas = &move_deltas[space.frame_of(State(state)).0 as usize * FRAME_STRIDE..];
                    for slot in slots_of(layout.words[state as usize].slots()) {
                        found(state.wrapping_add_signed(move_deltas[slot].delta));
                    }
                })
            }
            false => flood.grow(sets, first, |state, found| {
                tables.for_each_neighbour(State(state), |next| found(next.0));
            }),
        });
        if let Some(&last) = flood.growing.first() {
            sets.join(first + last, whole);
        }
        if done {
            flood.label_parts(labels, sets, first, whole);
        }
        done
    }

    /// Label of a state's weak component, or `None` if its pose is illegal or nothing is labelled. Only
    /// equality of labels is meaningful, and only until the next edit.
    pub fn label(&self, state: State) -> Option<u32> {
        let label = self.labels.get(state.0);
        (label != NO_LABEL).then(|| self.sets.root(label))
    }

    /// Equal for two states that are known to be mutually reachable; `None` as for [`Components::label`].
    pub(crate) fn strong_label(&self, state: State) -> Option<(u32, u32)> {
        self.label(state).map(|label| (label, self.strong.get(state.0)))
    }

    /// Sizes of the sets of mutually reachable poses. Linear in the blocks of 64 states, with 4 bytes for each set.
    /// Exact unless the strong components [are stale](Self::is_stale).
    pub fn sizes(&self) -> ComponentSizes<'_> {
        let mut sizes: Vec<u32> = Vec::new();
        self.mutual_labels().for_each_run(|label, count| {
            let set = self.mutual_set(label) as usize;
            sizes.resize(sizes.len().max(set + 1), 0);
            sizes[set] += count;
        });
        ComponentSizes { components: self, sizes }
    }

    /// Labels of the sets of mutually reachable poses: strong components, or weak ones if moves are reversible.
    fn mutual_labels(&self) -> &Labels {
        if self.strong.is_empty() { &self.labels } else { &self.strong }
    }

    /// Number of the set with one of these labels.
    fn mutual_set(&self, label: u32) -> u32 {
        if self.strong.is_empty() { self.sets.root(label) } else { label }
    }

    /// Whether one legal pose is reachable from another. `O(log n)` after many edits, otherwise `O(1)`.
    pub fn reachability(&self, from: State, to: State) -> Reachability {
        if !self.are_known() {
            return Reachability::Unknown;
        }
        let label = self.label(from);
        if label.is_none() || label != self.label(to) {
            return Reachability::No;
        }
        if self.strong.is_empty() || from == to {
            return Reachability::Yes;
        }
        let [from, to] = [from, to].map(|state| self.strong.get(state.0));
        match from.cmp(&to) {
            _ if from == NO_LABEL || to == NO_LABEL => Reachability::Unknown,
            std::cmp::Ordering::Equal if !self.strong_removed => Reachability::Yes,
            std::cmp::Ordering::Less if !self.strong_added => Reachability::No,
            _ => Reachability::Unknown,
        }
    }

    /// Whether strong components predate the last edit, so that [`Components::reachability`] answers
    /// [`Reachability::Unknown`] more often than necessary.
    pub fn is_stale(&self) -> bool {
        self.strong_removed || self.strong_added
    }

    /// Recomputes the strong components. Linear in the number of legal moves, with up to 20 bytes per state
    /// meanwhile.
    pub(crate) fn renew_strong(&mut self, tables: &PoseGraph) {
        self.strong.reset(0);
        if !tables.is_reversible() {
            self.strong.reset(tables.space().n_states());
            let numbers = strong_components(tables);
            for (block, numbers) in blocks_of(&numbers).enumerate() {
                self.strong.write(block, &numbers);
            }
        }
        (self.strong_removed, self.strong_added) = (false, false);
    }
}

/// How many poses each set of mutually reachable poses holds: see [`Components::sizes`].
#[derive(Clone, Debug)]
pub struct ComponentSizes<'a> {
    components: &'a Components,
    /// `[number of the set]`.
    sizes: Vec<u32>,
}

impl ComponentSizes<'_> {
    /// Number of poses of the largest set; 0 if there is none.
    pub fn largest(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// The set of a state, by a number whose equality alone is meaningful, and its size. `None` if its pose is illegal
    /// or unknown.
    pub fn set_of(&self, state: State) -> Option<(u32, u32)> {
        let label = self.components.mutual_labels().get(state.0);
        let set = (label != NO_LABEL).then(|| self.components.mutual_set(label))?;
        Some((set, self.sizes[set as usize]))
    }
}

/// Labels every legal state and joins the sets connected by moves. Takes 4 bytes per state meanwhile.
fn label_states<W: MoveWord>(tables: &PoseGraph, words: &[W], labels: &mut Labels, sets: &mut DisjointSets) {
    let space = tables.space();
    let mut of_states = vec![NO_LABEL; words.len()];
    for (state, word) in words.iter().enumerate() {
        let mut label = of_states[state];
        if label == NO_LABEL {
            if *word == W::default() && !tables.is_legal(State(state as u32)) {
                continue;
            }
            label = sets.add();
        }
        label = sets.root(label);
        of_states[state] = label;
        let move_deltas =
            &tables.move_deltas[space.frame_of(State(state as u32)).0 as usize * FRAME_STRIDE..];
        for slot in slots_of(word.slots()) {
            let next = &mut of_states[(state as u32).wrapping_add_signed(move_deltas[slot].delta) as usize];
            if *next == NO_LABEL {
                *next = label;
            } else if *next != label {
                label = sets.join(label, sets.root(*next));
                *next = label;
            }
        }
    }
    for (block, of_states) in blocks_of(&of_states).enumerate() {
        labels.write_roots(block, &of_states, |label| sets.find(label));
    }
}

/// The labels of states, by block.
fn blocks_of(of_states: &[u32]) -> impl Iterator<Item = [u32; BLOCK]> {
    of_states.chunks(BLOCK).map(|numbers| {
        let mut block = [NO_LABEL; BLOCK];
        block[..numbers.len()].copy_from_slice(numbers);
        block
    })
}

/// Growing parts of a set, each with a queue of states to expand.
#[derive(Clone, Debug, Default)]
struct Flood {
    /// Root and state of the states that lost a move.
    removed_ends: Vec<(u32, u32)>,
    /// Parts that can still grow.
    growing: Vec<u32>,
    /// Index of each part in `growing`.
    positions: Vec<u32>,
    /// First and last entry of each part's queue in `entries`, `NO_LABEL` if empty.
    lists: Vec<(u32, u32)>,
    /// A state and the next entry of its queue.
    entries: Vec<(u32, u32)>,
    /// `[block]`: page with the parts of its states, `NO_LABEL` for unvisited blocks.
    page_of: Vec<u32>,
    /// Part by state, `NO_LABEL` for unvisited states.
    pages: Vec<[u32; BLOCK]>,
    /// Visited blocks, in order of their pages.
    visited: Vec<u32>,
}

impl Flood {
    fn clear(&mut self, n_blocks: usize) {
        self.growing.clear();
        self.positions.clear();
        self.lists.clear();
        self.entries.clear();
        self.page_of.resize(n_blocks, NO_LABEL);
        for block in self.visited.drain(..) {
            self.page_of[block as usize] = NO_LABEL;
        }
    }

    fn memory_bytes(&self) -> usize {
        let pairs = self.removed_ends.capacity() + self.lists.capacity() + self.entries.capacity();
        let lists = self.growing.capacity() + self.positions.capacity();
        let blocks = self.page_of.capacity() + self.visited.capacity() + BLOCK * self.pages.capacity();
        8 * pairs + 4 * (lists + blocks)
    }

    fn begin_part(&mut self, state: u32) {
        let part = self.lists.len() as u32;
        self.positions.push(self.growing.len() as u32);
        self.growing.push(part);
        self.lists.push((NO_LABEL, NO_LABEL));
        *self.part_of(state) = part;
        self.push(part, state);
    }

    /// The part of a state.
    #[inline]
    fn part_of(&mut self, state: u32) -> &mut u32 {
        let block = state as usize / BLOCK;
        let mut page = self.page_of[block] as usize;
        if page == NO_LABEL as usize {
            page = self.visited.len();
            self.page_of[block] = page as u32;
            self.visited.push(block as u32);
            match self.pages.get_mut(page) {
                Some(page) => page.fill(NO_LABEL),
                None => self.pages.push([NO_LABEL; BLOCK]),
            }
        }
        &mut self.pages[page][state as usize % BLOCK]
    }

    /// Labels the states of all parts except the part with the rest of the set.
    fn label_parts(&mut self, labels: &mut Labels, sets: &DisjointSets, first: u32, whole: u32) {
        let whole = sets.root(whole);
        // No part grows any more, so `positions` is reused for the numbers of their sets.
        for (set, number) in (first..).zip(&mut self.positions) {
            *number = sets.root(set);
        }
        // Mostly all parts have met again and keep their labels.
        if self.positions.iter().all(|&number| number == whole) {
            return;
        }
        for at in 0..self.entries.len() {
            let state = self.entries[at].0;
            let part = *self.part_of(state);
            let number = self.positions[part as usize];
            if number != whole {
                labels.set(state, number, sets);
            }
        }
    }

    /// Appends a state to a part's queue.
    fn push(&mut self, part: u32, state: u32) {
        let entry = self.entries.len() as u32;
        self.entries.push((state, NO_LABEL));
        let list = &mut self.lists[part as usize];
        match list.1 {
            NO_LABEL => list.0 = entry,
            last => self.entries[last as usize].1 = entry,
        }
        list.1 = entry;
    }

    fn pop(&mut self, part: u32) -> Option<u32> {
        let list = &mut self.lists[part as usize];
        if list.0 == NO_LABEL {
            return None;
        }
        let (state, next) = self.entries[list.0 as usize];
        list.0 = next;
        if next == NO_LABEL {
            list.1 = NO_LABEL;
        }
        Some(state)
    }

    /// Grows the parts, whose sets are numbered from `first`, until at most one can grow; false if that takes
    /// too long.
    fn grow(
        &mut self,
        sets: &mut DisjointSets,
        first: u32,
        neighbours: impl Fn(u32, &mut dyn FnMut(u32)),
    ) -> bool {
        let entries_max = BLOCK * self.page_of.len() / FLOODED_SHARE + self.entries.len();
        let mut turn = 0;
        while self.growing.len() > 1 {
            if self.entries.len() > entries_max {
                return false;
            }
            turn = if turn < self.growing.len() { turn } else { 0 };
            let mut part = self.growing[turn];
            let Some(state) = self.pop(part) else {
                self.retire(turn);
                continue;
            };
            neighbours(state, &mut |next| {
                let owner = self.part_of(next);
                if *owner == NO_LABEL {
                    *owner = part;
                    self.push(part, next);
                    return;
                }
                if *owner == part {
                    return;
                }
                let other = sets.root(first + *owner) - first;
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

    /// Merges a part into another.
    fn join(&mut self, to: u32, part: u32) {
        let (first, last) = std::mem::replace(&mut self.lists[part as usize], (NO_LABEL, NO_LABEL));
        if first != NO_LABEL {
            let list = &mut self.lists[to as usize];
            match list.1 {
                NO_LABEL => list.0 = first,
                end => self.entries[end as usize].1 = first,
            }
            list.1 = last;
        }
        self.retire(self.positions[part as usize] as usize);
    }

    /// Removes the part at an index of `growing`.
    fn retire(&mut self, position: usize) {
        self.growing.swap_remove(position);
        if let Some(&moved) = self.growing.get(position) {
            self.positions[moved as usize] = position as u32;
        }
    }
}

/// Strong components in reverse topological order (Tarjan 1972, iterative).
fn strong_components(tables: &PoseGraph) -> Vec<u32> {
    let n_states = tables.space().n_states();
    let n_primitives = tables.class().primitives().len();
    let mut numbers = vec![NO_LABEL; n_states];
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
            // A move to an unvisited state is examined again once that state is finished, and then takes over
            // its low mark.
            let called = (looked_at as usize..n_primitives).find_map(|next| {
                tables.move_ticks(State(state), next)?;
                let after = tables.state_after(State(state), next).0 as usize;
                if visit[after] == 0 {
                    return Some((after as u32, next as u8));
                }
                if numbers[after] == NO_LABEL {
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
