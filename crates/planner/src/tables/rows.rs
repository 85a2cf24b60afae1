//! Compiling a class against a map, a row of anchors at a time.
//!
//! The level of a pose is the least over its footprint, and a move sweeps at least the footprints at its
//! two ends. So the levels of all poses of a row are worked out once a footprint, and a move takes the lesser
//! of two of them, less what it sweeps beside. Where all that can be swept is as it is one row further up,
//! so are the words: most of a map is copied.

use crate::model::pose::StateSpace;
use crate::model::successor::{SLOPE_FLAT, move_time, slope_of};
use crate::tables::change_log::{ChangeLog, slots_of};
use crate::tables::isolated_poses::IsolatedPoses;
use crate::tables::move_words::{MoveWord, SpeedClass};
use crate::tables::plan::Reach;
use crate::tables::row_words::{RowsOf, interleave, set_four, state_rows};
use crate::tables::slopes::{HeightRows, SlopeTimes, TooManyTimes};
use crate::tables::speed_classes::{Planes, SpeedClassesOf};
use crate::tables::steps::{COSTS, Update};
use crate::tables::window::Window;
use std::ops::Range;
use wheelbase_grid::{GridSize, Rect};

/// Words and speed levels of one layout.
#[derive(Clone, Debug)]
pub(crate) struct Layout<W: MoveWord> {
    /// `[n_states]`.
    pub words: Vec<W>,
    pub planes: Planes<W::SpeedClass>,
    rows: Rows<W>,
    window: Window<W>,
    /// Words of some anchors before an update, row-major.
    before: Vec<W>,
}

/// Rows being worked on, kept so that an update allocates nothing.
#[derive(Clone, Debug)]
struct Rows<W: MoveWord> {
    /// Levels of the poses of some rows, `[(y modulo rows) * bodies + body][column]`, wider than the
    /// anchors by the margin on either side; 0 where the anchor is off the map.
    poses: Vec<W::SpeedClass>,
    /// Which row each of them holds.
    held: Vec<Option<i32>>,
    /// Levels of four moves, `[4][column]`.
    moves: Vec<W::SpeedClass>,
    /// `[heading][column]`, and the same as `[column][heading]`.
    words: Vec<W>,
    states: Vec<W>,
    heights: HeightRows,
    spans: [Vec<W::SpeedClass>; 2],
}

