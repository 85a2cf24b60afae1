//! Recompiling a few anchors, as after the placement of a building.
//!
//! All cells that the anchors read are copied into small contiguous buffers, from which passes over whole
//! buffers compute each body and each heading. In a buffer an offset `(dx, dy)` is a constant distance; values
//! computed for cells beside the window belong to no anchor and are ignored. Hexagonal maps, where the offsets
//! of a body depend on the row, are compiled by rows.

use crate::model::movement::EDGES_MAX;
use crate::model::offset::Offset;
use crate::tables::change_log::ChangeLog;
use crate::tables::isolated_poses::{HeadingStates, IsolatedPoses};
use crate::tables::move_words::{MoveWord, SpeedClass};
use crate::tables::moves::Update;
use crate::tables::row_words::{RowContext, interleave, set_four, state_rows};
use crate::tables::speed_classes::{SpeedLayers, edge_number, least_of_spans, lower_by};
use wheelbase_grid::{GridShape, Rect, Side};

/// Maximum number of cells that a window reads; passes over more leave the first-level cache.
const CELLS_MAX: u64 = 4096;

/// Padding of buffers, and granularity of passes over them: the longest vector the machine works on.
const VECTOR: usize = 16;

/// Buffers of a window, kept so that an update does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Window<W: MoveWord> {
    /// `[row][column]` of the cells that are read, and of the edges beyond their later sides.
    cells: Vec<W::SpeedClass>,
    edges: [Vec<W::SpeedClass>; EDGES_MAX],
    /// `[body][index]`, starting at the north-west anchor less the margin.
    poses: Vec<W::SpeedClass>,
    /// `[4][index]`, starting at the north-west anchor.
    moves: Vec<W::SpeedClass>,
    /// `[heading][index]`, and the same as `[index][heading]`.
    words: Vec<W>,
    states: Vec<W>,
    spans: [Vec<W::SpeedClass>; 2],
}

impl<W: MoveWord> Window<W> {
    pub fn memory_bytes(&self) -> usize {
        let words = self.words.capacity() + self.states.capacity();
        let speed_classes = self.cells.capacity() + self.poses.capacity() + self.moves.capacity();
        let rows: usize = self.edges.iter().chain(&self.spans).map(Vec::capacity).sum();
        words * size_of::<W>() + (speed_classes + rows) * size_of::<W::SpeedClass>()
    }
}

impl<W: MoveWord> Default for Window<W> {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            edges: Default::default(),
            poses: Vec::new(),
            moves: Vec::new(),
            words: Vec::new(),
            states: Vec::new(),
            spans: [Vec::new(), Vec::new()],
        }
    }
}

/// Index arithmetic for the buffers of a window.
#[derive(Clone, Copy)]
struct WindowLayout {
    /// Cells per row.
    stride: usize,
    /// Index of the north-west anchor among the cells, and among the poses.
    anchor: usize,
    anchor_among_poses: usize,
    /// Number of indices processed for poses and for anchors.
    n_poses: usize,
    n_anchors: usize,
}

impl WindowLayout {
    fn of(context: &RowContext<'_>, anchors: Rect) -> Self {
        let [pad, margin] = [context.plan.pad, context.plan.margin].map(|o| (o.dx as usize, o.dy as usize));
        let (width, height) = (anchors.width as usize, anchors.height as usize);
        let stride = width + 2 * pad.0;
        let n_poses = (height + 2 * margin.1 - 1) * stride + width + 2 * margin.0;
        let n_anchors = (height - 1) * stride + width;
        Self {
            stride,
            anchor: pad.1 * stride + pad.0,
            anchor_among_poses: margin.1 * stride + margin.0,
            n_poses: n_poses.next_multiple_of(VECTOR),
            n_anchors: n_anchors.next_multiple_of(VECTOR),
        }
    }

    /// The index at an offset from another.
    fn shifted(&self, index: usize, offset: Offset) -> usize {
        index.wrapping_add_signed(offset.dy as isize * self.stride as isize + offset.dx as isize)
    }
}

