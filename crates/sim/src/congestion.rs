//! Delays that agents are thought to meet on their way, and quicker paths: where others wait, and where they
//! mean to go.
//!
//! The map is cut into blocks. Of each it is counted how long agents wait in it and how many enter it: the
//! one by the other is what it costs to go through. Only agents at least as wide as one itself count, for
//! narrower ones come out of its way sooner. A move upon cells over which the paths of others lead is thought
//! to take longer for each of them, and most for those that come the other way: so opposite streams keep
//! apart, and wide bodies out of ways in which they would meet, before anybody waits. Old counts are
//! forgotten by and by, and what is far off does not count. A new path is the cheapest of all, and agents on
//! their way look one after the other at theirs; where the delays on it are much they ask for the path on
//! which time and delays together are least, and take it if it is the quicker one (guide paths by the
//! traffic, as in Guided PIBT: Chen et al., AAAI 2024).

mod planned_flow;

use crate::agents::Agents;
use planned_flow::PlannedFlow;
use wheelbase_grid::{CellXY, GridShape, GridSize};
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;
use wheelbase_planner::search::Penalties;
use wheelbase_traffic::directions::{direction_to, opposite};
use wheelbase_traffic::flow::DirectionalFlow;
use wheelbase_traffic::hash::fold;
use wheelbase_traffic::motion::ClassId;
use wheelbase_traffic::path_pool::PathPool;

/// Cells along the side of a block, as a power of two.
const BLOCK_SHIFT: u32 = 3;
/// Ticks after which what was counted of waiting counts half.
const HALF_LIFE_TICKS: u32 = 256;
/// Each move of others upon a cell delays one upon it by such a part of its time.
const PART_A_MOVE: u32 = 32;
/// One that comes the other way counts as so many.
const AGAINST: u32 = 6;
/// No move is delayed by more ticks.
const DELAY_MAX: u32 = 1000;
/// Cells along each axis around an agent in which delays count. With 64 agents on a base of 256^2 cells got 4
/// % less far, with all delays of the map no farther, for a quarter more expansions.
const REACH: u32 = 128;
/// Delay on a path for which it is worth to look for another, in ticks.
const WORTH_TICKS: u64 = 64;
/// Agents that look at their paths a tick, and those that ask for another at most.
const LOOKS_A_TICK: usize = 128;
const ASKS_A_TICK: usize = 4;
/// Waiting is counted apart for so many widths of bodies at most.
const WIDTHS_MAX: usize = 4;
/// Moves of a path that are looked at.
const LOOK_MOVES: usize = 1024;

/// What was counted in a block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    waited_ticks: u32,
    entered: u32,
}

impl Block {
    /// Ticks that an agent waits in it on the whole.
    fn penalty(self) -> u32 {
        self.waited_ticks / (self.entered + 1)
    }
}

/// The body of a class, as far as delays depend on it.
#[derive(Clone, Copy, Debug)]
struct Body {
    /// The place of its width among all, from the least up.
    width: u8,
    /// Cells from its middle to either side.
    half: u32,
    /// Its longest side in cells: with so many moves it covers a cell itself on its way.
    longest: u32,
}

/// Waiting by block of the map, and streams. Memory: 1/8 of a byte a cell for each width of bodies, at most
/// 1/2, and the streams.
#[derive(Debug)]
pub(crate) struct Congestion {
    size: GridSize,
    shape: GridShape,
    /// Blocks in a row.
    width: usize,
    n_blocks: usize,
    /// By class.
    bodies: Vec<Body>,
    /// By width and block: of bodies at least as wide.
    blocks: Vec<Block>,
    flow: DirectionalFlow,
    planned: PlannedFlow,
    /// Row of the agent that looks next.
    next: usize,
    /// Hash of all that was ever counted by block, in order.
    counted_so_far: u64,
}

