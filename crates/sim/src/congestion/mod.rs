//! Congestion penalties and congestion-aware replanning: where agents wait, and where they plan to go.
//!
//! The map is divided into blocks. Each block counts the ticks that agents wait in it, and the agents that enter it.
//! Their ratio is the penalty on entering it. Only agents at least as wide as the planning agent count, because
//! narrower ones yield sooner. A move onto cells that other agents' paths cross gets a penalty for each of their
//! planned moves. The penalty is larger for moves in the opposite direction. This keeps opposing flows apart, and wide
//! bodies out of corridors where they would meet, before anybody waits. Old counts fade, and penalties far from the
//! agent do not count.
//!
//! A new path is a cheapest one. Agents on their way check their paths in turn. An agent with large penalties requests
//! the path of least time plus penalties, and takes it if it is better than the current path. (Guide paths by traffic,
//! as in Guided PIBT: Chen et al., AAAI 2024.)

mod directions;
mod planned_flow;

use crate::agents::Agents;
use crate::replan_params::{REPLAN_REQUESTS_MAX, ReplanParams};
use directions::{direction_to, opposite};
use planned_flow::{FlowCounts, PlannedFlow};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use wheelbase_grid::{CellXY, GridShape, GridSize};
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;
use wheelbase_planner::search::Penalties;
use wheelbase_traffic::hash::fold;
use wheelbase_traffic::motion::ClassId;

/// Counts of a block.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Block {
    waited_ticks: u32,
    entered: u32,
}

impl Block {
    /// Expected ticks of waiting for an agent that enters.
    fn penalty(self) -> u32 {
        self.waited_ticks / self.entered.saturating_add(1)
    }
}

/// The body of a class, as far as penalties depend on it.
#[derive(Clone, Copy, Debug)]
struct Body {
    /// Index of its width among all widths, from the least up.
    width: u8,
    /// Cells from its middle to either side.
    half: u32,
    /// Its longest side in cells: the number of the agent's moves that cover a cell on its path.
    longest: u32,
}

/// Waiting by block, and planned flow. Memory: with usual blocks 1/8 byte per cell for each width of bodies, and the
/// planned flow.
#[derive(Clone, Debug)]
pub(crate) struct Congestion {
    params: ReplanParams,
    size: GridSize,
    shape: GridShape,
    /// Blocks in a row of blocks.
    width: usize,
    n_blocks: usize,
    /// Widths of the bodies that blocks are counted for, ascending.
    widths: Vec<u32>,
    /// By class.
    bodies: Vec<Body>,
    counts: BlockCounts,
    planned: PlannedFlow,
}

/// The counts by block.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BlockCounts {
    /// By width and block: counts of bodies at least that wide.
    blocks: Vec<Block>,
    /// Row of the agent that checks its path next.
    next: usize,
    /// Hash of all counts ever made by block, in order.
    counted_so_far: u64,
}

/// All counts, as a snapshot holds them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedCongestion<'a>(Cow<'a, BlockCounts>, Cow<'a, FlowCounts>);

impl Congestion {
    /// No counts. `sides` holds the shortest and longest side of each class's body in cells.
    pub fn new(size: GridSize, shape: GridShape, sides: &[(u32, u32)], params: ReplanParams) -> Self {
        let blocks = |cells: u32| cells.div_ceil(1 << params.block_shift) as usize;
        let width = blocks(size.width());
        let n_blocks = width * blocks(size.height());
        let mut widths: Vec<u32> = sides.iter().map(|&(width, _)| width).collect();
        widths.sort_unstable();
        widths.dedup();
        let widths_max = params.block_widths as usize;
        widths.truncate(widths_max);
        let n_widths = widths.len().max(1);
        let mut congestion = Self {
            params,
            size,
            shape,
            width,
            n_blocks,
            widths,
            bodies: Vec::new(),
            counts: BlockCounts {
                blocks: vec![Block::default(); n_widths * n_blocks],
                next: 0,
                counted_so_far: 0,
            },
            planned: PlannedFlow::new(size, shape, params),
        };
        sides.iter().for_each(|&sides| congestion.add_class(sides));
        congestion
    }

