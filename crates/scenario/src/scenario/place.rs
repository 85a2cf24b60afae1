//! Places of mistakes in the text of their file.

use super::error::{ScenarioError, Span};
use super::key_path::follow;
use super::message::Part;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use wheelbase_maps::catch_decoder_panic;

/// The lines of a text.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    /// Byte at which each line ends.
    ends: Vec<usize>,
    /// A byte whose column is known, so that many mistakes in one long line take one pass over it.
    known: (usize, usize),
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        let ends = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at).collect();
        Self { text, ends, known: (0, 1) }
    }

    /// Line of a byte, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.ends.partition_point(|&line_end| line_end < offset) + 1
    }

    /// Line and column of a byte, from 1.
    fn position(&mut self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.line(offset);
        let start = if line < 2 { 0 } else { self.ends[line - 2] + 1 };
        let (from, column) = if (start..=offset).contains(&self.known.0) { self.known } else { (start, 1) };
        let column = column + self.text[from..offset].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        self.known = (offset, column);
        (line, column)
    }

    /// The range as lines and columns; at least one character.
    pub(super) fn span_of(&mut self, bytes: Range<usize>) -> Span {
        let (line, column) = self.position(bytes.start);
        let (end_line, end_column) = self.position(bytes.end.max(bytes.start));
        let end_column = if (end_line, end_column) == (line, column) { column + 1 } else { end_column };
        Span { line, column, end_line, end_column }
    }
}

/// Finds the places of mistakes in the TOML `text` of `file`, by their key paths. Mistakes of other files, and mistakes
/// with a known place, are left alone.
pub(crate) fn locate(errors: &mut [ScenarioError], file: &str, text: &[u8]) {
    let Ok(readable) = str::from_utf8(text) else { return };
    let Ok(Ok(document)) = catch_decoder_panic(|| DeTable::parse(readable)) else { return };
    let document = DeValue::Table(document.into_inner());
    let mut lines = Lines::new(text);
    for error in errors.iter_mut().filter(|error| error.file == file) {
        if error.span.is_none() && !error.key.is_empty() {
            let bytes = bytes_of(&document, &error.key, &error.message.part, readable);
            let span = lines.span_of(bytes);
            // A missing key has no place: the line that is known may be nearer than the start of the text.
            if error.line == span.line || span.line > 1 {
                (error.span, error.line) = (Some(span), span.line);
            }
        }
        if let Some(related) = &mut error.related {
            related.span = Some(lines.span_of(bytes_of(&document, &related.key, &Part::Value, readable)));
        }
    }
}

/// The bytes that a mistake is about: the key or value at a path, or the table that lacks it.
fn bytes_of(document: &DeValue, path: &str, part: &Part, text: &str) -> Range<usize> {
    let reached = match part {
        Part::Below(further) => follow(document, &format!("{path}{further}")),
        _ => follow(document, path),
    };
    let value = reached.value;
    match (part, reached.key) {
        (Part::Key, Some(key)) if reached.is_whole => key,
        (Part::Letter(letter), _) if reached.is_whole => {
            letter_of(reached.text, &value, *letter, text).unwrap_or(value)
        }
        // A value of several lines is known by its key.
        (_, Some(key)) if text.get(value.clone()).is_some_and(|value| value.contains('\n')) => key,
        _ => value,
    }
}

/// The bytes of a character of a string at `quoted`, if the string is written without escapes.
fn letter_of(string: Option<&str>, quoted: &Range<usize>, letter: u32, text: &str) -> Option<Range<usize>> {
    let string = string?;
    let inside = quoted.start + 1..quoted.end.checked_sub(1)?;
    if text.get(inside.clone())? != string {
        return None;
    }
    let (at, letter) = string.char_indices().nth(letter as usize)?;
    Some(inside.start + at..inside.start + at + letter.len_utf8())
}
