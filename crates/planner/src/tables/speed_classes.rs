//! Speed classes of cells and edges, and rows of them relative to anchors.

use crate::model::movement::EDGES_MAX;
use crate::model::offset::Offset;
use crate::tables::move_words::SpeedClass;
use crate::tables::plan::{BodyPlan, MovePlan, OffsetRect};
use std::ops::Range;
use wheelbase_grid::{CellXY, Grid, GridShape, GridSize, Rect, Side, TerrainKind};

/// Speed class of each terrain kind and side kind of a map.
pub(crate) struct KindSpeedClasses<'a> {
    pub grid: &'a Grid,
    pub terrain: &'a [usize],
    pub sides: &'a [usize],
}

impl KindSpeedClasses<'_> {
    fn edge(&self, cell: CellXY, side: Side) -> usize {
        let size = self.grid.size();
        let speed_class = |cell, side| match size.cell(cell) {
            Some(cell) => self.sides[self.grid.side_of(cell, side).0 as usize],
            None => 0,
        };
        speed_class(cell, side).min(speed_class(self.grid.shape().neighbour(cell, side), side.opposite()))
    }
}

/// Speed classes of the cells and edges of a map.
#[derive(Clone, Debug)]
pub(crate) struct SpeedLayers<L> {
    pub size: GridSize,
    /// `[height * width]`.
    pub cells: Vec<L>,
    /// Edges beyond each [later side](GridShape::later_sides) of the cells, `[height * width]` each, by
    /// [`edge_number`]; empty if no edge can limit a move. The third is always empty on square maps.
    pub edges: [Vec<L>; EDGES_MAX],
}

/// Index of a side among the later sides of its map.
pub(crate) fn edge_number(side: Side) -> usize {
    match side {
        Side::East => 0,
        Side::SouthEast => 2,
        _ => 1,
    }
}

/// Maximum number of passable kinds for which comparing with each kind is faster than a table lookup per cell.
const COMPARED_KINDS_MAX: usize = 6;

/// Speed classes of a row of cells.
fn read_speed_classes<L: SpeedClass>(
    speed_classes: &mut [L],
    kinds: &[TerrainKind],
    class_of_kind: &[usize],
) {
    let passable = || class_of_kind.iter().enumerate().filter(|(_, speed_class)| **speed_class > 0);
    if speed_classes.len() < 64 || passable().nth(COMPARED_KINDS_MAX).is_some() {
        for (speed_class, kind) in speed_classes.iter_mut().zip(kinds) {
            *speed_class = L::of(class_of_kind[kind.0 as usize]);
        }
        return;
    }
    speed_classes.fill(L::default());
    for (number, &class) in passable() {
        let (number, class) = (number as u8, L::of(class));
        for (speed_class, kind) in speed_classes.iter_mut().zip(kinds) {
            *speed_class = if kind.0 == number { class } else { *speed_class };
        }
    }
}

impl<L: SpeedClass> SpeedLayers<L> {
    /// Number of speed classes for which memory is allocated.
    pub fn n_speed_classes(&self) -> usize {
        self.cells.capacity() + self.edges.iter().map(Vec::capacity).sum::<usize>()
    }

    /// Without cells yet.
    pub fn new(size: GridSize) -> Self {
        Self { size, cells: Vec::new(), edges: Default::default() }
    }

    /// Whether edges are stored.
    pub fn has_edges(&self) -> bool {
        !self.edges[0].is_empty()
    }

    /// Reads all cells, row by row: appending to reserved memory costs least.
    pub fn read_all(&mut self, speed_classes: &KindSpeedClasses<'_>, edges: bool) {
        let width = self.size.width() as usize;
        self.cells.clear();
        self.cells.reserve_exact(self.size.n_cells());
        for kinds in speed_classes.grid.terrain().chunks(width) {
            let start = self.cells.len();
            self.cells.resize(start + width, L::default());
            read_speed_classes(&mut self.cells[start..], kinds, speed_classes.terrain);
        }
        if edges {
            self.read_edges(speed_classes, self.size.rect());
        }
    }

