//! The saved values of each agent.
//!
//! Ticks are compared and nothing more, so any will do. A later check compares the corridors with the map.

use crate::cooperative::corridors_ahead::CORRIDORS_MAX;
use crate::cooperative::credit::Credit;
use crate::cooperative::fixed::{
    INHERITANCE_RETRY_DOUBLINGS_MAX, LNS_RETRY_DOUBLINGS_MAX, PUSH_FAILURES_MAX, RETRY_DOUBLINGS_MAX,
};
use crate::cooperative::inheritance_kind::InheritanceKind;
use crate::cooperative::plan_head::{PlanDetails, PlanHead};
use crate::cooperative::reservations::YieldState;
use crate::motion::AgentId;
use crate::priority::PriorityKey;
use crate::rule_state::RuleContext;
use crate::saved_columns::{SavedColumn, SavedWord, saved_columns};
use crate::teams::Team;
use wheelbase_planner::model::State;

impl SavedWord for Credit {
    const MOST: u64 = u64::MAX;

    fn to_word(self) -> u64 {
        self.0
    }

    fn of_word(word: u64) -> Self {
        Self(word)
    }
}

/// What the ranges of the values depend on.
pub(crate) struct AgentLimits {
    /// States of the class that has most.
    n_states: u64,
    credit: u64,
}

impl AgentLimits {
    /// Of a world between two ticks.
    pub(crate) fn of(context: &RuleContext<'_>) -> Self {
        let n_states = context.tables.iter().map(|tables| tables.space().n_states() as u64).max();
        let credit = Credit::most_used(context.tick, context.poses_per_agent);
        Self { n_states: n_states.unwrap_or(0), credit }
    }
}

pub(crate) const HEADS: &[SavedColumn<PlanHead, AgentLimits>] = saved_columns! { PlanHead, AgentLimits;
    "head.path_left": u32 = |of| &mut of.path_left, "a number of moves";
    "head.path_since": u32 = |of| &mut of.path_of.0, "a tick";
    "head.path_station": u32 = |of| &mut of.path_of.1, "a waypoint";
    "head.next_try": u32 = |of| &mut of.next_try, "a tick";
    "head.retreat_left": u32 = |of| &mut of.retreat_left, "a number of moves";
    "head.failures": u8 = |of| &mut of.failures, up to |_| RETRY_DOUBLINGS_MAX.into(),
        "a number of failures";
    "head.is_inside": bool = |of| &mut of.is_inside, "whether it is in a corridor";
};

/// Packed: a key has no references to its parts.
pub(crate) const KEYS: &[SavedColumn<YieldState, AgentLimits>] = &[
    SavedColumn {
        name: "yield.rank",
        get: |of| of.key.words()[0],
        set: |of, rank| of.key = PriorityKey::of_words(rank, of.key.words()[1] as u32),
        most: |_| u64::MAX,
        what: "a rank",
    },
    SavedColumn {
        name: "yield.id",
        get: |of| of.key.words()[1],
        set: |of, id| of.key = PriorityKey::of_words(of.key.words()[0], id as u32),
        most: |_| AgentId::MOST,
        what: "an agent id",
    },
];

pub(crate) const YIELD_STATES: &[SavedColumn<YieldState, AgentLimits>] = saved_columns! { YieldState, AgentLimits;
    "yield.busy_until": u32 = |of| &mut of.moves_until, "a tick";
    "yield.step_ticks": u16 = |of| &mut of.step_ticks, "ticks of a step";
    "yield.team": Team = |of| &mut of.team, "a team";
};

pub(crate) const DETAILS: &[SavedColumn<PlanDetails, AgentLimits>] = saved_columns! { PlanDetails, AgentLimits;
    "details.path": u32 = |of| &mut of.path, "the number of a path";
    "details.pusher": AgentId = |of| &mut of.pusher, "an agent id";
    "details.pusher_since": u32 = |of| &mut of.pusher_since, "a tick";
    "details.retreat_since": u32 = |of| &mut of.retreat_since, "a tick";
    "details.push_again_at": u32 = |of| &mut of.push_again_at, "a tick";
    "details.push_failures": u8 = |of| &mut of.push_failures,
        up to |_| PUSH_FAILURES_MAX.into(), "a number of failures";
    "details.corridor_1": u32 = |of| &mut of.corridors[0], "a corridor";
    "details.corridor_2": u32 = |of| &mut of.corridors[1], "a corridor";
    "details.corridor_3": u32 = |of| &mut of.corridors[2], "a corridor";
    "details.corridor_4": u32 = |of| &mut of.corridors[3], "a corridor";
    "details.admitted": u32 = |of| &mut of.admitted, "a corridor";
    "details.admitted_at": u32 = |of| &mut of.admitted_at, "a tick";
    "details.left_at": State = |of| &mut of.left_at, up to |limits| limits.n_states, "a state and one, or 0,";
    "details.noted_at": State = |of| &mut of.noted_at, up to |limits| limits.n_states, "a state and one, or 0,";
    "details.displace_again_at": u32 = |of| &mut of.inheritance_retries[0].again_at, "a tick";
    "details.displace_failures": u8 = |of| &mut of.inheritance_retries[0].failures,
        up to |_| INHERITANCE_RETRY_DOUBLINGS_MAX.into(), "a number of failures";
    "details.lns_again_at": u32 = |of| &mut of.inheritance_retries[1].again_at, "a tick";
    "details.lns_failures": u8 = |of| &mut of.inheritance_retries[1].failures,
        up to |_| LNS_RETRY_DOUBLINGS_MAX.into(), "a number of failures";
    "details.credit": Credit = |of| &mut of.credit, up to |limits| limits.credit, "poses that the agent can have used";
    "details.test_way_at": u32 = |of| &mut of.test_way_at, "a tick";
    "details.refused_by": u32 = |of| &mut of.refused.corridor, "a corridor";
    "details.refused_path_left": u32 = |of| &mut of.refused.path_left, "a number of moves";
    "details.refused_for": AgentId = |of| &mut of.refused.holder, "an agent id";
    "details.refused_to_queue": bool = |of| &mut of.refused.queues, "whether it queues";
};

const _: () = assert!(CORRIDORS_MAX == 4 && InheritanceKind::ALL.len() == 2);
