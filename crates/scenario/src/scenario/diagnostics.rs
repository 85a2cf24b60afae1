//! Collects the mistakes in the files of a scenario.

use super::error::{Related, ScenarioError, ScenarioErrors, Span};
use super::message::Message;
use std::path::Path;

/// The tables that nothing else depends on, but by their names.
const TABLES_ALONE: [&str; 3] = ["agents[", "groups[", "events["];

/// The mistakes found so far, in whatever order; reported in the order of their places.
pub(crate) struct Diagnostics<'p> {
    file: &'p Path,
    found: Vec<Found>,
}

/// A mistake, with what orders the mistakes of one line: a byte of the file where it is known, else 0.
struct Found {
    offset: usize,
    error: ScenarioError,
}

impl<'p> Diagnostics<'p> {
    /// None yet. `file` is the one in which most mistakes are expected.
    pub(crate) fn new(file: &'p Path) -> Self {
        Self { file, found: Vec::new() }
    }

    /// The file in which most mistakes are expected.
    pub(crate) fn file(&self) -> &'p Path {
        self.file
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether every mistake lies in a table that nothing else depends on: all others mean what they were meant to.
    pub(super) fn stand_alone(&self) -> bool {
        let alone = |found: &Found| TABLES_ALONE.iter().any(|table| found.error.key.starts_with(table));
        self.found.iter().all(alone)
    }

    /// Adds a mistake in the file.
    pub(crate) fn add(&mut self, line: u32, key: &str, message: impl Into<Message>) {
        self.add_in(self.file, line, key, message);
    }

    /// Adds a mistake in another file.
    pub(crate) fn add_in(&mut self, file: &Path, line: u32, key: &str, message: impl Into<Message>) {
        let file = file.display().to_string();
        let error = ScenarioError::new(file, line as usize, key.to_owned(), message);
        self.found.push(Found { offset: 0, error });
    }

    /// Adds a mistake in the file that is about another place too: the value at the key path `other`, which is `label`.
    pub(crate) fn add_related(
        &mut self,
        (line, key): (u32, &str),
        message: impl Into<Message>,
        (other, label): (&str, &str),
    ) {
        self.add(line, key, message);
        let related = Related { key: other.to_owned(), label: label.to_owned(), span: None };
        if let Some(found) = self.found.last_mut() {
            found.error.related = Some(related);
        }
    }

    /// Adds a mistake in the file at a byte of it, which is in `line`.
    pub(super) fn add_at(
        &mut self,
        offset: usize,
        line: usize,
        key: String,
        message: Message,
    ) -> &mut ScenarioError {
        let error = ScenarioError::new(self.file.display().to_string(), line, key, message);
        self.found.push(Found { offset, error });
        let last = self.found.len() - 1;
        &mut self.found[last].error
    }

    /// Adds a mistake in the file whose text has no keys.
    pub(super) fn add_span(&mut self, offset: usize, span: Span, message: impl Into<Message>) {
        let error = ScenarioError::at(self.file.display().to_string(), span, message);
        self.found.push(Found { offset, error });
    }

    /// None yet, about the same file.
    pub(crate) fn of_same_file(&self) -> Self {
        Self::new(self.file)
    }

    /// Adds mistakes that were collected separately.
    pub(crate) fn extend(&mut self, errors: Vec<ScenarioError>) {
        self.found.extend(errors.into_iter().map(|error| Found { offset: 0, error }));
    }

    /// Takes the mistakes out, by file and line. Within a line they are ordered by their bytes, then by adding.
    pub(crate) fn take(&mut self) -> Vec<ScenarioError> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by(|a, b| {
            (&a.error.file, a.error.line, a.offset).cmp(&(&b.error.file, b.error.line, b.offset))
        });
        found.into_iter().map(|found| found.error).collect()
    }

    /// Fails with the mistakes so far, if there are any.
    /// # Errors
    /// The mistakes.
    pub(crate) fn stop_if_any(&mut self) -> Result<(), ScenarioErrors> {
        if self.is_empty() { Ok(()) } else { Err(ScenarioErrors::new(self.take())) }
    }
}
