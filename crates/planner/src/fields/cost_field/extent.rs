//! Where a field may hold costs, so that to begin anew clears no more than that.

use crate::model::pose::{Frame, State, StateSpace};
use crate::tables::MovementTables;
use std::ops::Range;
use wheelbase_grid::{CellXY, Rect};

/// A rectangle of anchors outside which no state has been reached.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// By primitive: the most columns and rows that it leads away, whatever the heading and row, and
    /// the least ticks that it takes.
    reaches: Vec<(u32, u32, u32)>,
    /// Around the sources.
    sources: Rect,
    /// What was reached by the moves of before an edit.
    before: Rect,
}

const NOWHERE: Rect = Rect::new(0, 0, 0, 0);

impl Extent {
    pub fn new() -> Self {
        Self { reaches: Vec::new(), sources: NOWHERE, before: NOWHERE }
    }

    /// Begins anew: the sources alone are reached.
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
            let most = steps.fold((0, 0), |(x, y): (u32, u32), step| {
                (x.max(step.dx.unsigned_abs()), y.max(step.dy.unsigned_abs()))
            });
            (most.0, most.1, tables.least_ticks(primitive).max(1))
        }));
    }

    /// Follows an edit: the moves may be quicker from now on.
    pub fn follow(&mut self, tables: &MovementTables, radius: u32) {
        self.before = self.reached(tables.space(), radius);
        self.list_moves(tables);
    }

    /// The rectangle, when all states of at most `radius` ticks are settled, perhaps some of the cost after
    /// it, and their neighbours known.
    ///
    /// Way by way, cells for ticks are never better than at the rate of the best primitive.
    pub fn reached(&self, space: StateSpace, radius: u32) -> Rect {
        let away = |cells: fn(&(u32, u32, u32)) -> u32| {
            let far = self
                .reaches
                .iter()
                .map(|reach| (u64::from(radius) + 1) * u64::from(cells(reach)) / u64::from(reach.2));
            let step = self.reaches.iter().map(cells).max().unwrap_or(0);
            // More than any map is wide.
            (far.max().unwrap_or(0) + u64::from(step)).min(1 << 27) as i32
        };
        let map = space.size().rect();
        if self.sources.is_empty() {
            return self.before;
        }
        let (dx, dy) = (away(|reach| reach.0), away(|reach| reach.1));
        let Rect { x, y, width, height } = self.sources;
        let around = Rect::new(x - dx, y - dy, width + 2 * dx as u32, height + 2 * dy as u32);
        around.intersection(map).union(self.before)
    }
}

/// The states of each row of a rectangle of anchors on the map.
pub(super) fn rows_of(space: StateSpace, anchors: Rect) -> impl Iterator<Item = Range<usize>> {
    let (width, headings) = (space.size().width() as usize, space.headings() as usize);
    // Whole rows lie one after the other.
    let (n, rows) = match anchors.width as usize == width {
        true => (u32::from(anchors.height > 0), anchors.height as usize),
        false => (anchors.height, 1),
    };
    (0..n as usize).map(move |row| {
        let first = ((anchors.y as usize + row) * width + anchors.x as usize) * headings;
        first..first + rows * anchors.width as usize * headings
    })
}