    /// Re-reads cells and edges of the changed rectangle.
    pub fn refresh(&mut self, speed_classes: &KindSpeedClasses<'_>, edges: bool, changed: Rect) {
        let width = self.size.width() as usize;
        for y in changed.y as usize..changed.y as usize + changed.height as usize {
            let start = y * width + changed.x as usize;
            let row = start..start + changed.width as usize;
            read_speed_classes(
                &mut self.cells[row.clone()],
                &speed_classes.grid.terrain()[row],
                speed_classes.terrain,
            );
        }
        if edges {
            self.read_edges(speed_classes, changed);
        }
    }

    fn read_edges(&mut self, speed_classes: &KindSpeedClasses<'_>, changed: Rect) {
        let shape = speed_classes.grid.shape();
        let sides = shape.later_sides();
        for edges in self.edges.iter_mut().take(sides.len()).filter(|edges| edges.is_empty()) {
            *edges = vec![L::default(); self.size.n_cells()];
        }
        // An edge to an earlier cell is stored with the neighbour there; on hexagonal maps that includes the NE
        // neighbour.
        let east = u32::from(shape == GridShape::Hex);
        let around = Rect::new(changed.x - 1, changed.y - 1, changed.width + 1 + east, changed.height + 1);
        for xy in around.intersection(self.size.rect()).cells() {
            let cell = xy.y as usize * self.size.width() as usize + xy.x as usize;
            for (edges, &side) in self.edges.iter_mut().zip(sides) {
                edges[cell] = L::of(speed_classes.edge(xy, side));
            }
        }
    }

    /// Writes the speed classes of a body at the anchors of a row from `(x, y)` on; 0 where the anchor is off
    /// the map.
    pub fn read_body(&self, row: &mut [L], (x, y): (i32, i32), body: &BodyPlan, spans: &mut [Vec<L>; 2]) {
        let Some((row, x)) = self.part_on_map(row, (x, y), body.reach) else { return };
        match body.block {
            Some((corner, width, height)) => {
                let [span, _] = &mut *spans;
                span.resize(row.len() + width - 1, L::default());
                for dy in 0..height as i32 {
                    let offset = Offset::new(corner.dx, corner.dy + dy);
                    if dy == 0 {
                        copy_row(span, &self.cells, self.size, x, y, offset);
                    } else {
                        lower_row(span, &self.cells, self.size, x, y, offset);
                    }
                }
                least_of_spans(row, spans, width);
            }
            None => {
                row.fill(L::TOP);
                self.lower_by_cells(row, (x, y), &body.cells);
            }
        }
        self.lower_by_edges(row, (x, y), &body.edges);
    }

    /// Lowers a row of speed classes, one per anchor from `(x, y)` on, by the cells and edges of a move. It lowers them
    /// to 0 where the move leaves the map.
    pub fn lower(&self, row: &mut [L], (x, y): (i32, i32), plan: &MovePlan) {
        let Some((row, x)) = self.part_on_map(row, (x, y), plan.reach) else { return };
        self.lower_by_cells(row, (x, y), &plan.cells);
        self.lower_by_edges(row, (x, y), &plan.edges);
    }

    /// The part of a row whose anchors keep `reach` on the map, and the column of its first anchor; the rest is
    /// set to 0. Bodies and moves far larger than the row cost nothing there.
    fn part_on_map<'a>(
        &self,
        row: &'a mut [L],
        (x, y): (i32, i32),
        reach: OffsetRect,
    ) -> Option<(&'a mut [L], i32)> {
        let west = close_off_map(row, self.size, x, y, reach.low);
        let east = close_off_map(row, self.size, x, y, reach.high);
        let (Some(west), Some(east)) = (west, east) else {
            row.fill(L::default());
            return None;
        };
        let part = west.start..east.end;
        let first = x + part.start as i32;
        (!part.is_empty()).then(|| (&mut row[part], first))
    }

    fn lower_by_cells(&self, row: &mut [L], (x, y): (i32, i32), cells: &[Offset]) {
        for &offset in cells {
            lower_row(row, &self.cells, self.size, x, y, offset);
        }
    }

    fn lower_by_edges(&self, row: &mut [L], (x, y): (i32, i32), edges: &[(Offset, Side)]) {
        if !self.has_edges() {
            return;
        }
        for &(offset, side) in edges {
            lower_row(row, &self.edges[edge_number(side)], self.size, x, y, offset);
        }
    }
}

