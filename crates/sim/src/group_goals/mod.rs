//! Orders to a group: poses around one goal for many agents, and which agent goes to which.
//!
//! All agents for which such an order becomes current at the same tick are served together. Each class has one cost
//! field to the goal. It tells which poses are nearest to the goal by cost-to-go, and from which side and in which
//! order the agents arrive. Every agent follows it to near the goal, and only the last part of its path, to its own
//! pose, is searched for. Everything is computed from the agents as they are. Between ticks only the orders that wait
//! for their field are kept, and the centre of each choice.

mod batch;
mod formation;
mod matching;
mod nearby_poses;
mod view;

use crate::goal_poses::poses_of;
use crate::orders::Order;
use crate::shared_fields::SharedFields;
use crate::unreachable::UnreachableReason;
use batch::{Batch, GroupCentre, UnassignedAgent, starts_of};
use formation::{Layout, paces};
use matching::{Point, keep_held, match_in_order};
use nearby_poses::{GoalDistance, NearbyPoses, PARTS, is_near_goal, nearest_member};
use serde::{Deserialize, Serialize};
pub(crate) use view::GroupView;
use wheelbase_grid::BitGrid;
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::search::Fallback;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{Goal, GoalMember, MovementTables, Progress, SettleTarget};
use wheelbase_traffic::motion::{Activity, AgentId, ClassId, end_state};

/// Orders to groups.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GroupGoals {
    /// Numbers of the orders for which agents wait for a pose, rising.
    open: Vec<u32>,
    /// Centres of the last choice of poses, by order and class.
    centres: Vec<GroupCentre>,
    /// Number of centres in use when unused ones were last dropped.
    n_used: usize,
    /// Own speed factors of agents that move at the pace of their formation, by rising id.
    own_factors: Vec<(u32, u16)>,
}

/// Up to this many centres, none is dropped.
const CENTRES_FEW: usize = 64;

impl GroupGoals {
    /// Opens an order: agents wait for poses.
    pub fn open(&mut self, order: u32) {
        if let Err(at) = self.open.binary_search(&order) {
            self.open.insert(at, order);
        }
    }

    /// The open order at an index.
    pub fn open_at(&self, at: usize) -> Option<u32> {
        self.open.get(at).copied()
    }

    /// Closes the open order at an index: no agent waits for its poses any more.
    pub fn close_at(&mut self, at: usize) {
        self.open.remove(at);
    }

    /// Whether it pays to drop the centres of orders that no agent has any more.
    pub fn has_many(&self) -> bool {
        self.centres.len() > CENTRES_FEW.max(2 * self.n_used)
    }

    /// Drops the centres of all orders except these, in rising order.
    pub fn keep(&mut self, orders: &[u32]) {
        self.centres.retain(|centre| orders.binary_search(&centre.order).is_ok());
        self.n_used = self.centres.len();
    }

    /// The agents of a class go on with an order to a group under another number.
    pub fn renew(&mut self, order: u32, to: u32, class: ClassId) {
        if self.centres(to, class).next().is_some() {
            return;
        }
        for at in 0..self.centres.len() {
            let centre = self.centres[at];
            if (centre.order, centre.class) == (order, class) {
                self.centres.push(GroupCentre { order: to, ..centre });
            }
        }
    }

    /// Notes the own speed factor of an agent that moves at the pace of its formation from now on.
    pub fn note_own_factor(&mut self, agent: AgentId, factor: u16) {
        match self.own_factors.binary_search_by_key(&agent.0, |own| own.0) {
            Ok(at) => self.own_factors[at].1 = factor,
            Err(at) => self.own_factors.insert(at, (agent.0, factor)),
        }
    }

    /// Sets the own speed factor of an agent, if it moves at the pace of its formation. Returns whether it does.
    pub fn renew_own_factor(&mut self, agent: AgentId, factor: u16) -> bool {
        let at = self.own_factors.binary_search_by_key(&agent.0, |own| own.0);
        at.inspect(|&at| self.own_factors[at].1 = factor).is_ok()
    }

    /// The agent leaves its formation; gives its own speed factor if it moved at another pace.
    pub fn take_own_factor(&mut self, agent: AgentId) -> Option<u16> {
        let at = self.own_factors.binary_search_by_key(&agent.0, |own| own.0).ok()?;
        Some(self.own_factors.remove(at).1)
    }

    /// Number of centres.
    pub fn n_centres(&self) -> usize {
        self.centres.len()
    }

    /// Goals around which poses of an order were chosen for a class.
    pub fn centres(&self, order: u32, class: ClassId) -> impl Iterator<Item = GoalMember> {
        let of_class = move |centre: &&GroupCentre| centre.order == order && centre.class == class;
        self.centres.iter().filter(of_class).map(|centre| centre.goal)
    }

