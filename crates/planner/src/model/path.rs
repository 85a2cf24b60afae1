//! Paths and their judge.

use crate::model::outcome::COST_MAX;
use crate::model::pose::Pose;
use crate::model::successor::{Legality, MoveBlocked, PoseBlocked};
use std::fmt;

/// A pose on a path and the tick of arrival there, counted from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPose {
    /// The pose.
    pub pose: Pose,
    /// Ticks since the start.
    pub arrival: u32,
}

/// A path: the start pose at arrival 0, then a pose after each move. The caller keeps it and passes it
/// again, so that its memory is reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Poses, start first; one more than moves, or none if there is no path.
    pub poses: Vec<PathPose>,
    /// Number of the primitive of each move.
    pub moves: Vec<u8>,
}

impl Path {
    /// An empty path.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the path and keeps the memory.
    pub fn clear(&mut self) {
        self.poses.clear();
        self.moves.clear();
    }

    /// Cost in ticks: the last arrival, 0 for an empty path.
    pub fn cost(&self) -> u32 {
        self.poses.last().map_or(0, |last| last.arrival)
    }

    /// Length in cells of a path of [`MovementClass::octile`](crate::MovementClass::octile), as the
    /// MovingAI benchmark publishes it: a straight step is 1, a diagonal one sqrt 2.
    pub fn octile_length(&self) -> f64 {
        // East is move 0, north-east 1, and so on around.
        let diagonal = self.moves.iter().filter(|&primitive| primitive % 2 == 1).count();
        (self.moves.len() - diagonal) as f64 + diagonal as f64 * std::f64::consts::SQRT_2
    }
}

/// What is wrong with a path, and at which move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// No pose, or not one more pose than moves.
    Length {
        /// Poses given.
        poses: usize,
        /// Moves given.
        moves: usize,
    },
    /// The start is not a legal pose.
    Start(PoseBlocked),
    /// The first arrival is not 0.
    StartArrival(u32),
    /// A move is not legal.
    Illegal {
        /// Index of the move.
        at: usize,
        /// Why.
        why: MoveBlocked,
    },
    /// A move does not end where the path says.
    WrongPose {
        /// Index of the move.
        at: usize,
        /// Pose given.
        found: Pose,
        /// Where the primitive leads.
        expected: Pose,
    },
    /// An arrival is not the one before plus the time of the move.
    WrongArrival {
        /// Index of the move.
        at: usize,
        /// Arrival given.
        found: u32,
        /// The right one.
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

/// Judges a path by the rules alone: every move legal, every pose and arrival right.
/// # Errors
/// [`PathError`] with the first move that is wrong.
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
