//! The state of a rule as plain data: named parts of plain integers, so that this crate needs no serde.
//!
//! A rule shows its state part by part to a [`StateVisitor`]. A [`RuleState`] is the visitor that keeps all of it. To
//! restore it, a fresh rule reads the parts in the same order with a [`StateReader`](crate::StateReader) and checks
//! every value against a [`RuleContext`], since a file may contain anything.

use crate::view::AgentsView;
use std::error::Error;
use std::fmt;
use wheelbase_grid::{GridSize, Rect};
use wheelbase_planner::MovementTables;

/// State of a rule as plain data.
///
/// ```
/// use wheelbase_traffic::{RuleState, StateVisitor};
/// let mut state = RuleState::default();
/// state.part("ticks", &mut [3, 4].into_iter());
/// assert_eq!((state.parts[0].name.as_str(), &state.parts[0].values[..]), ("ticks", &[3, 4][..]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleState {
    /// The parts, in the order in which the rule shows them.
    pub parts: Vec<RulePart>,
}

/// One named part of the state of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulePart {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<u64>,
}

/// Takes the state of a rule, part by part.
pub trait StateVisitor {
    /// Takes the next part. It need not take all values.
    fn part(&mut self, name: &'static str, values: &mut dyn Iterator<Item = u64>);
}

impl StateVisitor for RuleState {
    fn part(&mut self, name: &'static str, values: &mut dyn Iterator<Item = u64>) {
        self.parts.push(RulePart { name: name.to_owned(), values: values.collect() });
    }
}

/// The world between two ticks, against which the state of a rule is checked when it is restored.
#[derive(Clone, Copy, Debug)]
pub struct RuleContext<'a> {
    /// The tick that the rule decides next.
    pub tick: u32,
    /// Poses that each agent may expand per tick.
    pub poses_per_agent: u32,
    /// Size of the map.
    pub grid_size: GridSize,
    /// Movement tables by class, of the map as it is.
    pub tables: &'a [MovementTables],
    /// The agents.
    pub agents: AgentsView<'a>,
    /// Areas that were edited since the last tick that the rule decided, and that the rule has not seen yet:
    /// [`TrafficView::edited`](crate::TrafficView::edited) of the next tick, as far as it is known.
    pub edited: &'a [Rect],
    /// Rows of agents whose moves the occupancy refused at the last tick.
    pub refused: &'a [u32],
    /// Rows of agents that have taken another class since the last tick.
    pub reclassed: &'a [u32],
}

/// Why the state of a rule was not restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleStateError {
    /// Name of the part.
    pub part: String,
    /// Index of the value in the part; `None` if the whole part is wrong.
    pub index: Option<usize>,
    /// The value found.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl RuleStateError {
    /// An error about a whole part.
    pub fn of_part(part: &str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { part: part.to_owned(), index: None, found: found.into(), expected: expected.into() }
    }

    /// An error about one value.
    pub fn of_value(part: &str, index: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { index: Some(index), ..Self::of_part(part, found, expected) }
    }
}

impl fmt::Display for RuleStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, index, found, expected } = self;
        write!(f, "state of the traffic rule, part `{part}`")?;
        if let Some(index) = index {
            write!(f, ", value {index}")?;
        }
        write!(f, ": found {found}, expected {expected}")
    }
}

impl Error for RuleStateError {}
