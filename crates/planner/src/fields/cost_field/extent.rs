//! Bounds of the region where a field may hold costs, so that a restart clears no more than that.

use crate::model::pose::{Frame, State, StateSpace};
use crate::tables::MovementTables;
use std::ops::Range;
use wheelbase_grid::{CellXY, Rect};

/// A rectangle of anchors outside which no state has been reached.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// `[primitive]`.
    reaches: Vec<PrimitiveReach>,
    /// Bounds of the sources.
    sources: Rect,
    /// Bounds of the region reached by the moves before an edit.
    before: Rect,
}

/// Maximum displacement of a primitive over all frames, and its minimum time.
#[derive(Clone, Copy, Debug)]
struct PrimitiveReach {
    columns: u32,
    rows: u32,
    ticks: u32,
}

const NOWHERE: Rect = Rect::new(0, 0, 0, 0);

impl Extent {
    pub fn new() -> Self {
        Self { reaches: Vec::new(), sources: NOWHERE, before: NOWHERE }
    }

    /// Restarts with only the sources reached.
    pub fn restart(&mut self, tables: &MovementTables, sources: &[u32]) {
        let space = tables.space();
        let cells = sources.iter().map(|&state| space.pose(State(state)).cell);
        self.sources = cells.fold(NOWHERE, |all, CellXY { x, y }| all.union(Rect::new(x, y, 1, 1)));
        self.before = NOWHERE;
        self.list_moves(tables);
    }

    fn list_moves(&mut self, tables: &MovementTables) {
        let class = tables.class();
        self.reaches.clear();
        self.reaches.extend((0..class.primitives().len()).map(|primitive| {
            let steps = (0..tables.space().n_frames()).map(|frame| class.shape(Frame(frame), primitive).step);
            let (columns, rows) = steps.fold((0, 0), |(x, y): (u32, u32), step| {
                (x.max(step.dx.unsigned_abs()), y.max(step.dy.unsigned_abs()))
            });
            PrimitiveReach { columns, rows, ticks: tables.min_ticks(primitive).max(1) }
        }));
    }

    /// Follows an edit, after which moves may be faster.
    pub fn follow(&mut self, tables: &MovementTables, radius: u32) {
        self.before = self.reached(tables.space(), radius);
        self.list_moves(tables);
    }

    /// Counts a region as reached.
    pub fn include(&mut self, anchors: Rect) {
        self.before = self.before.union(anchors);
    }

    /// Bounds of the reached region, when all states of at most `radius` ticks are settled and their neighbours known.
    /// Some states of the next cost may be settled, too.
    ///
    /// Along any path, the cells covered per tick never exceed the rate of the best primitive.
    pub fn reached(&self, space: StateSpace, radius: u32) -> Rect {
        let away = |cells: fn(&PrimitiveReach) -> u32| {
            let far = self
                .reaches
                .iter()
                .map(|reach| (u64::from(radius) + 1) * u64::from(cells(reach)) / u64::from(reach.ticks));
            let step = self.reaches.iter().map(cells).max().unwrap_or(0);
            // Wider than any map.
            (far.max().unwrap_or(0) + u64::from(step)).min(1 << 27) as i32
        };
        let map = space.size().rect();
        if self.sources.is_empty() {
            return self.before;
        }
        let (dx, dy) = (away(|reach| reach.columns), away(|reach| reach.rows));
        let Rect { x, y, width, height } = self.sources;
        let around = Rect::new(x - dx, y - dy, width + 2 * dx as u32, height + 2 * dy as u32);
        around.intersection(map).union(self.before)
    }
}

/// The states of each row of a rectangle of anchors on the map.
pub(crate) fn rows_of(space: StateSpace, anchors: Rect) -> impl Iterator<Item = Range<usize>> {
    let (width, headings) = (space.size().width() as usize, space.headings() as usize);
    // Full-width rows are contiguous.
    let (n, rows) = match anchors.width as usize == width {
        true => (u32::from(anchors.height > 0), anchors.height as usize),
        false => (anchors.height, 1),
    };
    (0..n as usize).map(move |row| {
        let first = ((anchors.y as usize + row) * width + anchors.x as usize) * headings;
        first..first + rows * anchors.width as usize * headings
    })
}
