//! What the rule keeps of each agent, by agent slot: the head, which every tick reads, and the details, which are cold.

use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::CORRIDORS_MAX;
use crate::cooperative::credit::Credit;
use crate::cooperative::inheritance_kind::Retry;
use crate::motion::AgentId;
use crate::saved::saved;
use crate::ticks::NEVER;
use wheelbase_planner::model::State;

/// The state of an agent that is nowhere.
pub(crate) const NO_STATE: State = State(u32::MAX);

/// What every tick reads of an agent: at most 32 bytes, two to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlanHead {
    /// Moves left of its path.
    pub(crate) path_left: u32,
    /// Begin and waypoint of the trip that the path belongs to.
    pub(crate) path_of: (u32, u32),
    /// Tick of its next search for a plan.
    pub(crate) next_try: u32,
    /// First moves of its path that lead to a retreat.
    pub(crate) retreat_left: u32,
    /// Begin of the first move of its plan; [`NEVER`] without moves.
    pub(crate) plan_begins: u32,
    /// End of the last move of its plan.
    pub(crate) plan_ends: u32,
    /// Moves of its plan.
    pub(crate) n_planned: u8,
    /// Searches in a row without a plan.
    pub(crate) failures: u8,
    /// Its body is in a corridor.
    pub(crate) is_inside: bool,
    /// Which of its details are set.
    pub(crate) has: DetailFlags,
}

const _: () = assert!(size_of::<PlanHead>() <= 32);

// The others follow from the plan and the details.
saved!(PlanHead { path_left, path_of, next_try, retreat_left, failures, is_inside } else Self::NEW);

/// Which details of an agent are set, so that a tick need not read the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DetailFlags(u8);

impl DetailFlags {
    const CORRIDORS: u8 = 1;
    const ADMITTED_AT: u8 = 2;
    const LEFT_AT: u8 = 4;

    /// The flags of some details.
    pub(crate) fn of(details: &PlanDetails) -> Self {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let corridors = details.corridors.iter().any(|&corridor| corridor != NO_CORRIDOR);
        Self(
            flag(corridors, Self::CORRIDORS)
                | flag(details.admitted_at != NEVER, Self::ADMITTED_AT)
                | flag(details.left_at != NO_STATE, Self::LEFT_AT),
        )
    }

    /// The agent is in a corridor, will be with its plan, or is admitted to one.
    pub(crate) fn corridors(self) -> bool {
        self.0 & Self::CORRIDORS != 0
    }

    /// The agent was admitted to a busy corridor.
    pub(crate) fn admitted_at(self) -> bool {
        self.0 & Self::ADMITTED_AT != 0
    }

    /// The agent has come out of a busy corridor and is still on the ground before its entrance.
    pub(crate) fn left_at(self) -> bool {
        self.0 & Self::LEFT_AT != 0
    }
}

/// The cold part of what the rule keeps of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanDetails {
    /// Number of its path among all its paths.
    pub(crate) path: u32,
    /// The agent that has pushed it, until it has passed; [`AgentId::NOBODY`] without one.
    pub(crate) pusher: AgentId,
    /// Begin of that agent's trip at the time.
    pub(crate) pusher_since: u32,
    /// When it was pushed; at its retreat, when it arrived there.
    pub(crate) retreat_since: u32,
    /// Tick from which on it may push again.
    pub(crate) push_again_at: u32,
    /// Pushes in a row for which there were no retreats.
    pub(crate) push_failures: u8,
    /// Corridors that it is in or will be in with its plan; [`NO_CORRIDOR`] for none.
    pub(crate) corridors: [u32; CORRIDORS_MAX],
    /// When it may let others inherit its priority next, by kind.
    pub(crate) inheritance_retries: [Retry; 2],
    /// The corridor to which it is admitted and on its way; [`NO_CORRIDOR`] for none.
    pub(crate) admitted: u32,
    /// When it was admitted to a busy corridor, until it is through and off the ground before the entrance; [`NEVER`]
    /// if it was not.
    pub(crate) admitted_at: u32,
    /// Where it came out of that corridor; [`NO_STATE`] before.
    pub(crate) left_at: State,
    /// Its state when its corridors were last noted.
    pub(crate) noted_at: State,
    /// Poses that its turns may expand.
    pub(crate) credit: Credit,
    /// Tick from which on it is tested whether it can make way.
    pub(crate) test_way_at: u32,
    /// Before which corridor its last turn made it stop, and why. Only reasons for waiting read it.
    pub(crate) refused: Refused,
}

saved!(PlanDetails {
    path,
    pusher,
    pusher_since,
    retreat_since,
    push_again_at,
    push_failures,
    corridors,
    inheritance_retries,
    admitted,
    admitted_at,
    left_at,
    noted_at,
    credit,
    test_way_at,
    refused,
});

/// A stop before a corridor, as reasons for waiting name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    /// The corridor; [`NO_CORRIDOR`] if the agent need not stop.
    pub(crate) corridor: u32,
    /// Moves of its path that are left where it stops.
    pub(crate) path_left: u32,
    /// The agent that keeps it out; [`AgentId::NOBODY`] if none does by itself.
    pub(crate) holder: AgentId,
    /// Without such an agent: it has to queue, else it is not its turn.
    pub(crate) queues: bool,
}

saved!(Refused { corridor, path_left, holder, queues });

impl Refused {
    pub(crate) const NONE: Self =
        Self { corridor: NO_CORRIDOR, path_left: 0, holder: AgentId::NOBODY, queues: false };
}

impl PlanHead {
    pub(crate) const NEW: Self = Self {
        path_left: 0,
        path_of: (0, 0),
        next_try: 0,
        retreat_left: 0,
        plan_begins: NEVER,
        plan_ends: 0,
        n_planned: 0,
        failures: 0,
        is_inside: false,
        has: DetailFlags(0),
    };

    /// Whether its plan has no moves.
    pub(crate) fn plan_is_empty(&self) -> bool {
        self.n_planned == 0
    }
}

impl PlanDetails {
    pub(crate) const NEW: Self = Self {
        path: 0,
        pusher: AgentId::NOBODY,
        pusher_since: 0,
        retreat_since: 0,
        push_again_at: 0,
        push_failures: 0,
        corridors: [NO_CORRIDOR; CORRIDORS_MAX],
        inheritance_retries: Retry::NEW,
        admitted: NO_CORRIDOR,
        admitted_at: NEVER,
        left_at: NO_STATE,
        noted_at: NO_STATE,
        credit: Credit::FULL,
        test_way_at: 0,
        refused: Refused::NONE,
    };

    /// Ticks since it was pushed, or since it arrived at its retreat.
    pub(crate) fn ticks_since_push(&self, tick: u32) -> u32 {
        tick.saturating_sub(self.retreat_since)
    }
}
