//! Traffic: who may start a move at this tick.
//!
//! A rule sees the agents, their paths and the reservation, takes cells for the moves it lets start, and
//! writes down its decisions; the tick carries them out. Another rule can stand beside this one.

mod cooperative;
pub(crate) mod unit_robots;

pub use cooperative::Cooperative;
pub use unit_robots::UnitRobots;

use crate::agents::Agents;
use crate::motion::AgentId;
use crate::orders::OrderPool;
use crate::path_pool::PathPool;
use crate::pending_edits::PendingEdits;
use crate::reservation::Reservation;
use crate::streams::Streams;
use wheelbase_grid::{GridSize, Rect};
use wheelbase_planner::MovementTables;

/// Ticks that an agent stands aside before it asks for a path again.
pub(crate) const YIELD_HOLD_TICKS: u32 = 12;

/// What a traffic rule sees of the simulation.
pub struct TrafficView<'a> {
    /// The present tick.
    pub tick: u32,
    /// Poses it may try in looking for room, this tick.
    pub tries: u64,
    /// Size of the map.
    pub grid_size: GridSize,
    /// The classes and their tables.
    pub tables: &'a [MovementTables],
    /// The agents.
    pub agents: &'a Agents,
    /// Their orders, and the present task of each.
    pub orders: &'a OrderPool,
    /// Their paths.
    pub paths: &'a PathPool,
    /// Edits that wait for cells to be left.
    pub pending: &'a PendingEdits,
    /// Which way agents have moved over each cell of late.
    pub streams: &'a Streams,
    /// Areas in which the map was edited at this tick; the tables of the classes have followed.
    pub edited: &'a [Rect],
    /// Who holds which cell; the rule takes the cells of the moves it lets start.
    pub reservation: &'a mut Reservation,
}

/// An agent that starts a move.
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
    /// Agents that start a move; its swept cells are theirs already.
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
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.replan.clear();
        self.unreachable.clear();
        self.around.clear();
        self.give_up.clear();
        self.reroutes.clear();
        self.reroute_moves.clear();
    }
}

/// A rule of traffic.
pub trait Traffic: Send {
    /// Decides one tick. Must depend on nothing but the view and what earlier calls left in itself.
    fn decide(&mut self, view: &mut TrafficView<'_>, decisions: &mut Decisions);

    /// Whether agents ask for paths, which the rule then has them follow. A rule that does without finds the
    /// way of every agent with a task by itself.
    fn needs_paths(&self) -> bool {
        true
    }

    /// Whether an agent is out of its way for another, so that its path is not to be replaced.
    fn makes_way(&self, _agent: AgentId) -> bool {
        false
    }

    /// What earlier calls have left in it that later ones depend on, for the state hash.
    fn for_each_word(&self, _word: &mut dyn FnMut(u64)) {}
}