/// All cells that the anchors read.
fn cells_about(context: &RowContext<'_>, anchors: Rect) -> Rect {
    let pad = context.plan.pad;
    let (width, height) = (anchors.width + 2 * pad.dx as u32, anchors.height + 2 * pad.dy as u32);
    Rect::new(anchors.x - pad.dx, anchors.y - pad.dy, width, height)
}

impl<W: MoveWord> Window<W> {
    /// Whether the anchors can be compiled this way: few anchors, which read nothing off the map.
    pub fn fits(&self, context: &RowContext<'_>, anchors: Rect) -> bool {
        let cells = cells_about(context, anchors);
        context.space.shape() == GridShape::Square
            && !anchors.is_empty()
            && cells.n_cells() <= CELLS_MAX
            && cells.intersection(context.space.size().rect()) == cells
    }

    /// Compiles the anchors, replaces their words and returns the effect on their moves.
    pub fn update(
        &mut self,
        context: &RowContext<'_>,
        anchors: Rect,
        layers: &SpeedLayers<W::SpeedClass>,
        (words, times): (&mut [W], &[u32]),
        isolated: &mut IsolatedPoses,
        change_log: &mut ChangeLog<'_>,
    ) -> Update {
        let layout = WindowLayout::of(context, anchors);
        self.copy_cells(layers, cells_about(context, anchors));
        self.read_poses(context, &layout);
        let headings = context.space.headings() as usize;
        let n = layout.n_anchors;
        self.moves.resize(4 * n, W::SpeedClass::default());
        self.words.resize(headings * n, W::default());
        self.states.resize(headings * n, W::default());
        let mut any = !isolated.is_empty();
        for heading in 0..headings {
            let mut any_of_heading = false;
            // Once without moves too: the poses of a building are all isolated.
            for first in (0..context.class.primitives().len().max(1)).step_by(4) {
                any_of_heading = self.read_moves(context, &layout, heading, first);
            }
            any |= any_of_heading;
        }
        interleave(&mut self.states, &self.words, headings);
        let mut update = Update::default();
        let n_states = words.len();
        for (y, row) in state_rows(context.space, anchors).enumerate() {
            let (old_words, at) = (&mut words[row.clone()], y * layout.stride);
            for heading in (0..headings).filter(|_| any) {
                let states = HeadingStates { first: row.start, heading, headings, n_states };
                let speed_classes =
                    &self.speed_classes(context, &layout, heading)[at..][..anchors.width as usize];
                let new = &self.words[heading * n + at..][..anchors.width as usize];
                update = update
                    .or(isolated
                        .set_row(states, speed_classes, new, old_words, |state| change_log.pose(state)));
            }
            let new = &self.states[at * headings..][..old_words.len()];
            update = update.or(change_log.replace(old_words, new, row.start, times));
        }
        update
    }

    fn copy_cells(&mut self, layers: &SpeedLayers<W::SpeedClass>, cells: Rect) {
        let width = layers.size.width() as usize;
        let copies = std::iter::once(&mut self.cells).chain(&mut self.edges);
        for (copy, layer) in copies.zip(std::iter::once(&layers.cells).chain(&layers.edges)) {
            copy.clear();
            if layer.is_empty() {
                continue;
            }
            for y in cells.y as usize..cells.y as usize + cells.height as usize {
                copy.extend_from_slice(&layer[y * width + cells.x as usize..][..cells.width as usize]);
            }
            copy.resize(copy.len() + 2 * VECTOR, W::SpeedClass::default());
        }
    }

