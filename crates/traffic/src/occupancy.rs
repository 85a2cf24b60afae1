//! Who holds which cell: the one structure that keeps agents apart, for both rules of DESIGN 2.6.

use crate::collision::{CollisionRule, Step};
use crate::motion::AgentId;
use wheelbase_grid::{Cell, CellXY, GridSize};
use wheelbase_planner::Offset;

/// Holder of each cell, `[height * width]`, 4 bytes a cell; under the discrete rule 8 more.
///
/// Moves are let start one after the other, and a cell is free for a move only if its holder has begun to
/// leave it. So of two agents that would exchange, the first is held up by the second, which rests, and
/// the other way round: no exchange is ever begun.
#[derive(Clone, Debug)]
pub struct Occupancy {
    size: GridSize,
    rule: CollisionRule,
    holder: Vec<u32>,
    /// Discrete rule: tick at which the holder leaves the cell; `STAYS` if it does not.
    leaves: Vec<u32>,
    /// Discrete rule: the agent whose move in progress ends on the cell.
    claimant: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;
const STAYS: u32 = u32::MAX;

impl Occupancy {
    /// A map that nobody stands on.
    pub fn new(size: GridSize, rule: CollisionRule) -> Self {
        let discrete = if rule == CollisionRule::Discrete { size.n_cells() } else { 0 };
        Self {
            size,
            rule,
            holder: vec![NOBODY; size.n_cells()],
            leaves: vec![STAYS; discrete],
            claimant: vec![NOBODY; discrete],
        }
    }

    /// The rule it keeps.
    pub fn rule(&self) -> CollisionRule {
        self.rule
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

    /// Cells that a move needs for itself, and their anchor.
    pub fn needed<'a>(&self, step: &Step<'a>) -> (CellXY, &'a [Offset]) {
        self.rule.needed(step)
    }

    /// Cells that an agent holds in mid-move, and their anchor.
    pub fn held<'a>(&self, step: &Step<'a>) -> (CellXY, &'a [Offset]) {
        self.rule.held(step)
    }

    /// The first other agent that keeps a move, which would end at tick `until`, from starting now.
    pub fn blocker_of_move(&self, agent: AgentId, step: &Step<'_>, until: u32) -> Option<AgentId> {
        let (anchor, cells) = self.needed(step);
        if self.rule == CollisionRule::Swept {
            return self.blocker(agent, anchor, cells);
        }
        cells.iter().find_map(|&offset| {
            let at = self.index(anchor, offset);
            let (holder, claimant) = (self.holder[at], self.claimant[at]);
            if claimant != NOBODY && claimant != agent.0 {
                return Some(AgentId(claimant));
            }
            let in_time = holder == NOBODY || holder == agent.0 || self.leaves[at] <= until;
            (!in_time).then_some(AgentId(holder))
        })
    }

    /// The first other agent whose move in progress ends on one of the cells; nobody under the swept rule,
    /// where such a cell is held.
    pub fn claimant_of(&self, agent: AgentId, anchor: CellXY, cells: &[Offset]) -> Option<AgentId> {
        cells.iter().find_map(|&offset| {
            let claimant = *self.claimant.get(self.index(anchor, offset))?;
            (claimant != NOBODY && claimant != agent.0).then_some(AgentId(claimant))
        })
    }

    /// Whether a cell is on its way to another agent.
    pub fn claimant_at(&self, xy: CellXY) -> Option<AgentId> {
        let claimant = *self.claimant.get(self.size.cell(xy)?.0 as usize)?;
        (claimant != NOBODY).then_some(AgentId(claimant))
    }

    /// Takes the cells of a move that is free together with others that begin at the same tick: under the
    /// discrete rule one may enter what another begins to leave only later in the tick, and some may go round
    /// in a ring.
    pub fn begin_move(&mut self, agent: AgentId, step: &Step<'_>, until: u32) {
        let (anchor, cells) = self.needed(step);
        if self.rule == CollisionRule::Swept {
            return self.hold(agent, anchor, cells);
        }
        let (start_anchor, start) = step.start();
        for &offset in start {
            let at = self.index(start_anchor, offset);
            self.leaves[at] = until;
        }
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.claimant[at] = agent.0;
            if self.holder[at] == agent.0 {
                self.leaves[at] = STAYS;
            }
        }
    }

    /// The first half of ending a move: gives up its cells. When all that end at a tick have, each takes
    /// its footprint with [`Occupancy::hold`].
    pub fn end_move(&mut self, agent: AgentId, step: &Step<'_>) {
        let (anchor, cells) = self.held(step);
        self.release(agent, anchor, cells);
        if self.rule == CollisionRule::Discrete {
            let (anchor, cells) = step.end();
            for &offset in cells {
                let at = self.index(anchor, offset);
                self.claimant[at] = NOBODY;
            }
        }
    }

    /// Gives cells to an agent.
    ///
    /// # Panics
    /// In debug builds, if another holds one of them.
    pub fn hold(&mut self, agent: AgentId, anchor: CellXY, cells: &[Offset]) {
        debug_assert_eq!(self.blocker(agent, anchor, cells), None, "a cell would be held by two agents");
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.holder[at] = agent.0;
        }
    }

    /// Frees cells that the agent holds.
    pub fn release(&mut self, agent: AgentId, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            let at = self.index(anchor, offset);
            if self.holder[at] == agent.0 {
                self.holder[at] = NOBODY;
                if let Some(leaves) = self.leaves.get_mut(at) {
                    *leaves = STAYS;
                }
            }
        }
    }
}
