//! The state of a rule as plain data: named parts of plain integers, so that this crate needs no serde.
//!
//! A rule shows its state part by part to a [`StateVisitor`]. A [`RuleState`] is the visitor that keeps all of it. To
//! restore it, a fresh rule reads the parts in the same order with a [`StateReader`]. It checks their meaning by a
//! [`RuleContext`], since a file may contain anything.

use crate::saved::Saved;
use crate::view::AgentsView;
use std::error::Error;
use std::fmt::{self, Debug, Display};
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

impl dyn StateVisitor + '_ {
    /// Shows a list as a part: the first word of each element, then the second of each, and so on.
    pub fn list<T: Saved>(&mut self, name: &'static str, list: impl IntoIterator<Item = T>) {
        let mut words = Vec::new();
        list.into_iter().for_each(|element| element.write(&mut words));
        let columns = 0..T::width();
        self.part(name, &mut columns.flat_map(|at| words.iter().copied().skip(at).step_by(T::width())));
    }
}

/// Reads the parts of a state in the order in which they were shown.
///
/// ```
/// use wheelbase_traffic::{RuleState, StateReader, StateVisitor};
/// let mut state = RuleState::default();
/// let visitor: &mut dyn StateVisitor = &mut state;
/// visitor.list("moves", [(3_u32, 0_u8), (4, 1)]);
/// assert_eq!(state.parts[0].values, [3, 4, 0, 1]);
/// let mut reader = StateReader::new(&state);
/// assert_eq!(reader.list::<(u32, u8)>("moves")?, [(3, 0), (4, 1)]);
/// reader.finish()?;
/// # Ok::<(), wheelbase_traffic::RuleStateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StateReader<'a> {
    parts: std::slice::Iter<'a, RulePart>,
}

impl<'a> StateReader<'a> {
    /// Before the first part.
    pub fn new(state: &'a RuleState) -> Self {
        Self { parts: state.parts.iter() }
    }

    /// The next part, as [`StateVisitor`] was shown its list.
    /// # Errors
    /// [`RuleStateError`] if it has another name or is missing, or if it has no such elements.
    pub fn list<T: Saved>(&mut self, name: &'static str) -> Result<Vec<T>, RuleStateError> {
        let values = match self.parts.next() {
            Some(part) if part.name == name => &part.values,
            Some(part) => {
                return Err(RuleStateError::of_part(&part.name, "this part", format!("part `{name}`")));
            }
            None => return Err(RuleStateError::of_part(name, "nothing", "this part")),
        };
        let n = values.len() / T::width();
        if n * T::width() != values.len() {
            let expected = format!("{} for each element", T::width());
            return Err(RuleStateError::of_part(name, format!("{} values", values.len()), expected));
        }
        let element = |at: usize| {
            let mut words = values.iter().copied().skip(at).step_by(n);
            T::read(&mut words).ok_or_else(|| {
                let words: Vec<u64> = values.iter().copied().skip(at).step_by(n).collect();
                RuleStateError::of_element(name, at, words, "values in range")
            })
        };
        (0..n).map(element).collect()
    }

    /// The next part, which has `n` elements.
    /// # Errors
    /// As [`StateReader::list`], and if it has another number of elements.
    pub fn list_of<T: Saved>(&mut self, name: &'static str, n: usize) -> Result<Vec<T>, RuleStateError> {
        let list = self.list(name)?;
        match list.len() {
            found if found == n => Ok(list),
            found => Err(RuleStateError::of_part(name, format!("{found} elements"), n.to_string())),
        }
    }

    /// The next part, cut into lists of some lengths.
    pub(crate) fn lists<T: Saved>(
        &mut self,
        name: &'static str,
        lengths: impl Iterator<Item = usize>,
    ) -> Result<Vec<Vec<T>>, RuleStateError> {
        let mut all = self.list(name)?.into_iter();
        let (n, mut lists) = (all.len(), Vec::new());
        let wrong = || RuleStateError::of_part(name, format!("{n} elements"), "the sum of their numbers");
        for length in lengths {
            if length > all.len() {
                return Err(wrong());
            }
            lists.push(all.by_ref().take(length).collect());
        }
        if all.len() == 0 { Ok(lists) } else { Err(wrong()) }
    }

    /// All parts have been read.
    /// # Errors
    /// [`RuleStateError`] if one is left.
    pub fn finish(mut self) -> Result<(), RuleStateError> {
        match self.parts.next() {
            Some(part) => Err(RuleStateError::of_part(&part.name, "this part", "no more parts")),
            None => Ok(()),
        }
    }
}

/// Checks an element of a part.
pub(crate) fn check(
    is_right: bool,
    (part, at): (&str, usize),
    found: impl Debug,
    expected: impl Display,
) -> Result<(), RuleStateError> {
    if is_right { Ok(()) } else { Err(RuleStateError::of_element(part, at, found, expected)) }
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
    /// Areas edited since the last tick that the rule decided. It sees them in
    /// [`TrafficView::edited`](crate::TrafficView::edited) of the next tick.
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
    /// Index of the element in the part; `None` if the whole part is wrong.
    pub index: Option<usize>,
    /// The element or value found.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl RuleStateError {
    /// An error about a whole part.
    pub fn of_part(part: &str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { part: part.to_owned(), index: None, found: found.into(), expected: expected.into() }
    }

    /// An error about one element.
    pub fn of_element(part: &str, index: usize, found: impl Debug, expected: impl Display) -> Self {
        Self { index: Some(index), ..Self::of_part(part, format!("{found:?}"), expected.to_string()) }
    }
}

impl Display for RuleStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, index, found, expected } = self;
        write!(f, "state of the traffic rule, part `{part}`")?;
        if let Some(index) = index {
            write!(f, ", element {index}")?;
        }
        write!(f, ": found {found}, expected {expected}")
    }
}

impl Error for RuleStateError {}
