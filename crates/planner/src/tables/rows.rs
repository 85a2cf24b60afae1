//! Compiling a class against a map, one row of anchors at a time.
//!
//! The speed class of a pose is the minimum over its footprint, and a move sweeps at least the footprints at both ends.
//! So the classes of all poses of a row are computed once per footprint. A move takes the lower of two of them, lowered
//! further by its remaining swept cells. Where everything that can be swept equals the row above, so do the words: most
//! of a map is copied.

use crate::model::pose::StateSpace;
use crate::model::successor::{SLOPE_FLAT, move_time, slope_of};
use crate::tables::change_log::{ChangeLog, slots_of};
use crate::tables::isolated_poses::{HeadingStates, IsolatedPoses};
use crate::tables::move_words::{MoveWord, SpeedClass};
use crate::tables::moves::{COST_ENTRIES, Update};
use crate::tables::plan::OffsetRect;
use crate::tables::row_words::{AnchorRow, RowContext, interleave, set_four, state_rows};
use crate::tables::slopes::{HeightRows, SlopeTimes, TooManyTimes};
use crate::tables::speed_classes::{KindSpeedClasses, SpeedLayers};
use crate::tables::window::Window;
use std::ops::Range;
use wheelbase_grid::{GridSize, Rect};

/// Move words and speed classes in one layout.
#[derive(Clone, Debug)]
pub(crate) struct Layout<W: MoveWord> {
    /// `[n_states]`.
    pub words: Vec<W>,
    pub layers: SpeedLayers<W::SpeedClass>,
    rows: Rows<W>,
    window: Window<W>,
    /// Words of some anchors before an update, row-major.
    before: Vec<W>,
}

/// Rows in progress, kept so that an update does not allocate.
#[derive(Clone, Debug)]
struct Rows<W: MoveWord> {
    /// Speed classes of the poses of some rows, `[(y modulo rows) * bodies + body][column]`, extended by the
    /// margin on either side; 0 where the anchor is off the map.
    poses: Vec<W::SpeedClass>,
    /// The map row that each of them holds.
    held_rows: Vec<Option<i32>>,
    /// Speed classes of four moves, `[4][column]`.
    moves: Vec<W::SpeedClass>,
    /// `[heading][column]`, and the same as `[column][heading]`.
    words: Vec<W>,
    states: Vec<W>,
    heights: HeightRows,
    spans: [Vec<W::SpeedClass>; 2],
}