    /// Adds a class with the shortest and longest side of its body. It is counted with the next greater width.
    pub fn add_class(&mut self, (shortest, longest): (u32, u32)) {
        let index = self.widths.partition_point(|&less| less < shortest);
        let width = index.min(self.widths.len().saturating_sub(1)) as u8;
        self.bodies.push(Body { width, half: shortest / 2, longest });
    }

    /// All counts.
    pub fn save(&self) -> SavedCongestion<'_> {
        SavedCongestion(Cow::Borrowed(&self.counts), Cow::Borrowed(&self.planned.counts))
    }

    /// Takes over the counts of a congestion of the same map and classes.
    /// # Errors
    /// The numbers of counts are others, in words.
    pub fn restore(&mut self, SavedCongestion(counts, planned): SavedCongestion<'_>) -> Result<(), String> {
        let (found, expected) = (counts.blocks.len(), self.counts.blocks.len());
        if found != expected {
            return Err(format!("{found} blocks of congestion, expected {expected}"));
        }
        if !planned.fits(&self.planned.counts) {
            return Err("the planned flow is of a map of another size".to_owned());
        }
        (self.counts, self.planned.counts) = (counts.into_owned(), planned.into_owned());
        Ok(())
    }

    fn block_of(&self, cell: CellXY) -> usize {
        let shift = self.params.block_shift;
        (cell.y >> shift) as usize * self.width + (cell.x >> shift) as usize
    }

    /// Adds to the counts of a block for an agent of a class: to the counts of its width and of all lesser widths.
    fn count(&mut self, class: ClassId, block: usize, added: Block) {
        let width = usize::from(self.bodies[usize::from(class.0)].width);
        let counted = (width as u64) << 48 | u64::from(added.entered) << 32 | block as u64;
        self.counts.counted_so_far = fold(self.counts.counted_so_far, counted);
        for count in self.counts.blocks.iter_mut().skip(block).step_by(self.n_blocks).take(width + 1) {
            count.waited_ticks = count.waited_ticks.saturating_add(added.waited_ticks);
            count.entered = count.entered.saturating_add(added.entered);
        }
    }

    /// Counts a tick for which an agent of a class with a path rests with its anchor on a cell.
    pub fn count_wait(&mut self, class: ClassId, cell: CellXY) {
        self.count(class, self.block_of(cell), Block { waited_ticks: 1, entered: 0 });
    }

    /// Counts a move of an agent of a class that brings its anchor from one cell to another.
    pub fn count_move(&mut self, class: ClassId, (from, to): (CellXY, CellXY)) {
        let (from, to) = (self.block_of(from), self.block_of(to));
        if from != to {
            self.count(class, to, Block { waited_ticks: 0, entered: 1 });
        }
    }

    /// At the end of a tick: counts the planned moves of the next few agents.
    pub fn renew(&mut self, tick: u32, agents: &Agents, tables: &[MovementTables]) {
        self.planned.renew(tick, agents, tables);
    }

    /// At the end of a tick: lets old counts fade.
    pub fn fade(&mut self, tick: u32) {
        if tick.is_multiple_of(self.params.block_half_life_ticks) {
            for Block { waited_ticks, entered } in &mut self.counts.blocks {
                (*waited_ticks, *entered) = (*waited_ticks / 2, *entered / 2);
            }
        }
    }

    /// Penalties for an agent of a class near a cell. Far away they do not count: congestion there will have changed
    /// by the time the agent arrives.
    pub fn around(&self, class: ClassId, center: CellXY) -> LocalPenalties<'_> {
        let body = self.bodies[usize::from(class.0)];
        let first = usize::from(body.width) * self.n_blocks;
        LocalPenalties {
            congestion: self,
            body,
            blocks: &self.counts.blocks[first..first + self.n_blocks],
            center,
        }
    }

    /// Sum of the penalties along a path of a class from a state, in ticks.
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
        for &primitive in moves.iter().take(self.params.replan_path_moves as usize) {
            let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
            let from = space.pose(state).cell;
            state = tables.state_after(state, usize::from(primitive));
            penalty += u64::from(penalties.ticks(from, space.pose(state).cell, ticks));
        }
        penalty
    }

    /// Whether the penalties on a path are large enough to request a congestion-aware one.
    pub fn is_worth_replanning(
        &self,
        class: ClassId,
        tables: &MovementTables,
        state: State,
        moves: &[u8],
    ) -> bool {
        self.penalty_along(class, tables, state, moves) >= u64::from(self.params.replan_penalty_ticks)
    }

    /// Checks the paths of the next few agents, as far as `may_replan` allows. Returns the rows of the first few with
    /// large penalties.
    pub fn next_penalised(
        &mut self,
        agents: &Agents,
        tables: &[MovementTables],
        may_replan: &dyn Fn(usize) -> bool,
    ) -> impl Iterator<Item = usize> + use<> {
        let (n_agents, mut penalised, mut n_penalised) = (agents.len(), [0; REPLAN_REQUESTS_MAX], 0);
        let (checks, requests_max) = self.params.checks_and_requests(n_agents);
        for _ in 0..checks.min(n_agents) {
            let row = self.counts.next % n_agents;
            self.counts.next = row + 1;
            if !may_replan(row) {
                continue;
            }
            let motion = &agents.motion[row];
            let moves = agents.moves(row);
            let tables = &tables[motion.class.0 as usize];
            if self.is_worth_replanning(motion.class, tables, motion.state, moves) {
                penalised[n_penalised] = row;
                n_penalised += 1;
                if n_penalised == requests_max {
                    break;
                }
            }
        }
        penalised.into_iter().take(n_penalised)
    }

    /// Everything that a later tick depends on, for the state hash.
    pub fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        word(self.counts.next as u64);
        word(self.counts.counted_so_far);
        self.planned.for_each_word(word);
    }
}

