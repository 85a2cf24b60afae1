//! Costs of many poses at once: fields to a goal or from a start, distances, connections, and planning again.

pub(crate) mod connection;
pub(crate) mod cost_field;
pub(crate) mod distances;
pub(crate) mod replan;

pub use connection::Connections;
pub use cost_field::support::Direction;
pub use cost_field::{CostField, CostFields, FieldScratch, Repaired, Settled, Until};
pub use distances::{Distance, Distances};
pub use replan::BackTraces;
