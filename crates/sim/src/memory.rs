//! How much memory grows with the agents and their goals.

use crate::agents::Row;
use crate::class::SimClass;
use crate::orders::OrderState;
use crate::statistics::TripStatistics;
use crate::tasks::Tasks;
use crate::world::World;
use wheelbase_planner::model::State;
use wheelbase_traffic::PriorityKey;
use wheelbase_traffic::motion::{AgentId, ClassId, Motion, WaitState};
use wheelbase_traffic::path_pool::PathHandle;
use wheelbase_traffic::view::GoalStamp;

/// Memory of what there is one of for each agent or goal, in bytes in use. The map, the movement tables, the
/// reservation and the searches, which grow with the map and the number of classes and slots, are not in it,
/// nor is what a rule of traffic keeps for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Agents that are there.
    pub agents: u64,
    /// Their rows, orders and tasks, entities, and what is left of their paths.
    pub agent_bytes: u64,
    /// Goals that have a cost field at present.
    pub fields: u64,
    /// These fields.
    pub field_bytes: u64,
    /// Landmarks of all classes.
    pub landmark_bytes: u64,
}

/// Bytes of a row of all arrays of the agents, with its entity's components and entry in the world of
/// entities.
const ROW_BYTES: usize = size_of::<AgentId>()
    + size_of::<Motion>()
    + size_of::<WaitState>()
    + size_of::<PathHandle>()
    + size_of::<GoalStamp>()
    + size_of::<PriorityKey>()
    + size_of::<Option<State>>()
    + size_of::<hecs::Entity>()
    // The row of its id, and in the world of entities three components, the id, and where it stands.
    + size_of::<u32>()
    + size_of::<(AgentId, ClassId, Row, OrderState, Tasks, TripStatistics)>()
    + 4 * size_of::<u32>();

impl World {
    /// Memory of agents and goals behind the last tick. Linear in orders and fields.
    pub fn memory(&self) -> Memory {
        let rows = self.agents.len() * ROW_BYTES;
        let fields = &self.requests.fields;
        Memory {
            agents: self.agents.len() as u64,
            agent_bytes: (rows + self.orders.bytes() + self.paths.bytes()) as u64,
            fields: fields.len() as u64,
            field_bytes: fields.bytes() as u64,
            landmark_bytes: self.classes.iter().map(SimClass::landmark_bytes).sum::<usize>() as u64,
        }
    }
}
