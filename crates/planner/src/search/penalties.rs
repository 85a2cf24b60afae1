//! Delays: what moves count as longer by, beside what the map says.

use std::fmt;
use wheelbase_grid::CellXY;

/// What moves count as longer by on account of what the map does not know: other agents on the way, danger, a
/// road that is to be kept free. A search with delays finds the path of which the time and all delays
/// together are least; its answer and path tell the time alone.
///
/// While a search is under way its delays should stay as they are. If they change the path that it finds is
/// legal, but there may be a cheaper one.
///
/// ```
/// use wheelbase_planner::*;
/// use wheelbase_planner::search::Penalties;
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// /// Nobody likes to enter column 2 of the first two rows.
/// #[derive(Debug)]
/// struct Danger;
/// impl Penalties for Danger {
///     fn ticks(&self, from: CellXY, to: CellXY, _: u32) -> u32 {
///         if from.x != 2 && to.x == 2 && to.y < 2 { 100 } else { 0 }
///     }
///     fn most(&self) -> u32 {
///         100
///     }
/// }
/// let grid = Grid::from_rows(&["....."; 3], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("scout", 1);
/// spec.primitives = Primitive::four_ways(5);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let goal = [GoalMember::any(CellXY::new(4, 0))];
/// let mut request = Request::new(Pose::new(0, 0, Heading(0)), Goal::of(&goal));
/// request.penalties = Some(&Danger);
/// let (mut scratch, mut path) = (Scratch::new(), Path::new());
/// // It goes round by the third row, four moves longer.
/// assert_eq!(plan(&tables, &request, &mut scratch, &mut path).cost, 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Penalties: fmt::Debug + Sync {
    /// By how many ticks a legal move counts as longer that takes so many `ticks` and brings the anchor from
    /// one cell to another. A turn on the spot has both the same.
    fn ticks(&self, from: CellXY, to: CellXY, ticks: u32) -> u32;

    /// No move counts as longer by more ticks; what [`ticks`](Self::ticks) says beyond that is cut off. A
    /// search with few of them is quicker.
    fn most(&self) -> u32;
}
