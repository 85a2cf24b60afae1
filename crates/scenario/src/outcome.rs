//! The outcome of a run as JSON: the last line of a trace, and the end of a recording.

use serde_json::Value;
use wheelbase_sim::{NOT_OUTCOME, RunResult};

/// The outcome of a run: the keys of its result that do not depend on time, threads or memory.
pub fn outcome_json(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).unwrap_or(Value::Null);
    if let Value::Object(keys) = &mut value {
        keys.retain(|key, _| !NOT_OUTCOME.contains(&key.as_str()));
    }
    value
}
