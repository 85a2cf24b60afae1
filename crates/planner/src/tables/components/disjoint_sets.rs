//! Disjoint sets of labels (union-find, Tarjan 1975).

/// Disjoint sets by number: a forest with union by rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointSets {
    pub(crate) parents: Vec<u32>,
    pub(crate) ranks: Vec<u8>,
    /// New number by old number, during renumbering.
    pub(crate) numbers: Vec<u32>,
}

impl DisjointSets {
    pub(crate) fn clear(&mut self) {
        self.parents.clear();
        self.ranks.clear();
    }

    pub(crate) fn shrink(&mut self) {
        self.parents.shrink_to_fit();
        self.ranks.shrink_to_fit();
        self.numbers = Vec::new();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        4 * self.parents.capacity() + self.ranks.capacity() + 4 * self.numbers.capacity()
    }

    /// Reserves memory for `n_sets` sets.
    pub(crate) fn reserve(&mut self, n_sets: usize) {
        let missing = n_sets.saturating_sub(self.parents.len());
        self.parents.reserve(missing);
        self.ranks.reserve(missing);
        self.numbers.reserve(n_sets.saturating_sub(self.numbers.len()));
    }

    pub(crate) fn add(&mut self) -> u32 {
        let number = self.parents.len() as u32;
        self.parents.push(number);
        self.ranks.push(0);
        number
    }

    /// The root, without path compression, so that `&self` suffices: union by rank keeps paths short.
    pub(crate) fn root(&self, mut set: u32) -> u32 {
        while self.parents[set as usize] != set {
            set = self.parents[set as usize];
        }
        set
    }

    /// The root, shortening the path to it (path halving, Tarjan and van Leeuwen 1984).
    pub(crate) fn find(&mut self, mut set: u32) -> u32 {
        while self.parents[set as usize] != set {
            let above = self.parents[self.parents[set as usize] as usize];
            self.parents[set as usize] = above;
            set = above;
        }
        set
    }

    /// Joins two roots and returns the new root.
    pub(crate) fn join(&mut self, a: u32, b: u32) -> u32 {
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

pub(crate) const NO_LABEL: u32 = u32::MAX;
