//! Commands that give agents orders and tasks.

use super::selection::for_each_row;
use crate::assigned_poses::AssignedPoses;
use crate::commands::{AgentSelection, GOALS_MAX, ORDERS_MAX, RefusalReason, Ticket};
use crate::log::TraceEvent;
use crate::order_pool::{OrderPool, OrderState};
use crate::orders::{LackedGoal, Order, OrderKind};
use crate::statistics::TripStatistics;
use crate::tasks::TaskSource;
use crate::trip::Trip;
use crate::world::World;
use std::sync::Arc;
use wheelbase_grid::Rect;
use wheelbase_planner::GoalMember;
use wheelbase_planner::model::HEADING_COUNTS;
use wheelbase_planner::search::Fallback;
use wheelbase_traffic::motion::{Activity, AgentId};

/// The orders of a command, stored in the pool once for each number of headings that needs a separate list.
pub(crate) struct StoredOrders<'a> {
    orders: &'a Arc<[Order]>,
    /// Places of the lists; without headings all are that of the first.
    places: [Option<u32>; HEADING_COUNTS.len()],
    names_no_heading: bool,
    has_group: bool,
    /// Number of the first order to a group.
    group: Option<u32>,
}

impl<'a> StoredOrders<'a> {
    /// Orders that were checked; none is stored yet.
    pub fn new(orders: &'a Arc<[Order]>) -> Self {
        Self {
            orders,
            places: [None; HEADING_COUNTS.len()],
            names_no_heading: orders.iter().all(Order::names_no_heading),
            has_group: orders.iter().any(|order| order.kind.group().is_some()),
            group: None,
        }
    }

    /// Whether they are these very orders.
    pub fn is_of(&self, orders: &Arc<[Order]>) -> bool {
        Arc::ptr_eq(self.orders, orders)
    }

    /// The place of the list for classes of a number of headings, as the command of a ticket gives it; `None` without
    /// orders.
    pub fn of(
        &mut self,
        (pool, assigned_poses): (&mut OrderPool, &mut AssignedPoses),
        cause: Option<Ticket>,
        headings: u8,
    ) -> Option<u32> {
        if self.orders.is_empty() {
            return None;
        }
        let kind = if self.names_no_heading {
            Some(0)
        } else {
            HEADING_COUNTS.iter().position(|&of| of == headings)
        };
        let place = &mut self.places[kind?];
        if place.is_none() {
            let first = *self.group.get_or_insert(pool.next_number());
            let fits = |order: &Order| order.headings == headings;
            let list = if !self.has_group && (self.names_no_heading || self.orders.iter().all(fits)) {
                Arc::clone(self.orders)
            } else {
                let numbered = |(at, order): (usize, &Order)| {
                    let mut order = order.for_headings(headings);
                    order.kind.set_group(first.wrapping_add(at as u32));
                    order
                };
                self.orders.iter().enumerate().map(numbered).collect()
            };
            assigned_poses.make_room_for(&list);
            *place = Some(pool.store(list, cause));
        }
        *place
    }
}

/// Whether orders can be given.
/// # Errors
/// The reason why not.
pub(crate) fn check_orders(world: &World, orders: &[Order]) -> Result<(), RefusalReason> {
    if orders.len() > ORDERS_MAX {
        return Err(RefusalReason::TooLong);
    }
    let mut n_goals = 0;
    for (at, order) in orders.iter().enumerate() {
        check_order(world, order, (&orders[..at], at + 1 == orders.len()))?;
        n_goals += order.lacked.len() + order.kind.trip().map_or(0, |trip| trip.members.len());
    }
    if n_goals > GOALS_MAX { Err(RefusalReason::TooLong) } else { Ok(()) }
}

/// Whether an order can be given behind others, as the last of its list or not.
pub(crate) fn check_order(
    world: &World,
    order: &Order,
    (before, is_last): (&[Order], bool),
) -> Result<(), RefusalReason> {
    let lacks_right = |&LackedGoal { heading: (headings, heading), .. }: &LackedGoal| {
        HEADING_COUNTS.contains(&headings) && heading.0 < headings
    };
    if !HEADING_COUNTS.contains(&order.headings) || !order.lacked.iter().all(lacks_right) {
        return Err(RefusalReason::WrongHeading);
    }
    let kind = &order.kind;
    if kind.trip().is_some_and(|trip| trip.formation) && kind.group().is_none() {
        return Err(RefusalReason::WrongOrder);
    }
    if let Some(count) = kind.repeats() {
        let repeated = before.len().checked_sub(count as usize).map(|first| &before[first..]);
        return match repeated {
            Some(orders @ [_, ..]) if orders.iter().all(|order| order.kind.can_repeat()) => Ok(()),
            _ => Err(RefusalReason::WrongOrder),
        };
    }
    if let Some((source, _)) = kind.tasks() {
        // Nothing behind tasks ever begins.
        return if is_last { check_source(world, source, 0) } else { Err(RefusalReason::WrongOrder) };
    }
    match (kind.area(), kind.trip()) {
        (_, None) => Ok(()),
        (Some(area), Some(trip)) => check_area(world, area, trip),
        (None, Some(trip)) => check_trip(world, order, trip),
    }
}

