//! Orders: what agents are told to do, and the progress of each through its list.

use crate::tasks::{TaskSlot, TaskSource, Tasks};
use crate::trip::Trip;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Goal, GoalMember};

/// An order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What it asks for.
    pub kind: OrderKind,
    /// Number of headings of the classes that it is for; the headings of its members are counted in it.
    pub headings: u8,
    /// Goals that it names but that these classes lack the heading for.
    pub lacked: Box<[LackedGoal]>,
}

/// A goal with a heading that the class lacks. It is not a member of the trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LackedGoal {
    /// Its index among all goals that the order names.
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
    /// Go to the cheapest pose with its anchor in the area that no other agent stands on or is assigned. The trip has
    /// no members.
    GotoArea(Rect, Trip),
    /// Go to a pose around the member of the trip; poses are assigned to all agents with this order together. The
    /// number, chosen by the maker of the order, identifies it across the lists of several classes.
    GotoGroup(u32, Trip),
    /// Visit the members in turn, forever.
    Patrol(Trip),
    /// Stand for a number of ticks.
    Wait(u32),
    /// Do one task after another, forever.
    Task(TaskSlot),
}

impl OrderKind {
    /// Names of all kinds.
    pub const NAMES: [&'static str; 6] = ["goto", "goto_area", "patrol", "wait", "task", "goto_group"];

    /// Name in scenarios and traces.
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

    /// Whether the agent is assigned a pose, which it keeps until the order is closed.
    pub fn assigns_pose(&self) -> bool {
        matches!(self, Self::GotoArea(..) | Self::GotoGroup(..))
    }

    /// The trip, unless the order leads nowhere.
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
    /// Number of the first.
    pub first: u32,
    /// Number of orders.
    pub count: u32,
}

/// What the agents of a group do: orders, stored once for all, and then tasks, one entry for each agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupOrders {
    /// Orders of each.
    pub orders: OrderList,
    /// Tasks: one entry for each agent of the group, or none.
    pub tasks: OrderList,
}

/// Progress of an agent through its orders. A component of its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// The open orders of the current list, the current order first.
    pub open: OrderList,
    /// Numbers in the pool of the next queued list and of the last one; `u32::MAX` without one.
    pub(crate) next: u32,
    pub(crate) last: u32,
    /// Tick at which the orders were given.
    pub given: u32,
    /// Tick at which the current order became current; in mid-move, the tick at which that move ends.
    pub since: u32,
    /// Number of the patrol's station that the agent goes to.
    pub station: u32,
    /// Whether the current order has been reported as unreachable.
    pub reported: bool,
    /// Whether the path in hand ends at the pose nearest to the goal of the current trip.
    pub to_nearest: bool,
}

const NONE: u32 = u32::MAX;

impl OrderState {
    /// Orders given at a tick.
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

    /// Begins a trip, to an order's goal, a station of a patrol, or a task. The path of the last one says nothing
    /// about it.
    pub(crate) fn begin_trip(&mut self, tick: u32) {
        self.since = tick;
        self.to_nearest = false;
    }

    /// Identifies the open orders, for the state hash.
    pub(crate) fn words(&self) -> [u64; 2] {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        [pair(self.open.first, self.open.count), pair(self.next, self.last)]
    }
}

/// All orders of all agents. The orders of a group are stored once.
#[derive(Clone, Debug, Default)]
pub struct OrderPool {
    orders: Vec<Order>,
    /// Lists queued after others, each with the number of the next one.
    queued: Vec<(OrderList, u32)>,
    /// Sources of tasks.
    pub(crate) task_sources: Vec<TaskSource>,
}

impl OrderPool {
    /// Adds a list.
    pub(crate) fn add(&mut self, orders: &[Order]) -> OrderList {
        let first = self.orders.len() as u32;
        self.orders.extend_from_slice(orders);
        OrderList { first, count: orders.len() as u32 }
    }

    /// Queues a list after all orders of an agent.
    pub(crate) fn append(&mut self, state: &mut OrderState, list: OrderList) {
        if list.count == 0 {
            return;
        }
        if state.open.count == 0 {
            state.open = list;
            return;
        }
        let number = self.queued.len() as u32;
        self.queued.push((list, NONE));
        match self.queued.get_mut(state.last as usize) {
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
            && let Some(&(list, next)) = self.queued.get(state.next as usize)
        {
            (state.open, state.next) = (list, next);
            if next == NONE {
                state.last = NONE;
            }
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let members = |order: &Order| order.kind.trip().map_or(0, |trip| size_of_val(&*trip.members));
        size_of_val(&*self.orders)
            + self.orders.iter().map(members).sum::<usize>()
            + size_of_val(&*self.queued)
    }

    /// All orders, by their number in the pool.
    pub fn all(&self) -> &[Order] {
        &self.orders
    }

    /// The source of the tasks of a slot.
    pub fn source_of(&self, slot: &TaskSlot) -> Option<&TaskSource> {
        self.task_sources.get(slot.source())
    }

    /// The tasks of an agent, if its current order is tasks.
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

    /// Whether an agent keeps an unreachable task. It does in problems that hand tasks out in turn, whose rules do
    /// not let it drop one.
    pub(crate) fn keeps_task(&self, state: &OrderState) -> bool {
        let Some(OrderKind::Task(slot)) = self.current(state).map(|order| &order.kind) else { return false };
        matches!(self.task_sources.get(slot.source()), Some(TaskSource::RoundRobin { .. }))
    }

    /// The current task of an agent, if its current order is tasks and it has one.
    pub fn task(&self, state: &OrderState) -> Option<GoalMember> {
        match &self.current(state)?.kind {
            OrderKind::Task(slot) => slot.goal(),
            _ => None,
        }
    }

    /// Whether the order of a number in the pool is tasks.
    pub(crate) fn is_task(&self, order: u32) -> bool {
        matches!(self.orders[order as usize].kind, OrderKind::Task(_))
    }

    /// The open orders of an agent, the current one first.
    pub fn open(&self, state: &OrderState) -> impl Iterator<Item = &Order> {
        let queued = |number: u32| self.queued.get(number as usize);
        let lists = std::iter::successors(queued(state.next), move |(_, next)| queued(*next));
        let lists = std::iter::once(state.open).chain(lists.map(|(list, _)| *list));
        lists.flat_map(|list| &self.orders[list.first as usize..][..list.count as usize])
    }

    /// The current order.
    pub fn current(&self, state: &OrderState) -> Option<&Order> {
        (state.open.count > 0).then(|| &self.orders[state.open.first as usize])
    }

    /// Kind and trip of the current order, unless it leads nowhere.
    pub(crate) fn current_trip(&self, state: &OrderState) -> Option<(&OrderKind, &Trip)> {
        let order = self.current(state)?;
        Some((&order.kind, order.kind.trip()?))
    }

    /// Number of open orders that have an end: those before the first patrol and before tasks.
    pub fn left(&self, state: &OrderState) -> usize {
        let has_end = |order: &&Order| !matches!(order.kind, OrderKind::Patrol(_) | OrderKind::Task(_));
        self.open(state).take_while(has_end).count()
    }
}

/// The current goal of an order: one station of a patrol, all members of any other.
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
