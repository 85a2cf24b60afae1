//! Connected sets of the pose graph of a class, kept true under edits.

pub(crate) mod cell_shapes;
pub(crate) mod labels;
pub(crate) mod nearby;
pub(crate) mod sets;

use crate::model::pose::State;
use crate::tables::components::sets::{NONE, Sets};
use crate::tables::graph_change::GraphChange;
use crate::tables::layouts::with_layout;
use crate::tables::pose_graph::PoseGraph;
use crate::tables::steps::STEPS_STRIDE;
use crate::tables::{MoveWord, slots_of};
use cell_shapes::CellShapes;
use labels::{BLOCK, Labels};
use nearby::Nearby;
use wheelbase_grid::Rect;

/// Connected components of the pose graph.
///
/// Two poses in different weak components have no path between them, whatever the direction of the
/// moves. Where moves are one-way (no reverse, climb limits) strong components and their order tell more.
///
/// Made by [`make_components`](crate::MovementTables::make_components), which also says what is answered without them.
///
/// Memory: 0.2 bytes a state, and more where sets lie mixed: up to 4 sets in the same 64 states make it 0.7,
/// up to 16 make it 1.7, more 4.2. The same again where moves are one-way. After an edit that takes moves away it is
/// first looked whether the poses that lost one are still connected close by, round the building. If not,
/// floods begin from what is apart, all at once, until but one of them can still grow: the cost is that of
/// the smaller parts (after the dynamic connectivity of Even and Shiloach 1981), and never much more than
/// that of labelling all anew. Moves that are added join two sets (union-find, Tarjan 1975).
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// Number of each legal state's set.
    labels: Labels,
    sets: Sets,
    /// From so many sets on they are numbered anew.
    sets_max: usize,
    /// Number of the strong component of each state that was legal when they were numbered; a move never
    /// leads to a higher number. Empty where every move can be taken back.
    strong: Labels,
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

