//! Agents off the map: what they keep until they come back.

use crate::order_pool::OrderState;
use crate::serde_ids;
use crate::statistics::TripStatistics;
use serde::{Deserialize, Serialize};
use wheelbase_traffic::motion::{AgentId, ClassId};
use wheelbase_traffic::teams::Team;

/// An agent off the map. Its orders, tasks, statistics and components stay with its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffMapAgent {
    /// The agent.
    #[serde(with = "serde_ids::agent")]
    pub id: AgentId,
    /// The agent that it has entered, [`AgentId::NOBODY`] if none was named. It may be gone by now.
    #[serde(with = "serde_ids::agent")]
    pub container: AgentId,
    /// Its class.
    #[serde(with = "serde_ids::class")]
    pub class: ClassId,
    /// Its team.
    #[serde(with = "serde_ids::team")]
    pub team: Team,
    /// Its speed factor in thousandths.
    pub speed_factor: u16,
    /// Its priority.
    pub priority: i32,
}

/// An agent off the map as a snapshot holds it, with its components: `None` where game code has removed one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedOffMap {
    pub agent: OffMapAgent,
    pub orders: Option<OrderState>,
    pub statistics: Option<TripStatistics>,
    pub name: Option<String>,
}
