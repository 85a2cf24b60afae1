//! Narrow passages of a map: doors, bridges and lanes where two agents cannot pass each other.
//!
//! A cell is narrow where the free cells in a row or a column through it are too few for two of the widest
//! bodies side by side; narrow cells that touch are one passage. After an edit of the map the passages near it
//! are found anew, as they would be on a new map.

use crate::free_cells::{find_free, grown, smallest_bodies};
use std::collections::BTreeSet;
use wheelbase_grid::{BitGrid, CellXY, GridShape, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// No passage.
pub const OPEN: u32 = u32::MAX;

/// How large a passage is; without cells it is no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CorridorShape {
    pub width: u32,
    pub n_cells: u32,
}

/// A passage that an edit has made, of those of before that have cells in it.
#[derive(Clone, Debug)]
pub struct Made {
    pub number: u32,
    pub width: u32,
    /// In order.
    pub before: Vec<u32>,
}

/// The passages of a map, by number. Memory: 4.5 bytes a cell.
#[derive(Debug)]
pub struct CorridorMap {
    pub size: GridSize,
    pub shape: GridShape,
    pub of_cell: Vec<u32>,
    pub shapes: Vec<CorridorShape>,
    /// Numbers of passages that are no more, to be given again.
    pub spare: Vec<u32>,
    /// Passages that the last edits have changed or done away with, in order; and those that they have made.
    pub altered: Vec<u32>,
    pub made: Vec<Made>,
    /// Two of the widest bodies side by side, in cells.
    pub pair: u32,
    /// Cells of a passage, and of its longer side, at most.
    pub cells_max: usize,
    pub side_max: u32,
    /// Cells that the smallest body can cover.
    pub free: BitGrid,
    /// Cells where free cells are too few for a pair.
    pub narrow: BitGrid,
    /// Scratch memory: cells looked at for the last area, and of these the cells of what is too large.
    pub seen: BitGrid,
    pub large: BitGrid,
}

/// A passage found for an area: its cells are `cells[first..][..count]`.
pub struct Found {
    pub first: usize,
    pub count: usize,
    pub width: u32,
    /// Passages of before that have cells in it, in order.
    pub before: Vec<u32>,
    /// It is the one of before, cell by cell, and as wide.
    pub is_same: bool,
}

impl CorridorMap {
    /// A map on which no passages have been found yet, for agents of some classes with the shortest and longest side
    /// of their bodies, and passages of so many cells, and cells of the longer side, at most.
    pub fn new(
        size: GridSize,
        tables: &[MovementTables],
        sides: &[(u32, u32)],
        (cells_max, side_max): (u32, u32),
    ) -> Self {
        let bits = || BitGrid::new(size);
        Self {
            size,
            shape: tables.first().map_or(GridShape::Square, |tables| tables.space().shape()),
            of_cell: vec![OPEN; size.n_cells()],
            shapes: Vec::new(),
            spare: Vec::new(),
            altered: Vec::new(),
            made: Vec::new(),
            pair: 2 * sides.iter().map(|&(short, _)| short).max().unwrap_or(1),
            cells_max: cells_max as usize,
            side_max,
            free: bits(),
            narrow: bits(),
            seen: bits(),
            large: bits(),
        }
    }

    /// Finds the passages anew about areas of the map that were edited, and notes in `altered` and `made` what has
    /// become of them. Linear in the cells of the areas, of what lies within a few bodies of them, and of the
    /// passages there.
    pub fn follow_edits(&mut self, tables: &[MovementTables], edited: &[Rect]) {
        self.altered.clear();
        self.made.clear();
        let Some(tables) = smallest_bodies(tables) else { return };
        let areas: Vec<Rect> = edited.iter().map(|&area| find_free(&mut self.free, tables, area)).collect();
        let areas = areas.into_iter().filter(|area| !area.is_empty());
        // A cell's width depends on free cells so far off; and a passage on the next cells.
        let areas: Vec<Rect> = areas.map(|area| grown(area, self.pair, self.size)).collect();
        areas.iter().for_each(|&area| self.find_narrow(area));
        self.find_corridors(&areas);
    }

    /// Finds the narrow cells of an area anew: those in runs of free cells, along a row or a column, that are
    /// shorter than a pair.
    pub fn find_narrow(&mut self, area: Rect) {
        let Self { free, narrow, pair, size, .. } = self;
        narrow.fill(area, false);
        // Shorter runs that come into the area end before they leave this.
        let wide = grown(area, *pair, *size);
        let mut guide_path = |length: u32, cell_at: &dyn Fn(i32) -> CellXY| {
            let mut from = 0;
            for to in 0..=length as i32 {
                if to < length as i32 && free.get(cell_at(to)) {
                    continue;
                }
                if to - from < *pair as i32 {
                    (from..to).map(cell_at).filter(|&cell| area.contains(cell)).for_each(|cell| {
                        narrow.set(cell, true);
                    });
                }
                from = to + 1;
            }
        };
        for y in area.y..area.y + area.height as i32 {
            guide_path(wide.width, &|at| CellXY::new(wide.x + at, y));
        }
        for x in area.x..area.x + area.width as i32 {
            guide_path(wide.height, &|at| CellXY::new(x, wide.y + at));
        }
    }