/// Whether an order can lead to an area.
fn check_area(world: &World, area: Rect, trip: &Trip) -> Result<(), RefusalReason> {
    if area.intersection(world.grid.size().rect()).is_empty() && trip.fallback == Fallback::Fail {
        return Err(RefusalReason::GoalOffMap);
    }
    if trip.members.is_empty() { Ok(()) } else { Err(RefusalReason::WrongOrder) }
}

/// Whether an order can lead to the members of its trip.
fn check_trip(world: &World, order: &Order, trip: &Trip) -> Result<(), RefusalReason> {
    let mut headings = trip.members.iter().filter_map(|member| member.heading);
    if headings.any(|heading| heading.0 >= order.headings) {
        return Err(RefusalReason::WrongHeading);
    }
    let n_goals = trip.members.len() + order.lacked.len();
    if n_goals == 0 || order.kind.group().is_some() && n_goals > 1 {
        return Err(RefusalReason::WrongOrder);
    }
    let is_on_map = |member: &GoalMember| world.is_near_map(member.cell, trip.within);
    let are_on_map = match order.kind.visits_all() {
        true => trip.members.iter().all(is_on_map),
        false => trip.members.is_empty() || trip.members.iter().any(is_on_map),
    };
    if are_on_map || trip.fallback != Fallback::Fail { Ok(()) } else { Err(RefusalReason::GoalOffMap) }
}

/// Checks the leaders of orders.
/// # Errors
/// [`RefusalReason::UnknownAgent`] if one of them is not there.
pub(crate) fn check_leaders(
    orders: &[Order],
    is_there: impl Fn(AgentId) -> bool,
) -> Result<(), RefusalReason> {
    if leaders_of(orders).all(is_there) { Ok(()) } else { Err(RefusalReason::UnknownAgent) }
}

/// Checks that an agent is not its own leader.
/// # Errors
/// [`RefusalReason::WrongOrder`].
pub(crate) fn check_not_own_leader(agent: AgentId, orders: &[Order]) -> Result<(), RefusalReason> {
    if leaders_of(orders).any(|leader| leader == agent) { Err(RefusalReason::WrongOrder) } else { Ok(()) }
}

fn leaders_of(orders: &[Order]) -> impl Iterator<Item = AgentId> {
    orders.iter().filter_map(|order| Some(order.kind.leader()?.0))
}

/// Whether a source has a goal for the agents of `n_agents` indices.
fn check_source(world: &World, source: &TaskSource, n_agents: usize) -> Result<(), RefusalReason> {
    if source.is_right(world.grid.size(), n_agents) { Ok(()) } else { Err(RefusalReason::WrongTasks) }
}

/// Gives orders to agents, in place of their remaining orders or behind them. Orders given to an agent at one tick are
/// one list, without the orders it was placed with at that tick. An agent in mid-move ends its move first.
pub(super) fn give_orders(
    world: &mut World,
    ticket: Ticket,
    agents: &AgentSelection,
    orders: &Arc<[Order]>,
    append: bool,
) -> Result<(), RefusalReason> {
    check_orders(world, orders)?;
    check_leaders(orders, |leader| world.agents.present_row(leader).is_some())?;
    let mut stored = StoredOrders::new(orders);
    let stops = !append && orders.first().is_some_and(|order| order.kind == OrderKind::Stop);
    for_each_row(world, ticket, agents, |world, number, row| {
        check_not_own_leader(world.agents.ids[row], orders)?;
        let motion = world.agents.motion[row];
        let headings = world.tables[usize::from(motion.class.0)].space().headings();
        let list = stored.of((&mut world.orders, &mut world.assigned_poses), Some(ticket), headings);
        let before = world.agents.orders(row);
        // Behind nothing an order is as if it replaced: an agent on its way aside takes it up immediately.
        let is_further = world.tick_buffers.given_orders.contains(row);
        world.tick_buffers.given_orders.insert(row);
        if !append && !is_further && goes_on(world, row, list, orders.len()) {
            return Ok(());
        }
        let is_behind = if append { before.open.count > 0 } else { is_further && !stops };
        if !is_behind {
            let is_of_placement = before.given == world.tick && !is_further;
            if is_of_placement {
                world.events.note_replaced(world.agents.ids[row]);
            }
            drop_orders(world, row);
        }
        world.agents.busy.insert(row);
        let mut state = world.agents.orders(row);
        let was_idle = state.open.count == 0;
        if let Some(list) = list {
            world.orders.append(&mut state, list, world.tick);
            world.orders.begin_tasks(&mut state, list, number, world.settings.seed);
            if append && was_idle {
                state.since = if motion.at_rest() { world.tick } else { motion.until };
            }
        }
        world.agents.set_orders(row, state, &world.orders);
        if let Some(list) = list {
            world.note_orders(row, list, append);
        }
        if stops {
            // Immediately, so that an order of the same tick can follow.
            world.agents.change_orders(row, &mut world.orders, OrderPool::close);
        }
        Ok(())
    })
}