/// Sets for which there is room beside one for each block of states.
const SETS_LEAST: usize = 1 << 12;

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
    /// Labels every state of the tables.
    pub(crate) fn of(tables: &PoseGraph) -> Self {
        let mut components = Self::default();
        components.relabel(tables);
        components.labels.shrink();
        components.sets.shrink();
        components.shapes = CellShapes::default();
        components
    }

    /// Memory in bytes. The first edits that are followed take a little more: 0.2 bytes a state, and what the
    /// largest flood so far has met.
    pub fn memory_bytes(&self) -> usize {
        let labels = self.labels.memory_bytes() + self.strong.memory_bytes();
        let work = self.flood.memory_bytes() + self.nearby.memory_bytes() + self.shapes.memory_bytes();
        labels + self.sets.memory_bytes() + work
    }

    /// Whether the states were labelled at all.
    pub fn are_known(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Labels every state anew.
    pub(crate) fn relabel(&mut self, tables: &PoseGraph) {
        self.label_all(tables);
        self.renew_strong(tables);
    }

    /// Labels every state with the number of its weak component.
    fn label_all(&mut self, tables: &PoseGraph) {
        let Self { labels, sets, shapes, .. } = self;
        labels.reset(tables.space().n_states());
        sets.clear();
        with_layout!(&tables.layouts, layout => match tables.is_reversible() {
            true => shapes.label(tables, &layout.words, labels, sets),
            false => label_states(tables, &layout.words, labels, sets),
        });
        self.compact();
    }

    /// Numbers the sets anew without gaps.
    fn compact(&mut self) {
        let Self { labels, sets, .. } = self;
        let mut numbers = std::mem::take(&mut sets.numbers);
        let mut n_sets = 0;
        numbers.clear();
        numbers.resize(sets.parents.len(), NONE);
        labels.renumber(|label| {
            let number = &mut numbers[sets.find(label) as usize];
            if *number == NONE {
                *number = n_sets;
                n_sets += 1;
            }
            *number
        });
        sets.numbers = numbers;
        let Sets { parents, ranks, .. } = sets;
        parents.clear();
        parents.extend(0..n_sets);
        ranks.clear();
        ranks.resize(n_sets as usize, 0);
        self.sets_max = n_sets as usize + self.labels.n_blocks() + SETS_LEAST;
    }

    /// Follows an edit of which the moves lie about `anchors`: the tables are the new ones already.
    pub(crate) fn follow(&mut self, tables: &PoseGraph, change: &GraphChange, anchors: Rect) {
        if !tables.is_reversible() {
            self.strong_lost |= change.lost;
            self.strong_won |= !change.won.is_empty();
        }
        // So many sets come only of many edits. Room for all is taken at the first.
        if self.sets.parents.len() > self.sets_max {
            self.compact();
        }
        let n_new = change.states.len() + change.won.len() + change.rim.len();
        self.sets.reserve(self.sets_max + n_new.next_multiple_of(SETS_LEAST));
        self.label_changed(tables, change);
        let mut rim = std::mem::take(&mut self.flood.rim);
        rim.clear();
        let labelled = change.rim.iter().map(|&state| (self.labels.get(state), state));
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
    fn label_changed(&mut self, tables: &PoseGraph, change: &GraphChange) {
        let Self { labels, sets, .. } = self;
        let is_legal = |state: u32| tables.is_legal(State(state));
        for &state in change.states.iter().filter(|&&state| !is_legal(state)) {
            labels.clear(state);
        }
        for &(from, to) in &change.won {
            match (labels.get(from), labels.get(to)) {
                (NONE, NONE) => {
                    let label = sets.add();
                    labels.set(from, label, sets);
                    labels.set(to, label, sets);
                }
                (NONE, label) => labels.set(from, label, sets),
                (label, NONE) => labels.set(to, label, sets),
                (a, b) if a == b => {}
                (a, b) => {
                    sets.join(sets.root(a), sets.root(b));
                }
            }
        }
        for &state in &change.states {
            if labels.get(state) == NONE && is_legal(state) {
                labels.set(state, sets.add(), sets);
            }
        }
    }

    /// Finds out into which parts a set has fallen, of which the edit left these groups.
    ///
    /// Each begins a part of its own. The parts grow in turn, a state each, and are joined where they meet,
    /// until but one can grow any further: that one keeps the rest of the set. Gives up, and leaves labels
    /// that mean nothing, where they grow so large that all states are labelled anew sooner.
    fn split(&mut self, tables: &PoseGraph, whole: u32) -> bool {
        let Self { labels, sets, flood, nearby, .. } = self;
        let first = sets.parents.len() as u32;
        flood.clear(labels.n_blocks());
        for &state in &nearby.groups {
            sets.add();
            flood.begin_part(state);
        }
        let done = with_layout!(&tables.layouts, layout => match tables.is_reversible() {
            true => {
                let steps = &tables.steps;
                let space = tables.space();
                flood.grow(sets, first, |state, found| {
                    let steps = &steps[space.frame_of(State(state)).0 as usize * STEPS_STRIDE..];
                    for slot in slots_of(layout.words[state as usize].slots()) {
                        found(state.wrapping_add_signed(steps[slot].delta));
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

    /// Label of a state's weak component, or `None` if its pose is not legal or no state is labelled. Only
    /// whether two are equal means anything, and only until the next edit.
    pub fn label(&self, state: State) -> Option<u32> {
        let label = self.labels.get(state.0);
        (label != NONE).then(|| self.sets.root(label))
    }

    /// What is equal for two states between which moves lead both ways, as far as is known; `None` as for
    /// [`Components::label`].
    pub(crate) fn strong_label(&self, state: State) -> Option<(u32, u32)> {
        self.label(state).map(|label| (label, self.strong.get(state.0)))
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
        let [from, to] = [from, to].map(|state| self.strong.get(state.0));
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

    /// Numbers the strong components anew. Linear in the number of legal moves, with up to 20 bytes a state
    /// until it is done.
    pub(crate) fn renew_strong(&mut self, tables: &PoseGraph) {
        self.strong.reset(0);
        if !tables.is_reversible() {
            self.strong.reset(tables.space().n_states());
            let numbers = strong_components(tables);
            for (block, numbers) in blocks_of(&numbers).enumerate() {
                self.strong.write(block, &numbers);
            }
        }
        (self.strong_lost, self.strong_won) = (false, false);
    }
}

/// Labels every legal state with the number of a set, and joins the sets that moves connect. Until it is done
/// it takes 4 bytes a state.
fn label_states<W: MoveWord>(tables: &PoseGraph, words: &[W], labels: &mut Labels, sets: &mut Sets) {
    let space = tables.space();
    let mut of_states = vec![NONE; words.len()];
    for (state, word) in words.iter().enumerate() {
        let mut label = of_states[state];
        if label == NONE {
            if *word == W::default() && !tables.is_legal(State(state as u32)) {
                continue;
            }
            label = sets.add();
        }
        label = sets.root(label);
        of_states[state] = label;
        let steps = &tables.steps[space.frame_of(State(state as u32)).0 as usize * STEPS_STRIDE..];
        for slot in slots_of(word.slots()) {
            let next = &mut of_states[(state as u32).wrapping_add_signed(steps[slot].delta) as usize];
            if *next == NONE {
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

/// The numbers of states by block.
fn blocks_of(of_states: &[u32]) -> impl Iterator<Item = [u32; BLOCK]> {
    of_states.chunks(BLOCK).map(|numbers| {
        let mut block = [NONE; BLOCK];
        block[..numbers.len()].copy_from_slice(numbers);
        block
    })
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
    /// `[block]`: number of the page that says which parts its states are of, `NONE` for blocks not met.
    page_of: Vec<u32>,
    /// Parts by state, `NONE` of those not met.
    pages: Vec<[u32; BLOCK]>,
    /// Blocks that were met, in order of their pages.
    met: Vec<u32>,
}

impl Flood {
    fn clear(&mut self, n_blocks: usize) {
        self.growing.clear();
        self.places.clear();
        self.lists.clear();
        self.entries.clear();
        self.page_of.resize(n_blocks, NONE);
        for block in self.met.drain(..) {
            self.page_of[block as usize] = NONE;
        }
    }

    fn memory_bytes(&self) -> usize {
        let pairs = self.rim.capacity() + self.lists.capacity() + self.entries.capacity();
        let lists = self.growing.capacity() + self.places.capacity();
        let blocks = self.page_of.capacity() + self.met.capacity() + BLOCK * self.pages.capacity();
        8 * pairs + 4 * (lists + blocks)
    }

    fn begin_part(&mut self, state: u32) {
        let part = self.lists.len() as u32;
        self.places.push(self.growing.len() as u32);
        self.growing.push(part);
        self.lists.push((NONE, NONE));
        *self.part_of(state) = part;
        self.push(part, state);
    }

    /// Which part a state is of.
    #[inline]
    fn part_of(&mut self, state: u32) -> &mut u32 {
        let block = state as usize / BLOCK;
        let mut page = self.page_of[block] as usize;
        if page == NONE as usize {
            page = self.met.len();
            self.page_of[block] = page as u32;
            self.met.push(block as u32);
            match self.pages.get_mut(page) {
                Some(page) => page.fill(NONE),
                None => self.pages.push([NONE; BLOCK]),
            }
        }
        &mut self.pages[page][state as usize % BLOCK]
    }

    /// Gives the states of all parts but the one that keeps the rest of the set the numbers of their sets.
    fn label_parts(&mut self, labels: &mut Labels, sets: &Sets, first: u32, whole: u32) {
        let whole = sets.root(whole);
        // Parts grow no more: their places are free for the numbers of their sets.
        for (set, number) in (first..).zip(&mut self.places) {
            *number = sets.root(set);
        }
        // Mostly all have met again, and keep the numbers they had.
        if self.places.iter().all(|&number| number == whole) {
            return;
        }
        for at in 0..self.entries.len() {
            let state = self.entries[at].0;
            let part = *self.part_of(state);
            let number = self.places[part as usize];
            if number != whole {
                labels.set(state, number, sets);
            }
        }
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
    fn grow(&mut self, sets: &mut Sets, first: u32, neighbours: impl Fn(u32, &mut dyn FnMut(u32))) -> bool {
        let entries_max = BLOCK * self.page_of.len() / FLOODED_SHARE + self.entries.len();
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
                let met = self.part_of(next);
                if *met == NONE {
                    *met = part;
                    self.push(part, next);
                    return;
                }
                if *met == part {
                    return;
                }
                let other = sets.root(first + *met) - first;
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
fn strong_components(tables: &PoseGraph) -> Vec<u32> {
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
