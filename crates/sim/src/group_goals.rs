//! Orders to a group: poses around one goal for many agents, and who goes to which.
//!
//! All agents for which such an order becomes the current one at a tick are served together. Their class has
//! one cost field to the goal. It tells which poses are nearest to the goal, by cost-to-go, and from which
//! side and in which order the agents come; every agent then follows it to near the goal, and only the last
//! part of its way, to its own pose, is searched for. All is worked out from the agents as they are: nothing
//! is kept between ticks but which orders wait for their field.

mod matching;
mod room;
mod view;

use crate::goal_poses::poses_of;
use crate::orders::OrderKind;
use crate::shared_fields::SharedFields;
use crate::unreachable::UnreachableReason;
use matching::{Place, match_in_order};
use room::{Nearness, PARTS, Room, is_near_goal, nearest_member};
pub(crate) use view::GroupView;
use wheelbase_grid::BitGrid;
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::State;
use wheelbase_planner::search::Fallback;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{Goal, GoalMember, MovementTables, Progress, SettleTarget};
use wheelbase_traffic::motion::{Activity, AgentId, ClassId, end_state};

/// Orders to groups that are under way.
#[derive(Debug, Default)]
pub(crate) struct GroupGoals {
    /// Orders of which agents wait for a pose, by number, rising.
    open: Vec<u32>,
    /// What poses were last chosen around, by order and class.
    seeds: Vec<Seed>,
}

/// The goal around which poses were chosen for agents of a class: that of the order, or one near it.
#[derive(Clone, Copy, Debug)]
struct Seed {
    order: u32,
    class: ClassId,
    goal: GoalMember,
}

impl GroupGoals {
    /// Agents wait for poses of an order.
    pub fn open(&mut self, order: u32) {
        if let Err(at) = self.open.binary_search(&order) {
            self.open.insert(at, order);
        }
    }

    /// The order that stands at a place among those of which agents wait for a pose.
    pub fn open_at(&self, at: usize) -> Option<u32> {
        self.open.get(at).copied()
    }

    /// Nobody waits for poses of the order at that place any more.
    pub fn close_at(&mut self, at: usize) {
        self.open.remove(at);
    }

    /// What poses of an order were chosen around for agents of a class.
    pub fn seeds(&self, order: u32, class: ClassId) -> impl Iterator<Item = GoalMember> {
        self.seeds.iter().filter(move |seed| seed.order == order && seed.class == class).map(|seed| seed.goal)
    }

    /// Everything here that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        self.open.iter().for_each(|&order| word(u64::from(order)));
        for Seed { order, class, goal } in &self.seeds {
            word(u64::from(*order) << 8 | u64::from(class.0));
            word(u64::from(goal.cell.x as u32) << 32 | u64::from(goal.cell.y as u32));
            word(goal.heading.map_or(u64::MAX, |heading| u64::from(heading.0)));
        }
    }
}

/// An agent that waits for its pose.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    agent: AgentId,
    /// Where it rests, or will once its move has ended.
    from: State,
    /// Cost from there to the goal, if there is a field.
    cost: u32,
}

/// An agent that is given no pose, and why.
type Refused = (AgentId, UnreachableReason);

/// Agents of one class that are to stand around one goal.
#[derive(Debug)]
struct Batch {
    seed: Seed,
    /// Whether there is a field to the goal; on a map too large for one the straight distance has to do.
    by_field: bool,
    agents: Vec<Waiting>,
}

/// What has been chosen for the agents that wait for poses of an order.
#[derive(Debug, Default)]
pub(crate) struct GroupPoses {
    /// Who is given which pose.
    pub given: Vec<(AgentId, State)>,
    /// Who is given none, and why.
    pub refused: Vec<Refused>,
}

/// Chooses poses for all who wait for one of an order, or says `None` if the budget was spent before. Components
/// of all tables are as the map is.
pub(crate) fn choose_group_poses(
    group_goals: &mut GroupGoals,
    fields: &mut SharedFields,
    view: GroupView<'_>,
    order: u32,
    left: &mut u64,
) -> Option<GroupPoses> {
    let (mut batches, mut refused) = batches_of(view, order);
    // All fields of a choice are kept until it is made, also those of other orders; else one would make way
    // for another at every tick, and none would ever be ready.
    let tables = batches.iter().map(|batch| &view.tables[batch.seed.class.0 as usize]);
    let n_orders = group_goals.open.len();
    let by_field = fields.fit(tables.flat_map(|tables| std::iter::repeat_n(tables, n_orders)));
    for batch in &mut batches {
        batch.by_field = by_field;
        if !grow_to_agents(view, fields, batch, left, &mut refused) {
            return None;
        }
    }
    // Those who arrive later stand behind those who are there. Stable: batches of one mean by their first
    // agents.
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
    let mut given = Vec::new();
    for batch in &mut batches {
        let poses = choose_poses(view, fields, batch, &is_member, &mut taken, left)?;
        // Those who are nearest have the better claim.
        let without = batch.agents.split_off(poses.len());
        refused.extend(without.iter().map(|waiting| (waiting.agent, UnreachableReason::NoRoom)));
        let places = places_of(view, fields, batch, &poses);
        let matched = match_in_order(&places.0, &places.1);
        given.extend(
            batch.agents.iter().zip(matched).map(|(waiting, to)| (waiting.agent, poses[to as usize])),
        );
    }
    let classes: Vec<ClassId> = batches.iter().map(|batch| batch.seed.class).collect();
    group_goals.seeds.retain(|seed| seed.order != order || !classes.contains(&seed.class));
    group_goals.seeds.extend(batches.iter().map(|batch| batch.seed));
    given.sort_unstable();
    refused.sort_unstable_by_key(|&(agent, _)| agent);
    Some(GroupPoses { given, refused })
}

