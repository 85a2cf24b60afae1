//! Cost fields of goals that are searched for again and again.
//!
//! A goal that many agents go to, or that one is pushed away from time and again, is worth the exact
//! cost-to-go of every pose: each later request is then answered by following the field. Whether it is
//! worth that is told by counts alone: a field is begun once searches to the goal have spent as many
//! expansions as half of all poses, so that it never costs much more than they did.

use std::collections::BTreeMap;
use wheelbase_grid::{Fnv1a, Rect};
use wheelbase_planner::fields::{CostField, CostFieldCache};
use wheelbase_planner::model::State;
use wheelbase_planner::tables::field_bytes;
use wheelbase_planner::{Goal, MovementTables, Path, Progress, RepairScratch, SettleTarget};
use wheelbase_traffic::motion::ClassId;

/// Most memory that fields take together, in bytes; those used longest ago make way.
const BYTES_MAX: usize = 256 << 20;
/// What a field takes for each state, and a little more for its goal.
const BYTES_A_STATE: usize = field_bytes(1, 0) + 1;
/// Bytes of a field for each pose, and most of all fields.
pub(crate) const NEED: (u64, u64) = (BYTES_A_STATE as u64, BYTES_MAX as u64);
/// Goals whose searches are counted; when there are more, all counts begin anew.
const GOALS_MAX: usize = 1 << 16;

/// Cost fields, and what searches to goals without one have spent.
#[derive(Debug)]
pub(crate) struct SharedFields {
    fields: CostFieldCache,
    bytes_max: usize,
    /// By hash of the goal and class. Goals of one hash share a count, which makes no result wrong.
    uses: BTreeMap<(u64, u8), GoalUse>,
    scratch: RepairScratch,
}

#[derive(Clone, Copy, Debug, Default)]
struct GoalUse {
    /// Expansions of searches since the goal last lost its field.
    spent: u64,
    /// Whether it has been given one since.
    has_field: bool,
}

/// What a step of a field did for a request.
pub(crate) struct FieldStep {
    /// Whether more is needed.
    pub progress: Progress,
    /// Poses settled.
    pub expansions: u64,
    /// Whether the path was written.
    pub found: bool,
}

impl SharedFields {
    pub fn new() -> Self {
        Self::with_bytes_max(BYTES_MAX)
    }

    /// No fields, with another limit to the memory that they take together.
    pub fn with_bytes_max(bytes_max: usize) -> Self {
        Self {
            fields: CostFieldCache::new(bytes_max),
            bytes_max,
            uses: BTreeMap::new(),
            scratch: RepairScratch::new(),
        }
    }

    /// Whether fields for classes of these tables have room beside each other, if all others make way.
    pub fn fit<'t>(&self, tables: impl Iterator<Item = &'t MovementTables>) -> bool {
        let states: usize = tables.map(|tables| tables.space().n_states()).sum();
        states.saturating_mul(BYTES_A_STATE) <= self.bytes_max
    }

    /// Counts what a search to a goal spent.
    pub fn note(&mut self, class: ClassId, goal: &Goal<'_>, expansions: u64) {
        if self.uses.len() >= GOALS_MAX {
            self.uses.clear();
        }
        self.uses.entry((hash(goal), class.0)).or_default().spent += expansions;
    }

    /// Whether a request to a goal is to be answered by its field.
    pub fn pays(&mut self, class: ClassId, tables: &MovementTables, goal: &Goal<'_>) -> bool {
        let Some(counted) = self.uses.get_mut(&(hash(goal), class.0)) else { return false };
        if counted.spent < tables.space().n_states() as u64 / 2 {
            return false;
        }
        if counted.has_field && self.fields.get(u32::from(class.0), goal).is_none() {
            // It had to make way: it has to earn the next one.
            *counted = GoalUse::default();
            return false;
        }
        counted.has_field = true;
        true
    }

    /// The field of a class to a goal, made if need be whether it pays or not. `None` if there is no memory
    /// for it.
    pub fn obtain(
        &mut self,
        class: ClassId,
        tables: &MovementTables,
        goal: &Goal<'_>,
        tick: u32,
    ) -> Option<&mut CostField> {
        self.fields.obtain(u32::from(class.0), tables, goal, u64::from(tick))
    }

    /// The field of a class to a goal, if it is kept.
    pub fn get(&self, class: ClassId, goal: &Goal<'_>) -> Option<&CostField> {
        self.fields.get(u32::from(class.0), goal)
    }

    /// Extends the field of a goal towards a start by at most so many expansions and, once it is settled,
    /// writes the path. `None` if there is no memory for the field.
    pub fn step(
        &mut self,
        class: ClassId,
        tables: &MovementTables,
        goal: &Goal<'_>,
        (start, tick): (State, u32),
        expansions: u64,
        path: &mut Path,
    ) -> Option<FieldStep> {
        let field = self.fields.obtain(u32::from(class.0), tables, goal, u64::from(tick))?;
        let settled = field.settle(tables, SettleTarget::Pose(start), expansions);
        let found = settled.progress == Progress::Done && field.follow(tables, start, path);
        Some(FieldStep { progress: settled.progress, expansions: settled.expansions, found })
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.iter().count()
    }

    /// Bytes of all fields.
    pub fn bytes(&self) -> usize {
        self.fields.bytes()
    }

    /// Follows an edit of the map, after the tables of a class have.
    pub fn repair(&mut self, class: ClassId, tables: &MovementTables, changed: Rect) {
        self.fields.repair(u32::from(class.0), tables, changed, &mut self.scratch);
    }

    /// Everything here that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, mut word: impl FnMut(u64)) {
        for (&(goal, class), counted) in &self.uses {
            word(goal ^ u64::from(class));
            word(counted.spent << 1 | u64::from(counted.has_field));
        }
        for (class, used, field) in self.fields.iter() {
            word(hash(&field.goal()) ^ u64::from(class));
            word(used << 32 | u64::from(field.radius()));
        }
    }
}

/// 64-bit FNV-1a of a goal.
fn hash(goal: &Goal<'_>) -> u64 {
    let mut hash = Fnv1a::new();
    hash.write_word(u64::from(goal.within));
    for member in goal.members {
        hash.write_word(u64::from(member.cell.x as u32) << 32 | u64::from(member.cell.y as u32));
        hash.write_word(member.heading.map_or(u64::MAX, |heading| u64::from(heading.0)));
    }
    hash.finish()
}
