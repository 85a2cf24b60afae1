//! What the rule keeps of an agent, by id.

use crate::cooperative::ahead::PASSAGES_MAX;
use crate::cooperative::lifted::Retry;
use crate::cooperative::narrows::OPEN;
use crate::cooperative::plan::Plan;
use wheelbase_planner::State;

pub const NONE: u32 = u32::MAX;

pub const NOWHERE: State = State(u32::MAX);

/// What is kept of an agent, by id.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub plan: Plan,
    /// Number of its path among those it has had, moves left of it, and what it was asked for.
    pub path: u32,
    pub path_left: u32,
    pub path_of: (u32, u32),
    /// It looks for a plan again at this tick.
    pub next_try: u32,
    /// Times in a row that it has found none.
    pub failures: u8,
    /// First moves of the path that lead aside, for another.
    pub aside_left: u32,
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
    pub passages: [u32; PASSAGES_MAX],
    /// When it tries again to have others plan around it.
    pub lift_retries: [Retry; 2],
    /// The passage that it is on its way to with the right to enter; [`OPEN`] for none.
    pub granted: u32,
    /// When it got the right to enter a busy passage, until it is through and off the ground before the mouth;
    /// [`NONE`] if it has none. And where it has come out.
    pub granted_at: u32,
    pub left_at: State,
    /// Its body is in a passage.
    pub is_inside: bool,
    /// Where it was, or began its move, when that was noted.
    pub noted_at: State,
}

impl Member {
    pub const NEW: Self = Self {
        plan: Plan::NONE,
        path: 0,
        path_left: 0,
        path_of: (0, 0),
        next_try: 0,
        failures: 0,
        aside_left: 0,
        for_agent: NONE,
        for_order: 0,
        held_since: 0,
        push_again_at: 0,
        push_failures: 0,
        backed_out_until: 0,
        lift_retries: Retry::NEW,
        passages: [OPEN; PASSAGES_MAX],
        granted: OPEN,
        granted_at: NONE,
        left_at: NOWHERE,
        is_inside: false,
        noted_at: NOWHERE,
    };

    /// Ticks since it was sent aside, or since it stands there.
    pub fn held_for(&self, tick: u32) -> u32 {
        tick.saturating_sub(self.held_since)
    }
}
