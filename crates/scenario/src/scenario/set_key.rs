//! Sets the value of a key in the text of a scenario.
//!
//! The text is edited, not the parsed document: everything that reads, records or reports a scenario takes its text.

use super::document;
use super::error::ScenarioErrors;
use super::key_path::{Step, follow, step};
use super::message::{Message, NOT_SUPPORTED_YET, UNKNOWN_KEY, listed};
use super::nearest::nearest_name;
use super::reader::read_document;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use wheelbase_maps::catch_decoder_panic;

/// The text of a scenario in which the key at a path, such as `groups[0].count`, has a value, which is written as in
/// TOML. A key that the text lacks is added to its table. Lines keep their numbers up to an added key.
///
/// ```
/// use wheelbase_scenario::scenario::set_key;
/// let text = "name = 'a'\n[[groups]]\nclass = 'cart'\ncount = 3 # carts\n";
/// let set = set_key(text, "groups[0].count", "20").unwrap();
/// assert_eq!(set, "name = 'a'\n[[groups]]\nclass = 'cart'\ncount = 20 # carts\n");
/// let set = set_key(&set, "ticks", "500").unwrap();
/// assert!(set.starts_with("ticks = 500\nname = 'a'\n"));
/// let wrong = set_key(text, "group[0].count", "20").unwrap_err();
/// assert_eq!(wrong.line(), "group[0].count: no key `group`, expected groups or name; did you mean `groups`?");
/// ```
/// # Errors
/// The mistake in the path or the value, after the path. Also if the text is not TOML.
pub fn set_key(text: &str, path: &str, value: &str) -> Result<String, Box<Message>> {
    let wrong = |mut message: Box<Message>| {
        message.text = format!("{path}: {}", message.text);
        message
    };
    if !is_one_value(value) {
        return Err(wrong(Message::unexpected("a value of TOML", format!("`{value}`")).into()));
    }
    let not_toml = || wrong(Box::new("the text is not valid TOML".into()));
    let document = parse(text).ok_or_else(not_toml)?;
    let Edit { bytes, insert } = edit(&document, text, path, value).map_err(wrong)?;
    let mut edited = String::with_capacity(text.len() + insert.len());
    edited.push_str(&text[..bytes.start]);
    edited.push_str(&insert);
    edited.push_str(&text[bytes.end..]);
    // A path through a table that is written in pieces can end elsewhere.
    let arrived = parse(&edited).is_some_and(|document| follow(&document, path).is_whole);
    if !arrived {
        let why = "cannot be added here; expected a key that the scenario has, or one of a table that it writes in one piece";
        return Err(wrong(Box::new(why.into())));
    }
    Ok(edited)
}

/// Refuses the path of a key that scenarios do not have, judged by a text in which it was set.
/// # Errors
/// The message on the key, with the nearest right one.
#[allow(dead_code, reason = "sweeps are a feature")]
pub(crate) fn check_key(text: &str, path: &str) -> Result<(), Box<Message>> {
    let (_, errors) = read_document("", text.as_bytes(), document::scenario);
    let of_path = |key: &str| {
        let left = path.strip_prefix(key);
        left.is_some_and(|left| left.is_empty() || left.starts_with(['.', '[']))
    };
    let unknown = errors.into_iter().find(|error| {
        let text = &error.message.text;
        (text.starts_with(UNKNOWN_KEY) || text.starts_with(NOT_SUPPORTED_YET)) && of_path(&error.key)
    });
    match unknown {
        Some(error) => {
            Err(Box::new(Message { text: format!("{path}: {}", error.message.text), ..error.message }))
        }
        None => Ok(()),
    }
}

/// The first mistake in the syntax of a text, if it is not TOML at all.
#[allow(dead_code, reason = "sweeps are a feature")]
pub(crate) fn syntax_error(file: &str, text: &[u8]) -> Option<ScenarioErrors> {
    // The document is not looked at, so that all mistakes are of syntax.
    let (read, errors) = read_document(file, text, |_, _| Some(()));
    read.is_none().then(|| ScenarioErrors::new(errors))
}

/// Replaces bytes of a text.
struct Edit {
    bytes: Range<usize>,
    insert: String,
}

