//! Corridors: bottlenecks of a map where two agents cannot pass each other, or hardly, such as doors, bridges and
//! lanes.
//!
//! A cell is narrow if the run of free cells through it, along its row or its column, is too short. Too short means
//! that two of the widest bodies do not fit side by side. A cell that is not narrow is tight if such a run is too short
//! for three of them (`corridor_bodies`). Narrow cells that touch form one region, and so do tight cells that touch. A
//! region is a corridor unless the way around it is short: module `way_around`. After an edit of the map the corridors
//! near it are computed again, with the result of a new map.

use crate::clone_fields::clone_fields;
use crate::cooperative::fixed::CORRIDOR_SIDE_MAX;
use crate::cooperative::way_around::WayAround;
use crate::free_cells::{find_free, smallest_bodies};
use crate::params::TrafficParams;
use std::collections::BTreeSet;
use wheelbase_grid::{BitGrid, CellXY, GridShape, GridSize, Rect};
use wheelbase_planner::MovementTables;

/// Number of a corridor where there is none.
pub(crate) const NO_CORRIDOR: u32 = u32::MAX;

/// How much room there is at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Two of the widest bodies cannot pass each other.
    Narrow,
    /// They can, but hardly if a third waits there.
    Tight,
    Open,
}

/// Size of a corridor; without cells it no longer exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CorridorShape {
    /// The shortest run of free cells across it.
    pub(crate) width: u32,
    pub(crate) n_cells: u32,
    /// The least index of its cells.
    pub(crate) first_cell: u32,
}

/// A corridor that the last edits have made.
#[derive(Clone, Debug)]
pub(crate) struct NewCorridor {
    pub(crate) number: u32,
    pub(crate) width: u32,
    /// Corridors of before that have cells in it, ascending.
    pub(crate) before: Vec<u32>,
}

/// The corridors of a map, by number. Memory: 4.9 bytes per cell.
#[derive(Debug)]
pub(crate) struct CorridorMap {
    pub(crate) size: GridSize,
    pub(crate) shape: GridShape,
    /// Number of classes for whose bodies the corridors are. Later ones change none.
    pub(crate) n_classes: usize,
    /// Corridor of each cell.
    pub(crate) of_cell: Vec<u32>,
    pub(crate) shapes: Vec<CorridorShape>,
    /// Numbers of corridors that no longer exist, to be used again.
    pub(crate) spare: Vec<u32>,
    /// Corridors that the last edits have changed or removed, ascending.
    pub(crate) altered: Vec<u32>,
    /// Corridors that they have made.
    pub(crate) made: Vec<NewCorridor>,
    /// Width of two of the widest bodies side by side, in cells: shorter runs are narrow.
    pair: u32,
    /// The same for `corridor_bodies`: shorter runs are tight.
    wide: u32,
    /// Cells of a corridor at most.
    cells_max: usize,
    /// Cells of its longer side at most.
    side_max: u32,
    /// Longest way around a region, in cells, with which the region is no corridor.
    detour: u32,
    /// Cells that the smallest body can cover.
    pub(crate) free: BitGrid,
    /// Narrow cells.
    narrow: BitGrid,
    /// Cells in runs that are too short for a third body but not for a pair: tight, unless they are narrow too.
    tight: BitGrid,
    /// Scratch memory: cells already visited.
    seen: BitGrid,
    /// Scratch memory: visited cells of regions too large for corridors.
    large: BitGrid,
    way_around: WayAround,
}

clone_fields!(CorridorMap {
    size,
    shape,
    n_classes,
    of_cell,
    shapes,
    spare,
    altered,
    made,
    pair,
    wide,
    cells_max,
    side_max,
    detour,
    free,
    narrow,
    tight,
    seen,
    large,
} keep { way_around });

/// A corridor found near an edit: its cells are `cells[first..][..count]`.
struct FoundCorridor {
    first: usize,
    count: usize,
    shape: CorridorShape,
    /// Corridors of before that have cells in it, ascending.
    before: Vec<u32>,
    /// It equals a corridor of before in cells and width.
    is_same: bool,
}

