//! The orders of all agents, and the progress of each through its list.
//!
//! A list of orders is stored once, however many agents have it, and freed once the last of them is through. Orders
//! are numbered for life, in the order in which their lists were stored; places in the pool are given again.

pub(crate) mod saved;

use crate::commands::Ticket;
use crate::orders::{Order, OrderKind};
use crate::places::Places;
use crate::tasks::{TaskSlot, TaskSource};
use crate::trip::Trip;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wheelbase_grid::CellXY;
use wheelbase_planner::{Goal, GoalMember};

/// A list of orders, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrderList {
    /// Number of the first.
    pub first: u32,
    /// Number of orders.
    pub count: u32,
}

/// Progress of an agent through its orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderState {
    /// The open orders of the current list, the current order first.
    pub open: OrderList,
    /// Place in the pool of the current list; [`NONE`] without one.
    pub(crate) list: u32,
    /// Places in the pool of the next queued list and of the last one; [`NONE`] without one.
    pub(crate) next: u32,
    pub(crate) last: u32,
    /// Places in the pool of its tasks and of its trip behind a leader; [`NONE`] without.
    pub(crate) tasks: u32,
    pub(crate) follow: u32,
    /// Tick at which the orders were given.
    pub given: u32,
    /// Tick at which the current order became current; in mid-move, the tick at which that move ends.
    pub since: u32,
    /// Number of the patrol's waypoint that the agent goes to.
    pub waypoint: u32,
    /// Whether the current order has been reported as unreachable.
    pub reported: bool,
    /// Whether the current path ends at the pose nearest to the goal of the current trip.
    pub to_nearest: bool,
    /// Whether an order was dropped since the current round of repeated orders began.
    pub(crate) dropped: bool,
}

const NONE: u32 = u32::MAX;

impl OrderState {
    /// No orders.
    pub(crate) const NONE: Self = Self {
        open: OrderList { first: 0, count: 0 },
        list: NONE,
        next: NONE,
        last: NONE,
        tasks: NONE,
        follow: NONE,
        given: 0,
        since: 0,
        waypoint: 0,
        reported: false,
        to_nearest: false,
        dropped: false,
    };

    /// Whether lists stand behind the current one.
    pub(crate) fn has_queued(&self) -> bool {
        self.next != NONE
    }

    /// No orders, since a tick.
    pub(crate) fn none_at(tick: u32) -> Self {
        Self { given: tick, since: tick, ..Self::NONE }
    }

    /// Begins a trip, to an order's goal, a waypoint of a patrol, or a task. The path of the last one says nothing
    /// about it.
    pub(crate) fn begin_trip(&mut self, tick: u32) {
        self.since = tick;
        self.to_nearest = false;
    }
}

/// A list in the pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredList<O = Arc<[Order]>> {
    orders: O,
    /// Number of its first order.
    first: u32,
    /// Agents and queued lists that refer to it.
    uses: u32,
    /// The command that gave it.
    ticket: Option<Ticket>,
}

/// A list queued behind another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct QueuedList {
    /// Its place, and how many of its orders the agent has.
    list: u32,
    count: u32,
    /// Tick at which it was given.
    given: u32,
    /// Place of the next one.
    next: u32,
}

/// All orders of all agents.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OrderPool {
    #[serde(skip)]
    lists: Places<StoredList>,
    /// Lists that nobody refers to any more. They are freed before the next tick, so that the log of this one can
    /// name their orders.
    unused: Vec<u32>,
    queued: Places<QueuedList>,
    task_slots: Places<TaskSlot>,
    /// Trips of agents behind their leaders.
    follow_trips: Places<Trip>,
    /// First number and place of each stored list, rising, with lists already freed in between.
    by_number: Vec<(u32, u32)>,
    next_number: u32,
}

impl OrderPool {
    /// Stores a list of orders, given by the command of a ticket. It is freed again unless an agent takes it up before
    /// the next tick.
    pub(crate) fn store(&mut self, orders: Arc<[Order]>, ticket: Option<Ticket>) -> u32 {
        let (first, count) = (self.next_number, orders.len() as u32);
        self.next_number = first.wrapping_add(count);
        let place = self.lists.add(StoredList { orders, first, uses: 0, ticket });
        self.by_number.push((first, place));
        self.unused.push(place);
        place
    }

