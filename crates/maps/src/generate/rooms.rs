//! Rooms behind walls one cell thick.

use super::canvas::{Canvas, GROUND, OUT};
use super::span::{Span, cut};
use super::union_find::UnionFind;
use wheelbase_grid::{Rect, SplitMix64};

/// Least, usual and greatest length of a room.
const ROOM: (i32, i32, i32) = (12, 16, 20);

/// Two rooms side by side, by number, and the wall between them: one cell thick and as long as they
/// have in common.
struct Wall {
    rooms: (u32, u32),
    cells: Rect,
}

pub(super) fn draw(canvas: &mut Canvas, random: &mut SplitMix64) {
    let (width, height) = canvas.lengths();
    let columns = cut(random, width, 1, ROOM);
    let rows = cut(random, height, 1, ROOM);
    canvas.fill(canvas.rect(), OUT);
    for row in &rows {
        for column in &columns {
            canvas.fill(column.rect(*row), GROUND);
        }
    }
    let mut walls = walls_between(&columns, &rows);
    // Kruskal's algorithm over walls in random order leaves a random tree of doors: every room can be
    // reached, and the doors past the tree are what makes one route better than another.
    random.shuffle(&mut walls);
    let mut reached = UnionFind::new(columns.len() * rows.len());
    for wall in &walls {
        let needed = reached.join(wall.rooms.0, wall.rooms.1);
        if needed || random.chance(400) {
            cut_door(canvas, random, wall.cells);
        }
    }
}

/// The walls between neighbours of a grid of rooms, which are numbered row by row.
fn walls_between(columns: &[Span], rows: &[Span]) -> Vec<Wall> {
    let mut walls = Vec::with_capacity(2 * columns.len() * rows.len());
    for (at_row, row) in rows.iter().enumerate() {
        for (at_column, column) in columns.iter().enumerate() {
            let room = (at_row * columns.len() + at_column) as u32;
            if at_column + 1 < columns.len() {
                let cells = Span::new(column.end(), 1).rect(*row);
                walls.push(Wall { rooms: (room, room + 1), cells });
            }
            if at_row + 1 < rows.len() {
                let cells = column.rect(Span::new(row.end(), 1));
                walls.push(Wall { rooms: (room, room + columns.len() as u32), cells });
            }
        }
    }
    walls
}

/// Opens 3 to 6 cells of a wall, or a tenth of the time all of it, which makes one hall of two rooms.
fn cut_door(canvas: &mut Canvas, random: &mut SplitMix64, wall: Rect) {
    let upright = wall.width == 1 && wall.height > 1;
    let (start, length) = if upright { (wall.y, wall.height) } else { (wall.x, wall.width) };
    let whole = Span::new(start, length as i32);
    // Not right at the corner of a room, if there is room beside it.
    let corner = if whole.length >= 10 { 2 } else { 0 };
    let door_length = random.between(3, 6);
    let door = if random.chance(100) {
        whole
    } else {
        Span::new(start + corner, whole.length - 2 * corner).part(random, door_length)
    };
    let thick = Span::new(if upright { wall.x } else { wall.y }, 1);
    canvas.fill(if upright { thick.rect(door) } else { door.rect(thick) }, GROUND);
}
