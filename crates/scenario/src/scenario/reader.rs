//! A walk over a TOML document that knows the key path and the line of every value and gathers all
//! mistakes.
//!
//! It is written by hand, over the spanned values of the `toml` crate, because derived
//! deserialisation stops at the first mistake, knows no key path and cannot tell a key that is wrong
//! from one that this release does not read yet. Reading functions return `None` when they have
//! reported a mistake; their callers go on with the other keys and give up only at the end.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

use toml::de::{DeInteger, DeTable, DeValue};
use wheelbase_maps::fenced;

use super::error::{NOT_SUPPORTED_YET, ScenarioError, ScenarioErrors};

/// Longest file that is read, in bytes; a map of 2^26 cells as rows and 2^20 agents fit well.
const FILE_BYTES_MAX: usize = 1 << 28;
/// Longest quotation of a wrong value in a message, in characters.
const FOUND_CHARS_MAX: usize = 40;

/// One step of a key path.
#[derive(Clone, Copy)]
enum Segment<'n> {
    Key(&'n str),
    Index(usize),
}

/// A value of the document, joined to its parents so that its key path costs nothing until a message
/// needs it.
#[derive(Clone, Copy)]
pub(super) struct Node<'n> {
    /// The value this one stands in and its place there; `None` for the document.
    parent: Option<(&'n Node<'n>, Segment<'n>)>,
    value: &'n DeValue<'n>,
    /// Byte of the file at which it begins.
    offset: usize,
}

impl<'n> Node<'n> {
    /// The key path, such as `agents[3].at`; empty for the document.
    pub(super) fn key(&self) -> String {
        match &self.parent {
            None => String::new(),
            Some((parent, segment)) => {
                let mut path = parent.key();
                push_segment(&mut path, *segment);
                path
            }
        }
    }

    /// The key path of a value in this table, there or missing.
    pub(super) fn key_of(&self, name: &str) -> String {
        let mut path = self.key();
        push_segment(&mut path, Segment::Key(name));
        path
    }

    /// The values of a list; `None` if it is none.
    pub(super) fn items(&'n self) -> Option<impl ExactSizeIterator<Item = Node<'n>> + use<'n>> {
        let array = self.value.as_array()?;
        Some(array.iter().enumerate().map(move |(item_idx, item)| Node {
            parent: Some((self, Segment::Index(item_idx))),
            value: item.get_ref(),
            offset: item.span().start,
        }))
    }

    /// Whether it is a table.
    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Whether it is a string.
    pub(super) fn is_string(&self) -> bool {
        self.value.is_str()
    }

    /// The first value of a list; `None` if it is none, or an empty one.
    pub(super) fn first_item(&'n self) -> Option<Node<'n>> {
        self.items()?.next()
    }

    /// Whether it is a list.
    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// The whole number it is; `None` if it is none, or one that 64 bits cannot hold.
    pub(super) fn whole(&self) -> Option<i64> {
        self.value.as_integer().and_then(integer_value)
    }
}

/// Appends one step to a key path; names that TOML would have in quotes are in quotes here too.
fn push_segment(path: &mut String, segment: Segment) {
    match segment {
        Segment::Index(item_idx) => path.push_str(&format!("[{item_idx}]")),
        Segment::Key(name) => {
            if !path.is_empty() {
                path.push('.');
            }
            let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if !name.is_empty() && name.chars().all(is_bare) {
                path.push_str(name);
            } else {
                path.push_str(&format!("{name:?}"));
            }
        }
    }
}

/// The keys a table may have.
pub(super) struct Keys {
    /// Keys that are read.
    pub(super) known: &'static [&'static str],
    /// Keys that belong to the format and are not read yet.
    pub(super) later: &'static [&'static str],
}

/// A table whose keys have been looked through.
pub(super) struct Table<'n> {
    pub(super) node: &'n Node<'n>,
    entries: &'n DeTable<'n>,
    /// Whether no key was refused; where one was, a missing key is most likely that one, mistyped.
    pub(super) all_known: bool,
}

