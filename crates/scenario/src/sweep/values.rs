//! Seeds, values of keys and shards as they are typed.

use super::error::SweepError;
use crate::scenario::is_one_value;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::str::FromStr;
use toml::de::DeValue;

/// Most items of a sweep: its table is sorted in memory.
pub const ITEMS_MAX: usize = 1 << 22;

/// The values that a key takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Path of the key in the scenario, such as `groups[0].count`.
    pub key: String,
    /// Its values in the order of the table, each as TOML writes it.
    pub values: Vec<String>,
}

/// Reads `KEY=VALUE,VALUE,...`. A comma inside quotes, brackets or braces belongs to its value. A value is one of TOML;
/// a word that TOML has no meaning for is the string of its letters.
///
/// ```
/// use wheelbase_scenario::sweep::Setting;
/// let setting: Setting = r#"name="a, b",'c',[1, 2],swept,1.5"#.parse()?;
/// assert_eq!(setting.values, [r#""a, b""#, "'c'", "[1, 2]", "\"swept\"", "1.5"]);
/// assert!("ticks".parse::<Setting>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl FromStr for Setting {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let (key, values) = split_key(text).ok_or_else(|| {
            SweepError::argument(format_args!("expected KEY=VALUE,VALUE,..., found `{text}`"))
        })?;
        let values = split_values(values).into_iter().map(|value| value_of(key, value));
        Ok(Self { key: key.to_owned(), values: values.collect::<Result<_, _>>()? })
    }
}

/// The key before the first `=` outside quotes, and what follows.
fn split_key(text: &str) -> Option<(&str, &str)> {
    let at = outside(text, |letter| letter == '=').next()?;
    let (key, rest) = (text[..at].trim(), &text[at + 1..]);
    (!key.is_empty()).then_some((key, rest))
}

fn split_values(text: &str) -> Vec<&str> {
    let mut values = Vec::new();
    let mut start = 0;
    for at in outside(text, |letter| letter == ',') {
        values.push(text[start..at].trim());
        start = at + 1;
    }
    values.push(text[start..].trim());
    values
}

/// The bytes of the letters that lie outside quotes and brackets.
fn outside(text: &str, is_wanted: impl Fn(char) -> bool) -> impl Iterator<Item = usize> {
    let (mut quote, mut depth, mut is_escaped) = (None, 0_i32, false);
    text.char_indices().filter_map(move |(at, letter)| {
        match quote {
            Some('"') if letter == '\\' && !is_escaped => {
                is_escaped = true;
                return None;
            }
            Some(open) => {
                if letter == open && !is_escaped {
                    quote = None;
                }
                is_escaped = false;
                return None;
            }
            None => {}
        }
        match letter {
            '"' | '\'' => quote = Some(letter),
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ if depth == 0 && is_wanted(letter) => return Some(at),
            _ => {}
        }
        None
    })
}

/// A value as TOML writes it.
fn value_of(key: &str, text: &str) -> Result<String, SweepError> {
    if is_one_value(text) {
        return Ok(text.to_owned());
    }
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter));
    if is_word {
        return Ok(format!("\"{text}\""));
    }
    let help = if text.is_empty() { "; a comma too many?" } else { "" };
    Err(SweepError::argument(format_args!(
        "{key}: expected a value of TOML, such as 3, 0.5, true, \"text\" or [1, 2], found `{text}`{help}"
    )))
}

/// A value of TOML as a cell of a table: texts without quotes, numbers as typed.
pub(super) fn cell_of(value: &str) -> Value {
    let typed = DeValue::parse(value).ok();
    let Some(typed) = typed.as_ref().map(|typed| typed.get_ref()) else { return value.into() };
    if let Some(text) = typed.as_str() {
        return text.into();
    }
    // Whatever JSON writes in the same letters is the same in JSON.
    match serde_json::from_str::<Value>(value) {
        Ok(same) if serde_json::to_string(&same).is_ok_and(|text| text == value) => same,
        _ => value.into(),
    }
}

/// Reads seeds: `A..B` from A to before B, `A..=B` with B, a number, or several of these with commas between them.
///
/// ```
/// use wheelbase_scenario::sweep::parse_seeds;
/// assert_eq!(parse_seeds("0..3,10,20..=21")?, [0, 1, 2, 10, 20, 21]);
/// assert!(parse_seeds("3..3").is_err() && parse_seeds("0..18446744073709551615").is_err());
/// # Ok::<(), wheelbase_scenario::sweep::SweepError>(())
/// ```
/// # Errors
/// [`SweepError::Argument`] for other text, an empty range, a seed given twice, and more than [`ITEMS_MAX`]
/// seeds, of which none is stored then.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, SweepError> {
    let wrong = |part: &str| {
        SweepError::argument(format_args!(
            "expected seeds as in 0..100 (0 to 99), 0..=99 or 1,2,5, found `{part}`"
        ))
    };
    let mut seeds = Vec::new();
    for part in text.split(',').map(str::trim) {
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong(part));
        let (first, last) = match part.split_once("..") {
            None => (number(part)?, number(part)?),
            Some((first, end)) => {
                let first = number(first)?;
                let last = match end.strip_prefix('=') {
                    Some(last) => Some(number(last)?),
                    None => number(end)?.checked_sub(1),
                };
                let last = last.filter(|&last| last >= first).ok_or_else(|| {
                    let one = if end.starts_with('=') { "" } else { "; 0..1 is the seed 0 alone" };
                    SweepError::argument(format_args!("the range of seeds {part} is empty{one}"))
                })?;
                (first, last)
            }
        };
        let room = (ITEMS_MAX - seeds.len()) as u64;
        if last - first >= room {
            return Err(SweepError::argument(format_args!("{text}: expected at most {ITEMS_MAX} seeds")));
        }
        seeds.extend(first..=last);
    }
    seeds.sort_unstable();
    if let Some(pair) = seeds.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(SweepError::argument(format_args!("{text}: the seed {} is given twice", pair[0])));
    }
    Ok(seeds)
}

