//! Compiling a class against a map, a row of anchors at a time.
//!
//! The level of a pose is the least over its footprint, and a move sweeps at least the footprints at its
//! two ends. So the levels of all poses of a row are worked out once a heading, and a move takes the lesser
//! of two of them, less what it sweeps beside.

use crate::components::GraphChange;
use crate::footprint::Offset;
use crate::movement::{Climb, MovementClass};
use crate::pose::{Frame, Heading, Pose, State, StateSpace};
use crate::successor::{SLOPE_FLAT, climbs, move_time, slope_of, tilts};
use crate::tables::words::{Level, MoveWord};
use crate::tables::{COSTS, STEPS_STRIDE, Step, Update};
use std::collections::BTreeMap;
use std::ops::Range;
use wheelbase_grid::{CellXY, Grid, GridShape, GridSize, Rect, Side, TerrainKind};

/// Longest step in cells along an axis whose end is read from the rows of poses; what a longer one
/// sweeps is gone through cell by cell.
const STEP_MAX: i32 = 4;

/// What one primitive sweeps in one frame, as the rows are compiled.
#[derive(Clone, Debug)]
struct MovePlan {
    applies: bool,
    step: Offset,
    heading_after: Heading,
    frame_after: Frame,
    /// Whether the end pose is read from the rows of poses.
    end_in_rows: bool,
    /// Swept cells and edges beside those of the poses that are read.
    cells: Vec<Offset>,
    edges: Vec<(Offset, Side)>,
}

/// Most later sides a cell has.
const EDGES_MAX: usize = 3;

/// Place of a side among the later ones of its map.
fn edge_number(side: Side) -> usize {
    match side {
        Side::East => 0,
        Side::SouthEast => 2,
        _ => 1,
    }
}

/// A rectangle of offsets by its north-west and south-east corner.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    low: Offset,
    high: Offset,
}

impl Reach {
    fn widen(&mut self, low: Offset, high: Offset) {
        self.low = Offset::new(self.low.dx.min(low.dx), self.low.dy.min(low.dy));
        self.high = Offset::new(self.high.dx.max(high.dx), self.high.dy.max(high.dy));
    }

    /// Anchors from which something of the reach lies in the changed cells.
    fn anchors(&self, size: GridSize, changed: Rect) -> Rect {
        let Self { low, high } = self;
        let wider = Rect::new(
            changed.x - high.dx,
            changed.y - high.dy,
            changed.width + (high.dx - low.dx) as u32,
            changed.height + (high.dy - low.dy) as u32,
        );
        wider.intersection(size.rect())
    }
}

/// How the rows of a class are compiled.
#[derive(Clone, Debug)]
pub(crate) struct CompilePlan {
    /// `[frame * n_primitives + primitive]`.
    moves: Vec<MovePlan>,
    /// How far the ends that are read from rows lie off, in columns and in rows.
    margin: Offset,
    /// Smallest rectangle around all that any pose or move can sweep, from the anchor at its start and from
    /// the one at its end.
    reach: Reach,
    reach_from_end: Reach,
}

impl CompilePlan {
    pub fn of(class: &MovementClass) -> Self {
        let mut plan = Self {
            moves: Vec::new(),
            margin: Offset::default(),
            reach: Reach::default(),
            reach_from_end: Reach::default(),
        };
        for frame in class.frames() {
            for &cell in class.footprint().at(frame) {
                plan.reach_from_end.widen(cell, cell);
            }
            for primitive in 0..class.primitives().len() {
                let shape = class.shape(frame, primitive);
                let (low, high) = shape.bounds;
                let step = shape.step;
                let back = Offset::new(-step.dx, -step.dy);
                plan.reach.widen(low, high);
                plan.reach_from_end.widen(low.plus(back), high.plus(back));
                let end_in_rows = step.dx.abs().max(step.dy.abs()) <= STEP_MAX;
                if end_in_rows && shape.applies {
                    let margin = plan.margin;
                    plan.margin = Offset::new(margin.dx.max(step.dx.abs()), margin.dy.max(step.dy.abs()));
                }
                let after = shape.frame_after;
                let of_start = class.footprint().at(frame);
                let of_end = if end_in_rows { class.footprint().at(after) } else { &[] };
                let rest_edges = class.rest_edges(frame);
                let end_edges = if end_in_rows { class.rest_edges(after) } else { &[] };
                let cells = shape.swept.iter().copied();
                let cells = cells.filter(|o| !of_start.contains(o) && !of_end.contains(&o.plus(back)));
                let edges = shape.edges.iter().copied().filter(|&(o, side)| {
                    !rest_edges.contains(&(o, side)) && !end_edges.contains(&(o.plus(back), side))
                });
                plan.moves.push(MovePlan {
                    applies: shape.applies,
                    step,
                    heading_after: shape.heading_after,
                    frame_after: after,
                    end_in_rows,
                    cells: cells.collect(),
                    edges: edges.collect(),
                });
            }
        }
        plan
    }

