//! One tick: its phases, in order. Nothing else orders them.

use crate::agents::Agents;
use crate::broken::Broken;
use crate::disturbed::sends_off;
use crate::invariant;
use crate::phases::congestion::replan_around_congestion;
use crate::phases::events::apply_events;
use crate::phases::moves::finish_moves;
use crate::phases::orders::run_orders;
use crate::phases::requests::answer_requests;
use crate::phases::traffic::run_traffic;
use crate::phases::waiting::count_waiting;
use crate::world::{Settings, World};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use wheelbase_traffic::motion::Activity;

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// There is more to do.
    Running,
    /// The last tick is reached, or nothing is left to do.
    Ended,
}

/// The phases of a tick, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Scenario events and pending edits.
    Events,
    /// Closes orders that are done and begins the next ones.
    Orders,
    /// Answers path requests.
    Requests,
    /// The traffic rule decides, and moves begin.
    Traffic,
    /// Ends the moves that end at the tick.
    Moves,
    /// Counts waiting agents before [`Phase::Moves`]; checks the invariants after it, if that is on.
    Metrics,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 6] =
        [Self::Events, Self::Orders, Self::Requests, Self::Traffic, Self::Moves, Self::Metrics];

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        ["events", "orders", "requests", "traffic", "moves", "metrics"][self as usize]
    }
}

impl World {
    /// Runs one tick. At the last tick no move begins; what the moves have finished is counted. A panic inside, such as
    /// that of a traffic rule from outside, leaves the world broken.
    /// # Panics
    /// As what panics inside, and on a broken world with its [`Broken`]. [`World::try_step`] returns both.
    pub fn step(&mut self) -> RunState {
        self.step_observed(&mut |_| {})
    }

    /// [`step`](Self::step) that catches a panic inside.
    /// # Errors
    /// The world is broken, now or since an earlier step.
    pub fn try_step(&mut self) -> Result<RunState, Broken> {
        self.try_step_observed(&mut |_| {})
    }

    /// [`step_observed`](Self::step_observed) that catches a panic inside.
    /// # Errors
    /// As [`World::try_step`].
    pub fn try_step_observed(&mut self, begins: &mut (impl FnMut(Phase) + Send)) -> Result<RunState, Broken> {
        match self.broken() {
            Some(broken) => Err(broken.clone()),
            None => self.step_or_break(begins).map_err(|(broken, _)| broken),
        }
    }

    /// [`step`](Self::step) that passes each phase to `begins` when it begins, so that a caller can time them; a
    /// world has no clock. [`Phase::Metrics`] comes before and after [`Phase::Moves`]. At the last tick only the
    /// first two phases come.
    /// # Panics
    /// As [`World::step`].
    pub fn step_observed(&mut self, begins: &mut (impl FnMut(Phase) + Send)) -> RunState {
        if let Some(broken) = &self.broken {
            panic!("{broken}");
        }
        self.step_or_break(begins).unwrap_or_else(|(_, payload)| resume_unwind(payload))
    }

    /// Steps a world that is whole, or marks it broken and gives what the panic came with too.
    fn step_or_break(
        &mut self,
        begins: &mut (impl FnMut(Phase) + Send),
    ) -> Result<RunState, (Broken, Box<dyn Any + Send>)> {
        let tick = self.tick;
        // A world that is half way through a tick is used no more.
        let stepped = catch_unwind(AssertUnwindSafe(|| match self.pool.get() {
            Some(pool) => pool.install(|| self.step_here(begins)),
            None => self.step_here(begins),
        }));
        stepped.map_err(|payload| {
            let broken = Broken::of_panic(tick, &*payload);
            self.tick = tick;
            self.broken = Some(Box::new(broken.clone()));
            (broken, payload)
        })
    }

    fn step_here(&mut self, begins: &mut impl FnMut(Phase)) -> RunState {
        // Its rows are valid up to the events of the next tick.
        self.ended.clear();
        self.events.begin_tick();
        self.agents.changed.clear();
        if !self.start.agents.is_empty() {
            self.start.agents = Vec::new();
        }
        let last = self.tick >= self.settings.ticks;
        begins(Phase::Events);
        if !last {
            apply_events(self);
        }
        begins(Phase::Orders);
        run_orders(self);
        if last || (self.settings.ticks != Settings::ENDLESS && self.nothing_left()) {
            return RunState::Ended;
        }
        begins(Phase::Requests);
        replan_around_congestion(self);
        answer_requests(self);
        begins(Phase::Traffic);
        run_traffic(self);
        if self.traffic.needs_paths() {
            // After the moves of the tick have begun, before waiting agents are counted.
            self.congestion.fade(self.tick);
            self.congestion.renew(self.tick, &self.agents, &self.tables);
        }
        begins(Phase::Metrics);
        count_waiting(self);
        self.tick += 1;
        begins(Phase::Moves);
        finish_moves(self);
        begins(Phase::Metrics);
        if let Some(collisions) = self.counts.collisions {
            let found = invariant::check(self);
            self.counts.collisions = Some(collisions + invariant::colliding_pairs(&found));
            self.violation = self.violation.or(found.first().map(|&violation| (self.tick, violation)));
        }
        RunState::Running
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        while self.step() == RunState::Running {}
    }

    /// Whether no later tick can change anything: no command waits, no edit has a deadline, and every agent rests
    /// without anything to do. A pending edit then waits for an agent that will never move. The agent is on hold, or no
    /// moves lead it off the cells of the edit.
    pub fn nothing_left(&self) -> bool {
        let Agents { motion, busy, stamps, .. } = &self.agents;
        let is_still = |row: usize| match motion[row].activity {
            // Before the first tick the agents have orders which none has begun.
            Activity::Idle => motion[row].at_rest() && !stamps[row].has_order,
            Activity::Unreachable | Activity::Holding => {
                motion[row].at_rest() && !self.agents.waits_in_place(row)
            }
            _ => false,
        };
        self.commands.is_empty()
            && self.class_changes.is_empty()
            && !self.pending_edits.any_deadline()
            && !self.obstructed.any_tries(&self.agents, &self.friends)
            && busy.iter().all(is_still)
            && !sends_off(self)
    }
}
