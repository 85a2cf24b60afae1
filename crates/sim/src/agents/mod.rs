//! The agents: dense parallel arrays with a row for each agent, which ticks stream over. The entity of an agent carries
//! the components of game code.
//!
//! Rows are in order of id and close up when agents are removed. Ids are never used again; agent slots are, so that
//! tables by agent are no longer than the most agents present together.

pub(crate) mod saved;

use crate::close_up::close_up;
use crate::leg::Leg;
use crate::name::Name;
use crate::off_map::{OffMap, OffMapAgent};
use crate::order_pool::{OrderPool, OrderState};
use crate::orders::OrderKind;
use crate::plain;
use crate::progress::TripProgress;
use crate::rows::agent_row::AgentRow;
use crate::rows::changed_rows::ChangedRows;
use crate::statistics::TripStatistics;
use hecs::World as Entities;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheelbase_grid::CellXY;
use wheelbase_planner::Pose;
use wheelbase_planner::model::State;
use wheelbase_traffic::motion::{Activity, AgentId, AgentSlot, ClassId, Motion, WaitState};
use wheelbase_traffic::path_pool::{PathHandle, PathPool};
use wheelbase_traffic::speed::USUAL_SPEED_PERMILLE;
use wheelbase_traffic::teams::{Friends, Team};
use wheelbase_traffic::view::{AgentsView, GoalStamp, NO_ROW};
use wheelbase_traffic::{PriorityKey, RowSet};

/// Row of an agent in the dense arrays. Changes when an agent before it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// All agents present: arrays of one length, joined by row. Names and components of game code belong to entities, which
/// no tick reads.
#[derive(Default, Serialize, Deserialize)]
pub struct Agents {
    /// Ids, rising.
    #[serde(with = "plain::list")]
    pub ids: Vec<AgentId>,
    /// Agent slots: their places in tables by agent.
    #[serde(skip)]
    pub(crate) slots: Vec<AgentSlot>,
    /// Hot: poses and moves.
    #[serde(with = "plain::list")]
    pub motion: Vec<Motion>,
    /// Rows that a tick visits. Every other agent rests, without a path and without an order that it can carry out. Its
    /// row stays out until something happens to the agent.
    #[serde(skip)]
    pub(crate) busy: RowSet,
    /// Waiting and yielding.
    #[serde(with = "plain::list")]
    pub wait_states: Vec<WaitState>,
    /// Progress on their trips.
    pub(crate) progress: Vec<TripProgress>,
    /// The legs that they follow.
    pub(crate) legs: Vec<Leg>,
    /// Remaining moves of their paths.
    #[serde(skip)]
    pub paths: Vec<PathHandle>,
    /// The moves themselves.
    #[serde(skip)]
    pub(crate) path_pool: PathPool,
    /// What the traffic rule sees of their orders.
    #[serde(skip)]
    pub(crate) stamps: Vec<GoalStamp>,
    /// Priority keys of their trips.
    #[serde(skip)]
    pub(crate) keys: Vec<PriorityKey>,
    /// Poses assigned to them by an order to an area or a group.
    pub assigned: Vec<Option<State>>,
    /// Their teams.
    #[serde(with = "plain::list")]
    pub teams: Vec<Team>,
    /// Their speed factors in thousandths.
    pub speed_factors: Vec<u16>,
    /// What games and renderers read. Methods here write a field and its copy in the row together, so that rows cost
    /// nothing for agents that do not change. Of a row, a snapshot holds the last move; the rest repeats other arrays.
    #[serde(with = "plain::list")]
    pub(crate) rows: Vec<AgentRow>,
    /// Cold: progress through their orders, and statistics of their trips.
    orders: Vec<OrderState>,
    pub(crate) statistics: Vec<TripStatistics>,
    /// The rows written since the last tick began.
    #[serde(skip)]
    pub(crate) changed: ChangedRows,
    /// Rows of removed agents, until [`Agents::close_up`].
    #[serde(skip)]
    leaving: RowSet,
    #[serde(skip)]
    n_leaving: usize,
    /// Scratch: the same rows, ascending.
    #[serde(skip)]
    gone: Vec<u32>,
    /// Agents on hold, and agents of each team.
    #[serde(skip)]
    n_holding: u32,
    #[serde(skip)]
    n_of_team: [u32; Team::COUNT],
    /// Raised whenever an agent that may have been an obstacle to others gives up its place, wholly or in part.
    pub(crate) cleared: u64,
    /// Their entities.
    #[serde(skip)]
    entity: Vec<hecs::Entity>,
    /// Names, and components of game code.
    #[serde(skip)]
    entities: Entities,
    /// Agents off the map by id. An agent that has left the map at this very tick may still have its row.
    off_map: Vec<OffMap>,
    /// Row by agent slot; [`NO_ROW`] of a free one.
    row_of_slot: Vec<u32>,
    /// Free agent slots, the lowest on top.
    #[serde(skip)]
    free_slots: BinaryHeap<Reverse<AgentSlot>>,
    /// Number of agents ever placed: the next id.
    n_placed: u32,
}

