//! The state of the rule.

use crate::clone_fields::clone_fields;
use crate::collision::CollisionRule;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::{MoveSearch, PlanningScratch};
use crate::cooperative::prioritized::CoordinationScratch;
use crate::motion::{AgentId, AgentSlot};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::row_set::RowSet;
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;

/// The rule for agents with bodies of any size. Memory: 38 bytes per cell (39 with several teams) and 4 per state of
/// the class with most headings. Classes that cannot undo their moves add 4 of each. Then 28 per reservation (about
/// the cells of a body and of its next moves for each agent) and 788 per agent slot. Windows of agents in each
/// other's way take 2 per pose.
#[derive(Debug)]
pub struct Cooperative {
    pub(crate) table: PlanTable,
    pub(crate) search: MoveSearch,
    pub(crate) coordination: CoordinationScratch,
    pub(crate) scratch: PlanningScratch,
    /// The agents of the last tick, by id.
    pub(crate) present: Vec<(AgentId, AgentSlot)>,
    /// Rows that the present tick visits.
    pub(crate) visited: RowSet,
    /// Scratch: rows of agents that were there at the last tick.
    pub(crate) stay: RowSet,
    /// Idle agents that the next tick visits once more: they came out of a busy corridor with their last move.
    pub(crate) just_out: Vec<AgentId>,
    /// Agents that plan at the present tick: priority key, row.
    pub(crate) due: Vec<(PriorityKey, u32)>,
    /// Revision of the tables of each class at the last tick.
    pub(crate) revisions: Vec<u64>,
    /// The tick after the last one.
    pub(crate) next_tick: u32,
}

clone_fields!(Cooperative { table, search, present, just_out, revisions, next_tick } keep {
    coordination, scratch, visited, stay, due
});

impl Cooperative {
    /// Name in recordings and snapshots.
    pub(crate) const NAME: &'static str = "cooperative";

    /// The rule for agents of some classes on a map, under a rule of collision.
    pub fn new(
        tables: &[MovementTables],
        size: GridSize,
        rule: CollisionRule,
        params: TrafficParams,
    ) -> Self {
        Self {
            table: PlanTable::new(tables, size, rule, params),
            search: MoveSearch::new(tables),
            coordination: CoordinationScratch::default(),
            scratch: PlanningScratch::default(),
            present: Vec::new(),
            visited: RowSet::default(),
            stay: RowSet::default(),
            just_out: Vec::new(),
            due: Vec::new(),
            revisions: tables.iter().map(|tables| tables.revision()).collect(),
            next_tick: 0,
        }
    }
}