/// If a stored list equals the only order left to the agent in a row, the agent continues with the list and keeps its
/// progress.
fn goes_on(world: &mut World, row: usize, list: Option<u32>, n_orders: usize) -> bool {
    let mut state = world.agents.orders(row);
    let (Some(list), true) = (list, n_orders == 1 && state.open.count == 1 && !state.has_queued()) else {
        return false;
    };
    let (Some(now), Some(new)) = (world.orders.current(&state), world.orders.first_of(list)) else {
        return false;
    };
    // Its orders of placement at this tick were never begun. An agent without a pose has no progress with its group.
    if !now.is_same(new)
        || state.given == world.tick
        || state.reported
        || now.kind.group().is_some() && world.agents.assigned[row].is_none()
    {
        return false;
    }
    if let (Some(now), Some(new)) = (now.kind.group(), new.kind.group()) {
        world.group_goals.renew(now, new, world.agents.motion[row].class);
    }
    world.orders.renew(&mut state, list, world.tick);
    world.agents.set_orders(row, state, &world.orders);
    world.note_orders(row, list, false);
    true
}

/// Drops all orders and tasks of the agent in a row, with its path. The orders phase begins the next ones once it
/// rests.
fn drop_orders(world: &mut World, row: usize) {
    world.release_pose(row);
    world.agents.drop_path(row);
    let motion = world.agents.motion[row];
    let mut state = world.agents.orders(row);
    world.orders.clear(&mut state);
    state = OrderState::none_at(world.tick);
    if !motion.at_rest() {
        state.since = motion.until;
    }
    world.agents.set_orders(row, state, &world.orders);
    let finished = world.agents.statistics[row].finished;
    world.agents.statistics[row] = TripStatistics { finished, ..TripStatistics::NEW };
    world.agents.set_activity(row, Activity::Idle);
    world.agents.motion[row].replan = false;
    let wait_state = &mut world.agents.wait_states[row];
    (wait_state.failures, wait_state.look_failures) = (0, 0);
    (wait_state.ask_again_at, wait_state.look_again_at) = (world.tick, world.tick);
    world.obstructed.remove(world.agents.ids[row]);
    world.tick_buffers.requests_over.insert(row);
}

/// Gives agents tasks, in place of those they have or behind their orders.
pub(super) fn give_tasks(
    world: &mut World,
    ticket: Ticket,
    agents: &AgentSelection,
    source: Arc<TaskSource>,
    stream: u32,
) -> Result<(), RefusalReason> {
    check_source(world, &source, 0)?;
    let orders: Arc<[Order]> = Arc::new([Order::new(OrderKind::Tasks(Arc::clone(&source), stream))]);
    let mut stored = StoredOrders::new(&orders);
    for_each_row(world, ticket, agents, |world, number, row| {
        check_source(world, &source, number as usize + 1)?;
        let pools = (&mut world.orders, &mut world.assigned_poses);
        let Some(list) = stored.of(pools, Some(ticket), 1) else { return Ok(()) };
        let mut state = world.agents.orders(row);
        let motion = world.agents.motion[row];
        let was_idle = state.open.count == 0;
        let had_current = world.orders.tasks(&state).is_some();
        let had = world.orders.drop_tasks(&mut state);
        world.orders.append(&mut state, list, world.tick);
        world.orders.begin_tasks(&mut state, list, number, world.settings.seed);
        if had_current || was_idle {
            state.begin_trip(if motion.at_rest() { world.tick } else { motion.until });
        }
        world.agents.busy.insert(row);
        world.agents.set_orders(row, state, &world.orders);
        if had_current {
            world.agents.drop_path(row);
            world.agents.set_activity(row, Activity::Idle);
            world.agents.motion[row].replan = false;
            world.tick_buffers.requests_over.insert(row);
        }
        if had {
            world.note(TraceEvent::TasksReplaced { agent: world.agents.ids[row] });
        }
        Ok(())
    })
}