    /// Number that the first order of the next list will have.
    pub fn next_number(&self) -> u32 {
        self.next_number
    }

    /// Frees the lists that nobody refers to. Called before each tick.
    pub(crate) fn free_unused(&mut self) {
        let Self { lists, unused, by_number, .. } = self;
        for &place in unused.iter() {
            if let Some(list) = lists.get_mut(place).filter(|list| list.uses == 0 && !list.orders.is_empty())
            {
                list.orders = Arc::default();
                lists.free(place);
            }
        }
        unused.clear();
        if by_number.len() > 64 + 2 * lists.in_use() {
            by_number.retain(|&(first, place)| {
                lists.get(place).is_some_and(|list| list.first == first && !list.orders.is_empty())
            });
        }
    }

    fn take_up(&mut self, place: u32) {
        if let Some(list) = self.lists.get_mut(place) {
            list.uses += 1;
        }
    }

    fn release(&mut self, place: u32) {
        if let Some(list) = self.lists.get_mut(place) {
            list.uses = list.uses.saturating_sub(1);
            if list.uses == 0 {
                self.unused.push(place);
            }
        }
    }

    fn whole(&self, place: u32) -> OrderList {
        let list = self.lists.get(place);
        list.map_or(OrderList::default(), |list| OrderList {
            first: list.first,
            count: list.orders.len() as u32,
        })
    }

    /// Numbers and kinds of the orders of a stored list, without tasks.
    pub(crate) fn numbers_to_log(&self, place: u32) -> impl Iterator<Item = (u32, u8)> {
        let (first, orders) = self.lists.get(place).map_or((0, &[][..]), |list| (list.first, &*list.orders));
        let logged = (first..).zip(orders).filter(|(_, order)| order.kind.is_logged());
        logged.map(|(number, order)| (number, order.kind.number()))
    }

    /// The first order of a stored list.
    pub(crate) fn first_of(&self, place: u32) -> Option<&Order> {
        self.lists.get(place)?.orders.first()
    }

    /// The command that gave the current order of an agent; `None` if it was placed with it before the first tick.
    pub(crate) fn ticket(&self, state: &OrderState) -> Option<Ticket> {
        self.lists.get(self.first_list(state)?)?.ticket
    }

    /// Place of the list that an agent is at.
    pub(crate) fn first_list(&self, state: &OrderState) -> Option<u32> {
        (state.list != NONE).then_some(state.list)
    }

    /// Puts a stored list behind all orders of an agent, at a tick.
    pub(crate) fn append(&mut self, state: &mut OrderState, place: u32, given: u32) {
        let whole = self.whole(place);
        if whole.count == 0 {
            return;
        }
        self.take_up(place);
        if state.open.count == 0 {
            (state.open, state.list, state.given) = (whole, place, given);
            return;
        }
        let number = self.queued.add(QueuedList { list: place, count: whole.count, given, next: NONE });
        match self.queued.get_mut(state.last) {
            Some(last) if state.last != NONE => last.next = number,
            _ => state.next = number,
        }
        state.last = number;
    }

    /// The list of the next round of an agent whose current order repeats some orders before it. Allocates only for the
    /// first round of a list that has other orders too.
    pub(crate) fn next_round(&self, state: &OrderState, count: u32) -> Option<Arc<[Order]>> {
        let orders = &self.lists.get(state.list)?.orders;
        let at = open_part(&self.lists, state).0 as usize;
        let first = at.checked_sub(count as usize)?;
        let is_whole = first == 0 && at + 1 == orders.len();
        Some(if is_whole { Arc::clone(orders) } else { orders.get(first..=at)?.into() })
    }

    /// Puts a stored list in place of the current list of an agent, whose last order is the current one.
    pub(crate) fn renew(&mut self, state: &mut OrderState, place: u32, given: u32) {
        self.take_up(place);
        self.release(state.list);
        (state.open, state.list, state.given) = (self.whole(place), place, given);
    }

    /// Takes the current order off an agent's list.
    pub(crate) fn close(&mut self, state: &mut OrderState) {
        if state.open.count == 0 {
            return;
        }
        self.free_own_trips(state);
        state.open.first = state.open.first.wrapping_add(1);
        state.open.count -= 1;
        self.go_to_next_list(state);
    }

