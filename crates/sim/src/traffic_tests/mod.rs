//! Tests of the rule for agents of any body that need a whole simulation.

mod contraflow;
mod cooperative;
mod corridors;
mod displacement;
mod greedy;
mod local_field;
mod pushing;
mod reservations;
mod scenes;
mod sipp;
