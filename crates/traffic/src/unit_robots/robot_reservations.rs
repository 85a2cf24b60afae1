//! Reservations of unit robots: which robot holds which cell at each of the next ticks.

use crate::clone_fields::clone_fields;
use crate::unit_robots::operations::DEPTH;

/// Ticks for which cells can be reserved, in a ring: a power of two above [`DEPTH`].
const RING: usize = 8;

/// The row of no robot.
pub(super) const NOBODY: u16 = u16::MAX;

/// Rows of robots by cell and tick, from the present tick on. Memory: 16 bytes per cell.
#[derive(Debug)]
pub(super) struct RobotReservations {
    /// `[cell][tick % RING]`.
    of_cell: Vec<[u16; RING]>,
    /// The present tick.
    tick: usize,
}

clone_fields!(RobotReservations { of_cell, tick });

impl RobotReservations {
    /// A map without robots.
    pub fn new(n_cells: usize) -> Self {
        Self { of_cell: vec![[NOBODY; RING]; n_cells], tick: 0 }
    }

    /// Sets the present tick.
    pub fn set_tick(&mut self, tick: u32) {
        self.tick = tick as usize;
    }

    /// Removes all reservations.
    pub fn reset(&mut self) {
        self.of_cell.fill([NOBODY; RING]);
    }

    /// The robot that holds a cell `depth` ticks from now; [`NOBODY`] if none does.
    #[inline]
    pub fn holder(&self, cell: u32, depth: usize) -> u16 {
        self.of_cell[cell as usize][(self.tick + depth) % RING]
    }

    /// Reserves the cells of a robot, from the present tick on.
    #[inline]
    pub fn put(&mut self, cells: &[u32; DEPTH + 1], robot: u32) {
        for (depth, &cell) in cells.iter().enumerate() {
            self.of_cell[cell as usize][(self.tick + depth) % RING] = robot as u16;
        }
    }

    /// Frees the cells of a robot after the present tick.
    #[inline]
    pub fn clear(&mut self, cells: &[u32; DEPTH + 1]) {
        for (depth, &cell) in cells.iter().enumerate().skip(1) {
            self.of_cell[cell as usize][(self.tick + depth) % RING] = NOBODY;
        }
    }

    /// Ends the present tick for one robot: its present cell is free, and its last cell is reserved one tick longer.
    /// `cells` are its cells at the next tick.
    pub fn shift(&mut self, present: u32, cells: &[u32; DEPTH + 1], robot: u32) {
        self.of_cell[present as usize][self.tick % RING] = NOBODY;
        self.of_cell[cells[DEPTH] as usize][(self.tick + DEPTH + 1) % RING] = robot as u16;
    }

    /// The only robot in the way of an operation from a cell, [`NOBODY`] if there is none; `None` if there are several.
    /// `passed` are the cells of the operation relative to the start.
    #[inline]
    pub fn blocker_of(&self, start: u32, passed: &[i32; DEPTH]) -> Option<u16> {
        let mut blocker = NOBODY;
        let (mut before, mut before_cell) = (start, &self.of_cell[start as usize]);
        for (depth, &step) in passed.iter().enumerate() {
            let (then, now) = ((self.tick + depth) % RING, (self.tick + depth + 1) % RING);
            let index = start.wrapping_add_signed(step);
            let cell = &self.of_cell[index as usize];
            let there = cell[now];
            if there != NOBODY {
                if blocker != NOBODY && blocker != there {
                    return None;
                }
                blocker = there;
            }
            // A robot that comes the other way would exchange cells with it.
            let comes = cell[then];
            if index != before && comes != NOBODY && before_cell[now] == comes {
                if blocker != NOBODY && blocker != comes {
                    return None;
                }
                blocker = comes;
            }
            (before, before_cell) = (index, cell);
        }
        Some(blocker)
    }
}
