//! Fields kept for whoever asks for the same goal again.

use super::{CostField, FieldScratch};
use crate::model::goal::Goal;
use crate::tables::MovementTables;
use wheelbase_grid::Rect;

/// Cost fields to goals, shared by all requests of a class with the same goal, within a limit of memory.
///
/// Questions take `&self` and change nothing. A field is made, or its use noted, by
/// [`CostFields::obtain`]; the caller gives the number of the use (its tick, say). When there is no room
/// the fields least recently used make way, of those used at the same number the one made first. So
/// what is kept depends on the calls alone, never on time or addresses.
///
/// A field counts 5 bytes a state and 4 a pose of its goal; the rim of what is settled comes on top.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::fields::CostFields;
///
/// let grid = Grid::from_rows(&["......"; 4], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_ways(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let mut fields = CostFields::new(1 << 20);
/// let goal = [GoalMember::any(CellXY::new(5, 3))];
/// let field = fields.obtain(0, &tables, &Goal::of(&goal), 1).unwrap();
/// field.settle(&tables, Until::All, u64::MAX);
/// let start = tables.space().state(Pose::new(0, 0, Heading(0))).unwrap();
/// let kept = fields.get(0, &Goal::of(&goal)).unwrap();
/// assert_eq!(kept.cost(start), Some(80));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CostFields {
    /// In the order in which they were made.
    entries: Vec<Entry>,
    bytes_max: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    class: u32,
    /// Number of the last use.
    used: u64,
    field: CostField,
}

impl Entry {
    fn holds(&self, class: u32, goal: &Goal<'_>) -> bool {
        let held = self.field.goal();
        self.class == class && held.within == goal.within && held.members == goal.members
    }

    fn bytes(&self) -> usize {
        bytes_of(self.field.costs.len(), self.field.sources.len())
    }
}

fn bytes_of(n_states: usize, n_goal_poses: usize) -> usize {
    5 * n_states + 4 * n_goal_poses
}

impl CostFields {
    /// Empty; the fields kept count at most so many bytes together.
    pub fn new(bytes_max: usize) -> Self {
        Self { entries: Vec::new(), bytes_max }
    }

    /// The field of a class to a goal, if it is kept. `class` is any number by which the caller tells
    /// its classes apart. Goals are the same if they name the same members in the same order.
    pub fn get(&self, class: u32, goal: &Goal<'_>) -> Option<&CostField> {
        self.entries.iter().find(|entry| entry.holds(class, goal)).map(|entry| &entry.field)
    }

    /// The field of a class to a goal, made if it is not kept yet; nothing of a new one is settled but the
    /// goal. `None` if it alone exceeds the limit.
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
        Some(&mut entry.field)
    }

    fn make(&mut self, class: u32, tables: &MovementTables, goal: &Goal<'_>) -> Option<usize> {
        let mut n_poses = 0;
        goal.for_each_pose(tables.space(), |_| n_poses += 1);
        let bytes = bytes_of(tables.space().n_states(), n_poses);
        if bytes > self.bytes_max {
            return None;
        }
        let mut spare = None;
        while self.bytes() + bytes > self.bytes_max {
            let oldest = (0..self.entries.len()).min_by_key(|&at| self.entries[at].used)?;
            spare = Some(self.entries.remove(oldest)).filter(|entry| entry.class == class).or(spare);
        }
        // The memory of one that made way serves the next of its class.
        let field = match spare {
            Some(Entry { mut field, .. }) if field.space() == tables.space() => {
                field.restart(tables, goal);
                field
            }
            _ => CostField::to_goal(tables, goal),
        };
        self.entries.push(Entry { class, used: 0, field });
        Some(self.entries.len() - 1)
    }

    /// Follows an edit with every field of a class ([`CostField::repair`]).
    pub fn repair(&mut self, class: u32, tables: &MovementTables, changed: Rect, scratch: &mut FieldScratch) {
        for entry in self.entries.iter_mut().filter(|entry| entry.class == class) {
            entry.field.repair(tables, changed, scratch);
        }
    }

    /// Drops every field of a class, as when it is given up.
    pub fn forget_class(&mut self, class: u32) {
        self.entries.retain(|entry| entry.class != class);
    }

    /// The fields kept, in the order in which they were made: class, number of the last use, field.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64, &CostField)> {
        self.entries.iter().map(|entry| (entry.class, entry.used, &entry.field))
    }

    /// Bytes that the fields kept count; at most the limit.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(Entry::bytes).sum()
    }
}
