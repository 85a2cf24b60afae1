//! The phases of a tick, a file each; [`crate::tick`] calls them in their order.

pub(crate) mod agents;
pub(crate) mod edits;
pub(crate) mod events;
pub(crate) mod moves;
pub(crate) mod orders;
pub(crate) mod requests;
pub(crate) mod traffic;
pub(crate) mod waiting;
