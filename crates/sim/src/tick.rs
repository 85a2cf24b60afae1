//! One tick: its phases and their order, and nothing else orders them.

use crate::agents::Agents;
use crate::invariant;
use crate::phases::events::apply_events;
use crate::phases::moves::finish_moves;
use crate::phases::orders::run_orders;
use crate::phases::requests::{answer_requests, replan_around_congestion};
use crate::phases::traffic::run_traffic;
use crate::phases::waiting::count_waiting;
use crate::world::World;
use wheelbase_traffic::motion::Activity;

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// There is more to do.
    Running,
    /// The last tick is reached, or nothing is left to do.
    Ended,
}

/// The phases of a tick, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Scenario events, and edits that waited.
    Events,
    /// Orders: what is done is closed, what comes next begins.
    Orders,
    /// Path requests are answered.
    Requests,
    /// Traffic decides who may start a move, and the moves begin.
    Traffic,
    /// Moves that end at the tick end.
    Moves,
    /// Metrics: who waits, before the moves; the invariants, where they are checked, behind them.
    Metrics,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Events, Self::Orders, Self::Requests, Self::Traffic, Self::Moves, Self::Metrics];

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        ["events", "orders", "requests", "traffic", "moves", "metrics"][self as usize]
    }
}

impl World {
    /// Runs one tick. At the last tick only what moves have finished is counted, and no move begins.
    pub fn step(&mut self) -> RunState {
        self.step_observed(&mut |_| {})
    }

    /// [`step`](Self::step) that names each phase to `begins` before it begins, so that a caller can time
    /// them; the simulation has no clock. [`Phase::Metrics`] comes on both sides of [`Phase::Moves`], and
    /// at the last tick only the first two phases come.
    pub fn step_observed(&mut self, begins: &mut impl FnMut(Phase)) -> RunState {
        // Its rows are those of the last tick.
        self.ended.clear();
        let last = self.tick >= self.settings.ticks;
        begins(Phase::Events);
        if !last {
            apply_events(self);
        }
        begins(Phase::Orders);
        run_orders(self);
        if last || self.nothing_left() {
            return RunState::Ended;
        }
        begins(Phase::Requests);
        replan_around_congestion(self);
        answer_requests(self);
        begins(Phase::Traffic);
        run_traffic(self);
        begins(Phase::Metrics);
        count_waiting(self);
        self.tick += 1;
        begins(Phase::Moves);
        finish_moves(self);
        begins(Phase::Metrics);
        if self.check_invariants {
            let found = invariant::check(self);
            let pairs = invariant::colliding_pairs(&found);
            self.counts.collisions = self.counts.collisions.map(|sum| sum + pairs);
            self.violation = self.violation.or(found.first().map(|&violation| (self.tick, violation)));
        }
        RunState::Running
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        while self.step() == RunState::Running {}
    }

    /// Whether no tick to come can change anything: no event is left, nobody moves, asks, follows or
    /// pauses. An edit that still waits then waits for an agent that will not move.
    fn nothing_left(&self) -> bool {
        let Agents { motion, busy, .. } = &self.agents;
        let is_still = |row: usize| {
            motion[row].at_rest() && matches!(motion[row].activity, Activity::Idle | Activity::Unreachable)
        };
        self.next_event == self.events.len() && busy.iter().all(is_still)
    }
}
