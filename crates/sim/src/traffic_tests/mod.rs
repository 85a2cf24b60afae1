//! Tests of the rules of traffic in whole runs.

mod cooperative;
mod greedy;
mod scenes;