/// A part of the items of a sweep: those whose number in the order of the table leaves the rest `number - 1` when
/// divided by `of`. Shards of the same sweep are the same on every machine, and of equal size but for one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1 to `of`.
    pub number: u32,
    /// Number of shards, at least 1.
    pub of: u32,
}

impl Shard {
    /// All items.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether an item, by its number in the order of the table, is in the shard.
    pub fn has(self, item: usize) -> bool {
        item % self.of as usize == (self.number - 1) as usize
    }
}

/// Reads `I/N`.
impl FromStr for Shard {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let parsed =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parsed {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(SweepError::argument(format_args!(
                "expected a shard I/N with I from 1 to N, as in 1/4, found `{text}`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_split_outside_quotes_and_brackets() {
        let values = |text: &str| format!("k={text}").parse::<Setting>().map(|setting| setting.values);
        assert_eq!(values("1,20 , 300").unwrap(), ["1", "20", "300"]);
        assert_eq!(values(r#""a,b",'c,"d'"#).unwrap(), [r#""a,b""#, r#"'c,"d'"#]);
        assert_eq!(values(r#""say \"x,y\"",2"#).unwrap(), [r#""say \"x,y\"""#, "2"]);
        assert_eq!(values(r#"[1,[2,3]],{a = 1, b = "},"}"#).unwrap(), ["[1,[2,3]]", r#"{a = 1, b = "},"}"#]);
        assert_eq!(values("true,swept,maps/a-1.map").unwrap(), ["true", "\"swept\"", "\"maps/a-1.map\""]);
        for wrong in ["", "1,", "1,,2", "1O", "a b", "\"a", "[1", "1 # x", "-x"] {
            let error = values(wrong).unwrap_err().to_string();
            assert!(error.starts_with("k: expected a value of TOML"), "{wrong}: {error}");
        }
        let quoted: Setting = r#"class."a=b".time=3"#.parse().unwrap();
        assert_eq!((quoted.key.as_str(), quoted.values), (r#"class."a=b".time"#, vec!["3".to_owned()]));
        for wrong in ["", "ticks", "=3"] {
            assert!(wrong.parse::<Setting>().unwrap_err().to_string().contains("expected KEY=VALUE"));
        }
    }

    #[test]
    fn cells_show_what_was_typed() {
        for (value, cell) in [
            ("20", "20"),
            ("-3", "-3"),
            ("0.5", "0.5"),
            ("true", "true"),
            ("\"a, b\"", "\"a, b\""),
            ("'swept'", "\"swept\""),
            ("[1,2]", "[1,2]"),
            ("[1, 2]", "\"[1, 2]\""),
            ("1_000", "\"1_000\""),
            ("0x10", "\"0x10\""),
            ("inf", "\"inf\""),
        ] {
            assert_eq!(cell_of(value).to_string(), cell, "{value}");
        }
    }

    #[test]
    fn wrong_seeds_and_shards_are_refused() {
        for (text, expected) in [
            ("", "expected seeds as in"),
            ("a..b", "found `a..b`"),
            ("-1..3", "found `-1..3`"),
            ("1.5", "found `1.5`"),
            ("0..0", "0..0 is empty; 0..1 is the seed 0 alone"),
            ("5..=4", "5..=4 is empty"),
            ("7..3", "7..3 is empty"),
            ("1,1", "the seed 1 is given twice"),
            ("0..4,3", "the seed 3 is given twice"),
            ("0..4194305", "at most 4194304 seeds"),
            ("0..=18446744073709551615", "at most 4194304 seeds"),
            ("0..4194304,5000000", "at most 4194304 seeds"),
        ] {
            let error = parse_seeds(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert_eq!(parse_seeds("18446744073709551615").unwrap(), [u64::MAX]);
        assert_eq!(parse_seeds("5,1..3").unwrap(), [1, 2, 5]);
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/3", "1/2/3"] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("expected a shard I/N"), "{text}: {error}");
        }
        let shards = [1, 2, 3].map(|number| Shard { number, of: 3 });
        assert!((0..100).all(|item| shards.iter().filter(|shard| shard.has(item)).count() == 1));
    }
}