impl<W: MoveWord> Layout<W> {
    /// One of which nothing is compiled yet.
    pub fn new(space: StateSpace) -> Self {
        Self {
            words: Vec::new(),
            planes: Planes::new(space.size()),
            rows: Rows {
                poses: Vec::new(),
                held: Vec::new(),
                moves: Vec::new(),
                words: Vec::new(),
                states: Vec::new(),
                heights: HeightRows::default(),
                spans: [Vec::new(), Vec::new()],
            },
            window: Window::default(),
            before: Vec::new(),
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let rows = &self.rows;
        let words =
            self.words.capacity() + self.before.capacity() + rows.words.capacity() + rows.states.capacity();
        let spans: usize = rows.spans.iter().map(Vec::capacity).sum();
        let speed_classes =
            self.planes.n_speed_classes() + rows.poses.capacity() + rows.moves.capacity() + spans;
        words * size_of::<W>() + speed_classes * size_of::<W::SpeedClass>() + self.window.memory_bytes()
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
    pub fn note_cost(&self, costs: &mut [i64; COSTS], slot: usize, code: u32, ticks: u32) {
        W::note_cost(costs, slot, code, ticks);
    }

    /// Compiles every state of a map.
    pub fn compile_all(
        &mut self,
        of: &RowsOf<'_>,
        speed_classes: (&SpeedClassesOf<'_>, bool),
        isolated: &mut IsolatedPoses,
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<(), TooManyTimes> {
        let Self { words, planes, rows, .. } = self;
        planes.read_all(speed_classes.0, speed_classes.1);
        let size = of.space.size();
        let (width, headings) = (size.width() as usize, of.space.headings() as usize);
        let n_states = of.space.n_states();
        words.clear();
        words.reserve_exact(n_states);
        let ring = rows.begin(of, size.rect());
        let mut alike = AlikeRows::new(size, of.space.shape().n_parities());
        for y in 0..size.height() as i32 {
            alike.find_new_columns(planes, slopes.elevation, &of.plan.span, y);
            let first_of_row = words.len();
            // What is as in the row above of the same kind begins so many words before.
            let above = alike.period as usize * width * headings;
            let mut copied_to = 0;
            for columns in &alike.new_columns {
                copy_words(words, copied_to..columns.start, first_of_row, above, headings);
                copied_to = columns.end;
                let place = (columns.start as i32, y, columns.len());
                let any_isolated = rows.compile_part(of, planes, &ring, place, slopes)?;
                let first = words.len();
                for heading in slots_of(any_isolated) {
                    let place = (first + heading, headings, n_states);
                    let row = heading * columns.len()..(heading + 1) * columns.len();
                    let poses = rows.speed_classes(of, &ring, y, columns, heading);
                    isolated.add_row(place, poses, &rows.words[row]);
                }
                words.resize(first + columns.len() * headings, W::default());
                interleave(&mut words[first..], &rows.words[..columns.len() * headings], headings);
            }
            copy_words(words, copied_to..width, first_of_row, above, headings);
            // Of what was copied, and so never in the first rows.
            let mut copied_from = 0;
            let ends = alike.new_columns.iter().map(|new| (new.start, new.end)).chain([(width, width)]);
            for (end, next) in ends {
                if end > copied_from {
                    let first = first_of_row + copied_from * headings;
                    let of = first - above..first_of_row + end * headings - above;
                    isolated.add_copies(of, first, n_states);
                }
                copied_from = next;
            }
        }
        Ok(())
    }

    /// Compiles every state whose anchor lies in `anchors` once more. Where that fails, nothing is changed.
    pub fn update(
        &mut self,
        of: &RowsOf<'_>,
        anchors: Rect,
        isolated: &mut IsolatedPoses,
        slopes: &mut SlopeTimes<'_>,
        change_log: &mut ChangeLog<'_>,
    ) -> Result<Update, TooManyTimes> {
        if W::NUMBERED && slopes.elevation.is_none() {
            let Self { words, planes, window, .. } = self;
            if window.fits(of, anchors) {
                return Ok(window.update(of, anchors, planes, (words, slopes.times), isolated, change_log));
            }
            return self.update_rows(of, anchors, isolated, slopes, change_log);
        }
        self.before.clear();
        for row in state_rows(of.space, anchors) {
            self.before.extend_from_slice(&self.words[row]);
        }
        let mut rows = state_rows(of.space, anchors);
        let first = rows.next().map_or(0, |row| row.start);
        isolated.keep(&(first..rows.last().map_or(first, |row| row.end)));
        let updated = self.update_rows(of, anchors, isolated, slopes, change_log);
        if updated.is_err() {
            isolated.restore();
            let mut before = &*self.before;
            for row in state_rows(of.space, anchors) {
                let (of_row, rest) = before.split_at(row.len());
                self.words[row].copy_from_slice(of_row);
                before = rest;
            }
        }
        updated
    }

    fn update_rows(
        &mut self,
        of: &RowsOf<'_>,
        anchors: Rect,
        isolated: &mut IsolatedPoses,
        slopes: &mut SlopeTimes<'_>,
        change_log: &mut ChangeLog<'_>,
    ) -> Result<Update, TooManyTimes> {
        let Self { words, planes, rows, .. } = self;
        let (headings, n_states) = (of.space.headings() as usize, words.len());
        let mut update = Update::default();
        let ring = rows.begin(of, anchors);
        let columns = anchors.x as usize..anchors.x as usize + anchors.width as usize;
        for (y, row) in (anchors.y..).zip(state_rows(of.space, anchors)) {
            rows.compile_part(of, planes, &ring, (anchors.x, y, columns.len()), slopes)?;
            let old_words = &mut words[row.clone()];
            for heading in 0..headings {
                let place = (row.start, heading, headings, n_states);
                let new = &rows.words[heading * columns.len()..][..columns.len()];
                let poses = rows.speed_classes(of, &ring, y, &columns, heading);
                let told = |state| change_log.pose(state);
                update = update.or(isolated.set_row(place, poses, new, old_words, told));
            }
            rows.states.resize(old_words.len(), W::default());
            interleave(&mut rows.states, &rows.words[..columns.len() * headings], headings);
            update = update.or(change_log.replace(old_words, &rows.states, row.start, slopes.times));
        }
        Ok(update)
    }
}

/// Appends the words of some columns of a row as copies of those of the row above.
fn copy_words<W: MoveWord>(
    words: &mut Vec<W>,
    columns: Range<usize>,
    first_of_row: usize,
    above: usize,
    headings: usize,
) {
    if !columns.is_empty() {
        let first = first_of_row + columns.start * headings - above;
        words.extend_from_within(first..first + columns.len() * headings);
    }
}

/// Columns that are looked at together to find rows that are alike.
const BLOCK: usize = 8;
/// Copying fewer columns between two that are compiled costs more than compiling them too.
const COPIED_MIN: usize = 128;

/// Columns are compiled by a multiple of so many: the machine works on vectors of up to as many, and column
/// by column on what is left.
const VECTOR: usize = 16;

/// Finds what of a row of anchors can sweep the same as the anchors one row further up, or on hexagonal maps
/// two, where rows are even or odd.
struct AlikeRows {
    /// Rows from one to the next of the same kind.
    period: i32,
    /// How many rows in succession were each as the one above of the same kind, by block of columns.
    runs: Vec<u32>,
    /// Rows looked at.
    n_rows: i32,
    /// Columns of the row asked for last that may differ from the row above, from west to east.
    new_columns: Vec<Range<usize>>,
}

impl AlikeRows {
    fn new(size: GridSize, n_kinds: u8) -> Self {
        let n_blocks = (size.width() as usize).div_ceil(BLOCK);
        Self { period: i32::from(n_kinds), runs: vec![0; n_blocks], n_rows: 0, new_columns: Vec::new() }
    }

    /// Rows are asked for in rising order.
    fn find_new_columns<L: SpeedClass>(
        &mut self,
        planes: &Planes<L>,
        elevation: Option<&[i16]>,
        span: &Reach,
        y: i32,
    ) {
        let (width, height) = (planes.size.width() as usize, planes.size.height() as i32);
        self.new_columns.clear();
        // What lies beyond the border is not as the row inside.
        if y + span.low.dy < self.period || y + span.high.dy >= height {
            self.new_columns.push(0..width);
            return;
        }
        while self.n_rows <= y + span.high.dy {
            self.look_at(planes, elevation, self.n_rows);
            self.n_rows += 1;
        }
        let needed = (span.high.dy - span.low.dy + 1) as u32;
        for (block, _) in self.runs.iter().enumerate().filter(|(_, run)| **run < needed) {
            let first = (block * BLOCK) as i64;
            let from = (first - i64::from(span.high.dx)).max(0) as usize / VECTOR * VECTOR;
            let to = (first + BLOCK as i64 - i64::from(span.low.dx)).min(width as i64) as usize;
            let to = to.next_multiple_of(VECTOR).min(width);
            match self.new_columns.last_mut() {
                Some(last) if from < last.end + COPIED_MIN => last.end = to,
                _ => self.new_columns.push(from..to),
            }
        }
    }

    fn look_at<L: SpeedClass>(&mut self, planes: &Planes<L>, elevation: Option<&[i16]>, y: i32) {
        if y < self.period {
            return;
        }
        let width = planes.size.width() as usize;
        let (here, above) = (y as usize * width, (y - self.period) as usize * width);
        self.runs.iter_mut().for_each(|run| *run += 1);
        end_runs(&mut self.runs, &planes.cells[here..][..width], &planes.cells[above..][..width]);
        for edges in planes.edges.iter().filter(|edges| !edges.is_empty()) {
            end_runs(&mut self.runs, &edges[here..][..width], &edges[above..][..width]);
        }
        if let Some(heights) = elevation {
            end_runs(&mut self.runs, &heights[here..][..width], &heights[above..][..width]);
        }
    }
}

/// Ends the runs of the blocks in which two rows differ.
fn end_runs<T: Copy + PartialEq>(runs: &mut [u32], here: &[T], above: &[T]) {
    let (here, rest_here) = here.as_chunks::<BLOCK>();
    let (above, rest_above) = above.as_chunks::<BLOCK>();
    let (of_blocks, of_rest) = runs.split_at_mut(here.len());
    for (run, (here, above)) in of_blocks.iter_mut().zip(here.iter().zip(above)) {
        if here != above {
            *run = 0;
        }
    }
    if rest_here != rest_above {
        of_rest.fill(0);
    }
}

/// Which rows of poses are held.
struct Ring {
    /// Column of the first.
    x: i32,
    stride: usize,
    n_rows: usize,
    n_bodies: usize,
}

impl Ring {
    fn slot(&self, y: i32) -> usize {
        y.rem_euclid(self.n_rows as i32) as usize
    }

    /// Where the row of poses of a body begins at a column.
    fn at(&self, (x, y): (i32, i32), body: usize) -> usize {
        (self.slot(y) * self.n_bodies + body) * self.stride + (x - self.x) as usize
    }
}

impl<W: MoveWord> Rows<W> {
    /// Makes room for rows of anchors, none held yet.
    fn begin(&mut self, of: &RowsOf<'_>, anchors: Rect) -> Ring {
        let margin = of.plan.margin;
        let ring = Ring {
            x: anchors.x - margin.dx,
            stride: anchors.width as usize + 2 * margin.dx as usize,
            n_rows: (2 * margin.dy + 1) as usize,
            n_bodies: of.plan.bodies.len(),
        };
        self.poses.resize(ring.n_rows * ring.n_bodies * ring.stride, W::SpeedClass::default());
        self.held.clear();
        self.held.resize(ring.n_rows, None);
        let width = anchors.width as usize;
        if self.moves.len() < 4 * width {
            self.moves.resize(4 * width, W::SpeedClass::default());
        }
        if self.words.len() < of.space.headings() as usize * width {
            self.words.resize(of.space.headings() as usize * width, W::default());
        }
        ring
    }

    /// Levels of the poses of some columns at a heading; their row is held.
    fn speed_classes(
        &self,
        of: &RowsOf<'_>,
        ring: &Ring,
        y: i32,
        columns: &Range<usize>,
        heading: usize,
    ) -> &[W::SpeedClass] {
        let at = ring.at((columns.start as i32, y), of.body(y, heading));
        &self.poses[at..at + columns.len()]
    }

    /// Compiles anchors from `(x, y)` on at all headings. Returns one bit a heading: clear where no legal
    /// pose is without any move.
    fn compile_part(
        &mut self,
        of: &RowsOf<'_>,
        planes: &Planes<W::SpeedClass>,
        ring: &Ring,
        (x, y, width): (i32, i32, usize),
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<u32, TooManyTimes> {
        let margin = of.plan.margin.dy;
        for y in y - margin..=y + margin {
            if self.held[ring.slot(y)] != Some(y) {
                self.read_poses(of, planes, ring, y, slopes);
                self.held[ring.slot(y)] = Some(y);
            }
        }
        let mut isolated = 0;
        for heading in 0..of.space.headings() as usize {
            let mut any = false;
            for first in (0..of.class.primitives().len()).step_by(4) {
                any = self.read_moves(of, planes, ring, (x, y, width), (heading, first), slopes)?;
            }
            isolated |= u32::from(any) << heading;
        }
        Ok(isolated)
    }

    /// Works out the levels of the poses of a row in all bodies.
    fn read_poses(
        &mut self,
        of: &RowsOf<'_>,
        planes: &Planes<W::SpeedClass>,
        ring: &Ring,
        y: i32,
        slopes: &SlopeTimes<'_>,
    ) {
        let on_map = (0..planes.size.height() as i32).contains(&y);
        for heading in 0..of.space.headings() as usize {
            let number = of.body(y, heading);
            if (0..heading).any(|other| of.body(y, other) == number) {
                continue;
            }
            let body = &of.plan.bodies[number];
            let at = ring.at((ring.x, y), number);
            let row = &mut self.poses[at..at + ring.stride];
            if !on_map {
                row.fill(W::SpeedClass::default());
                continue;
            }
            planes.read_body(row, (ring.x, y), body, &mut self.spans);
            if let Some(elevation) = slopes.elevation {
                let place = (ring.x, y, ring.stride);
                self.heights.read_before(elevation, planes.size, place, &body.cells);
                self.heights.close_tilted(row, &of.class.spec().climb);
            }
        }
    }

    /// Works out four primitives, the first of them given, of the anchors of a row from `(x, y)` on at a
    /// heading. Returns whether some pose may be legal without any move so far.
    fn read_moves(
        &mut self,
        of: &RowsOf<'_>,
        planes: &Planes<W::SpeedClass>,
        ring: &Ring,
        (x, y, width): (i32, i32, usize),
        (heading, first): (usize, usize),
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<bool, TooManyTimes> {
        let Self { poses, moves, words, heights, .. } = self;
        let poses = &*poses;
        let n_primitives = of.class.primitives().len();
        let frame = of.frame(y, heading);
        let plans = &of.plan.moves[frame.0 as usize * n_primitives..][..n_primitives];
        let words = &mut words[heading * width..][..width];
        let rest = &poses[ring.at((x, y), of.body(y, heading))..][..width];
        // Of each of the four the row of poses at its end, or a row of its own.
        let (a, others) = moves.split_at_mut(width);
        let (b, others) = others.split_at_mut(width);
        let (c, d) = others.split_at_mut(width);
        let mut slot = first;
        let ends = [a, b, c, &mut d[..width]].map(|own| {
            let plan = plans.get(slot).filter(|plan| plan.applies);
            slot += 1;
            let Some(plan) = plan else {
                own.fill(W::SpeedClass::default());
                return &*own;
            };
            let end = match plan.end_in_rows {
                true => {
                    let at = ring.at((x + plan.step.dx, y + plan.step.dy), plan.body_after);
                    &poses[at..at + width]
                }
                false => rest,
            };
            if plan.end_in_rows && plan.cells.is_empty() && (plan.edges.is_empty() || !planes.has_edges()) {
                return end;
            }
            own.copy_from_slice(end);
            planes.lower(own, (x, y), plan);
            &*own
        });
        if W::NUMBERED && slopes.elevation.is_none() {
            return Ok(match first {
                0 => set_four::<W, true>(words, rest, ends, 0),
                _ => set_four::<W, false>(words, rest, ends, first),
            });
        }
        if first == 0 {
            words.fill(W::default());
        }
        if let Some(elevation) = slopes.elevation {
            let place = (x, y, width);
            heights.read_before(elevation, planes.size, place, of.class.footprint().at(frame));
        }
        let climb = &of.class.spec().climb;
        for ((primitive, plan), end) in (first..).zip(&plans[first..]).zip(ends) {
            let base = of.class.primitives()[primitive].time;
            if let Some(elevation) = slopes.elevation {
                let place = (x + plan.step.dx, y + plan.step.dy, width);
                heights.read_after(elevation, planes.size, place, of.class.footprint().at(plan.frame_after));
            }
            // Neighbouring cells mostly have the same speed and rise.
            let mut last = (0, 0, 0);
            for (column, word) in words.iter_mut().enumerate() {
                let speed_class = rest[column].min(end[column]).number();
                if speed_class == 0 {
                    continue;
                }
                let rise = match slopes.elevation {
                    Some(_) => heights.rise(column, climb),
                    None => Some(0),
                };
                let Some(rise) = rise else { continue };
                if (speed_class, rise) != (last.0, last.1) {
                    let slope = if slopes.elevation.is_some() { slope_of(climb, rise) } else { SLOPE_FLAT };
                    let ticks = move_time(base, slope, slopes.speeds[speed_class - 1]);
                    last = (speed_class, rise, slopes.code::<W>(primitive, ticks)?);
                }
                word.set(primitive, last.2);
            }
        }
        Ok(true)
    }
}
