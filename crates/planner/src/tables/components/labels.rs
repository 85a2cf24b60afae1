//! Compressed storage of a number per state, for numbers that are mostly equal among nearby states.

use super::disjoint_sets::{DisjointSets, NO_LABEL};

/// An optional number per state, in blocks of 64 states.
///
/// A bit per state records whether it has a number. A uniform block takes one entry of 4 bytes. A block with up to 4
/// numbers has a page of 32 bytes, with up to 16 a page of 96. Each page contains a list of numbers and 2 or 4 bits per
/// state. A block with more has all 64 numbers. So a state takes 0.19 bytes in uniform blocks, else 0.69, 1.69 or 4.19.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    /// A bit per state.
    known: Vec<u64>,
    /// `[block]`: the page kind in the two high bits, and the page index or the number of a uniform block.
    blocks: Vec<u32>,
    few: Pages<FEW_WORDS>,
    some: Pages<SOME_WORDS>,
    many: Pages<BLOCK>,
}

/// States per block: the bits of a word.
pub(super) const BLOCK: usize = 64;
/// For each page size: numbers per page, bits per state, and words per page.
const FEW: usize = 4;
const FEW_BITS: usize = 2;
const FEW_WORDS: usize = BLOCK * FEW_BITS / 32 + FEW;
const SOME: usize = 16;
const SOME_BITS: usize = 4;
const SOME_WORDS: usize = BLOCK * SOME_BITS / 32 + SOME;

/// Page kind of a block's entry. There are at most 2^29 states, so 30 bits hold any number and any page index.
const KIND: u32 = 3 << 30;
const ON_FEW: u32 = 1 << 30;
const ON_SOME: u32 = 2 << 30;
const ON_MANY: u32 = 3 << 30;

/// Pages of one size with a free list; the first word of a free page names the next.
#[derive(Clone, Debug)]
struct Pages<const WORDS: usize> {
    pages: Vec<[u32; WORDS]>,
    free: u32,
}

impl<const WORDS: usize> Default for Pages<WORDS> {
    fn default() -> Self {
        Self { pages: Vec::new(), free: NO_LABEL }
    }
}

impl<const WORDS: usize> Pages<WORDS> {
    fn clear(&mut self) {
        self.pages.clear();
        self.free = NO_LABEL;
    }

    fn take(&mut self, page: [u32; WORDS]) -> u32 {
        if self.free == NO_LABEL {
            self.pages.push(page);
            return self.pages.len() as u32 - 1;
        }
        let number = self.free;
        self.free = self.pages[number as usize][0];
        self.pages[number as usize] = page;
        number
    }

    fn release(&mut self, number: u32) {
        self.pages[number as usize][0] = self.free;
        self.free = number;
    }

    /// Copies a page to another pool and updates its entry.
    fn move_to(&self, entry: &mut u32, to: &mut Self) {
        *entry = *entry & KIND | to.take(self.pages[(*entry & !KIND) as usize]);
    }

    fn memory_bytes(&self) -> usize {
        self.pages.capacity() * 4 * WORDS
    }
}

/// Position of a state's code on a page: word and lowest bit.
#[inline]
fn code_position(bits: usize, at: usize) -> (usize, usize) {
    (at * bits / 32, at * bits % 32)
}

/// Index of the number of a state on a page.
#[inline]
fn number_index(page: &[u32], bits: usize, at: usize) -> usize {
    let (word, shift) = code_position(bits, at);
    let code = page[word] >> shift & ((1 << bits) - 1);
    BLOCK * bits / 32 + code as usize
}

/// Stores the number of a state if it is listed on the page or there is room; otherwise returns false.
#[inline]
fn store_on_page(page: &mut [u32], bits: usize, at: usize, label: u32) -> bool {
    let (codes, numbers) = page.split_at_mut(BLOCK * bits / 32);
    let first = numbers[0];
    // Unused entries hold the first number.
    let is_it = |&(code, &number): &(usize, &u32)| number == label || code > 0 && number == first;
    let Some((code, _)) = numbers.iter().enumerate().find(is_it) else { return false };
    numbers[code] = label;
    let (word, shift) = code_position(bits, at);
    codes[word] = codes[word] & !(((1 << bits) - 1) << shift) | (code as u32) << shift;
    true
}

