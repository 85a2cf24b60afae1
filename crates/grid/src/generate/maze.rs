//! Corridors by a randomised depth-first search.

use super::SplitMix64;
use super::canvas::{Canvas, GROUND, OUT};
use super::span::{Span, cut};
use crate::{Rect, Side};

/// Least, usual and greatest width of a corridor. Most are 4 cells wide: there a 3x5 body can turn at
/// a bend, in 3 cells it can only pass straight on.
const CORRIDOR: (i32, i32, i32) = (3, 4, 4);
/// How many of a thousand walls the search left standing are opened all the same, which makes loops.
const LOOPS_PERMILLE: u32 = 60;

pub(super) fn draw(canvas: &mut Canvas, random: &mut SplitMix64) {
    let (width, height) = canvas.lengths();
    let maze = Maze { columns: cut(random, width, 1, CORRIDOR), rows: cut(random, height, 1, CORRIDOR) };
    canvas.fill(canvas.rect(), OUT);
    for row in &maze.rows {
        for column in &maze.columns {
            canvas.fill(column.rect(*row), GROUND);
        }
    }
    carve_tree(canvas, random, &maze);
    carve_loops(canvas, random, &maze);
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

    /// The node next to `node` on that side, if there is one.
    fn neighbour(&self, node: u32, side: Side) -> Option<u32> {
        let n_columns = self.columns.len() as i32;
        let (column, row) = (node as i32 % n_columns, node as i32 / n_columns);
        let (dx, dy) = side.step();
        let (column, row) = (column + dx, row + dy);
        let inside = (0..n_columns).contains(&column) && (0..self.rows.len() as i32).contains(&row);
        inside.then(|| (row * n_columns + column) as u32)
    }

    /// The wall on that side of a node.
    fn wall(&self, node: u32, side: Side) -> Rect {
        let column = self.columns[node as usize % self.columns.len()];
        let row = self.rows[node as usize / self.columns.len()];
        match side {
            Side::East => Span::new(column.end(), 1).rect(row),
            Side::North => column.rect(Span::new(row.start - 1, 1)),
            Side::West => Span::new(column.start - 1, 1).rect(row),
            Side::South => column.rect(Span::new(row.end(), 1)),
        }
    }
}

/// Opens walls along a random depth-first search, so that exactly one way leads from any node to any
/// other.
fn carve_tree(canvas: &mut Canvas, random: &mut SplitMix64, maze: &Maze) {
    let mut reached = vec![false; maze.n_nodes()];
    let first = random.below(maze.n_nodes() as u32);
    reached[first as usize] = true;
    let mut trail = vec![first];
    while let Some(&node) = trail.last() {
        let mut ways = [(Side::East, 0); 4];
        let mut n_ways = 0;
        for side in Side::ALL {
            if let Some(next) = maze.neighbour(node, side).filter(|&next| !reached[next as usize]) {
                ways[n_ways] = (side, next);
                n_ways += 1;
            }
        }
        if n_ways == 0 {
            trail.pop();
            continue;
        }
        let (side, next) = ways[random.below(n_ways as u32) as usize];
        canvas.fill(maze.wall(node, side), GROUND);
        reached[next as usize] = true;
        trail.push(next);
    }
}

fn carve_loops(canvas: &mut Canvas, random: &mut SplitMix64, maze: &Maze) {
    for node in 0..maze.n_nodes() as u32 {
        for side in [Side::East, Side::South] {
            let wall = maze.wall(node, side);
            let closed = maze.neighbour(node, side).is_some() && !canvas.is_ground(wall);
            if closed && random.chance(LOOPS_PERMILLE) {
                canvas.fill(wall, GROUND);
            }
        }
    }
    // Where all four walls about a post are open now, it goes too: that makes a small place to turn.
    for row in &maze.rows {
        for column in &maze.columns {
            let (x, y) = (column.end(), row.end());
            if [(1, 0), (0, -1), (-1, 0), (0, 1)]
                .iter()
                .all(|(dx, dy)| canvas.at(x + dx, y + dy) == Some(GROUND))
            {
                canvas.put(x, y, GROUND);
            }
        }
    }
}
