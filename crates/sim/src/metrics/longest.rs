//! The longest waits and times without progress of each class, as results print them.

use crate::class::WorldClass;
use crate::progress::{Longest, LongestOfClass, is_under_way};
use crate::wait_reason::NamedReason;
use crate::world::World;
use serde::Serialize;

/// What a class waited for longest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in docs/format.md")]
pub struct ClassResult {
    pub class: String,
    pub longest_wait: Option<LongestResult>,
    pub longest_without_progress: Option<LongestResult>,
}

/// The longest of some times: whose, where, and up to which tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the keys are documented in docs/format.md")]
pub struct LongestResult {
    pub ticks: u32,
    pub agent: u32,
    pub at: [i32; 2],
    pub tick: u32,
    /// Why the agent does not get on, if that time has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NamedReason>,
}

impl World {
    /// The longest times of each class so far.
    pub(crate) fn class_results(&self) -> Vec<ClassResult> {
        let of_class = |(class, longest): (&WorldClass, &LongestOfClass)| ClassResult {
            class: class.name.clone(),
            longest_wait: longest.wait.map(|longest| self.longest_result(longest)),
            longest_without_progress: longest.without_progress.map(|longest| self.longest_result(longest)),
        };
        self.classes.iter().zip(&self.longest).map(of_class).collect()
    }

    fn longest_result(&self, Longest { ticks, agent, at, tick }: Longest) -> LongestResult {
        // Only what the last tick has counted may go on.
        let row = self.agents.row(agent).filter(|_| tick.saturating_add(1) == self.tick);
        let goes_on = row.is_some_and(|row| is_under_way(self.agents.motion[row].activity));
        let reason = if goes_on { self.reason_for_waiting(agent) } else { None };
        LongestResult {
            ticks,
            agent: agent.0,
            at: [at.x, at.y],
            tick,
            reason: reason.map(|reason| reason.named()),
        }
    }
}