/// Renumbers a page. If different numbers would become equal, leaves it unchanged and returns false.
fn renumber_page(page: &mut [u32], bits: usize, mut number: impl FnMut(u32) -> u32) -> bool {
    let numbers = &mut page[BLOCK * bits / 32..];
    let mut others = [0; SOME];
    for (at, &label) in numbers.iter().enumerate() {
        let known = numbers[..at].iter().position(|&other| other == label);
        others[at] = match known {
            Some(other) => others[other],
            None => number(label),
        };
        if known.is_none() && others[..at].contains(&others[at]) {
            return false;
        }
    }
    numbers.copy_from_slice(&others[..numbers.len()]);
    true
}

/// The common label of all labelled states, `NO_LABEL` if there are none; `None` if labels differ.
#[inline]
fn common_label(labels: &[u32; BLOCK]) -> Option<u32> {
    let label = labels.iter().copied().find(|&label| label != NO_LABEL).unwrap_or(NO_LABEL);
    let alike = labels.iter().fold(true, |alike, &other| alike & ((other == label) | (other == NO_LABEL)));
    alike.then_some(label)
}

/// A bit per labelled state.
#[inline]
fn known_of(labels: &[u32; BLOCK]) -> u64 {
    if labels.iter().fold(true, |known, &label| known & (label != NO_LABEL)) {
        return !0;
    }
    let (bytes, _) = labels.as_chunks::<8>();
    let known = bytes.iter().rev().map(|byte| {
        let bits: [u8; 8] = std::array::from_fn(|at| u8::from(byte[at] != NO_LABEL) << at);
        bits.into_iter().fold(0, |byte, bit| byte | bit)
    });
    known.fold(0, |known, byte| known << 8 | u64::from(byte))
}

/// A page with the given numbers and codes; unused entries hold the first number.
fn page_of<const WORDS: usize>(bits: usize, numbers: &[u32], codes: &[u8; BLOCK]) -> [u32; WORDS] {
    let mut page = [numbers[0]; WORDS];
    let (words, listed) = page.split_at_mut(BLOCK * bits / 32);
    listed[..numbers.len()].copy_from_slice(numbers);
    for (word, codes) in words.iter_mut().zip(codes.chunks_exact(32 / bits)) {
        *word = codes.iter().rev().fold(0, |word, &code| word << bits | u32::from(code));
    }
    page
}

impl Labels {
    /// Clears all numbers.
    pub fn reset(&mut self, n_states: usize) {
        let n_blocks = n_states.div_ceil(BLOCK);
        self.known.clear();
        self.known.resize(n_blocks, 0);
        self.blocks.clear();
        self.blocks.resize(n_blocks, 0);
        self.few.clear();
        self.some.clear();
        self.many.clear();
    }

    /// Whether it was never sized for any state.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of a state, `NO_LABEL` if it has none or does not exist.
    #[inline]
    pub fn get(&self, state: u32) -> u32 {
        let (block, at) = (state as usize / BLOCK, state as usize % BLOCK);
        if self.known.get(block).is_none_or(|known| known >> at & 1 == 0) {
            return NO_LABEL;
        }
        let entry = self.blocks[block];
        let page = (entry & !KIND) as usize;
        match entry & KIND {
            ON_FEW => self.few.pages[page][number_index(&self.few.pages[page], FEW_BITS, at)],
            ON_SOME => self.some.pages[page][number_index(&self.some.pages[page], SOME_BITS, at)],
            ON_MANY => self.many.pages[page][at],
            _ => entry,
        }
    }

    /// Removes the number of a state.
    pub fn clear(&mut self, state: u32) {
        self.known[state as usize / BLOCK] &= !(1 << (state as usize % BLOCK));
    }

    /// Calls `found` with each run of states that have one number: the number, and how many they are. Uniform blocks
    /// are one run.
    pub fn for_each_run(&self, mut found: impl FnMut(u32, u32)) {
        for (block, (&known, &entry)) in self.known.iter().zip(&self.blocks).enumerate() {
            if entry & KIND == 0 {
                if known != 0 {
                    found(entry, known.count_ones());
                }
                continue;
            }
            for label in self.read(block).into_iter().filter(|&label| label != NO_LABEL) {
                found(label, 1);
            }
        }
    }

