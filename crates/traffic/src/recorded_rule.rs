//! A rule that repeats the decisions of another one.

use crate::decisions::{Decisions, Leads, Reroute, Start};
use crate::rule::Traffic;
use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateVisitor};
use crate::state_reader::{PartReader, StateReader};
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
        visitor.part("needs_paths", &mut [u64::from(self.needs_paths)].into_iter());
        let of_start = |start: &Start| [start.row, start.primitive.into(), start.ticks].map(u64::from);
        visitor.part("starts", &mut starts.iter().flat_map(of_start));
        for (name, rows) in LISTS.into_iter().zip([replan, unreachable, around, give_up]) {
            visitor.part(name, &mut rows.iter().map(|&row| u64::from(row)));
        }
        let of_reroute = |reroute: &Reroute| {
            let leads = LEADS.iter().position(|&leads| leads == reroute.leads).unwrap_or(0) as u32;
            [reroute.row, reroute.first, reroute.count, leads].map(u64::from)
        };
        visitor.part("reroutes", &mut reroutes.iter().flat_map(of_reroute));
        visitor.part("reroute_moves", &mut reroute_moves.iter().map(|&primitive| u64::from(primitive)));
    }

    /// The decisions of the next tick are those put in before the rule was saved. They are checked as decisions from
    /// outside always are, by who carries them out.
    fn restore_state(&mut self, state: &RuleState, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
        let mut reader = StateReader::new(state);
        let mut part = reader.part_of("needs_paths", 1)?;
        self.needs_paths = part.flag("whether the rule needs paths")?;
        let row = |part: &mut PartReader<'_>| part.below(context.agents.len(), "a row");
        let mut next = self.feed.next();
        next.clear();
        let mut part = reader.part("starts")?;
        while part.left() > 0 {
            let (row, primitive) = (row(&mut part)?, part.u32_to(u8::MAX.into(), "a primitive")? as u8);
            next.starts.push(Start { row, primitive, ticks: part.u32("ticks")? });
        }
        let Decisions { replan, unreachable, around, give_up, reroutes, reroute_moves, .. } = &mut *next;
        for (name, rows) in LISTS.into_iter().zip([replan, unreachable, around, give_up]) {
            let mut part = reader.part(name)?;
            while part.left() > 0 {
                rows.push(row(&mut part)?);
            }
        }
        let mut part = reader.part("reroutes")?;
        while part.left() > 0 {
            let row = row(&mut part)?;
            let (first, count) = (part.u32("an index of a move")?, part.u32("a number of moves")?);
            let leads = LEADS[part.below(LEADS.len(), "where a path leads")? as usize];
            reroutes.push(Reroute { row, first, count, leads });
        }
        let mut part = reader.part("reroute_moves")?;
        while part.left() > 0 {
            reroute_moves.push(part.u32_to(u8::MAX.into(), "a primitive")? as u8);
        }
        let is_beyond = |reroute: &&Reroute| {
            u64::from(reroute.first) + u64::from(reroute.count) > reroute_moves.len() as u64
        };
        if let Some(reroute) = reroutes.iter().find(is_beyond) {
            let (first, count, n) = (reroute.first, reroute.count, reroute_moves.len());
            let found = format!("{count} moves from {first} on for row {}", reroute.row);
            return Err(RuleStateError::of_part("reroutes", found, format!("some of {n}")));
        }
        reader.finish()
    }
}

/// Names of the parts of the lists of rows.
const LISTS: [&str; 4] = ["replan", "unreachable", "around", "give_up"];

/// Where paths lead, by number.
const LEADS: [Leads; 3] = [Leads::On, Leads::Off, Leads::Aside];