    /// Takes the next queued list once the current one is through.
    fn go_to_next_list(&mut self, state: &mut OrderState) {
        while state.open.count == 0 && state.list != NONE {
            self.release(state.list);
            state.list = NONE;
            if let Some(&QueuedList { list, count, given, next }) = self.queued.get(state.next) {
                self.queued.free(state.next);
                let first = self.whole(list).first;
                (state.open, state.list, state.given) = (OrderList { first, count }, list, given);
                state.next = next;
                if next == NONE {
                    state.last = NONE;
                }
            }
        }
    }

    /// Takes the tasks off an agent's orders. Returns whether it had any.
    pub(crate) fn drop_tasks(&mut self, state: &mut OrderState) -> bool {
        if state.tasks == NONE {
            return false;
        }
        self.task_slots.free(state.tasks);
        state.tasks = NONE;
        // They stand last in their list; further ones may stand behind them, in lists that were appended.
        let mut at = state.next;
        while let Some(&QueuedList { list, count, next, .. }) = self.queued.get(at) {
            if self.ends_in_tasks(list, (0, count))
                && let Some(queued) = self.queued.get_mut(at)
            {
                queued.count -= 1;
            }
            at = next;
        }
        if self.ends_in_tasks(state.list, open_part(&self.lists, state)) {
            state.open.count -= 1;
            self.go_to_next_list(state);
        }
        true
    }

    /// Whether the last order of a part of a list is tasks.
    fn ends_in_tasks(&self, list: u32, part: (u32, u32)) -> bool {
        orders_in(&self.lists, list, part).last().is_some_and(|order| order.kind.tasks().is_some())
    }

    /// Converts the open orders of an agent for a class of another number of headings. Each list stays one, given when
    /// it was; a list that means the same for both stays shared.
    pub(crate) fn convert(&mut self, state: &mut OrderState, headings: u8) {
        let (before, count) = open_part(&self.lists, state);
        // Orders that are repeated are still needed.
        let repeated = |(at, order): (u32, &Order)| at.saturating_sub(order.kind.repeats().unwrap_or(0));
        let open = open_of_list(&self.lists, state).iter();
        let first = (before..).zip(open).map(repeated).min().unwrap_or(before);
        let part = (first, count + before - first);
        if let Some(list) = self.convert_list(state.list, part, headings) {
            let OrderList { first: number, .. } = self.whole(list);
            (state.list, state.open) =
                (list, OrderList { first: number.wrapping_add(before - first), count });
        }
        let mut at = state.next;
        while let Some(&QueuedList { list, count, next, .. }) = self.queued.get(at) {
            if let Some(list) = self.convert_list(list, (0, count), headings)
                && let Some(queued) = self.queued.get_mut(at)
            {
                queued.list = list;
            }
            at = next;
        }
    }

    /// Converts the part of a list that an agent has. The agent then refers to another list; `None` if the orders are
    /// right as they are.
    fn convert_list(&mut self, place: u32, part: (u32, u32), headings: u8) -> Option<u32> {
        let orders = orders_in(&self.lists, place, part);
        if orders.iter().all(|order| order.headings == headings || order.names_no_heading()) {
            return None;
        }
        let orders = orders.iter().map(|order| order.kept_for_headings(headings)).collect();
        let converted = self.store(orders, self.lists.get(place).and_then(|list| list.ticket));
        self.take_up(converted);
        self.release(place);
        Some(converted)
    }

    /// Drops all orders and tasks of an agent.
    pub(crate) fn clear(&mut self, state: &mut OrderState) {
        if state.open.count > 0 {
            self.release(state.list);
        }
        while let Some(&QueuedList { list, next, .. }) = self.queued.get(state.next) {
            self.queued.free(state.next);
            self.release(list);
            state.next = next;
        }
        self.free_own_trips(state);
        if state.tasks != NONE {
            self.task_slots.free(state.tasks);
            state.tasks = NONE;
        }
        (state.open, state.list, state.last) = (OrderList::default(), NONE, NONE);
    }

    fn free_own_trips(&mut self, state: &mut OrderState) {
        if state.follow != NONE {
            self.follow_trips.free(state.follow);
            state.follow = NONE;
        }
    }

