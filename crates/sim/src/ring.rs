//! The cells at a distance from a cell.

use wheelbase_grid::{CellXY, Rect};

/// The cells of an area at a distance from a cell, along the axis on which they are farther. They come row by row from
/// the north, each row from the west.
pub(crate) fn ring(center: CellXY, reach: u32, area: Rect) -> impl Iterator<Item = CellXY> {
    let (x, y, reach) = (i64::from(center.x), i64::from(center.y), i64::from(reach));
    let in_area = move |(x, y): (i64, i64)| {
        let cell = CellXY::new(i32::try_from(x).ok()?, i32::try_from(y).ok()?);
        area.contains(cell).then_some(cell)
    };
    let rows = (y - reach..=y + reach).flat_map(move |at| {
        let step = if (at - y).abs() == reach { 1 } else { (2 * reach).max(1) };
        (x - reach..=x + reach).step_by(step as usize).map(move |x| (x, at))
    });
    rows.filter_map(in_area)
}