    /// The first mistake in the data read, for a world of some classes, in words. `has_pose` tells whether an agent is
    /// assigned a pose.
    pub fn mistake(
        &self,
        headings_of: impl Fn(ClassId) -> Option<u8>,
        has_pose: impl Fn(AgentId) -> bool,
    ) -> Option<&'static str> {
        let is_known = |centre: &GroupCentre| {
            let heading = centre.goal.heading.map_or(0, |heading| heading.0);
            headings_of(centre.class).is_some_and(|headings| heading < headings)
        };
        if !self.open.is_sorted_by(|one, other| one < other) {
            return Some("open orders to groups out of order");
        }
        if !self.own_factors.is_sorted_by(|one, other| one.0 < other.0) {
            return Some("own speed factors out of order");
        }
        if !self.own_factors.iter().all(|&(agent, factor)| factor > 0 && has_pose(AgentId(agent))) {
            return Some("an own speed factor of 0, or of an agent without a pose of a formation");
        }
        let all = self.centres.iter().all(is_known);
        (!all).then_some("a group's goal of an unknown class or heading")
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        self.open.iter().for_each(|&order| word(u64::from(order)));
        self.own_factors.iter().for_each(|&(agent, factor)| word(u64::from(agent) << 16 | u64::from(factor)));
        for GroupCentre { order, class, goal } in &self.centres {
            word(u64::from(*order) << 8 | u64::from(class.0));
            word(u64::from(goal.cell.x as u32) << 32 | u64::from(goal.cell.y as u32));
            word(goal.heading.map_or(u64::MAX, |heading| u64::from(heading.0)));
        }
    }
}

/// An agent that is assigned no pose, and why.
type Refused = (AgentId, UnreachableReason);

/// The poses chosen for the agents that wait for poses of an order.
#[derive(Debug, Default)]
pub(crate) struct GroupPoses {
    /// Agents with their poses.
    pub assigned: Vec<(AgentId, State)>,
    /// Agents without a pose, and why.
    pub refused: Vec<Refused>,
    /// Speed factors of agents that move at the pace of their formation, in thousandths, other than their own.
    pub paces: Vec<(AgentId, u16)>,
}

/// Chooses poses for all agents that wait for one of an order; `None` if the budget is spent before that. The
/// components of all tables must be up to date.
pub(crate) fn choose_group_poses(
    group_goals: &mut GroupGoals,
    fields: &mut SharedFields,
    view: GroupView<'_>,
    order: u32,
    left: &mut u64,
) -> Option<GroupPoses> {
    let n_orders = group_goals.open.len();
    let waits = (0..view.agents.len()).filter_map(|row| wait_of(view, row, order));
    let (poses, batches) = choose_for(fields, view, (order, n_orders), waits, left)?;
    let classes: Vec<ClassId> = batches.iter().map(|batch| batch.centre.class).collect();
    group_goals.centres.retain(|centre| centre.order != order || !classes.contains(&centre.class));
    group_goals.centres.extend(batches.iter().map(|batch| batch.centre));
    Some(poses)
}

/// The poses that agents in some rows, ascending, would be assigned by an order that is given to them now. The
/// components of all tables must be up to date.
pub(crate) fn preview_group_poses(
    group_goals: &GroupGoals,
    fields: &mut SharedFields,
    view: GroupView<'_>,
    rows: &[usize],
    order: &Order,
) -> Option<GroupPoses> {
    let waits = rows.iter().filter_map(|&row| {
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let of_class = order.for_headings(tables.space().headings());
        let trip = of_class.kind.trip().filter(|_| of_class.kind.group().is_some())?;
        let (from, goal) = (end_state(tables, motion), trip.members.first().copied());
        Some(Wait { row, from, goal, fallback: trip.fallback, in_formation: trip.formation })
    });
    let number = (u32::MAX, group_goals.open.len() + 1);
    let mut unlimited = u64::MAX;
    choose_for(fields, view, number, waits, &mut unlimited).map(|(poses, _)| poses)
}