/// Does the same with each array by row.
macro_rules! each_column {
    ($agents:ident, $column:ident => $do:expr) => {
        each_column!($agents, $column => $do, ids slots motion wait_states progress legs paths stamps keys
            assigned teams speed_factors rows orders statistics entity)
    };
    ($agents:ident, $column:ident => $do:expr, $($name:ident)+) => {
        $({
            let $column = &mut $agents.$name;
            $do;
        })+
    };
}
pub(crate) use each_column;

impl Agents {
    /// Number of agents present.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether no agent is present.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent, or `None` if it is not present. Logarithmic in the agents.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Row of the agent in an agent slot, or `None` if the slot is free.
    pub(crate) fn row_of_slot(&self, slot: AgentSlot) -> Option<usize> {
        let row = *self.row_of_slot.get(slot.index())?;
        (row != NO_ROW).then_some(row as usize)
    }

    /// Number of agent slots: the most agents ever present together.
    pub(crate) fn n_slots(&self) -> usize {
        self.row_of_slot.len()
    }

    /// The lowest free agent slot.
    fn next_slot(&mut self) -> AgentSlot {
        let free = self.free_slots.pop().map(|Reverse(slot)| slot);
        free.unwrap_or_else(|| {
            self.row_of_slot.push(NO_ROW);
            AgentSlot(self.row_of_slot.len() as u32 - 1)
        })
    }

    /// Row of an agent, unless it was removed at this very tick.
    pub(crate) fn present_row(&self, id: AgentId) -> Option<usize> {
        self.row(id).filter(|&row| self.is_present(row))
    }

    /// Whether the agent in a row was not removed at this very tick.
    pub(crate) fn is_present(&self, row: usize) -> bool {
        self.n_leaving == 0 || !self.leaving.contains(row)
    }

    /// Marks the agent in a row as removed.
    pub(crate) fn leave(&mut self, row: usize) {
        if self.is_present(row) {
            self.leaving.insert(row);
            self.n_leaving += 1;
            self.n_of_team[usize::from(self.teams[row].0)] -= 1;
            self.cleared += 1;
        }
    }

    /// Rows of agents that have gone at this tick, ascending.
    pub(crate) fn leaving_rows(&self) -> impl Iterator<Item = usize> {
        self.leaving.iter()
    }

    /// Whether some agents are obstacles to the searches of a team.
    pub(crate) fn obstruct(&self, team: Team, friends: &Friends) -> bool {
        let is_foe = |(other, &n): (usize, &u32)| n > 0 && friends.of_team(team) & 1 << other == 0;
        self.n_holding > 0 || self.n_of_team.iter().enumerate().any(is_foe)
    }

    /// Whether some agents are obstacles to the searches of any team.
    pub(crate) fn obstruct_any(&self, friends: &Friends) -> bool {
        let teams = (0..Team::COUNT as u8).map(Team).filter(|team| self.n_of_team[usize::from(team.0)] > 0);
        self.n_holding > 0 || teams.clone().any(|team| self.obstruct(team, friends))
    }