impl CorridorMap {
    /// A map on which no corridors have been found yet, for agents of some classes with the shortest and longest
    /// sides of their bodies.
    pub(crate) fn new(
        size: GridSize,
        tables: &[MovementTables],
        sides: &[(u32, u32)],
        params: &TrafficParams,
    ) -> Self {
        let bits = || BitGrid::new(size);
        let widest = sides.iter().map(|&(short, _)| short).max().unwrap_or(1);
        Self {
            size,
            shape: tables.first().map_or(GridShape::Square, |tables| tables.space().shape()),
            n_classes: tables.len(),
            of_cell: vec![NO_CORRIDOR; size.n_cells()],
            shapes: Vec::new(),
            spare: Vec::new(),
            altered: Vec::new(),
            made: Vec::new(),
            pair: 2 * widest,
            wide: params.corridor_bodies * widest,
            cells_max: params.corridor_cells_max as usize,
            side_max: CORRIDOR_SIDE_MAX,
            detour: params.detour_cells,
            free: bits(),
            narrow: bits(),
            tight: bits(),
            seen: bits(),
            large: bits(),
            way_around: WayAround::new(size),
        }
    }

    /// Computes the corridors again near edited areas; lists the changes in `altered` and `made`. Linear in the cells
    /// of the areas, of their surroundings within a few bodies, and of the corridors there.
    pub(crate) fn update(&mut self, tables: &[MovementTables], edited: &[Rect]) {
        self.altered.clear();
        self.made.clear();
        let Some(tables) = smallest_bodies(&tables[..self.n_classes]) else { return };
        let areas: Vec<Rect> = edited.iter().map(|&area| find_free(&mut self.free, tables, area)).collect();
        let areas = areas.into_iter().filter(|area| !area.is_empty());
        // The width of a cell depends on free cells within that width.
        let areas: Vec<Rect> = areas.map(|area| area.grown(self.wide, self.size)).collect();
        areas.iter().for_each(|&area| self.find_narrow(area));
        // A way around begins next to its region.
        let areas: Vec<Rect> = areas.iter().map(|&area| area.grown(self.detour + 1, self.size)).collect();
        self.find_corridors(&areas);
    }

    /// Computes all corridors again, for other free cells.
    pub(crate) fn find_all(&mut self, free: BitGrid) {
        self.free = free;
        self.of_cell.fill(NO_CORRIDOR);
        self.shapes.clear();
        self.spare.clear();
        let area = self.size.rect();
        self.find_narrow(area);
        self.find_corridors(&[area]);
        self.altered.clear();
        self.made.clear();
    }

    /// Renumbers the corridors: each new number names the corridor at its first cell, by index. Numbers without a
    /// cell become free, in the order of `spare`, which must have just these. Returns the wrong number if there is one.
    /// Then nothing has changed.
    pub(crate) fn renumber(&mut self, first_cells: &[u32], spare: &[u32]) -> Result<(), usize> {
        let found = self.first_cells();
        let unused =
            (0..).zip(first_cells).filter(|(_, first)| **first == NO_CORRIDOR).map(|(number, _)| number);
        let mut sorted = spare.to_vec();
        sorted.sort_unstable();
        if !unused.eq(sorted) {
            return Err(first_cells.len());
        }
        let mut renumbered = vec![NO_CORRIDOR; self.shapes.len()];
        let mut shapes = vec![CorridorShape::default(); first_cells.len()];
        for (number, &first) in first_cells.iter().enumerate().filter(|(_, first)| **first != NO_CORRIDOR) {
            let before = self.of_cell.get(first as usize).copied().unwrap_or(NO_CORRIDOR) as usize;
            if found.get(before) != Some(&first) || renumbered[before] != NO_CORRIDOR {
                return Err(number);
            }
            (renumbered[before], shapes[number]) = (number as u32, self.shapes[before]);
        }
        // A number may have no corridor, but every corridor has a number.
        let is_lost = |before: &usize| found[*before] != NO_CORRIDOR && renumbered[*before] == NO_CORRIDOR;
        if (0..found.len()).any(|before| is_lost(&before)) {
            return Err(first_cells.len());
        }
        self.of_cell.iter_mut().filter(|number| **number != NO_CORRIDOR).for_each(|number| {
            *number = renumbered[*number as usize];
        });
        self.shapes = shapes;
        self.spare.clear();
        self.spare.extend_from_slice(spare);
        Ok(())
    }

