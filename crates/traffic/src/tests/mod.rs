//! Tests of the traffic rules on maps and agents made by hand.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod agent_slots;
mod commands;
mod corridors;
mod ground;
mod hand_world;
mod liveness;
mod no_stopping;
mod priority_inheritance;
mod pushing;
mod reasons;
mod reservations;
mod saved_states;
mod scenes;
mod sipp;
mod teams;
mod turnaround;
mod walks;
mod windowed_cost_to_go;

/// How many random cases a test draws: a quarter of all. WHEELBASE_LONG=1, as `.ci/run --all` sets it, draws all of
/// them, and WHEELBASE_LONG=N draws N times as many.
fn cases(all: u32) -> u32 {
    let times = std::env::var("WHEELBASE_LONG").ok().and_then(|times| times.parse::<u32>().ok());
    times.map_or(all.div_ceil(4), |times| all * times)
}
