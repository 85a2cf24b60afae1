//! Who holds which cell: the one structure that keeps agents apart.
//!
//! The `swept` rule (DESIGN 2.6): a move holds its swept cells from its start tick up to its end tick,
//! a resting agent holds its footprint, and no cell is held by two.

use crate::agents::AgentId;
use wheelbase_grid::{Cell, CellXY, GridSize};
use wheelbase_planner::Offset;

/// Holder of each cell, `[height * width]`, 4 bytes a cell.
#[derive(Clone, Debug)]
pub struct Reservation {
    size: GridSize,
    holder: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Reservation {
    /// A map that nobody stands on.
    pub fn new(size: GridSize) -> Self {
        Self { size, holder: vec![NOBODY; size.n_cells()] }
    }

    /// Who holds a cell.
    pub fn holder(&self, cell: Cell) -> Option<AgentId> {
        let holder = self.holder[cell.0 as usize];
        (holder != NOBODY).then_some(AgentId(holder))
    }

    /// Who holds the cell at `xy`; nobody off the map.
    pub fn holder_at(&self, xy: CellXY) -> Option<AgentId> {
        self.size.cell(xy).and_then(|cell| self.holder(cell))
    }

    /// Index of a cell given from an anchor. Both are on the map.
    #[inline]
    fn index(&self, anchor: CellXY, offset: Offset) -> usize {
        let (x, y) = (anchor.x + offset.dx, anchor.y + offset.dy);
        debug_assert!(self.size.contains(CellXY::new(x, y)), "a cell off the map is held");
        y as usize * self.size.width() as usize + x as usize
    }

    /// The first other agent that holds one of the cells.
    pub fn blocker(&self, agent: AgentId, anchor: CellXY, cells: &[Offset]) -> Option<AgentId> {
        cells.iter().find_map(|&offset| {
            let holder = self.holder[self.index(anchor, offset)];
            (holder != NOBODY && holder != agent.0).then_some(AgentId(holder))
        })
    }

    /// Gives cells to an agent.
    ///
    /// # Panics
    /// In debug builds, if another holds one of them.
    pub(crate) fn hold(&mut self, agent: AgentId, anchor: CellXY, cells: &[Offset]) {
        debug_assert_eq!(self.blocker(agent, anchor, cells), None, "a cell would be held by two agents");
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.holder[at] = agent.0;
        }
    }

    /// Frees cells that the agent holds.
    pub(crate) fn release(&mut self, agent: AgentId, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            let at = self.index(anchor, offset);
            if self.holder[at] == agent.0 {
                self.holder[at] = NOBODY;
            }
        }
    }
}
