//! Orders: what agents are told to do, and where each stands in its list.

use crate::tasks::{TaskSlot, TaskSource, Tasks};
use crate::trip::Trip;
use std::collections::BTreeMap;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Goal, GoalMember};

/// One order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What to do.
    pub kind: OrderKind,
    /// Headings of the classes that it is for: its members count in them.
    pub headings: u8,
    /// Goals that it names and these classes cannot have.
    pub lacked: Box<[LackedGoal]>,
}

/// A goal with a heading that the class of the agent lacks: no member of its trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LackedGoal {
    /// Its number among all goals that the order names.
    pub number: u32,
    /// Its cell.
    pub cell: CellXY,
    /// Name of its heading.
    pub heading: &'static str,
}

/// What an order asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderKind {
    /// Go to a member of the goal.
    Goto(Trip),
    /// Go to the cheapest pose with its anchor in the area that no other agent stands on or has been given.
    /// The trip has no members.
    GotoArea(Rect, Trip),
    /// Go to a pose of one's own around the member of the trip, chosen for all agents that have the order
    /// together. The number is the same wherever the order was written once.
    GotoGroup(u32, Trip),
    /// Visit the members one after the other, for ever.
    Patrol(Trip),
    /// Stand for so many ticks.
    Wait(u32),
    /// Do one task after the other, for ever.
    Task(TaskSlot),
}

impl OrderKind {
    /// Names of all kinds.
    pub const NAMES: [&'static str; 6] = ["goto", "goto_area", "patrol", "wait", "task", "goto_group"];

    /// Name as written in scenarios and traces.
    pub fn name(&self) -> &'static str {
        let number = match self {
            Self::Goto(_) => 0,
            Self::GotoArea(..) => 1,
            Self::Patrol(_) => 2,
            Self::Wait(_) => 3,
            Self::Task(_) => 4,
            Self::GotoGroup(..) => 5,
        };
        Self::NAMES[number]
    }

    /// Whether the agent is given a pose, which it keeps until the order is closed.
    pub fn gives_poses(&self) -> bool {
        matches!(self, Self::GotoArea(..) | Self::GotoGroup(..))
    }

    /// The trip of an order that goes somewhere.
    pub fn trip(&self) -> Option<&Trip> {
        match self {
            Self::Goto(trip) | Self::GotoArea(_, trip) | Self::GotoGroup(_, trip) | Self::Patrol(trip) => {
                Some(trip)
            }
            Self::Task(slot) => Some(slot.trip()),
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

/// What the agents of a group are to do: the orders, which are kept once, and behind them the tasks, of which
/// each has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupOrders {
    /// Orders of each.
    pub orders: OrderList,
    /// Tasks: one for each agent of the group, or none.
    pub tasks: OrderList,
}

/// Where an agent stands in its orders. A component of its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// Those of the list under way that are not closed, the current one first.
    pub open: OrderList,
    /// Number in the pool of the list that comes next, and of the last; `u32::MAX` without one.
    pub(crate) next: u32,
    pub(crate) last: u32,
    /// Tick at which they were given.
    pub given: u32,
    /// Tick at which the current one became the current one; if that was in mid-move, at which the move
    /// ends.
    pub since: u32,
    /// Station of the patrol it is going to.
    pub station: u32,
    /// The current one has been reported as unreachable.
    pub reported: bool,
    /// The path in hand, of the present trip, ends at the pose nearest to the goal.
    pub to_nearest: bool,
}

const NONE: u32 = u32::MAX;

impl OrderState {
    /// A list of orders given at a tick.
    pub fn new(list: OrderList, tick: u32) -> Self {
        Self { open: list, given: tick, since: tick, ..Self::NONE }
    }

    /// No orders.
    pub(crate) const NONE: Self = Self {
        open: OrderList { first: 0, count: 0 },
        next: NONE,
        last: NONE,
        given: 0,
        since: 0,
        station: 0,
        reported: false,
        to_nearest: false,
    };

    /// A trip begins: an order, a station of a patrol, or a task. What is known of the path of the one before
    /// says nothing of it.
    pub(crate) fn begin_trip(&mut self, tick: u32) {
        self.since = tick;
        self.to_nearest = false;
    }

    /// What tells its orders from others, for the state hash.
    pub(crate) fn words(&self) -> [u64; 2] {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        [pair(self.open.first, self.open.count), pair(self.next, self.last)]
    }
}

/// All orders of all agents; those of a group are kept once.
#[derive(Clone, Debug, Default)]
pub struct OrderPool {
    orders: Vec<Order>,
    /// Lists that an agent was given behind another one, each with the number of the one behind it.
    behind: Vec<(OrderList, u32)>,
    /// Numbers of the orders to a group, by where each was written.
    group_numbers: BTreeMap<String, u32>,
    /// Where tasks come from.
    pub(crate) task_sources: Vec<TaskSource>,
}

impl OrderPool {
    /// Adds a list.
    pub(crate) fn add(&mut self, orders: &[Order]) -> OrderList {
        let first = self.orders.len() as u32;
        self.orders.extend_from_slice(orders);
        OrderList { first, count: orders.len() as u32 }
    }