    /// Drops the rows of removed agents; the others close up in order. Linear in the rows after the first of them, and
    /// free at ticks without removals.
    pub(crate) fn close_up(&mut self) {
        if self.n_leaving == 0 {
            return;
        }
        let mut gone = std::mem::take(&mut self.gone);
        gone.clear();
        gone.extend(self.leaving.iter().map(|row| row as u32));
        self.remove_rows(&gone);
        self.gone = gone;
        self.leaving.clear();
        self.n_leaving = 0;
    }

    /// Whether ids are left for further agents.
    pub(crate) fn ids_left(&self) -> bool {
        self.n_placed < u32::MAX - 1
    }

    /// What games read of the agent in a row, to write: it counts as written in this tick.
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut AgentRow {
        let kept = &mut self.rows[row];
        self.changed.note(row, kept);
        kept
    }

    /// Uses up the id that a refused agent would have had: nobody else gets it.
    pub(crate) fn skip_id(&mut self) {
        self.n_placed += u32::from(self.ids_left());
    }

    /// Sets the priority of the agent in a row.
    pub(crate) fn set_priority(&mut self, row: usize, priority: i32) {
        self.wait_states[row].priority = priority;
        self.keys[row] = key_of(self.stamps[row], priority, self.ids[row]);
        self.busy.insert(row);
    }

    /// Sets the team of the agent in a row.
    pub(crate) fn set_team(&mut self, row: usize, team: Team) {
        self.n_of_team[usize::from(self.teams[row].0)] -= 1;
        self.n_of_team[usize::from(team.0)] += 1;
        self.cleared += 1;
        self.teams[row] = team;
        self.row_mut(row).team = team.0;
        self.busy.insert(row);
    }

    /// Gives the agent in a row, which rests, another class in a pose, at a tick.
    pub(crate) fn set_class(&mut self, row: usize, class: ClassId, state: State, pose: Pose, tick: u32) {
        let motion = &mut self.motion[row];
        (motion.class, motion.state, motion.primitive, motion.replan) = (class, state, 0, false);
        self.cleared += 1;
        self.row_mut(row).reclass(class, pose, tick);
        self.set_activity(row, Activity::Idle);
        if let Ok(kept) = self.entities.query_one_mut::<&mut ClassId>(self.entity[row]) {
            *kept = class;
        }
    }

    /// Adds an agent at rest in a pose, without orders, as the last row.
    pub(crate) fn push(&mut self, motion: Motion, pose: Pose, priority: i32, tick: u32) -> AgentId {
        let (id, row) = (AgentId(self.n_placed), self.ids.len());
        self.n_placed += 1;
        let entity = self.entities.spawn((id, motion.class, Row(row as u32)));
        self.insert_row(row, (id, entity), motion, pose, priority, tick);
        id
    }

    /// Inserts the row of an agent at rest in a pose, of team 0, whose orders are not known yet. The rows behind it
    /// move.
    fn insert_row(
        &mut self,
        row: usize,
        (id, entity): (AgentId, hecs::Entity),
        motion: Motion,
        pose: Pose,
        priority: i32,
        tick: u32,
    ) {
        let slot = self.next_slot();
        self.row_of_slot[slot.index()] = row as u32;
        self.ids.insert(row, id);
        self.slots.insert(row, slot);
        self.motion.insert(row, motion);
        let wait_state = WaitState {
            priority,
            waits_since: u32::MAX,
            moved_at: tick,
            ask_again_at: 0,
            look_again_at: 0,
            look_failures: 0,
            failures: 0,
            stranded: false,
        };
        self.wait_states.insert(row, wait_state);
        self.progress.insert(row, TripProgress::NONE);
        self.legs.insert(row, Leg::NONE);
        self.paths.insert(row, PathHandle::EMPTY);
        let stamp = stamp_of(&OrderState::NONE);
        self.stamps.insert(row, stamp);
        self.keys.insert(row, key_of(stamp, priority, id));
        self.rows.insert(row, AgentRow::placed(id, motion.class, pose, tick));
        self.changed.insert(row);
        self.busy.open_up(row);
        self.busy.insert(row);
        self.assigned.insert(row, None);
        self.teams.insert(row, Team::default());
        self.n_of_team[usize::from(Team::default().0)] += 1;
        self.speed_factors.insert(row, USUAL_SPEED_PERMILLE);
        self.orders.insert(row, OrderState::NONE);
        self.statistics.insert(row, TripStatistics::NEW);
        self.entity.insert(row, entity);
        for (later, slot) in self.slots.iter().enumerate().skip(row + 1) {
            self.row_of_slot[slot.index()] = later as u32;
        }
    }

