//! Gates: short lines of cells from one wall to another, across doors, bridges and lanes.

use crate::free_cells::{find_free, smallest_bodies};
use crate::motion::sides;
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// No gate.
pub(crate) const NONE: u32 = u32::MAX;
/// Gates are narrower than so many of the widest bodies side by side. Of four a wide door that stands beside
/// narrow ones is one still.
const BODIES_WIDE: u32 = 4;
/// A line is no gate where a narrower one lies so near before or behind it, in longest sides of bodies.
const BODIES_APART: u32 = 2;

/// The gates of a map: no cell is in two of them. Memory: 4 bytes a cell.
#[derive(Debug)]
pub(crate) struct Gates {
    size: GridSize,
    of_cell: Vec<u32>,
    /// Cells of each.
    pub widths: Vec<u32>,
    /// All cells, with the number of the gate.
    pub cells: Vec<(CellXY, u32)>,
}

/// A line of free cells from wall to wall, along a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    width: u32,
    y: i32,
    x: i32,
    upright: bool,
}

impl Line {
    fn cells(self) -> impl Iterator<Item = CellXY> {
        let (dx, dy) = if self.upright { (0, 1) } else { (1, 0) };
        (0..self.width as i32).map(move |at| CellXY::new(self.x + at * dx, self.y + at * dy))
    }
}

impl Gates {
    /// The gates for agents of some classes. Linear in the cells of the map, and in those that lie before and
    /// behind gates.
    pub fn find(size: GridSize, tables: &[MovementTables]) -> Self {
        let mut gates =
            Self { size, of_cell: vec![NONE; size.n_cells()], widths: Vec::new(), cells: Vec::new() };
        let Some(smallest) = smallest_bodies(tables) else { return gates };
        let mut free = BitGrid::new(size);
        find_free(&mut free, smallest, size.rect());
        let sides: Vec<(u32, u32)> = tables.iter().map(sides).collect();
        let widest = sides.iter().map(|&(short, _)| short).max().unwrap_or(1);
        let longest = sides.iter().map(|&(_, long)| long).max().unwrap_or(1);
        // The narrowest come first: what lies before and behind a door is no gate of its own.
        let mut lines = lines_of(&free, BODIES_WIDE * widest - 1);
        lines.sort_unstable();
        let mut near = [BitGrid::new(size), BitGrid::new(size)];
        for line in lines {
            let near = &mut near[usize::from(line.upright)];
            if line.cells().all(|cell| !near.get(cell) && gates.at(cell) == NONE) {
                gates.add(line);
                note_near(near, &free, line, BODIES_APART * longest);
            }
        }
        gates
    }

    fn add(&mut self, line: Line) {
        let number = self.widths.len() as u32;
        self.widths.push(line.width);
        for cell in line.cells() {
            self.of_cell[cell.y as usize * self.size.width() as usize + cell.x as usize] = number;
            self.cells.push((cell, number));
        }
    }

    /// The gate that a cell lies in; [`NONE`] if in none.
    #[inline]
    pub fn at(&self, cell: CellXY) -> u32 {
        self.size.cell(cell).map_or(NONE, |cell| self.of_cell[cell.0 as usize])
    }
}

/// Notes the free cells in sight of a line, up to so far before and behind it.
fn note_near(near: &mut BitGrid, free: &BitGrid, line: Line, apart: u32) {
    let (dx, dy) = if line.upright { (1, 0) } else { (0, 1) };
    for cell in line.cells() {
        near.set(cell, true);
        for side in [-1, 1] {
            let ahead = |at| CellXY::new(cell.x + side * at * dx, cell.y + side * at * dy);
            (1..=apart as i32).map(ahead).take_while(|&cell| free.get(cell)).for_each(|cell| {
                near.set(cell, true);
            });
        }
    }
}

/// The lines of free cells up to a width that are as long as they can be.
fn lines_of(free: &BitGrid, width_max: u32) -> Vec<Line> {
    let Rect { width, height, .. } = free.size().rect();
    let mut lines = Vec::new();
    let mut gather = |along: u32, upright: bool, number: i32| {
        let cell_at = |at: i32| if upright { CellXY::new(number, at) } else { CellXY::new(at, number) };
        let mut from = 0;
        for to in 0..=along as i32 {
            if to < along as i32 && free.get(cell_at(to)) {
                continue;
            }
            let line_width = (to - from) as u32;
            if (1..=width_max).contains(&line_width) {
                let CellXY { x, y } = cell_at(from);
                lines.push(Line { width: line_width, y, x, upright });
            }
            from = to + 1;
        }
    };
    (0..height as i32).for_each(|y| gather(width, false, y));
    (0..width as i32).for_each(|x| gather(height, true, x));
    lines
}
