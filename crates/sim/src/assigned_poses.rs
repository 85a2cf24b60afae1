//! Poses assigned by orders to areas and groups. No other agent is assigned an overlapping pose until the order is
//! closed.

use crate::orders::Order;
use wheelbase_grid::{Cell, CellXY, GridSize};
use wheelbase_planner::model::Offset;
use wheelbase_traffic::motion::AgentSlot;

/// The agent whose assigned pose covers each cell, by slot. `[height * width]`, 4 bytes per cell; empty until there
/// is an order to an area or a group.
#[derive(Clone, Debug)]
pub(crate) struct AssignedPoses {
    size: GridSize,
    owner: Vec<u32>,
}

const NOBODY: u32 = AgentSlot::NOBODY.0;

impl AssignedPoses {
    /// No pose is assigned, and there is room for none.
    pub fn new(size: GridSize) -> Self {
        Self { size, owner: Vec::new() }
    }

    /// Makes room if some of these orders assigns poses.
    pub fn make_room_for(&mut self, orders: &[Order]) {
        if self.is_empty() && orders.iter().any(|order| order.kind.assigns_pose()) {
            self.owner = vec![NOBODY; self.size.n_cells()];
        }
    }

    /// Whether there is no room for assigned poses yet.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// Index of a cell of a legal pose, which is on the map.
    fn index(&self, anchor: CellXY, offset: Offset) -> usize {
        (anchor.y + offset.dy) as usize * self.size.width() as usize + (anchor.x + offset.dx) as usize
    }

    /// The agent whose assigned pose covers a cell.
    pub fn owner(&self, cell: Cell) -> Option<AgentSlot> {
        self.owner.get(cell.0 as usize).filter(|&&owner| owner != NOBODY).map(|&owner| AgentSlot(owner))
    }

    /// Whether no assigned pose of another agent overlaps a legal pose.
    pub fn is_free(&self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) -> bool {
        let mut owners = cells.iter().map(|&offset| self.owner[self.index(anchor, offset)]);
        owners.all(|owner| owner == NOBODY || owner == agent.0)
    }

    /// Assigns a pose to an agent.
    pub fn assign(&mut self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) {
        debug_assert!(self.is_free(agent, anchor, cells), "assigned poses of two agents overlap");
        self.set(agent.0, anchor, cells);
    }

    /// Releases an assigned pose.
    pub fn release(&mut self, anchor: CellXY, cells: &[Offset]) {
        self.set(NOBODY, anchor, cells);
    }

    fn set(&mut self, owner: u32, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.owner[at] = owner;
        }
    }
}