    /// The agents off the map by id.
    pub(crate) fn off_map(&self) -> &[OffMap] {
        &self.off_map
    }

    /// Index of an agent among those off the map, or where it would be.
    pub(crate) fn find_off_map(&self, id: AgentId) -> Result<usize, usize> {
        self.off_map.binary_search_by_key(&id, |off| off.agent.id)
    }

    /// Whether an agent is off the map.
    pub(crate) fn is_off_map(&self, id: AgentId) -> bool {
        self.find_off_map(id).is_ok()
    }

    /// Takes the agent in a row off the map. Its row stays until [`Agents::close_up`].
    pub(crate) fn take_off(&mut self, row: usize, container: AgentId) {
        let agent = OffMapAgent {
            id: self.ids[row],
            container,
            class: self.motion[row].class,
            team: self.teams[row],
            speed_factor: self.speed_factors[row],
            priority: self.wait_states[row].priority,
        };
        if let Err(at) = self.find_off_map(agent.id) {
            let (orders, statistics, entity) = (self.orders[row], self.statistics[row], self.entity[row]);
            self.off_map.insert(at, OffMap { agent, orders, statistics, entity });
        }
        self.leave(row);
    }

    /// Puts the agent of an index among those off the map back, at rest in a state with a pose, and returns its row.
    /// No row is about to close up. Linear in the agents.
    pub(crate) fn put_back(&mut self, index: usize, (state, pose): (State, Pose), tick: u32) -> usize {
        let OffMap { agent, orders, statistics, entity } = self.off_map.remove(index);
        let OffMapAgent { id, class, team, speed_factor, priority, .. } = agent;
        let row = self.ids.partition_point(|&other| other < id);
        if row < self.len() {
            for kept in self.entities.query_mut::<&mut Row>() {
                kept.0 += u32::from(kept.0 as usize >= row);
            }
        }
        // Game code may have despawned the entity.
        let _ = self.entities.insert_one(entity, Row(row as u32));
        self.insert_row(row, (id, entity), resting(state, class), pose, priority, tick);
        self.set_team(row, team);
        (self.speed_factors[row], self.orders[row], self.statistics[row]) =
            (speed_factor, orders, statistics);
        row
    }

    /// Forgets the agent of an index among those off the map, and gives up its entity.
    pub(crate) fn drop_off_map(&mut self, index: usize) -> OffMapAgent {
        let OffMap { agent, entity, .. } = self.off_map.remove(index);
        // Where it still has a row, that gives up the entity.
        if self.row(agent.id).is_none() {
            let _ = self.entities.despawn(entity);
        }
        agent
    }

    /// Progress of every agent through its orders: agents present by row, then agents off the map by id.
    pub(crate) fn all_orders(&self) -> impl Iterator<Item = (AgentId, ClassId, OrderState)> {
        let present = (0..self.len()).map(|row| (self.ids[row], self.motion[row].class, self.orders[row]));
        let off = self.off_map.iter().filter(|off| self.row(off.agent.id).is_none());
        present.chain(off.map(|off| (off.agent.id, off.agent.class, off.orders)))
    }

