//! Chunks of a recording.

use crate::recording::recorded_agents::KeyFrame;
use serde::{Deserialize, Serialize};
use wheelbase_sim::codec::plain_bytes;

/// Consecutive ticks, with the key frame needed to decode them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// The agents before the first tick.
    pub key: KeyFrame,
    /// The texts of the orders that they have then and the header lacks.
    #[serde(deserialize_with = "plain_bytes")]
    pub orders: Vec<u8>,
    /// The edits in force then, one after the other, as in a tick.
    #[serde(deserialize_with = "plain_bytes")]
    pub edits: Vec<u8>,
    /// The ticks, one after the other.
    #[serde(deserialize_with = "plain_bytes")]
    pub ticks: Vec<u8>,
}