    /// Puts a list behind what an agent has.
    pub(crate) fn append(&mut self, state: &mut OrderState, list: OrderList) {
        if list.count == 0 {
            return;
        }
        if state.open.count == 0 {
            state.open = list;
            return;
        }
        let number = self.behind.len() as u32;
        self.behind.push((list, NONE));
        match self.behind.get_mut(state.last as usize) {
            Some((_, next)) => *next = number,
            None => state.next = number,
        }
        state.last = number;
    }

    /// Takes the current order off an agent's list.
    pub(crate) fn close(&self, state: &mut OrderState) {
        state.open.first += 1;
        state.open.count -= 1;
        if state.open.count == 0
            && let Some(&(list, next)) = self.behind.get(state.next as usize)
        {
            (state.open, state.next) = (list, next);
            if next == NONE {
                state.last = NONE;
            }
        }
    }

    /// The number of an order to a group that was written under a key path: lists of several classes share
    /// it.
    pub(crate) fn group_number(&mut self, key: &str) -> u32 {
        let next = self.group_numbers.len() as u32;
        *self.group_numbers.entry(key.to_owned()).or_insert(next)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let members = |order: &Order| order.kind.trip().map_or(0, |trip| size_of_val(&*trip.members));
        size_of_val(&*self.orders)
            + self.orders.iter().map(members).sum::<usize>()
            + size_of_val(&*self.behind)
    }

    /// All orders, by their number in the pool.
    pub fn all(&self) -> &[Order] {
        &self.orders
    }

    /// Where the tasks of a slot come from.
    pub fn source_of(&self, slot: &TaskSlot) -> Option<&TaskSource> {
        self.task_sources.get(slot.source())
    }

    /// The tasks of an agent if its current order are tasks.
    pub(crate) fn current_tasks(
        &mut self,
        state: &OrderState,
        tasks: Tasks,
    ) -> Option<(&mut TaskSlot, &TaskSource)> {
        let is_current = state.open.count > 0 && tasks.order == state.open.first;
        let order = self.orders.get_mut(tasks.order as usize).filter(|_| is_current)?;
        let OrderKind::Task(slot) = &mut order.kind else { return None };
        let source = self.task_sources.get(slot.source())?;
        Some((slot, source))
    }

    /// Whether an agent keeps a present task to which there is no way: the rules of the problems that hand
    /// tasks round say nothing of giving one up.
    pub(crate) fn keeps_task(&self, state: &OrderState) -> bool {
        let Some(OrderKind::Task(slot)) = self.current(state).map(|order| &order.kind) else { return false };
        matches!(self.task_sources.get(slot.source()), Some(TaskSource::RoundRobin { .. }))
    }

    /// The present task of an agent, if its current order are tasks and it has one.
    pub fn task(&self, state: &OrderState) -> Option<GoalMember> {
        match &self.current(state)?.kind {
            OrderKind::Task(slot) => slot.goal(),
            _ => None,
        }
    }

    /// Whether an order, by its number in the pool, are tasks.
    pub(crate) fn is_task(&self, order: u32) -> bool {
        matches!(self.orders[order as usize].kind, OrderKind::Task(_))
    }

    /// The orders an agent has not closed, current one first.
    pub fn open(&self, state: &OrderState) -> impl Iterator<Item = &Order> {
        let behind = |number: u32| self.behind.get(number as usize);
        let lists = std::iter::successors(behind(state.next), move |(_, next)| behind(*next));
        let lists = std::iter::once(state.open).chain(lists.map(|(list, _)| *list));
        lists.flat_map(|list| &self.orders[list.first as usize..][..list.count as usize])
    }

    /// The current order.
    pub fn current(&self, state: &OrderState) -> Option<&Order> {
        (state.open.count > 0).then(|| &self.orders[state.open.first as usize])
    }

    /// Kind and trip of the current order, if it is one that leads somewhere.
    pub(crate) fn current_trip(&self, state: &OrderState) -> Option<(&OrderKind, &Trip)> {
        let order = self.current(state)?;
        Some((&order.kind, order.kind.trip()?))
    }

    /// Orders not closed that have an end: those before the first patrol and before tasks.
    pub fn left(&self, state: &OrderState) -> usize {
        let has_end = |order: &&Order| !matches!(order.kind, OrderKind::Patrol(_) | OrderKind::Task(_));
        self.open(state).take_while(has_end).count()
    }
}

/// The goal that an order has now: one station of a patrol, all members of any other.
pub(crate) fn current_goal<'a>(trip: &'a Trip, kind: &OrderKind, state: &OrderState) -> Goal<'a> {
    let members = match kind {
        OrderKind::Patrol(_) => {
            let station = state.station as usize % trip.members.len().max(1);
            trip.members.get(station..=station).unwrap_or(&[])
        }
        _ => &trip.members,
    };
    Goal { members, within: trip.within }
}