/// Penalties for an agent, within [`ReplanParams::penalty_reach`] cells of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalPenalties<'a> {
    congestion: &'a Congestion,
    body: Body,
    /// The blocks of its width.
    blocks: &'a [Block],
    center: CellXY,
}

impl LocalPenalties<'_> {
    /// Whether moves that begin on a cell have penalties.
    pub fn reach(&self, cell: CellXY) -> bool {
        cell.chebyshev_distance(self.center) <= self.congestion.params.penalty_reach
    }

    /// Planned moves of other agents over a cell or over the cells at the ends of the body's width, whichever are most.
    /// Those in the opposite direction have a larger weight.
    fn moves_of_others(&self, to: CellXY, direction: usize) -> u32 {
        let Congestion { size, shape, ref planned, ref params, .. } = *self.congestion;
        let (sides, opposite) = (shape.sides(), opposite(shape, direction));
        let over = |cell: CellXY| {
            let Some(cell) = size.cell(cell) else { return 0 };
            let by_direction = planned.at(cell.0 as usize);
            let all: u32 = by_direction.iter().map(|&moves| u32::from(moves)).sum();
            let opposing = u32::from(by_direction[opposite]);
            // Its own planned moves do not count.
            (all - opposing).saturating_sub(self.body.longest) + params.penalty_opposite * opposing
        };
        let mut most = over(to);
        if self.body.half > 0 {
            for side in [direction + 1, direction + sides.len() - 1] {
                let step = |cell, _| shape.neighbour(cell, sides[side % sides.len()]);
                most = most.max(over((0..self.body.half).fold(to, step)));
            }
        }
        most
    }
}

impl Penalties for LocalPenalties<'_> {
    fn ticks(&self, from: CellXY, to: CellXY, ticks: u32) -> u32 {
        if !self.reach(from) {
            return 0;
        }
        let Some(direction) = direction_to(self.congestion.shape, from, to) else { return 0 };
        let doubled = self.congestion.params.penalty_moves;
        let mut penalty = ticks.saturating_mul(self.moves_of_others(to, direction)) / doubled;
        let (from, to) = (self.congestion.block_of(from), self.congestion.block_of(to));
        if from != to {
            penalty = penalty.saturating_add(self.blocks[to].penalty());
        }
        penalty.min(self.max_ticks())
    }

    fn max_ticks(&self) -> u32 {
        self.congestion.params.penalty_max_ticks
    }
}

#[cfg(test)]
mod tests;
