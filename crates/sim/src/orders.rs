//! Orders: what agents are told to do, and where each stands in its list.

use crate::scenario::IfUnreachable;
use wheelbase_grid::Rect;
use wheelbase_planner::{Fallback, GoalMember};

/// One order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What to do.
    pub kind: OrderKind,
    /// The order as written in the scenario, for the trace.
    pub as_written: serde_json::Value,
}

/// What an order asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderKind {
    /// Go to a member of the goal.
    Goto(Trip),
    /// Go to the cheapest pose with its anchor in the area that no other agent stands on or has been given.
    /// The trip has no members.
    GotoArea(Rect, Trip),
    /// Visit the members one after the other, for ever.
    Patrol(Trip),
    /// Stand for so many ticks.
    Wait(u32),
}

/// Where to go and what to do if there is no way.
#[derive(Clone, Debug, PartialEq)]
pub struct Trip {
    /// Members of the goal, or the stations of a patrol. Empty for a class that has none of the headings
    /// asked for: such a goal cannot be reached.
    pub members: Vec<GoalMember>,
    /// Radius around each, in cells.
    pub within: u32,
    /// What to do when the goal cannot be reached.
    pub fallback: Fallback,
    /// What to do when that does not help.
    pub if_unreachable: IfUnreachable,
}

impl OrderKind {
    /// Name as written in scenarios and traces.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Goto(_) => "goto",
            Self::GotoArea(..) => "goto_area",
            Self::Patrol(_) => "patrol",
            Self::Wait(_) => "wait",
        }
    }

    /// The trip of an order that goes somewhere.
    pub fn trip(&self) -> Option<&Trip> {
        match self {
            Self::Goto(trip) | Self::GotoArea(_, trip) | Self::Patrol(trip) => Some(trip),
            Self::Wait(_) => None,
        }
    }
}

/// A list of orders in the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderList {
    /// First of them.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Where an agent stands in its list of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// First of its orders in the pool.
    pub first: u32,
    /// Number of its orders.
    pub count: u32,
    /// Orders done or dropped; the next is the current one.
    pub closed: u32,
    /// Tick at which they were given.
    pub given: u32,
    /// Tick at which the current one became the current one.
    pub since: u32,
    /// Tick at which it last finished one; `u32::MAX` before the first.
    pub finished_at: u32,
    /// Station of the patrol it is going to.
    pub station: u32,
    /// The current one has been reported as unreachable.
    pub reported: bool,
    /// The path in hand ends at the pose nearest to the goal.
    pub to_nearest: bool,
}

impl OrderState {
    /// A list of orders given at a tick.
    pub(crate) fn new(list: OrderList, tick: u32) -> Self {
        Self {
            first: list.first,
            count: list.count,
            closed: 0,
            given: tick,
            since: tick,
            finished_at: u32::MAX,
            station: 0,
            reported: false,
            to_nearest: false,
        }
    }

    /// The whole list.
    pub fn list(&self) -> OrderList {
        OrderList { first: self.first, count: self.count }
    }
}

/// All orders of all agents; those of a group are kept once.
#[derive(Clone, Debug, Default)]
pub struct OrderPool {
    orders: Vec<Order>,
}

impl OrderPool {
    /// Adds a list.
    pub(crate) fn add(&mut self, orders: &[Order]) -> OrderList {
        let first = self.orders.len() as u32;
        self.orders.extend_from_slice(orders);
        OrderList { first, count: orders.len() as u32 }
    }

    /// Adds a list that is two others one after the other.
    pub(crate) fn join(&mut self, first: OrderList, second: OrderList) -> OrderList {
        let start = self.orders.len() as u32;
        for list in [first, second] {
            self.orders.extend_from_within(list.first as usize..(list.first + list.count) as usize);
        }
        OrderList { first: start, count: first.count + second.count }
    }

    /// Whether some order goes to an area.
    pub(crate) fn any_to_area(&self) -> bool {
        self.orders.iter().any(|order| matches!(order.kind, OrderKind::GotoArea(..)))
    }

    /// An order as written in the scenario, by its number in the pool.
    pub fn written(&self, order: u32) -> &serde_json::Value {
        &self.orders[order as usize].as_written
    }

    /// The list an agent was given.
    pub fn list(&self, state: &OrderState) -> &[Order] {
        &self.orders[state.first as usize..][..state.count as usize]
    }

    /// The orders it has not closed, current one first.
    pub fn open(&self, state: &OrderState) -> &[Order] {
        &self.list(state)[state.closed as usize..]
    }

    /// The current order.
    pub fn current(&self, state: &OrderState) -> Option<&Order> {
        self.open(state).first()
    }

    /// Orders not closed that have an end: those before the first patrol.
    pub fn left(&self, state: &OrderState) -> usize {
        self.open(state).iter().take_while(|order| !matches!(order.kind, OrderKind::Patrol(_))).count()
    }
}

/// The members of the goal that an order has now: all of a `goto`, one station of a patrol.
pub(crate) fn current_members<'a>(trip: &'a Trip, kind: &OrderKind, state: &OrderState) -> &'a [GoalMember] {
    match kind {
        OrderKind::Patrol(_) => {
            let station = state.station as usize % trip.members.len().max(1);
            trip.members.get(station..=station).unwrap_or(&[])
        }
        _ => &trip.members,
    }
}
