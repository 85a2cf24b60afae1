//! Paths of keys, such as `class.truck.moves[2].time`: written for messages, and followed into a document.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// One part of a key path.
#[derive(Clone, Copy)]
pub(super) enum KeyPart<'n> {
    Key(&'n str),
    Index(usize),
}

/// Appends a part to a key path, in quotes where TOML requires them.
pub(super) fn push_key_part(path: &mut String, part: KeyPart) {
    // Writing to a string cannot fail.
    let _ = match part {
        KeyPart::Index(item_idx) => write!(path, "[{item_idx}]"),
        KeyPart::Key(name) => {
            if !path.is_empty() {
                path.push('.');
            }
            let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            match !name.is_empty() && name.chars().all(is_bare) {
                true => path.write_str(name),
                false => write!(path, "{name:?}"),
            }
        }
    };
}

/// Where a key path leads in a document.
pub(super) struct Reached<'d> {
    /// Bytes of the key; `None` for the document and for values of a list.
    pub(super) key: Option<Range<usize>>,
    /// Bytes of the value; of a table with a header, the bytes of the header.
    pub(super) value: Range<usize>,
    /// The string there, if it is one.
    pub(super) text: Option<&'d str>,
    /// Whether the path ends here: else the document lacks its rest.
    pub(super) is_whole: bool,
}

/// Follows a key path as far as it leads.
pub(super) fn follow<'d>(document: &'d DeValue<'d>, path: &str) -> Reached<'d> {
    let mut reached = Reached { key: None, value: 0..0, text: None, is_whole: path.is_empty() };
    let (mut value, mut rest) = (document, path);
    while let Some(Step { key, child, left }) = step(value, rest) {
        (value, rest) = (child.get_ref(), left);
        reached = Reached { key, value: child.span(), text: value.as_str(), is_whole: left.is_empty() };
    }
    reached
}

/// One step along a path.
pub(super) struct Step<'d, 'p> {
    /// Bytes of the key; `None` in a list.
    pub(super) key: Option<Range<usize>>,
    /// The value.
    pub(super) child: &'d Spanned<DeValue<'d>>,
    /// The rest of the path.
    pub(super) left: &'p str,
}

/// The value under the first part of a path.
pub(super) fn step<'d, 'p>(value: &'d DeValue<'d>, path: &'p str) -> Option<Step<'d, 'p>> {
    if let Some((number, left)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        return Some(Step { key: None, child: value.as_array()?.get(number.parse::<usize>().ok()?)?, left });
    }
    let (name, left) = split_key(path.strip_prefix('.').unwrap_or(path))?;
    let (key, child) = value.as_table()?.get_key_value(name.as_ref())?;
    Some(Step { key: Some(key.span()), child, left })
}

/// The key with which a path begins, without quotes, and the rest of the path.
fn split_key(path: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = path.strip_prefix('"') else {
        let (name, left) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        return (!name.is_empty()).then_some((Cow::Borrowed(name), left));
    };
    let mut name = String::new();
    let mut rest = quoted.chars();
    // What `Debug` writes of a string.
    loop {
        name.push(match rest.next()? {
            '"' => return Some((Cow::Owned(name), rest.as_str())),
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let (code, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                    rest = after.chars();
                    char::from_u32(u32::from_str_radix(code, 16).ok()?)?
                }
                letter => letter,
            },
            letter => letter,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_off_as_they_were_pushed() {
        for name in ["a-b_1", "", "a.b", "a[1]", "say \"x\"", "\\", "\n\t\r\0\u{1b}\u{202e}", "é 'x'"] {
            let mut path = String::new();
            push_key_part(&mut path, KeyPart::Key(name));
            push_key_part(&mut path, KeyPart::Index(3));
            let (found, left) = split_key(&path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!((found.as_ref(), left), (name, "[3]"), "{path}");
        }
    }
}
