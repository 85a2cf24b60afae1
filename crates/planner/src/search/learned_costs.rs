//! Lower bounds learned from earlier searches for the same goal.

use crate::model::goal::{Goal, GoalMember};
use crate::tables::MovementTables;

/// Lower bounds learned by searches for one goal, shared by all agents of a class with that goal. After a search that
/// found a path of cost `C`, a pose reached at cost `g` is at least `C - g` from the goal. Later searches are guided by
/// these bounds where they exceed the default heuristic.
///
/// Remains valid after edits that only make moves dearer or illegal; call [`LearnedCosts::forget`] after any
/// other edit. Memory: 4 bytes per state.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainKind, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::LearnedCosts;
///
/// let rows = [".......", "..TTT..", "..T.T..", "..T.T..", "......."];
/// let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_directions(10);
/// let mut tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(3, 2))];
/// let mut learned = LearnedCosts::new(&tables, &Goal::of(&goal));
/// let request = Request::new(Pose::new(3, 0, Heading(0)), Goal::of(&goal));
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// let first = learned.plan(&tables, &request, &mut scratch, &mut path);
/// let again = learned.plan(&tables, &request, &mut scratch, &mut path);
/// assert_eq!(first.cost, again.cost);
/// assert!(again.expansions < first.expansions);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LearnedCosts {
    pub(crate) members: Vec<GoalMember>,
    pub(crate) within: u32,
    /// `[n_states]`; 0 for states without a bound.
    pub(crate) bounds: Vec<u32>,
    /// Whether the bounds are exact costs of known continuations.
    pub(crate) has_continuations: bool,
    /// States reached by the search to learn from, not yet visited.
    pub(crate) stack: Vec<u32>,
}

impl LearnedCosts {
    /// Bounds for a goal, initially empty.
    pub fn new(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self {
            members: goal.members.to_vec(),
            within: goal.within,
            bounds: vec![0; tables.space().n_states()],
            has_continuations: false,
            stack: Vec::new(),
        }
    }

    /// The goal.
    pub fn goal(&self) -> Goal<'_> {
        Goal { members: &self.members, within: self.within }
    }

    /// Discards all bounds, after an edit that may have made a move cheaper.
    pub fn forget(&mut self) {
        self.bounds.fill(0);
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + 4 * (self.bounds.capacity() + self.stack.capacity())
            + size_of::<GoalMember>() * self.members.capacity()
    }

    pub(crate) fn bounds(&self) -> &[u32] {
        &self.bounds
    }

    pub(crate) fn has_continuations(&self) -> bool {
        self.has_continuations
    }
}
