//! The judge of paths that come as numbers of primitives.

use crate::model::outcome::COST_MAX;
use crate::model::path::{Path, PathPose};
use crate::model::pose::State;
use crate::tables::movement_tables::MovementTables;
use std::fmt;

/// Where a list of moves ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovesEnd {
    /// State after the last move; the start without one.
    pub state: State,
    /// Ticks of all moves, at most [`COST_MAX`].
    pub ticks: u32,
}

/// The first error in a list of moves. `at` is the index of the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MovesError {
    /// The start is no state of the class on this map.
    NoSuchState {
        /// The start.
        start: State,
        /// Number of states.
        n_states: usize,
    },
    /// The start is not a legal pose.
    StartBlocked(State),
    /// The class has no such primitive.
    NoSuchPrimitive {
        /// Index of the move.
        at: usize,
        /// The primitive given.
        primitive: u8,
        /// Number of primitives of the class.
        n_primitives: usize,
    },
    /// The move is illegal; [`Legality::explain`](crate::Legality::explain) tells why.
    Illegal {
        /// Index of the move.
        at: usize,
        /// The primitive given.
        primitive: u8,
        /// State before the move.
        state: State,
    },
    /// With this move the path takes more than [`COST_MAX`] ticks.
    CostOverflow {
        /// Index of the move.
        at: usize,
    },
}

impl fmt::Display for MovesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchState { start, n_states } => {
                write!(f, "the start is state {}, expected one below {n_states}", start.0)
            }
            Self::StartBlocked(_) => write!(f, "the start is not a legal pose"),
            Self::NoSuchPrimitive { at, primitive, n_primitives } => {
                write!(
                    f,
                    "move {at}: no move {primitive}; the class has {n_primitives} moves, numbered from 0"
                )
            }
            Self::Illegal { at, primitive, .. } => {
                write!(f, "move {at}: move {primitive} is not legal there")
            }
            Self::CostOverflow { at } => write!(f, "move {at}: the path takes more than {COST_MAX} ticks"),
        }
    }
}

impl std::error::Error for MovesError {}

impl MovementTables {
    /// Follows a list of primitives from a state, and tells where and when it ends. Nothing is taken on trust, so
    /// that a path can come from a file, a network or another planner. One load a move; allocates nothing.
    ///
    /// [`check_path`](crate::model::check_path) judges whole paths by the rules alone, slowly, and agrees.
    ///
    /// ```
    /// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// use wheelbase_planner::*;
    /// use wheelbase_planner::tables::MovesError;
    ///
    /// let grid = Grid::from_rows(&["...W"], TerrainTable::movingai(), SideTable::default())?;
    /// let mut spec = ClassSpec::new("walker", 1);
    /// spec.primitives = Primitive::four_directions(5); // E, N, W, S
    /// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
    /// let state = |x| tables.space().state(Pose::new(x, 0, Heading(0)));
    /// let start = state(0).ok_or("off the map")?;
    /// let end = tables.check_moves(start, &[0, 0])?;
    /// assert_eq!((Some(end.state), end.ticks), (state(2), 10));
    /// let error = tables.check_moves(start, &[0, 0, 0]);
    /// assert_eq!(error, Err(MovesError::Illegal { at: 2, primitive: 0, state: end.state }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Errors
    /// [`MovesError`] for the start or the first wrong move.
    pub fn check_moves(&self, start: State, moves: &[u8]) -> Result<MovesEnd, MovesError> {
        if (start.0 as usize) < self.space().n_states() && !self.is_legal(start) {
            return Err(MovesError::StartBlocked(start));
        }
        self.follow_moves(start, moves)
    }

    /// As [`Self::check_moves`], but the start is not judged: for agents that an edit has left on an illegal pose. No
    /// move is legal from such a pose, and without moves the path ends there immediately.
    /// # Errors
    /// [`MovesError`] for the first wrong move; never [`MovesError::StartBlocked`].
    pub fn follow_moves(&self, start: State, moves: &[u8]) -> Result<MovesEnd, MovesError> {
        self.walk(start, 0, moves, |_, _| {})
    }

    /// Appends moves to a path that ends in state `from`, as far as [`Self::follow_moves`] allows; an empty path begins
    /// there. The ticks returned are of the whole path. Allocates only what the path lacks.
    /// # Errors
    /// [`MovesError`] for the first wrong move; the path has the moves before it then.
    pub fn append_moves(&self, path: &mut Path, from: State, moves: &[u8]) -> Result<MovesEnd, MovesError> {
        let arrival = path.cost();
        let space = self.space();
        if path.poses.is_empty() && (from.0 as usize) < space.n_states() {
            path.poses.push(PathPose { pose: space.pose(from), arrival });
        }
        debug_assert!(path.poses.last().is_none_or(|last| space.state(last.pose) == Some(from)), "{from:?}");
        self.walk(from, arrival, moves, |primitive, end| {
            path.moves.push(primitive);
            path.poses.push(PathPose { pose: space.pose(end.state), arrival: end.ticks });
        })
    }

    /// Makes moves from a state and a tick, and shows each with the state and tick at its end.
    #[inline]
    fn walk(
        &self,
        state: State,
        ticks: u32,
        moves: &[u8],
        mut show: impl FnMut(u8, MovesEnd),
    ) -> Result<MovesEnd, MovesError> {
        let (n_states, n_primitives) = (self.space().n_states(), self.class().primitives().len());
        if state.0 as usize >= n_states {
            return Err(MovesError::NoSuchState { start: state, n_states });
        }
        let mut end = MovesEnd { state, ticks };
        for (at, &primitive) in moves.iter().enumerate() {
            let number = usize::from(primitive);
            if number >= n_primitives {
                return Err(MovesError::NoSuchPrimitive { at, primitive, n_primitives });
            }
            let state = end.state;
            let ticks = self.move_ticks(state, number).ok_or(MovesError::Illegal { at, primitive, state })?;
            let sum = end.ticks.checked_add(ticks).filter(|&sum| sum <= COST_MAX);
            let ticks = sum.ok_or(MovesError::CostOverflow { at })?;
            end = MovesEnd { state: self.state_after(state, number), ticks };
            show(primitive, end);
        }
        Ok(end)
    }
}
