//! Where a recording and a second run differ.

use serde::Serialize;
use serde_json::Value;
use std::fmt;
use wheelbase_sim::AgentId;

/// Where a recording and a second run first differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The tick; 0 for the header too.
    pub tick: u32,
    /// The agent, unless the difference is about none.
    pub agent: Option<AgentId>,
    /// What differs.
    pub field: String,
    /// As recorded.
    pub recorded: String,
    /// In the second run.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, agent, field, recorded, found } = self;
        write!(f, "differs at tick {tick}: ")?;
        if let Some(agent) = agent {
            write!(f, "agent {}: ", agent.0)?;
        }
        write!(f, "{field}: recorded {recorded}, found {found}")
    }
}

/// A value on both sides of a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared<T> {
    pub recorded: T,
    pub found: T,
}

impl<T> Compared<T> {
    pub(super) fn map<U>(self, mut of: impl FnMut(T) -> U) -> Compared<U> {
        Compared { recorded: of(self.recorded), found: of(self.found) }
    }
}

impl Compared<String> {
    /// A difference that is about no agent.
    pub(super) fn difference(self, tick: u32, field: &str) -> Difference {
        let Self { recorded, found } = self;
        Difference { tick, agent: None, field: field.to_owned(), recorded, found }
    }

    /// A difference that is about no agent, unless the two are equal.
    pub(super) fn differ(self, tick: u32, field: &str) -> Option<Difference> {
        (self.recorded != self.found).then(|| self.difference(tick, field))
    }

    /// As [`Self::differ`], long texts shortened.
    pub(super) fn differ_shortened(self, tick: u32, field: &str) -> Option<Difference> {
        (self.recorded != self.found).then(|| self.map(|text| shortened(&text)).difference(tick, field))
    }
}

/// Most characters of a value in a message.
const SHOWN_MAX: usize = 200;

/// A text as a message shows it.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}... ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

/// The first place in which two JSON values differ. `path` names the values; names of their parts are appended.
pub(super) fn value_difference(
    tick: u32,
    path: &str,
    values: Compared<Option<&Value>>,
) -> Option<Difference> {
    if values.recorded == values.found {
        return None;
    }
    let part = |name: &str| {
        let dot = if path.ends_with(' ') || name.starts_with('[') { "" } else { "." };
        format!("{path}{dot}{name}")
    };
    match (values.recorded, values.found) {
        (Some(Value::Object(recorded)), Some(Value::Object(found))) => {
            let mut keys = found.keys().chain(recorded.keys());
            keys.find_map(|key| {
                let values = Compared { recorded: recorded.get(key), found: found.get(key) };
                value_difference(tick, &part(key), values)
            })
        }
        (Some(Value::Array(recorded)), Some(Value::Array(found))) => (0..recorded.len().max(found.len()))
            .find_map(|at| {
                let values = Compared { recorded: recorded.get(at), found: found.get(at) };
                value_difference(tick, &part(&format!("[{at}]")), values)
            }),
        _ => {
            let text = |value: Option<&Value>| {
                value.map_or("nothing".to_owned(), |value| shortened(&value.to_string()))
            };
            Some(values.map(text).difference(tick, path.trim_end().trim_end_matches(':')))
        }
    }
}

/// The first entry in which two lists of the header differ.
pub(super) fn list_difference<T: PartialEq + Serialize>(
    name: &str,
    lists: Compared<&[T]>,
) -> Option<Difference> {
    let Compared { recorded, found } = lists;
    let at = (0..recorded.len().max(found.len())).find(|&at| recorded.get(at) != found.get(at))?;
    let value = |entry: Option<&T>| entry.map(|entry| serde_json::to_value(entry).unwrap_or_default());
    let Compared { recorded, found } = lists.map(|list| value(list.get(at)));
    let values = Compared { recorded: recorded.as_ref(), found: found.as_ref() };
    value_difference(0, &format!("{name} {at}: "), values)
}
