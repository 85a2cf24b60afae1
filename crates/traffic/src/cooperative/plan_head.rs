//! What the rule keeps of an agent, by id: what every tick looks at, and what is cold.

use crate::cooperative::corridor_map::OPEN;
use crate::cooperative::corridors_ahead::CORRIDORS_MAX;
use crate::cooperative::displaced::Retry;
use wheelbase_planner::model::State;

pub const NONE: u32 = u32::MAX;

pub const NOWHERE: State = State(u32::MAX);

/// What every tick looks at of an agent: at most 32 bytes, two to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanHead {
    /// Moves left of its path, and what the path was asked for.
    pub path_left: u32,
    pub path_of: (u32, u32),
    /// It looks for a plan again at this tick.
    pub next_try: u32,
    /// First moves of the path that lead aside, for another.
    pub retreat_left: u32,
    /// Of its plan: when the first move begins, when the last one ends, and how many there are.
    pub plan_begins: u32,
    pub plan_ends: u32,
    pub n_planned: u8,
    /// Times in a row that it has found no plan.
    pub failures: u8,
    /// Its body is in a passage.
    pub is_inside: bool,
    /// Which of its cold values are set.
    pub has: Has,
}

const _: () = assert!(size_of::<PlanHead>() <= 32);

/// Which of the cold values of an agent are set, so that a tick need not look at the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Has(u8);

impl Has {
    const CORRIDORS: u8 = 1;
    const ADMITTED_AT: u8 = 2;
    const LEFT_AT: u8 = 4;

    /// Those that are set.
    pub fn of(cold: &PlanCold) -> Self {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let corridors = cold.corridors.iter().any(|&corridor| corridor != OPEN);
        Self(
            flag(corridors, Self::CORRIDORS)
                | flag(cold.admitted_at != NONE, Self::ADMITTED_AT)
                | flag(cold.left_at != NOWHERE, Self::LEFT_AT),
        )
    }

    /// It is in a passage, or will be with its plan, or has the right to enter.
    pub fn corridors(self) -> bool {
        self.0 & Self::CORRIDORS != 0
    }

    /// It got the right to enter a busy passage.
    pub fn admitted_at(self) -> bool {
        self.0 & Self::ADMITTED_AT != 0
    }

    /// It has come out of a busy passage and is on the ground before the mouth.
    pub fn left_at(self) -> bool {
        self.0 & Self::LEFT_AT != 0
    }
}

/// What is cold of an agent.
#[derive(Clone, Copy, Debug)]
pub struct PlanCold {
    /// Number of its path among those it has had.
    pub path: u32,
    /// For whom it stepped aside, when that one's order began, and when it was sent there or, if it is there,
    /// since when it stands there.
    pub for_agent: u32,
    pub for_order: u32,
    pub held_since: u32,
    /// It tries again at this tick to have others step aside, and times in a row that there was no room.
    pub push_again_at: u32,
    pub push_failures: u8,
    /// Until then it pushes nobody a short way, for it has backed out itself.
    pub backed_out_until: u32,
    /// Passages that it is in or will be in with its plan; [`OPEN`] for none.
    pub corridors: [u32; CORRIDORS_MAX],
    /// When it tries again to have others plan around it.
    pub displace_retries: [Retry; 2],
    /// The passage that it is on its way to with the right to enter; [`OPEN`] for none.
    pub admitted: u32,
    /// When it got the right to enter a busy passage, until it is through and off the ground before the mouth;
    /// [`NONE`] if it has none. And where it has come out.
    pub admitted_at: u32,
    pub left_at: State,
    /// Where it was, or began its move, when that was noted.
    pub noted_at: State,
}

impl PlanHead {
    pub const NEW: Self = Self {
        path_left: 0,
        path_of: (0, 0),
        next_try: 0,
        retreat_left: 0,
        plan_begins: NONE,
        plan_ends: 0,
        n_planned: 0,
        failures: 0,
        is_inside: false,
        has: Has(0),
    };

    /// Whether it has no move planned.
    pub fn plan_is_empty(&self) -> bool {
        self.n_planned == 0
    }
}

impl PlanCold {
    pub const NEW: Self = Self {
        path: 0,
        for_agent: NONE,
        for_order: 0,
        held_since: 0,
        push_again_at: 0,
        push_failures: 0,
        backed_out_until: 0,
        corridors: [OPEN; CORRIDORS_MAX],
        displace_retries: Retry::NEW,
        admitted: OPEN,
        admitted_at: NONE,
        left_at: NOWHERE,
        noted_at: NOWHERE,
    };

    /// Ticks since it was sent aside, or since it stands there.
    pub fn held_for(&self, tick: u32) -> u32 {
        tick.saturating_sub(self.held_since)
    }
}
