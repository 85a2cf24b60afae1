//! Disjoint sets, for spanning trees.

/// Disjoint sets of the numbers `0..n`, joined by size, with path halving (Tarjan and van Leeuwen,
/// "Worst-case analysis of set union algorithms", 1984, <https://doi.org/10.1145/62.2160>).
pub(super) struct UnionFind {
    /// Parent of each number; a root is its own.
    parents: Vec<u32>,
    /// Size of each set, at its root.
    sizes: Vec<u32>,
}

impl UnionFind {
    pub(super) fn new(n: usize) -> Self {
        Self { parents: (0..n as u32).collect(), sizes: vec![1; n] }
    }

    /// Joins the sets of two numbers; false if it was one set already.
    pub(super) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        true
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let next = self.parents[self.parents[number as usize] as usize];
            self.parents[number as usize] = next;
            number = next;
        }
        number
    }
}