/// Those who wait for a pose of an order, by class and goal; and those who can reach none.
fn batches_of(view: GroupView<'_>, order: u32) -> (Vec<Batch>, Vec<Refused>) {
    let mut refused = Vec::new();
    let mut batches: Vec<Batch> = Vec::new();
    for row in 0..view.agents.len() {
        let Some((from, goal, fallback)) = wait_of(view, row, order) else { continue };
        let (class, agent) = (view.agents.motion[row].class, view.agents.ids[row]);
        let tables = &view.tables[class.0 as usize];
        let waiting = Waiting { agent, from, cost: 0 };
        let reaches_goal = goal.filter(|&goal| reaches(tables, from, goal));
        let fits = |batch: &&mut Batch| {
            let seed = batch.seed;
            seed.class == class
                && match reaches_goal {
                    Some(goal) => seed.goal == goal,
                    None => Some(seed.goal) != goal && reaches(tables, from, seed.goal),
                }
        };
        if let Some(batch) = batches.iter_mut().find(fits) {
            batch.agents.push(waiting);
            continue;
        }
        let near = || nearest_member(tables, goal.filter(|_| fallback == Fallback::Nearest)?, from);
        match reaches_goal.or_else(near) {
            Some(goal) => {
                let seed = Seed { order, class, goal };
                batches.push(Batch { seed, by_field: false, agents: vec![waiting] });
            }
            None => refused.push((agent, why_not(tables, goal))),
        }
    }
    (batches, refused)
}

/// Why a goal cannot be reached to which no way leads.
fn why_not(tables: &MovementTables, goal: Option<GoalMember>) -> UnreachableReason {
    match goal {
        None => UnreachableReason::NoSuchHeading,
        Some(goal) if !tables.space().size().contains(goal.cell) => UnreachableReason::GoalOffMap,
        Some(goal) if poses_of(tables, goal).next().is_none() => UnreachableReason::GoalBlocked,
        Some(_) => UnreachableReason::Unreachable,
    }
}

/// If the agent in a row waits for a pose of an order: from where it will go, the goal, and what if that
/// cannot be reached.
fn wait_of(view: GroupView<'_>, row: usize, order: u32) -> Option<(State, Option<GoalMember>, Fallback)> {
    let motion = &view.agents.motion[row];
    let waits = match motion.activity {
        Activity::AwaitingPath => motion.at_rest(),
        // It was given the order in mid-move.
        Activity::Idle => !motion.at_rest(),
        // It had the order with the others, and was sent aside before anybody was told where to go.
        Activity::Yielding => true,
        _ => false,
    };
    if !waits || view.agents.given[row].is_some() {
        return None;
    }
    let OrderKind::GotoGroup(number, trip) = &view.orders.current(&view.agents.orders(row))?.kind else {
        return None;
    };
    let tables = &view.tables[motion.class.0 as usize];
    let from = end_state(tables, motion);
    (*number == order).then(|| (from, trip.members.first().copied(), trip.fallback))
}

/// Whether some legal pose of a goal may be reached, as far as components tell.
fn reaches(tables: &MovementTables, from: State, goal: GoalMember) -> bool {
    poses_of(tables, goal).any(|state| tables.components().reachability(from, state) != Reachability::No)
}

