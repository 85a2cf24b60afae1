//! What earlier searches for a goal have taught.

use crate::model::goal::{Goal, GoalMember};
use crate::tables::MovementTables;

/// What searches for one goal have learned, shared by all agents of a class that go there: after a
/// search that found a path of cost `C`, a pose that was reached at cost `g` is at least `C - g` from
/// the goal. Later searches are guided by that where it is more than the default heuristic.
///
/// Holds after edits that only make moves dearer or illegal; [`LearnedCosts::forget`] after any other.
/// Memory: 4 bytes a state.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainKind, TerrainTable};
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::LearnedCosts;
///
/// let rows = [".......", "..TTT..", "..T.T..", "..T.T..", "......."];
/// let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_ways(10);
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
    /// `[n_states]`; 0 of a state that nothing is known of.
    pub(crate) bounds: Vec<u32>,
    /// Whether what is known is the exact cost of a known way on.
    pub(crate) exits: bool,
    /// States reached by the search that is learned from, still to be gone through.
    pub(crate) stack: Vec<u32>,
}

impl LearnedCosts {
    /// Nothing learned yet about a goal.
    pub fn new(tables: &MovementTables, goal: &Goal<'_>) -> Self {
        Self {
            members: goal.members.to_vec(),
            within: goal.within,
            bounds: vec![0; tables.space().n_states()],
            exits: false,
            stack: Vec::new(),
        }
    }

    /// The goal.
    pub fn goal(&self) -> Goal<'_> {
        Goal { members: &self.members, within: self.within }
    }

    /// Forgets all, after an edit that may have made some move cheaper.
    pub fn forget(&mut self) {
        self.bounds.fill(0);
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + 4 * (self.bounds.capacity() + self.stack.capacity())
            + size_of::<GoalMember>() * self.members.capacity()
    }

    pub(crate) fn bounds(&self) -> &[u32] {
        &self.bounds
    }

    pub(crate) fn has_exits(&self) -> bool {
        self.exits
    }
}
