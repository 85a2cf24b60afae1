//! The agents: dense parallel arrays with a row for each agent, which ticks stream over, and cold data as components of
//! entities.
//!
//! Rows are in order of id and close up when agents are removed. Ids are never reused.

use crate::name::Name;
use crate::orders::OrderState;
use crate::statistics::TripStatistics;
use crate::tasks::Tasks;
use hecs::World as Entities;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;
use wheelbase_traffic::motion::{Activity, AgentId, Motion, WaitState};
use wheelbase_traffic::path_pool::PathHandle;
use wheelbase_traffic::view::{AgentsView, GoalStamp};
use wheelbase_traffic::{PriorityKey, RowSet};

/// Row of an agent in the dense arrays. Changes when an agent before it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// All agents present: arrays of one length, joined by row. Orders, tasks, trip statistics and names are components of
/// entities, read rarely and never in the order of the entities.
#[derive(Default)]
pub struct Agents {
    /// Ids, rising.
    pub ids: Vec<AgentId>,
    /// Hot: poses and moves.
    pub motion: Vec<Motion>,
    /// Rows that a tick visits. Every other agent rests, without a path and without an order that it can carry out; its
    /// row stays out until something happens to the agent.
    pub(crate) busy: RowSet,
    /// Waiting and yielding.
    pub wait_states: Vec<WaitState>,
    /// Remaining moves of their paths.
    pub paths: Vec<PathHandle>,
    /// What the traffic rule sees of their orders.
    pub(crate) stamps: Vec<GoalStamp>,
    /// Priority keys of their trips.
    pub(crate) keys: Vec<PriorityKey>,
    /// Poses assigned to them by an order to an area or a group.
    pub assigned: Vec<Option<State>>,
    /// Their entities.
    entity: Vec<hecs::Entity>,
    /// Cold data, and components of game code.
    entities: Entities,
    /// Row of each id ever used; `u32::MAX` once the agent is removed.
    row_of_id: Vec<u32>,
}