    /// Removes some rows, given in ascending order; the others close up in order.
    pub(crate) fn remove_rows(&mut self, gone: &[u32]) {
        let Some(&first) = gone.first() else { return };
        for &row in gone {
            let slot = self.slots[row as usize];
            self.row_of_slot[slot.index()] = NO_ROW;
            self.free_slots.push(Reverse(slot));
            let entity = self.entity[row as usize];
            // Game code may have despawned the entity already.
            let _ = match self.is_off_map(self.ids[row as usize]) {
                true => self.entities.remove_one::<Row>(entity).map(|_| ()).ok(),
                false => self.entities.despawn(entity).ok(),
            };
        }
        each_column!(self, column => close_up(column, gone));
        self.changed.close_up(gone);
        self.busy.close_up(gone);
        for (row, slot) in self.slots.iter().enumerate().skip(first as usize) {
            self.row_of_slot[slot.index()] = row as u32;
        }
        // In the order of the components, which is faster than by entity.
        for kept in self.entities.query_mut::<&mut Row>() {
            kept.0 -= gone.partition_point(|&row| row < kept.0) as u32;
        }
    }

    /// Progress of the agent in a row through its orders.
    pub fn orders(&self, row: usize) -> OrderState {
        self.orders[row]
    }

    /// Sets the progress of the agent in a row through its orders, which are in the pool.
    pub(crate) fn set_orders(&mut self, row: usize, orders: OrderState, pool: &OrderPool) {
        let kept = self.row_mut(row);
        (kept.order, kept.order_kind) = match pool.current(&orders) {
            Some(order) => (orders.open.first, order.kind.number()),
            None => (AgentRow::NEVER, AgentRow::NO_ORDER),
        };
        kept.set(AgentRow::TO_NEAREST, orders.to_nearest);
        let stamp = stamp_of(&orders);
        self.stamps[row] = stamp;
        self.keys[row] = key_of(stamp, self.wait_states[row].priority, self.ids[row]);
        self.orders[row] = orders;
    }

    /// Trip statistics of the agent in a row.
    pub fn statistics(&self, row: usize) -> TripStatistics {
        self.statistics[row]
    }

    /// Changes the progress of the agent in a row through its orders.
    pub(crate) fn change_orders(
        &mut self,
        row: usize,
        pool: &mut OrderPool,
        change: impl FnOnce(&mut OrderPool, &mut OrderState),
    ) {
        let mut orders = self.orders[row];
        change(pool, &mut orders);
        self.set_orders(row, orders, pool);
    }

    /// Sets whether the current path of the agent in a row ends at the pose nearest to its goal.
    pub(crate) fn set_to_nearest(&mut self, row: usize, to_nearest: bool) {
        self.orders[row].to_nearest = to_nearest;
        self.row_mut(row).set(AgentRow::TO_NEAREST, to_nearest);
    }

    /// Begins a trip of the agent in a row: to an order's goal, a waypoint of a patrol, or a task.
    pub(crate) fn begin_trip(&mut self, row: usize, orders: OrderState, pool: &OrderPool, tick: u32) {
        let mut orders = orders;
        orders.begin_trip(tick);
        self.statistics[row].begin_trip();
        self.set_orders(row, orders, pool);
    }

    /// The moves left to the agent in a row, next first.
    pub(crate) fn moves(&self, row: usize) -> &[u8] {
        self.path_pool.moves(self.paths[row])
    }

    /// Gives the agent in a row other moves to follow.
    pub(crate) fn set_moves(&mut self, row: usize, moves: &[u8]) {
        self.path_pool.replace(&mut self.paths, row, moves);
    }

    /// Takes the path of the agent in a row from it.
    pub(crate) fn drop_path(&mut self, row: usize) {
        self.path_pool.drop_path(&mut self.paths[row]);
    }

    /// Sets the leg that the agent in a row follows.
    pub(crate) fn set_leg(&mut self, row: usize, leg: Leg) {
        self.legs[row] = leg;
        self.row_mut(row).set(AgentRow::ON_LEG, leg.is_some());
    }

    /// Sets what the agent in a row is doing. A leg ends with the activities that follow paths.
    pub(crate) fn set_activity(&mut self, row: usize, activity: Activity) {
        if !matches!(activity, Activity::Following | Activity::AwaitingPath) && self.legs[row].is_some() {
            self.set_leg(row, Leg::NONE);
        }
        let was = std::mem::replace(&mut self.motion[row].activity, activity);
        if (was == Activity::Holding) != (activity == Activity::Holding) {
            let holds = activity == Activity::Holding;
            self.n_holding = if holds { self.n_holding + 1 } else { self.n_holding - 1 };
            self.cleared += u64::from(!holds);
        }
        let kept = self.row_mut(row);
        kept.activity = activity as u8;
        kept.set(AgentRow::ON_HOLD, activity == Activity::Holding);
    }

