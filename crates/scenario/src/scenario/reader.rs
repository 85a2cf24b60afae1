//! Reads TOML documents: knows key path and line of every value, and reports all mistakes.
//!
//! Written by hand over the spanned values of the `toml` crate: derived deserialisation stops at the first mistake and
//! knows no key path. Reading functions return `None` once they have reported a mistake; callers read the other keys
//! before they give up.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use toml::de::{DeInteger, DeTable, DeValue};
use wheelbase_maps::catch_decoder_panic;

use super::advice::{help_of_key, help_of_syntax, help_of_value};
use super::diagnostics::Diagnostics;
use super::error::{Related, ScenarioError, ScenarioErrors};
use super::key_path::{KeyPart, push_key_part};
use super::message::{MISSING, Message, NOT_SUPPORTED_YET, UNKNOWN_KEY, alternatives};
use super::nearest::{nearest_heading, nearest_name};
use super::place::{Lines, locate};

/// Longest file that is read, in bytes: room for a map of 2^26 cells as rows and for 2^20 agents.
const FILE_BYTES_MAX: usize = 1 << 28;
/// Longest quotation of a wrong value in a message, in characters.
const FOUND_CHARS_MAX: usize = 40;

/// A value of the document, linked to its parents: its key path costs nothing until a message needs it.
#[derive(Clone, Copy)]
pub(super) struct Node<'n> {
    /// The enclosing value and the key or index in it; `None` for the document.
    parent: Option<(&'n Node<'n>, KeyPart<'n>)>,
    value: &'n DeValue<'n>,
    /// Byte of the file at which it begins.
    offset: usize,
}

impl<'n> Node<'n> {
    /// The key path, such as `agents[3].at`; empty for the document.
    pub(super) fn key(&self) -> String {
        match &self.parent {
            None => String::new(),
            Some((parent, part)) => {
                let mut path = parent.key();
                push_key_part(&mut path, *part);
                path
            }
        }
    }

    /// The key path of a value in this table, present or missing.
    pub(super) fn key_of(&self, name: &str) -> String {
        let mut path = self.key();
        push_key_part(&mut path, KeyPart::Key(name));
        path
    }

    /// The value under a key; `None` if it is no table, or lacks it.
    pub(super) fn child(&'n self, name: &'n str) -> Option<Node<'n>> {
        let value = self.value.as_table()?.get(name)?;
        Some(Node {
            parent: Some((self, KeyPart::Key(name))),
            value: value.get_ref(),
            offset: value.span().start,
        })
    }

    /// The keys of a table; `None` if it is not a table.
    pub(super) fn keys(&self) -> Option<Vec<&'n str>> {
        Some(self.value.as_table()?.keys().map(|key| key.get_ref().as_ref()).collect())
    }

    /// Its string; `None` if it is not a string.
    pub(super) fn string(&self) -> Option<&'n str> {
        self.value.as_str()
    }

    /// The values of a list; `None` if it is not a list.
    pub(super) fn items(&'n self) -> Option<impl ExactSizeIterator<Item = Node<'n>> + use<'n>> {
        let array = self.value.as_array()?;
        Some(array.iter().enumerate().map(move |(item_idx, item)| Node {
            parent: Some((self, KeyPart::Index(item_idx))),
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

    /// Whether it is `true`.
    pub(super) fn is_true(&self) -> bool {
        self.value.as_bool() == Some(true)
    }

    /// Whether it is that string.
    pub(super) fn is_text(&self, text: &str) -> bool {
        self.value.as_str() == Some(text)
    }

    /// The first value of a list; `None` if it is not a list, or empty.
    pub(super) fn first_item(&'n self) -> Option<Node<'n>> {
        self.items()?.next()
    }

    /// Whether it is a list.
    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// Its whole number; `None` if it has none that fits in 64 bits.
    pub(super) fn whole(&self) -> Option<i64> {
        self.value.as_integer().and_then(integer_value)
    }
}

/// The keys that a table may have.
pub(super) struct Keys {
    /// Keys that are read.
    pub(super) known: &'static [&'static str],
    /// Keys of the format that this release does not read yet.
    pub(super) later: &'static [&'static str],
}

/// A table whose keys have been checked.
pub(super) struct Table<'n> {
    pub(super) node: &'n Node<'n>,
    entries: &'n DeTable<'n>,
    /// Whether no key was refused. A refused key is most likely the missing one, mistyped.
    pub(super) all_known: bool,
    /// The keys that were most likely meant by refused ones.
    meant: Vec<&'static str>,
}

impl<'n> Table<'n> {
    /// The value under `name`, if there is one.
    pub(super) fn child(&self, name: &'n str) -> Option<Node<'n>> {
        self.node.child(name)
    }
}

/// Names that must be unique, with the key path and the line of each.
pub(super) type Names = HashMap<String, (String, u32)>;

/// The entries of a list: their name in messages, and their number.
pub(super) struct ListOf {
    /// Singular.
    pub(super) one: &'static str,
    /// Plural.
    pub(super) many: &'static str,
    /// Number allowed.
    pub(super) len: RangeInclusive<usize>,
}

/// Reads values and collects the mistakes in them.
pub(super) struct Reader<'s> {
    lines: Lines<'s>,
    diagnostics: Diagnostics<'s>,
}

/// Reads the document in `bytes` with `read`. Gives the document, if it is of use, and every mistake found, in line
/// order.
pub(super) fn read_document<T>(
    file: &str,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader, &Node) -> Option<T>,
) -> (Option<T>, Vec<ScenarioError>) {
    let mut reader = Reader { lines: Lines::new(bytes), diagnostics: Diagnostics::new(Path::new(file)) };
    let result = parse_toml(&mut reader, bytes)
        .and_then(|value| read(&mut reader, &Node { parent: None, value: &value, offset: 0 }));
    let mut errors = reader.diagnostics.take();
    if !errors.is_empty() {
        locate(&mut errors, file, bytes);
    }
    (result, errors)
}