/// Chooses poses for agents that wait for one of an order of a number, one of some open orders.
fn choose_for(
    fields: &mut SharedFields,
    view: GroupView<'_>,
    (order, n_orders): (u32, usize),
    waits: impl Iterator<Item = Wait>,
    left: &mut u64,
) -> Option<(GroupPoses, Vec<Batch>)> {
    let (mut batches, mut refused) = batches_of(view, order, waits);
    // The fields of a choice must all be kept until it is made, like the fields of other open orders. Otherwise fields
    // would displace each other at every tick, and none would ever be ready.
    let tables = batches.iter().map(|batch| &view.tables[batch.centre.class.0 as usize]);
    let by_field = fields.fit(tables.flat_map(|tables| std::iter::repeat_n(tables, n_orders)));
    for batch in &mut batches {
        batch.by_field = by_field;
        if !grow_to_agents(view, fields, batch, left, &mut refused) {
            return None;
        }
    }
    // The batch that is nearest on average chooses first, so that later arrivals stand behind it. Stable: batches of
    // equal mean stay in order of their first agents.
    let total = |batch: &Batch| batch.agents.iter().map(|waiting| u128::from(waiting.cost)).sum::<u128>();
    let share = |batch: &Batch, of: &Batch| total(batch) * of.agents.len() as u128;
    batches.sort_by(|one, other| share(one, other).cmp(&share(other, one)));
    let mut is_member = vec![false; view.agents.len()];
    for waiting in batches.iter().flat_map(|batch| &batch.agents) {
        if let Some(row) = view.agents.row(waiting.agent) {
            is_member[row] = true;
        }
    }
    let mut taken = BitGrid::new(view.size);
    let mut assigned = Vec::new();
    if let Some(layout) = Layout::of_formation(view, &batches) {
        let poses = layout.poses(view, &batches, &is_member, &mut taken);
        for (waiting, pose) in batches.iter().flat_map(|batch| &batch.agents).zip(poses) {
            match pose {
                Some(pose) => assigned.push((waiting.agent, pose)),
                None => refused.push((waiting.agent, UnreachableReason::NoRoom)),
            }
        }
        let paces = paces(view, &assigned);
        return Some((sorted(GroupPoses { assigned, refused, paces }), batches));
    }
    for batch in &mut batches {
        let poses = choose_poses(view, fields, batch, &is_member, &mut taken, left)?;
        // Agents are sorted by cost: the nearest ones get the poses.
        let without = batch.agents.split_off(poses.len());
        refused.extend(without.iter().map(|waiting| (waiting.agent, UnreachableReason::NoRoom)));
        let (from, to) = points_of(view, fields, batch, &poses);
        let mut matched = match_in_order(&from, &to);
        let held: Vec<Option<u32>> = held_by(&batch.agents, &poses);
        keep_held(&held, &mut matched);
        let pairs = batch.agents.iter().zip(matched);
        assigned.extend(pairs.map(|(waiting, to)| (waiting.agent, poses[to as usize])));
    }
    Some((sorted(GroupPoses { assigned, refused, paces: Vec::new() }), batches))
}

/// The same, in order of id.
fn sorted(mut poses: GroupPoses) -> GroupPoses {
    poses.assigned.sort_unstable();
    poses.refused.sort_unstable_by_key(|&(agent, _)| agent);
    poses
}

/// The agents that wait for a pose of an order, by class and goal, and the agents that can reach no goal.
fn batches_of(
    view: GroupView<'_>,
    order: u32,
    waits: impl Iterator<Item = Wait>,
) -> (Vec<Batch>, Vec<Refused>) {
    let mut refused = Vec::new();
    let mut batches: Vec<Batch> = Vec::new();
    for Wait { row, from, goal, fallback, in_formation } in waits {
        let (class, agent) = (view.agents.motion[row].class, view.agents.ids[row]);
        let tables = &view.tables[class.0 as usize];
        let waiting = UnassignedAgent { agent, from, cost: 0 };
        let reaches_goal = goal.filter(|&goal| reaches(tables, from, goal));
        let fits = |batch: &&mut Batch| {
            let centre = batch.centre;
            centre.class == class
                && match reaches_goal {
                    Some(goal) => centre.goal == goal,
                    None => Some(centre.goal) != goal && reaches(tables, from, centre.goal),
                }
        };
        if let Some(batch) = batches.iter_mut().find(fits) {
            batch.agents.push(waiting);
            continue;
        }
        let goes_near = in_formation || fallback == Fallback::Nearest;
        let near = || nearest_member(tables, goal.filter(|_| goes_near)?, from);
        match reaches_goal.or_else(near) {
            Some(goal) => {
                let centre = GroupCentre { order, class, goal };
                batches.push(Batch { centre, in_formation, by_field: false, agents: vec![waiting] });
            }
            None => refused.push((agent, why_unreachable(tables, goal))),
        }
    }
    (batches, refused)
}