    /// Anchors of the poses and moves that can touch the changed cells.
    pub fn touched_anchors(&self, size: GridSize, changed: Rect) -> Rect {
        self.reach.anchors(size, changed)
    }

    /// Anchors at which the moves that can touch the changed cells end.
    pub fn touched_ends(&self, size: GridSize, changed: Rect) -> Rect {
        self.reach_from_end.anchors(size, changed)
    }
}

/// Words and speed levels of one layout.
#[derive(Clone, Debug)]
pub(crate) struct Layout<W: MoveWord> {
    /// `[n_states]`.
    pub words: Vec<W>,
    /// Level of each cell, `[height * width]`.
    cells: Vec<W::Level>,
    /// Levels of the edges beyond each [later side](wheelbase_grid::GridShape::later_sides) of the cells,
    /// `[height * width]` each; empty where no edge can limit, the third of square maps always.
    edges: [Vec<W::Level>; EDGES_MAX],
    rows: Rows<W>,
    /// Words of some anchors before an update, row-major.
    before: Vec<W>,
}

/// Rows being worked on, kept so that an update allocates nothing.
#[derive(Clone, Debug)]
struct Rows<W: MoveWord> {
    /// Levels of the poses of some rows, `[(y modulo rows) * headings + heading][column]`, wider than the
    /// anchors by the margin on either side; 0 where the anchor is off the map.
    poses: Vec<W::Level>,
    /// Levels of four moves, `[4][column]`.
    moves: Vec<W::Level>,
    /// `[heading][column]`.
    words: Vec<W>,
    heights: HeightRows,
}

/// Highest and lowest cell under the footprint, at the start and at the end of a move, a row of anchors.
#[derive(Clone, Debug, Default)]
struct HeightRows {
    before_high: Vec<i16>,
    before_low: Vec<i16>,
    after_high: Vec<i16>,
    after_low: Vec<i16>,
}

/// Where the levels of kinds are looked up.
pub(crate) struct LevelsOf<'a> {
    pub grid: &'a Grid,
    pub terrain: &'a [usize],
    pub sides: &'a [usize],
}

impl LevelsOf<'_> {
    fn edge(&self, cell: CellXY, side: Side) -> usize {
        let size = self.grid.size();
        let level = |cell, side| match size.cell(cell) {
            Some(cell) => self.sides[self.grid.side_of(cell, side).0 as usize],
            None => 0,
        };
        level(cell, side).min(level(self.grid.shape().neighbour(cell, side), side.opposite()))
    }
}

/// Most passable kinds for which comparing with each beats looking each cell up.
const COMPARED_KINDS_MAX: usize = 6;

/// Levels of a row of cells.
fn read_levels<L: Level>(levels: &mut [L], kinds: &[TerrainKind], of_kinds: &[usize]) {
    let passable = || of_kinds.iter().enumerate().filter(|(_, level)| **level > 0);
    if levels.len() < 64 || passable().nth(COMPARED_KINDS_MAX).is_some() {
        for (level, kind) in levels.iter_mut().zip(kinds) {
            *level = L::of(of_kinds[kind.0 as usize]);
        }
        return;
    }
    levels.fill(L::default());
    for (number, &of_kind) in passable() {
        let (number, of_kind) = (number as u8, L::of(of_kind));
        for (level, kind) in levels.iter_mut().zip(kinds) {
            *level = if kind.0 == number { of_kind } else { *level };
        }
    }
}

