//! A rule that repeats the decisions of another one.

use crate::decisions::Decisions;
use crate::rule::Traffic;
use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateReader, StateVisitor, check};
use crate::view::TrafficView;
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Repeats the recorded decisions of a rule from outside, without that rule. Each tick takes the decisions last put in
/// ([`DecisionFeed::put`]), and decides nothing without them. A clone shares the feed.
///
/// ```
/// use wheelbase_traffic::{RecordedRule, Traffic};
/// let (rule, feed) = RecordedRule::new(true);
/// feed.put(|decisions| decisions.replan.push(3));
/// assert!(rule.needs_paths());
/// ```
#[derive(Clone, Debug)]
pub struct RecordedRule {
    needs_paths: bool,
    feed: DecisionFeed,
}

/// Takes the decisions of a [`RecordedRule`] before each tick.
#[derive(Clone, Debug, Default)]
pub struct DecisionFeed(Arc<Mutex<Decisions>>);

impl RecordedRule {
    /// A rule and its feed. The recorded rule decides `needs_paths`.
    pub fn new(needs_paths: bool) -> (Self, DecisionFeed) {
        let feed = DecisionFeed::default();
        (Self { needs_paths, feed: feed.clone() }, feed)
    }
}

impl DecisionFeed {
    /// Fills in the decisions of the next tick, which are empty before.
    pub fn put(&self, fill: impl FnOnce(&mut Decisions)) {
        let mut next = self.next();
        next.clear();
        fill(&mut next);
    }

    fn next(&self) -> MutexGuard<'_, Decisions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Traffic for RecordedRule {
    fn decide(&mut self, _: &TrafficView<'_>, decisions: &mut Decisions) {
        // Both were cleared: a swap of the lists copies nothing.
        let mut next = self.feed.next();
        std::mem::swap(&mut *next, decisions);
    }

    fn needs_paths(&self) -> bool {
        self.needs_paths
    }

    /// The copy has a separate feed, which nothing fills.
    fn clone_box(&self) -> Box<dyn Traffic> {
        let next = self.feed.next().clone();
        let feed = DecisionFeed(Arc::new(Mutex::new(next)));
        Box::new(Self { needs_paths: self.needs_paths, feed })
    }

    fn copy_from(&mut self, other: &dyn Traffic) -> bool {
        let other: &dyn Any = other;
        let Some(other) = other.downcast_ref::<Self>() else { return false };
        self.needs_paths = other.needs_paths;
        // Two rules of one feed have the same decisions already.
        if !Arc::ptr_eq(&self.feed.0, &other.feed.0) {
            self.feed.next().clone_from(&other.feed.next());
        }
        true
    }

    fn saved_name(&self) -> Option<&'static str> {
        Some("recorded")
    }

    fn visit_state(&self, visitor: &mut dyn StateVisitor) {
        let next = self.feed.next();
        let Decisions { starts, replan, unreachable, around, give_up, reroutes, reroute_moves } = &*next;
        visitor.list("needs_paths", [self.needs_paths]);
        visitor.list("starts", starts.iter().copied());
        for (name, rows) in LISTS.into_iter().zip([replan, unreachable, around, give_up]) {
            visitor.list(name, rows.iter().copied());
        }
        visitor.list("reroutes", reroutes.iter().copied());
        visitor.list("reroute_moves", reroute_moves.iter().copied());
    }

    /// The decisions of the next tick are those put in before the rule was saved. They are checked as decisions from
    /// outside always are, by who carries them out.
    fn restore_state(&mut self, state: &RuleState, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
        let mut reader = StateReader::new(state);
        self.needs_paths = reader.list_of("needs_paths", 1)?[0];
        let n_rows = context.agents.len();
        let check_row = |name, at, row: u32| {
            check((row as usize) < n_rows, (name, at), row, format_args!("a row below {n_rows}"))
        };
        let mut next = self.feed.next();
        next.clear();
        let Decisions { starts, replan, unreachable, around, give_up, reroutes, reroute_moves } = &mut *next;
        *starts = reader.list("starts")?;
        for (at, start) in starts.iter().enumerate() {
            check_row("starts", at, start.row)?;
        }
        for (name, rows) in LISTS.into_iter().zip([replan, unreachable, around, give_up]) {
            *rows = reader.list(name)?;
            rows.iter().enumerate().try_for_each(|(at, &row)| check_row(name, at, row))?;
        }
        *reroutes = reader.list("reroutes")?;
        *reroute_moves = reader.list("reroute_moves")?;
        let n_moves = reroute_moves.len();
        for (at, reroute) in reroutes.iter().enumerate() {
            check_row("reroutes", at, reroute.row)?;
            let end = u64::from(reroute.first) + u64::from(reroute.count);
            check(end <= n_moves as u64, ("reroutes", at), reroute, format_args!("some of {n_moves} moves"))?;
        }
        reader.finish()
    }
}

/// Names of the parts of the lists of rows.
const LISTS: [&str; 4] = ["replan", "unreachable", "around", "give_up"];