    fn read_poses(&mut self, context: &RowContext<'_>, layout: &WindowLayout) {
        let Self { cells, edges, poses, spans, .. } = self;
        let n = layout.n_poses;
        let first = layout.anchor - layout.anchor_among_poses;
        let each = n + VECTOR;
        poses.resize(context.plan.bodies.len() * each, W::SpeedClass::default());
        for (body, poses) in context.plan.bodies.iter().zip(poses.chunks_mut(each)) {
            let poses = &mut poses[..n];
            if !body.fits {
                poses.fill(W::SpeedClass::default());
                continue;
            }
            match body.block {
                Some((corner, width, height)) => {
                    let n = n + width - 1;
                    let span = &mut spans[0];
                    span.clear();
                    span.extend_from_slice(&cells[layout.shifted(first, corner)..][..n]);
                    for dy in 1..height as i32 {
                        let offset = corner.plus(Offset::new(0, dy));
                        lower_by(span, &cells[layout.shifted(first, offset)..][..n]);
                    }
                    least_of_spans(poses, spans, width);
                }
                None => {
                    poses.fill(W::SpeedClass::TOP);
                    lower_by_cells(poses, cells, &body.cells, |offset| layout.shifted(first, offset));
                }
            }
            lower_by_edges(poses, edges, &body.edges, |offset| layout.shifted(first, offset));
        }
    }

    /// Speed classes of the poses at a heading, from the north-west anchor on.
    fn speed_classes(
        &self,
        context: &RowContext<'_>,
        layout: &WindowLayout,
        heading: usize,
    ) -> &[W::SpeedClass] {
        let at = context.plan.body_of[heading] * (layout.n_poses + VECTOR) + layout.anchor_among_poses;
        &self.poses[at..at + layout.n_anchors]
    }

    /// Compiles four primitives at a heading, starting with `first`. Returns whether any pose may be legal
    /// without a move so far.
    fn read_moves(
        &mut self,
        context: &RowContext<'_>,
        layout: &WindowLayout,
        heading: usize,
        first: usize,
    ) -> bool {
        let Self { cells, edges, poses, moves, words, .. } = self;
        let poses = &*poses;
        let n = layout.n_anchors;
        let each = layout.n_poses + VECTOR;
        let n_primitives = context.class.primitives().len();
        let plans = &context.plan.moves[heading * n_primitives..][..n_primitives];
        let rest = &poses[context.plan.body_of[heading] * each + layout.anchor_among_poses..][..n];
        let mut slot = first;
        let mut moves = moves.chunks_mut(n);
        let ends = [(); 4].map(|()| {
            let own = moves.next().unwrap_or_default();
            let plan = plans.get(slot).filter(|plan| plan.applies);
            slot += 1;
            let Some(plan) = plan else {
                own.fill(W::SpeedClass::default());
                return &*own;
            };
            let end = match plan.end_in_rows {
                true => {
                    let at = layout.shifted(layout.anchor_among_poses, plan.step);
                    &poses[plan.body_after * each + at..][..n]
                }
                false => rest,
            };
            if plan.cells.is_empty() && (plan.edges.is_empty() || edges[0].is_empty()) {
                return end;
            }
            own.copy_from_slice(end);
            lower_by_cells(own, cells, &plan.cells, |offset| layout.shifted(layout.anchor, offset));
            lower_by_edges(own, edges, &plan.edges, |offset| layout.shifted(layout.anchor, offset));
            &*own
        });
        let words = &mut words[heading * n..][..n];
        match first {
            0 => set_four::<W, true>(words, rest, ends, 0),
            _ => set_four::<W, false>(words, rest, ends, first),
        }
    }
}

fn lower_by_cells<L: SpeedClass>(
    speed_classes: &mut [L],
    cells: &[L],
    offsets: &[Offset],
    index_of: impl Fn(Offset) -> usize,
) {
    for &offset in offsets {
        lower_by(speed_classes, &cells[index_of(offset)..][..speed_classes.len()]);
    }
}

fn lower_by_edges<L: SpeedClass>(
    speed_classes: &mut [L],
    layers: &[Vec<L>; EDGES_MAX],
    edges: &[(Offset, Side)],
    index_of: impl Fn(Offset) -> usize,
) {
    if layers[0].is_empty() {
        return;
    }
    for &(offset, side) in edges {
        lower_by(speed_classes, &layers[edge_number(side)][index_of(offset)..][..speed_classes.len()]);
    }
}