/// What the rows are compiled from and for.
pub(crate) struct RowsOf<'a> {
    pub class: &'a MovementClass,
    pub plan: &'a CompilePlan,
    pub space: StateSpace,
}

impl RowsOf<'_> {
    /// Frame of the poses of a row at a heading.
    fn frame(&self, y: i32, heading: usize) -> Frame {
        self.space.frame(Pose::new(0, y, Heading(heading as u8)))
    }
}

impl<W: MoveWord> Layout<W> {
    /// One without any legal move.
    pub fn new(space: StateSpace) -> Self {
        Self {
            words: vec![W::default(); space.n_states()],
            cells: vec![W::Level::default(); space.size().n_cells()],
            edges: Default::default(),
            rows: Rows {
                poses: Vec::new(),
                moves: Vec::new(),
                words: Vec::new(),
                heights: HeightRows::default(),
            },
            before: Vec::new(),
        }
    }

    /// Keeps the words of some anchors, to be compared with those after an update.
    pub fn remember_words(&mut self, space: StateSpace, anchors: Rect) {
        self.before.clear();
        for row in state_rows(space, anchors) {
            self.before.extend_from_slice(&self.words[row]);
        }
    }

    /// Tells what became of the moves of the anchors whose words were kept, and, into `change` if there is
    /// one, of which.
    pub fn tell_change(
        &self,
        space: StateSpace,
        anchors: Rect,
        (steps, times): (&[Step], &[u32]),
        mut change: Option<&mut GraphChange>,
    ) -> Update {
        let mut update = Update::default();
        let states = state_rows(space, anchors).flatten();
        for (state, &before) in states.zip(&self.before) {
            let after = self.words[state];
            if before == after {
                // Without a move either way its pose may have become legal or illegal all the same.
                if after == W::default()
                    && let Some(change) = &mut change
                {
                    change.states.push(state as u32);
                }
                continue;
            }
            update = update.or(after.update(before, times));
            let Some(change) = &mut change else { continue };
            let state = state as u32;
            change.states.push(state);
            let frame = space.frame_of(State(state)).0 as usize;
            for (lane, step) in steps[frame * STEPS_STRIDE..].iter().take(W::LANES).enumerate() {
                let (was, is) = (before.code(lane) != 0, after.code(lane) != 0);
                if was != is {
                    let moves = if was { &mut change.lost } else { &mut change.won };
                    moves.push((state, state.wrapping_add_signed(step.delta)));
                }
            }
        }
        update
    }

    /// Whether a state has a legal move.
    #[inline]
    pub fn has_move(&self, state: usize) -> bool {
        self.words[state] != W::default()
    }

    pub fn bits(&self) -> u32 {
        W::BITS
    }

    pub fn numbered(&self) -> bool {
        W::NUMBERED
    }

    /// Notes in the kernel's table what a code of a lane stands for.
    pub fn note_cost(&self, costs: &mut [i64; COSTS], lane: usize, code: u32, ticks: u32) {
        W::note_cost(costs, lane, code, ticks);
    }

    /// Whether the layers of edges are there.
    pub fn has_edges(&self) -> bool {
        !self.edges[0].is_empty()
    }