    /// Gives an agent the tasks of the list last put behind its orders, if that has any. The agent has an index among
    /// all that got them. An agent that has tasks already keeps these, because nothing behind them ever begins.
    pub(crate) fn begin_tasks(&mut self, state: &mut OrderState, place: u32, number: u32, seed: u64) {
        let last = self.lists.get(place).and_then(|list| list.orders.last());
        if let Some((_, stream)) = last.and_then(|order| order.kind.tasks())
            && state.tasks == NONE
        {
            // Placements of groups use the streams below 2^32.
            let stream = (u64::from(stream) + 1) << 32 | u64::from(number);
            state.tasks = self.task_slots.reuse_or_add(
                |slot| slot.restart(number, (seed, stream)),
                || TaskSlot::new(number, (seed, stream)),
            );
        }
    }

    /// Sets the trip of an agent behind its leader: to within a distance of where that is.
    pub(crate) fn set_follow_trip(&mut self, state: &mut OrderState, cell: CellXY, within: u32) {
        if state.follow == NONE {
            state.follow = self.follow_trips.reuse_or_add(|_| (), || Trip::to(Vec::with_capacity(1)));
        }
        if let Some(trip) = self.follow_trips.get_mut(state.follow) {
            trip.within = within;
            trip.members.clear();
            trip.members.push(GoalMember::any(cell));
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let members = |order: &Order| order.kind.trip().map_or(0, |trip| size_of_val(&*trip.members));
        let of_list =
            |list: &StoredList| size_of_val(&*list.orders) + list.orders.iter().map(members).sum::<usize>();
        self.lists.values().iter().map(of_list).sum::<usize>()
            + size_of_val(self.lists.values())
            + size_of_val(self.queued.values())
            + self.task_slots.values().len() * (size_of::<TaskSlot>() + size_of::<GoalMember>())
            + self.follow_trips.values().len() * (size_of::<Trip>() + size_of::<GoalMember>())
    }

    /// The order of a number, until the tick after the last agent is through with it.
    pub fn get(&self, number: u32) -> Option<&Order> {
        let after = self.by_number.partition_point(|&(first, _)| first <= number);
        let (first, place) = *self.by_number.get(after.checked_sub(1)?)?;
        let list = self.lists.get(place).filter(|list| list.first == first)?;
        list.orders.get((number - first) as usize)
    }

    /// All lists, each as the number of its first order and its orders, in the order in which they were stored.
    pub fn lists(&self) -> impl Iterator<Item = (u32, &[Order])> {
        self.lists_at(&self.by_number)
    }

    /// The lists whose orders have this number or a higher one, as [`OrderPool::lists`]. All lists stored at the last
    /// tick are still there.
    pub fn lists_from(&self, number: u32) -> impl Iterator<Item = (u32, &[Order])> {
        let from = self.by_number.partition_point(|&(first, _)| first < number);
        self.lists_at(&self.by_number[from..])
    }

    /// The lists that agents have, as the number of the first order and the number of orders, rising.
    pub fn lists_in_use(&self) -> impl Iterator<Item = OrderList> {
        self.by_number.iter().filter_map(|&(first, place)| {
            let list = self.lists.get(place).filter(|list| list.first == first && list.uses > 0)?;
            Some(OrderList { first, count: list.orders.len() as u32 })
        })
    }

    fn lists_at(&self, places: &[(u32, u32)]) -> impl Iterator<Item = (u32, &[Order])> {
        places.iter().filter_map(|&(first, place)| {
            let list = self.lists.get(place).filter(|list| list.first == first && !list.orders.is_empty())?;
            Some((first, &*list.orders))
        })
    }

    /// The tasks of an agent, if its current order is tasks.
    pub(crate) fn current_tasks(&mut self, state: &OrderState) -> Option<(&mut TaskSlot, &TaskSource)> {
        let (source, _) = open_of_list(&self.lists, state).first()?.kind.tasks()?;
        Some((self.task_slots.get_mut(state.tasks)?, source))
    }

    /// The tasks of an agent and their source, if its current order is tasks.
    pub fn tasks(&self, state: &OrderState) -> Option<(&TaskSlot, &TaskSource)> {
        let (source, _) = self.kind(state)?.tasks()?;
        Some((self.task_slots.get(state.tasks)?, source))
    }

    /// Whether an agent keeps an unreachable task. It does in problems that hand tasks out in turn, whose rules do
    /// not let it drop one.
    pub(crate) fn keeps_task(&self, state: &OrderState) -> bool {
        matches!(self.tasks(state), Some((_, TaskSource::RoundRobin { .. })))
    }

    /// The current task of an agent, if its current order is tasks and it has one.
    pub fn task(&self, state: &OrderState) -> Option<GoalMember> {
        self.tasks(state)?.0.goal()
    }

    /// The open orders of an agent, the current one first.
    pub fn open(&self, state: &OrderState) -> impl Iterator<Item = &Order> {
        let orders = |queued: &QueuedList| orders_in(&self.lists, queued.list, (0, queued.count));
        open_of_list(&self.lists, state).iter().chain(self.queued_of(state).flat_map(orders))
    }

    /// The lists queued behind the current one of an agent.
    fn queued_of(&self, state: &OrderState) -> impl Iterator<Item = &QueuedList> {
        let queued = |place: u32| self.queued.get(place);
        std::iter::successors(queued(state.next), move |list| queued(list.next))
    }

    /// The current order.
    pub fn current(&self, state: &OrderState) -> Option<&Order> {
        open_of_list(&self.lists, state).first()
    }

    /// Kind of the current order.
    pub(crate) fn kind(&self, state: &OrderState) -> Option<&OrderKind> {
        self.current(state).map(|order| &order.kind)
    }

    /// Kind and trip of the current order, unless it leads nowhere.
    pub(crate) fn current_trip(&self, state: &OrderState) -> Option<(&OrderKind, &Trip)> {
        let kind = self.kind(state)?;
        let to_task = || self.tasks(state).map(|(slot, _)| slot.trip());
        let behind_leader = || self.follow_trips.get(state.follow).filter(|_| kind.leader().is_some());
        Some((kind, kind.trip().or_else(to_task).or_else(behind_leader)?))
    }

    /// Kind and current goal of the current order, unless it leads nowhere.
    pub(crate) fn current_goal(&self, state: &OrderState) -> Option<(&OrderKind, Goal<'_>)> {
        self.current_trip(state).map(|(kind, trip)| (kind, kind.goal(trip, state.waypoint)))
    }

    /// The trip of the current order, unless it leads nowhere. It is the trip of the order itself, or the agent's own
    /// trip to a task or behind a leader.
    pub fn trip(&self, state: &OrderState) -> Option<&Trip> {
        self.current_trip(state).map(|(_, trip)| trip)
    }

    /// Number of open orders that have an end and count, up to the first that has none. Repeated orders have no end.
    pub fn left(&self, state: &OrderState) -> usize {
        let n_before = self.open(state).take_while(|order| order.kind.has_end()).count();
        let n_repeated = self.open(state).nth(n_before).and_then(|order| order.kind.repeats()).unwrap_or(0);
        let ending = self.open(state).take(n_before.saturating_sub(n_repeated as usize));
        ending.filter(|order| order.kind.counts()).count()
    }

    /// Words that identify the open orders of an agent, for the state hash: the numbers of its lists.
    pub(crate) fn words(&self, state: &OrderState, mut word: impl FnMut(u64)) {
        word(u64::from(state.open.first) << 32 | u64::from(state.open.count));
        for list in self.queued_of(state) {
            word(u64::from(self.whole(list.list).first) << 32 | u64::from(list.count));
            word(u64::from(list.given));
        }
        if self.kind(state).and_then(OrderKind::leader).is_some()
            && let Some(member) = self.follow_trips.get(state.follow).and_then(|trip| trip.members.first())
        {
            word(u64::from(member.cell.x as u32) << 32 | u64::from(member.cell.y as u32));
        }
    }

    /// Lists stored, lists queued, tasks and trips behind leaders in use: none of them grows with the number of
    /// orders ever given.
    pub(crate) fn in_use(&self) -> [usize; 4] {
        [self.lists.in_use(), self.queued.in_use(), self.task_slots.in_use(), self.follow_trips.in_use()]
    }

    /// Whether the pool holds exactly the lists that agents in these states refer to, and those given up since the tick
    /// began.
    /// # Errors
    /// The first difference, in words.
    pub(crate) fn check(&self, states: &[OrderState]) -> Result<(), String> {
        let mut uses = vec![0; self.lists.values().len()];
        let [mut queued, mut tasks, mut follow] = [0; 3];
        for state in states {
            if (state.open.count > 0) != (state.list != NONE) {
                return Err(format!("{state:?} has orders or a list alone"));
            }
            uses.get_mut(state.list as usize).into_iter().for_each(|uses| *uses += 1);
            for list in self.queued_of(state) {
                uses[list.list as usize] += 1;
                queued += 1;
            }
            tasks += usize::from(state.tasks != NONE);
            follow += usize::from(state.follow != NONE);
        }
        let in_use = self.in_use();
        if in_use[1..] != [queued, tasks, follow] {
            return Err(format!("in use {in_use:?}, by agents {queued}, {tasks}, {follow}"));
        }
        for (place, (list, uses)) in self.lists.values().iter().zip(uses).enumerate() {
            let (is_free, place) = (self.lists.is_free(place as u32), place as u32);
            if if is_free {
                uses > 0
            } else {
                list.uses != uses || (uses == 0 && !self.unused.contains(&place))
            } {
                return Err(format!("list {place} has {} uses, of agents {uses}", list.uses));
            }
        }
        Ok(())
    }
}

/// A part of a list: `count` orders behind the first `before`. Empty without a list.
fn orders_in(lists: &Places<StoredList>, place: u32, (before, count): (u32, u32)) -> &[Order] {
    let behind = lists.get(place).and_then(|list| list.orders.get(before as usize..));
    behind.and_then(|orders| orders.get(..count as usize)).unwrap_or(&[])
}

/// The open part of the current list of an agent: the number of orders that are closed, and that of the others.
fn open_part(lists: &Places<StoredList>, state: &OrderState) -> (u32, u32) {
    let before = lists.get(state.list).map_or(0, |list| state.open.first - list.first);
    (before, state.open.count)
}

/// The open orders of the current list of an agent, the current order first. Reads the lists alone, so that the
/// agent's tasks can change meanwhile.
fn open_of_list<'a>(lists: &'a Places<StoredList>, state: &OrderState) -> &'a [Order] {
    orders_in(lists, state.list, open_part(lists, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_planner::{Heading, Pose};

    /// Three lists of two orders each, given at ticks 3, 5 and 8. The agent is through with the first order.
    fn three_lists() -> (OrderPool, OrderState) {
        let (mut pool, mut state) = (OrderPool::default(), OrderState::none_at(0));
        let north = |x| Order::goto_pose(Pose::new(x, 0, Heading(1)), 4);
        for given in [3, 5, 8] {
            let list = pool.store(Arc::new([north(1), north(2)]), None);
            pool.append(&mut state, list, given);
        }
        pool.close(&mut state);
        (pool, state)
    }

    #[test]
    fn converted_lists_keep_the_tick_at_which_they_were_given() {
        let (mut pool, mut state) = three_lists();
        pool.convert(&mut state, 1);
        assert!(pool.open(&state).all(|order| order.headings == 1));
        assert_eq!(pool.check(&[state]), Ok(()));
        let mut given = Vec::new();
        while pool.current(&state).is_some() {
            given.push(state.given);
            pool.close(&mut state);
        }
        assert_eq!(given, [3, 5, 5, 8, 8]);
        pool.free_unused();
        assert_eq!(pool.in_use(), [0; 4]);
    }

    #[test]
    fn a_list_that_names_no_heading_stays_shared() {
        let (mut pool, mut state) = three_lists();
        let mut other = OrderState::none_at(0);
        let list = pool.store(Arc::new([Order::wait(7), Order::hold()]), None);
        pool.append(&mut state, list, 9);
        pool.append(&mut other, list, 9);
        let in_use = pool.in_use();
        pool.convert(&mut state, 8);
        pool.free_unused();
        assert_eq!((pool.in_use(), pool.check(&[state, other])), (in_use, Ok(())));
        let headings: Vec<u8> = pool.open(&state).map(|order| order.headings).collect();
        assert_eq!(headings, [8, 8, 8, 8, 8, 1, 1]);
    }
}