    /// Index of the first cell of each corridor, by number; [`NO_CORRIDOR`] where the corridor no longer exists.
    pub(crate) fn first_cells(&self) -> Vec<u32> {
        let first_cell =
            |shape: &CorridorShape| if shape.n_cells > 0 { shape.first_cell } else { NO_CORRIDOR };
        self.shapes.iter().map(first_cell).collect()
    }

    /// Finds the narrow and the tight cells of an area.
    fn find_narrow(&mut self, area: Rect) {
        let Self { free, narrow, tight, pair, wide, size, .. } = self;
        narrow.fill(area, false);
        tight.fill(area, false);
        // Shorter runs that reach into the area lie in this one.
        let around = area.grown(*wide, *size);
        let mut mark_runs = |length: u32, cell_at: &dyn Fn(i32) -> CellXY| {
            let mut from = 0;
            for to in 0..=length as i32 {
                if to < length as i32 && free.get(cell_at(to)) {
                    continue;
                }
                let run = (to - from) as u32;
                let marked = if run < *pair { &mut *narrow } else { &mut *tight };
                if run < *wide {
                    (from..to).map(cell_at).filter(|&cell| area.contains(cell)).for_each(|cell| {
                        marked.set(cell, true);
                    });
                }
                from = to + 1;
            }
        };
        for y in area.y..area.y + area.height as i32 {
            mark_runs(around.width, &|at| CellXY::new(around.x + at, y));
        }
        for x in area.x..area.x + area.width as i32 {
            mark_runs(around.height, &|at| CellXY::new(x, around.y + at));
        }
    }

    /// How much room there is at a cell.
    fn room_at(&self, cell: CellXY) -> Room {
        if self.narrow.get(cell) {
            Room::Narrow
        } else if self.tight.get(cell) {
            Room::Tight
        } else {
            Room::Open
        }
    }

