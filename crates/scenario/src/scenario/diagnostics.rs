//! Collects the mistakes in the files of a scenario, and words what their messages share.

use super::error::{ScenarioError, ScenarioErrors};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// Most names that a message lists.
const NAMES_SHOWN_MAX: usize = 8;
/// Most characters of a listed name: a name can be as long as its file, and be listed for every group.
const NAME_CHARS_MAX: usize = 60;
/// Most characters of a field of a file that a message repeats. A scenario may name any file: no more of it is shown.
const FIELD_CHARS_MAX: usize = 16;

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

    /// Adds a mistake in the file.
    pub(crate) fn add(&mut self, line: u32, key: &str, message: impl fmt::Display) {
        self.add_in(self.file, line, key, message);
    }

    /// Adds a mistake in another file.
    pub(crate) fn add_in(&mut self, file: &Path, line: u32, key: &str, message: impl fmt::Display) {
        let file = file.display().to_string();
        let (line, key) = (line as usize, key.to_owned());
        let error = ScenarioError { file, line, key, message: message.to_string() };
        self.found.push(Found { offset: 0, error });
    }

    /// Adds a mistake in the file at a byte of it, which is in `line`.
    pub(super) fn add_at(&mut self, offset: usize, line: u32, key: String, message: String) {
        let (file, line) = (self.file.display().to_string(), line as usize);
        self.found.push(Found { offset, error: ScenarioError { file, line, key, message } });
    }

    /// None yet, about the same file.
    pub(crate) fn of_same_file(&self) -> Self {
        Self::new(self.file)
    }

    /// Adds mistakes that were collected separately.
    pub(crate) fn extend(&mut self, errors: Vec<ScenarioError>) {
        self.found.extend(errors.into_iter().map(|error| Found { offset: 0, error }));
    }

    /// Takes the mistakes out, by file and line. The order within a line is that of their bytes, then that of adding.
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

/// Joins names as in `a, b or c`.
pub(super) fn alternatives<T: AsRef<str>>(names: &[T]) -> String {
    let mut text = String::new();
    for (name_idx, name) in names.iter().enumerate() {
        text.push_str(match name_idx {
            0 => "",
            _ if name_idx + 1 == names.len() => " or ",
            _ => ", ",
        });
        text.push_str(name.as_ref());
    }
    text
}

/// Joins names of a user as in `a, b or c`: of many only the first, of long ones only the start.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let shortened = |name: &'n str| match name.char_indices().nth(NAME_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}...", &name[..end])),
        None => Cow::Borrowed(name),
    };
    let names: Vec<Cow<'n, str>> = names.map(shortened).collect();
    match names.len() {
        0 => "none".to_owned(),
        1..=NAMES_SHOWN_MAX => alternatives(&names),
        n => {
            let shown = names[..NAMES_SHOWN_MAX].join(", ");
            format!("{shown} or one of {} more", n - NAMES_SHOWN_MAX)
        }
    }
}

/// What was found in a field of a table or list: quoted if it is short enough to be a field.
pub(crate) fn found_field(text: &str) -> String {
    match text.chars().nth(FIELD_CHARS_MAX) {
        None => format!("found {text:?}"),
        Some(_) => format!("found a text of {} characters", text.chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8,000 groups of an unknown class, next to a class with a name of 400 kB, took gigabytes.
    #[test]
    fn long_names_are_shortened_in_lists() {
        assert_eq!(listed(["a", &"b".repeat(60), &"c".repeat(61)].into_iter()).len(), 1 + 2 + 60 + 4 + 63);
        assert_eq!(listed([&*"é".repeat(400_000)].into_iter()), format!("{}...", "é".repeat(60)));
    }
}
