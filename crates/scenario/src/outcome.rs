//! The outcome of a run as JSON: the last line of a trace, and the end of a recording.

use serde_json::{Map, Value};
use wheelbase_sim::{NOT_OUTCOME, RunResult};

/// Keys of a recorded outcome that results print under another name since schema 2. Recordings of all versions
/// of the format so far hold the left one.
const RECORDED_KEYS: [(&str, &str); 3] =
    [("lone_ticks", "bound_ticks"), ("knots", "wait_for_cycles"), ("fruitless_agents", "no_progress_agents")];

/// The keys of a result that depend neither on time nor on threads or memory.
pub fn outcome_json(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).unwrap_or(Value::Null);
    if let Value::Object(keys) = &mut value {
        keys.retain(|key, _| !NOT_OUTCOME.contains(&key.as_str()));
    }
    value
}

/// [`outcome_json`] under the keys that recordings hold.
pub(crate) fn recorded_outcome_json(result: &RunResult) -> Value {
    let Value::Object(keys) = outcome_json(result) else { return Value::Null };
    let recorded = keys.into_iter().filter(|(key, _)| key != "schema").map(|(key, value)| {
        let old = RECORDED_KEYS.iter().find(|(_, new)| *new == key).map(|(old, _)| (*old).to_owned());
        (old.unwrap_or(key), value)
    });
    Value::Object(recorded.collect::<Map<_, _>>())
}
