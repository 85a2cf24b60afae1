//! The robots: poses, goals, and the operations that they carry out.

use crate::clone_fields::clone_fields;
use crate::unit_robots::operations::{DEPTH, Operations, WAIT};
use crate::unit_robots::unit_fields::{FieldCosts, UNKNOWN};
use crate::unit_robots::unit_map::UnitMap;

/// Goal of a robot that pursues none, by number and by index.
pub(super) const NO_GOAL: u32 = u32::MAX;

/// The robots, by row.
#[derive(Debug, Default)]
pub(super) struct Team {
    /// Index of the cell of each robot.
    pub at: Vec<u32>,
    pub heading: Vec<u8>,
    /// Number of the goal among the free cells; [`NO_GOAL`] without one.
    pub goal: Vec<u32>,
    /// Index of the goal; [`NO_GOAL`] without one.
    pub goal_at: Vec<u32>,
    /// Reserved cells, the present one first.
    pub cells: Vec<[u32; DEPTH + 1]>,
    /// Actions of the operation.
    pub actions: Vec<[u8; DEPTH]>,
    /// Ticks to the goal if the operation is carried out.
    pub cost: Vec<u32>,
    /// Tick since which it waits for its task to be done, or to go first again.
    pub waits_since: Vec<u32>,
    /// Tick until which it goes first; 0 if it does not.
    pub first_until: Vec<u32>,
    /// Tick until which it is bound to the operation of a push and cannot yield.
    pub bound_until: Vec<u32>,
    /// Weight of its cost in the neighbourhood search: grows with the age of the task.
    pub weight: Vec<u8>,
    /// Operations by cost: `cost << 8 | operation`, `[operations.n]` for each robot.
    pub choices: Vec<u32>,
    /// Number of its choices; 0 before they are listed.
    pub n_choices: Vec<u16>,
    /// Index in the order of turns.
    pub turn: Vec<u32>,
    /// Times that it has joined a chain in the present epoch.
    pub visits: Vec<u8>,
    /// Epoch of its visits.
    pub visited_in: Vec<u32>,
    pub in_chain: Vec<bool>,
    /// It has planned at this tick.
    pub planned: Vec<bool>,
}

clone_fields!(Team {
    at,
    heading,
    goal,
    goal_at,
    cells,
    actions,
    cost,
    waits_since,
    first_until,
    bound_until,
    weight,
    choices,
    n_choices,
    turn,
    visits,
    visited_in,
    in_chain,
    planned,
});

impl Team {
    /// Sets the number of robots.
    pub fn resize(&mut self, n: usize, n_operations: usize) {
        if self.at.len() == n {
            return;
        }
        self.at.resize(n, 0);
        self.heading.resize(n, 0);
        self.goal.resize(n, NO_GOAL);
        self.goal_at.resize(n, NO_GOAL);
        self.cells.resize(n, [0; DEPTH + 1]);
        self.actions.resize(n, [WAIT; DEPTH]);
        self.cost.resize(n, 0);
        self.waits_since.resize(n, 0);
        self.first_until.resize(n, 0);
        self.bound_until.resize(n, 0);
        self.weight.resize(n, 1);
        self.choices.resize(n * n_operations, 0);
        self.n_choices.resize(n, 0);
        self.turn.resize(n, 0);
        self.visits.resize(n, 0);
        self.visited_in.resize(n, 0);
        self.in_chain.resize(n, false);
        self.planned.resize(n, false);
    }

    /// Number of robots.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// A robot waits where it is.
    pub fn rest(&mut self, row: usize) {
        (self.cells[row], self.actions[row]) = ([self.at[row]; DEPTH + 1], [WAIT; DEPTH]);
    }

    /// A robot pursues no goal at this tick.
    pub fn drop_goal(&mut self, row: usize) {
        (self.goal[row], self.goal_at[row]) = (NO_GOAL, NO_GOAL);
    }

    /// Growth of the weighted cost of a robot.
    pub fn weighted_growth(&self, robot: u32, cost: u32, before: u32) -> i64 {
        i64::from(self.weight[robot as usize]) * (i64::from(cost) - i64::from(before))
    }

    /// Gives a robot an operation, without reserving its cells.
    pub fn take(&mut self, row: usize, operations: &Operations, operation: usize, cost: u32) {
        let passed = &operations.cells[usize::from(self.heading[row]) * operations.n + operation];
        for (cell, &step) in self.cells[row][1..].iter_mut().zip(passed) {
            *cell = self.at[row].wrapping_add_signed(step);
        }
        self.actions[row] = operations.actions[operation];
        self.cost[row] = cost;
    }

    /// Ticks to the goal if a robot carries out its operation.
    pub fn cost_of_reserved(&self, map: &UnitMap, field: &FieldCosts, row: usize) -> u32 {
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
