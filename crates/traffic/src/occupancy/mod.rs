//! Occupancy: the holder of every cell. The one structure that keeps agents apart, under both rules of collision
//! (`docs/rules.md` 2.6).

use crate::clone_fields::clone_fields;
use crate::collision::{CollisionRule, Transition};
use crate::motion::AgentSlot;
use crate::ticks::NEVER;
use wheelbase_grid::{Cell, CellXY, GridSize};
use wheelbase_planner::model::Offset;

/// Holder of each cell, by agent slot: `[height * width]`, 4 bytes per cell. The discrete rule adds 8.
///
/// Moves begin only through [`Occupancy::begin`], which checks them in every build.
#[derive(Debug)]
pub struct Occupancy {
    size: GridSize,
    rule: CollisionRule,
    holder: Vec<u32>,
    /// Discrete rule: tick at which the holder leaves the cell; [`STAYS`] if it does not.
    leaves: Vec<u32>,
    /// Discrete rule: the agent whose move in progress ends on the cell.
    arriving: Vec<u32>,
    /// Discrete rule: which moves of the present batch have begun.
    begun: Vec<bool>,
}

clone_fields!(Occupancy { size, rule, holder, leaves, arriving } keep { begun });

const NOBODY: u32 = AgentSlot::NOBODY.0;
/// When a holder leaves that stays.
const STAYS: u32 = NEVER;

/// A move that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its index among the moves proposed.
    pub number: u32,
    /// The first agent that it would have overlapped.
    pub by: AgentSlot,
}

impl Occupancy {
    /// A map without agents.
    pub fn new(size: GridSize, rule: CollisionRule) -> Self {
        let discrete = if rule == CollisionRule::Discrete { size.n_cells() } else { 0 };
        Self {
            size,
            rule,
            holder: vec![NOBODY; size.n_cells()],
            leaves: vec![STAYS; discrete],
            arriving: vec![NOBODY; discrete],
            begun: Vec::new(),
        }
    }

    /// The rule it keeps.
    pub fn rule(&self) -> CollisionRule {
        self.rule
    }

    /// Holder of a cell.
    pub fn holder(&self, cell: Cell) -> Option<AgentSlot> {
        let holder = self.holder[cell.0 as usize];
        (holder != NOBODY).then_some(AgentSlot(holder))
    }

    /// Holder of the cell at `xy`; `None` off the map.
    pub fn holder_at(&self, xy: CellXY) -> Option<AgentSlot> {
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
    pub fn blocker(&self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) -> Option<AgentSlot> {
        cells.iter().find_map(|&offset| {
            let holder = self.holder[self.index(anchor, offset)];
            (holder != NOBODY && holder != agent.0).then_some(AgentSlot(holder))
        })
    }

    /// Cells that a move needs to be free, and their anchor.
    pub fn needed<'a>(&self, step: &Transition<'a>) -> (CellXY, &'a [Offset]) {
        self.rule.needed(step)
    }