    /// Reads cells and edges of the changed rectangle anew.
    pub fn refresh_levels(&mut self, levels: &LevelsOf<'_>, edges: bool, changed: Rect) {
        let grid = levels.grid;
        let size = grid.size();
        let width = size.width() as usize;
        for y in changed.y as usize..changed.y as usize + changed.height as usize {
            let start = y * width + changed.x as usize;
            let row = start..start + changed.width as usize;
            read_levels(&mut self.cells[row.clone()], &grid.terrain()[row], levels.terrain);
        }
        if !edges {
            return;
        }
        let sides = grid.shape().later_sides();
        for edges in self.edges.iter_mut().take(sides.len()).filter(|edges| edges.is_empty()) {
            *edges = vec![W::Level::default(); size.n_cells()];
        }
        // Edges to earlier cells are kept with the neighbours there, on hexagonal maps to the NE as well.
        let east = u32::from(grid.shape() == GridShape::Hex);
        let around = Rect::new(changed.x - 1, changed.y - 1, changed.width + 1 + east, changed.height + 1);
        for xy in around.intersection(size.rect()).cells() {
            let cell = xy.y as usize * width + xy.x as usize;
            for (edges, &side) in self.edges.iter_mut().zip(sides) {
                edges[cell] = W::Level::of(levels.edge(xy, side));
            }
        }
    }

    /// Compiles every state whose anchor lies in `anchors`. Says what became of poses without any move.
    pub fn compile_rows(
        &mut self,
        of: &RowsOf<'_>,
        anchors: Rect,
        still: &mut StillPoses,
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<Update, TooManyTimes> {
        let mut update = Update::default();
        let Self { words, cells, edges, rows, .. } = self;
        let size = of.space.size();
        let headings = of.space.headings() as usize;
        let planes = Planes { cells, edges: edges.each_ref().map(|edges| &edges[..]), size };
        let margin = of.plan.margin;
        let window = Window {
            anchors,
            x: anchors.x - margin.dx,
            stride: anchors.width as usize + 2 * margin.dx as usize,
            n_rows: (2 * margin.dy + 1) as usize,
            headings,
        };
        let width = anchors.width as usize;
        rows.poses.resize(window.n_rows * headings * window.stride, W::Level::default());
        rows.moves.resize(4 * width, W::Level::default());
        rows.words.resize(headings * width, W::default());
        for y in anchors.y - margin.dy..anchors.y + margin.dy {
            rows.read_poses(of, &planes, &window, y, slopes);
        }
        for y in anchors.y..anchors.y + anchors.height as i32 {
            rows.read_poses(of, &planes, &window, y + margin.dy, slopes);
            let first_cell = y as usize * size.width() as usize + anchors.x as usize;
            for heading in 0..headings {
                for first in (0..of.class.primitives().len()).step_by(4) {
                    rows.read_moves(of, &planes, &window, y, (heading, first), slopes)?;
                }
                let at = window.row(y, heading) + margin.dx as usize;
                let states = (first_cell * headings + heading..).step_by(headings);
                let (levels, new) = (&rows.poses[at..at + width], &rows.words[heading * width..][..width]);
                let row = first_cell * headings..(first_cell + width) * headings;
                update = update.or(still.set_row(row, states, levels, new, words));
            }
            let states = first_cell * headings..(first_cell + width) * headings;
            interleave(&mut words[states], &rows.words, headings);
        }
        Ok(update)
    }
}

/// The states of a rectangle of anchors, a row at a time.
fn state_rows(space: StateSpace, anchors: Rect) -> impl Iterator<Item = Range<usize>> {
    let headings = space.headings() as usize;
    let row_of = move |y: u32| {
        let first = (anchors.y as usize + y as usize) * space.size().width() as usize + anchors.x as usize;
        first * headings..(first + anchors.width as usize) * headings
    };
    (0..anchors.height).map(row_of)
}

/// Levels of cells and edges.
struct Planes<'a, L> {
    cells: &'a [L],
    /// By [`edge_number`]; empty where no edge can limit.
    edges: [&'a [L]; EDGES_MAX],
    size: GridSize,
}

impl<L: Level> Planes<'_, L> {
    /// Reads the levels of the poses of a row of anchors from `(x, y)` on.
    fn read(&self, row: &mut [L], (x, y): (i32, i32), cells: &[Offset], edges: &[(Offset, Side)]) {
        row.fill(L::TOP);
        let Some(part) = close_off_map(row, self.size, x, y, Offset::default()) else { return };
        if cells.contains(&Offset::default()) {
            let start = y as usize * self.size.width() as usize + (i64::from(x) + part.start as i64) as usize;
            row[part.clone()].copy_from_slice(&self.cells[start..start + part.len()]);
        }
        for &offset in cells.iter().filter(|&&offset| offset != Offset::default()) {
            lower_row(row, self.cells, self.size, x, y, offset);
        }
        self.lower(row, (x, y), &[], edges);
    }

