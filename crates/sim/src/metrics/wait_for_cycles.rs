//! Wait-for cycles among stuck agents: why a run was not solved.

use crate::wait_reason::NamedReason;
use crate::why_waiting::Wait;
use crate::world::World;
use serde::Serialize;

/// Most cycles reported: the cycles with most waiting agents.
pub const WAIT_FOR_CYCLES_MAX: usize = 16;
/// Most agents of one ring reported.
pub const WAIT_FOR_CYCLE_AGENTS_MAX: usize = 64;

/// Where the waits of stuck agents end. It is a ring of agents that each wait for the next, or an agent that waits for
/// no other. Such an agent has a named reason.
///
/// An agent waits for the holder of the first cell that its next move needs and cannot get. An agent without a path,
/// or whose next move nothing blocks, waits for another [reason](World::reason_for_waiting).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitForCycle {
    /// Ids; each waits for the next. In a ring the last waits for the first, which has the lowest id; at most
    /// [`WAIT_FOR_CYCLE_AGENTS_MAX`] are listed. Without a ring: an agent that waits for none, after an agent that
    /// waits for it, if there is one.
    pub agents: Vec<u32>,
    /// For each agent that waits, the cell `[x, y]` that it needs and the next one holds.
    pub at: Vec<[i32; 2]>,
    /// Whether it is a ring.
    pub ring: bool,
    /// Number of stuck agents in it or waiting for it, directly or through others.
    pub waiting: u64,
    /// Why the last agent waits, or its activity; `None` of a ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NamedReason>,
}

const NOBODY: u32 = u32::MAX;

impl World {
    /// The wait-for cycles of the stuck agents, at most [`WAIT_FOR_CYCLES_MAX`]: those with most waiting agents
    /// first, then by lowest row. Linear in agents.
    pub fn wait_for_cycles(&self) -> Vec<WaitForCycle> {
        let n_rows = self.agents.len();
        let stuck: Vec<bool> = (0..n_rows).map(|row| self.is_stuck(row)).collect();
        let waits: Vec<Option<Wait>> =
            (0..n_rows).map(|row| if stuck[row] { self.wait_of(row) } else { None }).collect();
        let ends = ends_of(&stuck, &waits);
        let mut n_waiting = vec![0_u64; n_rows];
        let mut waiter = vec![NOBODY; n_rows];
        for row in (0..n_rows).filter(|&row| stuck[row]) {
            n_waiting[ends[row].0 as usize] += 1;
            if let Some(wait) = waits[row] {
                let first = &mut waiter[wait.row as usize];
                *first = (*first).min(row as u32);
            }
        }
        let mut cycles: Vec<usize> = (0..n_rows).filter(|&row| n_waiting[row] > 0).collect();
        cycles.sort_by_key(|&row| (std::cmp::Reverse(n_waiting[row]), row));
        cycles.truncate(WAIT_FOR_CYCLES_MAX);
        let cycle_at = |end: usize| {
            let (_, ring) = ends[end];
            let first = if ring || waiter[end] == NOBODY { end } else { waiter[end] as usize };
            self.cycle(first, ring, &waits, n_waiting[end])
        };
        cycles.into_iter().map(cycle_at).collect()
    }

    /// The cycle that begins with the agent in a row.
    fn cycle(&self, first: usize, ring: bool, waits: &[Option<Wait>], waiting: u64) -> WaitForCycle {
        let agents = vec![self.agents.ids[first].0];
        let mut cycle = WaitForCycle { agents, at: Vec::new(), ring, waiting, reason: None };
        let mut row = first;
        while let Some(wait) = waits[row] {
            cycle.at.push([wait.at.x, wait.at.y]);
            row = wait.row as usize;
            if row == first || cycle.agents.len() == WAIT_FOR_CYCLE_AGENTS_MAX {
                break;
            }
            cycle.agents.push(self.agents.ids[row].0);
        }
        if !ring {
            let reason = self.reason_for_waiting(self.agents.ids[row]);
            cycle.reason = reason.map(|reason| reason.named());
        }
        cycle
    }
}

/// For each stuck row the end of its chain of waits, and whether that is a ring. The end is the lowest row of the ring,
/// or the row that waits for nobody, which need not be stuck. Set for that row as well.
fn ends_of(stuck: &[bool], waits: &[Option<Wait>]) -> Vec<(u32, bool)> {
    let mut ends = vec![(NOBODY, false); stuck.len()];
    let mut walk: Vec<usize> = Vec::new();
    let mut on_walk = vec![false; stuck.len()];
    for start in (0..stuck.len()).filter(|&row| stuck[row]) {
        let mut row = start;
        while ends[row].0 == NOBODY && !on_walk[row] {
            on_walk[row] = true;
            walk.push(row);
            let Some(wait) = waits[row] else { break };
            row = wait.row as usize;
        }
        let end = match walk.iter().position(|&on| on == row) {
            _ if ends[row].0 != NOBODY => ends[row],
            // The walk has come back to itself.
            Some(at) if waits[row].is_some() => {
                (walk[at..].iter().copied().min().unwrap_or(row) as u32, true)
            }
            _ => (row as u32, false),
        };
        for row in walk.drain(..) {
            ends[row] = end;
            on_walk[row] = false;
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::CellXY;

    /// The same without optimisation: follows each row by itself.
    fn slow_ends(stuck: &[bool], waits: &[Option<Wait>]) -> Vec<Option<(u32, bool)>> {
        let follow = |row: usize| waits[row].map(|wait| wait.row as usize);
        let end_of = |row: usize| {
            let mut walk = vec![row];
            while let Some(next) = follow(walk[walk.len() - 1]) {
                if let Some(at) = walk.iter().position(|&on| on == next) {
                    return (*walk[at..].iter().min().unwrap_or(&next) as u32, true);
                }
                walk.push(next);
            }
            (walk[walk.len() - 1] as u32, false)
        };
        (0..stuck.len()).map(|row| stuck[row].then(|| end_of(row))).collect()
    }

    proptest::proptest! {
        #[test]
        fn ends_are_those_of_each_row_followed_alone(
            rows in proptest::collection::vec((proptest::bool::ANY, 0_u32..12), 1..12)
        ) {
            let n = rows.len() as u32;
            let stuck: Vec<bool> = rows.iter().map(|&(stuck, _)| stuck).collect();
            let at = CellXY::new(0, 0);
            let wait = |(row, &(stuck, to)): (usize, &(bool, u32))| {
                (stuck && to < n && to != row as u32).then_some(Wait { row: to, at })
            };
            let waits: Vec<Option<Wait>> = rows.iter().enumerate().map(wait).collect();
            let ends = ends_of(&stuck, &waits);
            for (row, end) in slow_ends(&stuck, &waits).into_iter().enumerate() {
                if let Some(end) = end {
                    proptest::prop_assert_eq!(ends[row], end, "row {}", row);
                }
            }
        }
    }
}
