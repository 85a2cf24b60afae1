//! Who waits for whom, and where, among the agents that are stuck: what a run that was not solved says of
//! itself.

use crate::world::World;
use serde::Serialize;
use wheelbase_grid::CellXY;
use wheelbase_traffic::motion::{AgentId, transition_of};

/// Most knots that are told; those for which most agents wait.
pub const WAIT_FOR_CYCLES_MAX: usize = 16;
/// Most agents of one ring that are told.
pub const WAIT_FOR_CYCLE_AGENTS_MAX: usize = 64;

/// What some stuck agents wait for in the end: a ring of agents each of which waits for the next, or one that
/// waits for nobody.
///
/// An agent waits for the one that holds the first cell which it needs for the next move of its path and
/// cannot have. One without a path, or whose next move nobody keeps from starting, waits for nobody known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitForCycle {
    /// Ids. Each waits for the next one; in a ring the last waits for the first, and the first has the lowest
    /// id. Without a ring there are two, the latter of which waits for nobody, or one, for which nobody
    /// waits. Of a ring the first [`WAIT_FOR_CYCLE_AGENTS_MAX`].
    pub agents: Vec<u32>,
    /// For each that waits, the cell `[x, y]` that it needs and another holds.
    pub at: Vec<[i32; 2]>,
    /// Whether it is a ring.
    pub ring: bool,
    /// Stuck agents in it and behind it: those that wait for it by way of others too.
    pub waiting: u64,
}

const NOBODY: u32 = u32::MAX;

/// What a stuck agent waits for.
#[derive(Clone, Copy)]
struct Wait {
    row: u32,
    at: CellXY,
}

impl World {
    /// The knots of the agents that are stuck now, those with most agents first, then by their first agents;
    /// at most [`WAIT_FOR_CYCLES_MAX`]. Linear in agents.
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
        let mut tied: Vec<usize> = (0..n_rows).filter(|&row| n_waiting[row] > 0).collect();
        tied.sort_by_key(|&row| (std::cmp::Reverse(n_waiting[row]), row));
        tied.truncate(WAIT_FOR_CYCLES_MAX);
        let cycle_at = |end: usize| {
            let (_, ring) = ends[end];
            let first = if ring || waiter[end] == NOBODY { end } else { waiter[end] as usize };
            self.cycle(first, ring, &waits, n_waiting[end])
        };
        tied.into_iter().map(cycle_at).collect()
    }

    /// The knot that begins with the agent in a row.
    fn cycle(&self, first: usize, ring: bool, waits: &[Option<Wait>], waiting: u64) -> WaitForCycle {
        let mut cycle =
            WaitForCycle { agents: vec![self.agents.ids[first].0], at: Vec::new(), ring, waiting };
        let mut row = first;
        while let Some(wait) = waits[row] {
            cycle.at.push([wait.at.x, wait.at.y]);
            row = wait.row as usize;
            if row == first || cycle.agents.len() == WAIT_FOR_CYCLE_AGENTS_MAX {
                break;
            }
            cycle.agents.push(self.agents.ids[row].0);
        }
        cycle
    }

    /// Who keeps a resting agent from its next move, and where.
    fn wait_of(&self, row: usize) -> Option<Wait> {
        let mut motion = self.agents.motion[row];
        let tables = &self.tables[motion.class.0 as usize];
        motion.primitive = *self.paths.moves(self.agents.paths[row]).first()?;
        let ticks = tables.move_ticks(motion.state, motion.primitive as usize)?;
        let (agent, step) = (self.agents.ids[row], transition_of(&self.tables, &motion));
        let until = self.tick.saturating_add(ticks);
        let other = self.occupancy.blocker_of_move(agent, &step, until)?;
        let (anchor, needed) = self.occupancy.needed(&step);
        let mut cells = needed.iter().map(|o| o.cell_from(anchor));
        let has = |found: Option<AgentId>| found == Some(other);
        let at = cells
            .find(|&cell| has(self.occupancy.holder_at(cell)) || has(self.occupancy.arriving_at(cell)))?;
        Some(Wait { row: self.agents.row(other)? as u32, at })
    }
}

/// For each stuck row what it waits for in the end: of a ring the lowest row, else the row that waits for
/// nobody, which need not be stuck; and whether it is a ring. Of that row as well.
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
            // It came back to where it had been.
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

    /// The same, each row followed alone as far as anything can be followed.
    fn slow_ends(stuck: &[bool], waits: &[Option<Wait>]) -> Vec<Option<(u32, bool)>> {
        let follow = |row: usize| waits[row].map(|wait| wait.row as usize);
        let end_of = |row: usize| {
            let mut way = vec![row];
            while let Some(next) = follow(way[way.len() - 1]) {
                if let Some(at) = way.iter().position(|&on| on == next) {
                    return (*way[at..].iter().min().unwrap_or(&next) as u32, true);
                }
                way.push(next);
            }
            (way[way.len() - 1] as u32, false)
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