impl<'n> Table<'n> {
    /// The value under `name`, if there is one.
    pub(super) fn child(&self, name: &'n str) -> Option<Node<'n>> {
        let value = self.entries.get(name)?;
        Some(Node {
            parent: Some((self.node, Segment::Key(name))),
            value: value.get_ref(),
            offset: value.span().start,
        })
    }
}

/// Names that must not come twice, with the key path and the line of each.
pub(super) type Names = HashMap<String, (String, u32)>;

/// What a list holds, for messages, and how many of them it may hold.
pub(super) struct ListOf {
    /// One of them.
    pub(super) one: &'static str,
    /// More of them.
    pub(super) many: &'static str,
    /// How many there may be.
    pub(super) len: RangeInclusive<usize>,
}

/// Reads values and gathers the mistakes found on the way.
pub(super) struct Reader<'s> {
    file: &'s str,
    /// Byte at which each line ends.
    line_ends: Vec<usize>,
    /// Each with the byte it is at.
    mistakes: Vec<(usize, ScenarioError)>,
}

/// Reads the document in `bytes` with `read`.
/// # Errors
/// Every mistake found, in line order.
/// # Panics
/// If `read` returns nothing and has reported nothing.
pub(super) fn read_document<T>(
    file: &str,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader, &Node) -> Option<T>,
) -> Result<T, ScenarioErrors> {
    let line_ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at).collect();
    let mut reader = Reader { file, line_ends, mistakes: Vec::new() };
    let result = parse_toml(&mut reader, bytes)
        .and_then(|value| read(&mut reader, &Node { parent: None, value: &value, offset: 0 }));
    let mut mistakes = reader.mistakes;
    match result {
        Some(result) if mistakes.is_empty() => Ok(result),
        _ => {
            mistakes.sort_by_key(|&(offset, _)| offset);
            Err(ScenarioErrors::new(mistakes.into_iter().map(|(_, mistake)| mistake).collect()))
        }
    }
}

/// The document as a table with byte positions.
fn parse_toml<'b>(reader: &mut Reader, bytes: &'b [u8]) -> Option<DeValue<'b>> {
    if bytes.len() > FILE_BYTES_MAX {
        let message = format!("expected at most {FILE_BYTES_MAX} bytes, found {}", bytes.len());
        reader.report(0, String::new(), message);
        return None;
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.valid_up_to();
            let message = format!("expected UTF-8 text, found the byte 0x{:02x}", bytes[offset]);
            reader.report(offset, String::new(), message);
            return None;
        }
    };
    match fenced(|| DeTable::parse(text)) {
        Ok(Ok(document)) => Some(DeValue::Table(document.into_inner())),
        Err(panic) => {
            reader.report(0, String::new(), format!("not valid TOML: {panic}"));
            None
        }
        Ok(Err(error)) => {
            // What is missing at the end of the file belongs to its last line, not to the one after it.
            let offset = error.span().map_or(0, |span| span.start).min(text.len().saturating_sub(1));
            reader.report(offset, String::new(), format!("not valid TOML: {}", error.message()));
            None
        }
    }
}