    /// Cells that an agent holds during a move, and their anchor.
    pub fn held<'a>(&self, step: &Transition<'a>) -> (CellXY, &'a [Offset]) {
        self.rule.held(step)
    }

    /// The first other agent that prevents a move from starting now and ending at tick `until`.
    pub fn blocker_of_move(&self, agent: AgentSlot, step: &Transition<'_>, until: u32) -> Option<AgentSlot> {
        self.blocker_unless(agent, step, |leaves| leaves <= until)
    }

    /// The first other agent that prevents a move from starting now and ending at tick `until`, whatever agents at rest
    /// begin now. It is an agent under way. Under the swept rule it is any holder of a cell: an agent that leaves a
    /// cell now still sweeps it.
    pub fn certain_blocker_of_move(
        &self,
        agent: AgentSlot,
        step: &Transition<'_>,
        until: u32,
    ) -> Option<AgentSlot> {
        self.blocker_unless(agent, step, |leaves| leaves <= until || leaves == STAYS)
    }

    /// The first other agent in the way of a move. The discrete rule skips agents that `may_leave` in time, by the
    /// tick at which they leave.
    fn blocker_unless(
        &self,
        agent: AgentSlot,
        step: &Transition<'_>,
        may_leave: impl Fn(u32) -> bool,
    ) -> Option<AgentSlot> {
        let (anchor, cells) = self.needed(step);
        if self.rule == CollisionRule::Swept {
            return self.blocker(agent, anchor, cells);
        }
        cells.iter().find_map(|&offset| {
            let at = self.index(anchor, offset);
            let (holder, arriving) = (self.holder[at], self.arriving[at]);
            if arriving != NOBODY && arriving != agent.0 {
                return Some(AgentSlot(arriving));
            }
            let is_free = holder == NOBODY || holder == agent.0 || may_leave(self.leaves[at]);
            (!is_free).then_some(AgentSlot(holder))
        })
    }

    /// The first other agent whose move in progress ends on one of the cells; `None` under the swept rule, which counts
    /// such cells as held.
    pub fn first_arriving(&self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) -> Option<AgentSlot> {
        cells.iter().find_map(|&offset| {
            let arriving = *self.arriving.get(self.index(anchor, offset))?;
            (arriving != NOBODY && arriving != agent.0).then_some(AgentSlot(arriving))
        })
    }

    /// The agent whose move in progress ends on a cell; `None` under the swept rule.
    pub fn arriving_at(&self, xy: CellXY) -> Option<AgentSlot> {
        let arriving = *self.arriving.get(self.size.cell(xy)?.0 as usize)?;
        (arriving != NOBODY).then_some(AgentSlot(arriving))
    }

    /// Begins the moves of one tick that fit together and with all moves in progress; lists the others in `refused`.
    /// `proposal` gives the agent, the move, and the tick at which it ends.
    ///
    /// A move fits if the cells it needs are free. These are under the swept rule its swept cells until it ends;
    /// under the discrete rule its end footprint from its end on. Under the discrete rule agents may rotate in a
    /// ring, but no two exchange. Of two moves that need one cell the later is refused. So is a move onto a cell
    /// whose holder does not leave in time, and a holder whose own move is refused never leaves. Linear in the cells
    /// of the moves, times the longest chain of moves that rely on each other.
    ///
    /// Trusts the caller in three points. The cells alone do not show them. Every agent is at rest and
    /// holds the footprint in which its move starts, no agent moves twice, and the moves stay on the map. Whether a
    /// move is legal on its terrain is not asked either.
    pub fn begin<'t>(
        &mut self,
        n_moves: usize,
        proposal: impl Fn(usize) -> (AgentSlot, Transition<'t>, u32),
        refused: &mut Vec<Refusal>,
    ) {
        refused.clear();
        match self.rule {
            CollisionRule::Swept => self.begin_swept(n_moves, proposal, refused),
            CollisionRule::Discrete => self.begin_discrete(n_moves, proposal, refused),
        }
    }

    /// In order: a move takes its cells, or is refused if one of them is held.
    fn begin_swept<'t>(
        &mut self,
        n_moves: usize,
        proposal: impl Fn(usize) -> (AgentSlot, Transition<'t>, u32),
        refused: &mut Vec<Refusal>,
    ) {
        for number in 0..n_moves {
            let (agent, step, _) = proposal(number);
            let (anchor, cells) = step.swept();
            match self.blocker(agent, anchor, cells) {
                Some(by) => refused.push(Refusal { number: number as u32, by }),
                None => self.take(agent, anchor, cells),
            }
        }
    }

    /// All moves are marked as begun; moves that meet a conflict are unmarked, until none is left that does.
    fn begin_discrete<'t>(
        &mut self,
        n_moves: usize,
        proposal: impl Fn(usize) -> (AgentSlot, Transition<'t>, u32),
        refused: &mut Vec<Refusal>,
    ) {
        self.begun.clear();
        for number in 0..n_moves {
            let (agent, step, until) = proposal(number);
            let (anchor, cells) = step.end();
            match self.first_arriving(agent, anchor, cells) {
                Some(by) => {
                    refused.push(Refusal { number: number as u32, by });
                    self.begun.push(false);
                }
                None => {
                    self.mark(agent, &step, until);
                    self.begun.push(true);
                }
            }
        }
        let mut is_whole = false;
        while !is_whole {
            is_whole = true;
            // The last first: of two that exchange, or enter too soon, the later one is refused.
            for number in (0..n_moves).rev() {
                if !self.begun[number] {
                    continue;
                }
                let (agent, step, until) = proposal(number);
                if let Some(by) = self.held_up_by(agent, &step, until) {
                    self.unmark(agent, &step);
                    self.begun[number] = false;
                    refused.push(Refusal { number: number as u32, by });
                    is_whole = false;
                }
            }
        }
    }

    /// Discrete rule: the first other agent that holds a cell on which a marked move ends. It does not leave the cell
    /// in time, or the two would exchange.
    fn held_up_by(&self, agent: AgentSlot, step: &Transition<'_>, until: u32) -> Option<AgentSlot> {
        let ((anchor, cells), (start_anchor, start)) = (step.end(), step.start());
        cells.iter().find_map(|&offset| {
            let at = self.index(anchor, offset);
            let holder = self.holder[at];
            if holder == NOBODY || holder == agent.0 {
                return None;
            }
            let comes_here = |&offset: &Offset| self.arriving[self.index(start_anchor, offset)] == holder;
            let exchanges = self.leaves[at] == until && start.iter().any(comes_here);
            (self.leaves[at] > until || exchanges).then_some(AgentSlot(holder))
        })
    }

    /// Discrete rule: marks that an agent leaves the cells on which a move starts and arrives on those on which it
    /// ends.
    fn mark(&mut self, agent: AgentSlot, step: &Transition<'_>, until: u32) {
        let (anchor, cells) = step.start();
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.leaves[at] = until;
        }
        let (anchor, cells) = step.end();
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.arriving[at] = agent.0;
            if self.holder[at] == agent.0 {
                self.leaves[at] = STAYS;
            }
        }
    }

    /// Undoes [`mark`](Self::mark).
    fn unmark(&mut self, agent: AgentSlot, step: &Transition<'_>) {
        let (anchor, cells) = step.start();
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.leaves[at] = STAYS;
        }
        let (anchor, cells) = step.end();
        for &offset in cells {
            let at = self.index(anchor, offset);
            if self.arriving[at] == agent.0 {
                self.arriving[at] = NOBODY;
            }
        }
    }

    /// The first half of ending a move: the agent gives up its cells. After that of all moves that end at a tick,
    /// each agent takes its footprint with [`Occupancy::hold`].
    pub fn end_move(&mut self, agent: AgentSlot, step: &Transition<'_>) {
        let (anchor, cells) = self.held(step);
        self.release(agent, anchor, cells);
        if self.rule == CollisionRule::Discrete {
            let (anchor, cells) = step.end();
            for &offset in cells {
                let at = self.index(anchor, offset);
                self.arriving[at] = NOBODY;
            }
        }
    }

    /// Gives cells to an agent that is placed, or whose move has ended.
    ///
    /// # Panics
    /// In every build, if another agent holds one of them.
    pub fn hold(&mut self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            let at = self.index(anchor, offset);
            let holder = self.holder[at];
            assert!(
                holder == NOBODY || holder == agent.0,
                "agent slot {} would take cell {} from agent slot {holder}, which holds it",
                agent.0,
                offset.cell_from(anchor)
            );
            self.holder[at] = agent.0;
        }
    }

    /// Gives cells to an agent that no other agent holds.
    fn take(&mut self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) {
        for &offset in cells {
            let at = self.index(anchor, offset);
            self.holder[at] = agent.0;
        }
    }

    /// Frees cells that the agent holds.
    pub fn release(&mut self, agent: AgentSlot, anchor: CellXY, cells: &[Offset]) {
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

#[cfg(test)]
mod tests;
