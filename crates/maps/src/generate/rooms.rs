//! Rooms behind walls one cell thick.

use super::span::{Span, SpanLengths, split_axis};
use super::terrain_builder::{GROUND, OUT, TerrainBuilder};
use super::union_find::UnionFind;
use wheelbase_grid::{Rect, SplitMix64};

/// Lengths of rooms.
const ROOM: SpanLengths = SpanLengths { min: 12, usual: 16, max: 20 };

/// A wall between two adjacent rooms: one cell thick, as long as their common side.
struct Wall {
    /// Numbers of the rooms.
    rooms: [u32; 2],
    cells: Rect,
}

pub(super) fn draw(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    let (width, height) = terrain.lengths();
    let columns = split_axis(random, width, 1, ROOM);
    let rows = split_axis(random, height, 1, ROOM);
    terrain.fill(terrain.rect(), OUT);
    for row in &rows {
        for column in &columns {
            terrain.fill(column.rect(*row), GROUND);
        }
    }
    let mut walls = walls_between(&columns, &rows);
    // Kruskal's algorithm over walls in random order gives a random spanning tree of doors, so that every room is
    // reachable. Further doors make some routes better than others.
    random.shuffle(&mut walls);
    let mut reached = UnionFind::new(columns.len() * rows.len());
    for wall in &walls {
        let [a, b] = wall.rooms;
        let needed = reached.join(a, b);
        if needed || random.chance(400) {
            cut_door(terrain, random, wall.cells);
        }
    }
}

/// The walls between the adjacent rooms of a grid, numbered row by row.
fn walls_between(columns: &[Span], rows: &[Span]) -> Vec<Wall> {
    let mut walls = Vec::with_capacity(2 * columns.len() * rows.len());
    for (at_row, row) in rows.iter().enumerate() {
        for (at_column, column) in columns.iter().enumerate() {
            let room = (at_row * columns.len() + at_column) as u32;
            if at_column + 1 < columns.len() {
                let cells = Span::new(column.end(), 1).rect(*row);
                walls.push(Wall { rooms: [room, room + 1], cells });
            }
            if at_row + 1 < rows.len() {
                let cells = column.rect(Span::new(row.end(), 1));
                walls.push(Wall { rooms: [room, room + columns.len() as u32], cells });
            }
        }
    }
    walls
}

/// Opens 3 to 6 cells of a wall, or, one time in ten, all of it, which joins the rooms to a hall.
fn cut_door(terrain: &mut TerrainBuilder, random: &mut SplitMix64, wall: Rect) {
    let is_vertical = wall.width == 1 && wall.height > 1;
    let (start, length) = if is_vertical { (wall.y, wall.height) } else { (wall.x, wall.width) };
    let whole = Span::new(start, length as i32);
    // Away from the corners of the room, if the wall is long enough.
    let corner = if whole.length >= 10 { 2 } else { 0 };
    let door_length = random.between(3, 6);
    let door = if random.chance(100) {
        whole
    } else {
        Span::new(start + corner, whole.length - 2 * corner).part(random, door_length)
    };
    let thick = Span::new(if is_vertical { wall.x } else { wall.y }, 1);
    terrain.fill(if is_vertical { thick.rect(door) } else { door.rect(thick) }, GROUND);
}