    /// Lowers a row of levels, one an anchor from `(x, y)` on, by what lies at the offsets.
    fn lower(&self, row: &mut [L], (x, y): (i32, i32), cells: &[Offset], edges: &[(Offset, Side)]) {
        for &offset in cells {
            lower_row(row, self.cells, self.size, x, y, offset);
        }
        if self.edges[0].is_empty() {
            return;
        }
        for &(offset, side) in edges {
            lower_row(row, self.edges[edge_number(side)], self.size, x, y, offset);
        }
    }
}

/// The anchors being compiled, and which ones the rows of poses hold.
struct Window {
    anchors: Rect,
    /// Column of the first.
    x: i32,
    stride: usize,
    n_rows: usize,
    headings: usize,
}

impl Window {
    /// Where the row of poses at a heading begins.
    fn row(&self, y: i32, heading: usize) -> usize {
        (y.rem_euclid(self.n_rows as i32) as usize * self.headings + heading) * self.stride
    }
}

impl<W: MoveWord> Rows<W> {
    /// Works out the levels of the poses of a row at all headings.
    fn read_poses(
        &mut self,
        of: &RowsOf<'_>,
        planes: &Planes<'_, W::Level>,
        window: &Window,
        y: i32,
        slopes: &SlopeTimes<'_>,
    ) {
        let on_map = (0..planes.size.height() as i32).contains(&y);
        for heading in 0..window.headings {
            let first = window.row(y, heading);
            let row = &mut self.poses[first..first + window.stride];
            if !on_map {
                row.fill(W::Level::default());
                continue;
            }
            let frame = of.frame(y, heading);
            let footprint = of.class.footprint().at(frame);
            planes.read(row, (window.x, y), footprint, of.class.rest_edges(frame));
            if let Some(elevation) = slopes.elevation {
                let place = (window.x, y, window.stride);
                self.heights.read_before(elevation, planes.size, place, footprint);
                self.heights.close_tilted(row, &of.class.spec().climb);
            }
        }
    }

