//! Gates: short runs of free cells from wall to wall, across doors, bridges and lanes.

use crate::free_cells::{find_free, smallest_bodies};
use crate::motion::sides;
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// Number of a gate where there is none.
pub const NO_GATE: u32 = u32::MAX;
/// Gates are narrower than this many of the widest bodies side by side. With 4, a wide door next to narrow ones is
/// still one.
const BODIES_WIDE: u32 = 4;
/// A run is no gate if a narrower one lies within this many of the longest bodies before or behind it.
const BODIES_APART: u32 = 2;

/// The gates of a map. No cell is in two of them. Memory: 4 bytes per cell.
#[derive(Debug)]
pub struct Gates {
    size: GridSize,
    of_cell: Vec<u32>,
    /// Number of cells of each gate.
    pub widths: Vec<u32>,
    /// All cells of gates, each with the number of its gate.
    pub cells: Vec<(CellXY, u32)>,
}

/// A run of free cells from wall to wall, along a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    width: u32,
    y: i32,
    x: i32,
    upright: bool,
}

impl Run {
    fn cells(self) -> impl Iterator<Item = CellXY> {
        let (dx, dy) = if self.upright { (0, 1) } else { (1, 0) };
        (0..self.width as i32).map(move |at| CellXY::new(self.x + at * dx, self.y + at * dy))
    }
}

impl Gates {
    /// The gates for agents of some classes. Linear in the cells of the map, and in those before and behind gates.
    pub fn find(size: GridSize, tables: &[MovementTables]) -> Self {
        let mut gates =
            Self { size, of_cell: vec![NO_GATE; size.n_cells()], widths: Vec::new(), cells: Vec::new() };
        let Some(smallest) = smallest_bodies(tables) else { return gates };
        let mut free = BitGrid::new(size);
        find_free(&mut free, smallest, size.rect());
        let sides: Vec<(u32, u32)> = tables.iter().map(sides).collect();
        let widest = sides.iter().map(|&(short, _)| short).max().unwrap_or(1);
        let longest = sides.iter().map(|&(_, long)| long).max().unwrap_or(1);
        // The narrowest first: the runs before and behind a door are no gates.
        let mut runs = runs_of(&free, BODIES_WIDE * widest - 1);
        runs.sort_unstable();
        let mut near = [BitGrid::new(size), BitGrid::new(size)];
        for run in runs {
            let near = &mut near[usize::from(run.upright)];
            if run.cells().all(|cell| !near.get(cell) && gates.at(cell) == NO_GATE) {
                gates.add(run);
                note_near(near, &free, run, BODIES_APART * longest);
            }
        }
        gates
    }

    fn add(&mut self, run: Run) {
        let number = self.widths.len() as u32;
        self.widths.push(run.width);
        for cell in run.cells() {
            self.of_cell[cell.y as usize * self.size.width() as usize + cell.x as usize] = number;
            self.cells.push((cell, number));
        }
    }

    /// The gate of a cell; [`NO_GATE`] if it is in none.
    #[inline]
    pub fn at(&self, cell: CellXY) -> u32 {
        self.size.cell(cell).map_or(NO_GATE, |cell| self.of_cell[cell.0 as usize])
    }
}

/// Marks the free cells in sight of a run, up to `apart` cells before and behind it.
fn note_near(near: &mut BitGrid, free: &BitGrid, run: Run, apart: u32) {
    let (dx, dy) = if run.upright { (1, 0) } else { (0, 1) };
    for cell in run.cells() {
        near.set(cell, true);
        for side in [-1, 1] {
            let ahead = |at| CellXY::new(cell.x + side * at * dx, cell.y + side * at * dy);
            (1..=apart as i32).map(ahead).take_while(|&cell| free.get(cell)).for_each(|cell| {
                near.set(cell, true);
            });
        }
    }
}

/// All maximal runs of free cells up to a width.
fn runs_of(free: &BitGrid, width_max: u32) -> Vec<Run> {
    let Rect { width, height, .. } = free.size().rect();
    let mut runs = Vec::new();
    let mut gather = |along: u32, upright: bool, number: i32| {
        let cell_at = |at: i32| if upright { CellXY::new(number, at) } else { CellXY::new(at, number) };
        let mut from = 0;
        for to in 0..=along as i32 {
            if to < along as i32 && free.get(cell_at(to)) {
                continue;
            }
            let run_width = (to - from) as u32;
            if (1..=width_max).contains(&run_width) {
                let CellXY { x, y } = cell_at(from);
                runs.push(Run { width: run_width, y, x, upright });
            }
            from = to + 1;
        }
    };
    (0..height as i32).for_each(|y| gather(width, false, y));
    (0..width as i32).for_each(|x| gather(height, true, x));
    runs
}
