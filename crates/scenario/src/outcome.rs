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

/// The keys of [`outcome_json`] that measure a run, in their order: all but its scheme, its scenario and its seed.
pub const MEASURES: [&str; 39] = [
    "ticks",
    "agents",
    "orders_done",
    "orders_unreachable",
    "unreachable_reasons",
    "orders_left",
    "orders_left_by",
    "tasks_done",
    "confined_agents",
    "confined_tasks_done",
    "longest_task_ticks",
    "edits_pending",
    "edits_pending_for",
    "removed",
    "not_placed",
    "collisions",
    "moves",
    "flowtime",
    "trips",
    "trips_of_no_length",
    "trip_ticks",
    "bound_ticks",
    "detour_permille",
    "progress_permille",
    "carried_permille",
    "longest_trip_ticks",
    "wait_ticks",
    "longest_wait_ticks",
    "stuck_agents",
    "wait_for_cycles",
    "no_progress_agents",
    "classes",
    "path_requests",
    "routes_exact",
    "routes_abstract",
    "leg_wait_ticks",
    "longest_request_ticks",
    "expansions",
    "state_hash",
];

/// The [`MEASURES`] that are lists or tables, not a number or a text.
pub const NESTED_MEASURES: [&str; 5] =
    ["unreachable_reasons", "orders_left_by", "edits_pending_for", "wait_for_cycles", "classes"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Files, Overrides, load_world_of_bytes};
    use std::path::Path;
    use wheelbase_sim::TickTimes;

    #[test]
    fn measures_are_the_keys_of_outcomes() {
        let text = "name = 'a'\nticks = 2\nmap = { rows = ['.'] }\n\
                    agents = [{ class = 'octile', at = [0, 0] }]";
        let loaded =
            load_world_of_bytes(Path::new("a.toml"), text.as_bytes(), Files::Disk, Overrides::default());
        let mut world = loaded.unwrap().world;
        world.run();
        let outcome = outcome_json(&RunResult::of(&world, 1, &TickTimes::with_capacity(0), 0.0, 0));
        let keys: Vec<&str> = outcome.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys[..3], ["schema", "scenario", "seed"]);
        assert_eq!(keys[3..], MEASURES);
        let is_nested = |key: &&&str| outcome[**key].is_array() || outcome[**key].is_object();
        assert_eq!(MEASURES.iter().filter(is_nested).copied().collect::<Vec<_>>(), NESTED_MEASURES);
    }
}
