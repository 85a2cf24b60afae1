//! Agents whose goals other agents make unreachable, and how long each pauses before it asks again.

use crate::agents::Agents;
use crate::obstacles::is_obstacle;
use crate::plain;
use crate::replan_params::ReplanParams;
use serde::{Deserialize, Serialize};
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_traffic::motion::{Activity, AgentId, ClassId};
use wheelbase_traffic::occupancy::Occupancy;
use wheelbase_traffic::teams::Friends;

/// Most obstacles that an agent waits for one by one; of more, any place given up counts.
const BLOCKERS_MAX: usize = 8;

/// An agent that is an obstacle to another, where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Blocker {
    #[serde(with = "plain")]
    agent: AgentId,
    #[serde(with = "plain")]
    class: ClassId,
    state: u32,
}

impl Blocker {
    fn of(agents: &Agents, row: usize) -> Self {
        let motion = &agents.motion[row];
        Self { agent: agents.ids[row], class: motion.class, state: motion.state.0 }
    }

    /// Whether it is as it was, and still an obstacle to the agent in a row.
    fn stands(self, agents: &Agents, row: usize, friends: &Friends) -> bool {
        agents.present_row(self.agent).is_some_and(|blocker| {
            Self::of(agents, blocker) == self && is_obstacle(agents, blocker, agents.teams[row], friends)
        })
    }
}

/// What an obstructed agent waits for, besides the end of its pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WaitsUntil {
    /// One of the obstacles that its search met leaves its place or is no obstacle any more.
    Leaves([Option<Blocker>; BLOCKERS_MAX]),
    /// Any agent gives up its place: `Agents::cleared` differs.
    Cleared(u64),
    /// Nothing else.
    Pause,
    /// It has asked again, and has not found a path yet.
    Answered,
}

impl WaitsUntil {
    /// Of an agent in a row whose search met obstacles on some cells. `cleared` is `Agents::cleared` when the search
    /// began.
    pub fn of(
        (agents, occupancy): (&Agents, &Occupancy),
        friends: &Friends,
        row: usize,
        (cells, size): (&[CellXY], GridSize),
        cleared: u64,
    ) -> Self {
        if cells.is_empty() {
            return Self::Cleared(cleared);
        }
        let mut blockers = [None; BLOCKERS_MAX];
        for &cell in cells {
            let slot = size.cell(cell).and_then(|cell| occupancy.holder(cell));
            let holder = slot.and_then(|slot| agents.row_of_slot(slot));
            let team = agents.teams[row];
            // It has left while the search went on.
            let Some(holder) = holder.filter(|&holder| is_obstacle(agents, holder, team, friends)) else {
                return Self::Pause;
            };
            let blocker = Some(Blocker::of(agents, holder));
            let place = blockers.iter_mut().find(|place| place.is_none() || **place == blocker);
            let Some(place) = place else { return Self::Cleared(cleared) };
            *place = blocker;
        }
        Self::Leaves(blockers)
    }

    /// An obstacle that its search met, if known.
    pub fn blocker(&self) -> Option<AgentId> {
        match self {
            Self::Leaves([Some(blocker), ..]) => Some(blocker.agent),
            _ => None,
        }
    }
}

/// An agent that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Waiting {
    #[serde(with = "plain")]
    agent: AgentId,
    /// Earliest tick at which it asks again.
    again_at: u32,
    until: WaitsUntil,
}

impl Waiting {
    /// Whether the answer to its request may be another by now.
    fn may_differ(&self, agents: &Agents, friends: &Friends) -> bool {
        match &self.until {
            WaitsUntil::Leaves(blockers) => agents.row(self.agent).is_some_and(|row| {
                blockers.iter().flatten().any(|blocker| !blocker.stands(agents, row, friends))
            }),
            WaitsUntil::Cleared(cleared) => *cleared != agents.cleared,
            WaitsUntil::Pause => true,
            WaitsUntil::Answered => false,
        }
    }
}

/// Agents whose last request other agents obstructed. Each asks again after a pause, once the answer may be another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Obstructed {
    /// By id.
    waiting: Vec<Waiting>,
    /// Scratch.
    #[serde(skip)]
    pub due: Vec<AgentId>,
}

impl Obstructed {
    /// Has an agent ask again after a pause, twice as long as its last one in a row.
    pub fn pause(
        &mut self,
        agents: &mut Agents,
        row: usize,
        (params, tick): (&ReplanParams, u32),
        until: WaitsUntil,
    ) {
        let wait_state = &mut agents.wait_states[row];
        wait_state.failures = (wait_state.failures + 1).min(params.pause_doublings as u8);
        let again_at = tick.saturating_add(params.detour_pause_ticks << wait_state.failures);
        self.add(agents.ids[row], again_at, until);
    }

    /// Others obstruct the task of an agent. The next one may lead elsewhere; further ones have to wait.
    pub fn pause_between_tasks(&mut self, agents: &mut Agents, row: usize, replan: (&ReplanParams, u32)) {
        let agent = agents.ids[row];
        if self.contains(agent) {
            agents.set_activity(row, Activity::Unreachable);
            self.pause(agents, row, replan, WaitsUntil::Pause);
        } else {
            self.add(agent, replan.1, WaitsUntil::Answered);
        }
    }

    /// Adds an agent, or renews its wait.
    pub fn add(&mut self, agent: AgentId, again_at: u32, until: WaitsUntil) {
        let waiting = Waiting { agent, again_at, until };
        match self.find(agent) {
            Ok(at) => self.waiting[at] = waiting,
            Err(at) => self.waiting.insert(at, waiting),
        }
    }

    fn find(&self, agent: AgentId) -> Result<usize, usize> {
        self.waiting.binary_search_by_key(&agent, |waiting| waiting.agent)
    }

    /// Whether the last request of an agent was obstructed.
    pub fn contains(&self, agent: AgentId) -> bool {
        self.find(agent).is_ok()
    }

    /// Forgets an agent; returns whether its last request was obstructed.
    pub fn remove(&mut self, agent: AgentId) -> bool {
        self.find(agent).map(|at| self.waiting.remove(at)).is_ok()
    }

    /// Whether an agent will ask again even if no other gives up its place.
    pub fn any_tries(&self, agents: &Agents, friends: &Friends) -> bool {
        self.waiting.iter().any(|waiting| waiting.may_differ(agents, friends))
    }

    /// Number of agents.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether there is no agent.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds the agents that ask again at a tick to `due`. Drops agents that are gone.
    pub fn take_due(&mut self, tick: u32, agents: &Agents, friends: &Friends, due: &mut Vec<AgentId>) {
        self.waiting.retain_mut(|waiting| {
            if tick >= waiting.again_at && waiting.may_differ(agents, friends) {
                waiting.until = WaitsUntil::Answered;
                due.push(waiting.agent);
            }
            agents.row(waiting.agent).is_some()
        });
    }

    /// The agents, by id.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.waiting.iter().map(|waiting| waiting.agent)
    }

    /// Words for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        for waiting in &self.waiting {
            word(u64::from(waiting.agent.0) << 32 | u64::from(waiting.again_at));
            match &waiting.until {
                WaitsUntil::Leaves(blockers) => blockers.iter().flatten().for_each(|blocker| {
                    word(u64::from(blocker.agent.0) << 32 | u64::from(blocker.state));
                }),
                WaitsUntil::Cleared(cleared) => word(*cleared),
                WaitsUntil::Pause => word(u64::MAX),
                WaitsUntil::Answered => word(u64::MAX - 1),
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
