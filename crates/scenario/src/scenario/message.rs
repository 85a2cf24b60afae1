//! The mistake, and its repair.

use super::nearest::nearest_name;
use std::borrow::Cow;
use std::fmt;

/// Begins the message on a key that this release does not read yet.
pub(super) const NOT_SUPPORTED_YET: &str = "not supported yet: ";
/// Begins the message on a key that a table lacks.
pub(super) const MISSING: &str = "missing";
/// Begins the message on a key that no release reads.
pub(super) const UNKNOWN_KEY: &str = "unknown key";
/// Most names that a message lists.
const NAMES_SHOWN_MAX: usize = 8;
/// Most characters of a listed name: a name can be as long as its file, and be listed for every group.
const NAME_CHARS_MAX: usize = 60;
/// Most characters of a field of a file that a message repeats. A scenario may name any file: no more of it is shown.
const FIELD_CHARS_MAX: usize = 16;

/// The mistake and its repair, as data: programs draw it as they like.
///
/// As text it is one line: the text, then the nearest right name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The value found and the value expected, in words.
    pub text: String,
    /// The value found, where there is one.
    pub found: Option<String>,
    /// The expected value, where a few words can say it.
    pub expected: Option<String>,
    /// The right value that was most likely meant, as it is written in the file.
    pub nearest: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// The part of the value that is wrong.
    pub(super) part: Part,
}

/// The part of an entry that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    /// The value.
    #[default]
    Value,
    /// The key.
    Key,
    /// A character of the string.
    Letter(u32),
    /// What a further path leads to, such as `.goto[2]`.
    Below(String),
}

impl Message {
    /// A value that is not the expected one.
    pub fn unexpected(expected: impl Into<String>, found: impl Into<String>) -> Self {
        let (expected, found) = (expected.into(), found.into());
        let text = format!("expected {expected}, found {found}");
        Self { text, expected: Some(expected), found: Some(found), ..Self::default() }
    }

    /// Something that is wrong in itself: `what`.
    pub fn wrong(what: impl fmt::Display, expected: impl Into<String>) -> Self {
        let expected = expected.into();
        Self { text: format!("{what}, expected {expected}"), expected: Some(expected), ..Self::default() }
    }

    /// A name that nothing has: `no class "trukc", expected tank or truck`.
    pub(crate) fn unknown_name<'n>(
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Self {
        let nearest = nearest_name(name, known.clone()).map(|near| format!("{near:?}"));
        let found = shortened(name);
        Self {
            nearest,
            found: Some(format!("{found:?}")),
            ..Self::wrong(format!("{what} \"{found}\""), listed(known))
        }
    }

    /// The same with the value that was most likely meant, as it is written.
    pub fn with_nearest(self, nearest: Option<String>) -> Self {
        Self { nearest, ..self }
    }

    /// The same with help.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same about the key rather than its value.
    pub(crate) fn of_key(self) -> Self {
        Self { part: Part::Key, ..self }
    }

    /// The same about a value below the named one, at a further path.
    pub(crate) fn of_value_below(self, path: String) -> Self {
        Self { part: Part::Below(path), ..self }
    }

    /// The same about one character of a string.
    pub(crate) fn of_letter(self, letter_idx: u32) -> Self {
        Self { part: Part::Letter(letter_idx), ..self }
    }
}

/// Without a blanket text, errors of other crates would have to be spelt out at every place.
impl<T: fmt::Display> From<T> for Message {
    fn from(text: T) -> Self {
        Self { text: text.to_string(), ..Self::default() }
    }
}

impl Message {
    /// The message in one line: it cannot be `Display`, which [`From`] asks of others.
    pub fn line(&self) -> String {
        match &self.nearest {
            // A comma would make it one more of the listed names.
            Some(nearest) if self.text.contains("expected") => {
                format!("{}; did you mean {nearest}?", self.text)
            }
            Some(nearest) => format!("{}, did you mean {nearest}?", self.text),
            None => self.text.clone(),
        }
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

/// A name of a user, or its start.
fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(NAME_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}...", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// Joins names of a user as in `a, b or c`: of many only the first, of long ones only the start.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
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

/// A field of a table or list as found: quoted if it is short enough to be a field.
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
