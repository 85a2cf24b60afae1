//! Poses that orders to an area have handed out: nobody else is sent there until the order is closed.

use crate::agents::AgentId;
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::Offset;

/// Which agent each cell has been given to, as part of the pose that it is to go to. 4 bytes a cell,
/// taken only where some order goes to an area.
#[derive(Clone, Debug, Default)]
pub struct GivenPoses {
    width: usize,
    holder: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl GivenPoses {
    /// No pose is given.
    pub(crate) fn new(size: GridSize) -> Self {
        Self { width: size.width() as usize, holder: vec![NOBODY; size.n_cells()] }
    }

    /// Cells of a legal pose: all of them are on the map.
    fn places(&self, anchor: CellXY, cells: &[Offset]) -> impl Iterator<Item = usize> {
        cells.iter().map(move |o| (anchor.y + o.dy) as usize * self.width + (anchor.x + o.dx) as usize)
    }

    /// Whether none of the cells of a legal pose has been given to another agent.
    pub fn is_free(&self, agent: AgentId, anchor: CellXY, cells: &[Offset]) -> bool {
        self.places(anchor, cells).all(|at| self.holder[at] == NOBODY || self.holder[at] == agent.0)
    }

    pub(crate) fn give(&mut self, agent: AgentId, anchor: CellXY, cells: &[Offset]) {
        debug_assert!(self.is_free(agent, anchor, cells), "a cell would be given to two agents");
        self.set(agent.0, anchor, cells);
    }

    pub(crate) fn take_back(&mut self, anchor: CellXY, cells: &[Offset]) {
        self.set(NOBODY, anchor, cells);
    }

    fn set(&mut self, holder: u32, anchor: CellXY, cells: &[Offset]) {
        for &Offset { dx, dy } in cells {
            self.holder[(anchor.y + dy) as usize * self.width + (anchor.x + dx) as usize] = holder;
        }
    }
}
