//! Plans: timed moves, and then rest.

use crate::saved::saved;
use wheelbase_planner::model::State;

/// Moves of the plan of an agent at most that has no no-stopping ground before it.
pub(crate) const USUAL_MOVES_MAX: usize = 16;

/// Moves of any plan at most: enough to cross a short bridge, and the ground before both of its ends.
pub(crate) const MOVES_MAX: usize = 48;

/// A move of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlannedMove {
    pub(crate) start: u32,
    pub(crate) ticks: u32,
    pub(crate) primitive: u8,
}

saved!(PlannedMove { start, ticks, primitive });

/// What an agent will do: finish its move in progress, if any, carry out these moves, and rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    moves: [PlannedMove; MOVES_MAX],
    n: u8,
    /// State at rest after the last move, and the tick from which on it rests.
    pub(crate) end: (State, u32),
}

impl Plan {
    /// The plan of an agent that is not there.
    pub(crate) const NONE: Self = Self {
        moves: [PlannedMove { start: 0, ticks: 0, primitive: 0 }; MOVES_MAX],
        n: 0,
        end: (State(0), 0),
    };

    /// A plan without moves.
    pub(crate) fn rest(state: State, tick: u32) -> Self {
        Self { end: (state, tick), ..Self::NONE }
    }

    /// The moves, next first.
    pub(crate) fn moves(&self) -> &[PlannedMove] {
        &self.moves[..usize::from(self.n)]
    }

    /// Whether it has no moves.
    pub(crate) fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Appends a move that ends in `state`.
    pub(crate) fn push(&mut self, planned: PlannedMove, state: State) {
        self.moves[usize::from(self.n)] = planned;
        self.n += 1;
        self.end = (state, planned.start + planned.ticks);
    }

    /// Removes the first move, which has begun.
    pub(crate) fn begin_first(&mut self) {
        self.moves.copy_within(1.., 0);
        self.n -= 1;
    }

    /// Whether the moves are the first ones of a path.
    pub(crate) fn begins(&self, path: &[u8]) -> bool {
        path.len() >= self.moves().len()
            && self.moves().iter().zip(path).all(|(planned, &primitive)| planned.primitive == primitive)
    }
}
