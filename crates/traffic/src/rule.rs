//! The interface of a traffic rule.
//!
//! A rule reads agents, paths and occupancy, and writes down the moves that it would begin. The occupancy begins the
//! moves that fit together. A bad rule is slow, but no two agents ever overlap under it.

use crate::decisions::Decisions;
use crate::motion::AgentId;
use crate::reason::Reason;
use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateVisitor};
use crate::view::TrafficView;
use std::any::Any;
use wheelbase_planner::MovementTables;

/// A traffic rule.
///
/// Rules of this crate are recognised by their type ([`OwnRule::of`](crate::OwnRule::of)). A recording of a run under
/// one of them names the rule. Under any other rule it holds the decisions of each tick, and the state of the rule is
/// not part of the state hash. A rule is `Sync`, so that several threads may put questions to one world.
pub trait Traffic: Send + Sync + Any {
    /// Decides one tick. Must depend only on the view and on what earlier calls left in `self`.
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions);

    /// Whether the rule follows planned paths. If not, it finds the way of every agent to its goal cell itself, and no
    /// paths are planned.
    fn needs_paths(&self) -> bool {
        true
    }

    /// Follows the addition of a class to a running world: it is the last of `tables`, and no agent has it yet. Returns
    /// whether the rule can drive it; if not, nothing has changed.
    fn add_class(&mut self, _tables: &[MovementTables]) -> bool {
        true
    }

    /// Whether an agent has left its path to let another pass, so that its path must not be replaced. Asked of the
    /// rules of this crate only: a replay has only the decisions of other rules.
    fn is_yielding(&self, _agent: AgentId) -> bool {
        false
    }

    /// The agents that cannot make way, by id: searches for paths around others take them for obstacles. Some may be
    /// gone since the last tick. Asked of the rules of this crate only.
    fn roadblocks(&self) -> &[AgentId] {
        &[]
    }

    /// Why the agent in a row, which rests with somewhere to go, does not begin its next move, as things stand between
    /// two ticks. Changes nothing, and no tick asks it. `None` if the rule does not say; rules of this crate always do
    /// for an agent that they have seen.
    fn reason(&self, _view: &TrafficView<'_>, _row: usize) -> Option<Reason> {
        None
    }

    /// A copy, which decides as this rule would from here on.
    fn clone_box(&self) -> Box<dyn Traffic>;

    /// Makes this rule a copy of another one of its type, reusing its own memory; says whether it has. If not, nothing
    /// has changed, and the caller uses [`clone_box`](Self::clone_box).
    fn copy_from(&mut self, _other: &dyn Traffic) -> bool {
        false
    }

    /// The state on which later calls depend, word by word, for the state hash. Asked of the rules of this crate only.
    fn for_each_word(&self, _word: &mut dyn FnMut(u64)) {}

    /// The name under which the rule is saved; `None` for a rule that cannot be saved.
    fn saved_name(&self) -> Option<&'static str> {
        None
    }

    /// Shows all state on which later calls depend, part by part, between two ticks. What a fresh rule on the same map
    /// has anyway is left out.
    fn visit_state(&self, _visitor: &mut dyn StateVisitor) {}

    /// Takes over the state of a saved rule; `self` is fresh, made for the map and the agents as they are. Nothing
    /// that `state` holds may make this call or a later one panic. A rule that shows no state needs no
    /// implementation.
    ///
    /// # Errors
    /// [`RuleStateError`] for a state that such a rule cannot have in this context. The rule is of no use then.
    fn restore_state(&mut self, state: &RuleState, _context: &RuleContext<'_>) -> Result<(), RuleStateError> {
        match state.parts.first() {
            None => Ok(()),
            Some(part) => Err(RuleStateError::of_part(&part.name, "a state", "none: the rule has no state")),
        }
    }
}

/// The state of a rule between two ticks, to be restored by [`Traffic::restore_state`].
pub fn save_state(rule: &dyn Traffic) -> RuleState {
    let mut state = RuleState::default();
    rule.visit_state(&mut state);
    state
}

/// [`Traffic::copy_from`] of a rule with nothing but its own state.
pub(crate) fn copy_of_same_type<R: Traffic + Clone>(to: &mut R, from: &dyn Traffic) -> bool {
    let from: &dyn Any = from;
    from.downcast_ref().is_some_and(|from| {
        to.clone_from(from);
        true
    })
}
