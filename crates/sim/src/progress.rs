//! Progress of agents on their trips, and the longest times without it.

use crate::plain;
use serde::{Deserialize, Serialize};
use wheelbase_grid::CellXY;
use wheelbase_traffic::motion::{Activity, AgentId};
use wheelbase_traffic::view::GoalStamp;

/// Progress of an agent on its trip: when it last came nearer to its end than ever, counted in moves left of its path.
/// The start of the trip counts too, and so does the end of the one before. 12 bytes; every tick streams over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TripProgress {
    /// Tick of the last progress; [`NOTHING_TO_DO`] while there is none to make.
    since: u32,
    /// Fewest moves left of a path on this trip so far; [`UNKNOWN`] before the first path.
    nearest_moves: u32,
    /// The current path does not lead to the end of the trip, so that its length says nothing.
    leads_off: bool,
}

const NOTHING_TO_DO: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX;

impl TripProgress {
    /// Of an agent without a trip.
    pub(crate) const NONE: Self = Self { since: NOTHING_TO_DO, nearest_moves: UNKNOWN, leads_off: false };

    /// Counts a tick with something to do, and the moves left of the current path; `None` where they do not count.
    /// Gives the ticks since the last progress.
    pub(crate) fn count(&mut self, tick: u32, stamp: GoalStamp, moves_left: Option<u32>) -> u32 {
        // In mid-move a trip begins with the end of the move.
        if self.since == NOTHING_TO_DO {
            (self.since, self.nearest_moves) = (tick.max(stamp.since), UNKNOWN);
        } else if stamp.since > self.since {
            (self.since, self.nearest_moves) = (stamp.since, UNKNOWN);
        }
        if let Some(moves) = moves_left.filter(|&moves| !self.leads_off && moves < self.nearest_moves) {
            if self.nearest_moves != UNKNOWN {
                self.since = self.since.max(tick);
            }
            self.nearest_moves = moves;
        }
        tick.saturating_sub(self.since)
    }

    /// Tick of the last progress; `None` without a trip.
    pub(crate) fn last(&self) -> Option<u32> {
        (self.since != NOTHING_TO_DO).then_some(self.since)
    }

    /// The map has changed, and the distance with it: the next path is measured from the start, which is no progress.
    pub(crate) fn forget_nearest(&mut self) {
        self.nearest_moves = UNKNOWN;
    }

    /// Notes whether the current path does not lead to the end of the trip.
    pub(crate) fn set_leads_off(&mut self, leads_off: bool) {
        self.leads_off = leads_off;
    }

    /// Whether an agent can have it before a tick, with a trip that began at `latest` at the latest.
    pub(crate) fn is_possible(&self, latest: u32) -> bool {
        self.since == NOTHING_TO_DO || self.since <= latest
    }
}

/// The longest of some times that agents of a class have spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Longest {
    /// How long.
    pub ticks: u32,
    /// The agent.
    #[serde(with = "plain")]
    pub agent: AgentId,
    /// Its cell.
    pub at: CellXY,
    /// The last tick of that time.
    pub tick: u32,
}

/// The longest times of a class that agents have had something to do and not got on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongestOfClass {
    /// At rest, with a path to follow or waiting for one.
    pub wait: Option<Longest>,
    /// Without progress: without finishing a trip, and without coming nearer to the end of this one than ever.
    pub without_progress: Option<Longest>,
}

/// Whether an agent of that activity is on a trip that it may get on with.
pub(crate) fn is_under_way(activity: Activity) -> bool {
    matches!(activity, Activity::AwaitingPath | Activity::Following | Activity::Yielding)
}

/// Keeps the longer of two times; of equal ones the first. `at` is asked for the cell of a new one.
pub(crate) fn keep_longest(
    kept: &mut Option<Longest>,
    ticks: u32,
    (agent, tick): (AgentId, u32),
    at: impl FnOnce() -> CellXY,
) {
    if ticks > kept.map_or(0, |kept| kept.ticks) {
        *kept = Some(Longest { ticks, agent, at: at(), tick });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trip(since: u32) -> GoalStamp {
        GoalStamp { since, waypoint: 0, has_order: true }
    }

    #[test]
    fn progress_is_to_come_nearer_than_ever() {
        let mut progress = TripProgress::NONE;
        let lengths = [9, 8, 8, 12, 9, 8, 7];
        let counted = (10..).zip(lengths).map(|(tick, left)| progress.count(tick, trip(10), Some(left)));
        assert_eq!(counted.collect::<Vec<_>>(), [0, 0, 1, 2, 3, 4, 0]);
        // A new trip, the path of which is longer; no path yet is no progress.
        assert_eq!(progress.count(20, trip(19), None), 1);
        assert_eq!(progress.count(21, trip(19), Some(30)), 2);
        assert_eq!(progress.count(22, trip(19), Some(29)), 0);
        // A path that leads elsewhere is short, and no progress; nor is a path that an edit has made short.
        progress.set_leads_off(true);
        assert_eq!(progress.count(23, trip(19), Some(2)), 1);
        progress.set_leads_off(false);
        progress.forget_nearest();
        assert_eq!(progress.count(24, trip(19), Some(5)), 2);
        assert_eq!(progress.count(25, trip(19), Some(4)), 0);
    }

    #[test]
    fn a_trip_given_in_mid_move_begins_with_its_end() {
        let mut progress = TripProgress::NONE;
        assert_eq!(progress.count(10, trip(14), None), 0);
        assert_eq!(progress.count(12, trip(14), Some(6)), 0);
        assert_eq!(progress.count(16, trip(14), Some(6)), 2);
    }
}
