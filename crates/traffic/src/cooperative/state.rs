//! The state of the rule: who owns which array.

use crate::collision::CollisionRule;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::{MoveSearch, PlanningScratch};
use crate::cooperative::prioritized::Others;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::row_set::RowSet;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;

/// The rule. Memory: 37 bytes a cell, 4 a state of the class with most headings, 28 a claim (about the cells
/// of a body and of its next moves for each agent), 400 an agent, 2 a pose of the windows of those that are
/// in each other's way.
#[derive(Debug)]
pub struct Cooperative {
    pub table: PlanTable,
    pub search: MoveSearch,
    pub others: Others,
    pub scratch: PlanningScratch,
    /// Ids of the agents that were there at the last tick.
    pub present: Vec<u32>,
    /// Rows that are visited at this tick.
    pub visited: RowSet,
    /// Agents that look for a plan at this tick: place in the order of rank, row.
    pub due: Vec<(PriorityKey, u32)>,
    /// Of the tables of each class, at the last tick.
    pub revisions: Vec<u64>,
}

impl Cooperative {
    /// The rule for agents of some classes on a map, under a rule of collision.
    pub fn new(
        tables: &[MovementTables],
        size: GridSize,
        rule: CollisionRule,
        params: TrafficParams,
    ) -> Self {
        Self {
            table: PlanTable::new(tables, size, rule, params),
            search: MoveSearch::new(tables, params),
            others: Others::default(),
            scratch: PlanningScratch::default(),
            present: Vec::new(),
            visited: RowSet::default(),
            due: Vec::new(),
            revisions: tables.iter().map(|tables| tables.revision()).collect(),
        }
    }
}