/// A document without mistakes.
/// # Errors
/// The mistakes.
/// # Panics
/// If there is neither.
pub(super) fn faultless<T>((result, errors): (Option<T>, Vec<ScenarioError>)) -> Result<T, ScenarioErrors> {
    match result {
        Some(result) if errors.is_empty() => Ok(result),
        _ => Err(ScenarioErrors::new(errors)),
    }
}

/// The document as a table with byte positions.
fn parse_toml<'b>(reader: &mut Reader, bytes: &'b [u8]) -> Option<DeValue<'b>> {
    if bytes.len() > FILE_BYTES_MAX {
        let message = format!("expected at most {FILE_BYTES_MAX} bytes, found {}", bytes.len());
        reader.report_text(0..0, message);
        return None;
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.valid_up_to();
            let message = Message::unexpected("UTF-8 text", format!("the byte 0x{:02x}", bytes[offset]));
            reader.report_text(offset..offset + 1, message);
            return None;
        }
    };
    match catch_decoder_panic(|| DeTable::parse_recoverable(text)) {
        Ok((document, errors)) if errors.is_empty() => Some(DeValue::Table(document.into_inner())),
        Err(panic) => {
            reader.report_text(0..0, format!("not valid TOML: {panic}"));
            None
        }
        Ok((_, errors)) => {
            // The first in the text: others may follow from it, and those within lists come before it.
            let start_of = |error: &&toml::de::Error| error.span().map_or(0, |span| span.start);
            let error = errors.iter().min_by_key(start_of)?;
            // A mistake at the end of the file belongs to its last line, not to the one after.
            let bytes = error.span().unwrap_or(0..0);
            let start = bytes.start.min(text.len().saturating_sub(1));
            let message = Message::from(format!("not valid TOML: {}", error.message()));
            let help = help_of_syntax(error.message(), text, start);
            reader.report_text(start..bytes.end.min(text.len()), Message { help, ..message });
            None
        }
    }
}