/// Settles the field of a batch up to its agents, sorts them by their cost, and drops those from whom no way
/// leads to the goal; says `false` if the budget was spent before.
fn grow_to_agents(
    view: GroupView<'_>,
    fields: &mut SharedFields,
    batch: &mut Batch,
    left: &mut u64,
    refused: &mut Vec<Refused>,
) -> bool {
    let Seed { class, goal, .. } = batch.seed;
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

/// Chooses a pose for each agent of a batch, as far as there is room, nearest first, and marks the cells as
/// taken; `None` if the budget was spent before.
fn choose_poses(
    view: GroupView<'_>,
    fields: &mut SharedFields,
    batch: &Batch,
    is_member: &[bool],
    taken: &mut BitGrid,
    left: &mut u64,
) -> Option<Vec<State>> {
    let Seed { class, goal, .. } = batch.seed;
    let members = [goal];
    let mut reach = 4 * PARTS;
    loop {
        let tables = &view.tables[class.0 as usize];
        let mut all = is_near_goal(tables.space().size(), goal.cell, reach / PARTS);
        if batch.by_field
            && let Some(field) = fields.obtain(class, tables, &Goal::of(&members), view.tick)
        {
            let ticks = Nearness::of(tables, goal.cell).ticks(reach);
            let settled = field.settle(tables, SettleTarget::Within(ticks), *left);
            *left = left.saturating_sub(settled.expansions);
            if settled.progress == Progress::Running {
                return None;
            }
            all = all && field.is_complete() && field.within(u32::MAX).all(|(_, cost)| cost <= ticks);
        }
        let room = Room { view, class, goal, is_member, field: field_of(fields, batch) };
        let poses = room.choose(batch.agents.len(), reach, taken);
        if poses.len() == batch.agents.len() || all {
            return Some(poses);
        }
        room.free(&poses, taken);
        reach = reach.saturating_mul(2);
    }
}

/// Longest base time of a move in ticks.
pub(crate) fn longest_move(tables: &MovementTables) -> u32 {
    tables.class().primitives().iter().map(|primitive| primitive.time).max().unwrap_or(0)
}

fn field_of<'f>(fields: &'f SharedFields, batch: &Batch) -> Option<&'f CostField> {
    let field = fields.get(batch.seed.class, &Goal::of(&[batch.seed.goal]));
    field.filter(|_| batch.by_field)
}

/// Where the agents of a batch come from and where their poses are, on a plane without obstacles: an agent
/// is put on the line from the goal through the place where its way comes near, as far out as its way is
/// long.
fn places_of(
    view: GroupView<'_>,
    fields: &SharedFields,
    batch: &Batch,
    poses: &[State],
) -> (Vec<Place>, Vec<Place>) {
    let tables = &view.tables[batch.seed.class.0 as usize];
    let shape = tables.space().shape();
    let place = |state: State| Place::of_cell(shape, tables.space().pose(state).cell);
    let to: Vec<Place> = poses.iter().map(|&state| place(state)).collect();
    let Some(field) = field_of(fields, batch) else {
        return (batch.agents.iter().map(|waiting| place(waiting.from)).collect(), to);
    };
    let farthest = poses.iter().filter_map(|&state| field.cost(state)).max().unwrap_or(0);
    let rim = farthest.saturating_mul(2).saturating_add(longest_move(tables));
    let goal = Place::of_cell(shape, batch.seed.goal.cell);
    let from = batch.agents.iter().map(|waiting| {
        let (mut at, mut cost) = (waiting.from, waiting.cost);
        while cost > rim
            && let Some(next) = field.next(tables, at)
        {
            (at, cost) = (next.state, cost - next.ticks);
        }
        goal.beyond(place(at), (waiting.cost, cost))
    });
    (from.collect(), to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_fields::SharedFields;
    use crate::{RunState, invariant, load, scenario};
    use std::path::Path;

    /// As on a map that is too large for fields.
    #[test]
    fn straight_distances_do_where_fields_have_no_room() -> Result<(), Box<dyn std::error::Error>> {
        let text = r#"
name = "no field"
ticks = 900
seed = 3
[map]
generate = { kind = "rooms", size = [40, 30], seed = 2 }
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "left", turn = 1, time = 1 },
    { name = "right", turn = -1, time = 1 },
]
[[groups]]
class = "cart"
count = 12
area = [0, 0, 40, 30]
orders = [{ goto_group = [20, 14], fallback = "nearest" }]
[[events]]
tick = 300
give_orders = { area = [0, 0, 99, 99], orders = [{ goto_group = [5, 5, "E"], fallback = "nearest" }] }
"#;
        let typed = scenario::parse("test.toml", text.as_bytes())?;
        for bytes_max in [0, 1 << 20] {
            let mut world = load::build_world(Path::new("test.toml"), &typed)?;
            world.requests.fields = SharedFields::with_bytes_max(bytes_max);
            while world.step() == RunState::Running {
                assert_eq!(invariant::check(&world), []);
                let class = ClassId(0);
                let kept =
                    |&goal: &GoalMember| world.requests.fields.get(class, &Goal::of(&[goal])).is_some();
                assert_eq!(world.group_goals.seeds(0, class).any(|goal| kept(&goal)), bytes_max > 0);
            }
            let counts = world.counts();
            assert!(counts.orders_done >= 12 && counts.orders_unreachable == 0, "{counts:?}");
        }
        Ok(())
    }
}
