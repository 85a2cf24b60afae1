//! What an update of tables did to the graph of poses.

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
    pub fn memory_bytes(&self) -> usize {
        4 * (self.states.capacity() + self.rim.capacity()) + 8 * self.won.capacity()
    }

    pub fn clear(&mut self) {
        self.states.clear();
        self.rim.clear();
        self.won.clear();
        self.lost = false;
    }
}