/// Why an unreachable goal cannot be reached.
fn why_unreachable(tables: &MovementTables, goal: Option<GoalMember>) -> UnreachableReason {
    match goal {
        None => UnreachableReason::NoSuchHeading,
        Some(goal) if !tables.space().size().contains(goal.cell) => UnreachableReason::GoalOffMap,
        Some(goal) if poses_of(tables, goal).next().is_none() => UnreachableReason::GoalBlocked,
        Some(_) => UnreachableReason::Unreachable,
    }
}

/// An agent that waits for a pose: its row, the state that it starts from, the goal, and the fallback.
struct Wait {
    row: usize,
    from: State,
    goal: Option<GoalMember>,
    fallback: Fallback,
    in_formation: bool,
}

/// If the agent in a row waits for a pose of an order: what for.
fn wait_of(view: GroupView<'_>, row: usize, order: u32) -> Option<Wait> {
    let motion = &view.agents.motion[row];
    let waits = match motion.activity {
        Activity::AwaitingPath => motion.at_rest(),
        // It was given the order in mid-move.
        Activity::Idle => !motion.at_rest(),
        // It was pushed aside before the poses were chosen.
        Activity::Yielding => true,
        _ => false,
    };
    // An agent whose way others obstruct looks for the nearest pose.
    if !waits || view.agents.assigned[row].is_some() || view.agents.orders(row).to_nearest {
        return None;
    }
    let kind = view.orders.kind(&view.agents.orders(row))?;
    let (number, trip) = (kind.group()?, kind.trip()?);
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_state(tables, motion);
    let goal = trip.members.first().copied();
    let in_formation = trip.formation;
    (number == order).then_some(Wait { row, from, goal, fallback: trip.fallback, in_formation })
}

/// Whether some legal pose of a goal may be reachable, according to components.
fn reaches(tables: &MovementTables, from: State, goal: GoalMember) -> bool {
    poses_of(tables, goal).any(|state| tables.components().reachability(from, state) != Reachability::No)
}

/// Settles the field of a batch up to its agents, sorts them by cost, and refuses agents that cannot reach the goal.
/// Returns `false` if the budget is spent before that.
fn grow_to_agents(
    view: GroupView<'_>,
    fields: &mut SharedFields,
    batch: &mut Batch,
    left: &mut u64,
    refused: &mut Vec<Refused>,
) -> bool {
    let GroupCentre { class, goal, .. } = batch.centre;
    let tables = &view.tables[class.0 as usize];
    let members = [goal];
    let goal_set = Goal::of(&members);
    let field = match batch.by_field {
        true => fields.obtain(class, tables, &goal_set, view.tick),
        false => None,
    };
    let Some(field) = field else {
        let to_goal = |from: State| tables.space().shape().measure(tables.space().pose(from).cell, goal.cell);
        batch.agents.sort_by_key(|waiting| (to_goal(waiting.from), waiting.agent));
        return true;
    };
    for waiting in &mut batch.agents {
        let settled = field.settle(tables, SettleTarget::Pose(waiting.from), *left);
        *left = left.saturating_sub(settled.expansions);
        if settled.progress == Progress::Running {
            return false;
        }
        waiting.cost = field.cost(waiting.from).unwrap_or(u32::MAX);
    }
    batch.agents.sort_by_key(|waiting| (waiting.cost, waiting.agent));
    let reached = batch.agents.partition_point(|waiting| waiting.cost < u32::MAX);
    let far = batch.agents.drain(reached..);
    refused.extend(far.map(|waiting| (waiting.agent, UnreachableReason::Unreachable)));
    true
}

/// Chooses a pose for each agent of a batch while there is room, nearest first, and marks the cells as taken. `None`
/// if the budget is spent before that.
fn choose_poses(
    view: GroupView<'_>,
    fields: &mut SharedFields,
    batch: &Batch,
    is_member: &[bool],
    taken: &mut BitGrid,
    left: &mut u64,
) -> Option<Vec<State>> {
    let GroupCentre { class, goal, .. } = batch.centre;
    let members = [goal];
    let starts = starts_of(&view.tables[class.0 as usize], &batch.agents);
    let mut stands = vec![false; view.agents.len()];
    for row in batch.agents.iter().filter_map(|waiting| view.agents.row(waiting.agent)) {
        stands[row] = view.agents.motion[row].at_rest();
    }
    let mut reach = 4 * PARTS;
    loop {
        let tables = &view.tables[class.0 as usize];
        let mut all = is_near_goal(tables.space().size(), goal.cell, reach / PARTS);
        if batch.by_field
            && let Some(field) = fields.obtain(class, tables, &Goal::of(&members), view.tick)
        {
            let ticks = GoalDistance::new(tables, goal.cell).ticks(reach);
            let settled = field.settle(tables, SettleTarget::Within(ticks), *left);
            *left = left.saturating_sub(settled.expansions);
            if settled.progress == Progress::Running {
                return None;
            }
            all = all && field.is_complete() && field.within(u32::MAX).all(|(_, cost)| cost <= ticks);
        }
        let field = field_of(fields, batch);
        let stands = &stands;
        let nearby = NearbyPoses { view, class, goal, is_member, stands, field, starts: &starts };
        let poses = nearby.choose(batch.agents.len(), reach, taken);
        if poses.len() == batch.agents.len() || all {
            return Some(poses);
        }
        nearby.release(&poses, taken);
        reach = reach.saturating_mul(2);
    }
}