    /// Sets the number of a state, or another number of the same set.
    #[inline]
    pub fn set(&mut self, state: u32, label: u32, sets: &DisjointSets) {
        let (block, at) = (state as usize / BLOCK, state as usize % BLOCK);
        let entry = self.blocks[block];
        let page = (entry & !KIND) as usize;
        let others = self.known[block] & !(1 << at);
        let done = match entry & KIND {
            ON_FEW => store_on_page(&mut self.few.pages[page], FEW_BITS, at, label),
            ON_SOME => store_on_page(&mut self.some.pages[page], SOME_BITS, at, label),
            ON_MANY => {
                self.many.pages[page][at] = label;
                true
            }
            _ if others == 0 => {
                self.blocks[block] = label;
                true
            }
            _ if entry == label || sets.root(entry) == sets.root(label) => true,
            _ => {
                let mut page = page_of(FEW_BITS, &[entry, label], &[0; BLOCK]);
                store_on_page(&mut page, FEW_BITS, at, label);
                self.blocks[block] = ON_FEW | self.few.take(page);
                true
            }
        };
        if done {
            self.known[block] = others | 1 << at;
        } else {
            self.write_one(block, at, label, sets);
        }
    }

    /// Rewrites a block to change one state.
    #[cold]
    fn write_one(&mut self, block: usize, at: usize, label: u32, sets: &DisjointSets) {
        let mut labels = self.read(block);
        labels[at] = label;
        self.write_roots(block, &labels, |label| sets.root(label));
    }

    fn read(&self, block: usize) -> [u32; BLOCK] {
        std::array::from_fn(|at| self.get((block * BLOCK + at) as u32))
    }

    /// Writes a block of labels as the numbers of their sets.
    #[inline]
    pub fn write_roots(&mut self, block: usize, labels: &[u32; BLOCK], mut root: impl FnMut(u32) -> u32) {
        let mut root_of = |label| if label == NO_LABEL { NO_LABEL } else { root(label) };
        // The common case, checked many labels at a time.
        if let Some(label) = common_label(labels) {
            return self.write_uniform(block, labels, root_of(label));
        }
        let (mut last, mut its_root) = (NO_LABEL, NO_LABEL);
        let roots = labels.map(|label| {
            if label != last {
                (last, its_root) = (label, root_of(label));
            }
            its_root
        });
        match common_label(&roots) {
            Some(root) => self.write_uniform(block, &roots, root),
            None => self.write(block, &roots),
        }
    }

    /// Writes a block whose labelled states all have the same label.
    #[inline]
    fn write_uniform(&mut self, block: usize, labels: &[u32; BLOCK], label: u32) {
        self.free_page(block);
        self.known[block] = known_of(labels);
        self.blocks[block] = if label == NO_LABEL { 0 } else { label };
    }

    /// Writes a block of labels.
    pub fn write(&mut self, block: usize, labels: &[u32; BLOCK]) {
        self.free_page(block);
        let (mut numbers, mut n_numbers, mut codes) = ([0; SOME], 0, [0; BLOCK]);
        let (mut last, mut code) = (NO_LABEL, 0);
        for (at, &label) in labels.iter().enumerate().filter(|(_, label)| **label != NO_LABEL) {
            if label != last {
                last = label;
                let listed = &numbers[..n_numbers.min(SOME)];
                code = listed.iter().position(|&number| number == label).unwrap_or(n_numbers);
                if code == n_numbers {
                    n_numbers += 1;
                    if let Some(number) = numbers.get_mut(code) {
                        *number = label;
                    }
                }
            }
            codes[at] = code as u8;
        }
        self.known[block] = known_of(labels);
        self.blocks[block] = match n_numbers {
            0 | 1 => numbers[0],
            2..=FEW => ON_FEW | self.few.take(page_of(FEW_BITS, &numbers[..n_numbers], &codes)),
            ..=SOME => ON_SOME | self.some.take(page_of(SOME_BITS, &numbers[..n_numbers], &codes)),
            _ => ON_MANY | self.many.take(*labels),
        };
    }

    fn free_page(&mut self, block: usize) {
        let entry = self.blocks[block];
        match entry & KIND {
            ON_FEW => self.few.release(entry & !KIND),
            ON_SOME => self.some.release(entry & !KIND),
            ON_MANY => self.many.release(entry & !KIND),
            _ => {}
        }
    }

