//! The simulation's data: who owns which array.

use crate::agents::{Activity, AgentId, Agents, ClassId, Motion, Row};
use crate::events::{PendingEdits, TimedEdit};
use crate::invariant::Violation;
use crate::metrics::Counts;
use crate::orders::{OrderPool, OrderState};
use crate::path_pool::PathPool;
use crate::requests::Requests;
use crate::reservation::{CollisionRule, Reservation, Step};
use crate::trace::TraceEvent;
use crate::traffic::{Decisions, Traffic};
use wheelbase_grid::Grid;
use wheelbase_planner::{MovementTables, Pose, State};

/// A movement class of the scenario.
#[derive(Debug)]
pub struct SimClass {
    /// Name.
    pub name: String,
    /// The class compiled against the map.
    pub tables: MovementTables,
    /// The class as written in the scenario, for the trace.
    pub as_written: serde_json::Value,
}

/// What a scenario sets for the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Name of the scenario.
    pub name: String,
    /// All randomness comes from it.
    pub seed: u64,
    /// What a collision is.
    pub collision: CollisionRule,
    /// Ticks to run at most.
    pub ticks: u32,
    /// Expansions that path requests may spend a tick.
    pub expansions_per_tick: u64,
    /// Searches under way at once.
    pub search_slots: usize,
    /// Poses that the traffic may try a tick.
    pub tries_per_tick: u64,
}

/// A run: the map, the classes, the agents and all that they wait for. Made by [`crate::build`],
/// driven by [`Simulation::step`].
pub struct Simulation {
    pub(crate) settings: Settings,
    pub(crate) grid: Grid,
    pub(crate) classes: Vec<SimClass>,
    pub(crate) entities: hecs::World,
    pub(crate) agents: Agents,
    pub(crate) orders: OrderPool,
    pub(crate) paths: PathPool,
    pub(crate) reservation: Reservation,
    pub(crate) requests: Requests,
    pub(crate) traffic: Box<dyn Traffic>,
    pub(crate) decisions: Decisions,
    /// Events in order of tick, then of the file.
    pub(crate) events: Vec<TimedEdit>,
    pub(crate) next_event: usize,
    pub(crate) pending: PendingEdits,
    pub(crate) counts: Counts,
    pub(crate) tick: u32,
    pub(crate) check_invariants: bool,
    pub(crate) violation: Option<(u32, Violation)>,
    /// Moves that ended at the present tick: rows and the states in which they began.
    pub(crate) ended: Vec<(u32, State)>,
    /// What happened since it was last taken, if anybody asked for it.
    pub(crate) log: Option<Vec<TraceEvent>>,
}

impl Simulation {
    /// What the scenario set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The map as edited so far.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The movement classes in order of their [`ClassId`].
    pub fn classes(&self) -> &[SimClass] {
        &self.classes
    }

    /// The agents that are there.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The `hecs` world of the agents' entities, each with [`AgentId`], [`ClassId`] and [`Row`]. Game
    /// code may add components of its own.
    pub fn entities(&self) -> &hecs::World {
        &self.entities
    }

    /// The `hecs` world, to add components to.
    pub fn entities_mut(&mut self) -> &mut hecs::World {
        &mut self.entities
    }

    /// All orders.
    pub fn orders(&self) -> &OrderPool {
        &self.orders
    }

    /// Who holds which cell.
    pub fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// The tick that comes next.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// What was counted so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Pose at rest of the agent in a row, or the pose from which its move in progress began.
    pub fn pose(&self, row: usize) -> Pose {
        let motion = &self.agents.motion[row];
        self.classes[motion.class.0 as usize].tables.space().pose(motion.state)
    }

    /// Edits that wait until they disturb nobody.
    pub fn edits_pending(&self) -> usize {
        self.pending.len()
    }

    /// The first violation found and the tick after which it was, if invariants are checked.
    pub fn violation(&self) -> Option<(u32, Violation)> {
        self.violation
    }

    /// Has every tick checked by [`crate::invariant::check`], and violations counted.
    pub fn check_invariants(&mut self) {
        self.check_invariants = true;
        self.counts.collisions = Some(0);
    }

    /// Keeps what happens, for [`Simulation::take_log`]; agents already placed come first.
    pub fn keep_log(&mut self) {
        let mut log = Vec::new();
        for row in 0..self.agents.len() {
            log.push(TraceEvent::spawn(self, row));
            self.log_orders(row, &mut log);
        }
        self.log = Some(log);
    }

    fn log_orders(&self, row: usize, log: &mut Vec<TraceEvent>) {
        let agent = self.agents.ids[row];
        let orders = self.agents.orders[row];
        log.extend((0..orders.count).map(|at| TraceEvent::Order { agent, order: orders.first + at }));
    }

    /// Calls `each` with what happened since the last call, in order, and forgets it.
    pub fn take_log<E>(
        &mut self,
        mut each: impl FnMut(&Self, &TraceEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(mut log) = self.log.take() else { return Ok(()) };
        let result = log.iter().try_for_each(|event| each(self, event));
        log.clear();
        self.log = Some(log);
        result
    }

    pub(crate) fn note(&mut self, event: TraceEvent) {
        if let Some(log) = &mut self.log {
            log.push(event);
        }
    }

    /// Puts an agent down in a legal pose that nobody holds.
    pub(crate) fn place(
        &mut self,
        class: ClassId,
        state: State,
        priority: i32,
        orders: (u32, u32),
    ) -> AgentId {
        let tables = &self.classes[class.0 as usize].tables;
        let pose = tables.space().pose(state);
        let row = self.agents.len();
        let motion = Motion {
            state,
            until: Motion::AT_REST,
            primitive: 0,
            activity: Activity::Idle,
            class,
            replan: false,
        };
        let orders = OrderState::new(orders.0, orders.1, self.tick);
        let entity = self.entities.spawn((class, Row(row as u32)));
        let id = self.agents.push(motion, priority, orders, entity, self.tick);
        // The entity was spawned just now, so it takes the component.
        let _ = self.entities.insert_one(entity, id);
        self.reservation.hold(id, pose.cell, tables.class().footprint().at(pose.heading));
        self.counts.placed += 1;
        id
    }

    /// Takes out the agents of the marked rows.
    pub(crate) fn remove_rows(&mut self, gone: &[bool]) {
        for row in (0..gone.len()).filter(|&row| gone[row]) {
            let agent = self.agents.ids[row];
            let motion = self.agents.motion[row];
            let class = self.classes[motion.class.0 as usize].tables.class();
            let step = Step { class, pose: self.pose(row), primitive: motion.primitive as usize };
            if motion.at_rest() {
                let (anchor, cells) = step.start();
                self.reservation.release(agent, anchor, cells);
            } else {
                self.reservation.end_move(agent, &step);
            }
            self.paths.drop_path(&mut self.agents.paths[row]);
            self.requests.forget(agent);
            // Its entity is gone with it; that it was there is our own doing.
            let _ = self.entities.despawn(self.agents.entities[row]);
            self.counts.removed += 1;
            self.note(TraceEvent::Remove { agent });
        }
        self.agents.remove_rows(gone);
        for (row, &entity) in self.agents.entities.iter().enumerate() {
            if let Ok(mut at) = self.entities.get::<&mut Row>(entity) {
                at.0 = row as u32;
            }
        }
    }
}
