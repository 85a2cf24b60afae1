//! External events of a run, each at a tick: edits of the map, agents added and removed, new orders.

use crate::orders::{GroupOrders, OrderList};
use wheelbase_grid::{Change, Rect};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// An event at a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its tick.
    pub tick: u32,
    /// Its effect.
    pub action: Action,
}

/// The effect of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Edits the map.
    Edit(MapEdit),
    /// Places agents at random.
    AddAgents(NewAgents),
    /// Removes agents.
    RemoveAgents(AgentSelection),
    /// Replaces the orders of agents.
    GiveOrders(NewOrders),
}

/// A change of the map, and what happens to the agents that it disturbs: those whose pose or current move would become
/// illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapEdit {
    /// The change.
    pub change: Change,
    /// What happens to disturbed agents.
    pub on_agents: OnAgents,
}

/// What happens to agents that an edit disturbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnAgents {
    /// `"wait"`: the edit waits until it disturbs no agent.
    #[default]
    Wait,
    /// `"strand"`: they stay where they are until a later edit frees them.
    Strand,
    /// `"remove"`: they are removed.
    Remove,
}

/// Agents to place at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAgents {
    /// Their class.
    pub class: ClassId,
    /// Their number.
    pub count: u32,
    /// Area of their anchors, clipped to the map.
    pub area: Rect,
    /// Configured priority of each.
    pub priority: i32,
    /// Orders and tasks of each.
    pub orders: GroupOrders,
}

/// Selects agents for an event; absent ones are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSelection {
    /// These agents.
    Named(Vec<AgentId>),
    /// Agents whose pose, or the pose in which their current move began, has its anchor in the area.
    Area(Rect),
}

/// New orders for agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOrders {
    /// The agents.
    pub agents: AgentSelection,
    /// The orders for each class, by [`ClassId`].
    pub by_class: Vec<OrderList>,
}

/// The events of a run, and how many have taken effect.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    /// By tick; those of one tick in the order in which they were added.
    pub all: Vec<Event>,
    /// Number of the next event.
    pub next: usize,
}

impl EventQueue {
    /// Adds events. Those of one tick take effect in the order in which they were added.
    pub fn add(&mut self, events: Vec<Event>) {
        self.all.extend(events);
        // Stable, and no new event is in the past: those that have taken effect stay in front.
        self.all.sort_by_key(|event| event.tick);
    }

    /// The next event, if it is due at a tick.
    pub fn due(&self, tick: u32) -> Option<&Event> {
        self.all.get(self.next).filter(|event| event.tick <= tick)
    }

    /// Whether all events have taken effect.
    pub fn is_over(&self) -> bool {
        self.next == self.all.len()
    }
}
