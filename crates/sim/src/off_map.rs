//! Agents off the map: what they keep until they come back.

use crate::order_pool::OrderState;
use crate::plain;
use crate::statistics::TripStatistics;
use serde::{Deserialize, Serialize};
use wheelbase_traffic::motion::{AgentId, ClassId};
use wheelbase_traffic::teams::Team;

/// An agent off the map. It keeps its orders, tasks and statistics, and its components stay with its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffMapAgent {
    /// The agent.
    #[serde(with = "plain")]
    pub id: AgentId,
    /// The agent that it has entered, [`AgentId::NOBODY`] if none was named. It may be gone by now.
    #[serde(with = "plain")]
    pub container: AgentId,
    /// Its class.
    #[serde(with = "plain")]
    pub class: ClassId,
    /// Its team.
    #[serde(with = "plain")]
    pub team: Team,
    /// Its speed factor in thousandths.
    pub speed_factor: u16,
    /// Its priority.
    pub priority: i32,
}

/// An agent off the map, with its orders, trips and entity.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct OffMap {
    pub agent: OffMapAgent,
    pub orders: OrderState,
    pub statistics: TripStatistics,
    #[serde(skip, default = "no_entity")]
    pub entity: hecs::Entity,
}

fn no_entity() -> hecs::Entity {
    hecs::Entity::DANGLING
}