    /// Joins touching cells with equally little room to corridors, starting from some areas. Skips regions that are
    /// too large or have a short way around. An unchanged corridor keeps its number. Lists the changes.
    fn find_corridors(&mut self, areas: &[Rect]) {
        let size = self.size;
        // A corridor that changes only where it touches an area has a cell next to it.
        let of_areas = || areas.iter().flat_map(move |&area| area.grown(1, size).cells());
        let mut cells: Vec<CellXY> = Vec::new();
        // Cells of regions that are no corridors.
        let mut others: Vec<CellXY> = Vec::new();
        let mut found: Vec<FoundCorridor> = Vec::new();
        for first in of_areas() {
            if self.room_at(first) == Room::Open || self.seen.get(first) {
                continue;
            }
            let begin = cells.len();
            let is_large = !self.join(first, &mut cells);
            if is_large {
                cells[begin..].iter().for_each(|&cell| self.large.set(cell, true));
            }
            if is_large || self.has_way_around(&cells[begin..]) {
                others.extend(cells.drain(begin..));
            } else {
                found.push(self.compare(&cells, begin));
            }
        }
        for &cell in cells.iter().chain(&others) {
            self.seen.set(cell, false);
            self.large.set(cell, false);
        }
        // Unchanged corridors stay; the others give up their cells.
        let same: Vec<u32> = found
            .iter()
            .filter(|found| found.is_same)
            .filter_map(|found| found.before.first().copied())
            .collect();
        let mut before: BTreeSet<u32> = BTreeSet::new();
        for cell in of_areas() {
            let number = self.at_anchor(cell);
            if number != NO_CORRIDOR && !same.contains(&number) {
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
            self.shapes[number as usize] = found.shape;
            self.made.push(NewCorridor { number, width: found.shape.width, before: found.before });
        }
        self.spare.extend(spare);
    }

    /// Adds a cell of a corridor and all with as much room that are connected to it. Says whether they are few enough
    /// for a corridor.
    fn join(&mut self, first: CellXY, cells: &mut Vec<CellXY>) -> bool {
        let mut at = cells.len();
        let (begin, room) = (at, self.room_at(first));
        let mut bounds = Rect::new(first.x, first.y, 1, 1);
        cells.push(first);
        self.seen.set(first, true);
        while let Some(&cell) = cells.get(at) {
            at += 1;
            for &side in self.shape.sides() {
                let cell = self.shape.neighbour(cell, side);
                if self.room_at(cell) != room {
                    continue;
                }
                // It is connected to a region that is too large.
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

    /// Whether a region has a short way around it.
    fn has_way_around(&mut self, region: &[CellXY]) -> bool {
        self.detour > 0 && self.way_around.is_short((&self.free, self.shape), region, self.detour)
    }

    /// The corridor of the cells from `first` on, compared with the previous corridors.
    fn compare(&self, cells: &[CellXY], first: usize) -> FoundCorridor {
        let cells = &cells[first..];
        let mut before: Vec<u32> = cells.iter().map(|&cell| self.at_anchor(cell)).collect();
        before.sort_unstable();
        before.dedup();
        let width = cells.iter().map(|&cell| self.width_of(cell)).min().unwrap_or(0);
        let index = |cell: &CellXY| cell.y as u32 * self.size.width() + cell.x as u32;
        let first_cell = cells.iter().map(index).min().unwrap_or(0);
        let shape = CorridorShape { width, n_cells: cells.len() as u32, first_cell };
        let is_same = matches!(before[..], [one] if one != NO_CORRIDOR && self.shapes[one as usize] == shape);
        before.retain(|&number| number != NO_CORRIDOR);
        FoundCorridor { first, count: cells.len(), shape, before, is_same }
    }

    /// Removes the number of a corridor from a cell and from all of its cells that are connected to it.
    fn unmark(&mut self, first: CellXY, number: u32) {
        let mut cells = vec![first];
        while let Some(cell) = cells.pop() {
            if self.at_anchor(cell) != number {
                continue;
            }
            self.of_cell[cell.y as usize * self.size.width() as usize + cell.x as usize] = NO_CORRIDOR;
            cells.extend(self.shape.sides().iter().map(|&side| self.shape.neighbour(cell, side)));
        }
    }

    /// The shorter of the two runs of free cells through a cell of a corridor.
    fn width_of(&self, cell: CellXY) -> u32 {
        let run = |dx: i32, dy: i32| {
            let free =
                |at: &u32| self.free.get(CellXY::new(cell.x + dx * *at as i32, cell.y + dy * *at as i32));
            (1..=self.wide).take_while(free).count() as u32
        };
        (1 + run(1, 0) + run(-1, 0)).min(1 + run(0, 1) + run(0, -1))
    }

    /// Whether the last edits have changed or removed a corridor.
    pub(crate) fn is_altered(&self, corridor: u32) -> bool {
        self.altered.binary_search(&corridor).is_ok()
    }

    /// The corridor of a cell, by index; [`NO_CORRIDOR`] if there is none.
    #[inline]
    pub(crate) fn at(&self, cell: usize) -> u32 {
        self.of_cell[cell]
    }

    /// The corridor of a cell; [`NO_CORRIDOR`] if there is none or the cell is off the map.
    pub(crate) fn at_anchor(&self, anchor: CellXY) -> u32 {
        self.size.cell(anchor).map_or(NO_CORRIDOR, |cell| self.of_cell[cell.0 as usize])
    }
}
