//! Compiling a few anchors once more: what a building changes.
//!
//! All that the anchors can read is copied into one small plane, of which a pass over whole arrays then makes
//! each body and each heading. An offset `(dx, dy)` is the same distance everywhere in such a plane; what the
//! passes make of cells beside the window belongs to no anchor and is not looked at. Hexagonal maps, on which
//! the offsets of a body depend on the row, are compiled by rows.

use crate::model::movement::EDGES_MAX;
use crate::model::offset::Offset;
use crate::tables::change_log::ChangeLog;
use crate::tables::isolated_poses::IsolatedPoses;
use crate::tables::move_words::{MoveWord, SpeedClass};
use crate::tables::row_words::{RowsOf, interleave, set_four, state_rows};
use crate::tables::speed_classes::{Planes, edge_number, least_of_spans, lower_by};
use crate::tables::steps::Update;
use wheelbase_grid::{GridShape, Rect, Side};

/// Most cells that a window reads. Passes over more of them leave the first-level cache.
const CELLS_MAX: u64 = 4096;

/// Arrays are so much longer than what they hold, and passes go over a multiple of so many: the machine works
/// on vectors of up to as many.
const VECTOR: usize = 16;

/// The planes of a window, kept so that an update allocates nothing.
#[derive(Clone, Debug)]
pub(crate) struct Window<W: MoveWord> {
    /// `[row][column]` of the cells that are read, and of the edges beyond their later sides.
    cells: Vec<W::SpeedClass>,
    edges: [Vec<W::SpeedClass>; EDGES_MAX],
    /// `[body][place]`, from the north-west anchor less the margin on.
    poses: Vec<W::SpeedClass>,
    /// `[4][place]`, from the north-west anchor on.
    moves: Vec<W::SpeedClass>,
    /// `[heading][place]`, and the same as `[place][heading]`.
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

/// Where things lie in the planes of a window.
#[derive(Clone, Copy)]
struct Places {
    /// Cells in a row.
    stride: usize,
    /// Place of the north-west anchor among the cells, and among the poses.
    anchor: usize,
    anchor_of_poses: usize,
    /// Places gone over for poses and for anchors.
    n_poses: usize,
    n_anchors: usize,
}

impl Places {
    fn of(of: &RowsOf<'_>, anchors: Rect) -> Self {
        let [pad, margin] = [of.plan.pad, of.plan.margin].map(|o| (o.dx as usize, o.dy as usize));
        let (width, height) = (anchors.width as usize, anchors.height as usize);
        let stride = width + 2 * pad.0;
        let n_poses = (height + 2 * margin.1 - 1) * stride + width + 2 * margin.0;
        let n_anchors = (height - 1) * stride + width;
        Self {
            stride,
            anchor: pad.1 * stride + pad.0,
            anchor_of_poses: margin.1 * stride + margin.0,
            n_poses: n_poses.next_multiple_of(VECTOR),
            n_anchors: n_anchors.next_multiple_of(VECTOR),
        }
    }

    /// The place at an offset from another.
    fn shifted(&self, place: usize, offset: Offset) -> usize {
        place.wrapping_add_signed(offset.dy as isize * self.stride as isize + offset.dx as isize)
    }
}

/// All cells that the anchors can read.
fn cells_about(of: &RowsOf<'_>, anchors: Rect) -> Rect {
    let pad = of.plan.pad;
    let (width, height) = (anchors.width + 2 * pad.dx as u32, anchors.height + 2 * pad.dy as u32);
    Rect::new(anchors.x - pad.dx, anchors.y - pad.dy, width, height)
}

impl<W: MoveWord> Window<W> {
    /// Whether the anchors can be compiled so: there are few of them, and nothing that they read is off the
    /// map.
    pub fn fits(&self, of: &RowsOf<'_>, anchors: Rect) -> bool {
        let cells = cells_about(of, anchors);
        of.space.shape() == GridShape::Square
            && !anchors.is_empty()
            && cells.n_cells() <= CELLS_MAX
            && cells.intersection(of.space.size().rect()) == cells
    }