    /// Works out four primitives, the first of them given, of the row of anchors at a heading.
    fn read_moves(
        &mut self,
        of: &RowsOf<'_>,
        planes: &Planes<'_, W::Level>,
        window: &Window,
        y: i32,
        (heading, first): (usize, usize),
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<(), TooManyTimes> {
        let Self { poses, moves, words, heights } = self;
        let (poses, anchors) = (&*poses, window.anchors);
        let width = anchors.width as usize;
        let margin = of.plan.margin;
        let n_primitives = of.class.primitives().len();
        let frame = of.frame(y, heading);
        let plans = &of.plan.moves[frame.0 as usize * n_primitives..][..n_primitives];
        let words = &mut words[heading * width..][..width];
        let at = window.row(y, heading) + margin.dx as usize;
        let rest = &poses[at..at + width];
        // Of each of the four the row of poses at its end, or a row of its own.
        let (a, others) = moves.split_at_mut(width);
        let (b, others) = others.split_at_mut(width);
        let (c, d) = others.split_at_mut(width);
        let mut lane = first;
        let ends = [a, b, c, d].map(|own| {
            let plan = plans.get(lane).filter(|plan| plan.applies);
            lane += 1;
            let Some(plan) = plan else {
                own.fill(W::Level::default());
                return &*own;
            };
            let end = match plan.end_in_rows {
                true => {
                    let row = window.row(y + plan.step.dy, plan.heading_after.0 as usize);
                    let at = row + (margin.dx + plan.step.dx) as usize;
                    &poses[at..at + width]
                }
                false => rest,
            };
            if plan.end_in_rows
                && plan.cells.is_empty()
                && (plan.edges.is_empty() || planes.edges[0].is_empty())
            {
                return end;
            }
            own.copy_from_slice(end);
            planes.lower(own, (anchors.x, y), &plan.cells, &plan.edges);
            close_off_map(own, planes.size, anchors.x, y, plan.step);
            &*own
        });
        if W::NUMBERED && slopes.elevation.is_none() {
            match first {
                0 => set_four::<W, true>(words, rest, ends, 0),
                _ => set_four::<W, false>(words, rest, ends, first),
            }
            return Ok(());
        }
        if first == 0 {
            words.fill(W::default());
        }
        if let Some(elevation) = slopes.elevation {
            let place = (anchors.x, y, width);
            heights.read_before(elevation, planes.size, place, of.class.footprint().at(frame));
        }
        let climb = &of.class.spec().climb;
        for ((primitive, plan), end) in (first..).zip(&plans[first..]).zip(ends) {
            let base = of.class.primitives()[primitive].time;
            if let Some(elevation) = slopes.elevation {
                let place = (anchors.x + plan.step.dx, y + plan.step.dy, width);
                heights.read_after(elevation, planes.size, place, of.class.footprint().at(plan.frame_after));
            }
            // Neighbouring cells mostly have the same speed and rise.
            let mut last = (0, 0, 0);
            for (column, word) in words.iter_mut().enumerate() {
                let level = rest[column].min(end[column]).number();
                if level == 0 {
                    continue;
                }
                let rise = match slopes.elevation {
                    Some(_) => heights.rise(column, climb),
                    None => Some(0),
                };
                let Some(rise) = rise else { continue };
                if (level, rise) != (last.0, last.1) {
                    let slope = if slopes.elevation.is_some() { slope_of(climb, rise) } else { SLOPE_FLAT };
                    let ticks = move_time(base, slope, slopes.speeds[level - 1]);
                    last = (level, rise, slopes.code::<W>(primitive, ticks)?);
                }
                word.set(primitive, last.2);
            }
        }
        Ok(())
    }
}

/// Sets the codes of four primitives in a row of words, by the lesser of the levels at the two ends of each.
/// `NEW` says that they are the first four.
fn set_four<W: MoveWord, const NEW: bool>(
    words: &mut [W],
    rest: &[W::Level],
    ends: [&[W::Level]; 4],
    first: usize,
) {
    let n = words.len();
    // Slices of one known length, so that the loop runs without checks on whole vectors.
    let (rest, [a, b, c, d]) = (&rest[..n], ends.map(|end| &end[..n]));
    let lanes = W::LANES.min(4);
    for i in 0..n {
        let level = rest[i];
        let mut word = if NEW { W::default() } else { words[i] };
        word.set(first, a[i].min(level).number() as u32);
        word.set(first + 1, b[i].min(level).number() as u32);
        word.set(first + 2, c[i].min(level).number() as u32);
        if lanes == 4 {
            word.set(first + 3, d[i].min(level).number() as u32);
        }
        words[i] = word;
    }
}

/// `states[column * headings + heading] = rows[heading * width + column]`, by twos, then by twos of those,
/// which the machine has instructions for.
fn interleave<W: Copy + Default>(states: &mut [W], rows: &[W], headings: usize) {
    match headings {
        1 => states.copy_from_slice(rows),
        4 => {
            let width = states.len() / 4;
            let (twos, _) = states.as_chunks_mut::<2>();
            let (fours, _) = twos.as_chunks_mut::<2>();
            let row = |heading: usize| &rows[heading * width..][..width];
            interleave_4(fours, [row(0), row(1), row(2), row(3)]);
        }
        6 => interleave_any::<W, 6>(states, rows),
        _ => interleave_any::<W, 8>(states, rows),
    }
}

fn interleave_any<W: Copy, const HEADINGS: usize>(states: &mut [W], rows: &[W]) {
    let (cells, _) = states.as_chunks_mut::<HEADINGS>();
    let width = cells.len();
    let rows: [&[W]; HEADINGS] = std::array::from_fn(|heading| &rows[heading * width..][..width]);
    for (column, cell) in cells.iter_mut().enumerate() {
        *cell = std::array::from_fn(|heading| rows[heading][column]);
    }
}

fn interleave_4<W: Copy + Default>(fours: &mut [[[W; 2]; 2]], [a, b, c, d]: [&[W]; 4]) {
    const BLOCK: usize = 64;
    let (mut low, mut high) = ([[W::default(); 2]; BLOCK], [[W::default(); 2]; BLOCK]);
    let rows = a.chunks(BLOCK).zip(b.chunks(BLOCK)).zip(c.chunks(BLOCK).zip(d.chunks(BLOCK)));
    for (fours, ((a, b), (c, d))) in fours.chunks_mut(BLOCK).zip(rows) {
        let n = fours.len();
        let (low, high) = (&mut low[..n], &mut high[..n]);
        for (two, (&a, &b)) in low.iter_mut().zip(a.iter().zip(b)) {
            *two = [a, b];
        }
        for (two, (&c, &d)) in high.iter_mut().zip(c.iter().zip(d)) {
            *two = [c, d];
        }
        for (four, (&low, &high)) in fours.iter_mut().zip(low.iter().zip(&*high)) {
            *four = [low, high];
        }
    }
}

/// Legal poses without any legal move: there are few, and all others are told by their words.
#[derive(Clone, Debug, Default)]
pub(crate) struct StillPoses {
    /// One bit a state; empty as long as there is none.
    bits: Vec<u64>,
}

impl StillPoses {
    #[inline]
    pub fn contains(&self, state: usize) -> bool {
        self.bits.get(state / 64).is_some_and(|bits| bits >> (state % 64) & 1 == 1)
    }

