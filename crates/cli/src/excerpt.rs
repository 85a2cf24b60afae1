//! Excerpts of the files that messages are about.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use wheelbase_scenario::load::read_file;
use wheelbase_scenario::scenario::Span;
use wheelbase_view::safe_text;

/// Most lines of an excerpt: two places farther apart are shown without the second.
const LINES_MAX: usize = 2000;
/// Most characters of a line: of a longer one no more is shown, and nothing beyond is underlined.
const LINE_CHARS_MAX: usize = 2000;

/// The files that messages are about, each read once.
#[derive(Default)]
pub struct Sources(BTreeMap<String, Option<Vec<u8>>>);

/// Whole lines of a file.
pub struct Excerpt {
    /// The lines, without characters that control a terminal.
    pub text: String,
    /// Number of the first line.
    pub first_line: usize,
    /// Bytes of `text` for each place.
    pub places: Vec<Range<usize>>,
}

/// A place in a file.
#[derive(Clone, Copy)]
pub enum Place {
    /// A range.
    Span(Span),
    /// A line, from 1.
    Line(usize),
}

impl Place {
    fn first_line(self) -> usize {
        match self {
            Self::Span(span) => span.line,
            Self::Line(line) => line,
        }
    }
}

impl Sources {
    /// The lines of a file that hold the places, those left out that are far from the first. `None` if the file has no
    /// such lines any more, or cannot be read again: a pipe.
    pub fn excerpt(&mut self, file: &str, places: &[Place]) -> Option<Excerpt> {
        let bytes = self.bytes(file)?;
        let first = places.first()?.first_line();
        let near = |place: &Place| place.first_line().abs_diff(first) < LINES_MAX;
        let places: Vec<Place> = places.iter().copied().filter(near).collect();
        let first_line = places.iter().map(|place| place.first_line()).min()?;
        let last_line = places.iter().map(|place| place.first_line()).max()?;
        let mut excerpt = Excerpt { text: String::new(), first_line, places: Vec::new() };
        let mut starts = Vec::new();
        let lines = bytes.split(|&byte| byte == b'\n').skip(first_line.checked_sub(1)?);
        for line in lines.take(last_line - first_line + 1) {
            starts.push(excerpt.text.len());
            let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
            excerpt.text.extend(line.chars().take(LINE_CHARS_MAX).map(shown));
            excerpt.text.push('\n');
        }
        for place in places {
            let start = *starts.get(place.first_line() - first_line)?;
            let line = excerpt.text[start..].split('\n').next()?;
            let within = bytes_in_line(line, place);
            excerpt.places.push(start + within.start..start + within.end);
        }
        Some(excerpt)
    }

    /// The bytes of a regular file that may be shown. Reading a pipe could block without end.
    fn bytes(&mut self, file: &str) -> Option<&[u8]> {
        let path = Path::new(file);
        let read = || (path.is_file() && may_show(path)).then(|| read_file(path).ok()).flatten();
        self.0.entry(file.to_owned()).or_insert_with(read).as_deref()
    }
}

/// Whether lines of a file may be shown. The command line names the file, or it lies below the working folder or the
/// folder of a named file. Other files can be secrets: a file that somebody else wrote could name them.
fn may_show(file: &Path) -> bool {
    let Ok(file) = file.canonicalize() else { return false };
    let arguments = std::env::args_os().skip(1).filter_map(|argument| {
        let value = argument.to_str().and_then(|text| text.strip_prefix("--")?.split_once('='));
        Path::new(value.map_or(argument.as_os_str(), |(_, value)| value.as_ref())).canonicalize().ok()
    });
    let named: Vec<PathBuf> = arguments.filter(|argument| argument.is_file()).collect();
    let working = Path::new(".").canonicalize().ok();
    let mut folders = named.iter().filter_map(|named| named.parent()).chain(working.as_deref());
    // Everything lies below the root.
    named.contains(&file) || folders.any(|folder| folder.parent().is_some() && file.starts_with(folder))
}

/// A character as shown: a control or hidden character is replaced by another of the same width.
fn shown(letter: char) -> char {
    let is_safe = letter == '\t' || safe_text::line(letter.encode_utf8(&mut [0; 4])).starts_with(letter);
    if is_safe { letter } else { char::REPLACEMENT_CHARACTER }
}

/// The bytes of a place in its first line: to the end of the line if it goes on.
fn bytes_in_line(line: &str, place: Place) -> Range<usize> {
    let indent = line.len() - line.trim_start().len();
    let Place::Span(span) = place else { return indent..line.trim_end().len().max(indent) };
    let byte_of = |column: usize| {
        line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(byte, _)| byte)
    };
    let end = if span.end_line == span.line { byte_of(span.end_column) } else { line.trim_end().len() };
    let start = byte_of(span.column);
    start..end.max(start)
}
