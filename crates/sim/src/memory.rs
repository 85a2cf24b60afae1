//! Memory that grows with the agents and their goals.

use crate::agents::Row;
use crate::class::WorldClass;
use crate::leg::Leg;
use crate::order_pool::OrderState;
use crate::progress::TripProgress;
use crate::rows::agent_row::AgentRow;
use crate::statistics::TripStatistics;
use crate::world::World;
use wheelbase_planner::model::State;
use wheelbase_traffic::PriorityKey;
use wheelbase_traffic::motion::{AgentId, AgentSlot, ClassId, Motion, WaitState};
use wheelbase_traffic::path_pool::PathHandle;
use wheelbase_traffic::teams::Team;
use wheelbase_traffic::view::GoalStamp;

/// Bytes in use for agents and goals. The map, movement tables, occupancy and searches are not counted: they grow with
/// the map, and with the number of classes and slots. Nor are names of agents, and the memory of the traffic rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Agents present.
    pub agents: u64,
    /// Their rows, entities, orders, tasks, and remaining paths.
    pub agent_bytes: u64,
    /// Goals with a cost field.
    pub fields: u64,
    /// Their fields.
    pub field_bytes: u64,
    /// Landmarks of all classes.
    pub landmark_bytes: u64,
    /// Abstract graphs of all classes.
    pub graph_bytes: u64,
}

/// Bytes of an agent in all arrays, and of its entity with its components.
const ROW_BYTES: usize = size_of::<AgentId>()
    + size_of::<AgentSlot>()
    + size_of::<Motion>()
    + size_of::<WaitState>()
    + size_of::<TripProgress>()
    + size_of::<Leg>()
    + size_of::<PathHandle>()
    + size_of::<GoalStamp>()
    + size_of::<PriorityKey>()
    + size_of::<Option<State>>()
    + size_of::<(Team, u16)>()
    // As it is, and as it was before the tick.
    + 2 * size_of::<AgentRow>()
    + size_of::<hecs::Entity>()
    // The row of its agent slot, the components, and the entity's id, generation, archetype and index.
    + size_of::<u32>()
    + size_of::<(OrderState, TripStatistics)>()
    + size_of::<(AgentId, ClassId, Row)>()
    + 4 * size_of::<u32>();

impl World {
    /// Memory of agents and goals after the last tick. Linear in orders and fields.
    pub fn memory(&self) -> Memory {
        let rows = self.agents.len() * ROW_BYTES;
        let fields = &self.requests.fields;
        Memory {
            agents: self.agents.len() as u64,
            agent_bytes: (rows + self.orders.bytes() + self.agents.path_pool.bytes()) as u64,
            fields: fields.len() as u64,
            field_bytes: fields.bytes() as u64,
            landmark_bytes: self.classes.iter().map(WorldClass::landmark_bytes).sum::<usize>() as u64,
            graph_bytes: self.classes.iter().map(|class| class.graph.memory_bytes()).sum::<usize>() as u64,
        }
    }
}
