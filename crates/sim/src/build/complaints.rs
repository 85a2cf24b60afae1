//! Mistakes found while building, and the words for them.

use super::LoadError;
use crate::scenario::{ScenarioError, ScenarioErrors};
use std::fmt;
use std::path::Path;

/// Most names that a message lists.
const NAMES_SHOWN_MAX: usize = 8;

/// Mistakes found while building. `file` is the one that most of them are in.
pub(super) struct Complaints<'p> {
    file: &'p Path,
    found: Vec<ScenarioError>,
}

impl<'p> Complaints<'p> {
    pub(super) fn new(file: &'p Path) -> Self {
        Self { file, found: Vec::new() }
    }

    /// The file that most of them are in.
    pub(super) fn file(&self) -> &'p Path {
        self.file
    }

    pub(super) fn add(&mut self, line: u32, key: &str, message: impl fmt::Display) {
        self.add_in(self.file, line, key, message);
    }

    /// Adds a mistake in another file.
    pub(super) fn add_in(&mut self, file: &Path, line: u32, key: &str, message: impl fmt::Display) {
        let file = file.display().to_string();
        let (line, key) = (line as usize, key.to_owned());
        self.found.push(ScenarioError { file, line, key, message: message.to_string() });
    }

    /// None yet, about the same file.
    pub(super) fn of_same_file(&self) -> Self {
        Self::new(self.file)
    }

    /// Adds mistakes found apart.
    pub(super) fn extend(&mut self, found: Vec<ScenarioError>) {
        self.found.extend(found);
    }

    /// The mistakes so far, in line order.
    pub(super) fn take(&mut self) -> Vec<ScenarioError> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        found
    }

    pub(super) fn stop_here(&mut self) -> Result<(), LoadError> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(ScenarioErrors::new(self.take()).into())
    }
}

/// Joins names as in `a, b or c`; of many only the first.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match &names[..] {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] if names.len() <= NAMES_SHOWN_MAX => format!("{} or {last}", most.join(", ")),
        _ => {
            let shown = names[..NAMES_SHOWN_MAX].join(", ");
            format!("{shown} or one of {} more", names.len() - NAMES_SHOWN_MAX)
        }
    }
}
