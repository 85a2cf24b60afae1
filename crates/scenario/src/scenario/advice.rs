//! What to do about common mistakes, where it can be told from the mistake alone.

use super::typed::OrderKind;
use toml::de::DeValue;

const IN_ORDERS: &str = "an order; put it into `orders`: orders = [{ KEY = ... }]";

/// Keys that users put into the wrong table, and where they belong.
pub(super) const HOMES: [(&[&str], &str); 8] = [
    (&OrderKind::KEYS, IN_ORDERS),
    (&["dwell", "within"], IN_ORDERS),
    (&["by", "turn", "time", "swept", "when"], "a move; put it into `moves`: moves = [{ KEY = ..., ... }]"),
    (
        &["headings", "footprint", "pivot", "sweep", "moves", "side_speed"],
        "a class; put it under [class.NAME]",
    ),
    (&["rows", "generate", "shape", "elevation", "walls", "tiles"], "the map; put it under [map]"),
    (&["glyphs"], "a terrain kind; put it under [terrain.NAME]"),
    (&["tasks", "count"], "a group; put it under [[groups]]"),
    (
        &[
            "seed",
            "ticks",
            "collision",
            "expansions_per_tick",
            "routes",
            "search_slots",
            "landmarks",
            "poses_per_agent",
        ],
        "the whole scenario; put it at the top of the file, above the first [table]",
    ),
];

/// Keys of other programs, and how the same is said here.
const OTHER_NAMES: [(&[&str], &str); 7] = [
    (
        &["goal", "goals", "target", "destination", "to", "end"],
        "an agent goes where its orders say: orders = [{ goto = [x, y] }]",
    ),
    (
        &["start", "position", "pos", "pose", "x", "y", "heading", "from", "location"],
        "an agent stands where `at` says: at = [x, y, \"E\"]",
    ),
    (
        &["tries_per_tick"],
        "in a scenario each agent has its own budget: `poses_per_agent`, the poses that it may expand per tick",
    ),
    (&["color", "colour"], "only terrain kinds have a `colour`"),
    (&["type", "kind"], "the movement class of an agent is its `class`"),
    (&["width", "height", "size", "data"], "a map is as large as its `rows`; a generated one has a `size`"),
    (
        &["speed", "velocity"],
        "times and speeds belong to the class; `speed_factor` makes one agent faster or slower, 1000 being normal",
    ),
];

/// Where an unknown key belongs, or its replacement.
pub(super) fn help_of_key(name: &str) -> Option<String> {
    let has = |keys: &[&str]| keys.contains(&name);
    let home = HOMES.iter().find(|(keys, _)| has(keys)).map(|(_, home)| {
        let home = home.replace("KEY", name);
        format!("`{name}` belongs to {home}")
    });
    home.or_else(|| OTHER_NAMES.iter().find(|(keys, _)| has(keys)).map(|(_, say)| (*say).to_owned()))
}

/// How to write a value that has the wrong type but can be understood.
pub(super) fn help_of_value(value: &DeValue, expected: &str) -> Option<String> {
    let of_number =
        expected.starts_with("a whole number") || expected.starts_with(|c: char| c.is_ascii_digit());
    match value {
        DeValue::String(text) if of_number && text.parse::<i64>().is_ok() => {
            Some(format!("write it without quotes: {text}"))
        }
        DeValue::Float(number) if of_number => {
            let (whole, fraction) = number.as_str().split_once('.')?;
            fraction.bytes().all(|digit| digit == b'0').then(|| format!("write it without a fraction: {whole}"))
        }
        DeValue::String(text) if expected.starts_with("[x, y") && text.contains(',') => {
            Some("write it as a list, with the heading in quotes, such as [3, 4, \"E\"]".to_owned())
        }
        DeValue::Integer(_) | DeValue::Float(_) if expected.starts_with("the name") => {
            Some("write a name in quotes".to_owned())
        }
        DeValue::Table(_) if expected.starts_with("a list of ") => Some(
            "a list has brackets: [{ ... }, { ... }]; each of its tables may also stand alone under [[NAME]], in two \
             brackets"
                .to_owned(),
        ),
        DeValue::String(_) if expected == "a table" => Some("a table has braces: { key = value }".to_owned()),
        DeValue::Array(items) if expected.starts_with("a table") && items.len() == 1 => {
            Some("write [NAME] in one pair of brackets: two make it a list".to_owned())
        }
        _ => None,
    }
}

/// What to do where the text is no TOML: `message` comes from the parser, `at` the byte of the text.
pub(super) fn help_of_syntax(message: &str, text: &str, at: usize) -> Option<String> {
    let at = text.floor_char_boundary(at);
    let (before, rest) = text.split_at(at);
    let line_start = before.rsplit('\n').next().unwrap_or("");
    let line = format!("{line_start}{}", rest.lines().next().unwrap_or(""));
    let is_word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let word: String = rest.chars().take_while(is_word).collect();
    let help = if line.trim_start().starts_with("//") {
        "a comment begins with #"
    } else if rest.starts_with(':') || line_start.ends_with(':') {
        "between a key and its value stands `=`, not `:`"
    } else if line.contains("= (") {
        "a list has square brackets: [0, 0]"
    } else if message.contains("must be quoted") || message.contains("invalid boolean") {
        match word.chars().next() {
            None => "a value is missing here",
            Some(first) if first.is_ascii_digit() => "between two values stands a comma",
            Some(_) => return Some(format!("write text in quotes: \"{word}\"")),
        }
    } else if message.contains("basic string") || message.contains("literal string") {
        "the closing quote is missing"
    } else if message.starts_with("unexpected key or value") && rest.starts_with(',') {
        "a number has no commas: 1000 or 1_000"
    } else if message.starts_with("unexpected key or value") {
        "begin each key on a new line"
    } else if message.starts_with("duplicate key") && line.starts_with("[[") {
        "each table of a list has two brackets; an earlier one has only one"
    } else if message.starts_with("duplicate key") && line.starts_with('[') {
        "a table may stand once: put all its keys under the first"
    } else if message.starts_with("duplicate key") {
        "a key may stand once"
    } else {
        return None;
    };
    Some(help.to_owned())
}
