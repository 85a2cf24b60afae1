//! Poses that orders to areas and groups have handed out: nobody else is sent there until the order is
//! closed.

use wheelbase_grid::{Cell, CellXY, GridSize};
use wheelbase_planner::model::Offset;
use wheelbase_traffic::motion::AgentId;

/// Which agent each cell has been given to, as part of the pose that it is to go to. 4 bytes a cell,
/// taken only where some order goes to an area.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenPoses {
    width: usize,
    holder: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl GivenPoses {
    /// No pose is given.
    pub fn new(size: GridSize) -> Self {
        Self { width: size.width() as usize, holder: vec![NOBODY; size.n_cells()] }
    }

    /// Whether no pose can be given yet.
    pub fn is_empty(&self) -> bool {
        self.holder.is_empty()
    }

    /// Index of a cell of a legal pose, which is on the map.
    fn index(&self, anchor: CellXY, offset: Offset) -> usize {
        (anchor.y + offset.dy) as usize * self.width + (anchor.x + offset.dx) as usize
    }

    /// Who a cell has been given to.
    pub fn holder(&self, cell: Cell) -> Option<AgentId> {
        self.holder.get(cell.0 as usize).filter(|&&holder| holder != NOBODY).map(|&holder| AgentId(holder))
    }

    /// Whether none of the cells of a legal pose has been given to another agent.
    pub fn is_free(&self, agent: AgentId, anchor: CellXY, cells: &[Offset]) -> bool {
        let holders = cells.iter().map(|&offset| self.holder[self.index(anchor, offset)]);
        holders.into_iter().all(|holder| holder == NOBODY || holder == agent.0)
    }

    pub fn give(&mut self, agent: AgentId, anchor: CellXY, cells: &[Offset]) {
        debug_assert!(self.is_free(agent, anchor, cells), "a cell would be given to two agents");
        self.set(agent.0, anchor, cells);
    }

    pub fn take_back(&mut self, anchor: CellXY, cells: &[Offset]) {
        self.set(NOBODY, anchor, cells);
    }

    fn set(&mut self, holder: u32, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.holder[at] = holder;
        }
    }
}
