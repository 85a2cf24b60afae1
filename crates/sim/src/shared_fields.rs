//! Cost fields of goals that are searched for repeatedly.
//!
//! The exact cost-to-go of every pose pays for a goal of many agents, or of an agent that is often pushed away from it.
//! Each later request is answered by following the field. Counts alone decide. A field is begun once searches to the
//! goal have spent as many expansions as half of all poses. So it never costs much more than they did.

use crate::codec::COUNT_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wheelbase_grid::{Fnv1a, Rect};
use wheelbase_planner::fields::{self, CostField, CostFieldCache};
use wheelbase_planner::model::State;
use wheelbase_planner::tables::field_bytes;
use wheelbase_planner::{Goal, MovementTables, Path, Progress, RepairScratch, SettleTarget};
use wheelbase_traffic::motion::ClassId;

/// Most bytes of all fields together; the least recently used are dropped.
const BYTES_MAX: usize = 256 << 20;
/// What a field takes for each state, and a little more for its goal.
const BYTES_A_STATE: usize = field_bytes(1, 0) + 1;
/// Bytes of a field for each pose, and most of all fields.
pub(crate) const NEED: (u64, u64) = (BYTES_A_STATE as u64, BYTES_MAX as u64);
/// Ticks after its last use from which on the next edit, or the end of a period, drops a field.
const KEPT_TICKS: u32 = 1000;
/// Ticks of a period, at whose end fields long unused and counts of searches are forgotten. Over a long run random
/// goals come up again. Without an end to the counts every goal of the map would have its field at last.
const PERIOD_TICKS: u32 = 5_000;
/// End of the first period, which is longer: few runs last longer, and theirs are the results of all releases.
const FIRST_PERIOD_TICKS: u32 = 30_000;
/// Goals whose searches are counted; when there are more, all counts start over.
const GOALS_MAX: usize = 1 << 16;

/// Cost fields, and the expansions of searches to goals without one.
#[derive(Debug)]
pub(crate) struct SharedFields {
    fields: CostFieldCache,
    bytes_max: usize,
    /// By hash of the goal, and class. Goals of equal hash share a count, which affects no path.
    uses: BTreeMap<(u64, u8), GoalUse>,
    scratch: RepairScratch,
}

impl Clone for SharedFields {
    fn clone(&self) -> Self {
        let Self { fields, bytes_max, uses, scratch: _ } = self;
        let (fields, uses, scratch) = (fields.clone(), uses.clone(), RepairScratch::new());
        Self { fields, bytes_max: *bytes_max, uses, scratch }
    }
}

/// Fields and counts as a snapshot holds them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedFields {
    /// Hash of the goal, class, expansions spent, whether it has had a field since.
    uses: Vec<(u64, u8, u64, bool)>,
    fields: fields::SavedFields,
}

#[derive(Clone, Copy, Debug, Default)]
struct GoalUse {
    /// Expansions of searches since the goal last lost its field.
    spent: u64,
    /// Whether it has had a field since.
    has_field: bool,
}

/// A field's answer to a request, after a share of expansions.
pub(crate) struct FieldAnswer {
    /// Whether the field has to be extended further.
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

    /// No fields, with a limit to their bytes.
    pub fn with_bytes_max(bytes_max: usize) -> Self {
        Self {
            fields: CostFieldCache::new(bytes_max),
            bytes_max,
            uses: BTreeMap::new(),
            scratch: RepairScratch::new(),
        }
    }

    /// The fields, shared until one of the two extends them, without counts.
    pub fn without_counts(&self) -> Self {
        Self { fields: self.fields.clone(), ..Self::with_bytes_max(self.bytes_max) }
    }

    /// All fields and counts.
    pub fn save(&self) -> SavedFields {
        let uses = self.uses.iter();
        let uses = uses.map(|(&(goal, class), counted)| (goal, class, counted.spent, counted.has_field));
        SavedFields { uses: uses.collect(), fields: self.fields.save() }
    }

    /// Fields as they were saved, of classes with these tables.
    /// # Errors
    /// The first mistake, in words.
    pub fn restore(saved: SavedFields, tables: &[MovementTables]) -> Result<Self, String> {
        let mut fields = Self::new();
        for (goal, class, spent, has_field) in saved.uses {
            if spent > COUNT_MAX {
                return Err(format!("{spent} expansions of searches to one goal"));
            }
            fields.uses.insert((goal, class), GoalUse { spent, has_field });
        }
        let tables_of = |class: u32| tables.get(class as usize);
        let restored = CostFieldCache::restore(&saved.fields, BYTES_MAX, tables_of);
        fields.fields = restored.map_err(|error| error.to_string())?;
        Ok(fields)
    }

