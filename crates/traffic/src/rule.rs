//! The interface of a rule of traffic.
//!
//! A rule reads agents, paths and occupancy, and writes down the moves that it would begin. The occupancy begins those
//! that fit together: a bad rule is slow, but no two agents ever overlap under it.

use crate::decisions::Decisions;
use crate::motion::AgentId;
use crate::view::TrafficView;
use std::any::Any;

/// A rule of traffic.
///
/// Rules of this crate are recognised by their type ([`OwnRule::of`](crate::OwnRule::of)). A recording of a run under
/// one of them names the rule; under any other rule it holds the decisions of each tick, and the state of the rule is
/// not part of the state hash.
pub trait Traffic: Send + Any {
    /// Decides one tick. Must depend only on the view and on what earlier calls left in `self`.
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions);

    /// Whether the rule follows planned paths. If not, it finds the way of every agent to its goal cell itself, and no
    /// paths are planned.
    fn needs_paths(&self) -> bool {
        true
    }

    /// Whether an agent has left its path to let another pass, so that its path must not be replaced. Asked of the
    /// rules of this crate only: a replay has only the decisions of other rules.
    fn is_yielding(&self, _agent: AgentId) -> bool {
        false
    }

    /// A copy, which decides as this rule would from here on.
    fn clone_box(&self) -> Box<dyn Traffic>;

    /// The state on which later calls depend, word by word, for the state hash. Asked of the rules of this crate only.
    fn for_each_word(&self, _word: &mut dyn FnMut(u64)) {}
}
