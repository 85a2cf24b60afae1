//! The outcome of a run as JSON: the last line of a trace, and the end of a recording.

use serde_json::{Map, Value};
use wheelbase_sim::{NOT_OUTCOME, RunResult};

/// Keys that schema 2 renamed, old and new. Recordings keep the old ones: a change would need a new format version.
const RECORDED_KEYS: [(&str, &str); 3] =
    [("lone_ticks", "bound_ticks"), ("knots", "wait_for_cycles"), ("fruitless_agents", "no_progress_agents")];

/// The outcome of a run: the keys of its result that do not depend on time, threads or memory.
pub fn outcome_json(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).unwrap_or(Value::Null);
    if let Value::Object(keys) = &mut value {
        keys.retain(|key, _| !NOT_OUTCOME.contains(&key.as_str()));
    }
    value
}

/// [`outcome_json`] with the keys of recordings.
pub(crate) fn recorded_outcome_json(result: &RunResult) -> Value {
    let Value::Object(keys) = outcome_json(result) else { return Value::Null };
    let recorded = keys.into_iter().filter(|(key, _)| key != "schema").map(|(key, value)| {
        let old = RECORDED_KEYS.iter().find(|(_, new)| *new == key).map(|(old, _)| (*old).to_owned());
        (old.unwrap_or(key), value)
    });
    Value::Object(recorded.collect::<Map<_, _>>())
}
