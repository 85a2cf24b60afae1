//! What a rule of traffic decides in a tick.

/// An agent that would start a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its row.
    pub row: u32,
    /// The primitive: the next one of its path, if it has one.
    pub primitive: u8,
    /// Time of the move in ticks.
    pub ticks: u32,
}

/// An agent whose path is replaced by `reroute_moves[first..][..count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reroute {
    /// Its row.
    pub row: u32,
    /// First of its moves.
    pub first: u32,
    /// Number of its moves.
    pub count: u32,
    /// Where the path leads.
    pub leads: Leads,
}

/// Where the path leads that a rule gives to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To where the path led that it replaces.
    On,
    /// Off that path; at its end the agent asks for another.
    Off,
    /// Out of the way of others; the agent makes way, and then takes up its order again.
    Aside,
}

/// What a traffic rule decided for one tick. Paths are replaced before anything else is done.
#[derive(Debug, Default)]
pub struct Decisions {
    /// Agents that would start a move, in the order in which they come first where moves do not fit together.
    pub starts: Vec<Start>,
    /// Agents whose next move has become illegal.
    pub replan: Vec<u32>,
    /// Agents that have no way to where their orders send them.
    pub unreachable: Vec<u32>,
    /// Agents that ask for a way around those that rest nearby.
    pub around: Vec<u32>,
    /// Agents that were making way and go their own way again.
    pub give_up: Vec<u32>,
    /// Agents whose paths are replaced.
    pub reroutes: Vec<Reroute>,
    /// Moves of their paths.
    pub reroute_moves: Vec<u8>,
}

impl Decisions {
    /// Nothing is decided; room is kept.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.replan.clear();
        self.unreachable.clear();
        self.around.clear();
        self.give_up.clear();
        self.reroutes.clear();
        self.reroute_moves.clear();
    }
}