    /// Sets since when the agent in a row waits.
    pub(crate) fn set_waits_since(&mut self, row: usize, tick: u32) {
        let kept = &mut self.wait_states[row].waits_since;
        if *kept != tick {
            *kept = tick;
            self.row_mut(row).waits_since = tick;
        }
    }

    /// Sets whether the agent in a row is stranded.
    pub(crate) fn set_stranded(&mut self, row: usize, stranded: bool) {
        let kept = &mut self.wait_states[row].stranded;
        if *kept != stranded {
            *kept = stranded;
            self.row_mut(row).set(AgentRow::STRANDED, stranded);
        }
    }

    /// Name of the agent in a row, if it has one.
    pub fn name(&self, row: usize) -> Option<String> {
        self.name_of(self.ids[row]).map(|name| name.0.into())
    }

    /// Name of an agent, if it has one.
    fn name_of(&self, id: AgentId) -> Option<Name> {
        self.entities.get::<&Name>(self.entity_of(id)?).ok().map(|name| Name::clone(&name))
    }

    /// Names the agent in a row.
    pub(crate) fn set_name(&mut self, row: usize, name: Name) {
        // Game code may have despawned the entity already.
        let _ = self.entities.insert_one(self.entity[row], name);
    }

    /// The agents as the traffic rule sees them, with `goals` by row for a rule that finds paths itself.
    pub(crate) fn view<'a>(&'a self, goals: &'a [Option<CellXY>]) -> AgentsView<'a> {
        let Self { ids, slots, motion, busy, wait_states, keys, paths, stamps, teams, speed_factors, .. } =
            self;
        let row_of_slot = &self.row_of_slot;
        AgentsView {
            ids,
            slots,
            motion,
            busy,
            wait_states,
            keys,
            paths,
            stamps,
            teams,
            speed_factors,
            goals,
            row_of_slot,
        }
    }

    /// Whether ticks can skip the agent in a row, once all phases have seen it in this state.
    pub(crate) fn is_idle(&self, row: usize) -> bool {
        let motion = &self.motion[row];
        let is_done = match motion.activity {
            Activity::Idle => !self.stamps[row].has_order,
            Activity::Unreachable | Activity::Holding => !self.waits_in_place(row),
            _ => false,
        };
        is_done && motion.at_rest() && !motion.replan && self.paths[row].is_empty()
    }

    /// Whether the current order of the agent in a row is to wait in place.
    pub(crate) fn waits_in_place(&self, row: usize) -> bool {
        OrderKind::ends_hold(self.rows[row].order_kind)
    }

    /// The entity of the agent in a row.
    pub fn entity(&self, row: usize) -> hecs::Entity {
        self.entity[row]
    }

    /// The entity of an agent; `None` if it is neither present nor off the map. Logarithmic in the agents.
    pub(crate) fn entity_of(&self, id: AgentId) -> Option<hecs::Entity> {
        let off_map = || self.find_off_map(id).ok().map(|at| self.off_map[at].entity);
        self.row(id).map(|row| self.entity[row]).or_else(off_map)
    }

    /// The entities of all agents. Each has [`AgentId`], [`ClassId`](crate::ClassId) and [`Row`], a [`Name`] if the
    /// scenario gives one, and the components that game code has added. An agent off the map has no [`Row`].
    pub fn entities(&self) -> &Entities {
        &self.entities
    }

    /// The entities of all agents, to add components to.
    pub(crate) fn entities_mut(&mut self) -> &mut Entities {
        &mut self.entities
    }
}

/// The motion of an agent at rest that has nothing to do yet.
pub(crate) fn resting(state: State, class: ClassId) -> Motion {
    let (until, activity) = (Motion::AT_REST, Activity::Idle);
    Motion { state, until, primitive: 0, activity, class, replan: false }
}