fn parse(text: &str) -> Option<DeValue<'_>> {
    let document = catch_decoder_panic(|| DeTable::parse(text)).ok()?.ok()?;
    Some(DeValue::Table(document.into_inner()))
}

/// Whether a text is one value, which can stand anywhere: a comment would swallow what follows.
pub(crate) fn is_one_value(text: &str) -> bool {
    let line = format!("[{text}\n,{text}]");
    let parsed = catch_decoder_panic(|| {
        DeValue::parse(&line).map(|value| value.get_ref().as_array().map(|items| items.len()))
    });
    matches!(parsed, Ok(Ok(Some(2)))) && !text.contains('\n')
}

fn edit(document: &DeValue, text: &str, path: &str, value: &str) -> Result<Edit, Box<Message>> {
    let (mut at, mut rest) = (document, path);
    // Where keys can be added: the table itself, and the rest of the path below it.
    let (mut table, mut below) = (0..0, path);
    let mut is_root = true;
    while let Some(Step { child, left, .. }) = step(at, rest) {
        (at, rest) = (child.get_ref(), left);
        let span = child.span();
        if left.is_empty() {
            // The header of a table is no value.
            let is_header = at.is_table() && !text[span.clone()].starts_with('{')
                || at.as_array().is_some_and(|_| text[span.clone()].starts_with("[["));
            if is_header {
                return Err(Box::new(Message::wrong("is a table with a header", "a key of it")));
            }
            return Ok(Edit { bytes: span, insert: value.to_owned() });
        }
        // Tables of dotted keys and of headers further down have no separate place.
        if at.is_table() && text[span.clone()].starts_with(['{', '[']) {
            (table, below, is_root) = (span, left.trim_start_matches('.'), false);
        }
    }
    check_missing(at, path, rest)?;
    if is_root {
        return Ok(Edit { bytes: 0..0, insert: format!("{below} = {value}\n") });
    }
    if text[table.clone()].starts_with('{') {
        let is_empty = text[table.start + 1..table.end].trim_start().starts_with('}');
        let comma = if is_empty { " " } else { "," };
        let after = table.start + 1;
        return Ok(Edit { bytes: after..after, insert: format!(" {below} = {value}{comma}") });
    }
    let line_end = text[table.end..].find('\n').map(|length| table.end + length);
    Ok(match line_end {
        Some(end) => Edit { bytes: end + 1..end + 1, insert: format!("{below} = {value}\n") },
        None => Edit { bytes: text.len()..text.len(), insert: format!("\n{below} = {value}\n") },
    })
}