    /// Whether fields for classes with these tables fit together, once all others are dropped.
    pub fn fit<'t>(&self, tables: impl Iterator<Item = &'t MovementTables>) -> bool {
        let states: usize = tables.map(|tables| tables.space().n_states()).sum();
        states.saturating_mul(BYTES_A_STATE) <= self.bytes_max
    }

    /// Counts the expansions of a search to a goal.
    pub fn count_search(&mut self, class: ClassId, goal: &Goal<'_>, expansions: u64) {
        if self.uses.len() >= GOALS_MAX {
            self.uses.clear();
        }
        self.uses.entry((hash(goal), class.0)).or_default().spent += expansions;
    }

    /// Whether a request to a goal will be answered by its field.
    pub fn pays(&mut self, class: ClassId, tables: &MovementTables, goal: &Goal<'_>) -> bool {
        let Some(counted) = self.uses.get_mut(&(hash(goal), class.0)) else { return false };
        if counted.spent < tables.space().n_states() as u64 / 2 {
            return false;
        }
        if counted.has_field && self.fields.get(u32::from(class.0), goal).is_none() {
            // It was dropped: the goal has to earn the next field.
            *counted = GoalUse::default();
            return false;
        }
        counted.has_field = true;
        true
    }

    /// The field of a class to a goal, made if necessary, whether it pays or not. `None` if it exceeds the memory
    /// limit.
    pub fn obtain(
        &mut self,
        class: ClassId,
        tables: &MovementTables,
        goal: &Goal<'_>,
        tick: u32,
    ) -> Option<&mut CostField> {
        self.fields.obtain(u32::from(class.0), tables, goal, u64::from(tick))
    }

    /// The field of a class to a goal, if there is one.
    pub fn get(&self, class: ClassId, goal: &Goal<'_>) -> Option<&CostField> {
        self.fields.get(u32::from(class.0), goal)
    }

    /// Extends the field of a goal towards a start by at most `expansions`, and writes the path once the start is
    /// settled. `None` if the field exceeds the memory limit.
    pub fn answer(
        &mut self,
        class: ClassId,
        tables: &MovementTables,
        goal: &Goal<'_>,
        (start, tick): (State, u32),
        expansions: u64,
        path: &mut Path,
    ) -> Option<FieldAnswer> {
        let field = self.fields.obtain(u32::from(class.0), tables, goal, u64::from(tick))?;
        let settled = field.settle(tables, SettleTarget::Pose(start), expansions);
        let found = settled.progress == Progress::Done && field.follow(tables, start, path);
        Some(FieldAnswer { progress: settled.progress, expansions: settled.expansions, found })
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.iter().count()
    }

    /// Bytes of all fields.
    pub fn bytes(&self) -> usize {
        self.fields.bytes()
    }

    /// Follows an edit of the map at a tick, after the tables of the class. Fields long unused are dropped: to repair
    /// them all would make edits the slower the longer a world runs.
    pub fn repair(&mut self, class: ClassId, tables: &MovementTables, changed: Rect, tick: u32) {
        self.fields.forget_unused(u32::from(class.0), u64::from(tick.saturating_sub(KEPT_TICKS)));
        self.fields.repair(u32::from(class.0), tables, changed, &mut self.scratch);
    }

    /// At the end of a period: forgets the fields long unused, and the counts of goals without a field.
    pub fn end_period(&mut self, tick: u32, n_classes: usize) {
        if tick < FIRST_PERIOD_TICKS || !tick.is_multiple_of(PERIOD_TICKS) {
            return;
        }
        for class in 0..n_classes as u32 {
            self.fields.forget_unused(class, u64::from(tick - KEPT_TICKS));
        }
        let Self { fields, uses, .. } = self;
        let is_kept = |goal: u64, class: u8| {
            fields.iter().any(|(of, _, field)| of == u32::from(class) && hash(&field.goal()) == goal)
        };
        uses.retain(|&(goal, class), counted| counted.has_field && is_kept(goal, class));
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

/// Hash of a goal.
fn hash(goal: &Goal<'_>) -> u64 {
    let mut hash = Fnv1a::new();
    hash.write_word(u64::from(goal.within));
    for member in goal.members {
        hash.write_word(u64::from(member.cell.x as u32) << 32 | u64::from(member.cell.y as u32));
        hash.write_word(member.heading.map_or(u64::MAX, |heading| u64::from(heading.0)));
    }
    hash.finish()
}
