//! What happens to a run from outside, at a tick each: edits of the map, agents that come and go, orders.

use crate::orders::{GroupOrders, OrderList};
use wheelbase_grid::{Change, Rect};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// Something that happens at a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub tick: u32,
    /// What.
    pub action: Action,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Edits the map.
    Edit(MapEdit),
    /// Places agents at random.
    AddAgents(NewAgents),
    /// Takes agents out.
    RemoveAgents(Chosen),
    /// Gives agents other orders.
    GiveOrders(NewOrders),
}

/// A change of the map and what becomes of the agents that it disturbs: whose pose, or the move they have
/// begun, would become illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapEdit {
    /// The change.
    pub change: Change,
    /// What happens to agents that it disturbs.
    pub on_agents: OnAgents,
}

/// What becomes of agents that an edit disturbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnAgents {
    /// `"wait"`: the edit waits until it disturbs nobody.
    #[default]
    Wait,
    /// `"strand"`: they stay where they are until a later edit frees them.
    Strand,
    /// `"remove"`: they are taken out.
    Remove,
}

/// Agents to be placed at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAgents {
    /// Their class.
    pub class: ClassId,
    /// How many.
    pub count: u32,
    /// Where their anchors stand; what is off the map is left out.
    pub area: Rect,
    /// Given priority of each.
    pub priority: i32,
    /// Orders and tasks of each.
    pub orders: GroupOrders,
}

/// The agents that an event is about; those that are not there are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// These.
    Named(Vec<AgentId>),
    /// Those whose pose, or the pose from which their move began, has its anchor here.
    Area(Rect),
}

/// Orders for agents that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrders {
    /// Who gets them.
    pub chosen: Chosen,
    /// The orders as each class reads them, by [`ClassId`].
    pub by_class: Vec<OrderList>,
}
