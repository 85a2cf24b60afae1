//! The map of unit robots: free cells, numbered, and the steps between them.

use crate::clone_fields::clone_fields;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::model::State;
use wheelbase_planner::{Heading, MovementTables, Pose};

/// Number of a blocked cell.
pub(super) const BLOCKED: u32 = u32::MAX;

/// The map. Cells are indexed in rows of `stride`, with a blocked cell after each row and a blocked row above and
/// below. So a step off the map ends on a blocked cell. Free cells have numbers too, in the same order.
#[derive(Debug)]
pub(super) struct UnitMap {
    /// Cells of a row, with the blocked one after it.
    pub stride: u32,
    size: GridSize,
    /// Number of each cell among the free ones; [`BLOCKED`].
    free: Vec<u32>,
    /// Bit `heading`: a robot may step forward from the cell at that heading.
    open: Vec<u8>,
    /// By number and heading: number of the cell from which a step at that heading leads here; [`BLOCKED`].
    behind: Vec<[u32; 4]>,
    /// By number: the column.
    columns: Vec<u32>,
    /// By row, and one more: the first number in the row or after it.
    rows: Vec<u32>,
    n_free: usize,
}

clone_fields!(UnitMap { stride, size, free, open, behind, columns, rows, n_free });

/// Position of a free cell: its column, and the numbers of the free cells of its row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    column: u32,
    first: u32,
    end: u32,
}

impl UnitMap {
    /// The map of a class of unit robots, given its primitives: the step forward first. Where an edit has made moves
    /// longer than the initial one tick, cells count as blocked.
    pub fn new(tables: &MovementTables, primitives: [usize; 3]) -> Self {
        let space = tables.space();
        let size = space.size();
        let stride = size.width() + 1;
        let n_cells = stride as usize * (size.height() as usize + 2) + 1;
        let mut map = Self {
            stride,
            size,
            free: vec![BLOCKED; n_cells],
            open: vec![0; n_cells],
            behind: Vec::new(),
            columns: Vec::new(),
            rows: Vec::with_capacity(size.height() as usize + 1),
            n_free: 0,
        };
        for cell in size.rect().cells() {
            let index = map.index(cell) as usize;
            if cell.x == 0 {
                map.rows.push(map.n_free as u32);
            }
            for heading in 0..4 {
                let state = space.state(Pose { cell, heading: Heading(heading) });
                let is_slow = |state| {
                    let mut turns = primitives[1..].iter().filter_map(|&turn| tables.move_ticks(state, turn));
                    turns.any(|ticks| ticks > 1)
                };
                let is_free = |&state: &State| tables.is_legal(state) && !is_slow(state);
                let Some(state) = state.filter(is_free) else { continue };
                if map.free[index] == BLOCKED {
                    map.free[index] = map.n_free as u32;
                    map.columns.push(cell.x as u32);
                    map.n_free += 1;
                }
                map.open[index] |= u8::from(tables.move_ticks(state, primitives[0]) == Some(1)) << heading;
            }
        }
        map.rows.push(map.n_free as u32);
        map.behind = vec![[BLOCKED; 4]; map.n_free];
        for index in 0..n_cells {
            let from = map.free[index];
            let open = map.open[index];
            for heading in (0..4_u8).filter(|heading| open >> heading & 1 != 0) {
                let to = map.free[map.ahead(index as u32, heading) as usize];
                match map.behind.get_mut(to as usize) {
                    Some(behind) => behind[usize::from(heading)] = from,
                    None => map.open[index] &= !(1 << heading),
                }
            }
        }
        map
    }

    /// Number of cells, blocked ones included.
    pub fn n_cells(&self) -> usize {
        self.free.len()
    }

    /// Number of free cells.
    pub fn n_free(&self) -> usize {
        self.n_free
    }

    /// Index of a cell of the map.
    pub fn index(&self, cell: CellXY) -> u32 {
        (cell.y as u32 + 1) * self.stride + cell.x as u32
    }

    /// Number of a cell among the free ones; [`BLOCKED`].
    pub fn number(&self, index: u32) -> u32 {
        self.free[index as usize]
    }

    /// Number of a cell among the free ones; `None` if it is blocked or off the map.
    pub fn number_at(&self, cell: CellXY) -> Option<u32> {
        let number = self.size.contains(cell).then(|| self.number(self.index(cell)))?;
        (number != BLOCKED).then_some(number)
    }

    /// Whether a robot may step forward from a cell.
    pub fn is_open(&self, index: u32, heading: u8) -> bool {
        self.open[index as usize] >> heading & 1 != 0
    }

    /// The cell ahead.
    pub fn ahead(&self, index: u32, heading: u8) -> u32 {
        match heading {
            0 => index + 1,
            1 => index - self.stride,
            2 => index - 1,
            _ => index + self.stride,
        }
    }

    /// The free cell from which a step at a heading leads to this one; [`BLOCKED`] if there is none.
    pub fn behind(&self, number: u32, heading: u32) -> u32 {
        self.behind[number as usize][heading as usize]
    }

    /// Manhattan distance between two cells, by index.
    pub fn distance(&self, one: u32, other: u32) -> u32 {
        let xy = |index: u32| (index % self.stride, index / self.stride);
        let ((x, y), (to_x, to_y)) = (xy(one), xy(other));
        x.abs_diff(to_x) + y.abs_diff(to_y)
    }

    /// Position of a free cell.
    pub fn position(&self, number: u32) -> Position {
        let row = self.rows.partition_point(|&first| first <= number);
        Position { column: self.columns[number as usize], first: self.rows[row - 1], end: self.rows[row] }
    }

    /// Whether the cell from which a step at a heading leads to this one is farther from a position than this one, by
    /// Manhattan distance.
    #[inline]
    pub fn leads_away(&self, number: u32, heading: u32, from: Position) -> bool {
        match heading {
            0 => self.columns[number as usize] <= from.column,
            1 => number >= from.first,
            2 => self.columns[number as usize] >= from.column,
            _ => number < from.end,
        }
    }
}
