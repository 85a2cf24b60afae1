//! Whether a move keeps inside the window of a request and off its obstacles.

use crate::model::pose::Pose;
use crate::search::request::Request;
use crate::tables::MovementTables;
use wheelbase_grid::{BitGrid, CellXY, Rect};

/// So many cells of a sweep are looked at one by one.
const CELLS_FEW: usize = 6;

/// Whether a legal move sweeps no cell outside the request's window and none of its obstacles.
#[inline]
pub(crate) fn is_free(tables: &MovementTables, request: &Request<'_>, pose: Pose, primitive: usize) -> bool {
    let CellXY { x, y } = pose.cell;
    let shape = tables.class().shape_at(pose, primitive);
    let (low, high) = shape.bounds;
    let inside = |window: Rect| {
        window.contains(CellXY::new(x + low.dx, y + low.dy))
            && window.contains(CellXY::new(x + high.dx, y + high.dy))
    };
    let free = |obstacles: &BitGrid| {
        // Around most moves there are none: of many cells that is told sooner for all of a row at once.
        let (width, height) = ((high.dx - low.dx) as u32 + 1, (high.dy - low.dy) as u32 + 1);
        let around = Rect::new(x + low.dx, y + low.dy, width, height);
        (shape.swept.len() > CELLS_FEW && !obstacles.any_in(around))
            || shape.swept.iter().all(|offset| !obstacles.get(CellXY::new(x + offset.dx, y + offset.dy)))
    };
    // The body's rectangle and the obstacles', apart along one of the axes.
    let clear = request.obstacle_area.is_some_and(|area| {
        let (right, bottom) = (area.x + area.width as i32, area.y + area.height as i32);
        x + high.dx < area.x || x + low.dx >= right || y + high.dy < area.y || y + low.dy >= bottom
    });
    request.window.is_none_or(inside) && (clear || request.obstacles.is_none_or(free))
}
