//! A rule of traffic: who may start a move at a tick.
//!
//! A rule sees the agents, their paths and the occupancy, and writes down which moves it would let start; the
//! occupancy takes those that fit together. Rules stand beside each other behind one trait.

use crate::decisions::Decisions;
use crate::motion::AgentId;
use crate::view::TrafficView;

/// A rule of traffic.
pub trait Traffic: Send {
    /// Decides one tick. Must depend on nothing but the view and what earlier calls left in itself.
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions);

    /// Whether agents ask for paths, which the rule then has them follow. A rule that does without finds the
    /// way of every agent with a task by itself.
    fn needs_paths(&self) -> bool {
        true
    }

    /// Whether an agent is out of its way for another, so that its path is not to be replaced.
    fn is_yielding(&self, _agent: AgentId) -> bool {
        false
    }

    /// What earlier calls have left in it that later ones depend on, for the state hash.
    fn for_each_word(&self, _word: &mut dyn FnMut(u64)) {}
}