    /// Whether there is one in a row of states, or close to it.
    fn any_near(&self, row: &Range<usize>) -> bool {
        let words = row.start / 64..(row.end / 64 + 1).min(self.bits.len());
        self.bits.get(words).is_some_and(|bits| bits.iter().any(|&bits| bits != 0))
    }

    /// Tells the poses of a row at one heading by their levels and words, before the words take the place of
    /// the old ones; says what became of those without a move before and after.
    fn set_row<W: MoveWord>(
        &mut self,
        row: Range<usize>,
        states: impl Iterator<Item = usize>,
        levels: &[W::Level],
        words: &[W],
        old_words: &[W],
    ) -> Update {
        let mut update = Update::default();
        let is_still = |level: W::Level, word: W| (level != W::Level::default()) & (word == W::default());
        let any = levels.iter().zip(words).fold(false, |any, (&level, &word)| any | is_still(level, word));
        if !any && !self.any_near(&row) {
            return update;
        }
        if self.bits.is_empty() {
            self.bits = vec![0; old_words.len().div_ceil(64)];
        }
        for ((state, &level), &word) in states.zip(levels).zip(words) {
            let (was, is) = (self.contains(state), is_still(level, word));
            if was != is {
                self.bits[state / 64] ^= 1 << (state % 64);
                if word == W::default() && old_words[state] == W::default() {
                    update.changed = true;
                    update.eased |= is;
                }
            }
        }
        update
    }
}

/// A primitive has more different times than the layout has codes.
pub(crate) struct TooManyTimes;

/// Times of moves on slopes, and their codes.
pub(crate) struct SlopeTimes<'a> {
    /// `[height * width]`; `None` where heights do not matter.
    pub elevation: Option<&'a [i16]>,
    pub speeds: &'a [u16],
    pub codes: &'a mut [BTreeMap<u32, u32>],
    pub times: &'a mut [u32],
    pub costs: &'a mut [i64; COSTS],
    pub least_ticks: &'a mut [u32],
    pub most_ticks: &'a mut u32,
}