impl Agents {
    /// Number of agents present.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether no agent is present.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent, or `None` if it is not present.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        let row = *self.row_of_id.get(id.0 as usize)?;
        (row != u32::MAX).then_some(row as usize)
    }

    /// Adds an agent as the last row.
    pub(crate) fn push(&mut self, motion: Motion, priority: i32, orders: OrderState, tick: u32) -> AgentId {
        let id = AgentId(self.row_of_id.len() as u32);
        let row = Row(self.ids.len() as u32);
        let entity = self.entities.spawn((id, motion.class, row, orders, Tasks::NONE, TripStatistics::NEW));
        self.row_of_id.push(row.0);
        self.ids.push(id);
        self.motion.push(motion);
        self.wait_states.push(WaitState {
            priority,
            waits_since: u32::MAX,
            moved_at: tick,
            ask_again_at: 0,
            look_again_at: 0,
            look_failures: 0,
            failures: 0,
            stranded: false,
        });
        self.paths.push(PathHandle::EMPTY);
        let stamp = stamp_of(&orders);
        self.stamps.push(stamp);
        self.keys.push(key_of(stamp, priority, id));
        self.busy.insert(row.0 as usize);
        self.assigned.push(None);
        self.entity.push(entity);
        id
    }

    /// Removes the marked rows; the others close up in order. `removed` has an entry for each row.
    pub(crate) fn remove_rows(&mut self, removed: &[bool]) {
        fn close_up<T>(rows: &mut Vec<T>, removed: &[bool]) {
            let mut marks = removed.iter();
            rows.retain(|_| !marks.next().is_some_and(|&is_removed| is_removed));
        }
        for row in (0..self.len()).filter(|&row| removed[row]) {
            self.row_of_id[self.ids[row].0 as usize] = u32::MAX;
            // Game code may have despawned the entity already.
            let _ = self.entities.despawn(self.entity[row]);
        }
        close_up(&mut self.ids, removed);
        close_up(&mut self.motion, removed);
        close_up(&mut self.wait_states, removed);
        close_up(&mut self.paths, removed);
        close_up(&mut self.stamps, removed);
        close_up(&mut self.keys, removed);
        close_up(&mut self.assigned, removed);
        close_up(&mut self.entity, removed);
        self.busy.fill(self.len());
        for (row, id) in self.ids.iter().enumerate() {
            self.row_of_id[id.0 as usize] = row as u32;
            if let Ok(kept) = self.entities.query_one_mut::<&mut Row>(self.entity[row]) {
                kept.0 = row as u32;
            }
        }
    }

    /// Progress of the agent in a row through its orders; no orders if its component was removed.
    pub fn orders(&self, row: usize) -> OrderState {
        self.entities.get::<&OrderState>(self.entity[row]).map_or(OrderState::NONE, |orders| *orders)
    }

    /// Sets the progress of the agent in a row through its orders.
    pub(crate) fn set_orders(&mut self, row: usize, orders: OrderState) {
        let stamp = stamp_of(&orders);
        self.stamps[row] = stamp;
        self.keys[row] = key_of(stamp, self.wait_states[row].priority, self.ids[row]);
        if let Ok(kept) = self.entities.query_one_mut::<&mut OrderState>(self.entity[row]) {
            *kept = orders;
        }
    }

    /// The order that holds the tasks of the agent in a row.
    pub fn tasks(&self, row: usize) -> Tasks {
        self.entities.get::<&Tasks>(self.entity[row]).map_or(Tasks::NONE, |tasks| *tasks)
    }

    /// Sets the order that holds the tasks of the agent in a row.
    pub(crate) fn set_tasks(&mut self, row: usize, tasks: Tasks) {
        if let Ok(kept) = self.entities.query_one_mut::<&mut Tasks>(self.entity[row]) {
            *kept = tasks;
        }
    }

    /// Trip statistics of the agent in a row.
    pub fn statistics(&self, row: usize) -> TripStatistics {
        self.entities.get::<&TripStatistics>(self.entity[row]).map_or(TripStatistics::NEW, |kept| *kept)
    }

    /// Sets the trip statistics of the agent in a row.
    pub(crate) fn set_statistics(&mut self, row: usize, statistics: TripStatistics) {
        if let Ok(kept) = self.entities.query_one_mut::<&mut TripStatistics>(self.entity[row]) {
            *kept = statistics;
        }
    }

    /// Begins a trip of the agent in a row: to an order's goal, a station of a patrol, or a task.
    pub(crate) fn begin_trip(&mut self, row: usize, orders: OrderState, tick: u32) {
        let (mut orders, mut statistics) = (orders, self.statistics(row));
        orders.begin_trip(tick);
        statistics.begin_trip();
        self.set_orders(row, orders);
        self.set_statistics(row, statistics);
    }

    /// Name of the agent in a row, if it has one.
    pub fn name(&self, row: usize) -> Option<String> {
        self.entities.get::<&Name>(self.entity[row]).ok().map(|name| name.0.to_string())
    }

    /// Names the agent in a row.
    pub(crate) fn set_name(&mut self, row: usize, name: Name) {
        // Game code may have despawned the entity already.
        let _ = self.entities.insert_one(self.entity[row], name);
    }

    /// The agents as the traffic rule sees them, with `goals` by row for a rule that finds paths itself.
    pub(crate) fn view<'a>(&'a self, goals: &'a [Option<CellXY>]) -> AgentsView<'a> {
        let Self { ids, motion, busy, wait_states, keys, paths, stamps, row_of_id, .. } = self;
        AgentsView { ids, motion, busy, wait_states, keys, paths, stamps, goals, row_of_id }
    }

    /// Whether ticks can skip the agent in a row, once all phases have seen it in this state.
    pub(crate) fn is_idle(&self, row: usize) -> bool {
        let motion = &self.motion[row];
        let is_done = match motion.activity {
            Activity::Idle => !self.stamps[row].has_order,
            Activity::Unreachable => true,
            _ => false,
        };
        is_done && motion.at_rest() && !motion.replan && self.paths[row].is_empty()
    }

    /// The entity of the agent in a row.
    pub fn entity(&self, row: usize) -> hecs::Entity {
        self.entity[row]
    }

    /// The entities of all agents. Each has [`AgentId`], [`ClassId`](crate::ClassId), [`Row`], [`OrderState`],
    /// [`Tasks`] and [`TripStatistics`], a [`Name`] if the scenario gives one, and the components that game code has
    /// added.
    pub fn entities(&self) -> &Entities {
        &self.entities
    }

    /// The entities of all agents, to add components to.
    pub(crate) fn entities_mut(&mut self) -> &mut Entities {
        &mut self.entities
    }
}

/// What the traffic rule sees of an agent's orders.
fn stamp_of(orders: &OrderState) -> GoalStamp {
    GoalStamp { since: orders.since, station: orders.station, has_order: orders.open.count > 0 }
}

/// Priority key of an agent.
fn key_of(stamp: GoalStamp, priority: i32, agent: AgentId) -> PriorityKey {
    if stamp.has_order { PriorityKey::of_trip(stamp.since, priority, agent) } else { PriorityKey::LAST }
}
