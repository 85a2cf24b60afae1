//! Tests of the rules of traffic in whole runs.

pub(crate) mod cooperative;
mod greedy;
pub(crate) mod scenes;
