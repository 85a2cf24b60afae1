//! Mistakes found while building, and the words for them.

use super::error::LoadError;
use crate::scenario::{ScenarioError, ScenarioErrors};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// Most names that a message lists.
const NAMES_SHOWN_MAX: usize = 8;
/// Most characters of each of them: a name may be as long as its file, and listed in a message for every group.
const NAME_CHARS_MAX: usize = 60;

/// Mistakes found while building. `file` is the one that most of them are in.
pub(super) struct Diagnostics<'p> {
    file: &'p Path,
    found: Vec<ScenarioError>,
}

impl<'p> Diagnostics<'p> {
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

/// Joins names as in `a, b or c`; of many only the first, of long ones only the start.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let shortened = |name: &'n str| match name.char_indices().nth(NAME_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}...", &name[..end])),
        None => Cow::Borrowed(name),
    };
    let names: Vec<Cow<'n, str>> = names.map(shortened).collect();
    match &names[..] {
        [] => "none".to_owned(),
        [one] => one.clone().into_owned(),
        [most @ .., last] if names.len() <= NAMES_SHOWN_MAX => format!("{} or {last}", most.join(", ")),
        _ => {
            let shown = names[..NAMES_SHOWN_MAX].join(", ");
            format!("{shown} or one of {} more", names.len() - NAMES_SHOWN_MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8,000 groups of no class, beside a class with a name of 400 kB, took gigabytes.
    #[test]
    fn long_names_are_shortened_in_lists() {
        assert_eq!(listed(["a", &"b".repeat(60), &"c".repeat(61)].into_iter()).len(), 1 + 2 + 60 + 4 + 63);
        assert_eq!(listed([&*"é".repeat(400_000)].into_iter()), format!("{}...", "é".repeat(60)));
    }
}
