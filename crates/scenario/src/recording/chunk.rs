//! A chunk of a recording.

use crate::recording::recorded_agents::KeyFrame;
use serde::{Deserialize, Serialize};
use wheelbase_sim::codec::plain_bytes;

/// Some ticks, and all that one must know to read them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// The agents before the first tick.
    pub key: KeyFrame,
    /// The edits in force then, as in a tick, one behind the other.
    #[serde(deserialize_with = "plain_bytes")]
    pub edits: Vec<u8>,
    /// The ticks, one behind the other.
    #[serde(deserialize_with = "plain_bytes")]
    pub ticks: Vec<u8>,
}
