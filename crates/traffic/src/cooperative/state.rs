//! The state of the rule: who owns which array.

use crate::collision::CollisionRule;
use crate::cooperative::ahead::Ahead;
use crate::cooperative::claims::Claims;
use crate::cooperative::contraflow::Contraflow;
use crate::cooperative::interval_search::{IntervalSearch, Wishes};
use crate::cooperative::lifted::Lifting;
use crate::cooperative::member::Member;
use crate::cooperative::narrows::Narrows;
use crate::cooperative::room::MakeWay;
use crate::cooperative::steps::step_ticks;
use crate::cooperative::window_field::{LinePose, WindowFields};
use crate::motion::sides;
use crate::priority::PriorityKey;
use crate::row_set::RowSet;
use wheelbase_planner::MovementTables;

/// The rule. Memory: 37 bytes a cell, 4 a state of the class with most headings, 28 a claim (about the cells
/// of a body and of its next moves for each agent), 400 an agent, 2 a pose of the windows of those that are
/// in each other's way.
#[derive(Debug)]
pub struct Cooperative {
    pub claims: Claims,
    pub wishes: Wishes,
    pub members: Vec<Member>,
    /// Ids of the agents that were there at the last tick.
    pub present: Vec<u32>,
    pub fields: WindowFields,
    pub contraflow: Contraflow,
    pub narrows: Narrows,
    pub search: IntervalSearch,
    pub make_way: MakeWay,
    pub lifting: Lifting,
    /// Rows that are visited at this tick.
    pub visited: RowSet,
    /// Agents that look for a plan at this tick: place in the order of rank, row.
    pub due: Vec<(PriorityKey, u32)>,
    /// The next poses of an agent's path, each with what remains from there.
    pub line: Vec<LinePose>,
    pub moves: Vec<u8>,
    pub revisions: Vec<u64>,
    /// By class: ticks of its fastest move that leads on.
    pub step_ticks: Vec<u32>,
    /// By class: shortest and longest side of its body in cells.
    pub sides: Vec<(u32, u32)>,
    /// Passages ahead of the agent that plans, how it goes through them, and who keeps it from entering.
    pub ahead: Vec<Ahead>,
    /// Moves after which it stops, to leave room before a passage that it is kept from.
    pub stop: u32,
    pub tries_left: u64,
    /// Of these, for the stretch that is to be cleared.
    pub stretch_left: u64,
}

impl Cooperative {
    /// The rule for agents of some classes on a map, under a rule of collision.
    pub fn new(tables: &[MovementTables], size: wheelbase_grid::GridSize, rule: CollisionRule) -> Self {
        let sides: Vec<_> = tables.iter().map(sides).collect();
        let mut wishes = Wishes::default();
        wishes.resize(size.n_cells());
        Self {
            claims: Claims::new(size, rule),
            wishes,
            members: Vec::new(),
            present: Vec::new(),
            fields: WindowFields::new(tables.iter()),
            narrows: Narrows::new(size, tables, &sides),
            sides,
            ahead: Vec::new(),
            stop: u32::MAX,
            contraflow: Contraflow::new(tables.iter()),
            search: IntervalSearch::default(),
            make_way: MakeWay::default(),
            lifting: Lifting::default(),
            visited: RowSet::default(),
            due: Vec::new(),
            line: Vec::new(),
            moves: Vec::new(),
            revisions: tables.iter().map(|tables| tables.revision()).collect(),
            step_ticks: tables.iter().map(step_ticks).collect(),
            tries_left: 0,
            stretch_left: 0,
        }
    }
}