impl SlopeTimes<'_> {
    /// Code of a time; a new one if it has none yet.
    fn code<W: MoveWord>(&mut self, primitive: usize, ticks: u32) -> Result<u32, TooManyTimes> {
        if !W::NUMBERED {
            self.widen(primitive, ticks);
            return Ok(ticks);
        }
        let codes = &mut self.codes[primitive];
        if let Some(&code) = codes.get(&ticks) {
            return Ok(code);
        }
        let code = codes.len() as u32 + 1;
        if code > W::CODE_MAX {
            return Err(TooManyTimes);
        }
        codes.insert(ticks, code);
        self.times[primitive << W::BITS | code as usize] = ticks;
        W::note_cost(self.costs, primitive, code, ticks);
        self.widen(primitive, ticks);
        Ok(code)
    }

    fn widen(&mut self, primitive: usize, ticks: u32) {
        self.least_ticks[primitive] = self.least_ticks[primitive].min(ticks);
        *self.most_ticks = (*self.most_ticks).max(ticks);
    }
}

impl HeightRows {
    fn read_before(&mut self, elevation: &[i16], size: GridSize, place: (i32, i32, usize), cells: &[Offset]) {
        read_heights(&mut self.before_high, &mut self.before_low, elevation, size, place, cells);
    }

    fn read_after(&mut self, elevation: &[i16], size: GridSize, place: (i32, i32, usize), cells: &[Offset]) {
        read_heights(&mut self.after_high, &mut self.after_low, elevation, size, place, cells);
    }

    /// Sets the levels to 0 where the body would tilt too far.
    fn close_tilted<L: Level>(&self, levels: &mut [L], climb: &Climb) {
        for (column, level) in levels.iter_mut().enumerate() {
            if !tilts(climb, i32::from(self.before_high[column]) - i32::from(self.before_low[column])) {
                *level = L::default();
            }
        }
    }

    /// Rise of the move from a column's anchor, if the class can take it and the tilt at both ends.
    fn rise(&self, column: usize, climb: &Climb) -> Option<i32> {
        let [before, before_low, after, after_low] =
            [&self.before_high, &self.before_low, &self.after_high, &self.after_low]
                .map(|row| i32::from(row[column]));
        let rise = after - before;
        let legal =
            tilts(climb, before - before_low) && tilts(climb, after - after_low) && climbs(climb, rise);
        legal.then_some(rise)
    }
}

/// Highest and lowest of the cells about each anchor of a row; cells off the map do not count.
fn read_heights(
    high: &mut Vec<i16>,
    low: &mut Vec<i16>,
    elevation: &[i16],
    size: GridSize,
    (x, y, length): (i32, i32, usize),
    cells: &[Offset],
) {
    high.clear();
    high.resize(length, i16::MIN);
    low.clear();
    low.resize(length, i16::MAX);
    for offset in cells {
        let row = y + offset.dy;
        if !(0..size.height() as i32).contains(&row) {
            continue;
        }
        let first = i64::from(x) + i64::from(offset.dx);
        let from = (-first).clamp(0, length as i64) as usize;
        let to = (i64::from(size.width()) - first).clamp(0, length as i64) as usize;
        if from >= to {
            continue;
        }
        let start = (i64::from(row) * i64::from(size.width()) + first + from as i64) as usize;
        let source = &elevation[start..start + (to - from)];
        for ((high, low), &height) in high[from..to].iter_mut().zip(&mut low[from..to]).zip(source) {
            *high = (*high).max(height);
            *low = (*low).min(height);
        }
    }
}

/// `row[i] = min(row[i], plane[(x + i, y) + offset])`, 0 where that is off the map.
fn lower_row<L: Level>(row: &mut [L], plane: &[L], size: GridSize, x: i32, y: i32, offset: Offset) {
    let Some(part) = close_off_map(row, size, x, y, offset) else { return };
    let start = (y + offset.dy) as usize * size.width() as usize;
    let from = (start as i64 + i64::from(x) + i64::from(offset.dx) + part.start as i64) as usize;
    let source = &plane[from..from + part.len()];
    for (level, &other) in row[part].iter_mut().zip(source) {
        *level = (*level).min(other);
    }
}

/// Sets the row to 0 where `(x + i, y) + offset` is off the map; returns the part that is on it.
fn close_off_map<L: Level>(
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