impl Congestion {
    /// For classes of bodies of such shortest and longest sides in cells.
    pub fn new(size: GridSize, shape: GridShape, sides: &[(u32, u32)]) -> Self {
        let blocks = |cells: u32| cells.div_ceil(1 << BLOCK_SHIFT) as usize;
        let width = blocks(size.width());
        let n_blocks = width * blocks(size.height());
        let mut known: Vec<u32> = sides.iter().map(|&(width, _)| width).collect();
        known.sort_unstable();
        known.dedup();
        let place = |width: u32| known.partition_point(|&known| known < width).min(WIDTHS_MAX - 1) as u8;
        let body =
            |&(shortest, longest): &(u32, u32)| Body { width: place(shortest), half: shortest / 2, longest };
        Self {
            size,
            shape,
            width,
            n_blocks,
            bodies: sides.iter().map(body).collect(),
            blocks: vec![Block::default(); known.len().clamp(1, WIDTHS_MAX) * n_blocks],
            flow: DirectionalFlow::new(size, shape),
            planned: PlannedFlow::new(size, shape),
            next: 0,
            counted_so_far: 0,
        }
    }

    fn block_of(&self, cell: CellXY) -> usize {
        (cell.y >> BLOCK_SHIFT) as usize * self.width + (cell.x >> BLOCK_SHIFT) as usize
    }

    /// Which way agents have gone over the map of late.
    pub fn flow(&self) -> &DirectionalFlow {
        &self.flow
    }

    /// Counts in a block what an agent of a class does, for all that are at most as wide.
    fn count(&mut self, class: ClassId, block: usize, does: Block) {
        let width = usize::from(self.bodies[usize::from(class.0)].width);
        let counted = (width as u64) << 48 | u64::from(does.entered) << 32 | block as u64;
        self.counted_so_far = fold(self.counted_so_far, counted);
        for count in self.blocks.iter_mut().skip(block).step_by(self.n_blocks).take(width + 1) {
            count.waited_ticks = count.waited_ticks.saturating_add(does.waited_ticks);
            count.entered = count.entered.saturating_add(does.entered);
        }
    }

    /// An agent of a class on its way rests with its anchor on a cell for a tick.
    pub fn count_wait(&mut self, class: ClassId, cell: CellXY) {
        self.count(class, self.block_of(cell), Block { waited_ticks: 1, entered: 0 });
    }

    /// An agent of a class begins a move that brings its anchor from one cell to another, and its body upon
    /// `cells`.
    pub fn count_move(
        &mut self,
        class: ClassId,
        (from, to): (CellXY, CellXY),
        cells: impl Iterator<Item = CellXY>,
    ) {
        self.flow.count(from, to, cells);
        let (from, to) = (self.block_of(from), self.block_of(to));
        if from != to {
            self.count(class, to, Block { waited_ticks: 0, entered: 1 });
        }
    }

    /// A tick is over: counts where the next few agents mean to go.
    pub fn renew(&mut self, tick: u32, agents: &Agents, tables: &[MovementTables], paths: &PathPool) {
        self.planned.renew(tick, agents, tables, paths);
    }

    /// A tick is over: what was counted fades.
    pub fn fade(&mut self, tick: u32) {
        if tick.is_multiple_of(HALF_LIFE_TICKS) {
            for Block { waited_ticks, entered } in &mut self.blocks {
                (*waited_ticks, *entered) = (*waited_ticks / 2, *entered / 2);
            }
        }
        self.flow.fade(tick);
    }

