//! Costs of many poses together: fields to a goal or from a start, distances, and connections.

pub(crate) mod connection;
pub(crate) mod cost_field;
pub(crate) mod distances;

pub use connection::Connections;
pub use cost_field::support::Direction;
pub use cost_field::{
    CostField, CostFieldCache, RepairScratch, Repaired, SavedField, SavedFields, SettleTarget, Settled,
};
pub use distances::{Distance, Distances};
