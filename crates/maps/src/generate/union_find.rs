//! Sets of joined places, for spanning trees.

/// Disjoint sets of the numbers `0..n`, joined by size, with path halving (Tarjan and van Leeuwen,
/// "Worst-case analysis of set union algorithms", 1984, <https://doi.org/10.1145/62.2160>).
pub(super) struct UnionFind {
    /// The number above, or itself at the top.
    above: Vec<u32>,
    /// Size of the set, at its top.
    sizes: Vec<u32>,
}

impl UnionFind {
    pub(super) fn new(n: usize) -> Self {
        Self { above: (0..n as u32).collect(), sizes: vec![1; n] }
    }

    /// Joins the sets of two numbers; false if they are one already.
    pub(super) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.top(a), self.top(b));
        if a == b {
            return false;
        }
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.above[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        true
    }

    fn top(&mut self, mut at: u32) -> u32 {
        while self.above[at as usize] != at {
            let next = self.above[self.above[at as usize] as usize];
            self.above[at as usize] = next;
            at = next;
        }
        at
    }
}
