//! A rule that repeats the decisions of another one.

use crate::decisions::Decisions;
use crate::rule::Traffic;
use crate::view::TrafficView;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// A rule and its feed. `needs_paths` is that of the recorded rule.
    pub fn new(needs_paths: bool) -> (Self, DecisionFeed) {
        let feed = DecisionFeed::default();
        (Self { needs_paths, feed: feed.clone() }, feed)
    }
}

impl DecisionFeed {
    /// Fills in the decisions of the next tick, which are empty before.
    pub fn put(&self, fill: impl FnOnce(&mut Decisions)) {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        next.clear();
        fill(&mut next);
    }
}

impl Traffic for RecordedRule {
    fn decide(&mut self, _: &TrafficView<'_>, decisions: &mut Decisions) {
        // Both were cleared: a swap of the lists copies nothing.
        let mut next = self.feed.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *next, decisions);
    }

    fn needs_paths(&self) -> bool {
        self.needs_paths
    }

    /// The copy has a feed of its own, which nothing fills.
    fn clone_box(&self) -> Box<dyn Traffic> {
        let next = self.feed.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let feed = DecisionFeed(Arc::new(Mutex::new(next)));
        Box::new(Self { needs_paths: self.needs_paths, feed })
    }
}
