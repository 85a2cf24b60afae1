//! A cache of fields for repeated goals.

use super::{CostField, RepairScratch, SavedField};
use crate::model::goal::Goal;
use crate::restore_error::RestoreError;
use crate::tables::MovementTables;
use crate::tables::memory::field_bytes;
use std::sync::Arc;
use wheelbase_grid::Rect;

/// Cost fields to goals, shared by all requests of a class with the same goal, within a memory limit.
///
/// Lookups take `&self` and change nothing. [`CostFieldCache::obtain`] creates a field or records its use; the
/// caller supplies the number of the use (such as its tick). When the limit is reached, the least recently used
/// fields are evicted, among equals the oldest. So the contents depend only on the calls, never on time or
/// addresses.
///
/// A clone shares the fields until one of the two extends or repairs them.
///
/// A field counts as 5 bytes per state and 4 per pose of its goal; the boundary of the settled region is not
/// included.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::fields::CostFieldCache;
///
/// let grid = Grid::from_rows(&["......"; 4], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_directions(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let mut fields = CostFieldCache::new(1 << 20);
/// let goal = [GoalMember::any(CellXY::new(5, 3))];
/// let field = fields.obtain(0, &tables, &Goal::of(&goal), 1).unwrap();
/// field.settle(&tables, SettleTarget::All, u64::MAX);
/// let start = tables.space().state(Pose::new(0, 0, Heading(0))).unwrap();
/// let kept = fields.get(0, &Goal::of(&goal)).unwrap();
/// assert_eq!(kept.cost(start), Some(80));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CostFieldCache {
    /// In order of creation.
    entries: Vec<Entry>,
    bytes_max: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    class: u32,
    /// Number of the last use.
    used: u64,
    /// Shared with clones of the cache until one of them extends or repairs it.
    field: Arc<CostField>,
}

/// The fields of a cache as [`CostFieldCache::save`] returns them: plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedFields {
    /// Class, number of the last use, and field, in order of creation.
    entries: Vec<(u32, u64, SavedField)>,
}

impl Entry {
    fn holds(&self, class: u32, goal: &Goal<'_>) -> bool {
        let held = self.field.goal();
        self.class == class && held.within == goal.within && held.members == goal.members
    }

    fn bytes(&self) -> usize {
        field_bytes(self.field.costs.len(), self.field.sources.len())
    }
}

impl CostFieldCache {
    /// An empty cache whose fields count at most `bytes_max` bytes together.
    pub fn new(bytes_max: usize) -> Self {
        Self { entries: Vec::new(), bytes_max }
    }

    /// The field of a class to a goal, if cached. `class` is any number that identifies the class for the
    /// caller. Goals are equal if they name the same members in the same order.
    pub fn get(&self, class: u32, goal: &Goal<'_>) -> Option<&CostField> {
        self.entries.iter().find(|entry| entry.holds(class, goal)).map(|entry| &*entry.field)
    }

    /// The field of a class to a goal, created if it is not cached; in a new field only the goal is settled.
    /// `None` if it alone exceeds the limit.
    pub fn obtain(
        &mut self,
        class: u32,
        tables: &MovementTables,
        goal: &Goal<'_>,
        use_number: u64,
    ) -> Option<&mut CostField> {
        let at = match self.entries.iter().position(|entry| entry.holds(class, goal)) {
            Some(at) => at,
            None => self.make(class, tables, goal)?,
        };
        let entry = &mut self.entries[at];
        entry.used = use_number;
        Some(Arc::make_mut(&mut entry.field))
    }

    /// The fields as data. Linear in the states of all fields.
    pub fn save(&self) -> SavedFields {
        let saved = |entry: &Entry| (entry.class, entry.used, entry.field.save());
        SavedFields { entries: self.entries.iter().map(saved).collect() }
    }

    /// A cache with saved fields, which go on exactly as they would have where they were saved; `bytes_max` as for
    /// [`CostFieldCache::new`]. `tables_of` gives the tables of a class; see [`CostField::restore`] for what they must
    /// be.
    /// # Errors
    /// [`RestoreError`] for a field that is none of its tables, a class without tables, and more fields than the limit
    /// allows. No memory is taken beyond it.
    pub fn restore<'t>(
        saved: &SavedFields,
        bytes_max: usize,
        tables_of: impl Fn(u32) -> Option<&'t MovementTables>,
    ) -> Result<Self, RestoreError> {
        let mut cache = Self::new(bytes_max);
        let mut bytes = 0_usize;
        for (class, used, field) in &saved.entries {
            let tables = tables_of(*class)
                .ok_or_else(|| RestoreError::new("fields", format_args!("no class {class}")))?;
            bytes = bytes.saturating_add(field_bytes(tables.space().n_states(), 0));
            if bytes <= bytes_max {
                let field = Arc::new(CostField::restore(field, tables)?);
                cache.entries.push(Entry { class: *class, used: *used, field });
            }
            if bytes.max(cache.bytes()) > bytes_max {
                return Err(RestoreError::new("fields", format_args!("more than {bytes_max} bytes")));
            }
        }
        Ok(cache)
    }

    fn make(&mut self, class: u32, tables: &MovementTables, goal: &Goal<'_>) -> Option<usize> {
        let mut n_poses = 0;
        goal.for_each_pose(tables.space(), |_| n_poses += 1);
        let bytes = field_bytes(tables.space().n_states(), n_poses);
        if bytes > self.bytes_max {
            return None;
        }
        let mut spare = None;
        while self.bytes() + bytes > self.bytes_max {
            let oldest = (0..self.entries.len()).min_by_key(|&at| self.entries[at].used)?;
            spare = Some(self.entries.remove(oldest)).filter(|entry| entry.class == class).or(spare);
        }
        // The memory of an evicted field is reused for the next field of its class, unless a clone still uses it.
        let spare = spare.filter(|entry| entry.field.space() == tables.space());
        let field = match spare.and_then(|entry| Arc::into_inner(entry.field)) {
            Some(mut field) => {
                field.restart(tables, goal);
                field
            }
            None => CostField::to_goal(tables, goal),
        };
        let field = Arc::new(field);
        self.entries.push(Entry { class, used: 0, field });
        Some(self.entries.len() - 1)
    }

    /// Repairs every field of a class after an edit ([`CostField::repair`]).
    pub fn repair(
        &mut self,
        class: u32,
        tables: &MovementTables,
        changed: Rect,
        scratch: &mut RepairScratch,
    ) {
        for entry in self.entries.iter_mut().filter(|entry| entry.class == class) {
            Arc::make_mut(&mut entry.field).repair(tables, changed, scratch);
        }
    }

    /// Drops the fields of a class whose last use has a number below `least`.
    pub fn forget_unused(&mut self, class: u32, least: u64) {
        self.entries.retain(|entry| entry.class != class || entry.used >= least);
    }

    /// Drops every field of a class.
    pub fn forget_class(&mut self, class: u32) {
        self.entries.retain(|entry| entry.class != class);
    }

    /// The cached fields in order of creation: class, number of the last use, field.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64, &CostField)> {
        self.entries.iter().map(|entry| (entry.class, entry.used, &*entry.field))
    }

    /// Bytes that the cached fields count as; at most the limit.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(Entry::bytes).sum()
    }
}
