//! Paths and their validation.

use crate::model::outcome::COST_MAX;
use crate::model::pose::Pose;
use crate::model::successor::{Legality, MoveBlocked, PoseBlocked};
use std::fmt;

/// A pose on a path and its arrival tick, relative to the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathPose {
    /// The pose.
    pub pose: Pose,
    /// Ticks since the start.
    pub arrival: u32,
}

/// A path: the start pose at arrival 0, then a pose after each move. Owned and passed in by the caller, so that
/// its memory is reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PathParts"))]
pub struct Path {
    /// Poses, start first: one more than moves, or none if there is no path.
    pub poses: Vec<PathPose>,
    /// The primitive of each move.
    pub moves: Vec<u8>,
}

/// A path as it is read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PathParts {
    poses: Vec<PathPose>,
    moves: Vec<u8>,
}

/// Checks the lengths alone: the rest needs a map, see [`check_path`].
#[cfg(feature = "serde")]
impl TryFrom<PathParts> for Path {
    type Error = PathError;

    fn try_from(PathParts { poses, moves }: PathParts) -> Result<Self, PathError> {
        let is_empty = poses.is_empty() && moves.is_empty();
        if !is_empty && poses.len() != moves.len() + 1 {
            return Err(PathError::Length { poses: poses.len(), moves: moves.len() });
        }
        Ok(Self { poses, moves })
    }
}

impl Path {
    /// An empty path.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the path and keeps its allocation.
    pub fn clear(&mut self) {
        self.poses.clear();
        self.moves.clear();
    }

    /// Cost in ticks: the last arrival, 0 for an empty path.
    pub fn cost(&self) -> u32 {
        self.poses.last().map_or(0, |last| last.arrival)
    }

    /// Length in cells of a path of [`MovementClass::octile`](crate::MovementClass::octile), as published by
    /// the MovingAI benchmark: 1 per straight step, sqrt 2 per diagonal step.
    pub fn octile_length(&self) -> f64 {
        // East is move 0, north-east 1, and so on around.
        let diagonal = self.moves.iter().filter(|&primitive| primitive % 2 == 1).count();
        (self.moves.len() - diagonal) as f64 + diagonal as f64 * std::f64::consts::SQRT_2
    }
}

/// The first error in a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// No pose, or not exactly one more pose than moves.
    Length {
        /// Poses found.
        poses: usize,
        /// Moves found.
        moves: usize,
    },
    /// The start is not a legal pose.
    Start(PoseBlocked),
    /// The first arrival is not 0.
    StartArrival(u32),
    /// A move is illegal.
    Illegal {
        /// Index of the move.
        at: usize,
        /// Why.
        why: MoveBlocked,
    },
    /// A move does not lead to the pose given.
    WrongPose {
        /// Index of the move.
        at: usize,
        /// The pose given.
        found: Pose,
        /// The pose reached by the primitive.
        expected: Pose,
    },
    /// An arrival differs from the previous arrival plus the time of the move.
    WrongArrival {
        /// Index of the move.
        at: usize,
        /// The arrival given.
        found: u32,
        /// The correct arrival.
        expected: u64,
    },
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { poses, moves } => {
                write!(f, "{poses} poses and {moves} moves; expected one pose more than moves")
            }
            Self::Start(_) => write!(f, "the start is not a legal pose"),
            Self::StartArrival(arrival) => write!(f, "the first arrival is {arrival}, expected 0"),
            Self::Illegal { at, why } => write!(f, "move {at} is not legal: {why}"),
            Self::WrongPose { at, found, expected } => write!(
                f,
                "move {at} ends at {} heading {}, expected {} heading {}",
                found.cell, found.heading.0, expected.cell, expected.heading.0
            ),
            Self::WrongArrival { at, found, expected } => {
                write!(f, "move {at} arrives at tick {found}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for PathError {}

/// Validates a path against the rules alone: every move legal, every pose and arrival correct.
/// # Errors
/// [`PathError`] for the first wrong move.
pub fn check_path(legality: &Legality<'_>, path: &Path) -> Result<(), PathError> {
    let (poses, moves) = (path.poses.len(), path.moves.len());
    if poses != moves + 1 {
        return Err(PathError::Length { poses, moves });
    }
    let start = path.poses[0];
    legality.check_pose(start.pose).map_err(PathError::Start)?;
    if start.arrival != 0 {
        return Err(PathError::StartArrival(start.arrival));
    }
    for (at, (&primitive, pair)) in path.moves.iter().zip(path.poses.windows(2)).enumerate() {
        let (before, after) = (pair[0], pair[1]);
        let ticks = legality
            .explain(before.pose, primitive as usize)
            .map_err(|why| PathError::Illegal { at, why })?;
        let expected = legality.pose_after(before.pose, primitive as usize);
        if after.pose != expected {
            return Err(PathError::WrongPose { at, found: after.pose, expected });
        }
        let expected = u64::from(before.arrival) + u64::from(ticks);
        if u64::from(after.arrival) != expected || expected > u64::from(COST_MAX) {
            return Err(PathError::WrongArrival { at, found: after.arrival, expected });
        }
    }
    Ok(())
}
