//! Free cells: the cells that some legal pose of a class covers.

use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::model::Offset;
use wheelbase_planner::{Heading, MovementTables, Pose};

/// The tables of the class whose body covers the fewest cells.
pub fn smallest_bodies(tables: &[MovementTables]) -> Option<&MovementTables> {
    let n_cells = |tables: &&MovementTables| {
        let class = tables.class();
        class.frames().map(|frame| class.footprint().at(frame).len()).min()
    };
    tables.iter().min_by_key(n_cells)
}

/// Updates the free cells after an edit of an area; gives the bounding rectangle of the changed cells.
pub fn find_free(free: &mut BitGrid, tables: &MovementTables, edited: Rect) -> Rect {
    let (class, space, size) = (tables.class(), tables.space(), free.size());
    let reach = reach_of(tables);
    let area = area_around(tables, edited, size);
    let before: Vec<bool> = area.cells().map(|cell| free.get(cell)).collect();
    free.fill(area, false);
    for cell in area.grown(reach, size).cells() {
        for heading in 0..space.headings() {
            let pose = Pose { cell, heading: Heading(heading) };
            if !tables.is_legal_pose(pose) {
                continue;
            }
            for &Offset { dx, dy } in class.cells_at(pose) {
                let covered = CellXY::new(cell.x + dx, cell.y + dy);
                if area.contains(covered) {
                    free.set(covered, true);
                }
            }
        }
    }
    let changed = area.cells().zip(before).filter(|&(cell, before)| free.get(cell) != before);
    changed.fold(Rect::new(0, 0, 0, 0), |area, (cell, _)| area.union(Rect::new(cell.x, cell.y, 1, 1)))
}

/// The area whose free cells an edit of another area can change.
pub fn area_around(tables: &MovementTables, edited: Rect, size: GridSize) -> Rect {
    // The anchor of a body that touches the area or one of its sides is within the reach of the body and one cell.
    edited.grown(2 * reach_of(tables) + 1, size)
}

/// Columns or rows from the anchor of a body to a cell of it at most.
fn reach_of(tables: &MovementTables) -> u32 {
    let class = tables.class();
    let offsets = class.frames().flat_map(|frame| class.footprint().at(frame));
    let reach = offsets.map(|offset| offset.dx.unsigned_abs().max(offset.dy.unsigned_abs())).max();
    reach.unwrap_or(0)
}
