//! Precomputed shapes for compiling a class.

use crate::model::movement::{MovementClass, bounds};
use crate::model::offset::Offset;
use crate::model::pose::Frame;
use wheelbase_grid::{GridSize, Rect, Side};

/// Maximum step, in cells along an axis, whose end pose is read from the rows of poses. Longer moves check
/// their swept cells one by one.
const STEP_MAX: i32 = 4;

/// The cells and edges that a primitive sweeps in one frame, in the form used to compile rows.
#[derive(Clone, Debug)]
pub(crate) struct MovePlan {
    pub applies: bool,
    pub step: Offset,
    /// Index of the body at the end of the move in [`CompilePlan::bodies`].
    pub body_after: usize,
    pub frame_after: Frame,
    /// Whether the end pose is read from the rows of poses.
    pub end_in_rows: bool,
    /// Swept cells and edges not covered by the poses that are read.
    pub cells: Vec<Offset>,
    pub edges: Vec<(Offset, Side)>,
    /// Bounds of all swept cells and of the anchors at both ends. The move is illegal wherever these leave the
    /// map.
    pub reach: OffsetRect,
}

/// A footprint in map axes, shared by all frames with the same cells.
#[derive(Clone, Debug)]
pub(crate) struct BodyPlan {
    pub cells: Vec<Offset>,
    pub edges: Vec<(Offset, Side)>,
    /// The cells as a full rectangle: north-west cell, columns and rows. `None` if they do not fill one.
    pub block: Option<(Offset, usize, usize)>,
    /// Bounds of the cells and the anchor.
    pub reach: OffsetRect,
    /// Whether it fits on the map. If not, it is illegal everywhere.
    pub fits: bool,
}

impl BodyPlan {
    fn of(cells: &[Offset], edges: &[(Offset, Side)], size: GridSize) -> Self {
        let (low, high) = bounds(cells);
        let (width, height) = ((high.dx - low.dx + 1) as usize, (high.dy - low.dy + 1) as usize);
        let block = (width * height == cells.len()).then_some((low, width, height));
        let mut reach = OffsetRect { low, high };
        reach.widen(Offset::default(), Offset::default());
        Self { cells: cells.to_vec(), edges: edges.to_vec(), block, reach, fits: reach.fits(size) }
    }
}

/// A rectangle of offsets, by its north-west and south-east corner.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OffsetRect {
    pub low: Offset,
    pub high: Offset,
}

impl OffsetRect {
    fn widen(&mut self, low: Offset, high: Offset) {
        self.low = Offset::new(self.low.dx.min(low.dx), self.low.dy.min(low.dy));
        self.high = Offset::new(self.high.dx.max(high.dx), self.high.dy.max(high.dy));
    }

    /// Whether it fits on a map of the given size.
    fn fits(&self, size: GridSize) -> bool {
        let Self { low, high } = self;
        high.dx - low.dx < size.width() as i32 && high.dy - low.dy < size.height() as i32
    }