impl Reader<'_> {
    /// Line of a byte of the file, from 1.
    fn line_at(&self, offset: usize) -> u32 {
        let n_lines_before = self.line_ends.partition_point(|&line_end| line_end < offset);
        // A file has fewer bytes than a `u32` counts, and so fewer lines.
        n_lines_before as u32 + 1
    }

    /// Line of a value, from 1. That of a table with a header is the line of the header.
    pub(super) fn line(&self, node: &Node) -> u32 {
        self.line_at(node.offset)
    }

    fn report(&mut self, offset: usize, key: String, message: String) {
        let line = self.line_at(offset) as usize;
        let mistake = ScenarioError { file: self.file.to_owned(), line, key, message };
        self.mistakes.push((offset, mistake));
    }

    /// Reports a mistake at a value.
    pub(super) fn mistake(&mut self, node: &Node, message: String) {
        self.report(node.offset, node.key(), message);
    }

    /// Reports that a value is not what it should be.
    pub(super) fn unexpected(&mut self, node: &Node, expected: &str) {
        self.mistake(node, format!("expected {expected}, found {}", found(node.value)));
    }

    /// Reports that a table lacks a key.
    pub(super) fn missing(&mut self, table: &Node, name: &str, expected: &str) {
        self.report(table.offset, table.key_of(name), format!("missing, expected {expected}"));
    }

    /// Reports a value that the format has and this release does not read yet.
    pub(super) fn not_supported_value(&mut self, node: &Node) {
        let message = format!("{NOT_SUPPORTED_YET}{} = {}", node.key(), found(node.value));
        self.mistake(node, message);
    }

    /// The table, after a look at its keys: each that is not in `keys` is reported.
    pub(super) fn table<'n>(&mut self, node: &'n Node<'n>, keys: &Keys) -> Option<Table<'n>> {
        let Some(entries) = node.value.as_table() else {
            self.unexpected(node, "a table");
            return None;
        };
        let mut all_known = true;
        for name in entries.keys() {
            let (offset, name) = (name.span().start, name.get_ref().as_ref());
            if keys.known.contains(&name) {
                continue;
            }
            all_known = false;
            let key = node.key_of(name);
            let message = if keys.later.contains(&name) {
                format!("{NOT_SUPPORTED_YET}{key}")
            } else {
                unknown_key(name, keys)
            };
            self.report(offset, key, message);
        }
        Some(Table { node, entries, all_known })
    }

    /// The value of a key that must be there, read by `read`.
    pub(super) fn required<T>(
        &mut self,
        table: &Table,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&mut Self, &Node) -> Option<T>,
    ) -> Option<T> {
        match table.child(name) {
            Some(node) => read(self, &node),
            None => {
                self.missing(table.node, name, expected);
                None
            }
        }
    }

    /// The value of a key that may be left out, read by `read`.
    pub(super) fn optional<T>(
        &mut self,
        table: &Table,
        name: &'static str,
        default: T,
        read: impl FnOnce(&mut Self, &Node) -> Option<T>,
    ) -> Option<T> {
        match table.child(name) {
            Some(node) => read(self, &node),
            None => Some(default),
        }
    }

    /// The name, if none of `names` is the same; it joins them.
    pub(super) fn unique_name(&mut self, node: &Node, name: String, names: &mut Names) -> Option<String> {
        if let Some((key, line)) = names.get(&name) {
            let message =
                format!("expected a name of its own, found {name:?}, which is {key} too (line {line})");
            self.mistake(node, message);
            return None;
        }
        names.insert(name.clone(), (node.key(), self.line(node)));
        Some(name)
    }

    /// The one of `names` that the table has; several or none are a mistake.
    pub(super) fn exactly_one(&mut self, table: &Table, names: &[&'static str]) -> Option<&'static str> {
        let present: Vec<&str> =
            names.iter().copied().filter(|name| table.entries.contains_key(*name)).collect();
        let right = alternatives(names);
        match present[..] {
            [name] => return Some(name),
            // The key that was refused is the one that was meant.
            [] if !table.all_known => {}
            [] => self.mistake(table.node, format!("expected {right}, found none")),
            _ => {
                let message = format!("expected only one of {right}, found {}", present.join(" and "));
                self.mistake(table.node, message);
            }
        }
        None
    }

    /// A whole number in `range`.
    pub(super) fn whole<T: TryFrom<i64>>(&mut self, node: &Node, range: RangeInclusive<i64>) -> Option<T> {
        match node.whole().filter(|number| range.contains(number)) {
            Some(number) => T::try_from(number).ok(),
            None => {
                self.unexpected(node, &whole_expected(&range));
                None
            }
        }
    }

    /// A whole number in `range` that must be there.
    pub(super) fn required_whole<T: TryFrom<i64>>(
        &mut self,
        table: &Table,
        name: &'static str,
        range: RangeInclusive<i64>,
    ) -> Option<T> {
        let expected = whole_expected(&range);
        self.required(table, name, &expected, |reader, node| reader.whole(node, range))
    }

    /// A whole number in `range` that may be left out.
    pub(super) fn optional_whole<T: TryFrom<i64>>(
        &mut self,
        table: &Table,
        name: &'static str,
        default: T,
        range: RangeInclusive<i64>,
    ) -> Option<T> {
        self.optional(table, name, default, |reader, node| reader.whole(node, range))
    }

    /// A number at most `limit` away from zero, whole or with a fraction.
    pub(super) fn number(&mut self, node: &Node, limit: u32) -> Option<f64> {
        let number = match node.value {
            DeValue::Integer(integer) => integer_value(integer).map(|number| number as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        // Also false for a NaN.
        let number = number.filter(|number: &f64| number.abs() <= f64::from(limit));
        if number.is_none() {
            self.unexpected(node, &format!("a number from -{limit} to {limit}"));
        }
        number
    }

    /// A string; `expected` says which, for the message.
    pub(super) fn string(&mut self, node: &Node, expected: &str) -> Option<String> {
        let text = node.value.as_str().map(str::to_owned);
        if text.is_none() {
            self.unexpected(node, expected);
        }
        text
    }

    /// A string of at least one character.
    pub(super) fn filled_string(&mut self, node: &Node, expected: &str) -> Option<String> {
        let text = self.string(node, expected)?;
        if text.is_empty() {
            self.unexpected(node, expected);
            return None;
        }
        Some(text)
    }

    /// The value that a word of `right` stands for; the words of `later` are not supported yet.
    pub(super) fn choice<T: Copy>(&mut self, node: &Node, right: &[(&str, T)], later: &[&str]) -> Option<T> {
        let word = node.value.as_str();
        if let Some((_, choice)) = right.iter().find(|(right_word, _)| word == Some(right_word)) {
            return Some(*choice);
        }
        if word.is_some_and(|word| later.contains(&word)) {
            self.not_supported_value(node);
        } else {
            let words: Vec<String> = right.iter().map(|(word, _)| format!("{word:?}")).collect();
            self.unexpected(node, &alternatives(&words));
        }
        None
    }

    /// All values of a list, each read by `read`; mistakes in one do not keep the others from being
    /// read.
    pub(super) fn list<T>(
        &mut self,
        node: &Node,
        of: &ListOf,
        mut read: impl FnMut(&mut Self, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(items) = node.items() else {
            self.unexpected(node, &format!("a list of {}", of.many));
            return None;
        };
        let n_items = items.len();
        if n_items > *of.len.end() {
            let message = format!("expected at most {} {}, found {n_items}", of.len.end(), of.many);
            self.mistake(node, message);
            return None;
        }
        if n_items < *of.len.start() {
            self.unexpected(node, &format!("at least one {}", of.one));
            return None;
        }
        let mut values = Vec::with_capacity(n_items);
        for item in items {
            values.extend(read(self, &item));
        }
        (values.len() == n_items).then_some(values)
    }

    /// A list of exactly `N` whole numbers in `range`; `expected` shows its form.
    pub(super) fn whole_array<T: TryFrom<i64>, const N: usize>(
        &mut self,
        node: &Node,
        expected: &str,
        range: RangeInclusive<i64>,
    ) -> Option<[T; N]> {
        let Some(items) = node.items().filter(|items| items.len() == N) else {
            self.unexpected(node, expected);
            return None;
        };
        let mut numbers = Vec::with_capacity(N);
        for item in items {
            numbers.extend(self.whole(&item, range.clone()));
        }
        numbers.try_into().ok()
    }

    /// All values of a table of names, such as the `[class.NAME]` tables, in the order of the file.
    /// A table that is left out is empty.
    pub(super) fn named<T>(
        &mut self,
        table: &Table,
        name: &'static str,
        of: &ListOf,
        mut read: impl FnMut(&mut Self, &Node, &str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(node) = table.child(name) else {
            return Some(Vec::new());
        };
        let Some(entries) = node.value.as_table() else {
            self.unexpected(&node, &format!("a table of {}", of.many));
            return None;
        };
        if entries.len() > *of.len.end() {
            let message = format!("expected at most {} {}, found {}", of.len.end(), of.many, entries.len());
            self.mistake(&node, message);
            return None;
        }
        let mut children: Vec<(&str, Node)> = entries
            .iter()
            .map(|(name, value)| {
                let name = name.get_ref().as_ref();
                let parent = Some((&node, Segment::Key(name)));
                (name, Node { parent, value: value.get_ref(), offset: value.span().start })
            })
            .collect();
        // The map of the TOML crate is in the order of the alphabet; kinds are numbered as written.
        children.sort_by_key(|(_, child)| child.offset);
        let mut values = Vec::with_capacity(children.len());
        for (name, child) in &children {
            if name.is_empty() {
                self.mistake(child, format!("expected a name for the {}, found \"\"", of.one));
            }
            values.extend(read(self, child, name));
        }
        (values.len() == children.len()).then_some(values)
    }
}

/// The number, unless 64 bits cannot hold it.
fn integer_value(integer: &DeInteger) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn whole_expected(range: &RangeInclusive<i64>) -> String {
    format!("a whole number from {} to {}", range.start(), range.end())
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

/// What to say of a key that is not in `keys`: the nearest right one, or all of them.
fn unknown_key(name: &str, keys: &Keys) -> String {
    let lowercase = name.to_lowercase();
    let nearest = keys
        .known
        .iter()
        .chain(keys.later)
        .map(|key| (strsim::osa_distance(&lowercase, &key.to_lowercase()), key))
        .filter(|(distance, key)| *distance <= (key.len().max(name.len()) / 3).max(1))
        // The first of the nearest: `min_by_key` keeps the order of the keys.
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((_, key)) => format!("unknown key, did you mean `{key}`?"),
        None => format!("unknown key, expected {}", alternatives(keys.known)),
    }
}

/// A value as a message quotes it: as written where that is short, else what kind of value it is.
fn found(value: &DeValue) -> String {
    match value {
        DeValue::Table(_) => "a table".to_owned(),
        DeValue::Array(items) if items.is_empty() => "an empty list".to_owned(),
        DeValue::Array(items) => {
            let mut text = String::new();
            quote(value, &mut text);
            if text.chars().count() <= FOUND_CHARS_MAX { text } else { format!("a list of {}", items.len()) }
        }
        _ => {
            let mut text = String::new();
            quote(value, &mut text);
            match text.char_indices().nth(FOUND_CHARS_MAX) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            }
        }
    }
}

/// Writes a value, or as much of it as shows that it is too long to be quoted.
fn quote(value: &DeValue, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match value {
        DeValue::String(string) => {
            let start: String = string.chars().take(FOUND_CHARS_MAX).collect();
            write!(text, "{start:?}")
        }
        DeValue::Integer(integer) => write!(text, "{integer}"),
        DeValue::Float(float) => write!(text, "{float}"),
        DeValue::Boolean(truth) => write!(text, "{truth}"),
        DeValue::Datetime(datetime) => write!(text, "{datetime}"),
        DeValue::Table(_) => write!(text, "{{...}}"),
        DeValue::Array(items) => {
            text.push('[');
            for (item_idx, item) in items.iter().enumerate() {
                if text.len() > 4 * FOUND_CHARS_MAX {
                    break;
                }
                if item_idx > 0 {
                    text.push_str(", ");
                }
                quote(item.get_ref(), text);
            }
            text.push(']');
            Ok(())
        }
    };
}
