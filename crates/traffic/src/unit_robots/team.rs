//! The robots: where they stand, where they go, and the operations that they hold.

use crate::unit_robots::operations::{DEPTH, Operations, WAIT};
use crate::unit_robots::unit_fields::{Cells, UNKNOWN};
use crate::unit_robots::unit_map::UnitMap;

/// Places in the ring of ticks for which cells are reserved; more than [`DEPTH`].
pub(super) const RING: usize = 8;

pub(super) const NOBODY: u16 = u16::MAX;

/// The robots, by row.
#[derive(Debug, Default)]
pub(super) struct Team {
    pub(super) at: Vec<u32>,
    pub(super) heading: Vec<u8>,
    /// Goal: its number among the free cells, `u32::MAX` without one, and its index.
    pub(super) goal: Vec<u32>,
    pub(super) goal_at: Vec<u32>,
    /// Reserved cells, that in which it stands first.
    pub(super) cells: Vec<[u32; DEPTH + 1]>,
    pub(super) actions: Vec<[u8; DEPTH]>,
    /// Ticks that remain to be gone if the reserved operation is carried out.
    pub(super) value: Vec<u32>,
    /// Since when it waits for its task to be done, or to go first again.
    pub(super) waits_since: Vec<u32>,
    /// Until when it goes first; 0 if it does not.
    pub(super) first_until: Vec<u32>,
    /// Until when it does what it was pushed to, and nobody lifts it.
    pub(super) bound_until: Vec<u32>,
    /// How much a tick that remains to be gone counts in improving: the more the older the task.
    pub(super) weight: Vec<u8>,
    /// Operations in order of what remains then: `value << 8 | operation`; `[operations.n]` each.
    pub(super) choices: Vec<u32>,
    /// How many choices there are; 0 before they are listed.
    pub(super) n_choices: Vec<u16>,
    pub(super) rank: Vec<u32>,
    pub(super) visits: Vec<u8>,
    /// Turn or try for which the visits are counted.
    pub(super) visited_in: Vec<u32>,
    pub(super) in_chain: Vec<bool>,
    /// It has planned in this turn.
    pub(super) planned: Vec<bool>,
}

impl Team {
    pub(super) fn resize(&mut self, n: usize, n_operations: usize) {
        if self.at.len() == n {
            return;
        }
        self.at.resize(n, 0);
        self.heading.resize(n, 0);
        self.goal.resize(n, u32::MAX);
        self.goal_at.resize(n, u32::MAX);
        self.cells.resize(n, [0; DEPTH + 1]);
        self.actions.resize(n, [WAIT; DEPTH]);
        self.value.resize(n, 0);
        self.waits_since.resize(n, 0);
        self.first_until.resize(n, 0);
        self.bound_until.resize(n, 0);
        self.weight.resize(n, 1);
        self.choices.resize(n * n_operations, 0);
        self.n_choices.resize(n, 0);
        self.rank.resize(n, 0);
        self.visits.resize(n, 0);
        self.visited_in.resize(n, 0);
        self.in_chain.resize(n, false);
        self.planned.resize(n, false);
    }

    /// By how much what remains to be gone grows, as it is weighted.
    pub(super) fn weighted(&self, robot: u32, value: u32, before: u32) -> i64 {
        i64::from(self.weight[robot as usize]) * (i64::from(value) - i64::from(before))
    }

    /// A robot takes an operation; the cells are not reserved yet.
    pub(super) fn take(&mut self, row: usize, operations: &Operations, operation: usize, value: u32) {
        let passed = &operations.cells[usize::from(self.heading[row]) * operations.n + operation];
        for (cell, &step) in self.cells[row][1..].iter_mut().zip(passed) {
            *cell = self.at[row].wrapping_add_signed(step);
        }
        self.actions[row] = operations.actions[operation];
        self.value[row] = value;
    }

    /// Ticks that remain to be gone if a robot carries out what it has reserved.
    pub(super) fn value_of_reserved(&self, map: &UnitMap, field: &Cells, row: usize) -> u32 {
        let cells = &self.cells[row];
        if let Some(depth) = cells[1..].iter().position(|&cell| cell == self.goal_at[row]) {
            return depth as u32 + 1;
        }
        // Left is one heading on, right is three.
        let turns: u8 = self.actions[row].iter().map(|&action| [0, 1, 3, 0][usize::from(action)]).sum();
        let heading = (self.heading[row] + turns) % 4;
        (DEPTH as u32 + field.cost(map.number(cells[DEPTH]), heading)).min(UNKNOWN)
    }
}

/// A robot that looks for an operation, and what it gave up for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) robot: u32,
    /// The next of its choices.
    pub(super) next: u16,
    pub(super) cells: [u32; DEPTH + 1],
    pub(super) actions: [u8; DEPTH],
    pub(super) value: u32,
}

/// Whether a robot plans in its turn or improves the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    Turn,
    Improve,
}

/// An operation that a robot may take, if the one who is in the way can be lifted.
pub(super) struct Choice {
    pub(super) operation: usize,
    pub(super) value: u32,
    /// [`NOBODY`] if nobody is.
    pub(super) blocker: u16,
}

/// Reserves the cells of a robot, from the present tick on.
pub(super) fn put(reserved: &mut [[u16; RING]], tick: u32, cells: &[u32; DEPTH + 1], robot: u32) {
    for (depth, &cell) in cells.iter().enumerate() {
        reserved[cell as usize][(tick as usize + depth) % RING] = robot as u16;
    }
}

/// Frees the cells of a robot, but for that in which it stands.
pub(super) fn clear(reserved: &mut [[u16; RING]], tick: u32, cells: &[u32; DEPTH + 1]) {
    for (depth, &cell) in cells.iter().enumerate().skip(1) {
        reserved[cell as usize][(tick as usize + depth) % RING] = NOBODY;
    }
}

/// The only robot in the way of an operation, [`NOBODY`] if none is; `None` if there are several.
pub(super) fn blocker_of(
    reserved: &[[u16; RING]],
    tick: u32,
    start: u32,
    passed: &[i32; DEPTH],
) -> Option<u16> {
    let mut blocker = NOBODY;
    let mut before = start;
    for (depth, &step) in passed.iter().enumerate() {
        let (then, now) = ((tick as usize + depth) % RING, (tick as usize + depth + 1) % RING);
        let cell = start.wrapping_add_signed(step);
        let there = reserved[cell as usize][now];
        if there != NOBODY {
            if blocker != NOBODY && blocker != there {
                return None;
            }
            blocker = there;
        }
        // One that comes the other way would change places with it.
        let comes = reserved[cell as usize][then];
        if cell != before && comes != NOBODY && reserved[before as usize][now] == comes {
            if blocker != NOBODY && blocker != comes {
                return None;
            }
            blocker = comes;
        }
        before = cell;
    }
    Some(blocker)
}
