//! Whether a move stays inside a request's window and off its obstacles.

use crate::model::pose::Pose;
use crate::search::request::Request;
use crate::tables::MovementTables;
use wheelbase_grid::{BitGrid, CellXY, Rect};

/// Maximum number of swept cells that are tested one by one.
const CELLS_FEW: usize = 6;

/// Whether a legal move sweeps no cell outside the request's window and no obstacle.
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
        // Most moves have no obstacles nearby: for many cells, testing whole rows finds that sooner.
        let (width, height) = ((high.dx - low.dx) as u32 + 1, (high.dy - low.dy) as u32 + 1);
        let around = Rect::new(x + low.dx, y + low.dy, width, height);
        (shape.swept.len() > CELLS_FEW && !obstacles.any_in(around))
            || shape.swept.iter().all(|offset| !obstacles.get(CellXY::new(x + offset.dx, y + offset.dy)))
    };
    // The bounding boxes of the sweep and of the obstacles are disjoint along one axis.
    let clear = request.obstacle_area.is_some_and(|area| {
        let (right, bottom) = (area.x + area.width as i32, area.y + area.height as i32);
        x + high.dx < area.x || x + low.dx >= right || y + high.dy < area.y || y + low.dy >= bottom
    });
    request.window.is_none_or(inside) && (clear || request.obstacles.is_none_or(free))
}