    /// Compiles the anchors and puts their words in place; says what became of their moves.
    pub fn update(
        &mut self,
        of: &RowsOf<'_>,
        anchors: Rect,
        planes: &Planes<W::SpeedClass>,
        (words, times): (&mut [W], &[u32]),
        isolated: &mut IsolatedPoses,
        change_log: &mut ChangeLog<'_>,
    ) -> Update {
        let places = Places::of(of, anchors);
        self.copy_cells(planes, cells_about(of, anchors));
        self.read_poses(of, &places);
        let headings = of.space.headings() as usize;
        let n = places.n_anchors;
        self.moves.resize(4 * n, W::SpeedClass::default());
        self.words.resize(headings * n, W::default());
        self.states.resize(headings * n, W::default());
        let mut any = !isolated.is_empty();
        for heading in 0..headings {
            let mut any_of_heading = false;
            for first in (0..of.class.primitives().len()).step_by(4) {
                any_of_heading = self.read_moves(of, &places, heading, first);
            }
            any |= any_of_heading;
        }
        interleave(&mut self.states, &self.words, headings);
        let mut update = Update::default();
        let n_states = words.len();
        for (y, row) in state_rows(of.space, anchors).enumerate() {
            let (old_words, at) = (&mut words[row.clone()], y * places.stride);
            for heading in (0..headings).filter(|_| any) {
                let place = (row.start, heading, headings, n_states);
                let speed_classes = &self.speed_classes(of, &places, heading)[at..][..anchors.width as usize];
                let new = &self.words[heading * n + at..][..anchors.width as usize];
                update = update
                    .or(isolated
                        .set_row(place, speed_classes, new, old_words, |state| change_log.pose(state)));
            }
            let new = &self.states[at * headings..][..old_words.len()];
            update = update.or(change_log.replace(old_words, new, row.start, times));
        }
        update
    }

    fn copy_cells(&mut self, planes: &Planes<W::SpeedClass>, cells: Rect) {
        let width = planes.size.width() as usize;
        let copies = std::iter::once(&mut self.cells).chain(&mut self.edges);
        for (copy, plane) in copies.zip(std::iter::once(&planes.cells).chain(&planes.edges)) {
            copy.clear();
            if plane.is_empty() {
                continue;
            }
            for y in cells.y as usize..cells.y as usize + cells.height as usize {
                copy.extend_from_slice(&plane[y * width + cells.x as usize..][..cells.width as usize]);
            }
            copy.resize(copy.len() + 2 * VECTOR, W::SpeedClass::default());
        }
    }

    fn read_poses(&mut self, of: &RowsOf<'_>, places: &Places) {
        let Self { cells, edges, poses, spans, .. } = self;
        let n = places.n_poses;
        let first = places.anchor - places.anchor_of_poses;
        let each = n + VECTOR;
        poses.resize(of.plan.bodies.len() * each, W::SpeedClass::default());
        for (body, poses) in of.plan.bodies.iter().zip(poses.chunks_mut(each)) {
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
                    span.extend_from_slice(&cells[places.shifted(first, corner)..][..n]);
                    for dy in 1..height as i32 {
                        let offset = corner.plus(Offset::new(0, dy));
                        lower_by(span, &cells[places.shifted(first, offset)..][..n]);
                    }
                    least_of_spans(poses, spans, width);
                }
                None => {
                    poses.fill(W::SpeedClass::TOP);
                    lower_by_cells(poses, cells, &body.cells, |offset| places.shifted(first, offset));
                }
            }
            lower_by_edges(poses, edges, &body.edges, |offset| places.shifted(first, offset));
        }
    }

    /// Levels of the poses at a heading, from the north-west anchor on.
    fn speed_classes(&self, of: &RowsOf<'_>, places: &Places, heading: usize) -> &[W::SpeedClass] {
        let at = of.plan.body_of[heading] * (places.n_poses + VECTOR) + places.anchor_of_poses;
        &self.poses[at..at + places.n_anchors]
    }

    /// Works out four primitives, the first of them given, at a heading. Returns whether some pose may be
    /// legal without any move so far.
    fn read_moves(&mut self, of: &RowsOf<'_>, places: &Places, heading: usize, first: usize) -> bool {
        let Self { cells, edges, poses, moves, words, .. } = self;
        let poses = &*poses;
        let n = places.n_anchors;
        let each = places.n_poses + VECTOR;
        let n_primitives = of.class.primitives().len();
        let plans = &of.plan.moves[heading * n_primitives..][..n_primitives];
        let rest = &poses[of.plan.body_of[heading] * each + places.anchor_of_poses..][..n];
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
                    let at = places.shifted(places.anchor_of_poses, plan.step);
                    &poses[plan.body_after * each + at..][..n]
                }
                false => rest,
            };
            if plan.cells.is_empty() && (plan.edges.is_empty() || edges[0].is_empty()) {
                return end;
            }
            own.copy_from_slice(end);
            lower_by_cells(own, cells, &plan.cells, |offset| places.shifted(places.anchor, offset));
            lower_by_edges(own, edges, &plan.edges, |offset| places.shifted(places.anchor, offset));
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
    place: impl Fn(Offset) -> usize,
) {
    for &offset in offsets {
        lower_by(speed_classes, &cells[place(offset)..][..speed_classes.len()]);
    }
}

fn lower_by_edges<L: SpeedClass>(
    speed_classes: &mut [L],
    planes: &[Vec<L>; EDGES_MAX],
    edges: &[(Offset, Side)],
    place: impl Fn(Offset) -> usize,
) {
    if planes[0].is_empty() {
        return;
    }
    for &(offset, side) in edges {
        lower_by(speed_classes, &planes[edge_number(side)][place(offset)..][..speed_classes.len()]);
    }
}