/// By agent, the index of the pose in which it stands, or will stand once its move has ended.
fn held_by(agents: &[UnassignedAgent], poses: &[State]) -> Vec<Option<u32>> {
    let mut by_state: Vec<(State, u32)> = poses.iter().copied().zip(0..).collect();
    by_state.sort_unstable();
    let index_of = |state| by_state.binary_search_by_key(&state, |&(state, _)| state).ok();
    agents.iter().map(|waiting| index_of(waiting.from).map(|at| by_state[at].1)).collect()
}

/// Longest base time of a move in ticks.
pub(crate) fn longest_move(tables: &MovementTables) -> u32 {
    tables.class().primitives().iter().map(|primitive| primitive.time).max().unwrap_or(0)
}

fn field_of<'f>(fields: &'f SharedFields, batch: &Batch) -> Option<&'f CostField> {
    let field = fields.get(batch.centre.class, &Goal::of(&[batch.centre.goal]));
    field.filter(|_| batch.by_field)
}

/// Points for the agents of a batch and for their poses, on a plane without obstacles. The point of an agent lies on
/// the ray from the goal through the cell where its path comes near. It is as far out as the path is long.
fn points_of(
    view: GroupView<'_>,
    fields: &SharedFields,
    batch: &Batch,
    poses: &[State],
) -> (Vec<Point>, Vec<Point>) {
    let tables = &view.tables[batch.centre.class.0 as usize];
    let shape = tables.space().shape();
    let point = |state: State| Point::of_cell(shape, tables.space().pose(state).cell);
    let to: Vec<Point> = poses.iter().map(|&state| point(state)).collect();
    let Some(field) = field_of(fields, batch) else {
        return (batch.agents.iter().map(|waiting| point(waiting.from)).collect(), to);
    };
    let farthest = poses.iter().filter_map(|&state| field.cost(state)).max().unwrap_or(0);
    let rim = farthest.saturating_mul(2).saturating_add(longest_move(tables));
    let goal = Point::of_cell(shape, batch.centre.goal.cell);
    let from = batch.agents.iter().map(|waiting| {
        let (mut at, mut cost) = (waiting.from, waiting.cost);
        while cost > rim
            && let Some(next) = field.next(tables, at)
        {
            (at, cost) = (next.state, cost - next.ticks);
        }
        goal.beyond(point(at), (waiting.cost, cost))
    });
    (from.collect(), to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::{class, drive, group, setup, world};
    use crate::shared_fields::SharedFields;
    use crate::{Command, Order, RunState, invariant};
    use wheelbase_grid::{CellXY, GridSize};
    use wheelbase_maps::{MapKind, generate};
    use wheelbase_planner::ClassSpec;

    /// As on a map too large for fields.
    #[test]
    fn straight_distances_replace_fields_without_memory() -> Result<(), Box<dyn std::error::Error>> {
        let size = GridSize::new(40, 30)?;
        for bytes_max in [0, 1 << 20] {
            let cart = class(ClassSpec::new("cart", 4), &[(0, 0)], drive(2, 1));
            let mut setup = setup(900, generate(MapKind::Rooms, size, 2), vec![cart]);
            let to = |x, y| Order::goto_group(CellXY::new(x, y)).or_nearest();
            setup.scheduled.push((300, Command::order(size.rect(), to(5, 5))));
            let mut world = world(setup, [group(0, 12, size.rect(), [to(20, 14)])]);
            world.requests.fields = SharedFields::with_bytes_max(bytes_max);
            while world.step() == RunState::Running {
                assert_eq!(invariant::check(&world), []);
                let class = ClassId(0);
                let kept =
                    |&goal: &GoalMember| world.requests.fields.get(class, &Goal::of(&[goal])).is_some();
                assert_eq!(world.group_goals.centres(0, class).any(|goal| kept(&goal)), bytes_max > 0);
            }
            let counts = world.counts();
            assert!(counts.orders_done >= 12 && counts.orders_unreachable == 0, "{counts:?}");
        }
        Ok(())
    }
}