/// Refuses a path that leads nowhere: `rest` is what `at` lacks of it.
fn check_missing(at: &DeValue, path: &str, rest: &str) -> Result<(), Box<Message>> {
    let found = &path[..path.len() - rest.len()];
    let rest = rest.trim_start_matches('.');
    if let Some(list) = at.as_array() {
        let found = if found.is_empty() { "it" } else { found };
        let expected = match list.len() {
            0 => "no index: it is empty".to_owned(),
            n => format!("an index from 0 to {}, as in {found}[0]", n - 1),
        };
        return Err(Box::new(Message::unexpected(expected, format!("`{rest}`"))));
    }
    let Some(table) = at.as_table() else {
        return Err(Box::new(format!("{found} is neither a table nor a list").into()));
    };
    let name = &rest[..rest.find(['.', '[']).unwrap_or(rest.len())];
    let is_key = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    // A missing key can be added; an index of a list that is missing cannot.
    if is_key(name) && !rest.contains('[') && rest.split('.').all(is_key) {
        return Ok(());
    }
    let known = || table.keys().map(|key| key.get_ref().as_ref());
    let nearest = nearest_name(name, known()).map(|near| format!("`{near}`"));
    Err(Box::new(Message::wrong(format!("no key `{name}`"), listed(known())).with_nearest(nearest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"name = "a"
ticks = 10 # few
[map]
rows = ["..", ".."]
[map.walls]
[class."a b"]
moves = [{ name = "f", time = 2 }, {}]
[[groups]]
count = 3
tasks = { kind = "random", area = [0, 0, 2, 2] }
[[groups]]
count = 4"#;

    #[test]
    fn values_are_replaced_in_place() {
        for (path, value, expected) in [
            ("ticks", "20", "ticks = 20 # few"),
            ("groups[1].count", "5", "count = 5"),
            ("groups[0].tasks.area[3]", "9", "[0, 0, 2, 9]"),
            ("class.\"a b\".moves[0].time", "7", "time = 7 }"),
            ("map.rows", r#"["@", "."]"#, r#"rows = ["@", "."]"#),
            ("groups[0].tasks", r#"{ file = "t" }"#, r#"tasks = { file = "t" }"#),
        ] {
            let set = set_key(TEXT, path, value).unwrap_or_else(|error| panic!("{path}: {}", error.line()));
            assert!(set.contains(expected), "{path}: {set}");
            assert_eq!(set.lines().count(), TEXT.lines().count());
        }
    }

    #[test]
    fn missing_keys_are_added_to_their_table() {
        for (path, expected) in [
            ("search_slots", "search_slots = 1\nname"),
            ("replan.a.b", "replan.a.b = 1\nname"),
            ("map.shape", "[map]\nshape = 1\n"),
            ("class.\"a b\".headings", "[class.\"a b\"]\nheadings = 1\n"),
            ("class.\"a b\".moves[0].by", "{ by = 1, name"),
            ("class.\"a b\".moves[1].by", "{ by = 1 }"),
            ("groups[0].team", "[[groups]]\nteam = 1\ncount = 3"),
            ("groups[1].team", "[[groups]]\nteam = 1\ncount = 4"),
        ] {
            let set = set_key(TEXT, path, "1").unwrap_or_else(|error| panic!("{path}: {}", error.line()));
            assert!(set.contains(expected), "{path}: {set}");
            let document = parse(&set).unwrap();
            assert!(follow(&document, path).is_whole);
        }
        assert_eq!(set_key("[a]", "a.b", "1").unwrap(), "[a]\nb = 1\n");
    }

    #[test]
    fn wrong_paths_and_values_are_refused() {
        for (path, value, expected) in [
            (
                "group[0].count",
                "1",
                "no key `group`, expected class, groups, map, name or ticks; did you mean `groups`?",
            ),
            ("groups[2].count", "1", "expected an index from 0 to 1, as in groups[0], found `[2].count`"),
            ("groups.count", "1", "expected an index from 0 to 1, as in groups[0], found `count`"),
            ("ticks.more", "1", "ticks is neither a table nor a list"),
            ("groups[0]", "1", "is a table with a header, expected a key of it"),
            ("map", "1", "is a table with a header, expected a key of it"),
            ("groups", "1", "is a table with a header, expected a key of it"),
            ("", "1", "no key ``"),
            ("a b", "1", "no key `a b`"),
            ("a = 1\nb", "1", "no key `a = 1\nb`"),
            ("ticks", "", "expected a value of TOML, found ``"),
            ("ticks", "1, 2", "expected a value of TOML, found `1, 2`"),
            ("ticks", "1 # more", "expected a value of TOML"),
            ("ticks", "1\nname = 2", "expected a value of TOML"),
            ("ticks", "1], [2", "expected a value of TOML"),
        ] {
            let error = set_key(TEXT, path, value).err().unwrap_or_else(|| panic!("{path}={value}")).line();
            assert!(error.starts_with(&format!("{path}: ")) && error.contains(expected), "{error}");
        }
        assert!(set_key("a = ", "ticks", "1").unwrap_err().line().contains("not valid TOML"));
    }

    #[test]
    fn keys_that_no_scenario_has_are_found() {
        let set = set_key(TEXT, "expansion_per_tick", "1").unwrap();
        let error = check_key(&set, "expansion_per_tick").unwrap_err().line();
        assert!(error.contains("did you mean `expansions_per_tick`"), "{error}");
        let set = set_key(TEXT, "groups[0].cuont", "1").unwrap();
        let error = check_key(&set, "groups[0].cuont").unwrap_err().line();
        assert!(error.starts_with("groups[0].cuont: ") && error.contains("count"), "{error}");
        // A wrong value is not a wrong key.
        let set = set_key(TEXT, "ticks", "-1").unwrap();
        assert!(check_key(&set, "ticks").is_ok());
    }
}