/// What the traffic rule sees of an agent's orders.
fn stamp_of(orders: &OrderState) -> GoalStamp {
    GoalStamp { since: orders.since, waypoint: orders.waypoint, has_order: orders.open.count > 0 }
}

/// Priority key of an agent.
fn key_of(stamp: GoalStamp, priority: i32, agent: AgentId) -> PriorityKey {
    if stamp.has_order { PriorityKey::of_trip(stamp.since, priority, agent) } else { PriorityKey::LAST }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "all of it is for tests")]
mod tests {
    use super::*;
    use crate::scenes::coming_and_going;
    use crate::{RunState, World, invariant};
    use proptest::prelude::*;
    use wheelbase_planner::Heading;
    use wheelbase_traffic::random::Random;

    #[test]
    fn agents_move_as_if_no_slot_were_given_again() {
        let times = std::env::var("WHEELBASE_LONG").ok().and_then(|times| times.parse::<u64>().ok());
        for seed in 0..times.map_or(50, |times| 250 * times) {
            let runs = [true, false].map(|keeps_slots| {
                let mut world = World::new(coming_and_going(&mut Random::new(seed))).unwrap();
                let (mut most, mut ticks) = (0, Vec::new());
                while world.step() == RunState::Running {
                    if keeps_slots {
                        world.agents.free_slots.clear();
                    }
                    assert_eq!(invariant::check(&world), [], "seed {seed}, tick {}", world.tick);
                    let Agents { ids, motion, wait_states, assigned, .. } = &world.agents;
                    ticks.push(format!("{ids:?} {motion:?} {wait_states:?} {assigned:?}"));
                    most = most.max(world.agents.len());
                }
                (ticks, world.counts.placed, world.agents.n_slots(), most)
            });
            let [kept, reused] = &runs;
            assert_eq!(kept.0, reused.0, "seed {seed}");
            assert_eq!(kept.1, kept.2 as u64);
            // Within a tick more can be there, before others go.
            assert!(reused.2 <= reused.3 + 60, "{} agent slots for {}", reused.2, reused.3);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Agents that come and go: ids rise, and each new agent gets the lowest free agent slot.
        #[test]
        fn the_lowest_free_slot_is_given_again(changes in prop::collection::vec((0_usize..6, any::<u64>()), 1..60)) {
            let mut agents = Agents::default();
            let (mut most, mut n_placed) = (0, 0);
            for (n_new, gone) in changes {
                let is_removed = |row: usize| gone >> (row % 64) & 1 == 1;
                let removed: Vec<u32> = (0..agents.len()).filter(|&row| is_removed(row)).map(|row| row as u32).collect();
                let stay = (0..agents.len()).filter(|&row| !is_removed(row));
                let before: Vec<(AgentId, AgentSlot)> =
                    stay.map(|row| (agents.ids[row], agents.slots[row])).collect();
                agents.remove_rows(&removed);
                let after = agents.ids.iter().copied().zip(agents.slots.iter().copied());
                prop_assert!(after.eq(before), "an agent keeps its agent slot");
                for _ in 0..n_new {
                    let lowest = (0..).map(AgentSlot).find(|slot| !agents.slots.contains(slot));
                    let id = agents.push(resting(State(0), ClassId(0)), Pose::new(0, 0, Heading(0)), 0, 0);
                    prop_assert_eq!((id, agents.slots.last().copied()), (AgentId(n_placed), lowest));
                    n_placed += 1;
                }
                most = most.max(agents.len());
                prop_assert!(agents.row_of_slot.len() <= most);
                prop_assert_eq!(agents.free_slots.len() + agents.len(), agents.row_of_slot.len());
                for (row, (&id, &slot)) in agents.ids.iter().zip(&agents.slots).enumerate() {
                    prop_assert_eq!((agents.row(id), agents.row_of_slot(slot)), (Some(row), Some(row)));
                }
                let gone = (0..n_placed).map(AgentId).filter(|id| !agents.ids.contains(id));
                prop_assert!(gone.into_iter().all(|id| agents.row(id).is_none()));
            }
        }
    }
}