    /// What an agent of a class is thought to be delayed by on its way from a cell: what is far off will have
    /// changed until it is there, so it does not count.
    pub fn around(&self, class: ClassId, center: CellXY) -> PenaltiesAround<'_> {
        let body = self.bodies[usize::from(class.0)];
        let first = usize::from(body.width) * self.n_blocks;
        PenaltiesAround { congestion: self, body, blocks: &self.blocks[first..first + self.n_blocks], center }
    }

    /// Ticks by which an agent of a class is thought to be delayed on a path from a state.
    pub fn penalty_along(
        &self,
        class: ClassId,
        tables: &MovementTables,
        mut state: State,
        moves: &[u8],
    ) -> u64 {
        let space = tables.space();
        let penalties = self.around(class, space.pose(state).cell);
        let mut penalty = 0;
        for &primitive in moves.iter().take(LOOK_MOVES) {
            let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
            let from = space.pose(state).cell;
            state = tables.state_after(state, usize::from(primitive));
            penalty += u64::from(penalties.ticks(from, space.pose(state).cell, ticks));
        }
        penalty
    }

    /// Whether a path is delayed so much that it is worth to look for another.
    pub fn is_worth_a_look(
        &self,
        class: ClassId,
        tables: &MovementTables,
        state: State,
        moves: &[u8],
    ) -> bool {
        self.penalty_along(class, tables, state, moves) >= WORTH_TICKS
    }

    /// Has the next few of the agents look at their paths, those for which `looks` says so; gives the rows of
    /// the first few that are delayed much on theirs.
    pub fn next_penalised(
        &mut self,
        agents: &Agents,
        tables: &[MovementTables],
        paths: &PathPool,
        looks: &dyn Fn(usize) -> bool,
    ) -> impl Iterator<Item = usize> + use<> {
        let (n_agents, mut penalised, mut n_penalised) = (agents.len(), [0; ASKS_A_TICK], 0);
        for _ in 0..LOOKS_A_TICK.min(n_agents) {
            let row = self.next % n_agents;
            self.next = row + 1;
            if !looks(row) {
                continue;
            }
            let motion = &agents.motion[row];
            let moves = paths.moves(agents.paths[row]);
            if self.is_worth_a_look(motion.class, &tables[motion.class.0 as usize], motion.state, moves) {
                penalised[n_penalised] = row;
                n_penalised += 1;
                if n_penalised == ASKS_A_TICK {
                    break;
                }
            }
        }
        penalised.into_iter().take(n_penalised)
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.next as u64);
        word(self.counted_so_far);
        self.flow.for_each_word(word);
        self.planned.for_each_word(word);
    }
}

/// Delays within [`REACH`] cells of where an agent is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PenaltiesAround<'a> {
    congestion: &'a Congestion,
    body: Body,
    /// Those of its width.
    blocks: &'a [Block],
    center: CellXY,
}

impl PenaltiesAround<'_> {
    /// Whether delays count of moves that begin at a cell.
    pub fn reach(&self, cell: CellXY) -> bool {
        cell.chebyshev_distance(self.center) <= REACH
    }

    /// Moves of others that lead over a cell or the ends of the body beside it, whichever are most. Those
    /// that come the other way count as several.
    fn moves_of_others(&self, to: CellXY, way: usize) -> u32 {
        let Congestion { size, shape, ref planned, .. } = *self.congestion;
        let (sides, back) = (shape.sides(), opposite(shape, way));
        let over = |cell: CellXY| {
            let Some(cell) = size.cell(cell) else { return 0 };
            let by_way = planned.at(cell.0 as usize);
            let all: u32 = by_way.iter().map(|&moves| u32::from(moves)).sum();
            let against = u32::from(by_way[back]);
            // What it means to do itself is in nobody's way.
            (all - against).saturating_sub(self.body.longest) + AGAINST * against
        };
        let mut most = over(to);
        if self.body.half > 0 {
            for side in [way + 1, way + sides.len() - 1] {
                let step = |cell, _| shape.neighbour(cell, sides[side % sides.len()]);
                most = most.max(over((0..self.body.half).fold(to, step)));
            }
        }
        most
    }
}

impl Penalties for PenaltiesAround<'_> {
    fn ticks(&self, from: CellXY, to: CellXY, ticks: u32) -> u32 {
        if !self.reach(from) {
            return 0;
        }
        let Some(way) = direction_to(self.congestion.shape, from, to) else { return 0 };
        let mut penalty = ticks.saturating_mul(self.moves_of_others(to, way)) / PART_A_MOVE;
        let (from, to) = (self.congestion.block_of(from), self.congestion.block_of(to));
        if from != to {
            penalty = penalty.saturating_add(self.blocks[to].penalty());
        }
        penalty.min(DELAY_MAX)
    }

    fn max_ticks(&self) -> u32 {
        DELAY_MAX
    }
}

#[cfg(test)]
mod tests;
