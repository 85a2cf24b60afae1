//! The phases of a tick, one file each; [`crate::tick`] calls them in order.

pub(crate) mod agents;
pub(crate) mod classes;
pub(crate) mod congestion;
pub(crate) mod edits;
pub(crate) mod events;
mod finished_commands;
pub(crate) mod moves;
mod off_map;
pub(crate) mod orders;
pub(crate) mod orders_given;
mod outside_rule;
pub(crate) mod requests;
pub(crate) mod selection;
pub(crate) mod traffic;
pub(crate) mod waiting;
