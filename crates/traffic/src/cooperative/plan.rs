//! Plans: the moves that an agent will begin, and when.

use wheelbase_planner::model::State;

/// Moves of a plan at most.
pub const MOVES_MAX: usize = 16;

/// A move of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlannedMove {
    pub start: u32,
    pub ticks: u32,
    pub primitive: u8,
}

/// What an agent will do: finish the move that it has begun, if any, carry out these moves, and rest.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub moves: [PlannedMove; MOVES_MAX],
    pub n: u8,
    /// Where it rests behind the last move, and from which tick on.
    pub end: (State, u32),
}

impl Plan {
    /// The plan of an agent that is not there.
    pub const NONE: Self = Self {
        moves: [PlannedMove { start: 0, ticks: 0, primitive: 0 }; MOVES_MAX],
        n: 0,
        end: (State(0), 0),
    };

    /// A plan without moves.
    pub fn rest(state: State, tick: u32) -> Self {
        Self { end: (state, tick), ..Self::NONE }
    }

    /// The moves, next first.
    pub fn moves(&self) -> &[PlannedMove] {
        &self.moves[..usize::from(self.n)]
    }

    /// Whether it has no moves.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Whether there is room for no other move.
    pub fn is_full(&self) -> bool {
        usize::from(self.n) == MOVES_MAX
    }

    /// Adds a move behind the last one, which ends in `state`.
    pub fn push(&mut self, planned: PlannedMove, state: State) {
        self.moves[usize::from(self.n)] = planned;
        self.n += 1;
        self.end = (state, planned.start + planned.ticks);
    }

    /// Takes off the first move, which has begun.
    pub fn begin_first(&mut self) {
        self.moves.copy_within(1.., 0);
        self.n -= 1;
    }

    /// Whether the moves are the first ones of a path.
    pub fn begins(&self, path: &[u8]) -> bool {
        path.len() >= self.moves().len()
            && self.moves().iter().zip(path).all(|(planned, &primitive)| planned.primitive == primitive)
    }
}
