//! Corridors by a randomised depth-first search.

use super::canvas::{Canvas, GROUND, OUT};
use super::span::{Span, cut};
use wheelbase_grid::{GridShape, Rect, Side, SplitMix64};

/// Width of a corridor. A 3x5 body can bend round a corner of two such corridors; with 3 cells, it could
/// not, and a single corridor of that width would divide the maze for it.
const CORRIDOR: i32 = 4;
/// Least width of a corridor where the map has no room for two of the usual width.
const CORRIDOR_MIN: i32 = 3;
/// How many of a thousand walls the search left standing are opened all the same, which makes loops.
const LOOPS_PERMILLE: u32 = 60;

pub(super) fn draw(canvas: &mut Canvas, random: &mut SplitMix64) {
    let (width, height) = canvas.lengths();
    let maze = Maze { columns: corridors(random, width), rows: corridors(random, height) };
    canvas.fill(canvas.rect(), OUT);
    for row in &maze.rows {
        for column in &maze.columns {
            canvas.fill(column.rect(*row), GROUND);
        }
    }
    carve_tree(canvas, random, &maze);
    carve_loops(canvas, random, &maze);
    clear_posts(canvas, &maze);
}

/// Where corridors can run across an axis of `length` cells, at least one cell apart.
fn corridors(random: &mut SplitMix64, length: i32) -> Vec<Span> {
    let n_corridors = (length + 1) / (CORRIDOR + 1);
    if n_corridors < 2 {
        return cut(random, length, 1, (CORRIDOR_MIN, CORRIDOR, CORRIDOR));
    }
    // What is left over makes some walls thicker, those at the border of the map included.
    let mut thicker: Vec<i32> = vec![0; n_corridors as usize + 1];
    for left_over in 0..(length + 1) % (CORRIDOR + 1) {
        thicker[left_over as usize % (n_corridors as usize + 1)] += 1;
    }
    random.shuffle(&mut thicker);
    let mut start = 0;
    let before = thicker.iter().take(n_corridors as usize);
    before
        .map(|extra| {
            let corridor = Span::new(start + extra, CORRIDOR);
            start = corridor.end() + 1;
            corridor
        })
        .collect()
}

/// Where the nodes of the maze lie, each as wide and high as the corridors that meet in it; a node's
/// number is `row * columns + column`.
struct Maze {
    columns: Vec<Span>,
    rows: Vec<Span>,
}

impl Maze {
    fn n_nodes(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// The node next to `node` on that side and the wall between the two, if there is one.
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

/// What lies between two spans; the span itself where both are the same.
fn between(a: Span, b: Span) -> Span {
    if a == b {
        return a;
    }
    let start = a.end().min(b.end());
    Span::new(start, a.start.max(b.start) - start)
}

/// Opens walls along a random depth-first search, so that exactly one way leads from any node to any
/// other.
fn carve_tree(canvas: &mut Canvas, random: &mut SplitMix64, maze: &Maze) {
    let mut reached = vec![false; maze.n_nodes()];
    let first = random.below(maze.n_nodes() as u32);
    reached[first as usize] = true;
    let mut trail = vec![first];
    while let Some(&node) = trail.last() {
        let mut ways = [None; 4];
        let mut n_ways = 0;
        for side in Side::SQUARE {
            let way = maze.next(node, side).filter(|&(next, _)| !reached[next as usize]);
            if way.is_some() {
                ways[n_ways] = way;
                n_ways += 1;
            }
        }
        if n_ways == 0 {
            trail.pop();
            continue;
        }
        if let Some((next, wall)) = ways[random.below(n_ways as u32) as usize] {
            canvas.fill(wall, GROUND);
            reached[next as usize] = true;
            trail.push(next);
        }
    }
}

fn carve_loops(canvas: &mut Canvas, random: &mut SplitMix64, maze: &Maze) {
    for node in 0..maze.n_nodes() as u32 {
        for side in [Side::East, Side::South] {
            let Some((_, wall)) = maze.next(node, side) else { continue };
            if !canvas.is_ground(wall) && random.chance(LOOPS_PERMILLE) {
                canvas.fill(wall, GROUND);
            }
        }
    }
}

/// Takes away each corner post whose four walls are all open: that makes a small place.
fn clear_posts(canvas: &mut Canvas, maze: &Maze) {
    for node in 0..maze.n_nodes() as u32 {
        let (Some((east, wall_east)), Some((south, wall_south))) =
            (maze.next(node, Side::East), maze.next(node, Side::South))
        else {
            continue;
        };
        let far = [maze.next(east, Side::South), maze.next(south, Side::East)];
        let near_open = canvas.is_ground(wall_east) && canvas.is_ground(wall_south);
        if near_open && far.into_iter().flatten().all(|(_, wall)| canvas.is_ground(wall)) {
            canvas.fill(Rect::new(wall_east.x, wall_south.y, wall_east.width, wall_south.height), GROUND);
        }
    }
}
