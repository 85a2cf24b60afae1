//! The output of a traffic rule for one tick.

use crate::saved::{Saved, saved};

/// A move that would begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Row of the agent.
    pub row: u32,
    /// The primitive; of an agent with a path, the next move of that path.
    pub primitive: u8,
    /// Time of the move in ticks.
    pub ticks: u32,
}

saved!(Start { row, primitive, ticks });

/// A path that is replaced by `reroute_moves[first..][..count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reroute {
    /// Row of the agent.
    pub row: u32,
    /// Index of its first move.
    pub first: u32,
    /// Number of its moves.
    pub count: u32,
    /// Where it leads.
    pub leads: Leads,
}

saved!(Reroute { row, first, count, leads });

/// Where a path leads that a rule gives to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To the end of the path that it replaces.
    On,
    /// Elsewhere; at its end the agent asks for another path.
    Off,
    /// To a retreat: the agent yields to another, and takes up its order again afterwards.
    Aside,
}

impl Saved for Leads {
    fn width() -> usize {
        1
    }

    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self as u64);
    }

    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
        [Self::On, Self::Off, Self::Aside].get(usize::read(words)?).copied()
    }
}

/// The decisions of one tick. Paths are replaced before anything else is carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Moves that would begin; of two that do not fit together the earlier one does.
    pub starts: Vec<Start>,
    /// Rows of agents whose next move has become illegal.
    pub replan: Vec<u32>,
    /// Rows of agents from which no path leads to their goals. Agents that begin a move at the tick do not count.
    pub unreachable: Vec<u32>,
    /// Rows of agents that ask for a path around agents that rest nearby. Agents that begin a move at the tick do not
    /// count.
    pub around: Vec<u32>,
    /// Rows of agents that give up their retreats and take up their orders again.
    pub give_up: Vec<u32>,
    /// Paths that are replaced.
    pub reroutes: Vec<Reroute>,
    /// Their moves.
    pub reroute_moves: Vec<u8>,
}

impl Decisions {
    /// Empties all lists and keeps their memory.
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