    /// Joins the narrow cells that touch, of areas and all that touch these, to passages, those too large
    /// left out. What is there already keeps its number. Notes what has become of which.
    pub fn find_corridors(&mut self, areas: &[Rect]) {
        let size = self.size;
        // A passage that changes only where it touches an area has a cell beside it.
        let of_areas = || areas.iter().flat_map(move |&area| grown(area, 1, size).cells());
        let mut cells: Vec<CellXY> = Vec::new();
        let mut large: Vec<CellXY> = Vec::new();
        let mut found: Vec<Found> = Vec::new();
        for first in of_areas() {
            if !self.narrow.get(first) || self.seen.get(first) {
                continue;
            }
            let begin = cells.len();
            if self.join(first, &mut cells) {
                found.push(self.compare(&cells, begin));
            } else {
                cells[begin..].iter().for_each(|&cell| self.large.set(cell, true));
                large.extend(cells.drain(begin..));
            }
        }
        for &cell in cells.iter().chain(&large) {
            self.seen.set(cell, false);
            self.large.set(cell, false);
        }
        // What is as it was stays; the others give up their cells.
        let same: Vec<u32> = found
            .iter()
            .filter(|found| found.is_same)
            .filter_map(|found| found.before.first().copied())
            .collect();
        let mut before: BTreeSet<u32> = BTreeSet::new();
        for cell in of_areas() {
            let number = self.at_anchor(cell);
            if number != OPEN && !same.contains(&number) {
                self.unmark(cell, number);
                before.insert(number);
                self.shapes[number as usize] = CorridorShape::default();
            }
        }
        self.altered.extend(&before);
        found.retain(|found| !found.is_same);
        let mut spare: Vec<u32> = before.iter().copied().rev().collect();
        for found in found {
            let own = found.before.iter().copied().find(|number| spare.contains(number));
            spare.retain(|&number| Some(number) != own);
            let number = own.or_else(|| self.spare.pop()).unwrap_or(self.shapes.len() as u32);
            let cells = &cells[found.first..][..found.count];
            for &CellXY { x, y } in cells {
                self.of_cell[y as usize * self.size.width() as usize + x as usize] = number;
            }
            self.shapes.resize(self.shapes.len().max(number as usize + 1), CorridorShape::default());
            self.shapes[number as usize] = CorridorShape { width: found.width, n_cells: found.count as u32 };
            self.made.push(Made { number, width: found.width, before: found.before });
        }
        self.spare.extend(spare);
    }

    /// Adds a narrow cell and all that are joined to it; says whether they are few enough for a passage.
    pub fn join(&mut self, first: CellXY, cells: &mut Vec<CellXY>) -> bool {
        let mut at = cells.len();
        let begin = at;
        let mut bounds = Rect::new(first.x, first.y, 1, 1);
        cells.push(first);
        self.seen.set(first, true);
        while let Some(&cell) = cells.get(at) {
            at += 1;
            for &side in self.shape.sides() {
                let cell = self.shape.neighbour(cell, side);
                if !self.narrow.get(cell) {
                    continue;
                }
                // It is a part of what was found to be too large.
                if self.large.get(cell) {
                    return false;
                }
                if !self.seen.get(cell) {
                    self.seen.set(cell, true);
                    cells.push(cell);
                    bounds = bounds.union(Rect::new(cell.x, cell.y, 1, 1));
                }
            }
            let side = bounds.width.max(bounds.height);
            if cells.len() - begin > self.cells_max || side > self.side_max {
                return false;
            }
        }
        true
    }

    /// A passage of the cells from `first` on, beside those of before.
    pub fn compare(&self, cells: &[CellXY], first: usize) -> Found {
        let cells = &cells[first..];
        let mut before: Vec<u32> = cells.iter().map(|&cell| self.at_anchor(cell)).collect();
        before.sort_unstable();
        before.dedup();
        let width = cells.iter().map(|&cell| self.width_of(cell)).min().unwrap_or(0);
        let is_same = matches!(before[..], [one] if one != OPEN && {
            self.shapes[one as usize] == CorridorShape { width, n_cells: cells.len() as u32 }
        });
        before.retain(|&number| number != OPEN);
        Found { first, count: cells.len(), width, before, is_same }
    }

    /// Takes back the number of a passage from a cell and all of its cells that are joined to it.
    pub fn unmark(&mut self, first: CellXY, number: u32) {
        let mut cells = vec![first];
        while let Some(cell) = cells.pop() {
            if self.at_anchor(cell) != number {
                continue;
            }
            self.of_cell[cell.y as usize * self.size.width() as usize + cell.x as usize] = OPEN;
            cells.extend(self.shape.sides().iter().map(|&side| self.shape.neighbour(cell, side)));
        }
    }

    /// The shorter one of the runs of free cells through a narrow cell, along its row and its column.
    pub fn width_of(&self, cell: CellXY) -> u32 {
        let run = |dx: i32, dy: i32| {
            let free =
                |at: &u32| self.free.get(CellXY::new(cell.x + dx * *at as i32, cell.y + dy * *at as i32));
            (1..=self.pair).take_while(free).count() as u32
        };
        (1 + run(1, 0) + run(-1, 0)).min(1 + run(0, 1) + run(0, -1))
    }

    /// Whether the last edits have changed a passage, or done away with it.
    pub fn is_altered(&self, corridor: u32) -> bool {
        self.altered.binary_search(&corridor).is_ok()
    }

    /// The passage that a cell lies in; [`OPEN`] if in none.
    #[inline]
    pub fn at(&self, cell: usize) -> u32 {
        self.of_cell[cell]
    }

    /// The passage under an anchor; [`OPEN`] if there is none.
    pub fn at_anchor(&self, anchor: CellXY) -> u32 {
        self.size.cell(anchor).map_or(OPEN, |cell| self.of_cell[cell.0 as usize])
    }
}
