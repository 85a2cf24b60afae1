//! The agents: dense parallel arrays, one row an agent, that the tick streams over; and beside them what is
//! cold, as components of an entity of each agent.
//!
//! Rows stand in order of id and close up when agents are taken out. Ids are never used again.

use crate::orders::OrderState;
use crate::statistics::TripStatistics;
use crate::tasks::Tasks;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;
use wheelbase_traffic::motion::{Activity, AgentId, Motion, WaitState};
use wheelbase_traffic::path_pool::PathHandle;
use wheelbase_traffic::view::{AgentsView, GoalStamp};
use wheelbase_traffic::{PriorityKey, RowSet};

/// Row of an agent in the dense arrays; changes when agents before it are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// All agents that are there. Arrays of one length, joined by row. Orders, tasks, trip statistics and names are
/// components of their entities: seldom looked at, and never in the order of the entities.
#[derive(Default)]
pub struct Agents {
    /// Ids, rising.
    pub ids: Vec<AgentId>,
    /// Hot: poses and moves.
    pub motion: Vec<Motion>,
    /// Rows that a tick visits. Each other agent rests, and has neither a path nor an order that it could carry out; its
    /// row stays out until something happens to the agent.
    pub(crate) busy: RowSet,
    /// Waiting and giving way.
    pub wait_states: Vec<WaitState>,
    /// What is left of their paths.
    pub paths: Vec<PathHandle>,
    /// What traffic is told of their orders.
    pub(crate) stamps: Vec<GoalStamp>,
    /// Places in the order of priority, by their own trips.
    pub(crate) keys: Vec<PriorityKey>,
    /// Poses that they have been given by an order to an area or a group.
    pub given: Vec<Option<State>>,
    /// Their entities.
    entity: Vec<hecs::Entity>,
    /// What is cold of them, and what game code adds.
    entities: hecs::World,
    /// Row of each id ever given, `u32::MAX` once it is taken out.
    row_of_id: Vec<u32>,
}

impl Agents {
    /// Number of agents that are there.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Row of an agent, or `None` if it is not there.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        let row = *self.row_of_id.get(id.0 as usize)?;
        (row != u32::MAX).then_some(row as usize)
    }

    /// Adds an agent as the last row.
    pub(crate) fn push(&mut self, motion: Motion, priority: i32, orders: OrderState, tick: u32) -> AgentId {
        let id = AgentId(self.row_of_id.len() as u32);
        let row = Row(self.ids.len() as u32);
        let entity = self.entities.spawn((id, motion.class, row, orders, Tasks::NONE, TripStatistics::NEW));
        self.row_of_id.push(self.ids.len() as u32);
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
        self.given.push(None);
        self.entity.push(entity);
        id
    }

    /// Takes out the rows for which `gone` says so; the others close up in order.
    pub(crate) fn remove_rows(&mut self, gone: &[bool]) {
        fn close_up<T>(rows: &mut Vec<T>, gone: &[bool]) {
            let mut row = 0;
            rows.retain(|_| {
                row += 1;
                !gone[row - 1]
            });
        }
        for (row, id) in self.ids.iter().enumerate() {
            if gone[row] {
                self.row_of_id[id.0 as usize] = u32::MAX;
                // Game code may have taken the entity out already.
                let _ = self.entities.despawn(self.entity[row]);
            }
        }
        close_up(&mut self.ids, gone);
        close_up(&mut self.motion, gone);
        close_up(&mut self.wait_states, gone);
        close_up(&mut self.paths, gone);
        close_up(&mut self.stamps, gone);
        close_up(&mut self.keys, gone);
        close_up(&mut self.given, gone);
        close_up(&mut self.entity, gone);
        self.busy.fill(self.ids.len());
        for (row, id) in self.ids.iter().enumerate() {
            self.row_of_id[id.0 as usize] = row as u32;
            if let Ok(at) = self.entities.query_one_mut::<&mut Row>(self.entity[row]) {
                at.0 = row as u32;
            }
        }
    }

    /// Where the agent in a row stands in its orders; nowhere if its component was taken away.
    pub fn orders(&self, row: usize) -> OrderState {
        self.entities.get::<&OrderState>(self.entity[row]).map_or(OrderState::NONE, |orders| *orders)
    }

    /// Sets where the agent in a row stands in its orders.
    pub(crate) fn set_orders(&mut self, row: usize, orders: OrderState) {
        let stamp = stamp_of(&orders);
        self.stamps[row] = stamp;
        self.keys[row] = key_of(stamp, self.wait_states[row].priority, self.ids[row]);
        if let Ok(kept) = self.entities.query_one_mut::<&mut OrderState>(self.entity[row]) {
            *kept = orders;
        }
    }

    /// Which order the tasks of the agent in a row are.
    pub fn tasks(&self, row: usize) -> Tasks {
        self.entities.get::<&Tasks>(self.entity[row]).map_or(Tasks::NONE, |tasks| *tasks)
    }

    /// Sets which order the tasks of the agent in a row are.
    pub(crate) fn set_tasks(&mut self, row: usize, tasks: Tasks) {
        if let Ok(kept) = self.entities.query_one_mut::<&mut Tasks>(self.entity[row]) {
            *kept = tasks;
        }
    }

    /// What is counted of the trips of the agent in a row.
    pub fn statistics(&self, row: usize) -> TripStatistics {
        self.entities.get::<&TripStatistics>(self.entity[row]).map_or(TripStatistics::NEW, |kept| *kept)
    }

    /// Sets what is counted of the trips of the agent in a row.
    pub(crate) fn set_statistics(&mut self, row: usize, statistics: TripStatistics) {
        if let Ok(kept) = self.entities.query_one_mut::<&mut TripStatistics>(self.entity[row]) {
            *kept = statistics;
        }
    }

    /// The agent in a row begins a trip: an order, a station of a patrol, or a task.
    pub(crate) fn begin_trip(&mut self, row: usize, orders: OrderState, tick: u32) {
        let (mut orders, mut statistics) = (orders, self.statistics(row));
        orders.begin_trip(tick);
        statistics.begin_trip();
        self.set_orders(row, orders);
        self.set_statistics(row, statistics);
    }

    /// The agents as a rule of traffic sees them. `goals` by row, for a rule that finds ways by itself.
    pub(crate) fn view<'a>(&'a self, goals: &'a [Option<CellXY>]) -> AgentsView<'a> {
        let Self { ids, motion, busy, wait_states, keys, paths, stamps, row_of_id, .. } = self;
        AgentsView { ids, motion, busy, wait_states, keys, paths, stamps, goals, row_of_id }
    }

    /// Whether a tick passes over the agent in a row, once all phases have seen it so.
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

    /// The entities of all agents, each with [`AgentId`], [`ClassId`](crate::ClassId)(crate::ClassId), [`Row`], [`OrderState`], [`Tasks`] and
    /// [`TripStatistics`], and what game code has added.
    pub fn entities(&self) -> &hecs::World {
        &self.entities
    }

    /// The entities of all agents, to add components to.
    pub(crate) fn entities_mut(&mut self) -> &mut hecs::World {
        &mut self.entities
    }
}

/// What the rules of traffic are told of an agent's orders.
fn stamp_of(orders: &OrderState) -> GoalStamp {
    GoalStamp { since: orders.since, station: orders.station, has_order: orders.open.count > 0 }
}

/// Its place in the order of priority.
fn key_of(stamp: GoalStamp, priority: i32, agent: AgentId) -> PriorityKey {
    if stamp.has_order { PriorityKey::of_trip(stamp.since, priority, agent) } else { PriorityKey::LAST }
}