impl Reader<'_> {
    /// Line of a value, from 1; of a table with a header, the line of the header.
    pub(super) fn line(&self, node: &Node) -> u32 {
        // Fits: a file has fewer than 2^32 bytes.
        self.lines.line(node.offset) as u32
    }

    fn report_at(&mut self, offset: usize, key: String, message: Message) -> &mut ScenarioError {
        self.diagnostics.add_at(offset, self.lines.line(offset), key, message)
    }

    /// Reports a mistake in the text, which has no keys there.
    fn report_text(&mut self, bytes: Range<usize>, message: impl Into<Message>) {
        let span = self.lines.span_of(bytes.clone());
        self.diagnostics.add_span(bytes.start, span, message);
    }

    /// Whether the mistakes so far lie in tables that nothing else depends on.
    pub(super) fn mistakes_stand_alone(&self) -> bool {
        self.diagnostics.stand_alone()
    }

    /// Reports a mistake at a value.
    pub(super) fn report(&mut self, node: &Node, message: impl Into<Message>) {
        self.report_at(node.offset, node.key(), message.into());
    }

    /// Reports that a value is not the expected one.
    pub(super) fn unexpected(&mut self, node: &Node, expected: &str) {
        let help = help_of_value(node.value, expected);
        self.report(node, Message { help, ..Message::unexpected(expected, found(node.value)) });
    }

    /// Reports that a table lacks a key.
    pub(super) fn missing(&mut self, table: &Node, name: &str, expected: &str) {
        self.report_at(table.offset, table.key_of(name), Message::wrong(MISSING, expected));
    }

    /// The table, after a check of its keys: those not read are reported.
    pub(super) fn table<'n>(&mut self, node: &'n Node<'n>, keys: &Keys) -> Option<Table<'n>> {
        let Some(entries) = node.value.as_table() else {
            self.unexpected(node, "a table");
            return None;
        };
        let (mut all_known, mut meant) = (true, Vec::new());
        for name in entries.keys() {
            let (offset, name) = (name.span().start, name.get_ref().as_ref());
            if keys.known.contains(&name) {
                continue;
            }
            all_known = false;
            let key = node.key_of(name);
            let message = if keys.later.contains(&name) {
                Message::from(format!("{NOT_SUPPORTED_YET}{key}"))
            } else {
                meant.extend(nearest_key(name, keys));
                unknown_key(name, keys)
            };
            self.report_at(offset, key, message.of_key());
        }
        Some(Table { node, entries, all_known, meant })
    }

    /// The value of a required key, read by `read`.
    pub(super) fn required<T>(
        &mut self,
        table: &Table,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&mut Self, &Node) -> Option<T>,
    ) -> Option<T> {
        match table.child(name) {
            Some(node) => read(self, &node),
            // Mistyped rather than missing, and reported as such.
            None if table.meant.contains(&name) => None,
            None => {
                self.missing(table.node, name, expected);
                None
            }
        }
    }

    /// The value of an optional key, read by `read`.
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

    /// The name, unless it is among `names`; adds it to them.
    pub(super) fn unique_name(&mut self, node: &Node, name: String, names: &mut Names) -> Option<String> {
        if let Some((key, line)) = names.get(&name) {
            let found = format!("{name:?}, which is also {key} (line {line})");
            let label = "the first".to_owned();
            let related = Related { key: key.clone(), label, span: None };
            let message = Message::unexpected("a unique name", found);
            self.report_at(node.offset, node.key(), message).related = Some(related);
            return None;
        }
        names.insert(name.clone(), (node.key(), self.line(node)));
        Some(name)
    }

    /// The only one of `names` that the table has; none or several are a mistake.
    pub(super) fn exactly_one(&mut self, table: &Table, names: &[&'static str]) -> Option<&'static str> {
        let present: Vec<&str> =
            names.iter().copied().filter(|name| table.entries.contains_key(*name)).collect();
        let expected = alternatives(names);
        match present[..] {
            [name] => return Some(name),
            // A refused key is the key that was meant.
            [] if !table.all_known => {}
            [] => self.report(table.node, Message::unexpected(expected, "none")),
            _ => {
                let expected = format!("only one of {expected}");
                self.report(table.node, Message::unexpected(expected, present.join(" and ")));
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

    /// The whole number in `range` of a required key.
    pub(super) fn required_whole<T: TryFrom<i64>>(
        &mut self,
        table: &Table,
        name: &'static str,
        range: RangeInclusive<i64>,
    ) -> Option<T> {
        let expected = whole_expected(&range);
        self.required(table, name, &expected, |reader, node| reader.whole(node, range))
    }

    /// The whole number in `range` of an optional key.
    pub(super) fn optional_whole<T: TryFrom<i64>>(
        &mut self,
        table: &Table,
        name: &'static str,
        default: T,
        range: RangeInclusive<i64>,
    ) -> Option<T> {
        self.optional(table, name, default, |reader, node| reader.whole(node, range))
    }

    /// `true` or `false`.
    pub(super) fn boolean(&mut self, node: &Node) -> Option<bool> {
        let found = node.value.as_bool();
        if found.is_none() {
            self.unexpected(node, "true or false");
        }
        found
    }

    /// A number from `-limit` to `limit`, whole or with a fraction.
    pub(super) fn number(&mut self, node: &Node, limit: u32) -> Option<f64> {
        let number = match node.value {
            DeValue::Integer(integer) => integer_value(integer).map(|number| number as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        // False for NaN too.
        let number = number.filter(|number: &f64| number.abs() <= f64::from(limit));
        if number.is_none() {
            self.unexpected(node, &format!("a number from -{limit} to {limit}"));
        }
        number
    }

    /// A string; `expected` describes it in the message.
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

    /// The value of a word in `choices`.
    pub(super) fn choice<T: Copy>(&mut self, node: &Node, choices: &[(&str, T)]) -> Option<T> {
        let word = node.value.as_str();
        if let Some((_, choice)) = choices.iter().find(|(known, _)| word == Some(known)) {
            return Some(*choice);
        }
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("{word:?}")).collect();
        let known = || choices.iter().map(|(known, _)| *known);
        let near =
            word.and_then(|word| nearest_heading(word, known()).or_else(|| nearest_name(word, known())));
        let nearest = near.map(|near| format!("{near:?}"));
        let message = Message::unexpected(alternatives(&words), found(node.value));
        self.report(node, Message { nearest, ..message });
        None
    }

    /// All values of a list, each read by `read`. A mistake in one does not keep the others from being read.
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
            let expected = format!("at most {} {}", of.len.end(), of.many);
            self.report(node, Message::unexpected(expected, n_items.to_string()));
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

    /// As [`Self::list`], and leaves out the values in which there is a mistake.
    pub(super) fn list_partly<T>(
        &mut self,
        node: &Node,
        of: &ListOf,
        mut read: impl FnMut(&mut Self, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let values = self.list(node, of, |reader, node| Some(read(reader, node)))?;
        Some(values.into_iter().flatten().collect())
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

    /// All values of a table of names, such as the `[class.NAME]` tables, in the order of the file; empty if the table
    /// is missing.
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
            let expected = format!("at most {} {}", of.len.end(), of.many);
            self.report(&node, Message::unexpected(expected, entries.len().to_string()));
            return None;
        }
        let mut children: Vec<(&str, Node)> = entries
            .iter()
            .map(|(name, value)| {
                let name = name.get_ref().as_ref();
                let parent = Some((&node, KeyPart::Key(name)));
                (name, Node { parent, value: value.get_ref(), offset: value.span().start })
            })
            .collect();
        // The map of the `toml` crate is in alphabetical order; kinds are numbered as written.
        children.sort_by_key(|(_, child)| child.offset);
        let mut values = Vec::with_capacity(children.len());
        for (name, child) in &children {
            if name.is_empty() {
                self.report(child, Message::unexpected(format!("a name for the {}", of.one), "\"\""));
            }
            values.extend(read(self, child, name));
        }
        (values.len() == children.len()).then_some(values)
    }
}

/// The number, if it fits in 64 bits.
fn integer_value(integer: &DeInteger) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn whole_expected(range: &RangeInclusive<i64>) -> String {
    format!("a whole number from {} to {}", range.start(), range.end())
}

/// The message on a key that is not in `keys`: suggests the nearest one, else lists all.
fn unknown_key(name: &str, keys: &Keys) -> Message {
    let expected = alternatives(keys.known);
    let found = Some(format!("`{name}`"));
    match nearest_key(name, keys) {
        Some(near) => Message {
            found,
            expected: Some(expected),
            nearest: Some(format!("`{near}`")),
            ..Message::from(UNKNOWN_KEY)
        },
        None => Message { found, help: help_of_key(name), ..Message::wrong(UNKNOWN_KEY, expected) },
    }
}

/// The key that was most likely meant.
fn nearest_key(name: &str, keys: &Keys) -> Option<&'static str> {
    nearest_name(name, keys.known.iter().chain(keys.later).copied())
}

/// A value in a message: as written if that is short, else its type.
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

/// Writes a value, or enough of it to see that it is too long.
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