    /// Anchors for which the rectangle overlaps the changed cells.
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

/// The shapes of a class, prepared for compiling rows of anchors.
#[derive(Clone, Debug)]
pub(crate) struct CompilePlan {
    /// `[frame * n_primitives + primitive]`.
    pub moves: Vec<MovePlan>,
    /// The distinct footprints, and the index of the footprint of each frame.
    pub bodies: Vec<BodyPlan>,
    pub body_of: Vec<usize>,
    /// Maximum columns and rows to the ends of moves that are read from rows of poses.
    pub margin: Offset,
    /// Maximum columns and rows from an anchor to any cell that is read: its span, and the bodies within the
    /// margin.
    pub pad: Offset,
    /// Bounding rectangle of everything that any pose or move can sweep, relative to the anchor at its start.
    reach: OffsetRect,
    /// `reach` extended by the end anchors of moves, which must be on the map too.
    pub span: OffsetRect,
    /// `reach` relative to the anchor at the end of a move.
    reach_from_end: OffsetRect,
}

impl CompilePlan {
    /// The plan for maps of the given size. Moves that fit nowhere on them are omitted.
    pub fn of(class: &MovementClass, size: GridSize) -> Self {
        let mut plan = Self {
            moves: Vec::new(),
            bodies: Vec::new(),
            body_of: Vec::new(),
            margin: Offset::default(),
            pad: Offset::default(),
            reach: OffsetRect::default(),
            span: OffsetRect::default(),
            reach_from_end: OffsetRect::default(),
        };
        for frame in class.frames() {
            let (cells, edges) = (class.footprint().at(frame), class.rest_edges(frame));
            let known = plan.bodies.iter().position(|body| body.cells == cells && body.edges == edges);
            plan.body_of.push(known.unwrap_or(plan.bodies.len()));
            if known.is_none() {
                plan.bodies.push(BodyPlan::of(cells, edges, size));
            }
        }
        for frame in class.frames() {
            let body = &plan.bodies[plan.body_of[frame.0 as usize]];
            if body.fits {
                plan.reach.widen(body.reach.low, body.reach.high);
                plan.reach_from_end.widen(body.reach.low, body.reach.high);
            }
            for primitive in 0..class.primitives().len() {
                plan.add_move(class, frame, primitive, size);
            }
        }
        let mut bodies = OffsetRect::default();
        for body in plan.bodies.iter().filter(|body| body.fits) {
            bodies.widen(body.reach.low, body.reach.high);
        }
        let farthest =
            |OffsetRect { low, high }: OffsetRect| Offset::new(high.dx.max(-low.dx), high.dy.max(-low.dy));
        plan.span = plan.reach;
        for step in plan.moves.iter().filter(|plan| plan.applies).map(|plan| plan.step) {
            plan.span.widen(step, step);
        }
        let (body, all) = (farthest(bodies).plus(plan.margin), farthest(plan.span));
        plan.pad = Offset::new(body.dx.max(all.dx), body.dy.max(all.dy));
        plan
    }

    fn add_move(&mut self, class: &MovementClass, frame: Frame, primitive: usize, size: GridSize) {
        let shape = class.shape(frame, primitive);
        let (low, high) = shape.bounds;
        let step = shape.step;
        let back = Offset::new(-step.dx, -step.dy);
        let after = shape.frame_after;
        let mut reach = OffsetRect { low, high };
        reach.widen(Offset::default(), Offset::default());
        reach.widen(step, step);
        let mut plan = MovePlan {
            applies: shape.applies && reach.fits(size),
            step,
            body_after: self.body_of[after.0 as usize],
            frame_after: after,
            end_in_rows: step.dx.abs().max(step.dy.abs()) <= STEP_MAX,
            cells: Vec::new(),
            edges: Vec::new(),
            reach,
        };
        if plan.applies {
            self.reach.widen(low, high);
            self.reach_from_end.widen(low.plus(back), high.plus(back));
            if plan.end_in_rows {
                let margin = self.margin;
                self.margin = Offset::new(margin.dx.max(step.dx.abs()), margin.dy.max(step.dy.abs()));
            }
            let of_start = class.footprint().at(frame);
            let of_end = if plan.end_in_rows { class.footprint().at(after) } else { &[] };
            let holds = |cells: &[Offset], cell| cells.binary_search(&cell).is_ok();
            let read_at_start = |cell| holds(of_start, cell);
            let read_at_end = |cell: Offset| holds(of_end, cell.plus(back));
            let parity = frame.0 / class.headings();
            // The edges of a pose are exactly those between two of its cells.
            let other_cell = |cell: Offset, side| {
                let grid = class.grid_shape();
                let (dx, dy) = grid.step(side, grid.parity(cell.dy + i32::from(parity)));
                cell.plus(Offset::new(dx, dy))
            };
            plan.cells =
                shape.swept.iter().copied().filter(|&o| !read_at_start(o) && !read_at_end(o)).collect();
            let edges = shape.edges.iter().copied().filter(|&(o, side)| {
                let other = other_cell(o, side);
                let read = read_at_start(o) && read_at_start(other) || read_at_end(o) && read_at_end(other);
                !read
            });
            plan.edges = edges.collect();
        }
        self.moves.push(plan);
    }

    /// Start anchors of the poses and moves that can touch the changed cells.
    pub fn touched_anchors(&self, size: GridSize, changed: Rect) -> Rect {
        self.reach.anchors(size, changed)
    }

    /// End anchors of the moves that can touch the changed cells.
    pub fn touched_ends(&self, size: GridSize, changed: Rect) -> Rect {
        self.reach_from_end.anchors(size, changed)
    }
}