/// `row[i]` becomes the minimum of `width` entries of `spans[0]` from `i` on, by doubling the span of each
/// entry.
pub(crate) fn least_of_spans<L: SpeedClass>(row: &mut [L], [from, to]: &mut [Vec<L>; 2], width: usize) {
    let (mut from, mut to) = (from, to);
    let mut covered = 1;
    while 2 * covered < width {
        to.resize(row.len() + width - 2 * covered, L::default());
        lesser_of_two(to, from, covered);
        std::mem::swap(&mut from, &mut to);
        covered *= 2;
    }
    match width {
        1 => row.copy_from_slice(&from[..row.len()]),
        _ => lesser_of_two(row, from, width - covered),
    }
}

/// `row[i] = min(speed_classes[i], speed_classes[i + shift])`.
fn lesser_of_two<L: SpeedClass>(row: &mut [L], speed_classes: &[L], shift: usize) {
    let n = row.len();
    for (least, (&a, &b)) in row.iter_mut().zip(speed_classes[..n].iter().zip(&speed_classes[shift..][..n])) {
        *least = a.min(b);
    }
}

/// `row[i] = min(row[i], speed_classes[i])`.
pub(crate) fn lower_by<L: SpeedClass>(row: &mut [L], speed_classes: &[L]) {
    for (speed_class, &other) in row.iter_mut().zip(speed_classes) {
        *speed_class = (*speed_class).min(other);
    }
}

/// `row[i] = layer[(x + i, y) + offset]`, 0 off the map.
fn copy_row<L: SpeedClass>(row: &mut [L], layer: &[L], size: GridSize, x: i32, y: i32, offset: Offset) {
    let Some(part) = close_off_map(row, size, x, y, offset) else { return };
    let source = &layer[index_of(size, x, y, offset, &part)..][..part.len()];
    row[part].copy_from_slice(source);
}

/// `row[i] = min(row[i], layer[(x + i, y) + offset])`, 0 off the map.
fn lower_row<L: SpeedClass>(row: &mut [L], layer: &[L], size: GridSize, x: i32, y: i32, offset: Offset) {
    let Some(part) = close_off_map(row, size, x, y, offset) else { return };
    let source = &layer[index_of(size, x, y, offset, &part)..][..part.len()];
    lower_by(&mut row[part], source);
}

/// Index of the first cell read by the part of a row on the map.
fn index_of(size: GridSize, x: i32, y: i32, offset: Offset, part: &Range<usize>) -> usize {
    let row = (y + offset.dy) as usize * size.width() as usize;
    (row as i64 + i64::from(x) + i64::from(offset.dx) + part.start as i64) as usize
}

/// Sets the row to 0 where `(x + i, y) + offset` is off the map; returns the part on the map.
pub(crate) fn close_off_map<L: SpeedClass>(
    row: &mut [L],
    size: GridSize,
    x: i32,
    y: i32,
    offset: Offset,
) -> Option<Range<usize>> {
    let length = row.len() as i64;
    let first = i64::from(x) + i64::from(offset.dx);
    let low = (-first).clamp(0, length) as usize;
    let high = (i64::from(size.width()) - first).clamp(0, length) as usize;
    let row_on_map = (0..i64::from(size.height())).contains(&(i64::from(y) + i64::from(offset.dy)));
    if !row_on_map || low >= high {
        row.fill(L::default());
        return None;
    }
    row[..low].fill(L::default());
    row[high..].fill(L::default());
    Some(low..high)
}
