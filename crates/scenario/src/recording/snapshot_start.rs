//! The start of a recording of a run that was resumed: a snapshot.

use serde::{Deserialize, Serialize};
use wheelbase_sim::codec::plain_bytes;
use wheelbase_sim::{SaveError, World};

/// A snapshot with which a recording begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SnapshotStart {
    /// The first tick recorded.
    pub tick: u32,
    /// Number of its agents.
    pub agents: u32,
    /// Whether the ticks hold the decisions of the traffic rule: one from outside.
    pub rule_is_outside: bool,
    /// Whether the rule follows planned paths.
    pub needs_paths: bool,
    /// The bytes of [`World::save`].
    #[serde(deserialize_with = "plain_bytes")]
    pub bytes: Vec<u8>,
}

impl SnapshotStart {
    /// The world as it is.
    /// # Errors
    /// The world cannot be saved.
    pub(super) fn of(world: &World) -> Result<Self, SaveError> {
        Ok(Self {
            tick: world.tick(),
            agents: world.agents().len() as u32,
            rule_is_outside: world.own_rule().is_none(),
            needs_paths: world.rule_needs_paths(),
            bytes: world.save()?,
        })
    }
}
