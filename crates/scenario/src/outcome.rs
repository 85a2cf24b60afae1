//! The outcome of a run as JSON: what traces and recordings end with.

use serde_json::Value;
use wheelbase_sim::{NOT_OUTCOME, RunResult};

/// The keys of a result that depend neither on time nor on threads or memory.
pub fn outcome_json(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).unwrap_or(Value::Null);
    if let Value::Object(keys) = &mut value {
        keys.retain(|key, _| !NOT_OUTCOME.contains(&key.as_str()));
    }
    value
}
