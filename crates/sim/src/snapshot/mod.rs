//! Snapshots: a whole world as bytes, and back.
//!
//! A snapshot is an envelope of [`codec`](crate::codec) with five blocks, in the order in which they are needed. These
//! are the parts of the world, the tables of its classes, its agents with their orders, its path requests, and the
//! traffic rule. Data that can be rebuilt exactly is stored as its recipe: movement tables and landmarks are
//! recompiled, occupancy and assigned poses follow from the agents.

mod error;
mod format;
mod load;
mod save;

pub use error::{LoadError, SaveError};
pub use format::SNAPSHOT;
pub use load::{Host, MakeRule, make_own_rule};