impl<W: MoveWord> Layout<W> {
    /// A layout without compiled states.
    pub fn new(space: StateSpace) -> Self {
        Self {
            words: Vec::new(),
            layers: SpeedLayers::new(space.size()),
            rows: Rows {
                poses: Vec::new(),
                held_rows: Vec::new(),
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
            self.layers.n_speed_classes() + rows.poses.capacity() + rows.moves.capacity() + spans;
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

    /// Code of a time on slopes, allocated on first use.
    pub fn code_of(
        &self,
        slopes: &mut SlopeTimes<'_>,
        primitive: usize,
        ticks: u32,
    ) -> Result<u32, TooManyTimes> {
        slopes.code::<W>(primitive, ticks)
    }

    /// Records in the kernel's table the time that a code of a slot stands for.
    pub fn note_cost(&self, costs: &mut [i64; COST_ENTRIES], slot: usize, code: u32, ticks: u32) {
        W::note_cost(costs, slot, code, ticks);
    }

    /// Compiles every state of a map.
    pub fn compile_all(
        &mut self,
        context: &RowContext<'_>,
        speed_classes: (&KindSpeedClasses<'_>, bool),
        isolated: &mut IsolatedPoses,
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<(), TooManyTimes> {
        let Self { words, layers, rows, .. } = self;
        layers.read_all(speed_classes.0, speed_classes.1);
        let size = context.space.size();
        let (width, headings) = (size.width() as usize, context.space.headings() as usize);
        let n_states = context.space.n_states();
        words.clear();
        words.reserve_exact(n_states);
        let ring = rows.begin(context, size.rect());
        let mut repeated = RepeatedRows::new(size, context.space.shape().n_parities());
        for y in 0..size.height() as i32 {
            repeated.find_new_columns(layers, slopes.elevation, &context.plan.span, y);
            let first_of_row = words.len();
            // Distance in words to the same state in the row above of the same parity.
            let above = repeated.period as usize * width * headings;
            let mut copied_to = 0;
            for columns in &repeated.new_columns {
                copy_words(words, copied_to..columns.start, first_of_row, above, headings);
                copied_to = columns.end;
                let anchors = AnchorRow { x: columns.start as i32, y, width: columns.len() };
                let any_isolated = rows.compile_part(context, layers, &ring, anchors, slopes)?;
                let first = words.len();
                for heading in slots_of(any_isolated) {
                    let states = HeadingStates { first, heading, headings, n_states };
                    let row = heading * columns.len()..(heading + 1) * columns.len();
                    let poses = rows.speed_classes(context, &ring, y, columns, heading);
                    isolated.add_row(states, poses, &rows.words[row]);
                }
                words.resize(first + columns.len() * headings, W::default());
                interleave(&mut words[first..], &rows.words[..columns.len() * headings], headings);
            }
            copy_words(words, copied_to..width, first_of_row, above, headings);
            // Copied states always have a row above, so these are never in the first rows.
            let mut copied_from = 0;
            let ends = repeated.new_columns.iter().map(|new| (new.start, new.end)).chain([(width, width)]);
            for (end, next) in ends {
                if end > copied_from {
                    let first = first_of_row + copied_from * headings;
                    let source = first - above..first_of_row + end * headings - above;
                    isolated.add_copies(source, first, n_states);
                }
                copied_from = next;
            }
        }
        Ok(())
    }

    /// Recompiles every state with its anchor in `anchors`. On failure nothing is changed.
    pub fn update(
        &mut self,
        context: &RowContext<'_>,
        anchors: Rect,
        isolated: &mut IsolatedPoses,
        slopes: &mut SlopeTimes<'_>,
        change_log: &mut ChangeLog<'_>,
    ) -> Result<Update, TooManyTimes> {
        if W::NUMBERED && slopes.elevation.is_none() {
            let Self { words, layers, window, .. } = self;
            if window.fits(context, anchors) {
                return Ok(window.update(
                    context,
                    anchors,
                    layers,
                    (words, slopes.times),
                    isolated,
                    change_log,
                ));
            }
            return self.update_rows(context, anchors, isolated, slopes, change_log);
        }
        self.before.clear();
        for row in state_rows(context.space, anchors) {
            self.before.extend_from_slice(&self.words[row]);
        }
        let mut rows = state_rows(context.space, anchors);
        let first = rows.next().map_or(0, |row| row.start);
        isolated.keep(&(first..rows.last().map_or(first, |row| row.end)));
        let updated = self.update_rows(context, anchors, isolated, slopes, change_log);
        if updated.is_err() {
            isolated.restore();
            let mut before = &*self.before;
            for row in state_rows(context.space, anchors) {
                let (of_row, rest) = before.split_at(row.len());
                self.words[row].copy_from_slice(of_row);
                before = rest;
            }
        }
        updated
    }

    fn update_rows(
        &mut self,
        context: &RowContext<'_>,
        anchors: Rect,
        isolated: &mut IsolatedPoses,
        slopes: &mut SlopeTimes<'_>,
        change_log: &mut ChangeLog<'_>,
    ) -> Result<Update, TooManyTimes> {
        let Self { words, layers, rows, .. } = self;
        let (headings, n_states) = (context.space.headings() as usize, words.len());
        let mut update = Update::default();
        let ring = rows.begin(context, anchors);
        let columns = anchors.x as usize..anchors.x as usize + anchors.width as usize;
        for (y, row) in (anchors.y..).zip(state_rows(context.space, anchors)) {
            rows.compile_part(
                context,
                layers,
                &ring,
                AnchorRow { x: anchors.x, y, width: columns.len() },
                slopes,
            )?;
            let old_words = &mut words[row.clone()];
            for heading in 0..headings {
                let states = HeadingStates { first: row.start, heading, headings, n_states };
                let new = &rows.words[heading * columns.len()..][..columns.len()];
                let poses = rows.speed_classes(context, &ring, y, &columns, heading);
                let on_change = |state| change_log.pose(state);
                update = update.or(isolated.set_row(states, poses, new, old_words, on_change));
            }
            rows.states.resize(old_words.len(), W::default());
            interleave(&mut rows.states, &rows.words[..columns.len() * headings], headings);
            update = update.or(change_log.replace(old_words, &rows.states, row.start, slopes.times));
        }
        Ok(update)
    }
}

/// Appends the words of some columns of a row as copies of the row above.
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

/// Columns compared as a unit when rows are compared.
const BLOCK: usize = 8;
/// Copying fewer columns between two compiled parts costs more than compiling them too.
const COPIED_MIN: usize = 128;

/// Granularity in columns of compiled parts: the longest vector the machine works on; a remainder is processed
/// column by column.
const VECTOR: usize = 16;

/// Finds the columns of a row of anchors that sweep the same values as the row above. On hexagonal maps this is
/// the row above of the same parity.
struct RepeatedRows {
    /// Distance between rows of the same parity.
    period: i32,
    /// Number of successive rows equal to the row above of the same parity, by block of columns.
    runs: Vec<u32>,
    /// Rows compared so far.
    n_rows: i32,
    /// Columns of the last requested row that may differ from the row above, from west to east.
    new_columns: Vec<Range<usize>>,
}

impl RepeatedRows {
    fn new(size: GridSize, n_kinds: u8) -> Self {
        let n_blocks = (size.width() as usize).div_ceil(BLOCK);
        Self { period: i32::from(n_kinds), runs: vec![0; n_blocks], n_rows: 0, new_columns: Vec::new() }
    }

    /// Rows must be requested in ascending order.
    fn find_new_columns<L: SpeedClass>(
        &mut self,
        layers: &SpeedLayers<L>,
        elevation: Option<&[i16]>,
        span: &OffsetRect,
        y: i32,
    ) {
        let (width, height) = (layers.size.width() as usize, layers.size.height() as i32);
        self.new_columns.clear();
        // Beyond the border nothing equals the row inside.
        if y + span.low.dy < self.period || y + span.high.dy >= height {
            self.new_columns.push(0..width);
            return;
        }
        while self.n_rows <= y + span.high.dy {
            self.compare_row(layers, elevation, self.n_rows);
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

    fn compare_row<L: SpeedClass>(&mut self, layers: &SpeedLayers<L>, elevation: Option<&[i16]>, y: i32) {
        if y < self.period {
            return;
        }
        let width = layers.size.width() as usize;
        let (here, above) = (y as usize * width, (y - self.period) as usize * width);
        self.runs.iter_mut().for_each(|run| *run += 1);
        end_runs(&mut self.runs, &layers.cells[here..][..width], &layers.cells[above..][..width]);
        for edges in layers.edges.iter().filter(|edges| !edges.is_empty()) {
            end_runs(&mut self.runs, &edges[here..][..width], &edges[above..][..width]);
        }
        if let Some(heights) = elevation {
            end_runs(&mut self.runs, &heights[here..][..width], &heights[above..][..width]);
        }
    }
}

/// Resets the runs of the blocks in which two rows differ.
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

/// A ring buffer of rows of poses.
struct Ring {
    /// Column of the first entry of a row.
    x: i32,
    stride: usize,
    n_rows: usize,
    n_bodies: usize,
}

impl Ring {
    fn slot(&self, y: i32) -> usize {
        y.rem_euclid(self.n_rows as i32) as usize
    }

    /// Index of a body's entry for an anchor.
    fn at(&self, (x, y): (i32, i32), body: usize) -> usize {
        (self.slot(y) * self.n_bodies + body) * self.stride + (x - self.x) as usize
    }
}

impl<W: MoveWord> Rows<W> {
    /// Prepares the buffers for rows of anchors; the ring starts empty.
    fn begin(&mut self, context: &RowContext<'_>, anchors: Rect) -> Ring {
        let margin = context.plan.margin;
        let ring = Ring {
            x: anchors.x - margin.dx,
            stride: anchors.width as usize + 2 * margin.dx as usize,
            n_rows: (2 * margin.dy + 1) as usize,
            n_bodies: context.plan.bodies.len(),
        };
        self.poses.resize(ring.n_rows * ring.n_bodies * ring.stride, W::SpeedClass::default());
        self.held_rows.clear();
        self.held_rows.resize(ring.n_rows, None);
        let width = anchors.width as usize;
        if self.moves.len() < 4 * width {
            self.moves.resize(4 * width, W::SpeedClass::default());
        }
        if self.words.len() < context.space.headings() as usize * width {
            self.words.resize(context.space.headings() as usize * width, W::default());
        }
        ring
    }

    /// Speed classes of the poses of some columns at a heading; their row must be in the ring.
    fn speed_classes(
        &self,
        context: &RowContext<'_>,
        ring: &Ring,
        y: i32,
        columns: &Range<usize>,
        heading: usize,
    ) -> &[W::SpeedClass] {
        let at = ring.at((columns.start as i32, y), context.body(y, heading));
        &self.poses[at..at + columns.len()]
    }

    /// Compiles anchors from `(x, y)` on at all headings. Returns a bit per heading; if clear, there is no
    /// isolated pose.
    fn compile_part(
        &mut self,
        context: &RowContext<'_>,
        layers: &SpeedLayers<W::SpeedClass>,
        ring: &Ring,
        anchors: AnchorRow,
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<u32, TooManyTimes> {
        let margin = context.plan.margin.dy;
        for y in anchors.y - margin..=anchors.y + margin {
            if self.held_rows[ring.slot(y)] != Some(y) {
                self.read_poses(context, layers, ring, y, slopes);
                self.held_rows[ring.slot(y)] = Some(y);
            }
        }
        let mut isolated = 0;
        for heading in 0..context.space.headings() as usize {
            let mut any = false;
            // Once without moves too: the poses of a building are all isolated.
            for first in (0..context.class.primitives().len().max(1)).step_by(4) {
                any = self.read_moves(context, layers, ring, anchors, (heading, first), slopes)?;
            }
            isolated |= u32::from(any) << heading;
        }
        Ok(isolated)
    }

    /// Computes the speed classes of the poses of a row for all bodies.
    fn read_poses(
        &mut self,
        context: &RowContext<'_>,
        layers: &SpeedLayers<W::SpeedClass>,
        ring: &Ring,
        y: i32,
        slopes: &SlopeTimes<'_>,
    ) {
        let on_map = (0..layers.size.height() as i32).contains(&y);
        for heading in 0..context.space.headings() as usize {
            let number = context.body(y, heading);
            if (0..heading).any(|other| context.body(y, other) == number) {
                continue;
            }
            let body = &context.plan.bodies[number];
            let at = ring.at((ring.x, y), number);
            let row = &mut self.poses[at..at + ring.stride];
            if !on_map {
                row.fill(W::SpeedClass::default());
                continue;
            }
            layers.read_body(row, (ring.x, y), body, &mut self.spans);
            if let Some(elevation) = slopes.elevation {
                let anchors = AnchorRow { x: ring.x, y, width: ring.stride };
                self.heights.read_before(elevation, layers.size, anchors, &body.cells);
                self.heights.close_tilted(row, &context.class.spec().climb);
            }
        }
    }

    /// Compiles four primitives at a heading, starting with `first`, for the anchors of a row from `(x, y)` on.
    /// Returns whether any pose may be legal without a move so far.
    fn read_moves(
        &mut self,
        context: &RowContext<'_>,
        layers: &SpeedLayers<W::SpeedClass>,
        ring: &Ring,
        anchors: AnchorRow,
        (heading, first): (usize, usize),
        slopes: &mut SlopeTimes<'_>,
    ) -> Result<bool, TooManyTimes> {
        let AnchorRow { x, y, width } = anchors;
        let Self { poses, moves, words, heights, .. } = self;
        let poses = &*poses;
        let n_primitives = context.class.primitives().len();
        let frame = context.frame(y, heading);
        let plans = &context.plan.moves[frame.0 as usize * n_primitives..][..n_primitives];
        let words = &mut words[heading * width..][..width];
        let rest = &poses[ring.at((x, y), context.body(y, heading))..][..width];
        // For each of the four: the row of poses at its end, or a separate row.
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
            if plan.end_in_rows && plan.cells.is_empty() && (plan.edges.is_empty() || !layers.has_edges()) {
                return end;
            }
            own.copy_from_slice(end);
            layers.lower(own, (x, y), plan);
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
            heights.read_before(elevation, layers.size, anchors, context.class.footprint().at(frame));
        }
        let climb = &context.class.spec().climb;
        for ((primitive, plan), end) in (first..).zip(&plans[first..]).zip(ends) {
            let base = context.class.primitives()[primitive].time;
            if let Some(elevation) = slopes.elevation {
                let ends = AnchorRow { x: x + plan.step.dx, y: y + plan.step.dy, width };
                heights.read_after(
                    elevation,
                    layers.size,
                    ends,
                    context.class.footprint().at(plan.frame_after),
                );
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
