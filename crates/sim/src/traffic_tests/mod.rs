//! Tests of the rule for agents of any body that need a whole simulation.

mod cooperative;
mod greedy;
mod scenes;
