//! Mazes of corridors, by randomised depth-first search.

use super::span::{Span, SpanLengths, split_axis};
use super::terrain_builder::{GROUND, OUT, TerrainBuilder};
use wheelbase_grid::{GridShape, Rect, Side, SplitMix64};

/// Width of a corridor. A 3x5 body can take the corner of two such corridors. With 3 cells it could not: a single
/// corridor of that width would divide the maze for it.
const CORRIDOR: i32 = 4;
/// Least width of a corridor on a map without room for two of the usual width.
const CORRIDOR_MIN: i32 = 3;
/// Share of the remaining walls that are opened after the search, in thousandths. These make loops.
const LOOPS_PERMILLE: u32 = 60;

pub(super) fn draw(terrain: &mut TerrainBuilder, random: &mut SplitMix64) {
    let (width, height) = terrain.lengths();
    let maze = Maze { columns: corridors(random, width), rows: corridors(random, height) };
    terrain.fill(terrain.rect(), OUT);
    for row in &maze.rows {
        for column in &maze.columns {
            terrain.fill(column.rect(*row), GROUND);
        }
    }
    carve_tree(terrain, random, &maze);
    carve_loops(terrain, random, &maze);
    clear_posts(terrain, &maze);
}

/// The positions of corridors on an axis of `length` cells, at least one cell apart.
fn corridors(random: &mut SplitMix64, length: i32) -> Vec<Span> {
    let n_corridors = (length + 1) / (CORRIDOR + 1);
    if n_corridors < 2 {
        let lengths = SpanLengths { min: CORRIDOR_MIN, usual: CORRIDOR, max: CORRIDOR };
        return split_axis(random, length, 1, lengths);
    }
    // The remainder makes some walls thicker, including those at the border of the map.
    let mut extra_cells: Vec<i32> = vec![0; n_corridors as usize + 1];
    for left_over in 0..(length + 1) % (CORRIDOR + 1) {
        extra_cells[left_over as usize % (n_corridors as usize + 1)] += 1;
    }
    random.shuffle(&mut extra_cells);
    let mut start = 0;
    let before_corridors = extra_cells.iter().take(n_corridors as usize);
    before_corridors
        .map(|extra| {
            let corridor = Span::new(start + extra, CORRIDOR);
            start = corridor.end() + 1;
            corridor
        })
        .collect()
}

/// The nodes of a maze: intersections of a column and a row of corridors. A node has the number
/// `row * columns + column`.
struct Maze {
    columns: Vec<Span>,
    rows: Vec<Span>,
}

impl Maze {
    fn n_nodes(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// The neighbour of a node on a side, and the wall between them; `None` at the border.
    fn next(&self, node: u32, side: Side) -> Option<(u32, Rect)> {
        let n_columns = self.columns.len() as i32;
        let (column, row) = (node as i32 % n_columns, node as i32 / n_columns);
        let (dx, dy) = GridShape::Square.step(side, 0);
        let (next_column, next_row) = (column + dx, row + dy);
        let inside = (0..n_columns).contains(&next_column) && (0..self.rows.len() as i32).contains(&next_row);
        inside.then(|| {
            let columns = between(self.columns[column as usize], self.columns[next_column as usize]);
            let rows = between(self.rows[row as usize], self.rows[next_row as usize]);
            ((next_row * n_columns + next_column) as u32, columns.rect(rows))
        })
    }
}

/// The span between two spans; the span itself if both are equal.
fn between(a: Span, b: Span) -> Span {
    if a == b {
        return a;
    }
    let start = a.end().min(b.end());
    Span::new(start, a.start.max(b.start) - start)
}

/// Opens walls along a random depth-first search: exactly one path joins any two nodes.
fn carve_tree(terrain: &mut TerrainBuilder, random: &mut SplitMix64, maze: &Maze) {
    let mut reached = vec![false; maze.n_nodes()];
    let first = random.below(maze.n_nodes() as u32);
    reached[first as usize] = true;
    let mut trail = vec![first];
    while let Some(&node) = trail.last() {
        let mut unreached = [None; 4];
        let mut n_unreached = 0;
        for side in Side::SQUARE {
            let next = maze.next(node, side).filter(|&(next, _)| !reached[next as usize]);
            if next.is_some() {
                unreached[n_unreached] = next;
                n_unreached += 1;
            }
        }
        if n_unreached == 0 {
            trail.pop();
            continue;
        }
        if let Some((next, wall)) = unreached[random.below(n_unreached as u32) as usize] {
            terrain.fill(wall, GROUND);
            reached[next as usize] = true;
            trail.push(next);
        }
    }
}

fn carve_loops(terrain: &mut TerrainBuilder, random: &mut SplitMix64, maze: &Maze) {
    for node in 0..maze.n_nodes() as u32 {
        for side in [Side::East, Side::South] {
            let Some((_, wall)) = maze.next(node, side) else { continue };
            if !terrain.is_ground(wall) && random.chance(LOOPS_PERMILLE) {
                terrain.fill(wall, GROUND);
            }
        }
    }
}

/// Removes each corner post without walls on its four sides, which leaves a small square.
fn clear_posts(terrain: &mut TerrainBuilder, maze: &Maze) {
    for node in 0..maze.n_nodes() as u32 {
        let (Some((east, wall_east)), Some((south, wall_south))) =
            (maze.next(node, Side::East), maze.next(node, Side::South))
        else {
            continue;
        };
        let far = [maze.next(east, Side::South), maze.next(south, Side::East)];
        let near_open = terrain.is_ground(wall_east) && terrain.is_ground(wall_south);
        if near_open && far.into_iter().flatten().all(|(_, wall)| terrain.is_ground(wall)) {
            terrain.fill(Rect::new(wall_east.x, wall_south.y, wall_east.width, wall_south.height), GROUND);
        }
    }
}