    /// Replaces all numbers.
    pub fn renumber(&mut self, mut number: impl FnMut(u32) -> u32) {
        for block in 0..self.blocks.len() {
            let entry = self.blocks[block];
            let page = (entry & !KIND) as usize;
            let done = match entry & KIND {
                ON_FEW => renumber_page(&mut self.few.pages[page], FEW_BITS, &mut number),
                ON_SOME => renumber_page(&mut self.some.pages[page], SOME_BITS, &mut number),
                ON_MANY => false,
                _ => {
                    self.blocks[block] = if self.known[block] == 0 { 0 } else { number(entry) };
                    true
                }
            };
            if !done {
                // Fewer distinct numbers may fit on a smaller page.
                let labels = self.read(block);
                self.write(
                    block,
                    &labels.map(|label| if label == NO_LABEL { NO_LABEL } else { number(label) }),
                );
            }
        }
    }

    /// Releases all memory not needed for the numbers.
    pub fn shrink(&mut self) {
        let n_on = |kind| self.blocks.iter().filter(|&entry| entry & KIND == kind).count();
        let (mut few, mut some, mut many) = (Pages::default(), Pages::default(), Pages::default());
        few.pages.reserve_exact(n_on(ON_FEW));
        some.pages.reserve_exact(n_on(ON_SOME));
        many.pages.reserve_exact(n_on(ON_MANY));
        for entry in &mut self.blocks {
            match *entry & KIND {
                ON_FEW => self.few.move_to(entry, &mut few),
                ON_SOME => self.some.move_to(entry, &mut some),
                ON_MANY => self.many.move_to(entry, &mut many),
                _ => {}
            }
        }
        (self.few, self.some, self.many) = (few, some, many);
        self.known.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }

    pub fn memory_bytes(&self) -> usize {
        let pages = self.few.memory_bytes() + self.some.memory_bytes() + self.many.memory_bytes();
        8 * self.known.capacity() + 4 * self.blocks.capacity() + pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An operation on labels and sets.
    #[derive(Clone, Debug)]
    enum Operation {
        Set(u32, u32),
        Fill(u32, u32),
        Clear(u32),
        Join(u32, u32),
        Renumber,
        Shrink,
    }

    const STATES: u32 = 4 * BLOCK as u32 - 5;
    const SETS: u32 = 90;

    fn operation() -> impl Strategy<Value = Operation> {
        prop_oneof![
            30 => (0..STATES, 0..SETS).prop_map(|(state, set)| Operation::Set(state, set)),
            4 => (0..STATES, 0..SETS).prop_map(|(state, set)| Operation::Fill(state, set)),
            10 => (0..STATES).prop_map(Operation::Clear),
            2 => (0..SETS, 0..SETS).prop_map(|(a, b)| Operation::Join(a, b)),
            1 => Just(Operation::Renumber),
            1 => Just(Operation::Shrink),
        ]
    }

    proptest! {
        /// Equal to a plain array: each state belongs to the set it was given, whatever number that set has
        /// now.
        #[test]
        fn labels_equal_a_plain_array(operations in prop::collection::vec(operation(), 1..600)) {
            let (mut labels, mut sets) = (Labels::default(), DisjointSets::default());
            let mut plain = vec![NO_LABEL; STATES as usize];
            labels.reset(STATES as usize);
            (0..SETS).for_each(|_| {
                sets.add();
            });
            for operation in operations {
                match operation {
                    Operation::Set(state, set) => {
                        labels.set(state, set, &sets);
                        plain[state as usize] = set;
                    }
                    Operation::Fill(from, set) => {
                        for state in from..STATES.min(from + 2 * BLOCK as u32) {
                            labels.set(state, set, &sets);
                            plain[state as usize] = set;
                        }
                    }
                    Operation::Clear(state) => {
                        labels.clear(state);
                        plain[state as usize] = NO_LABEL;
                    }
                    Operation::Join(a, b) => {
                        sets.join(sets.root(a), sets.root(b));
                    }
                    Operation::Renumber => labels.renumber(|label| sets.root(label)),
                    Operation::Shrink => {
                        labels.shrink();
                        let least = labels.n_blocks() * 12;
                        prop_assert!(labels.memory_bytes() <= least + 4 * STATES as usize + 20);
                    }
                }
                let root = |label: u32| if label == NO_LABEL { NO_LABEL } else { sets.root(label) };
                for (state, &label) in (0..).zip(&plain) {
                    prop_assert_eq!(root(labels.get(state)), root(label), "state {}", state);
                }
            }
            prop_assert_eq!(labels.get(STATES + 1000), NO_LABEL);
        }
    }
}
