//! Tests of the rules of traffic on maps and agents made by hand.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod agent_slots;
mod commands;
mod contraflow;
mod corridors;
mod displacement;
mod ground;
mod hand_world;
mod keep_clear;
mod local_field;
mod pushing;
mod reasons;
mod reservations;
mod saved_states;
mod scenes;
mod sipp;
mod teams;
mod turning;
mod walks;

/// How many random cases a test draws: all of them where WHEELBASE_LONG is set, as `.ci/run --all` does, or else a
/// quarter.
fn cases(all: u32) -> u32 {
    if std::env::var_os("WHEELBASE_LONG").is_some() { all } else { all.div_ceil(4) }
}
