//! Effect of an update on the pose graph.

/// Effect of an edit on the pose graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphChange {
    /// States whose poses may have become legal or illegal.
    pub states: Vec<u32>,
    /// States at either end of removed moves; may repeat.
    pub removed_ends: Vec<u32>,
    /// Added moves as (from, to) states; one of each inverse pair.
    pub added: Vec<(u32, u32)>,
    /// Whether any move was removed.
    pub removed: bool,
}

impl GraphChange {
    pub fn memory_bytes(&self) -> usize {
        4 * (self.states.capacity() + self.removed_ends.capacity()) + 8 * self.added.capacity()
    }

    pub fn clear(&mut self) {
        self.states.clear();
        self.removed_ends.clear();
        self.added.clear();
        self.removed = false;
    }
}
