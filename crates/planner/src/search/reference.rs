//! Reference implementation: plain Dijkstra over [`Legality`], slow and obvious. Tests compare every search
//! with it.

use crate::model::outcome::COST_MAX;
use crate::model::path::{Path, PathPose};
use crate::model::pose::{Pose, State};
use crate::model::successor::Legality;
use crate::search::penalties::Penalties;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cheapest cost in ticks from one pose to every state, `[n_states]`; `None` if unreachable. May exceed
/// [`COST_MAX`].
#[derive(Clone, Debug)]
pub struct Reference {
    /// Cost of each state.
    pub costs: Vec<Option<u64>>,
    came: Vec<Option<(u8, State)>>,
    start: Pose,
}

impl Reference {
    /// Runs Dijkstra's algorithm from a legal pose to exhaustion. `O(n log n)` in states; allocates.
    pub fn from(legality: &Legality<'_>, start: Pose) -> Self {
        Self::with_penalties(legality, start, None)
    }

    /// Like [`from`](Self::from), with penalties, which are included in costs and in the arrivals of paths.
    pub fn with_penalties(legality: &Legality<'_>, start: Pose, penalties: Option<&dyn Penalties>) -> Self {
        let space = legality.space();
        let mut costs = vec![None; space.n_states()];
        let mut came = vec![None; space.n_states()];
        let mut open = BinaryHeap::new();
        if let Some(state) = space.state(start)
            && legality.check_pose(start).is_ok()
        {
            costs[state.0 as usize] = Some(0);
            open.push(Reverse((0, state)));
        }
        while let Some(Reverse((cost, state))) = open.pop() {
            if costs[state.0 as usize] != Some(cost) {
                continue;
            }
            let from = space.pose(state);
            for (primitive, pose, ticks) in legality.successors(from) {
                let Some(next) = space.state(pose) else { continue };
                let penalty = penalties.map_or(0, |penalties| {
                    penalties.ticks(from.cell, pose.cell, ticks).min(penalties.max_ticks())
                });
                let arrival = cost + u64::from(ticks) + u64::from(penalty);
                let known = &mut costs[next.0 as usize];
                if known.is_none_or(|k| arrival < k) {
                    *known = Some(arrival);
                    came[next.0 as usize] = Some((primitive as u8, state));
                    open.push(Reverse((arrival, next)));
                }
            }
        }
        Self { costs, came, start }
    }

    /// A cheapest path to a state, or `None` if there is none of at most [`COST_MAX`] ticks.
    pub fn path_to(&self, legality: &Legality<'_>, end: State) -> Option<Path> {
        let space = legality.space();
        let cost_of = |state: State| self.costs[state.0 as usize].filter(|&c| c <= u64::from(COST_MAX));
        cost_of(end)?;
        let mut path = Path::new();
        let mut state = end;
        while let Some((primitive, before)) = self.came[state.0 as usize] {
            path.poses.push(PathPose { pose: space.pose(state), arrival: cost_of(state)? as u32 });
            path.moves.push(primitive);
            state = before;
        }
        path.poses.push(PathPose { pose: self.start, arrival: 0 });
        path.poses.reverse();
        path.moves.reverse();
        Some(path)
    }
}
