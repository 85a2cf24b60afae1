//! Congestion penalties: costs of moves beyond what the map says.

use std::fmt;
use wheelbase_grid::CellXY;

/// Additional cost of moves due to conditions that are not on the map: other agents ahead, danger, a road to be
/// kept free. A search with penalties finds the path with the least sum of time and penalties; its answer and
/// path report the time alone.
///
/// Penalties should stay constant while a search is in progress. If they change, the path found is still legal,
/// but may not be the cheapest.
///
/// ```
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::Penalties;
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// // Discourages entering column 2 in the first two rows.
/// #[derive(Debug)]
/// struct Danger;
/// impl Penalties for Danger {
///     fn ticks(&self, from: CellXY, to: CellXY, _: u32) -> u32 {
///         if from.x != 2 && to.x == 2 && to.y < 2 { 100 } else { 0 }
///     }
///     fn max_ticks(&self) -> u32 {
///         100
///     }
/// }
/// let grid = Grid::from_rows(&["....."; 3], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("scout", 1);
/// spec.primitives = Primitive::four_directions(5);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(4, 0))];
/// let mut request = Request::new(Pose::new(0, 0, Heading(0)), Goal::of(&goal));
/// request.penalties = Some(&Danger);
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// // It detours through the third row, four moves longer.
/// assert_eq!(plan(&tables, &request, &mut scratch, &mut path).cost, 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Penalties: fmt::Debug + Sync {
    /// Penalty in ticks of a legal move that takes `ticks` and moves the anchor from one cell to another. For a
    /// turn on the spot both cells are the same.
    fn ticks(&self, from: CellXY, to: CellXY, ticks: u32) -> u32;

    /// Upper bound of the penalty of any move; larger values of [`ticks`](Self::ticks) are clamped to it. A
    /// small bound keeps the search fast.
    fn max_ticks(&self) -> u32;
}
